r"""A run's secret and everything that is derived from it. Pure but for drawing a fresh one; knows no game, bot or file.

A run begins with a *seed text*: 64 random hexadecimal characters, or what the user gave. From it follow

- the secret, ``SHA-256("arena secret 1\0" + seed text in UTF-8)``, 32 bytes;
- the commitment, ``SHA-256("arena commitment 1\0" + secret)`` in lower-case hexadecimal, published before the first
  deal: whoever is later shown the seed text can check that nothing was chosen afterwards;
- where a beacon is mixed in, a text that nobody knew when the commitment was published, a new secret in place of the
  first: ``HMAC-SHA256(secret, "arena beacon 1\0" + beacon in UTF-8)``. So not even the host chose the deals;
- every other value, as ``HMAC-SHA256(secret, message)`` over a purpose and its coordinates. Each of these becomes a tag
  (``s`` text, ``i`` integer), the length of its bytes, a colon, its bytes (UTF-8, or decimal digits) and a comma:
  purpose ``deal`` for epoch 1, block 17 is the message ``s4:deal,i1:1,i2:17,``. So no two lists share a message.

These are all the purposes there are. *Key* is 32 bytes for ``arena.chance.Chance`` or for dealing.

========  =================  ===============================================================================
purpose   coordinates        what it becomes
========  =================  ===============================================================================
schedule  epoch              key that draws line-ups and seating orders
deal      epoch, block       key of the deal that all rotations of the block share; where each has a deal of its own,
                             the rotation is a third coordinate
label     match id           opaque name of the match in ``hello``: the first 8 bytes in hexadecimal
ids       match id           key that draws the ids of the match's questions
order     match id           key that draws the order in which the seats of a simultaneous question are asked
bot seed  match id, seat     integer below 2**53 for the bot's own dice: the first 8 bytes, big-endian, shifted right
                             by 11
========  =================  ===============================================================================
"""

import hmac
from hashlib import sha256
from secrets import token_hex
from typing import Self

from msgspec import Struct

_SEED_BYTES = 32
_LABEL_BYTES = 8
_BEYOND_53_BITS = 64 - 53


class Secret(Struct, frozen=True):
    """The root of all chance in one epoch of a run. It never shows itself in ``repr`` or a traceback."""

    seed_text: str
    """Reveals everything: published when the run is finished, not before."""
    commitment: str
    """64 hexadecimal characters that bind the host to this secret without revealing it.

    A seed text that can be guessed can be found from its commitment.
    """
    key: bytes
    """32 bytes."""
    mirrored: bool = True
    """Whether all rotations of a block share its deal."""

    @classmethod
    def of(cls, seed_text: str, *, beacon: str | None = None, mirrored: bool = True) -> Self:
        """The secret that follows from a seed text; the same text and beacon always give the same tournament.

        Raises:
            ValueError: a text has no UTF-8 form (a lone surrogate).
        """
        try:
            seed, mixed = seed_text.encode(), beacon.encode() if beacon is not None else None
        except UnicodeEncodeError:
            raise ValueError("expected a text of whole Unicode characters, got a lone surrogate") from None
        key = sha256(b"arena secret 1\0" + seed).digest()
        commitment = sha256(b"arena commitment 1\0" + key).hexdigest()
        if mixed is not None:
            key = hmac.digest(key, b"arena beacon 1\0" + mixed, "sha256")
        return cls(seed_text, commitment, key, mirrored)

    @classmethod
    def fresh(cls) -> Self:
        """A secret from the operating system's randomness."""
        return cls.of(token_hex(_SEED_BYTES))

    def __repr__(self) -> str:
        return f"Secret(commitment={self.commitment!r})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("commitment", self.commitment)]

    def derive(self, purpose: str, *coordinates: int | str) -> bytes:
        """32 bytes for a purpose of the table above; other modules call the methods named for them."""
        parts = [_part(part) for part in (purpose, *coordinates)]
        return hmac.digest(self.key, b"".join(parts), "sha256")

    def schedule(self, epoch: int) -> bytes:
        """The key that draws an epoch's line-ups and seating orders."""
        return self.derive("schedule", epoch)

    def deal(self, *, epoch: int, block: int, rotation: int) -> bytes:
        """The seed of the deal of a match; of mirrored blocks the same for all rotations."""
        return self.derive("deal", epoch, block, *(() if self.mirrored else (rotation,)))

    def label(self, match: str) -> str:
        """The label that bots get instead of the match's id: 16 hexadecimal characters."""
        return self.derive("label", match)[:_LABEL_BYTES].hex()

    def ids(self, match: str) -> bytes:
        """The key that draws the ids of a match's questions."""
        return self.derive("ids", match)

    def order(self, match: str) -> bytes:
        """The key that draws in which order the seats of a simultaneous question are asked."""
        return self.derive("order", match)

    def bot_seed(self, match: str, seat: int) -> int:
        """An integer from 0 to 2**53 - 1 for a bot's own dice; it tells nothing of the deal."""
        return int.from_bytes(self.derive("bot seed", match, seat)[:8], "big") >> _BEYOND_53_BITS


def _part(part: int | str) -> bytes:
    tag, value = ("s", part.encode()) if isinstance(part, str) else ("i", b"%d" % part)
    return f"{tag}{len(value)}:".encode() + value + b","
