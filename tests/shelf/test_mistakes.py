"""Mistakes of those who write games, planted in Hearts, Love Letter and the toy: the laws find each of them."""

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from random import Random
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple

import pytest
from msgspec import Struct
from msgspec.structs import asdict, replace

from arena.chance import Chance
from arena.game import Chosen, Decision, Game, Outcome, Pending, Whisper
from arena.laws import GameSetup, LawBroken, contract, imagine, learners, odds, replay, secrets
from arena.values import Upto
from tests.documents import ROOT
from tests.shelf import toy

EXAMPLES = ("hearts", "love-letter")


@pytest.fixture(name="rooms", scope="module")
def _rooms() -> Iterator[SimpleNamespace]:
    """The modules of both examples, and their books."""
    with pytest.MonkeyPatch.context() as patch:
        for example in EXAMPLES:
            patch.syspath_prepend(ROOT / "examples" / example)
        hearts, letter = importlib.import_module("hearts"), importlib.import_module("love_letter")
        yield SimpleNamespace(
            hearts=hearts.GAME,
            letter=letter.GAME,
            State=hearts.Hearts,
            imagine=importlib.import_module("hearts.imagine"),
            Letter=letter.LoveLetter,
            books={hearts.GAME.name: _book("hearts"), letter.GAME.name: _book("love-letter"), "toy": toy},
        )


def _book(example: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"book_of_{example}", ROOT / "examples" / example / "tests/book.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Unordered(toy.ToyState):
    """The order of its options is that of a set of words."""

    def pending(self) -> Pending | Outcome:
        pending = super().pending()
        if isinstance(pending, Outcome) or self.asked == toy.BIDS:
            return pending
        trades = [option for option in pending.decisions[self.asked].options if option != "leave"]
        return Pending({self.asked: Decision((*{"leave", "stay", "wait", "stand"}, *trades))})


def _deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> Unordered:
    return Unordered(**asdict(toy.deal(seats, seed, variants)))


def _imagine(sight: toy.Sight, chance: Chance) -> Unordered:
    return Unordered(**asdict(toy.imagine(sight, chance)))


UNORDERED = replace(toy.GAME, deal=_deal, imagine=_imagine, state=Unordered)


class Numbered(Struct, frozen=True, tag="card", tag_field="type"):
    """A card whose rank is declared as a number, as in rows, and not as one of some values."""

    rank: Annotated[int, Upto(14)]


class Mistake(NamedTuple):
    """What is planted, and the law that finds it."""

    law: Callable[[GameSetup], None]
    method: str = ""
    """Of the state, which is replaced by what ``by`` makes of it."""
    by: Callable[[Any], Any] | None = None
    game: Callable[[Game], Game] = lambda game: game


def _after(change: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A method that gives what ``change`` makes of the state and of what it gave."""
    return lambda method: lambda state, *words: change(state, method(state, *words))


def _by_seat(_: Any, end: Outcome) -> Outcome:
    order = sorted(range(len(end.ranks)), key=end.ranks.__getitem__)
    return Outcome(tuple(map(order.index, range(len(order)))), end.scores)


def _to_the_next(state: Any, events: list[Any]) -> list[Any]:
    return [Whisper(((each.seats[0] + 1) % state.seats,), each.event) for each in events]


def _loses(state: Any, events: list[Any]) -> list[Any]:
    state.hands[0].pop()
    return events


def _draws(state: Any, pending: Any) -> Any:
    state.chance.word()
    return pending


def _twice(_: Any, pending: Any) -> Any:
    if isinstance(pending, Outcome):
        return pending
    return Pending({seat: replace(one, options=one.options * 2) for seat, one in pending.decisions.items()})


def _shares(method: Any) -> Any:
    return lambda state: replace(method(state), hands=state.hands)


def _in_order_of_answers(method: Any) -> Any:
    def passes(state: Any, chosen: Chosen) -> list[Any]:
        events = method(state, chosen)
        return sorted(events, key=lambda whisper: list(chosen).index(whisper.event.seat))

    return passes


def _fails(state: Any, events: list[Any]) -> list[Any]:
    return [events[len(state.hands[0])]] if len(state.hands[0]) == 2 else events


def _one_deal(game: Game) -> Game:
    return replace(game, deal=lambda seats, seed, variants: game.deal(seats, bytes(len(seed)), variants))


def _certain(game: Game) -> Game:
    return replace(game, imagine=lambda seen, _chance: game.imagine(seen, Chance(bytes(32))))


_DICE = Random(5)


def _other_chance(game: Game) -> Game:
    return replace(game, imagine=lambda seen, _chance: game.imagine(seen, Chance(_DICE.randbytes(8))))


def _of_another(game: Game) -> Game:
    return replace(game, imagine=lambda seen, chance: game.imagine(replace(seen, hand=seen.hand[:-1]), chance))


MISTAKES = {
    "a score with the wrong sign": Mistake(
        contract.places_go_by_scores,
        "standing",
        _after(lambda _, end: Outcome(end.ranks, tuple([-score for score in end.scores]))),
    ),
    "level scores told apart by seat": Mistake(contract.places_go_by_scores, "standing", _after(_by_seat)),
    "the last is first": Mistake(
        contract.places_go_by_scores,
        "standing",
        _after(lambda _, end: Outcome(tuple([max(end.ranks) - rank for rank in end.ranks]), end.scores)),
    ),
    "ranks from 1": Mistake(
        contract.random_play_ends,
        "standing",
        _after(lambda _, end: Outcome(tuple([rank + 1 for rank in end.ranks]), end.scores)),
    ),
    "a score beyond its bounds": Mistake(
        contract.random_play_ends, game=lambda game: replace(game, bounds=lambda _seats, _variants: (-5, 0))
    ),
    "an option that is no action": Mistake(
        learners.rows_and_actions_are_as_declared, game=lambda game: replace(game, option=Numbered)
    ),
    "a value beyond what is declared": Mistake(
        learners.rows_and_actions_are_as_declared,
        "observe",
        _after(lambda _, seen: replace(seen, costs=tuple([22 * cost for cost in seen.costs]))),
    ),
    "a whisper to another seat": Mistake(secrets.who_learns_something_hears_of_it, "_pass", _after(_to_the_next)),
    "a whisper said aloud": Mistake(
        secrets.events_tell_no_more_than_the_observation,
        "_pass",
        _after(lambda _, events: [whisper.event for whisper in events]),
    ),
    "an observation shows the next hand": Mistake(
        secrets.what_is_sent_is_the_same_in_both_worlds,
        "observe",
        _after(lambda state, seen: replace(seen, received=tuple(state.hands[(seen.seat + 1) % state.seats]))),
    ),
    "a card is lost": Mistake(contract.nothing_is_lost, "_pass", _after(_loses)),
    "a copy shares its hands": Mistake(contract.save_and_resume, "copy", _shares),
    "the order of answers matters": Mistake(contract.save_and_resume, "_pass", _in_order_of_answers),
    "asking draws": Mistake(contract.asking_changes_nothing, "pending", _after(_draws)),
    "options that are equal": Mistake(contract.questions, "pending", _after(_twice)),
    "an event of no declared type": Mistake(
        contract.words, "apply", _after(lambda _, events: [*events, {"played": 1}])
    ),
    "one deal for all seeds": Mistake(contract.same_seed_same_game, game=_one_deal),
    "worlds that are all one": Mistake(imagine.imagined_worlds_differ, game=_certain),
    "worlds of another chance": Mistake(imagine.the_unknown_comes_from_chance, game=_other_chance),
    "worlds with another hand": Mistake(imagine.an_imagined_world_looks_the_same, game=_of_another),
}


def _setup(game: Game, rooms: SimpleNamespace) -> GameSetup:
    return GameSetup(game, game.usual_seats, game.resolve_variants({}), rooms.books[game.name])


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_found(mistake: str, rooms: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hearts keeps the law, and with the mistake it does not; a game of wrong code may also fail by an error."""
    planted = MISTAKES[mistake]
    planted.law(_setup(rooms.hearts, rooms))
    if planted.by is not None:
        method = getattr(rooms.State, planted.method)
        monkeypatch.setattr(rooms.State, planted.method, planted.by(method))
    with pytest.raises((LawBroken, IndexError), match=r"expected .* got |index"):
        planted.law(_setup(planted.game(rooms.hearts), rooms))


@pytest.mark.parametrize("limit", ["MOST_NODES", "MOST_OUTCOMES"])
def test_too_little_chance_is_found(limit: str, rooms: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game of explicit chance that draws more than it declares is found, and the declaration is named."""
    learners.chance_is_as_declared(_setup(rooms.letter, rooms))
    monkeypatch.setattr(rooms.Letter, limit, 5)
    with pytest.raises(LawBroken, match=f"{limit} = 5"):
        learners.chance_is_as_declared(_setup(rooms.letter, rooms))


def test_the_order_of_a_set_is_found(rooms: SimpleNamespace) -> None:
    """Another process orders a set of words otherwise, and so plays another match of the same seed."""
    replay.another_process_plays_the_same(_setup(toy.GAME, rooms))
    with pytest.raises(LawBroken, match="the order of a set of words differs"):
        replay.another_process_plays_the_same(_setup(UNORDERED, rooms))
    with pytest.raises(LawBroken, match="expected the game toy as a name of a module"):
        replay.another_process_plays_the_same(_setup(replace(UNORDERED, version="2"), rooms))


def _passed_cards_may_be_anywhere(room: Any) -> Callable[[pytest.MonkeyPatch], None]:
    belief = room.belief
    return lambda patch: patch.setattr(room, "belief", lambda seen: belief(replace(seen, passed=())))


def _seats_may_hold_what_they_lack(room: Any) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(room, "_likelihood", lambda *_: lambda _left: 1.0)


def _deals_are_alike(room: Any) -> Callable[[pytest.MonkeyPatch], None]:
    def likelihood(seen: Any, seat: int, suit: str) -> Callable[[int], float]:
        return lambda left: float(not left or suit not in seen.voids[seat])

    return lambda patch: patch.setattr(room, "_likelihood", likelihood)


@pytest.mark.long
@pytest.mark.parametrize(
    ("mistake", "figures", "matches"),
    [
        pytest.param(_passed_cards_may_be_anywhere, False, 50, id="passed cards"),
        pytest.param(_seats_may_hold_what_they_lack, False, 300, id="voids"),
        pytest.param(_seats_may_hold_what_they_lack, True, 50, id="voids by a figure"),
        pytest.param(_deals_are_alike, True, 300, id="alike"),
    ],
)
def test_what_plays_tell_is_not_forgotten(
    mistake: Callable[[Any], Callable[[pytest.MonkeyPatch], None]],
    matches: int,
    rooms: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    *,
    figures: bool,
) -> None:
    """Worlds that forget passed cards or voids are found; with figures of the book sooner, and all deals alike, too."""
    setup = _setup(rooms.hearts, rooms)
    if not figures:
        monkeypatch.delattr(setup.book, "figures")
    # a belief is kept for one observation, so a fresh one begins
    mistake(rooms.imagine)(monkeypatch)
    with pytest.raises(LawBroken, match="as often in truth"):
        odds.what_is_true_is_one_more_draw(setup, matches)


def test_the_right_tail() -> None:
    """How likely a sum of truths is: exact for draws of which one of five is the odd one, however few."""
    for matches, times, exact in ((30, 17, 1.05e-5), (50, 25, 2.09e-6), (8, 8, 2.56e-6), (60, 0, 1.53e-6)):
        draws = [(1.0, 0.0, 0.0, 0.0, 0.0)] * times + [(0.0, 1.0, 0.0, 0.0, 0.0)] * (matches - times)
        assert odds.chance_of(draws) == pytest.approx(2 * exact, rel=0.1)
    assert odds.chance_of([(1.0, 0.0, 0.0, 0.0, 0.0)] * 6 + [(0.0, 1.0, 0.0, 0.0, 0.0)] * 24) == 1
