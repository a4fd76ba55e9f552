"""The matches of a schedule that remain to be played, as jobs for lanes. Pure; starts nothing and writes nothing."""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse, groupby, islice

from msgspec import Struct
from msgspec.structs import replace

from arena.players.launch import Launch
from arena.record import MatchResult, Record
from arena.referee import Match
from arena.tournament.folder import BALANCED, WHOLE, Broken, Manifest, Shard
from arena.tournament.lane_messages import PlayUnit, retired_in_a_row
from arena.tournament.plan import schedule
from arena.tournament.rounds import Rounds
from arena.tournament.schedule import (
    CHUNK_BLOCKS,
    LOOKED_AT_BLOCKS,
    Block,
    Blocks,
    Fixture,
    Unit,
    chunks,
    line_up,
    match_key,
    most_seats,
    remaining,
    units_of,
)
from arena.tournament.secrets import Secret
from arena.wire import Limits

_PAGE = 4096
"""Matches whose flags are held at once, in 512 bytes: an id that no schedule has, however large, takes no more."""


_PLAYING = 4096
"""Units that are remembered before it is looked which of them are over."""


class Recorded:
    """The ids of matches that are recorded, as one bit a match, so that a long run does not grow."""

    def __init__(self) -> None:
        self._pages: dict[tuple[int, int, int], bytearray] = {}
        self._count = 0

    def add(self, match: str) -> None:
        """Take in the id of a recorded match."""
        self.note_all([match_key(match)])

    def note_all(self, matches: Iterable[tuple[int, int, int]]) -> None:
        """Take in recorded matches by epoch, block and rotation."""
        pages, count = self._pages, self._count
        of_epoch = of_rotation = of_page = -1
        flags = bytearray()
        for epoch, block, rotation in matches:
            if block // _PAGE != of_page or rotation != of_rotation or epoch != of_epoch:
                of_epoch, of_rotation, of_page = epoch, rotation, block // _PAGE
                flags = pages.setdefault((epoch, rotation, of_page), bytearray())
                if not flags:
                    flags.extend(bytes(_PAGE // 8))
            at, bit = block % _PAGE >> 3, 1 << (block & 7)
            if not flags[at] & bit:
                flags[at] |= bit
                count += 1
        self._count = count

    def forget(self, match: str) -> None:
        """Take a match for one that is not recorded."""
        if match in self:
            page, at = _place(match)
            self._pages[page][at >> 3] &= ~(1 << (at & 7))
            self._count -= 1

    def __contains__(self, match: object) -> bool:
        page, at = _place(str(match))
        flags = self._pages.get(page)
        return flags is not None and flags[at >> 3] >> (at & 7) & 1 == 1

    def __len__(self) -> int:
        return self._count

    def hold(self, blocks: Iterable[Block]) -> bool:
        """Whether all matches of these blocks are recorded."""
        last: tuple[int, int, int] | None = None
        pages: list[bytearray] = []
        for block in blocks:
            number = block.number
            page = block.epoch, number // _PAGE, len(block.seating)
            if page != last:
                last = page
                found = [self._pages.get((page[0], rotation, page[1])) for rotation in range(page[2])]
                pages = [flags for flags in found if flags is not None]
                if len(pages) < page[2]:
                    return False
            at, bit = number % _PAGE >> 3, 1 << (number & 7)
            for flags in pages:
                if not flags[at] & bit:
                    return False
        return True

    def whole(self, unit: Unit) -> bool:
        """Whether all matches of a unit are recorded."""
        last: tuple[int, int] | None = None
        flags: bytearray | None = None
        for block in unit.blocks:
            number = block.number
            page = block.epoch, number // _PAGE
            if page != last:
                last = page
                flags = self._pages.get((page[0], unit.rotation, page[1]))
            if flags is None or not flags[number % _PAGE >> 3] >> (number & 7) & 1:
                return False
        return True


def _place(match: str) -> tuple[tuple[int, int, int], int]:
    """The page that the flag of a match is on, and where on it; each rotation has pages of its own."""
    epoch, block, rotation = match_key(match)
    page, at = divmod(block, _PAGE)
    return (epoch, rotation, page), at


class _Part(Struct):
    """Blocks that are cut into units together: an epoch's, or a round's."""

    blocks: Sequence[Block]
    most: int
    """Blocks of a chunk at most."""
    units: int | None = None
    """How many there are; None: they were not all cut yet."""
    chunks: int | None = None


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
        """``recorded`` holds the ids of recorded matches and is looked at again each time a job is made."""
        self._shard = shard
        self._manifest = manifest
        self._limits = limits_of(manifest)
        self._secrets = secrets
        self._bots = bots
        self._recorded = recorded
        self._given_up = manifest.given_up
        self._parts: list[_Part] = []
        self._first = 0
        """Of the parts the first that is not over."""
        self._playing: dict[int, Unit] = {}
        """The units of which a job was made, by their numbers; until all of them is recorded."""
        self.rounds: Rounds | None = None
        """The rounds of a run whose rounds depend on results; they are told how matches end."""
        if manifest.schedule != BALANCED:
            self.rounds = Rounds(manifest, secrets)
            self._add(list(self.rounds.blocks))
        else:
            for epoch in manifest.epochs:
                most = LOOKED_AT_BLOCKS if epoch.together else CHUNK_BLOCKS
                self._add(schedule(manifest, epoch, secrets[epoch.number]), most)
        self.retired: dict[str, frozenset[str]] = {}
        """For each recorded match in which entrants were retired, their names."""

    def _add(self, blocks: Sequence[Block], most: int = CHUNK_BLOCKS) -> None:
        self._parts.append(_Part(blocks=blocks, most=most))

    @property
    def blocks(self) -> Blocks:
        """All blocks so far; those that were not needed yet are drawn as they are asked for."""
        return Blocks(part.blocks for part in self._parts)

    def knows(self, outcome: MatchResult) -> bool:
        """Whether a match is of this schedule, which is drawn whole, and was played by the bots that it names there."""
        epoch, number, rotation = match_key(outcome.id)
        blocks = self._parts[epoch].blocks if epoch < len(self._parts) else ()
        if outcome.game != self._manifest.game or number >= len(blocks):
            return False
        return rotation < len(blocks[number].seating) and line_up(blocks[number], rotation) == outcome.bots

    def _units(self, first: int = 0, recorded: Recorded | None = None) -> Iterator[Unit]:
        """The units of this shard from this part on; they are cut as they are asked for.

        Those of chunks of which all is ``recorded`` are passed over.
        """
        unit = chunk = 0
        for number, part in enumerate(self._parts):
            if part.units is not None and part.chunks is not None and number < first:
                unit, chunk = unit + part.units, chunk + part.chunks
                continue
            before = unit, chunk
            for held in chunks(part.blocks, part.most):
                if number >= first and not (recorded is not None and recorded.hold(held)):
                    for each in units_of(held, unit=unit, chunk=chunk):
                        if each.number % self._shard.of == self._shard.number - 1:
                            yield each
                unit, chunk = unit + most_seats(held), chunk + 1
            part.units, part.chunks = unit - before[0], chunk - before[1]

    def advance(self) -> bool:
        """Move to the first round that is not over; returns whether there is more to play than before.

        Of rounds that are over no jobs are made any more.

        Raises:
            Broken: the format fails.
        """
        if self.rounds is None:
            return False
        further = False
        while self.rounds.advance():
            further = True
            self._first = len(self._parts)
            self._add(self.rounds.blocks[len(self.blocks) :])
        return further

    def __iter__(self) -> Iterator[PlayUnit]:
        return (job for job in self.jobs() if job is not None)

    def jobs(
        self,
        *,
        lanes: int = 0,
        room: Callable[[int], float] | None = None,
        playing: Callable[[], Container[int]] | None = None,
    ) -> Iterator[PlayUnit | None]:
        """The jobs that remain. While one of a chunk is played, those of other chunks go first.

        So blocks are finished soon, and two tables have the same deals at once only where lanes would have no work.

        Args:
            lanes: how many jobs are done at once, if that is known. Once fewer chunks than that are not begun, the
                chunk with most units left goes first: so lanes have work of different chunks to the end.
            room: how many more matches may be begun; None: all. It is asked before blocks are begun, which are then
                played in all rotations, and told how many matches wait that are begun.
            playing: tells the numbers of the units that are played now. Where it is given, two tables never have the
                same deals at once, and ``None`` in place of a job says that what is left has to wait for another's end.
        """
        cut = self._units(self._first, self._recorded if isinstance(self._recorded, Recorded) else None)
        by_chunk: Iterator[deque[Unit]] = (deque(held) for _, held in groupby(cut, lambda unit: unit.chunk))
        ahead: Iterator[deque[Unit]] = filterfalse(self._over, by_chunk)
        fresh: deque[deque[Unit]] = deque()
        """The next chunks that are not begun: as many as there are lanes."""
        begun: list[deque[Unit]] = []
        latest: dict[int, PlayUnit] = {}
        """The latest job of each chunk that is begun."""
        while True:
            fresh.extend(islice(ahead, max(0, max(1, lanes) - len(fresh))))
            free = [left for left in begun if self._is_free(latest.get(left[0].chunk), playing)]
            last = room is None and len(fresh) < lanes
            chosen = max(free, key=len) if free and last else next(iter(free), None)
            if fresh and (chosen is None or (last and len(fresh[0]) > len(chosen))):
                waiting = sum(len(remaining(unit, self._recorded)) for left in begun for unit in left)
                chosen, rest = self._that_fit(fresh.popleft(), None if room is None else room(waiting))
                if rest:
                    # if no block of this chunk fits, no block of a later chunk fits
                    if chosen:
                        fresh.appendleft(rest)
                    else:
                        fresh, ahead = deque(), iter(())
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

    def _over(self, chunk: Iterable[Unit]) -> bool:
        """Whether it is seen at once that all of a chunk is recorded."""
        recorded = self._recorded
        return isinstance(recorded, Recorded) and all(map(recorded.whole, chunk))

    @staticmethod
    def _with(chunk: Iterable[Unit], blocks: Container[Block]) -> deque[Unit]:
        """The units of a chunk with some of its blocks; without those that have none."""
        kept = (replace(unit, blocks=tuple([block for block in unit.blocks if block in blocks])) for unit in chunk)
        return deque([unit for unit in kept if unit.blocks])

    def _is_free(self, latest: PlayUnit | None, playing: Callable[[], Container[int]] | None) -> bool:
        """Whether the latest job of a chunk is over; ``None``: there was none."""
        if latest is None:
            return True
        if playing is not None:
            # a recorded match is not enough: its bots may still be running
            return latest.unit not in playing()
        return latest.matches[-1].id in self._recorded

    def ids(self) -> Iterator[str]:
        """The ids of all matches of this part, recorded or not."""
        for unit in self._units():
            yield from (match.id for match in remaining(unit) if match.id not in self._given_up)

    def rest(self, job: PlayUnit) -> PlayUnit | None:
        """What is left of a job, or None if nothing is."""
        left = tuple([each for each in job.matches if each.id not in self._recorded])
        return replace(job, matches=left, retirements=self._retirements(self._playing[job.unit])) if left else None

    def _rest(self, unit: Unit) -> PlayUnit | None:
        """The job that is left of a unit, or None if nothing is."""
        left = [match for match in remaining(unit, self._recorded) if match.id not in self._given_up]
        if not left:
            return None
        matches = tuple(dealt_match(self._manifest, self._limits, self._secrets, match) for match in left)
        seated = {name for match in left for name in match.bots}
        if absent := sorted(seated - self._bots.keys()):
            raise Broken(f"match {left[0].id}: expected bot {absent[0]!r} to play it again, got none that takes part")
        bots = {name: self._bots[name] for name in sorted(seated)}
        self._forget()
        self._playing[unit.number] = unit
        return PlayUnit(unit=unit.number, matches=matches, bots=bots, retirements=self._retirements(unit))

    def _forget(self) -> None:
        """Let go of units of which all is recorded, now and then."""
        if len(self._playing) >= _PLAYING:
            self._playing = {number: unit for number, unit in self._playing.items() if remaining(unit, self._recorded)}

    def _retirements(self, unit: Unit) -> dict[str, int]:
        """For each entrant, in how many of its last recorded matches of the unit in a row it was retired."""
        runs: dict[str, int] = {}
        for match in remaining(unit):
            if match.id in self._recorded:
                runs = retired_in_a_row(runs, match.bots, self.retired.get(match.id, ()))
        return runs


def limits_of(manifest: Manifest) -> dict[str, Limits]:
    """The limits of each entrant."""
    return {entrant.name: entrant.limits or manifest.limits for entrant in manifest.entrants}


def dealt_match(
    manifest: Manifest, limits: Mapping[str, Limits], secrets: Mapping[int, Secret], match: Fixture | Record
) -> Match:
    """A match, played or not, as the referee is given it; ``limits`` by entrant, ``secrets`` by epoch."""
    epoch, block, _ = match_key(match.id)
    secret, bots = secrets[epoch], match.bots
    return Match(
        id=match.id,
        label=secret.label(match.id),
        game=manifest.game,
        version=manifest.game_version,
        bots=bots,
        variants=manifest.variants,
        ids=secret.ids(match.id),
        order=secret.order(match.id),
        seeds=tuple(secret.bot_seed(match.id, seat) for seat in range(len(bots))),
        limits=tuple(limits[name] for name in bots),
        deal=secret.deal(epoch=epoch, block=block),
    )
