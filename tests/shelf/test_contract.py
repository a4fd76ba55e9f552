"""Every game keeps the contract of ``arena.game``, at every table."""

import re
from typing import Any

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from arena.chance import Chance
from arena.game import DECISION_CAP, Outcome, Pending, State, ranks_of
from tests.shelf import toy
from tests.shelf.walk import Table, answers, book_of, encode, every_table, outcome, play, said, shelf, silence

MATCHES = 2
OPTIONS_AT_MOST = 64
LONG_NUMBER = re.compile(rb"\d{16}")
"""2**53 has sixteen digits; none of the games counts that far."""


def dice(number: int) -> Chance:
    """The dice of the players of match ``number``."""
    return Chance(b"players", number * 1_000_000)


def assert_well_formed(standing: Outcome, seats: int) -> None:
    """One rank and one score a seat; equal ranks share the better place."""
    assert len(standing.ranks) == len(standing.scores) == seats
    assert standing.ranks == ranks_of([-rank for rank in standing.ranks])
    assert all(type(score) is int for score in standing.scores)


def assert_speaks(value: Any, declared: Any) -> None:
    """Whatever is sent comes back equal as the type the game declares, in ASCII and with a sentence for a person."""
    line = encode(value)
    assert msgspec.json.decode(line, type=declared) == value
    assert line.isascii()
    assert not LONG_NUMBER.search(line)
    if isinstance(value, Struct):
        assert type(value).__struct_config__.tag_field == "type"
        assert str(value) != repr(value), f"expected a __str__ of {type(value).__name__}, got its repr"
    assert str(value).isascii()


@every_table
def test_box(table: Table) -> None:
    """The box says what a command line needs: a plain name, a usual number of seats, values for every variant."""
    game = table.game
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", game.name)
    assert game.title
    assert game.version
    assert game.usual_seats in game.seats
    assert all(len(set(values)) == len(values) >= 1 for values in game.variants.values())


def test_names_are_unique() -> None:
    """No two games have one name."""
    names = [game.name for game in shelf()]
    assert len(set(names)) == len(names)


def test_a_game_without_a_book_is_named() -> None:
    """A game for which no census, redeal and leaks are written fails by a message that names the file it lacks."""
    game = replace(toy.GAME, name="go-fish")
    with pytest.raises(AssertionError, match=r"expected tests/shelf/games/go_fish\.py .* got no file"):
        book_of(game)


@every_table
@pytest.mark.parametrize("number", range(20))
def test_random_play_ends(table: Table, number: int) -> None:
    """Random play ends below the decision cap; the ranks are well formed and equal the standing."""
    state = table.deal(number)
    for _ in play(state, dice(number)):
        pass
    assert_well_formed(outcome(state), table.seats)
    assert state.standing() == outcome(state)


@every_table
def test_silence_ends(table: Table) -> None:
    """A table at which nobody says anything comes to an end."""
    for number in range(MATCHES):
        state = table.deal(number)
        decided = 0
        while isinstance(pending := state.pending(), Pending):
            decided += len(pending.decisions)
            assert decided < DECISION_CAP
            state.apply(silence(pending))
        assert_well_formed(outcome(state), table.seats)


@every_table
def test_asking_changes_nothing(table: Table) -> None:
    """To ask what is pending, what a seat sees or how the seats stand changes nothing, and is answered alike twice."""
    state = table.deal(0)
    for pending in play(state, dice(0)):
        before = encode(state)
        for seat in range(table.seats):
            assert state.observe(seat) == state.observe(seat)
        assert_well_formed(state.standing(), table.seats)
        assert state.pending() == pending
        assert encode(state) == before


@every_table
def test_same_seed_same_game(table: Table) -> None:
    """The same deal and the same picks make the same match; another deal makes another."""

    def story(number: int) -> list[bytes]:
        state = table.deal(number)
        return [encode((pending, state)) for pending in play(state, dice(0))]

    assert story(0) == story(0)
    assert story(0) != story(1)


@every_table
@pytest.mark.parametrize("number", range(MATCHES))
def test_save_and_resume(table: Table, number: int) -> None:
    """A state saved and loaded at any decision, or copied, is equal and goes on alike; neither shares with it."""
    state = table.deal(number)
    load = msgspec.json.Decoder(table.game.state).decode
    luck = dice(number)
    while isinstance(pending := state.pending(), Pending):
        saved = encode(state)
        loaded, copied = load(saved), state.copy()
        assert loaded == state == copied
        assert loaded.pending() == pending
        assert seen(loaded, table) == seen(copied, table) == seen(state, table)
        chosen = answers(pending, luck)
        events = state.apply(chosen)
        assert encode(copied) == encode(loaded) == saved
        assert loaded.apply(chosen) == events
        # the later answer first: states hear all answers at once, so the order they are handed over in means nothing
        assert copied.apply(dict(reversed(list(chosen.items())))) == events
        assert encode(loaded) == encode(copied) == encode(state)
    assert load(encode(state)).pending() == state.copy().pending() == outcome(state)


def seen(state: State, table: Table) -> list[Any]:
    """What every seat sees."""
    return [state.observe(seat) for seat in range(table.seats)]


@every_table
@pytest.mark.parametrize("number", range(MATCHES))
def test_questions(table: Table, number: int) -> None:
    """Questions go to seats of the table, at least one has something to decide, and silence is the legal first part.

    A fresh state alone may ask nobody.
    """
    state = table.deal(number)
    for step, pending in enumerate(play(state, dice(number))):
        if step == 0 and pending == Pending({}):
            continue
        assert pending.decisions
        assert list(pending.decisions) == sorted(pending.decisions)
        assert set(pending.decisions) <= set(range(table.seats))
        assert any(not decision.forced for decision in pending.decisions.values()), f"only forced: {pending}"
        for decision in pending.decisions.values():
            options = decision.options
            assert 0 <= decision.least <= decision.most <= len(options) <= OPTIONS_AT_MOST
            # cards that are alike may stand side by side where several are picked; a single pick must mean one thing
            distinct = len({encode(option) for option in options}) == len(options)
            assert distinct or decision.most > 1, f"not distinct: {options}"
            assert decision.fault_in(range(decision.least)) is None
            assert decision.silence == decision.take(range(decision.least)) == options[: decision.least]


@every_table
@pytest.mark.parametrize("number", range(MATCHES))
def test_words(table: Table, number: int) -> None:
    """Every option, event and observation has its declared type on the wire, in ASCII, and words for a person."""
    game = table.game
    state = table.deal(number)
    luck = dice(number)
    while isinstance(pending := state.pending(), Pending):
        for decision in pending.decisions.values():
            for option in decision.options:
                assert_speaks(option, game.option)
        for seat in range(table.seats):
            line = encode(sight := state.observe(seat))
            assert type(sight) is game.observation
            assert msgspec.json.decode(line, type=game.observation) == sight
            assert line.isascii()
            assert not LONG_NUMBER.search(line)
        for event in said(state.apply(answers(pending, luck))):
            assert_speaks(event, game.event)
