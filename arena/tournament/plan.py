"""The plan of a run: from settings and entrants to a manifest, its epochs and their blocks.

Pure; starts nothing and writes nothing.
"""

import hmac
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from arena.formats.format import PAIRING
from arena.formats.schedule import (
    CHUNK_BLOCKS,
    LOOKED_AT_BLOCKS,
    Audit,
    Block,
    Fixture,
    audit,
    blocks_for,
    check_distinct,
    chunks,
    draw_blocks,
)
from arena.game import Game
from arena.identity import Identity
from arena.interpreter import __version__
from arena.results.measure import Measure, measure_of, measure_of_game
from arena.tournament import cache
from arena.tournament.folder import BALANCED, CUT, BrokenRun, Entrant, Epoch, Manifest, Rules
from arena.tournament.secrets import Secret

LONG = 10_000
"""Matches from which on a schedule is kept: shorter ones are drawn as fast as they are read."""
_MOST_BYTES = 8
"""Of a match in the cache; a schedule that takes more is drawn again."""
_decode_chunks = msgspec.msgpack.Decoder(list[list[list[int]]]).decode


class Settings(Rules, frozen=True, kw_only=True):
    """How a game is to be played: its rules, how long, and what its chance follows from."""

    matches: int
    seed: str | None
    hidden: bool = False
    """Whether the seed text is kept secret until the run is finished."""
    beacon: str | None = None
    """A public text to be mixed into the secret."""
    awaits: str = ""
    """For a plan: what the beacon will be; its text is not known yet."""
    together: tuple[str, ...] = ()
    """Names of entrants that sit in every block of a new run."""
    per_bot: int | None = None
    """How many matches each bot is to have, in the place of ``matches``."""
    again: bool = False
    """Whether each bot is to have so many again, whatever it has played."""


def settings_of(rules: Rules, *, matches: int, seed: str | None = None, beacon: str | None = None) -> Settings:
    """The settings of a run by the rules of another."""
    values = {name: getattr(rules, name) for name in Rules.__struct_fields__}
    return Settings(**values, matches=matches, seed=seed, beacon=beacon)


def count_blocks(matches: int, seats: Sequence[int]) -> dict[int, int]:
    """The fewest whole blocks that hold at least ``matches`` matches, evenly shared among the seat counts.

    For the number of matches in these blocks it gives the same blocks.
    """
    # matches for each seat count; fewer are often enough, because blocks are rounded up for each
    share = -(-matches // len(seats))
    while sum(count * blocks_for(share - 1, seats=count) for count in seats) >= matches > 0:
        share -= 1
    return {count: blocks_for(share, seats=count) for count in seats}


def rounded(matches: int, seats: Sequence[int]) -> int:
    """The number of matches in whole blocks."""
    return sum(count * blocks for count, blocks in count_blocks(matches, seats).items())


def schedule(manifest: Manifest, epoch: Epoch, secret: Secret) -> list[Block]:
    """All blocks of an epoch, one number of seats after the other.

    Raises:
        BrokenRun: as ``cut``.
    """
    return sorted(chain.from_iterable(cut(manifest, epoch, secret)), key=lambda block: block.number)


def cut(manifest: Manifest, epoch: Epoch, secret: Secret) -> list[tuple[Block, ...]]:
    """The chunks of an epoch, in which its blocks are played.

    Those of a long schedule are kept in the user's cache until the run is finished, so that resuming it need not draw
    it again. A results folder holds no such file, so arena never uses one that a stranger made.

    Raises:
        BrokenRun: the schedule of the manifest cannot have been drawn, or is not drawn whole.
    """
    if not manifest.drawn_whole:
        raise BrokenRun(f"run.json: expected schedule {BALANCED}, got {manifest.schedule}")
    path = _file_of(manifest, epoch, secret) if epoch.matches >= LONG and not manifest.finished else None
    if path is not None and (data := cache.load(path, most=epoch.matches * _MOST_BYTES)) is not None:
        return [
            tuple(
                [
                    Block(epoch=epoch.number, number=number, seating=tuple([epoch.entrants[bot] for bot in bots]))
                    for number, *bots in chunk
                ]
            )
            for chunk in _decode_chunks(data)
        ]
    try:
        blocks = _drawn(manifest, epoch, secret.schedule(epoch.number))
    except ValueError as error:
        raise BrokenRun(f"run.json: epoch {epoch.number}: {error}") from None
    pieces = list(chunks(blocks, LOOKED_AT_BLOCKS if epoch.together else CHUNK_BLOCKS))
    if path is not None:
        places = {name: place for place, name in enumerate(epoch.entrants)}
        numbers = [[(block.number, *[places[name] for name in block.seating]) for block in chunk] for chunk in pieces]
        cache.store(path, msgspec.msgpack.encode(numbers))
    return pieces


def forget_schedules(manifest: Manifest, secrets: Mapping[int, Secret]) -> None:
    """Remove the schedules of a run from the cache."""
    for epoch in manifest.epochs:
        if epoch.matches >= LONG:
            cache.discard(_file_of(manifest, epoch, secrets[epoch.number]))


def _file_of(manifest: Manifest, epoch: Epoch, secret: Secret) -> str:
    """The name in the cache; it does not reveal the secret."""
    drawn = msgspec.json.encode((epoch.entrants, manifest.seats, epoch.matches, epoch.owed, epoch.together))
    return f"schedules/{hmac.digest(secret.schedule(epoch.number), drawn, 'sha256').hex()}"


def _drawn(manifest: Manifest, epoch: Epoch, key: bytes) -> list[Block]:
    blocks: list[Block] = []
    for seats, count in count_blocks(epoch.matches, manifest.seats).items():
        blocks += draw_blocks(
            epoch.entrants,
            seats=seats,
            key=key,
            blocks=count,
            owed=epoch.owed.get(str(seats), {}) if epoch.owed else None,
            epoch=epoch.number,
            first=len(blocks),
            together=epoch.together,
        )
    return blocks


def pad_entrants(entrants: Sequence[str], seats: int) -> list[str]:
    """The entrants, and as many copies after them as are needed to fill the seats: ``greedy#2``, ``greedy#3``, ...

    Copies are taken from the bots in turn; a name that is taken already is passed over.

    Raises:
        ValueError: there are no entrants, or two of the same name.
    """
    check_distinct(entrants)
    if not entrants:
        raise ValueError("expected at least one entrant, got none")
    padded = list(entrants)
    originals = list(dict.fromkeys(Identity.of(name).bot for name in entrants))
    copies = dict.fromkeys(originals, 1)
    while len(padded) < seats:
        original = originals[(len(padded) - len(entrants)) % len(originals)]
        name = original
        while name in padded:
            copies[original] += 1
            name = str(Identity(original, copy=copies[original]))
        padded.append(name)
    return padded


def list_playing(entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """The names of those that are not withdrawn."""
    return tuple([entrant.name for entrant in entrants if not entrant.withdrawn])


def audits(manifest: Manifest, blocks: Sequence[Block]) -> dict[str, Audit]:
    """For each seat count, how even these blocks are; a block with a match that was given up does not count."""
    names = list_playing(manifest.entrants)
    given_up = manifest.given_up

    def select_blocks(seats: int) -> Iterator[Block]:
        for block in blocks:
            if len(block.seating) == seats and not (
                given_up and any(Fixture(block, rotation).id in given_up for rotation in range(seats))
            ):
                yield block

    return {str(seats): audit(select_blocks(seats), names) for seats in manifest.seats}


def with_audit(manifest: Manifest, blocks: Sequence[Block]) -> Manifest:
    """The manifest with the number of matches in these blocks, and their audit."""
    counts = Counter(block.epoch for block in blocks for _ in block.seating)
    epochs = tuple([replace(epoch, matches=counts[epoch.number]) for epoch in manifest.epochs])
    return replace(manifest, epochs=epochs, audits=audits(manifest, blocks))


def first_manifest(settings: Settings, game: Game, entrants: Sequence[Entrant], secret: Secret) -> Manifest:
    """The manifest of a new run; its audits are filled in when its schedule is drawn."""
    names = list_playing(entrants)
    matches = rounded(settings.matches, settings.seats)
    together = tuple([name for name in names if name in settings.together])
    measure = measure_of_game(game, settings.seats, settings.variants)
    epoch = epoch_of(0, settings, secret, matches=matches, entrants=names, together=together)
    return Manifest(
        arena=__version__,
        **{name: getattr(settings, name) for name in Rules.__struct_fields__},
        game_version=game.version,
        objective=measure.objective,
        span=None if settings.drawn_whole else measure.duels,
        range=measure.span,
        least=UNSET if measure.span is None else measure.bounds[0],
        entrants=tuple(entrants),
        epochs=(epoch,),
        audits={},
        created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seed_given=settings.seed is not None and not settings.hidden,
        pairing=PAIRING,
        cut=CUT,
    )


def count_matches(manifest: Manifest) -> tuple[int, bool]:
    """How many matches a run has, those of its rounds to come too, and whether that is known.

    Where results decide how long it is, it is about so many at most; a shard plays about its share.
    """
    if manifest.shard and not manifest.finished:
        return -(-manifest.matches // manifest.part.of), False
    if manifest.drawn_whole or manifest.finished:
        return manifest.matches, True
    from arena.tournament.rounds import count_with_later_rounds  # noqa: PLC0415 - most runs draw one round

    return count_with_later_rounds(manifest)


def measure_of_run(manifest: Manifest) -> Measure:
    """What ranks the bots of a run."""
    least = None if manifest.least is UNSET else manifest.least
    return measure_of(manifest.objective, least=least, span=manifest.range)


def epoch_of(
    number: int,
    settings: Settings,
    secret: Secret,
    *,
    matches: int,
    entrants: tuple[str, ...],
    owed: dict[str, dict[str, int]] | None = None,
    together: tuple[str, ...] = (),
) -> Epoch:
    """An epoch that is to be played, committed to its secret."""
    return Epoch(
        number=number,
        commitment=secret.commitment,
        matches=matches,
        entrants=entrants,
        asked=settings.matches,
        owed=owed or {},
        together=together,
        beacon=settings.beacon,
        awaits=settings.awaits,
    )


def secret_of(settings: Settings, number: int) -> Secret:
    """The secret of an epoch: a fresh one, or the one of the given seed."""
    if settings.seed is None:
        fresh = Secret.fresh()
        return fresh if settings.beacon is None else Secret.of(fresh.seed_text, beacon=settings.beacon)
    text = settings.seed if number == 0 else f"{settings.seed}, epoch {number}"
    return Secret.of(text, beacon=settings.beacon)
