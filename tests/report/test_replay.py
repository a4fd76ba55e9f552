"""A match as a replay: all positions, questions, answers and events, and for one seat only what it was sent."""

import json
import re

import msgspec
import pytest
from msgspec.structs import replace

from arena.fault import Fault
from arena.game import Whisper
from arena.games import names
from arena.games.dockfight.events import Build, Dock, Stop
from arena.games.lure.events import Caught, Draw
from arena.report.replay import Move, Replay
from arena.report.telling import caption, tell
from arena.retelling import Differs, retell
from arena.view import together
from tests.report.matches import match

GAMES = sorted(names())
every_game = pytest.mark.parametrize("name", GAMES)


@every_game
def test_it_tells_all(name: str) -> None:
    """Positions are what the seats saw, moves are what the record says, down to each option and event."""
    played = match(name)
    replay = tell(played.record, played.game, played.state, number=7, limit=250)
    state, seats = played.state, range(len(played.record.bots))
    assert played.game.view
    assert len(replay.positions) == len(replay.moves) + 1
    steps = retell(played.record, state)
    for position, move in enumerate(replay.moves):
        tables = [played.game.view(state.observe(seat)) for seat in seats]
        assert [replay.table(position, seat=seat) for seat in seats] == tables
        assert replay.table(position) == together(tables)
        assert replay.positions[position].scores == state.standing().scores
        step = next(steps)
        asked = [seat for seat, decision in sorted(step.pending.decisions.items()) if not decision.forced]
        assert [each.seat for each in move.asked] == asked
        assert (move.first, move.count) == (step.first, len(asked))
        numbers = [each.decision for each in move.asked]
        assert numbers == list(range(move.first, move.beyond))
        assert [replay.position(number) for number in numbers] == [position] * len(numbers)
        for each in move.asked:
            decision = step.pending.decisions[each.seat]
            assert each.options == tuple(map(str, decision.options))
            assert tuple(decision.options[pick] for pick in each.picks) == step.chosen[each.seat]
            assert each.question == tables[each.seat].question != ""
            assert each.micros == 1000
        told = [event if isinstance(event, Whisper) else Whisper((), event) for event in step.events]
        assert [said.text for said in move.events] == [str(each.event) for each in told]
        assert [said.seats or () for said in move.events] == [each.seats for each in told]
    assert next(steps, None) is None
    assert replay.positions[-1].scores == played.record.scores
    assert (replay.number, replay.limit, replay.seat) == (7, 250, None)


@every_game
def test_captions(name: str) -> None:
    """A move with a public event has a caption in one line, of what weighs most; what one seat alone saw is in none."""
    played = match(name)
    for step in retell(played.record, played.state):
        told = [event for event in step.events if not isinstance(event, Whisper)]
        words = caption(step.events)
        assert bool(words) == bool(told)
        assert "\n" not in words
        assert len(words) <= 160 or len(told) == 1 or sum(event.weight > 1 for event in told) == 1, words
        heaviest = max(told, key=lambda event: event.weight, default=None)
        assert heaviest is None or re.sub(r"^seat \d+ ", "", str(heaviest)) in words
        assert caption([event for event in step.events if isinstance(event, Whisper)]) == ""


def test_a_subject_is_said_once() -> None:
    """What one seat does in a row is one clause after the other; upkeep is told only where there is nothing else."""
    stop, build, dock = Stop(0, (3, 5)), Build(0, 3), Dock(1)
    assert caption([stop, build, dock]) == (
        "seat 0 STOPs and banks Days 3, 5, builds a set of Day 3; Fisherman Frank leaves seat 1 for the DOCK"
    )
    assert caption([Draw(0), Caught(2, "Pike", 5)]) == "seat 2 catches Pike for 5 VP"
    assert caption([Draw(0), Draw(1)]) == "seat 0 draws a lure"


@every_game
def test_one_seat_is_told_what_it_was_sent(name: str) -> None:
    """A replay for one seat has its sights, its questions and what it heard, nobody's name, and no standing."""
    played = match(name)
    whole = tell(played.record, played.game, played.state, number=0)
    for seat in range(len(played.record.bots)):
        replay = tell(played.record, played.game, played.state, number=0, seat=seat)
        assert [replay.table(at, seat=seat) for at in range(len(replay.positions))] == [
            whole.table(at, seat=seat) for at in range(len(whole.positions))
        ]
        assert all(each.everyone is None and not each.scores for each in replay.positions)
        assert all(asked.seat == seat for move in replay.moves for asked in move.asked)
        assert [move.name for move in replay.moves] == [move.name for move in whole.moves]
        assert all(said.seats is None or seat in said.seats for move in replay.moves for said in move.events)
        assert [bool(bot) for bot in replay.bots] == [at == seat for at in range(len(replay.bots))]
        with pytest.raises(LookupError):
            replay.table(0, seat=(seat + 1) % len(replay.bots))


@every_game
def test_a_seat_is_not_told_what_others_heard(name: str) -> None:
    """No sentence that was whispered to others alone, and no option offered to them alone, is in a seat's replay."""
    played = match(name)
    whole = tell(played.record, played.game, played.state, number=0)
    for seat in range(len(played.record.bots)):
        replay = tell(played.record, played.game, played.state, number=0, seat=seat)
        said = msgspec.json.encode(replay).decode()
        heard = {each.text for move in replay.moves for each in move.events}
        for move in whole.moves:
            for each in move.events:
                assert each.text in heard or json.dumps(each.text) not in said
        assert sum(len(move.asked) for move in replay.moves) == played.record.seats_asked.count(seat)


@pytest.mark.parametrize(
    ("first", "count", "name"),
    [(0, 0, "before decision 0"), (4, 1, "decision 4"), (4, 3, "decisions 4-6"), (4, 0, "after decision 3")],
)
def test_the_name_of_a_position(first: int, count: int, name: str) -> None:
    """A position is named by the decisions that are asked at once there; where nobody is asked, by its neighbour."""
    assert Move(first=first, count=count).name == name


@every_game
def test_it_can_be_written_and_read(name: str) -> None:
    """The replay comes back equal from JSON, with options and events as data where they are wanted."""
    played = match(name)
    replay = tell(played.record, played.game, played.state, number=0, data=True)
    back = msgspec.json.decode(msgspec.json.encode(replay), type=Replay)
    assert back == msgspec.json.decode(msgspec.json.encode(back), type=Replay)
    assert back.sights == replay.sights
    asked = [each for move in back.moves for each in move.asked]
    assert all(len(each.values) == len(each.options) for each in asked)
    assert all(said.event["type"] for move in back.moves for said in move.events)


def test_faults_and_names_are_plain() -> None:
    """What bots wrote is printable ASCII, however it was named; the fault stands at its decision."""
    fault = Fault(seat=1, kind="garbled", decision=3, rule="expected \u202e", hint="do \x1b[2J", line="<b>\n")
    played = match("cash-a-catch", faults=(fault,), bots=("a\u202eb", "c\n", "d", "e"))
    seat = played.record.seats_asked[3]
    played = played._replace(record=replace(played.record, faults=(replace(fault, seat=seat),)))
    replay = tell(played.record, played.game, played.state, number=0)
    assert replay.bots[:2] == (r"a\u202eb", r"c\n")
    (asked,) = [each for move in replay.moves for each in move.asked if each.fault]
    assert (asked.decision, asked.seat) == (3, seat)
    assert asked.fault
    assert (asked.fault.rule, asked.fault.hint, asked.fault.line) == (r"expected \u202e", r"do \x1b[2J", r"<b>\n")
    other = tell(played.record, played.game, played.state, number=0, seat=(seat + 1) % 4)
    assert not [each for move in other.moves for each in move.asked if each.fault]


def test_a_game_without_a_view_shows_its_words() -> None:
    """Where a game draws no picture, a sight is the text of the observation."""
    played = match("dockfight")
    game = replace(played.game, view=None, looks=None)
    replay = tell(played.record, game, played.state, number=0)
    assert replay.table(0, seat=1).text == str(played.state.observe(1))
    assert replay.table(0).zones == ()
    assert replay.moves[0].asked[0].question


def test_a_record_of_another_deal_is_refused() -> None:
    """Picks that do not fit the deal are told as the first difference."""
    played = match("fish-food")
    record = replace(played.record, picks=played.record.picks[:-1], seats_asked=played.record.seats_asked[:-1])
    with pytest.raises(Differs):
        tell(record, played.game, played.state, number=0)
