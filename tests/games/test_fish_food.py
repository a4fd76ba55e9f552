"""The box, the deal and the papers of Fish Food."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from arena.chance import Chance
from arena.game import Outcome, Pending
from arena.games import fish_food
from arena.games.fish_food import GAME, cards
from arena.games.fish_food import events as tell
from arena.games.fish_food.rules import FishFood, deal
from tests.shelf.games.fish_food import census

FOLDER = Path(fish_food.__file__).parent
STANDARD = GAME.resolve_variants({})


def dealt(seats: int = 4, number: int = 0, **variants: str) -> FishFood:
    """A fresh deal."""
    return deal(seats, Chance(b"deals", number).word().to_bytes(32, "big"), STANDARD | variants)


def test_box() -> None:
    """The box holds 60 Actions, 40 creatures and 8 Events, and Characters for 6 with sizes up to 10."""
    assert sum(cards.ACTIONS.values()) == 60
    assert sum(cards.CREATURES.values()) == 40
    assert sum(cards.EVENTS.values()) == 8
    assert sum(cards.ACTIONS.values()) + sum(cards.ENCOUNTER_COPIES.values()) + cards.CHARACTERS == 114
    assert list(cards.CREATURES) == list(cards.CREATURE_NAMES) == list(range(1, 11))
    assert (cards.START_SIZE, cards.WINNING_SIZE, cards.TURN_LIMIT) == (3, 10, 500)
    assert list(cards.ACTIONS) == list(get_args(cards.Action)) == list(cards.ACTION_PLACE)
    assert cards.MODIFIERS == {"Fish Food": 1, "Caught in the Net": -1, "Sunken Treasure": 2, "School of Fish": 4}
    assert (cards.SCHOOL_AT_MOST, cards.LOST_AT_SEA_TAKES) == (3, 2)
    assert (cards.SHARK_BITES, cards.SHARK_BITES_EACH, cards.BAIT_SIZES) == (2, 1, 2)
    assert (cards.FRENZY_AT_MOST, cards.FRENZY_GROWS) == (5, 1)


def test_box_in_the_rules() -> None:
    """The tables of rules.md name every card with its copies as ``cards.py`` has them."""
    text = (FOLDER / "rules.md").read_text(encoding="ascii")
    named = re.findall(r"^\| ([A-Z][A-Za-z ]+) \| (\d+) \|", text, re.MULTILINE)
    assert [(name, int(copies)) for name, copies in named] == [*cards.ACTIONS.items(), *cards.EVENTS.items()]
    rows = [re.search(rf"^\| {row} \| (.*) \|$", text, re.MULTILINE) for row in ("size", "name", "copies")]
    sizes, names, copies = rows
    assert sizes
    assert names
    assert copies
    assert dict(zip(map(int, sizes[1].split(" | ")), map(int, copies[1].split(" | ")), strict=True)) == cards.CREATURES
    assert names[1].split(" | ") == list(cards.CREATURE_NAMES.values())


@pytest.mark.parametrize(("seats", "limit"), [(2, 7), (3, 7), (4, 7), (5, 5), (6, 5)])
def test_cards_dealt(seats: int, limit: int) -> None:
    """Ruling 43 and 30: as many cards are dealt as the hand limit: 7, with 5 players or more 5."""
    state = dealt(seats)
    assert [len(hand) for hand in state.hands] == [limit] * seats
    assert state.hand_limit == limit
    assert (len(state.action_deck), len(state.encounter_deck)) == (60 - seats * limit, 48)
    box = census(state)
    assert all(box[card] == copies for card, copies in cards.ACTIONS.items())
    assert all(box[str(card)] == copies for card, copies in cards.ENCOUNTER_COPIES.items())
    assert box.total() == 108


@pytest.mark.parametrize("seats", [2, 5])
def test_beginner_and_simple(seats: int) -> None:
    """Ruling 32: Beginner has the four size cards, 46 in all, and 5 cards in hand; Simple has no Actions at all."""
    beginner = dealt(seats, mode="beginner")
    assert [len(hand) for hand in beginner.hands] == [5] * seats
    assert beginner.hand_limit == 5
    actions = [card for card in census(beginner).elements() if card in cards.ACTIONS]
    assert (len(actions), set(actions)) == (46, set(cards.BEGINNER_ACTIONS))
    simple = dealt(seats, mode="simple")
    assert simple.hands == [[]] * seats
    assert simple.action_deck == []
    assert len(simple.encounter_deck) == 48


def test_variants() -> None:
    """Ruling 46: three variants; by default the standard game, Events by the seats, a tie won by the Character."""
    assert GAME.variants == {
        "mode": ("standard", "beginner", "simple"),
        "events": ("auto", "keep", "remove", "off"),
        "ties": ("win", "tie"),
    }
    for mode in ("standard", "beginner", "simple"):
        state = dealt(mode=mode, events="remove")
        assert len(state.encounter_deck) == 48
        seen = state.observe(0)
        assert (seen.mode, seen.event_cards, seen.ties) == (mode, "remove", "win")
    simple = dealt(mode="simple", events="off", ties="tie")
    assert len(simple.encounter_deck) == 40
    assert simple.observe(0).ties == "tie"


@pytest.mark.parametrize("mode", ["standard", "beginner"])
@pytest.mark.parametrize(("variant", "value"), [("events", "off"), ("ties", "tie")])
def test_variants_go_with_their_mode(mode: str, variant: str, value: str) -> None:
    """Ruling 46: no Events, and a tie that changes nothing, go with Simple alone and are refused with another mode."""
    assert GAME.resolve_variants({"mode": "simple", variant: value})[variant] == value
    with pytest.raises(
        ValueError, match=rf"fish-food: expected {variant}={value} with mode=simple alone, got mode={mode}"
    ):
        GAME.resolve_variants({"mode": mode, variant: value})


@pytest.mark.parametrize("seats", GAME.seats)
def test_all_characters_start_alike(seats: int) -> None:
    """Ruling 35 and 51: everyone starts at size 3; Characters differ in looks only, so nobody chooses one."""
    state = dealt(seats)
    assert state.pending() == Pending({})
    assert state.sizes == [3] * seats
    assert state.apply({})[0] == tell.Begin(state.current_player if state.turn == 1 else dealt(seats).current_player)


def test_nobody_can_talk() -> None:
    """Ruling 36: whatever a player may do is one of the Actions, a pass, an answer to the bait or a discard."""
    said: set[Any] = set()
    for number in range(30):
        state = dealt(3, number)
        dice = Chance(b"dice", number * 10_000)
        while not isinstance(pending := state.pending(), Outcome):
            chosen = {}
            for seat, decision in pending.decisions.items():
                said.update(option.card if isinstance(option, tell.Play) else option for option in decision.options)
                at = 0 if dice.below(4) else dice.below(len(decision.options) - decision.least + 1)
                chosen[seat] = decision.options[at : at + decision.least]
            state.apply(chosen)
    assert said == {*cards.ACTIONS, "pass", "leave it", "take it"}


def test_sentences() -> None:
    """An event or option is a sentence with seats written as ``seat 0``."""
    told = {
        tell.Begin(2): "seat 2 plays first",
        tell.Draw(1): "seat 1 draws an Action",
        tell.Drawn("Stun"): "the Action drawn is Stun",
        tell.Flip(0, 7): "seat 0 flips a creature of size 7, Barracuda",
        tell.Flip(0, "Shark"): "seat 0 flips the Event Shark",
        tell.Play("Fish Food", "creature"): "Fish Food on the creature",
        tell.Play("Swim Away", "encounter"): "Swim Away on the encounter",
        tell.Played(1, "Stun", 0): "seat 1 plays Stun on seat 0",
        tell.Steal(0, 2, 1): "seat 0 takes 1 random card of seat 2",
        tell.Stolen(("Stun", "Stun")): "the cards taken are Stun, Stun",
        tell.Compare(0, 7, 8): "seat 0 has size 7 against a creature of size 8",
        tell.Bait(1, taken=False): "seat 1 leaves the bait",
        tell.Out(1, ()): "seat 1 is out and discards nothing",
        tell.Pass(0): "seat 0 passes",
        tell.Reshuffle("actions", 58): "the discarded actions, 58 in all, are shuffled and become the deck",
        tell.FinalSizes("last player", (4, 0), (0, 1)): "the game ends as one player is left: "
        "seat 0 is placed 1 with size 4; seat 1 is placed 2 with size 0",
    }
    assert {event: str(event) for event in told} == told
