"""All that one seat has learnt in Lure, as it is sent to a bot, and a picture of it. Knows no rule and no state."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.lure import cards as box
from arena.games.lure.cards import ADJUST, BOOST, BOOST_VP, D6, EXTRA_DIE, FISH, SIDES, Die, Fish, Lure
from arena.games.lure.odds import Move
from arena.glyphs import glyph
from arena.structs import asks
from arena.values import LEFT_OUT, Among, BySeat, Copies, InOrder, Unbounded, Upto
from arena.view import Card, CardStyle, Counter, Hue, Table, Zone, backs, face_down, heap

Step: TypeAlias = Literal["setup", "dice", "lures", "adjust", "over"]
"""What the table waits for: nobody yet, the dice of all, the lures of all, the Adjusts of a group; or the end."""

_Dice: TypeAlias = Annotated[tuple[Die, ...], InOrder(box.D6S + len(box.SPECIAL_DICE))]
_Numbers: TypeAlias = Annotated[
    tuple[Annotated[int, Upto(max(SIDES.values()))], ...], InOrder(box.D6S + len(box.SPECIAL_DICE))
]
_LureCount: TypeAlias = Annotated[int, Upto(sum(box.LURES.values()))]
_Lures: TypeAlias = Annotated[tuple[Lure, ...], Copies(max(box.LURES.values()))]
_Names: TypeAlias = Annotated[tuple[Annotated[str, Among(tuple(fish.name for fish in FISH))], ...], Copies(1)]

question: Final = asks(
    {
        "dice": "Which dice do you cast?",
        "lures": "Which lures do you add?",
        "adjust": "Do you adjust a die? ({0.adjusts} left)",
    }
)


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Fields *by seat* have one entry for each seat."""

    seat: Seat
    seats: int
    effects: Literal["on", "off"]
    """The variant: whether fish do something when they are revealed."""
    step: Step
    round: Annotated[int, Unbounded(len(FISH))]
    """The round being played, from 1."""
    deck: Annotated[int, Upto(len(FISH))]
    """Fish left in the deck."""
    fish: Annotated[tuple[Fish, ...], Copies(1)]
    """Fish in the middle, as they were revealed."""
    lures: _Lures
    """The seat's own lures behind its screen."""
    held: BySeat[_LureCount]
    """By seat: how many lures it has behind its screen."""
    lure_pile: _LureCount
    """Lures in the draw pile."""
    piles: Annotated[tuple[dict[Lure, int], ...], LEFT_OUT]
    """Copies of each lure in all hands at the first reshuffle, then in each pile made since; empty before."""
    moves: Annotated[tuple[tuple[Move, ...], ...], LEFT_OUT]
    """By seat: what it drew and played since the first reshuffle, as ``odds`` has it; empty before."""
    drawn: Annotated[tuple[tuple[Lure, ...], ...], LEFT_OUT]
    """By pile: the lures that the seat itself drew of it."""
    discards: dict[Lure, _LureCount]
    """Copies of each lure in the discard pile."""
    boosts: BySeat[_LureCount]
    """By seat: Boosts scored."""
    score_piles: BySeat[_Names]
    """By seat: names of the fish in its score pile."""
    vp: BySeat[Annotated[int, Unbounded(20)]]
    """By seat: victory points of fish and Boosts."""
    resting: BySeat[Annotated[tuple[Die, ...], Copies(1)]]
    """By seat: special dice that cannot be chosen this round."""
    chosen: _Dice
    """The seat's own dice for the next cast, while the table waits for lures."""
    dice: BySeat[_Dice]
    """By seat: dice of the last cast that was revealed: of this round while Adjusts are asked for, else of the last."""
    rolls: BySeat[_Numbers]
    """By seat: what these dice show to everyone; empty before the roll, and if there was none."""
    played: BySeat[_Lures]
    """By seat: lures of that cast that are not discarded or scored yet."""
    group: Annotated[tuple[Seat, ...], Copies(1)]
    """Who is rolling together, while the table waits for their Adjusts."""
    numbers: _Numbers
    """In the group: the numbers of the seat's own dice as adjusted so far."""
    adjusts: _LureCount
    """In the group: Adjusts the seat may still use; 0 once it has said done."""

    def __str__(self) -> str:
        lines = [f"round {self.round}; fish in the deck: {self.deck}; lures in the draw pile: {self.lure_pile}"]
        lines += [f"in the middle: {fish}" for fish in self.fish]
        for seat in range(self.seats):
            fish = ", ".join(self.score_piles[seat]) or "no fish"
            parts = [f"{self.vp[seat]} VP ({fish}), boosts {self.boosts[seat]}, lures {self.held[seat]}"]
            if self.resting[seat]:
                parts.append(f"resting: {', '.join(self.resting[seat])}")
            if self.step == "adjust" and self.dice[seat]:
                parts.append(f"cast: {', '.join([*self.dice[seat], *self.played[seat]])}")
                if self.rolls[seat]:
                    parts.append(f"rolled: {', '.join(map(str, self.rolls[seat]))}")
            lines.append(f"seat {seat}: {'; '.join(parts)}")
        for label, cards in (("lures", self.lures), ("dice", self.chosen), ("numbers now", self.numbers)):
            if cards:
                lines.append(f"your {label}: {', '.join(map(str, cards))}")
        return "\n".join([*lines, question(self)]).rstrip()


_TITLES: Final[dict[Step, str]] = {
    "setup": "Before the first round",
    "dice": "Bait: the dice",
    "lures": "Bait: the lures",
    "adjust": "Adjusting the dice",
    "over": "The end",
}
_FISH: Final = {fish.name: fish for fish in FISH}
_TEXTS: Final[dict[Lure, str]] = {
    ADJUST: "after the roll: change one of your dice by 1, up or down",
    BOOST: f"{BOOST_VP} VP if its player catches a fish with this roll",
}
_FACES: Final[dict[Lure, str]] = {ADJUST: "one die by 1, up or down", BOOST: f"{BOOST_VP} VP with a catch"}
_HUE_BY_VP: Final[dict[int, Hue]] = {
    1: "cyan",
    2: "teal",
    3: "green",
    4: "olive",
    5: "orange",
    6: "red",
    7: "violet",
}


def looks() -> dict[str, CardStyle]:
    """Fish are larger and of another hue the more points they give; slender ones must be even or odd."""
    styles = {}
    for fish in FISH:
        shape = "eel" if fish.name == "Eel" else f"{'slender' if fish.requirement else 'round'}-{fish.vp}"
        styles[fish.name] = CardStyle(hue=_HUE_BY_VP[fish.vp], glyph=glyph(shape))
    for die, sides in SIDES.items():
        styles[die] = CardStyle(hue=("blue", "indigo", "violet")[list(SIDES).index(die)], glyph=glyph(f"die-{sides}"))
    styles[ADJUST] = CardStyle(hue="amber", glyph=glyph("dial"))
    styles[BOOST] = CardStyle(hue="pink", glyph=glyph("plus"))
    return styles | {name: CardStyle(hue="brown", glyph=glyph("hook")) for name in EXTRA_DIE}


def view(observation: Observation) -> Table:
    """Fish to be caught in the middle; lures, dice and the score pile before each seat."""
    discards = heap(_lure(lure, count) for lure, count in observation.discards.items())
    zones = [
        Zone(
            id="middle", title="fish in the middle", cards=tuple([_fish(fish, fish.catch) for fish in observation.fish])
        ),
        Zone(id="deck", title="fish deck", kind="pile", cards=face_down(observation.deck)),
        Zone(id="lure pile", title="lures", kind="pile", cards=face_down(observation.lure_pile)),
        Zone(id="discards", title="discarded lures", kind="pile", cards=discards),
    ]
    for seat in range(observation.seats):
        zones += _zones_of(observation, seat)
    counters = tuple(Counter(title="points", value=vp, owner=seat, unit="VP") for seat, vp in enumerate(observation.vp))
    title = _TITLES[observation.step]
    return Table(
        title=title if observation.step in {"setup", "over"} else f"Round {observation.round}. {title}",
        question=question(observation),
        zones=tuple(zones),
        counters=counters,
    )


def _zones_of(observation: Observation, seat: Seat) -> list[Zone]:
    mine = seat == observation.seat
    lures = tuple(map(_lure, observation.lures)) if mine else backs(observation.held[seat])
    caught = tuple([_fish(_FISH[name], _FISH[name].vp) for name in observation.score_piles[seat]])
    numbers = observation.numbers if mine and observation.numbers else observation.rolls[seat]
    dice = tuple(
        _die(die, numbers[index] if index < len(numbers) else 0) for index, die in enumerate(observation.dice[seat])
    )
    next_cast = tuple(_die(die) for die in observation.chosen) if mine else ()
    played = tuple(map(_lure, observation.played[seat]))
    boosts = heap([_lure(BOOST, observation.boosts[seat])])
    resting = tuple(_die(die) for die in observation.resting[seat])
    return [
        Zone(id=f"lures:{seat}", title="lures", cards=lures, owner=seat),
        Zone(id=f"score:{seat}", title="score pile", kind="pile", cards=caught, owner=seat),
        Zone(id=f"boosts:{seat}", title="scored Boosts", kind="pile", cards=boosts, owner=seat, quiet=True),
        Zone(id=f"played:{seat}", title="lures of the cast", cards=played, owner=seat, quiet=True),
        Zone(id=f"dice:{seat}", title="cast", kind="tokens", cards=dice, owner=seat, quiet=True),
        Zone(id=f"chosen:{seat}", title="next cast", kind="tokens", cards=next_cast, owner=seat, quiet=True),
        Zone(id=f"resting:{seat}", title="resting", kind="tokens", cards=resting, owner=seat, quiet=True),
    ]


LEGEND: Final = (
    "In the middle lie fish. All choose dice in secret; whoever took the fewest rolls first. A roll catches every "
    "fish whose number it reaches in all and whose condition it meets; of equally many dice the lower total takes it. "
    "Lures add a die, change one by 1, or give extra points; who catches nothing draws one. Most victory points (VP) "
    "win."
)


def _fish(fish: Fish, value: int) -> Card:
    needs = f", {fish.requirement}" if fish.requirement else ""
    text = f"roll {fish.catch} or more in all{needs}: {fish.vp} VP"
    face = ", ".join(filter(None, (fish.requirement, f"{fish.vp} VP")))
    return Card(name=fish.name, kind=fish.name, value=str(value), text=text, face=face)


def _lure(lure: Lure, count: int = 1) -> Card:
    number = EXTRA_DIE.get(lure)
    text = f"counts as one more die that shows {number}" if number else _TEXTS[lure]
    face = _FACES.get(lure, f"a die that shows {number}")
    return Card(name=lure, kind=lure, value=str(number or ""), count=count, text=text, face=face)


def _die(die: Die, shows: int = 0) -> Card:
    rests = "" if die == D6 else "; once rolled it rests for a round"
    return Card(name=die, kind=die, value=str(shows or ""), text=f"a die with {SIDES[die]} sides{rests}")
