"""What answers of a bot cost in matches that it lost: a stronger bot is asked the same, and both answers are played on.

First all decisions are looked at in a hurry. Then those that seem to cost most are measured on fresh imagined states:
what was chosen for its luck has none the second time. Starts no process of a bot; writes nothing.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from math import floor, log, sqrt
from random import Random
from statistics import fmean, stdev
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from arena import wire
from arena.bot import Decision, indexes
from arena.errors import BotError, UsageError, nearest
from arena.game import Game, Seat, State, seen_by
from arena.numeric import np
from arena.ratings import CONFIDENCE_LEVEL, NO_CORRECTION, ScoreBets
from arena.record import Record
from arena.report import MEASURED_ANSWERS, OtherBot, Review, ReviewedAnswer, score_span, spread_answers
from arena.results import count_places, find_matches_of
from arena.retelling import retell
from arena.selfplay.play import player_named, start_of, traced
from arena.selfplay.players import Policy, searcher
from arena.selfplay.pool import Begin, DoJob, done_by
from arena.tournament import RunFolder, Secret, count_lanes, deal_again, find_game, records_at, results_of, score_bounds
from arena.wire import DEFAULT_LIMITS
from arena.words import plural

LEAST = 5.0
"""Seconds that a review takes at least."""
_SKIM = 0.4
"""The share of the time for the first look; and of a measurement, for the answer of the stronger bot."""
_QUICK, _SLOW = 0.04, 0.5
"""Seconds for a decision at the first look, at least and at most."""
_STATES, _MOST_STATES = 200, 4000
"""Imagined states for a decision at most: at the first look, and when it is measured."""
_GRID = 500
"""Gains are rounded to such parts of 1, against the claim, so that equal ones can be counted."""
_END = 0.5
"""Seconds that are kept for the end."""

Say: TypeAlias = Callable[[str], None]
_Match: TypeAlias = tuple[int, Record, Seat]
"""Number, record, and the seat that is reviewed."""


class _Job(NamedTuple):
    """Look at all decisions of a match, or measure one of so many ``claims`` that are to hold together.

    No question is begun after ``until``; each has so many seconds, and its answers are played on in so many states.
    """

    match: int
    until: float
    seconds: float
    states: int
    decision: int = -1
    claims: int = 0


def review(
    folder: RunFolder, *, bot: str, by: Policy, within: float, say: Say, progress: Callable[[float], None]
) -> Review:
    """Review the matches that a bot lost, for at most so many seconds; the run may be unfinished.

    ``progress`` is told the seconds that have gone by.

    Raises:
        UsageError: there is no run or no such bot, its game is not here, or the time is too short.
        BotError: ``by`` raised an error, or gave an illegal answer.
        DamagedError: a record is not of the run, or a deal is not told here.
    """
    began = monotonic()
    if within < LEAST:
        raise UsageError(f"expected at least {LEAST:g}s, got {within:g}s", option="within")
    manifest = folder.manifest()
    names = [entrant.name for entrant in manifest.entrants if not entrant.withdrawn]
    if bot not in names:
        raise UsageError(f"expected a bot of {', '.join(names)}, got {bot!r}{nearest(bot, names)}", option="bot")
    game, secrets = find_game(manifest.game), folder.secrets_of(manifest)
    score_bounds(game, game.objective, manifest.variants)
    results, processes = results_of(folder), count_lanes()
    rows, seats = find_matches_of(results, bot)
    ahead = count_places(results.columns.ranks[rows])[0][np.arange(len(rows)), seats]
    # the worst places first, those of a place in any order
    order = np.random.default_rng(0).permutation(len(rows))
    order = order[np.argsort(-(ahead / (results.columns.seats[rows] - 1))[order], kind="stable")]
    lost = order[ahead[order] > 0]
    room = _SKIM * (within - (monotonic() - began) - _END) * processes
    matches: list[_Match] = []
    decisions = 0
    for row, record in zip(lost.tolist(), records_at(folder, results, rows[lost].tolist()), strict=True):
        # where both answer the same, it takes less than that
        if matches and decisions * _QUICK >= 2 * room:
            break
        matches.append((int(results.columns.number[rows[row]]), record, int(seats[row])))
        decisions += len(_list_answers(record, int(seats[row])))
    guide = searcher(game).guide
    summary = Review(
        run=str(folder.path), game=game.name, bot=bot, by=by.name, matches=len(rows), lost=len(lost),
        chosen=len(matches), decisions=decisions, guided=bool(guide.policy or guide.quick),
        unit="places" if game.objective == "place" else "points",
    )  # fmt: skip
    if not decisions:
        return summary
    say(
        f"{bot} lost {len(lost)} of {plural(len(rows), 'match')}: "
        f"looking at {plural(decisions, 'decision')} in {len(matches)} of them, "
        f"for at most {within:g} s, in {plural(processes, 'process')}"
    )
    ends = began + within - _END
    done = partial(_done, partial(_begin, game.name, by, matches, secrets), processes)
    until, quick = monotonic() + _SKIM * (ends - monotonic()), min(max(room / decisions, _QUICK), _SLOW)
    looked: list[ReviewedAnswer] = []
    jobs = [_Job(match, until=until, seconds=quick, states=_STATES) for match in range(len(matches))]
    for (_, record, seat), answers in zip(matches, done(jobs), strict=True):
        numbers = _list_answers(record, seat)
        looked += [answer for answer in answers if answer.decision in numbers]
        progress(monotonic() - began)
    dear = sorted((answer for answer in looked if answer.cost > 0), key=lambda answer: -answer.low)
    sample, sorts = spread_answers(dear, MEASURED_ANSWERS), Counter(answer.sort for answer in dear if answer.sure)
    # as many turns as each process has
    seconds = (ends - monotonic()) / max(-(-len(sample) // processes), 1)
    place = {number: match for match, (number, _, _) in enumerate(matches)}
    jobs = [
        _Job(
            place[rough.match], until=ends, seconds=seconds, states=_MOST_STATES, decision=rough.decision,
            claims=len(sample),
        )
        for rough in sample
    ]  # fmt: skip
    measured: list[ReviewedAnswer] = []
    for rough, answers in zip(sample, done(jobs), strict=True):
        # asked again, the stronger bot may answer the same
        measured += [replace(answer, alike=sorts[rough.sort] - rough.sure) for answer in answers if answer.states]
        progress(monotonic() - began)
    differing = sum(answer.answer != answer.better for answer in looked)
    measured.sort(key=lambda answer: (not answer.sure, -answer.cost))
    return replace(summary, looked=len(looked), differing=differing, answers=tuple(measured))


def also_asked(
    folder: RunFolder,
    record: Record,
    by: Policy,
    *,
    seat: Seat | None,
    wanted: Callable[[int], bool] | None,
    within: float,
    say: Say,
) -> OtherBot:
    """What a bot picks at the ``wanted`` decisions of a match, or of a seat, as far as it gets in so many seconds.

    Raises:
        BotError, DamagedError: as ``review``.
    """
    seats, processes, ends = (
        range(len(record.bots)) if seat is None else (seat,),
        count_lanes(),
        monotonic() + within,
    )
    due = [
        [decision for decision in _list_decisions(record, who) if wanted is None or wanted(decision)] for who in seats
    ]
    counts = list(map(len, due))
    say(f"asking {by.name} {plural(sum(counts), 'question')}, for at most {within:g} s")
    begin = partial(_begin, record.game, by, [(0, record, who) for who in seats], folder.secrets_of(folder.manifest()))
    seconds = min(within / max(*counts, sum(counts) / processes, 1), _SLOW)
    # one by one they take a match each; all of a seat take one
    by_seat = [(place, [-1] if wanted is None else numbers) for place, numbers in enumerate(due)]
    jobs = [
        _Job(place, until=ends, seconds=seconds, states=0, decision=number)
        for place, numbers in by_seat
        for number in numbers
    ]
    answered = _done(begin, processes, jobs)
    return OtherBot(by.name, {answer.decision: answer.picks for answers in answered for answer in answers})


def _list_decisions(record: Record, seat: Seat) -> list[int]:
    """The decisions that a seat was really asked."""
    due = enumerate(zip(record.seats_asked, record.micros, strict=True))
    return [decision for decision, (respondent, micros) in due if respondent == seat and micros >= 0]


def _list_answers(record: Record, seat: Seat) -> set[int]:
    """Those of them that it answered in time and by the rules."""
    return set(_list_decisions(record, seat)) - {fault.decision for fault in record.faults}


def _done(begin: Begin, processes: int, jobs: Sequence[_Job]) -> Iterator[list[ReviewedAnswer]]:
    processes, packed = min(processes, len(jobs)), map(_encode, jobs)
    start = start_of(begin) if processes > 1 else None
    if start is None:
        yield from map(_decode, map(begin(), packed))
        return
    with closing(done_by(start, jobs=packed, processes=processes)) as done:
        yield from map(_decode, done)


def _begin(game: str, by: Policy, matches: Sequence[_Match], secrets: dict[int, Secret]) -> DoJob:
    gc.freeze()
    return _Judge(find_game(game), by, matches, secrets).answers


class _Judge:
    def __init__(self, game: Game, by: Policy, matches: Sequence[_Match], secrets: dict[int, Secret]) -> None:
        self._game, self._by, self._matches, self._secrets = game, by.name, matches, secrets
        self._search, self._player = searcher(game), player_named(by.name, {by.name: by})

    def answers(self, packed: bytes) -> bytes:
        job = _decode_job(packed)
        match, answers = self._matches[job.match], list[ReviewedAnswer]()
        _, record, seat = match
        numbers = [job.decision] if job.decision >= 0 else _list_decisions(record, seat)
        for index, decision in questions(record, deal_again(self._secrets, record)[1], seat, numbers, job):
            if monotonic() >= job.until:
                break
            answers.append(self._weighed(match, index, decision, job))
        return _encode(answers)

    def _weighed(self, match: _Match, index: int, decision: Decision[Any], job: _Job) -> ReviewedAnswer:
        """The recorded answer to a question and that of the stronger bot, with what they differ by."""
        (number, record, seat), began = match, monotonic()
        original, picks = record.picks[index], self._ask(decision, f"(match {record.id}, decision {index})")
        gains: list[float] = []
        if job.states and decision.take(picks) != decision.take(original):
            ends = min(job.until, began + job.seconds) if job.claims else monotonic() + job.seconds / 2
            gains = self._search.gains(
                decision,
                decision.observation,
                (picks, original),
                seat=seat,
                deadline=ends,
                most=job.states,
                rng=decision.rng,
            )
        worth: float = len(record.bots) - 1
        if bounds := score_bounds(self._game, self._game.objective, record.variants):
            worth = score_span(bounds, len(record.bots))
            gains = [gain / worth for gain in gains]
        cost = fmean(gains or [0.0]) * worth
        error = stdev(gains) / sqrt(len(gains)) * worth if len(gains) > 1 else cost
        low, high = _range(gains, worth, job.claims) if job.claims else (cost - error, cost + error)
        question = self._game.question
        return ReviewedAnswer(
            match=number,
            id=record.id,
            seat=seat,
            decision=index,
            question=question(decision.observation) if question else "Picks?",
            answer=_words(decision, original),
            better=_words(decision, picks),
            picks=picks,
            states=len(gains),
            cost=round(cost, 4),
            low=low,
            high=high,
        )

    def _ask(self, decision: Decision[Any], where: str) -> tuple[int, ...]:
        try:
            self._player.begin(decision.hello)
            picks = indexes(self._player.decide(decision))
        except (Exception, SystemExit) as error:
            raise BotError(f"bot {self._by}: expected an answer, got {traced(error)} {where}") from error
        if wrong := decision.fault_in(picks):
            raise BotError(f"bot {self._by}: {wrong} {where}")
        return picks


def questions(
    record: Record, state: State, seat: Seat, numbers: Sequence[int], job: _Job
) -> Iterator[tuple[int, Decision[Any]]]:
    """These questions to a seat, each as if it were asked nothing else; the state moves along.

    The events are all that the seat saw before.
    """
    time = max(int(1000 * job.seconds * (_SKIM if job.claims else 1)), 1)
    events: list[Any] = []
    before = state.copy()
    for step in retell(record, state):
        for index, who in enumerate(step.pending.seats, step.first):
            if who == seat and index in numbers:
                # each look has dice of its own, and so states that no other look has seen
                rng = Random(f"{record.id} {index} {job.claims}")  # noqa: S311 - dice of a game
                hello = wire.Hello(
                    protocol=wire.PROTOCOL, match=record.id, game=record.game, version=record.version,
                    variants=record.variants, seat=seat, seats=len(record.bots), seed=rng.getrandbits(32),
                    limits=replace(DEFAULT_LIMITS, move=time),
                )  # fmt: skip
                decision, observation = step.pending.decisions[seat], before.observe(seat)
                yield index, Decision(
                    decision.options, decision.least, decision.most,
                    observation=observation, events=tuple(seen_by(seat, events)), time=time, hello=hello, rng=rng,
                )  # fmt: skip
        events += step.events
        before = state.copy()


def _words(decision: Decision[Any], picks: Sequence[int]) -> str:
    return ", ".join(map(str, decision.take(picks))) or "nothing"


def _range(gains: Sequence[float], worth: float, claims: int) -> tuple[float, float]:
    """Of the mean gain times ``worth``, in hundredths: so many hold together, whatever gains are, whenever one stops.

    By bets on either side (``arena.ratings.bets``): against a mean that is true they seldom win ``2 claims / 0.05``.
    """
    ends = []
    for sign in (1, -1):
        side = ScoreBets((), bounds=())
        for gain in gains:
            side.add(floor(sign * gain * _GRID) / _GRID, NO_CORRECTION)
        ends.append(sign * floor(100 * worth * side.end(log(2 * claims / (1 - CONFIDENCE_LEVEL)))) / 100)
    return ends[0], ends[1]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[ReviewedAnswer]).decode
_decode_job = msgspec.msgpack.Decoder(_Job).decode
