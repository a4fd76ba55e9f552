"""Pictures of tables: how the seats' pictures become that of everyone, and that a broken view is found."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from arena.game import Game
from arena.games import find, names
from arena.laws import GameSetup, LawBroken, view
from arena.view import Badge, Card, Counter, Table, Zone, backs, face_down, heap, together
from tests.shelf.walk import book_of

_TICKS = count()
HAND = Zone(id="hand:0", title="hand", owner=0)


def test_everyone_sees_each_zone_as_who_saw_most() -> None:
    """Of each zone the version with the most known cards is taken, whichever seat it comes from."""
    mine = Table(zones=(replace(HAND, cards=(Card(name="eel"), Card())), Zone(id="lot", title="lot")))
    yours = Table(zones=(replace(HAND, cards=backs(2)), Zone(id="lot", title="lot", cards=(Card(name="crab"),))))
    for pictures in ((mine, yours), (yours, mine)):
        hand, lot = together(pictures).zones
        assert [card.name for card in hand.cards] == ["eel", ""]
        assert [card.name for card in lot.cards] == ["crab"]


def test_everyone_sees_all_counters_and_badges_once() -> None:
    """A counter that only its owner sees is there; one that all see is there once."""
    sizes = tuple(Counter(title="size", value=3, owner=seat) for seat in (0, 1))
    mine = Table(counters=(*sizes, Counter(title="points", value=7, owner=0)), badges=(Badge(0, "in turn"),))
    yours = Table(counters=(*sizes, Counter(title="points", value=2, owner=1)), badges=(Badge(0, "in turn"),))
    both = together([mine, yours])
    assert [(each.title, each.owner, each.value) for each in both.counters] == [
        ("size", 0, 3),
        ("size", 1, 3),
        ("points", 0, 7),
        ("points", 1, 2),
    ]
    assert both.badges == (Badge(0, "in turn"),)


def test_cards_face_down_have_no_name() -> None:
    """A heap of none is no heap; cards of which there are no copies are left out."""
    assert face_down(0) == backs(0) == heap([Card(name="eel", count=0)]) == ()
    assert [(card.name, card.count) for card in (*face_down(9), *backs(1))] == [("", 9), ("", 1)]


def _spoilt(change: Callable[[Any, Table], Table]) -> Game:
    game = find("cash-a-catch")
    whole = game.view
    assert whole
    return replace(game, view=lambda seen: change(seen, whole(seen)))


def _without(zone: str) -> Callable[[Any, Table], Table]:
    return lambda _, picture: replace(picture, zones=tuple(each for each in picture.zones if each.id != zone))


def _doubled(_: Any, picture: Table) -> Table:
    return replace(picture, zones=(*picture.zones, Zone(id="more", title="", cards=(Card(name="eel 1", count=6),))))


def _private(seen: Any, picture: Table) -> Table:
    return replace(picture, zones=(*picture.zones, Zone(id=f"{seen.seat}", title="", cards=())))


def _unlike(_: Any, picture: Table) -> Table:
    return replace(picture, zones=(*picture.zones, Zone(id="odd", title="", cards=(Card(name="eel 1", kind="snail"),))))


def _plain(_: Any, picture: Table) -> Table:
    return replace(picture, zones=(*picture.zones, Zone(id="odd", title="", cards=(Card(name="rod", text="fishes"),))))


OFFENCES: dict[str, tuple[Callable[[GameSetup], None], Game]] = {
    "a pile that is left out": (view.every_card_is_on_the_table_once, _spoilt(_without("discards"))),
    "more cards than in the box": (view.every_card_is_on_the_table_once, _spoilt(_doubled)),
    "a zone that one seat alone sees": (view.every_seat_sees_the_same_zones, _spoilt(_private)),
    "a card without a look": (view.each_card_has_its_look, _spoilt(_unlike)),
    "a card that says nothing": (view.each_card_says_what_it_does, _spoilt(_unlike)),
    "a card that shows nothing": (view.each_card_says_what_it_does, _spoilt(_plain)),
    "no legend": (view.each_card_says_what_it_does, replace(find("cash-a-catch"), legend="")),
    "no question": (view.a_seat_knows_its_own_question, _spoilt(lambda _, picture: replace(picture, question=""))),
    "another picture each time": (
        view.a_picture_is_of_what_was_sent,
        _spoilt(lambda _, picture: replace(picture, title=str(next(_TICKS)))),
    ),
}


@pytest.mark.parametrize("offence", OFFENCES)
def test_offences_are_found(offence: str) -> None:
    """A view that breaks a law is found out by that law."""
    law, game = OFFENCES[offence]
    with pytest.raises(LawBroken, match=r"^expected .* got "):
        law(GameSetup(game, 3, game.resolve_variants({}), book_of(game)))


@pytest.mark.parametrize("name", names())
def test_every_game_has_its_picture(name: str) -> None:
    """Each game that comes with arena says how its table looks and what it asks."""
    game = find(name)
    assert None not in (game.view, game.looks, game.question)
