"""Cash-a-Catch as a picture of what one seat was sent. Knows the cards and the observation; knows no state."""

from typing import Final

from arena.games.cash_a_catch.cards import CANNED_FISH, END_PHASE, FISH_THIEF, LOT_PRICE, MARKET_CLOSED, PLACES, Card
from arena.games.cash_a_catch.observation import Observation, Step, question
from arena.glyphs import glyph
from arena.view import Badge, CardStyle, Counter, Table, Zone, face_down, heap
from arena.view import Card as Shown

_TITLES: Final[dict[Step, str]] = {
    "preparation": "Before the first card",
    "sale": "Sale of the auctioneer",
    "auction": "Auction",
    "end phase sale": "Sale of the buyer",
    "market closed": "The market has closed",
}


def looks() -> dict[str, CardStyle]:
    """How each kind of card looks."""
    return {
        "eel": CardStyle(hue="olive", glyph=glyph("eel")),
        "shark": CardStyle(hue="blue", glyph=glyph("shark")),
        "flounder": CardStyle(hue="brown", glyph=glyph("flounder")),
        "crawfish": CardStyle(hue="orange", glyph=glyph("crawfish")),
        "tuna": CardStyle(hue="indigo", glyph=glyph("deep-tuna")),
        "lobster": CardStyle(hue="red", glyph=glyph("lobster")),
        "octopus": CardStyle(hue="violet", glyph=glyph("octopus")),
        FISH_THIEF: CardStyle(hue="grey", glyph=glyph("thief")),
        CANNED_FISH: CardStyle(hue="teal", glyph=glyph("can")),
        END_PHASE: CardStyle(hue="amber", glyph=glyph("hourglass")),
        MARKET_CLOSED: CardStyle(hue="grey", glyph=glyph("sign")),
    }


def view(seen: Observation) -> Table:
    """Crates, ice tub and garbage can before each seat; the lot, the supply and the discards in the middle."""
    aside = [END_PHASE] * seen.end_phase + [MARKET_CLOSED] * (seen.step == "market closed")
    zones = [
        Zone(id="lot", title=f"the lot, {LOT_PRICE} Euro", cards=_cards(seen.lot)),
        Zone(id="aside", title="set aside", cards=_cards(aside), quiet=True),
        Zone(id="supply", title="supply", kind="pile", cards=face_down(seen.deck)),
        Zone(id="discards", title="discard pile", kind="pile", cards=_heap(seen.discards)),
    ]
    for seat in range(seen.seats):
        zones += _board(seen, seat)
    badges = [Badge(seen.auctioneer, "auctioneer")] + ([] if seen.buyer is None else [Badge(seen.buyer, "buyer")])
    phase = ", end phase" if seen.end_phase and seen.step != "market closed" else ""
    return Table(
        title=_TITLES.get(seen.step, "Purchase") + phase,
        question=question(seen),
        zones=tuple(zones),
        counters=tuple(
            Counter(title="money", value=euros, owner=seat, unit="Euro") for seat, euros in enumerate(seen.money)
        ),
        badges=tuple(badges),
    )


def _board(seen: Observation, seat: int) -> list[Zone]:
    zones = []
    for place, (title, cards) in enumerate(zip(PLACES, map(_cards, seen.boards[seat]), strict=True)):
        fish = sum(int(card.value) for card in cards)
        note = f"{fish} fish" if cards else ""
        zones.append(Zone(id=f"place {place}:{seat}", title=title, kind="fan", cards=cards, owner=seat, note=note))
    garbage = _cards(seen.garbage_cans[seat])
    zones.append(Zone(id=f"garbage:{seat}", title="garbage can", kind="pile", cards=garbage, owner=seat))
    actions = (FISH_THIEF,) * seen.fish_thieves + (CANNED_FISH,) * seen.canned_fish
    catch = _cards((*seen.catch, *actions)) if seat == seen.buyer else ()
    zones.append(Zone(id=f"catch:{seat}", title="catch", cards=catch, owner=seat, quiet=True))
    return zones


def _card(name: Card, count: int = 1) -> Shown:
    kind, _, value = name.rpartition(" ")
    if not value.isdigit():
        return Shown(name=name, kind=name, count=count)
    return Shown(name=name, kind=kind, value=value, count=count)


def _cards(names: list[Card] | tuple[Card, ...]) -> tuple[Shown, ...]:
    return tuple(map(_card, names))


def _heap(copies: dict[Card, int]) -> tuple[Shown, ...]:
    return heap(_card(name, count) for name, count in sorted(copies.items()))
