"""The matches of a schedule that remain to be played, as jobs for lanes. Pure; starts nothing and writes nothing."""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain, filterfalse, groupby, islice

from msgspec.structs import replace

from arena.formats.schedule import SHORT_CHUNK, Block, Fixture, Unit, chunks, remaining_matches, shared, units_of
from arena.players.launch import Launch
from arena.record import Record, match_key
from arena.referee import Match
from arena.tournament.folder import BrokenRun, Manifest
from arena.tournament.lane_messages import PlayUnit, retired_in_a_row
from arena.tournament.one_round import schedule_of
from arena.tournament.secrets import Secret
from arena.tournament.shard import WHOLE_RUN, Shard
from arena.wire import Limits

_FIRST = 2
"""Blocks that are played to their end before the rest of their chunk, so that there is soon something to watch."""
_SOON = 20.0
"""Seconds that a person waits for that."""


class _Opening:
    """Plays the first blocks of a run in all rotations before the rest of their chunk, if matches are slow."""

    def __init__(self, longest: Callable[[], float]) -> None:
        """``longest`` gives the seconds of the longest match so far."""
        self._longest = longest
        self._rests: list[Unit] = []
        self._over = False
        self.whole: dict[int, Unit] = {}
        """By number the units that were cut."""

    def cut(self, unit: Unit, queue: deque[Unit]) -> Unit:
        """The part of a unit of the first chunk that is played now; the rest goes back into the ``queue``."""
        soon = self._longest() * len(unit.blocks) * (len(unit.blocks[0].seating) - 1) < _SOON
        if self._over or len(unit.blocks) < SHORT_CHUNK or (self._rests and soon):
            queue.extendleft((unit, *reversed(self._rests)))
            self._rests, self._over = [], True
            return queue.popleft()
        self.whole[unit.number] = unit
        self._rests.append(replace(unit, blocks=unit.blocks[_FIRST:]))
        if not queue:
            queue.extend(self._rests)
            self._rests, self._over = [], True
        return replace(unit, blocks=unit.blocks[:_FIRST])


class Remaining:
    """The units of a schedule as jobs for lanes, each cut down to what is not recorded yet."""

    def __init__(
        self,
        manifest: Manifest,
        secrets: Mapping[int, Secret],
        bots: Mapping[str, Launch],
        recorded: Container[str],
        shard: Shard = WHOLE_RUN,
    ) -> None:
        """``recorded`` holds the ids of recorded matches and is looked at again each time a job is made."""
        self._shard = shard
        self._manifest = manifest
        self._limits = limits_of(manifest)
        self._secrets = secrets
        self._bots = bots
        self._recorded = recorded
        self._given_up = manifest.given_up
        self.schedule = schedule_of(manifest, secrets)
        """It is told how matches end."""
        self._offset = (0, 0)
        """How many units and chunks the rounds before the present one had."""
        self.retired: dict[str, frozenset[str]] = {}
        """For each recorded match in which entrants were retired, their names."""

    def _units(self) -> Iterator[Unit]:
        """The units of this shard that are not of earlier rounds."""
        number, of = self._shard.number, self._shard.of
        unit, chunk = self._offset
        epochs = self.schedule.chunks
        if self._shard.by_rotation:
            return islice(units_of(chain.from_iterable(epochs), unit=unit, chunk=chunk), number - 1, None, of)
        share = chain.from_iterable(shared(epoch, number=number, of=of) for epoch in epochs)
        return units_of(share, unit=unit, chunk=chunk)

    def advance(self) -> bool:
        """Move to the first round that is not over; returns whether there is more to play than before.

        Of rounds that are over no jobs are made any more.

        Raises:
            BrokenRun: the format fails.
        """
        further = False
        while over := self.schedule.advance():
            *_, last = units_of(chunks(over), unit=self._offset[0], chunk=self._offset[1])
            self._offset = last.number + 1, last.chunk + 1
            further = True
        return further

    def __iter__(self) -> Iterator[PlayUnit]:
        return (job for job in self.jobs() if job is not None)

    def jobs(
        self,
        *,
        lanes: int = 0,
        room: Callable[[int], float] | None = None,
        playing: Callable[[], Container[int]] | None = None,
        longest: Callable[[], float] | None = None,
        met: Callable[[], Container[bytes]] | None = None,
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
            longest: tells the seconds of the longest match. Where it is given, a new run begins with a job of its first
                blocks alone. If that shows matches to be slow, their other rotations come before the rest of the chunk.
            met: tells the deals that the bots of the lane with room have seen. Where it is given, others come first.
        """
        by_chunk: Iterator[deque[Unit]] = (deque(units) for _, units in groupby(self._units(), lambda unit: unit.chunk))
        ahead: Iterator[deque[Unit]] = filterfalse(self._is_over, by_chunk)
        fresh: deque[deque[Unit]] = deque()
        """The next chunks that are not begun: as many as there are lanes."""
        begun: list[deque[Unit]] = []
        latest: dict[int, PlayUnit] = {}
        """The latest job of each chunk that is begun."""
        opening = None if longest is None or self._recorded or self._shard.of > 1 else _Opening(longest)
        while True:
            fresh.extend(islice(ahead, max(0, max(1, lanes) - len(fresh))))
            free = [queue for queue in begun if self._is_free(latest.get(queue[0].chunk), playing)]
            if met is not None and room is None:
                deals = met()
                new = [queue for queue in free if not _has_met(latest.get(queue[0].chunk), deals)]
                free = new if new or fresh else free
            last = room is None and len(fresh) < lanes
            chunk = max(free, key=len) if free and last else next(iter(free), None)
            if fresh and (chunk is None or (last and len(fresh[0]) > len(chunk))):
                waiting = sum(len(remaining_matches(unit, self._recorded)) for queue in begun for unit in queue)
                chunk, rest = self._that_fit(fresh.popleft(), None if room is None else room(waiting))
                if rest:
                    # if no block of this chunk fits, no block of a later chunk fits
                    if chunk:
                        fresh.appendleft(rest)
                    else:
                        fresh, ahead = deque(), iter(())
                if chunk:
                    begun.append(chunk)
            if not chunk:
                if begun and playing is not None:
                    yield None
                    continue
                chunk = next(iter(begun), None)
                if not chunk:
                    return
            unit = chunk.popleft()
            if opening is not None and unit.chunk == 0:
                unit = opening.cut(unit, chunk)
            if not chunk:
                begun.remove(chunk)
            if (job := self._rest(unit, opening.whole.get(unit.number) if opening else None)) is not None:
                latest[unit.chunk] = job
                yield job

    def _that_fit(self, chunk: deque[Unit], room: float | None) -> tuple[deque[Unit], deque[Unit]]:
        """The units of a chunk in two: with those blocks that there is room for, and with the others.

        Blocks that are begun come first, with room or without.
        """
        if room is None:
            return chunk, deque()
        blocks = dict.fromkeys(block for unit in chunk for block in unit.blocks)
        selection: set[Block] = set()
        for block in blocks:
            ids = [Fixture(block, unit.rotation).id for unit in chunk if block in unit.blocks]
            lacking = sum(match not in self._recorded and match not in self._given_up for match in ids)
            room -= lacking
            if lacking < len(ids) or room >= 0:
                selection.add(block)
        return self._with(chunk, selection), self._with(chunk, blocks.keys() - selection)

    def _is_over(self, chunk: Iterable[Unit]) -> bool:
        recorded = self._recorded
        # by far the most time of resuming a long run goes here
        return all(
            f"e{block.epoch}b{block.number}r{unit.rotation}" in recorded for unit in chunk for block in unit.blocks
        )

    @staticmethod
    def _with(chunk: Iterable[Unit], blocks: Container[Block]) -> deque[Unit]:
        units = (replace(unit, blocks=tuple([block for block in unit.blocks if block in blocks])) for unit in chunk)
        return deque([unit for unit in units if unit.blocks])

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
            yield from (match.id for match in remaining_matches(unit) if match.id not in self._given_up)

    def rest(self, job: PlayUnit) -> PlayUnit | None:
        """What is left of a job, or None if nothing is."""
        matches = tuple([match for match in job.matches if match.id not in self._recorded])
        return (
            replace(job, matches=matches, retirements=self._retirements(job.matches, job.retirements))
            if matches
            else None
        )

    def _rest(self, unit: Unit, original: Unit | None) -> PlayUnit | None:
        """The job that is left of a unit, or of a part of the ``original`` one; None if nothing is."""
        fixtures = [match for match in remaining_matches(unit, self._recorded) if match.id not in self._given_up]
        if not fixtures:
            return None
        matches = tuple(dealt_match(self._manifest, self._limits, self._secrets, match) for match in fixtures)
        seated = {name for match in fixtures for name in match.bots}
        if absent := sorted(seated - self._bots.keys()):
            raise BrokenRun(
                f"match {fixtures[0].id}: expected bot {absent[0]!r} to play it again, got none that takes part"
            )
        bots = {name: self._bots[name] for name in sorted(seated)}
        return PlayUnit(
            unit=unit.number,
            matches=matches,
            bots=bots,
            retirements=self._retirements(remaining_matches(original or unit), {}),
        )

    def _retirements(self, matches: Iterable[Fixture | Match], before: dict[str, int]) -> dict[str, int]:
        """For each entrant, in how many of its last recorded matches of a unit in a row it was retired."""
        runs = before
        for match in matches:
            if match.id in self._recorded:
                runs = retired_in_a_row(runs, match.bots, self.retired.get(match.id, ()))
        return runs


def _has_met(latest: PlayUnit | None, deals: Container[bytes]) -> bool:
    return latest is not None and latest.matches[0].deal in deals


def limits_of(manifest: Manifest) -> dict[str, Limits]:
    """The limits of each entrant."""
    return {entrant.name: entrant.limits or manifest.limits for entrant in manifest.entrants}


def dealt_match(
    manifest: Manifest, limits: Mapping[str, Limits], secrets: Mapping[int, Secret], match: Fixture | Record
) -> Match:
    """A match, played or not, as the referee is given it; ``limits`` by entrant, ``secrets`` by epoch."""
    epoch, block, rotation = match_key(match.id)
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
        deal=secret.deal(epoch=epoch, block=block, rotation=rotation),
    )
