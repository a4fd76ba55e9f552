"""All that one seat has learnt in Cash-a-Catch. Knows the cards; knows no rule of play and nothing hidden."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.cash_a_catch.cards import PLACES, Card
from arena.structs import asks

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
    deck: int
    """Cards left in the supply."""
    lot: tuple[Card, ...]
    """Cards up for auction, as turned up."""
    catch: tuple[Card, ...]
    """Fish cards the buyer has yet to place: fish as turned up, stolen ones after them, then jokers."""
    fish_thieves: int
    """Fish thieves the buyer has yet to use."""
    canned_fish: int
    """Canned fish the buyer has yet to use."""
    money: tuple[int, ...]
    boards: tuple[tuple[tuple[Card, ...], ...], ...]
    """The cards in crate 1, crate 2 and the ice tub of every seat."""
    garbage_cans: tuple[tuple[Card, ...], ...]
    """The cards in the garbage can of every seat."""
    discards: dict[Card, int]
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
