"""What of a schedule is still to be played, as jobs for lanes. Pure; starts nothing and writes nothing."""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from arena.players.launch import Launch
from arena.referee import Match
from arena.tournament.folder import BALANCED, Broken, Manifest
from arena.tournament.lane_messages import Play, Sitting
from arena.tournament.plan import schedule
from arena.tournament.rounds import Rounds
from arena.tournament.schedule import CHUNK_BLOCKS, LOOKED_AT_BLOCKS, Block, Fixture, Unit, match_key, remaining, units
from arena.tournament.secrets import Secret
from arena.wire import Limits


class Shard(Struct, frozen=True):
    """A part of a run that is played apart: every ``of``-th unit, from the ``number``-th on, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(number=1, of=1)


def shard_of(manifest: Manifest) -> Shard:
    """Which part of its run a folder holds."""
    number, _, of = (manifest.shard or str(WHOLE)).partition("/")
    return Shard(number=int(number), of=int(of))


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
    """The units of a schedule as jobs for lanes, each cut down to what is not recorded yet."""

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
        self._units: list[Unit] = []
        self._first = 0
        self.blocks: list[Block] = []
        self.rounds: Rounds | None = None
        """Of a run whose format decides as it goes: it is to be told how matches end."""
        if manifest.schedule != BALANCED:
            self.rounds = Rounds(manifest, manifest.epochs[0], secrets[manifest.epochs[0].number])
            self._add(self.rounds.blocks)
        else:
            for epoch in manifest.epochs:
                most = LOOKED_AT_BLOCKS if epoch.together else CHUNK_BLOCKS
                self._add(schedule(manifest, epoch, secrets[epoch.number]), most)
        self.retired: dict[str, frozenset[str]] = {}
        """For each recorded match in which entrants were retired, their names."""

    def _add(self, blocks: Sequence[Block], most: int = CHUNK_BLOCKS) -> None:
        self.blocks += blocks
        chunk = self._units[-1].chunk + 1 if self._units else 0
        self._units += units(blocks, most, unit=len(self._units), chunk=chunk)

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
            self._first = len(self._units)
            self._add(self.rounds.blocks[len(self.blocks) :])
        return further

    def __iter__(self) -> Iterator[Play]:
        return (job for job in self.jobs() if job is not None)

    def jobs(
        self,
        *,
        lanes: int = 0,
        room: Callable[[int], float] | None = None,
        playing: Callable[[], Container[int]] | None = None,
    ) -> Iterator[Play | None]:
        """The jobs that are left. While one of a chunk is played, those of other chunks go first.

        So blocks are finished soon, and two tables have the same deals at once only where lanes would have no work.

        Args:
            lanes: how many jobs are done at once, if that is known. Once fewer chunks than that are not begun, the
                chunk with most units left goes first: so lanes have work of different chunks to the end.
            room: how many more matches may be begun; None: all. It is asked before blocks are begun, which are then
                played in all rotations, and told how many matches wait that are begun.
            playing: tells the numbers of the units that are played now. Where it is given, two tables never have the
                same deals at once, and ``None`` in place of a job says that what is left has to wait for another's end.
        """
        numbered = self._units[self._first + self._shard.number - 1 :: self._shard.of]
        fresh = deque(deque(held) for _, held in groupby(numbered, lambda unit: unit.chunk))
        begun: list[deque[Unit]] = []
        latest: dict[int, Play] = {}
        """The latest job of each chunk that is begun."""
        while begun or fresh:
            free = [left for left in begun if self._is_free(latest.get(left[0].chunk), playing)]
            last = room is None and len(fresh) < lanes
            chosen = max(free, key=len) if free and last else next(iter(free), None)
            if fresh and (chosen is None or (last and len(fresh[0]) > len(chosen))):
                waiting = sum(len(remaining(unit, self._recorded)) for left in begun for unit in left)
                chosen, rest = self._that_fit(fresh.popleft(), None if room is None else room(waiting))
                if rest:
                    # where no block of a chunk fits, none of a later one does
                    fresh = deque([rest, *fresh]) if chosen else deque()
                if chosen:
                    begun.append(chosen)
            if not chosen:
                if begun and playing is not None:
                    yield None
                    continue
                chosen = next(iter(begun), None)
                if not chosen:
                    return
            unit = chosen.popleft()
            if not chosen:
                begun.remove(chosen)
            if (job := self._rest(unit)) is not None:
                latest[unit.chunk] = job
                yield job

    def _that_fit(self, chunk: deque[Unit], room: float | None) -> tuple[deque[Unit], deque[Unit]]:
        """The units of a chunk in two: with those blocks that there is room for, and with the others.

        Blocks that are begun come first, with room or without.
        """
        if room is None:
            return chunk, deque()
        blocks = dict.fromkeys(block for unit in chunk for block in unit.blocks)
        chosen: set[Block] = set()
        for block in blocks:
            ids = [Fixture(block, unit.rotation).id for unit in chunk if block in unit.blocks]
            lacking = sum(match not in self._recorded and match not in self._given_up for match in ids)
            room -= lacking
            if lacking < len(ids) or room >= 0:
                chosen.add(block)
        return self._with(chunk, chosen), self._with(chunk, blocks.keys() - chosen)

    @staticmethod
    def _with(chunk: Iterable[Unit], blocks: Container[Block]) -> deque[Unit]:
        """The units of a chunk with some of its blocks; without those that have none."""
        kept = (replace(unit, blocks=tuple([block for block in unit.blocks if block in blocks])) for unit in chunk)
        return deque([unit for unit in kept if unit.blocks])

    def _is_free(self, latest: Play | None, playing: Callable[[], Container[int]] | None) -> bool:
        """Whether the latest job of a chunk is over; ``None``: there was none."""
        if latest is None:
            return True
        if playing is not None:
            # recorded is not enough: the bots of its last match may still be about to end
            return latest.unit not in playing()
        return latest.sittings[-1].match.id in self._recorded

    def ids(self) -> Iterator[str]:
        """The ids of all matches of this part, recorded or not."""
        for unit in self._units[self._shard.number - 1 :: self._shard.of]:
            yield from (match.id for match in remaining(unit) if match.id not in self._given_up)

    def rest(self, job: Play) -> Play | None:
        """What is left of a job, or None if nothing is."""
        left = tuple([each for each in job.sittings if each.match.id not in self._recorded])
        return replace(job, sittings=left, retirements=self._retirements(self._units[job.unit])) if left else None

    def _rest(self, unit: Unit) -> Play | None:
        """The job that is left of a unit, or None if nothing is.

        Raises:
            Broken: a bot that is to play takes part no longer: the journal has lost matches of the past.
        """
        left = [match for match in remaining(unit, self._recorded) if match.id not in self._given_up]
        if not left:
            return None
        sittings = tuple(self._sitting(match) for match in left)
        seated = {name for match in left for name in match.bots}
        if absent := sorted(seated - self._bots.keys()):
            raise Broken(f"match {left[0].id}: expected bot {absent[0]!r} to play it again, got none that takes part")
        bots = {name: self._bots[name] for name in sorted(seated)}
        return Play(unit.number, sittings, bots, self._retirements(unit))

    def _retirements(self, unit: Unit) -> dict[str, int]:
        """For each entrant, in how many of its last recorded matches of the unit on end it was retired."""
        runs: dict[str, int] = {}
        for match in remaining(unit):
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
    epoch, block, _ = match_key(match)
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
    return Sitting(told, secret.deal(epoch=epoch, block=block))
