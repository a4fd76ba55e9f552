"""All that one seat has learnt in Cash-a-Catch, and a picture of it. Knows the cards, no rule and nothing hidden."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.cash_a_catch import cards as box
from arena.games.cash_a_catch.cards import CANNED_FISH, END_PHASE, FISH_THIEF, LOT_PRICE, MARKET_CLOSED, PLACES, Card
from arena.glyphs import glyph
from arena.structs import asks
from arena.values import Among, BySeat, Copies, Row, Stack, Unbounded, Upto
from arena.view import Badge, CardStyle, Counter, Table, Zone, face_down, heap
from arena.view import Card as Shown

Step: TypeAlias = Literal[
    "preparation",
    "sale",
    "auction",
    "fish thief",
    "throw away",
    "sorting",
    "canned fish",
    "end phase sale",
    "market closed",
]
"""What the table waits for: the auctioneer in ``sale``, all who may ring in ``auction``, else the buyer.

Nobody is asked in ``preparation``, before the first card is turned up, nor when the market has closed.
"""

_Copies: TypeAlias = Annotated[int, Upto(box.FISH_COPIES)]
_AnyCard: TypeAlias = Annotated[Card, Among((*box.SUPPLY, END_PHASE, MARKET_CLOSED))]
_Pile: TypeAlias = Annotated[tuple[box.FishCard, ...], Stack(box.FISH_COPIES)]

question: Final = asks(
    {
        "sale": "You are the auctioneer: which kinds do you sell?",
        "auction": "Do you ring for the lot?",
        "fish thief": "What does the fish thief steal?",
        "throw away": "A kind finds no place: which one do you throw away?",
        "sorting": "Which card do you place next, and where?",
        "canned fish": "What do you take out of your garbage can?",
        "end phase sale": "You have bought, and may sell: which kinds?",
    }
)


class Observation(Struct, frozen=True, gc=False):
    """What one seat knows. Sequences by seat run over all seats; cards of a pile stand from the bottom to the top."""

    seat: Seat
    seats: int
    bell: Literal["lot", "nearest"]
    """The variant: how seats that ring on one beat are put in order."""
    step: Step
    auctioneer: Seat
    buyer: Seat | None
    """Who bought the last lot and is busy with it; None before and during an auction."""
    end_phase: bool
    """Whether the end phase is out, so that a buyer may sell."""
    deck: Annotated[int, Upto(sum(box.SUPPLY.values()) + 2)]
    """Cards left in the supply."""
    lot: Annotated[tuple[_AnyCard, ...], Copies(box.FISH_COPIES)]
    """Cards up for auction, as turned up."""
    catch: Annotated[tuple[box.FishCard, ...], Copies(box.FISH_COPIES)]
    """Fish cards the buyer has yet to place: fish as turned up, stolen ones after them, then jokers."""
    fish_thieves: _Copies
    """Fish thieves the buyer has yet to use."""
    canned_fish: _Copies
    """Canned fish the buyer has yet to use."""
    money: BySeat[Annotated[int, Unbounded(box.START_MONEY)]]
    boards: BySeat[Annotated[tuple[_Pile, ...], Row(len(PLACES))]]
    """The cards in crate 1, crate 2 and the ice tub of every seat."""
    garbage_cans: BySeat[Annotated[tuple[box.FishCard, ...], Copies(box.FISH_COPIES)]]
    """The cards in the garbage can of every seat."""
    discards: dict[_AnyCard, _Copies]
    """Copies of each card in the discard pile."""

    def __str__(self) -> str:
        phase = "end phase" if self.end_phase else "before the end phase"
        lines = [f"{phase}; supply: {self.deck}; auctioneer: seat {self.auctioneer}"]
        for seat in range(self.seats):
            parts = [f"{self.money[seat]} Euro"]
            for place, cards in zip(PLACES, self.boards[seat], strict=True):
                if cards:
                    parts.append(f"{place}: {', '.join(cards)}")
            if self.garbage_cans[seat]:
                parts.append(f"garbage can: {', '.join(sorted(self.garbage_cans[seat]))}")
            lines.append(f"seat {seat}: {'; '.join(parts)}")
        if self.lot:
            lines.append(f"the lot: {', '.join(self.lot)}")
        if self.catch:
            lines.append(f"the catch to be placed: {', '.join(self.catch)}")
        return "\n".join([*lines, question(self)]).rstrip()


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


def view(observation: Observation) -> Table:
    """Crates, ice tub and garbage can before each seat; the lot, the supply and the discards in the middle."""
    aside = [END_PHASE] * observation.end_phase + [MARKET_CLOSED] * (observation.step == "market closed")
    zones = [
        Zone(id="lot", title=f"the lot, {LOT_PRICE} Euro", cards=_cards(observation.lot)),
        Zone(id="aside", title="set aside", cards=_cards(aside), quiet=True),
        Zone(id="supply", title="supply", kind="pile", cards=face_down(observation.deck)),
        Zone(id="discards", title="discard pile", kind="pile", cards=_heap(observation.discards)),
    ]
    for seat in range(observation.seats):
        zones += _board(observation, seat)
    badges = [Badge(observation.auctioneer, "auctioneer")] + (
        [] if observation.buyer is None else [Badge(observation.buyer, "buyer")]
    )
    phase = ", end phase" if observation.end_phase and observation.step != "market closed" else ""
    return Table(
        title=_TITLES.get(observation.step, "Purchase") + phase,
        question=question(observation),
        zones=tuple(zones),
        counters=tuple(
            Counter(title="money", value=euros, owner=seat, unit="Euro") for seat, euros in enumerate(observation.money)
        ),
        badges=tuple(badges),
    )


def _board(observation: Observation, seat: int) -> list[Zone]:
    zones = []
    for place, (title, cards) in enumerate(zip(PLACES, map(_cards, observation.boards[seat]), strict=True)):
        fish = sum(int(card.value) for card in cards)
        note = f"{fish} fish" if cards else ""
        zones.append(Zone(id=f"place {place}:{seat}", title=title, kind="fan", cards=cards, owner=seat, note=note))
    garbage = _cards(observation.garbage_cans[seat])
    zones.append(Zone(id=f"garbage:{seat}", title="garbage can", kind="pile", cards=garbage, owner=seat))
    actions = (FISH_THIEF,) * observation.fish_thieves + (CANNED_FISH,) * observation.canned_fish
    catch = _cards((*observation.catch, *actions)) if seat == observation.buyer else ()
    zones.append(Zone(id=f"catch:{seat}", title="catch", cards=catch, owner=seat, quiet=True))
    return zones


LEGEND: Final = (
    "Each player has 30 Euro, two crates and an ice tub, each for one kind of fish. An auctioneer turns up cards; the "
    "first to ring buys all of them for 10 Euro. The more fish of a kind, the better its price; but if somebody sells "
    "a kind, the others lose a card of it from their crates. Fish without a place go into the garbage can and cost "
    "money. Most money wins."
)
_TEXTS: Final[dict[Card, str]] = {
    FISH_THIEF: "its buyer takes the top card of a place of another player",
    CANNED_FISH: "its buyer takes up to 2 cards out of the own garbage can",
    END_PHASE: "from now on whoever buys a lot may sell fish at once",
    MARKET_CLOSED: "ends the game: what is left is sold at half price",
}
_FACES: Final[dict[Card, str]] = {
    FISH_THIEF: "takes a top card",
    CANNED_FISH: "empties garbage of 2",
    END_PHASE: "buyers may sell at once",
    MARKET_CLOSED: "ends the game at half price",
}


def _card(name: Card, count: int = 1) -> Shown:
    kind, _, value = name.rpartition(" ")
    if not value.isdigit():
        return Shown(name=name, kind=name, count=count, text=_TEXTS[name], face=_FACES[name])
    joker = f"a joker: counts as {value} fish of the kind in its place"
    text = joker if kind == "octopus" else f"{value} fish; the more of one kind, the better the price"
    face = "a joker, of any kind" if kind == "octopus" else ""
    return Shown(name=name, kind=kind, value=value, count=count, text=text, face=face)


def _cards(names: list[Card] | tuple[Card, ...]) -> tuple[Shown, ...]:
    return tuple(map(_card, names))


def _heap(copies: dict[Card, int]) -> tuple[Shown, ...]:
    return heap(_card(name, count) for name, count in sorted(copies.items()))
