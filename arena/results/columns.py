"""The journal of a run, read once into columns of numbers. Knows the line of a record; knows no run, file or rating."""

import gc
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Literal

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from arena.fault import Fault
from arena.files import decoder
from arena.game import LARGEST
from arena.numeric import Array, np
from arena.ratings import MeanScores, Outcomes, mean_scores, outcomes_of
from arena.ratings.outcomes import EPOCH, block_number, from_columns
from arena.record import Bots, MatchResult, Ranks, Record, Seconds, decode, encode, fault_in_shape, match_key
from arena.results.measure import Measure
from arena.results.waits import CLASSES, classes_of

VOID = 2
"""A void match in the column ``reason``."""
REASONS: tuple[Literal["finished", "capped", "void"], ...] = ("finished", "capped", "void")
_NONE, _LAST = Raw(b"[]"), 1 << 62
_IDS = re.compile(r"(?:e(?:0|[1-9]\d{0,3})b(?:0|[1-9]\d{0,9})r(?:0|[1-9]\d{0,8}),)*")
_SPACED = str.maketrans("ebr,", "    ")
_NUMBER: dict[str, int] = {reason: number for number, reason in enumerate(REASONS)}


class _Line(Struct, gc=False):
    """The fields of a record that columns are made of; long lists stay text and are parsed for many matches at once."""

    id: str
    bots: Bots
    ranks: Ranks
    scores: tuple[int | float, ...]
    reason: str
    seconds: Seconds = 0.0
    picks: Raw = _NONE
    seats_asked: Raw = _NONE
    micros: Raw = _NONE
    charged: Raw = _NONE
    faults: tuple[Fault, ...] = ()
    retired: tuple[int, ...] = ()
    burnt: tuple[int, ...] = ()
    why: str = ""


_decode = decoder(_Line)
_TOGETHER = 4096


class Rare(Struct, frozen=True):
    """What few matches have."""

    faults: tuple[Fault, ...] = ()
    retired: tuple[int, ...] = ()
    why: str = ""


_PLAIN = Rare()


class Columns(Struct, frozen=True, eq=False, kw_only=True):
    """Matches in the order in which they were finished, a row each; by seat a column each, -1 beyond the last seat."""

    line: Array
    """Its line in the journal."""
    number: Array
    """Its number: that of its line, without the void matches before it that were played again."""
    block: Array
    rotation: Array
    bots: Array
    """By seat the place of the bot among ``Results.bots``."""
    ranks: Array
    scores: Array
    seats: Array
    reason: Array
    """Its place in ``REASONS``."""
    seconds: Array
    decisions: Array
    moves: Array
    """A hash of who sat where, what was picked and how it ended."""
    start: Array
    """The byte of the journal at which it begins; ``size`` is its length with the newline."""
    size: Array


class Match(MatchResult, frozen=True, kw_only=True):
    """A row of the columns."""

    number: int
    seconds: float
    decisions: int


class Clock(Struct):
    """The answering times of one bot, in microseconds."""

    waits: Array = field(default_factory=lambda: np.zeros(CLASSES, np.int64))
    """How often it was waited for how long, see ``arena.results.waits``."""
    spoilt: Array = field(default_factory=lambda: np.zeros(CLASSES, np.int64))
    """Those of them in which no picks came in time."""
    waited: int = 0
    """All of them together."""
    faulted: int = 0
    """Decisions in which no picks came in time, waited for or not; in ``late`` of them they came late."""
    late: int = 0
    longest: int = -1
    """The longest answer that came in time, and where the first such was."""
    line: int = -1
    decision: int = -1
    burnt: int = 0
    """Of the processor that it used on others' time, at least."""


class Results:
    """The matches of a run so far. ``bots`` are all that may sit in them."""

    def __init__(self, bots: Iterable[str], *, without: Collection[str] = (), void: Collection[str] = ()) -> None:
        """Begin with none. Matches of the bots to do ``without``, and those ``void`` by a ruling, are only counted."""
        self.bots = tuple(bots)
        self.clocks = [Clock() for _ in self.bots]
        self.rare: dict[int, Rare] = {}
        """By line."""
        self.left_out = 0
        self.ruled_out = 0
        self._void = frozenset(void)
        self.asked = 0
        """Questions that were really asked."""
        self._indices = {name: index for index, name in enumerate(self.bots)}
        self._without = np.array([name in without for name in self.bots] or [False])
        self._lines = self._end = 0
        self._standing: dict[str, int] = {}
        """By id the line of each void match that has no later record."""
        self._superseded: list[int] = []
        self._pieces: list[dict[str, Array]] = []
        self._columns: Columns | None = None

    def take(self, lines: Sequence[bytes]) -> None:
        """Take in the next lines of the journal.

        Raises:
            msgspec.DecodeError: one is no record of this version.
            ValueError: one is not whole, or names another bot.
        """
        collects = gc.isenabled()
        gc.disable()  # nothing that is decoded makes circles
        try:
            self._take(lines, list(map(_decode, lines)))
        except (KeyError, ValueError, OverflowError, DeprecationWarning):
            # what is not as arena writes it is looked at one by one: it is refused in words, or written again
            plain = [encode(self._judged(line)) for line in lines]
            self._take(plain, list(map(_decode, plain)), sizes=[len(line) + 1 for line in lines])
        finally:
            if collects:
                gc.enable()

    def add(self, records: Iterable[Record]) -> None:
        """Take in matches that are in no journal; of those that tell no times nobody was waited for.

        Raises:
            ValueError: as ``take``.
        """
        source = iter(records)
        while some := list(islice(source, _TOGETHER)):
            self.take([encode(_timed(record)) for record in some])

    def _judged(self, line: bytes) -> Record:
        record = decode(line)
        if wrong := fault_in_shape(record):
            raise ValueError(f"{record.id}: {wrong}")
        if unknown := sorted({*record.bots} - self._indices.keys()):
            raise ValueError(f"{record.id}: expected bots of {', '.join(self.bots)}, got {', '.join(unknown)}")
        block_number_of(record.id)
        outcomes_of([(0, record.bots, record.ranks)])
        decisions = len(record.micros)
        if late := [fault.decision for fault in record.faults if fault.decision >= decisions > 0]:
            raise ValueError(f"{record.id}: expected {decisions} decisions, got a fault in {late[0]}")
        return record

    def _take(self, lines: Sequence[bytes], matches: list[_Line], *, sizes: Sequence[int] = ()) -> None:
        """Take in matches of these lines; nothing is changed if something is wrong.

        Raises:
            KeyError, ValueError, OverflowError, DeprecationWarning: see ``take``.
        """
        if not matches:
            return
        number = len(matches)
        joined = ",".join([match.id for match in matches]) + ","
        if _IDS.fullmatch(joined) is None:
            raise ValueError("expected match ids")
        ids = np.fromstring(joined.translate(_SPACED).strip(), np.int64, sep=" ").reshape(number, 3)
        seats = np.fromiter(map(len, [match.bots for match in matches]), np.int64, number)
        width = int(seats.max())
        cells = _cells(seats, width)

        def table(values: Iterator[float]) -> Array:
            flat = np.array(list(values))
            if len(flat) != len(cells) or np.abs(flat).max(initial=0) > LARGEST:
                raise ValueError("expected a number a seat")
            grid = np.full(number * width, -1, flat.dtype)
            grid[cells] = flat
            return _narrow(grid.reshape(number, width))

        bots = table(map(self._indices.__getitem__, chain.from_iterable([match.bots for match in matches])))
        ranks = table(chain.from_iterable([match.ranks for match in matches]))
        scores = table(chain.from_iterable([match.scores for match in matches]))
        in_order = np.sort(bots, axis=1)
        if seats.min() < 2 or ((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)).any():  # noqa: PLR2004 - nobody is better than nobody
            raise ValueError("expected two bots or more, each once")
        reason = np.fromiter(map(_NUMBER.__getitem__, [match.reason for match in matches]), np.int8, number)
        picks = [bytes(match.picks) for match in matches]
        decisions, micros, deciders = _decisions(matches, picks, seats)
        rare = _rare(matches, seats, decisions)
        burnt = [(index, match) for index, match in enumerate(matches) if match.burnt]
        if any(len(match.burnt) != seats[index] for index, match in burnt):
            raise ValueError("expected what is burnt by seat")
        without: Array = np.any(self._without[bots] & (bots >= 0), axis=1)
        left_out: Array = without | [match.id in self._void for match in matches] if self._void else without
        counted = ~left_out & (reason != VOID)
        # from here on nothing can be wrong
        for position, match in burnt:
            for bot, value in zip(match.bots, match.burnt if counted[position] else (), strict=False):
                self.clocks[self._indices[bot]].burnt += value
        self._time(micros, deciders, decisions, bots=bots, counted=counted, rare=rare)
        for position, match in rare:
            if not left_out[position]:
                self.rare[self._lines + position] = Rare(match.faults, match.retired, match.why)
        if self._standing or (reason == VOID).any():
            self._supersede(matches)
        length = np.array(sizes) if sizes else np.fromiter(map(len, lines), np.int64, number) + 1
        start = self._end + np.cumsum(length) - length
        moves = [
            hash((match.bots, text, match.ranks, match.scores)) for match, text in zip(matches, picks, strict=True)
        ]
        piece = {
            "line": np.arange(self._lines, self._lines + number),
            "block": ids[:, 0] << EPOCH | ids[:, 1],
            "rotation": _narrow(ids[:, 2]),
            "bots": bots,
            "ranks": ranks,
            "scores": scores,
            "seats": _narrow(seats),
            "reason": reason,
            "seconds": np.fromiter([match.seconds for match in matches], float, number),
            "decisions": _narrow(decisions),
            "moves": np.array(moves, np.int64),
            "start": start,
            "size": _narrow(length),
        }
        if left_out.any():
            piece = {name: column[~left_out] for name, column in piece.items()}
        self._pieces.append(piece)
        self.left_out += int(without.sum())
        self.ruled_out += int((left_out & ~without).sum())
        self._lines += number
        self._end += int(length.sum())
        self._columns = None

    def _time(
        self,
        micros: Array,
        deciders: Array,
        times: Array,
        *,
        bots: Array,
        counted: Array,
        rare: Sequence[tuple[int, _Line]],
    ) -> None:
        """Count the times of decisions, which are not kept."""
        starts = np.cumsum(times) - times
        of_match = np.repeat(np.arange(len(times)), times)
        bot = bots[of_match, deciders].astype(np.int64)
        here = (micros >= 0) & counted[of_match]
        self.asked += int(here.sum())
        size = len(self.bots)
        waits = np.bincount(bot[here] * CLASSES + classes_of(micros[here]), minlength=size * CLASSES)
        waited = np.bincount(bot[here], micros[here], size)
        for clock, of_bot, total in zip(self.clocks, waits.reshape(size, CLASSES), waited.tolist(), strict=True):
            clock.waits += of_bot
            clock.waited += int(total)
        answered = np.where(here, micros, -1)
        for index, match in rare:
            for fault in match.faults if counted[index] and times[index] else ():
                if fault.kind == "illegal" or fault.decision < 0:
                    continue
                clock, place = self.clocks[self._indices[match.bots[fault.seat]]], int(starts[index] + fault.decision)
                clock.faulted += 1
                clock.late += fault.kind == "late"
                if answered[place] >= 0:
                    self.clocks[int(bot[place])].spoilt[int(classes_of(micros[place : place + 1])[0])] += 1
                    answered[place] = -1
        longest = np.full(size, -1)
        np.maximum.at(longest, bot, answered)
        for index, clock in enumerate(self.clocks):
            if longest[index] > clock.longest:
                place = int(np.argmax((answered == longest[index]) & (bot == index)))
                clock.longest, clock.line = int(longest[index]), self._lines + int(of_match[place])
                clock.decision = place - int(starts[of_match[place]])

    def _supersede(self, matches: Sequence[_Line]) -> None:
        """Find the void matches that a later record of the same match replaces."""
        for line, match in enumerate(matches, self._lines):
            if match.id in self._standing:
                self._superseded.append(self._standing.pop(match.id))
            if match.reason == REASONS[VOID]:
                self._standing[match.id] = line

    @property
    def columns(self) -> Columns:
        """All matches, but for those that were left out and void ones that were played again."""
        if self._columns is None:
            self._pieces = [_joined(self._pieces)]
            superseded = np.sort(np.array(self._superseded, np.int64))
            piece = self._pieces[0]
            number = piece["line"] - np.searchsorted(superseded, piece["line"])
            if len(superseded):
                stands = ~np.isin(piece["line"], superseded)
                number, piece = number[stands], {name: column[stands] for name, column in piece.items()}
            self._columns = Columns(number=number, **piece)
        return self._columns

    @property
    def played(self) -> Array:
        """By row whether the match was played: a void one was not."""
        played: Array = self.columns.reason != VOID
        return played

    @property
    def voids(self) -> int:
        """How many matches are void."""
        return int((~self.played).sum())

    def outcomes(self, *, nights: bool = False) -> Outcomes:
        """How the matches that were played ended; with ``nights`` the epochs are those of a league."""
        rows, columns = self.played, self.columns
        order = sorted(range(len(self.bots)), key=self.bots.__getitem__)
        place = np.full(len(order) + 1, -1)
        place[order] = np.arange(len(order))
        names = [self.bots[bot] for bot in order]
        voids = [tuple([self.bots[bot] for bot in bots if bot >= 0]) for bots in columns.bots[~rows].tolist()]
        played = from_columns(
            names, bots=place[columns.bots[rows]], ranks=columns.ranks[rows], blocks=columns.block[rows]
        )
        return replace(played, voids=tuple(voids), nights=nights)

    def mean_scores(self, measure: Measure, *, nights: bool = False, until: int = _LAST) -> MeanScores | None:
        """The mean scores of the blocks ``until`` one; None where they do not count, and before the first match."""
        if not measure.by_score or not len(outcomes := self.outcomes(nights=nights).until(until)):
            return None
        rows, columns = self.played & (self.columns.block <= until), self.columns
        place_of = {name: index for index, name in enumerate(outcomes.names)}
        place = np.array([*(place_of.get(name, -1) for name in self.bots), -1])
        bots, scores, blocks = place[columns.bots[rows]], columns.scores[rows], columns.block[rows]
        return mean_scores(outcomes, bots=bots, scores=scores, blocks=blocks, span=measure.span, bounds=measure.bounds)

    def matches(self, rows: Array) -> Iterator[Match]:
        """The matches of these rows."""
        columns, names = self.columns, self.bots
        mask = (1 << EPOCH) - 1
        for start in range(0, len(rows), _TOGETHER):
            part = rows[start : start + _TOGETHER]
            lists = [column[part].tolist() for column in (
                *(columns.line, columns.number, columns.block, columns.rotation, columns.bots, columns.ranks),
                *(columns.scores, columns.seats, columns.reason, columns.seconds, columns.decisions),
            )]  # fmt: skip
            for line, number, block, rotation, bots, ranks, scores, seats, reason, seconds, decisions in zip(
                *lists, strict=True
            ):
                rare = self.rare.get(line, _PLAIN)
                yield Match(
                    number=number,
                    game="",
                    version="",
                    id=f"e{block >> EPOCH}b{block & mask}r{rotation}",
                    bots=tuple([names[bot] for bot in bots[:seats]]),
                    ranks=tuple(ranks[:seats]),
                    scores=tuple(scores[:seats]),
                    reason=REASONS[reason],
                    seconds=seconds,
                    decisions=decisions,
                    faults=rare.faults,
                    retired=rare.retired,
                    why=rare.why,
                )

    def match(self, row: int) -> Match:
        """The match of one row."""
        return next(self.matches(np.array([row])))

    def rare_matches(self, *, void: bool = False) -> Iterator[tuple[int, Match]]:
        """The rows of matches that have faults or retired seats, and the matches; of void ones too only if asked."""
        columns = self.columns
        rows = np.flatnonzero(np.isin(columns.line, np.fromiter(self.rare, np.int64, len(self.rare))))
        if not void:
            rows = rows[columns.reason[rows] != VOID]
        return zip(rows.tolist(), self.matches(rows), strict=True)


def _timed(record: Record) -> Record:
    if record.micros or not record.picks:
        return record
    # a short record has one hash for all picks, and its faults are in decisions beyond that
    number = max(len(record.picks), *[fault.decision + 1 for fault in record.faults], 0)
    picks = (*record.picks, *[()] * (number - len(record.picks)))
    return replace(record, picks=picks, seats_asked=record.seats_asked or (0,) * number, micros=(-1,) * number)


def block_number_of(match: str) -> int:
    """The block of a match as one number, see ``arena.ratings.outcomes.block_number``.

    Raises:
        ValueError: its id is no match id.
    """
    epoch, block, _ = match_key(match)
    return block_number(epoch=epoch, block=block)


def _decisions(matches: Sequence[_Line], picks: Sequence[bytes], seats: Array) -> tuple[Array, Array, Array]:
    """How many decisions each match has; and the time and the seat of each decision."""
    decisions = np.fromiter([text.count(b"[") - 1 for text in picks], np.int64, len(matches))
    micros, times = _numbers([match.micros for match in matches])
    deciders, seats_asked = _numbers([match.seats_asked for match in matches])
    charged = [index for index, match in enumerate(matches) if match.charged != _NONE]
    of_charged = _numbers([matches[index].charged for index in charged])[1]
    if (
        (times != decisions).any()
        or (seats_asked != decisions).any()
        or (of_charged != decisions[np.array(charged, np.int64)]).any()
        or ((deciders < 0) | (deciders >= np.repeat(seats, seats_asked))).any()
        or np.abs(micros).max(initial=0) > LARGEST
    ):
        raise ValueError("expected a seat and a time a decision")
    return decisions, micros, deciders


def _rare(matches: Sequence[_Line], seats: Array, decisions: Array) -> list[tuple[int, _Line]]:
    """The matches that have faults, retired seats or a reason why they are void."""
    rare = [(index, match) for index, match in enumerate(matches) if match.faults or match.retired or match.why]
    for position, match in rare:
        if not all(
            0 <= seat < seats[position] for seat in chain(match.retired, [fault.seat for fault in match.faults])
        ):
            raise ValueError("expected faults and retired seats of the match")
        if decisions[position] and any(fault.decision >= decisions[position] for fault in match.faults):
            raise ValueError("expected faults in decisions of the match")
    return rare


def _cells(seats: Array, width: int) -> Array:
    """Where the seats of each match lie in a table of this width."""
    rows = np.repeat(np.arange(len(seats)), seats)
    cells: Array = rows * width + np.arange(len(rows)) - np.repeat(np.cumsum(seats) - seats, seats)
    return cells


def _numbers(texts: Sequence[Any]) -> tuple[Array, Array]:
    """The numbers of JSON lists one after the other, and how many each list has."""
    joined = b"".join(texts)
    text = np.frombuffer(joined, np.uint8)
    ends = np.flatnonzero(text == ord("]"))
    if len(ends) != len(texts):
        raise ValueError("expected flat lists")
    commas = np.searchsorted(np.flatnonzero(text == ord(",")), ends)
    counts = np.diff(commas, prepend=0) + (text[ends - 1] != ord("["))
    flat = joined.replace(b"[]", b"").replace(b"][", b",").strip(b"[]")
    numbers = np.fromstring(flat, np.int64, sep=",") if flat else np.zeros(0, np.int64)
    if len(numbers) != counts.sum():
        raise ValueError("expected lists of whole numbers")
    return numbers, counts


def _narrow(numbers: Array) -> Array:
    """The same numbers, whole ones in as few bytes as hold them."""
    if numbers.dtype.kind == "f":
        return numbers
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return numbers.astype(kind)
    return numbers


def _joined(pieces: list[dict[str, Array]]) -> dict[str, Array]:
    """The columns of these pieces, which are emptied."""
    tables = ("bots", "ranks", "scores")
    if not pieces:
        names = [name for name in Columns.__struct_fields__ if name != "number"]
        return {name: np.zeros((0, 2) if name in tables else 0, np.int64) for name in names}
    width = max(piece["bots"].shape[1] for piece in pieces)
    columns = {}
    for name in list(pieces[0]):
        parts = [piece.pop(name) for piece in pieces]
        if name in tables:
            parts = [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=-1) for part in parts]
        columns[name] = np.concatenate(parts)
    return columns
