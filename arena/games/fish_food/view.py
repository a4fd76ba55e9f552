"""Fish Food as a picture of what one seat was sent. Knows the cards and the observation; knows no state."""

from typing import Final

from arena.game import Seat
from arena.games.fish_food import cards as box
from arena.games.fish_food.cards import Action, Encounter
from arena.games.fish_food.observation import Observation, question
from arena.glyphs import glyph
from arena.view import Badge, Card, CardStyle, Counter, Table, Zone, backs, face_down, heap

_SIGN: Final = {1: "+", -1: "\N{MINUS SIGN}"}


def looks() -> dict[str, CardStyle]:
    """How each Action, creature and Event looks."""
    return {
        "Fish Food": CardStyle(hue="green", glyph=glyph("flakes")),
        "Caught in the Net": CardStyle(hue="brown", glyph=glyph("net")),
        "Sunken Treasure": CardStyle(hue="amber", glyph=glyph("chest")),
        "School of Fish": CardStyle(hue="teal", glyph=glyph("school")),
        "Stun": CardStyle(hue="orange", glyph=glyph("stun")),
        "Swim Away": CardStyle(hue="cyan", glyph=glyph("swim")),
        "Switcheroo": CardStyle(hue="violet", glyph=glyph("switch")),
        "Lost at Sea": CardStyle(hue="pink", glyph=glyph("lifebuoy")),
        "Shrimp": CardStyle(hue="pink", glyph=glyph("shrimp")),
        "Minnow": CardStyle(hue="teal", glyph=glyph("minnow")),
        "Seahorse": CardStyle(hue="amber", glyph=glyph("seahorse")),
        "Crab": CardStyle(hue="red", glyph=glyph("crab")),
        "Pufferfish": CardStyle(hue="olive", glyph=glyph("pufferfish")),
        "Squid": CardStyle(hue="violet", glyph=glyph("squid")),
        "Barracuda": CardStyle(hue="blue", glyph=glyph("barracuda")),
        "Moray": CardStyle(hue="green", glyph=glyph("eel")),
        "Swordfish": CardStyle(hue="indigo", glyph=glyph("swordfish")),
        "Orca": CardStyle(hue="grey", glyph=glyph("orca")),
        "Shark": CardStyle(hue="blue", glyph=glyph("shark")),
        "Take the Bait": CardStyle(hue="red", glyph=glyph("hook")),
        "Feeding Frenzy": CardStyle(hue="orange", glyph=glyph("school")),
    }


def view(seen: Observation) -> Table:
    """The sizes on a track, the encounter and the Actions of this turn in the middle; a hand before each seat."""
    met = () if seen.encounter is None else (_met(seen.encounter),)
    against = "" if seen.attacked is None else f"attacks seat {seen.attacked}"
    chips = tuple(
        Card(name=f"chip of seat {seat}", seat=seat, at=size)
        for seat, size in enumerate(seen.sizes)
        if not seen.out[seat]
    )
    used = zip(box.ENCOUNTER_COPIES, seen.encounter_discards, strict=True)
    zones = [
        Zone(id="encounter", title=against or "encounter", cards=met),
        Zone(id="played", title="Actions of this turn", kind="fan", cards=tuple(map(_action, seen.played))),
        Zone(id="sizes", title="sizes", kind="track", cards=chips, spaces=max(box.WINNING_SIZE, *seen.sizes)),
        Zone(id="encounters", title="Encounters deck", kind="pile", cards=face_down(seen.encounter_deck)),
        Zone(id="actions", title="Actions deck", kind="pile", cards=face_down(seen.action_deck)),
        Zone(
            id="used actions",
            title="used Actions",
            kind="pile",
            cards=heap(_action(card, count) for card, count in zip(box.ACTIONS, seen.action_discards, strict=True)),
        ),
        Zone(id="used encounters", title="used Encounters", kind="pile", cards=heap(_met(card, n) for card, n in used)),
        Zone(
            id="removed",
            title="out of the game",
            kind="pile",
            cards=heap(_met(card, count) for card, count in zip(box.EVENTS, seen.removed, strict=True)),
            quiet=True,
        ),
    ]
    zones += [_hand(seen, seat) for seat in range(seen.seats)]
    return Table(
        title=_title(seen),
        question=question(seen),
        zones=tuple(zones),
        counters=tuple(
            Counter(title="size", value=size, owner=seat, most=max(size, box.WINNING_SIZE), change=seen.modifiers[seat])
            for seat, size in enumerate(seen.sizes)
        ),
        badges=_badges(seen),
    )


def _title(seen: Observation) -> str:
    if seen.step in {"setup", "over"}:
        return "Before the first turn" if seen.step == "setup" else "The end"
    if seen.encounter is None:
        return f"Turn {seen.turn}"
    change = f" {seen.creature_modifier:+}" if seen.creature_modifier else ""
    return f"Turn {seen.turn}: {_met(seen.encounter).name}{change}"


def _badges(seen: Observation) -> tuple[Badge, ...]:
    badges = [] if seen.step in {"setup", "over"} else [Badge(seen.current_player, "in turn")]
    badges += [] if seen.attacked is None else [Badge(seen.attacked, "attacked")]
    badges += [Badge(seat, "stunned") for seat in seen.stunned]
    return (*badges, *(Badge(seat, "out") for seat, turn in enumerate(seen.out) if turn))


def _hand(seen: Observation, seat: Seat) -> Zone:
    known = seen.hand if seat == seen.seat else seen.known[seat]
    cards = (*map(_action, known), *backs(seen.hands[seat] - len(known)))
    return Zone(id=f"hand:{seat}", title="hand", kind="fan", cards=cards, owner=seat)


def _action(card: Action, count: int = 1) -> Card:
    by = box.MODIFIERS.get(card, 0)
    value = f"{_SIGN[1 if by > 0 else -1]}{abs(by)}" if by else ""
    return Card(name=card, kind=card, value=value, count=count)


def _met(card: Encounter, count: int = 1) -> Card:
    if isinstance(card, int):
        return Card(name=box.CREATURE_NAMES[card], kind=box.CREATURE_NAMES[card], value=str(card), count=count)
    return Card(name=card, kind=card, count=count)
