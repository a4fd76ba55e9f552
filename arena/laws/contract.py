"""Laws of the contract of ``arena.game``: play ends, asking changes nothing, nothing is lost, all is as declared."""

import re
from math import inf
from typing import Any

import msgspec
from msgspec import Struct

from arena.chance import Chance
from arena.game import MOST_DECIMALS, Outcome, Pending, ranks_of
from arena.laws.table import (
    GameSetup,
    answers,
    encode,
    hold,
    hold_alike,
    outcome,
    play,
    questions_of,
    silence,
    unwrap_events,
)

MATCHES = 2
MATCHES_TO_THE_END = 20
MATCHES_TO_RANK = 6
OPTIONS_AT_MOST = 64
_LONG_NUMBER = re.compile(rb"\d{16}")
"""2**53 has sixteen digits; no game counts that far."""


def box(setup: GameSetup) -> None:
    """The box says what a command line needs: a plain name, a usual number of seats, values for every variant."""
    game = setup.game
    hold(re.fullmatch(r"[a-z]+(-[a-z]+)*", game.name), "a name of lower case words joined by hyphens", game.name)
    hold(game.title and game.version, "a title and a version", (game.title, game.version))
    hold(game.usual_seats in game.seats, f"usual seats within {game.seats}", game.usual_seats)
    hold(0 <= game.decimals <= MOST_DECIMALS, f"0 to {MOST_DECIMALS} decimals of scores", game.decimals)
    for name, values in game.variants.items():
        hold(len(set(values)) == len(values) >= 1, f"different values of the variant {name}", values)


def random_play_ends(setup: GameSetup) -> None:
    """Random play ends below the decision cap; ranks are well formed and equal the standing, scores are as declared."""
    least, most = setup.game.bounds(setup.seats, setup.variants) if setup.game.bounds else (-inf, inf)
    for number in setup.numbers(MATCHES_TO_THE_END):
        state = setup.deal(number)
        for _ in play(state, _dice(number)):
            pass
        _well_formed(outcome(state), setup)
        hold(state.standing() == outcome(state), f"the standing {outcome(state)} at the end", state.standing())
        scores = outcome(state).scores
        hold(all(least <= score <= most for score in scores), f"scores from {least} to {most}", scores)
        total = round(sum(scores), setup.game.decimals)
        hold(not setup.game.zero_sum or total == 0, "scores that are 0 in all", scores)
        shared = setup.game.objective == "shared"
        hold(not shared or len({*scores}) == len({*outcome(state).ranks}) == 1, "one score and rank for all", scores)


def places_go_by_scores(setup: GameSetup) -> None:
    """At the end the greater score is ahead and equal scores share the place, or it is as the book's ``order`` says.

    Where the score counts a greater score is never behind a lesser one.
    """
    order = getattr(setup.book, "order", lambda state, seat: state.standing().scores[seat])
    for number in setup.numbers(MATCHES_TO_RANK):
        state = setup.deal(number)
        for _ in play(state, _dice(number)):
            pass
        end = outcome(state)
        due = ranks_of([order(state, seat) for seat in range(setup.seats)])
        hold(end.ranks == due, f"the ranks {due} of these scores or of the order in the book", end)
        best_first = [end.scores[seat] for seat in sorted(range(setup.seats), key=end.ranks.__getitem__)]
        fair = setup.game.objective == "place" or best_first == sorted(best_first, reverse=True)
        hold(fair, "no greater score behind a lesser one", end)


def silence_ends(setup: GameSetup) -> None:
    """A table at which every seat is silent comes to an end."""
    for number in setup.numbers(MATCHES):
        state = setup.deal(number)
        for pending in questions_of(state):
            state.apply(silence(pending))
        _well_formed(outcome(state), setup)


def asking_changes_nothing(setup: GameSetup) -> None:
    """Asking what is pending, what a seat sees or how the seats stand changes nothing, even if asked twice."""
    state = setup.deal(setup.first)
    luck = _dice(setup.first)
    for pending in questions_of(state):
        before = state.copy()
        for seat in range(setup.seats):
            hold_alike(f"the same observation of seat {seat} twice", state.observe(seat), state.observe(seat))
        _well_formed(state.standing(), setup)
        hold_alike("the same question again", state.pending(), pending)
        hold_alike("the same state after asking", state, before)
        state.apply(answers(pending, luck))
    _well_formed(state.standing(), setup)
    hold_alike("the same outcome again", state.pending(), state.pending())


def same_seed_same_game(setup: GameSetup) -> None:
    """The same deal and the same picks make the same match; another deal makes another."""

    def story(number: int) -> list[bytes]:
        state = setup.deal(number)
        return [encode((pending, state)) for pending in play(state, _dice(setup.first))]

    first, second = setup.numbers(2)
    hold(story(first) == story(first), "the same match of the same seed and picks", "another")
    hold(story(first) != story(second), "another match of another seed", "the same")


def save_and_resume(setup: GameSetup) -> None:
    """A state that is saved and loaded at any decision, or copied, is equal, continues equally and shares no data."""
    load = msgspec.json.Decoder(setup.game.state).decode
    for number in setup.numbers(MATCHES):
        state = setup.deal(number)
        luck = _dice(number)
        for pending in questions_of(state):
            saved = encode(state)
            loaded, copied = load(saved), state.copy()
            for kind, twin in (("loaded", loaded), ("copied", copied)):
                hold_alike(f"an equal state when {kind}", state, twin)
                hold(twin == state, f"a {kind} state that is equal in Python", "types that are not")
                hold_alike(f"the same question of a {kind} state", pending, twin.pending())
                sights = [[world.observe(seat) for seat in range(setup.seats)] for world in (state, twin)]
                hold_alike(f"the same observations by seat of a {kind} state", *sights)
            choices = answers(pending, luck)
            events = state.apply(choices)
            for twin in (copied, loaded):
                hold_alike("a copy that shares nothing with its state", load(saved), twin)
            hold_alike("the same events in a loaded state", events, loaded.apply(choices))
            # the last answer first: a state gets all answers at once, so their order must not matter
            backwards = dict(reversed(list(choices.items())))
            hold_alike("the same events whatever order the answers come in", events, copied.apply(backwards))
            for twin in (loaded, copied):
                hold_alike("a loaded or copied state to go on alike", state, twin)
        end = outcome(state)
        hold(load(encode(state)).pending() == state.copy().pending() == end, f"the outcome {end} again", "another")


def questions(setup: GameSetup) -> None:
    """Questions go to seats of the table, and silence is the legal first part; a fresh state alone may ask nobody.

    A question with one option is legal: the host passes over it.
    """
    for number in setup.numbers(MATCHES):
        for step, pending in enumerate(play(setup.deal(number), _dice(number))):
            if step == 0 and pending == Pending({}):
                continue
            _well_asked(pending, setup.seats)


def an_opening_leads_to_a_question(setup: GameSetup) -> None:
    """After an opening somebody is asked, in the world as it was dealt and in any imagined before it was opened.

    The exception: in a game that need not ask anybody, the opening may be the whole match.
    """
    state = setup.deal(setup.first)
    if state.pending() != Pending({}):
        return
    worlds = [setup.game.imagine(state.observe(seat), Chance(b"unopened", seat)) for seat in range(setup.seats)]
    for world in [state, *worlds]:
        hold(world.apply({}), "events of the opening", "none")
        pending = world.pending()
        hold(isinstance(pending, Outcome) or pending.decisions, "a question after the opening", pending)


def words(setup: GameSetup) -> None:
    """Every option, event and observation has its declared type on the wire, in ASCII, and words for a person."""
    game = setup.game
    for number in setup.numbers(MATCHES):
        state = setup.deal(number)
        luck = _dice(number)
        for pending in questions_of(state):
            for decision in pending.decisions.values():
                for option in decision.options:
                    _speaks(option, game.option)
            for seat in range(setup.seats):
                sight = state.observe(seat)
                hold(type(sight) is game.observation, f"an observation of type {game.observation}", type(sight))
                _on_the_wire(sight, game.observation)
            for event in unwrap_events(state.apply(answers(pending, luck))):
                _speaks(event, game.event)


def nothing_is_lost(setup: GameSetup) -> None:
    """Every card, die and coin of the box is somewhere, once, at every step and in every match alike."""
    census = setup.book.census
    contents = census(setup.deal(setup.first))
    hold(contents.total() > 0, "a census of something", contents)
    for number in setup.numbers(MATCHES + 1):
        state = setup.deal(number)
        for _ in play(state, Chance(b"players", number)):
            hold(census(state) == contents, f"the census {contents}", census(state))
        hold(census(state) == contents, f"the census {contents} at the end", census(state))


def _dice(number: int) -> Chance:
    return Chance(b"players", number * 1_000_000)


def _well_formed(standing: Outcome, setup: GameSetup) -> None:
    seats, decimals = setup.seats, setup.game.decimals
    hold(len(standing.ranks) == len(standing.scores) == seats, f"{seats} ranks and scores", standing)
    sound = ranks_of([-rank for rank in standing.ranks])
    hold(standing.ranks == sound, f"ranks from 0 that count who is ahead: {sound}", standing.ranks)
    kind, of = (float, f"floats rounded to {decimals} decimals, none -0.0") if decimals else (int, "integers")
    fixed = [kind(round(score, decimals) + 0.0) for score in standing.scores]
    hold(repr((*standing.scores,)) == repr((*fixed,)), f"scores that are {of}", standing.scores)


def _well_asked(pending: Pending, seats: int) -> None:
    respondents = list(pending.decisions)
    hold(
        respondents and respondents == sorted(respondents) and set(respondents) <= set(range(seats)),
        "seats of the table in order",
        respondents,
    )
    for decision in pending.decisions.values():
        options = decision.options
        bounds = 0 <= decision.least <= decision.most <= len(options) <= OPTIONS_AT_MOST
        hold(bounds, f"0 <= least <= most <= options <= {OPTIONS_AT_MOST}", decision)
        # equal cards may be options side by side if several are picked; for a single pick each option must differ
        distinct = len({encode(option) for option in options}) == len(options)
        hold(distinct or decision.most > 1, "different options to pick one of", options)
        hold(decision.fault_in(range(decision.least)) is None, "silence to be legal", decision)


def _on_the_wire(value: Any, declared: Any) -> None:
    line = encode(value)
    try:
        back = msgspec.json.decode(line, type=declared)
    except msgspec.ValidationError as error:
        hold(False, f"the declared type {declared}", f"{error}: {value}")  # noqa: FBT003 - as ever
    hold(back == value, f"{value} to come back as it was sent", back)
    hold(line.isascii(), "ASCII", line)
    hold(not _LONG_NUMBER.search(line), "integers below 2**53", line)


def _speaks(value: Any, declared: Any) -> None:
    _on_the_wire(value, declared)
    if isinstance(value, Struct):
        hold(type(value).__struct_config__.tag_field == "type", "a struct tagged by the field type", type(value))
        hold(str(value) != repr(value), f"a __str__ of {type(value).__name__}", "its repr")
    hold(str(value).isascii(), "words in ASCII", str(value))
