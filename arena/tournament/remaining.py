"""What of a schedule is still to be played, as jobs for lanes. Pure; starts nothing and writes nothing."""

from collections.abc import Container, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from arena.players.launch import Launch
from arena.referee import Match
from arena.tournament.folder import BALANCED, Broken, Manifest
from arena.tournament.lane_messages import Play, Sitting
from arena.tournament.plan import schedule
from arena.tournament.rounds import Rounds
from arena.tournament.schedule import Block, Chunk, Fixture, chunks, match_key, remaining
from arena.tournament.secrets import Secret
from arena.wire import Limits


class Shard(Struct, frozen=True):
    """A part of a run that is played apart: every ``of``-th chunk, from the ``number``-th on, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(1, 1)


def shard_of(manifest: Manifest) -> Shard:
    """Which part of its run a folder holds."""
    number, _, of = (manifest.shard or str(WHOLE)).partition("/")
    return Shard(int(number), int(of))


_PAGE = 512
"""Bytes that are held at once: an id that no schedule has, however large, takes no more."""


class Recorded:
    """The ids of matches that are recorded, as one byte a match, so that a long run does not grow."""

    def __init__(self) -> None:
        self._pages: dict[tuple[int, int, int], bytearray] = {}
        self._count = 0

    def add(self, match: str) -> None:
        """Take in the id of a recorded match."""
        page, at = _place(match)
        flags = self._pages.setdefault(page, bytearray(_PAGE))
        self._count += not flags[at]
        flags[at] = 1

    def __contains__(self, match: object) -> bool:
        page, at = _place(str(match))
        return page in self._pages and self._pages[page][at] == 1

    def __len__(self) -> int:
        return self._count


def _place(match: str) -> tuple[tuple[int, int, int], int]:
    """The page that the flag of a match is on, and where on it; each rotation has pages of its own."""
    epoch, block, rotation = match_key(match)
    page, at = divmod(block, _PAGE)
    return (epoch, rotation, page), at


class Remaining:
    """The chunks of a schedule as jobs for lanes, each cut down to what is not recorded yet."""

    def __init__(
        self,
        manifest: Manifest,
        secrets: Mapping[int, Secret],
        bots: Mapping[str, Launch],
        recorded: Container[str],
        shard: Shard = WHOLE,
    ) -> None:
        """``recorded`` holds the ids of recorded matches and is looked at anew each time a job is made."""
        self._shard = shard
        self._manifest = manifest
        self._limits = limits_of(manifest)
        self._secrets = secrets
        self._bots = bots
        self._recorded = recorded
        self._given_up = manifest.given_up
        self._chunks: list[Chunk] = []
        self._first = 0
        self.blocks: list[Block] = []
        self.rounds: Rounds | None = None
        """Of a run whose format decides as it goes: it is to be told how matches end."""
        if manifest.schedule != BALANCED:
            self.rounds = Rounds(manifest, manifest.epochs[0], secrets[manifest.epochs[0].number])
            self._add(self.rounds.blocks)
        else:
            for epoch in manifest.epochs:
                self._add(schedule(manifest, epoch, secrets[epoch.number]))
        self.retired: dict[str, frozenset[str]] = {}
        """For each recorded match in which entrants were retired, their names."""

    def _add(self, blocks: Sequence[Block]) -> None:
        self.blocks += blocks
        first = len(self._chunks)
        self._chunks += [msgspec.structs.replace(chunk, number=first + chunk.number) for chunk in chunks(blocks)]

    def advance(self) -> bool:
        """Go on to the first round that is not over; whether there is more to play than before.

        Of rounds that are over no jobs are made any more.

        Raises:
            Broken: the format fails.
        """
        if self.rounds is None:
            return False
        further = False
        while self.rounds.advance():
            further = True
            self._first = len(self._chunks)
            self._add(self.rounds.blocks[len(self.blocks) :])
        return further

    def __iter__(self) -> Iterator[Play]:
        for chunk in self._chunks[self._first + self._shard.number - 1 :: self._shard.of]:
            job = self.rest(chunk.number)
            if job is not None:
                yield job

    def ids(self) -> Iterator[str]:
        """The ids of all matches of this part, recorded or not."""
        for chunk in self._chunks[self._shard.number - 1 :: self._shard.of]:
            yield from (match.id for match in remaining(chunk) if match.id not in self._given_up)

    def rest(self, number: int) -> Play | None:
        """What is left of a chunk, or None if nothing is.

        Raises:
            Broken: a bot that is to play takes part no longer: the journal has lost matches of the past.
        """
        chunk = self._chunks[number]
        left = [match for match in remaining(chunk, self._recorded) if match.id not in self._given_up]
        if not left:
            return None
        sittings = tuple(self._sitting(match) for match in left)
        seated = {name for match in left for name in match.bots}
        if absent := sorted(seated - self._bots.keys()):
            raise Broken(f"match {left[0].id}: expected bot {absent[0]!r} to play it again, got none that takes part")
        bots = {name: self._bots[name] for name in sorted(seated)}
        return Play(number, sittings, bots, self._retirements(chunk))

    def _retirements(self, chunk: Chunk) -> dict[str, int]:
        """For each entrant, in how many of its last recorded matches of the chunk on end it was retired."""
        runs: dict[str, int] = {}
        for match in remaining(chunk):
            if match.id in self._recorded:
                for name in match.bots:
                    runs[name] = runs.get(name, 0) + 1 if name in self.retired.get(match.id, ()) else 0
        return runs

    def _sitting(self, fixture: Fixture) -> Sitting:
        return sitting(self._manifest, self._limits, self._secrets[fixture.block.epoch], fixture.id, fixture.bots)


def limits_of(manifest: Manifest) -> dict[str, Limits]:
    """What each entrant is held to."""
    return {entrant.name: entrant.limits or manifest.limits for entrant in manifest.entrants}


def sitting(
    manifest: Manifest, limits: Mapping[str, Limits], secret: Secret, match: str, bots: tuple[str, ...]
) -> Sitting:
    """The match of this id with these bots in its seats; ``secret`` is that of its epoch."""
    epoch, block, rotation = match_key(match)
    told = Match(
        id=match,
        label=secret.label(match),
        game=manifest.game,
        version=manifest.game_version,
        bots=bots,
        variants=manifest.variants,
        ids=secret.ids(match),
        order=secret.order(match),
        seeds=tuple(secret.bot_seed(match, seat) for seat in range(len(bots))),
        limits=tuple(limits[name] for name in bots),
    )
    return Sitting(told, secret.deal(epoch, block), rotation)
