"""Lure as a picture of what one seat was sent. Knows the cards and the observation; knows no state."""

from typing import Final

from arena.game import Seat
from arena.games.lure.cards import ADJUST, BOOST, EXTRA_DIE, FISH, SIDES, Die, Fish, Lure
from arena.games.lure.observation import Observation, Step, question
from arena.glyphs import glyph
from arena.view import Card, CardStyle, Counter, Hue, Table, Zone, backs, face_down, heap

_TITLES: Final[dict[Step, str]] = {
    "setup": "Before the first round",
    "dice": "Bait: the dice",
    "lures": "Bait: the lures",
    "adjust": "Adjusting the dice",
    "over": "The end",
}
_FISH: Final = {fish.name: fish for fish in FISH}
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


def view(seen: Observation) -> Table:
    """Fish to be caught in the middle; lures, dice and the score pile before each seat."""
    discards = heap(_lure(lure, count) for lure, count in seen.discards.items())
    zones = [
        Zone(id="middle", title="fish in the middle", cards=tuple(map(_in_the_middle, seen.fish))),
        Zone(id="deck", title="fish deck", kind="pile", cards=face_down(seen.deck)),
        Zone(id="lure pile", title="lures", kind="pile", cards=face_down(seen.lure_pile)),
        Zone(id="discards", title="discarded lures", kind="pile", cards=discards),
    ]
    for seat in range(seen.seats):
        zones += _zones_of(seen, seat)
    counters = tuple(Counter(title="points", value=vp, owner=seat, unit="VP") for seat, vp in enumerate(seen.vp))
    title = _TITLES[seen.step]
    return Table(
        title=title if seen.step in {"setup", "over"} else f"Round {seen.round}. {title}",
        question=question(seen),
        zones=tuple(zones),
        counters=counters,
    )


def _zones_of(seen: Observation, seat: Seat) -> list[Zone]:
    mine = seat == seen.seat
    lures = tuple(map(_lure, seen.lures)) if mine else backs(seen.held[seat])
    caught = tuple(map(_caught, seen.score_piles[seat]))
    numbers = seen.numbers if mine and seen.numbers else seen.rolls[seat]
    dice = tuple(_die(die, numbers[index] if index < len(numbers) else 0) for index, die in enumerate(seen.dice[seat]))
    chosen = tuple(_die(die) for die in seen.chosen) if mine else ()
    played = tuple(map(_lure, seen.played[seat]))
    boosts = heap([_lure(BOOST, seen.boosts[seat])])
    resting = tuple(_die(die) for die in seen.resting[seat])
    return [
        Zone(id=f"lures:{seat}", title="lures", cards=lures, owner=seat),
        Zone(id=f"score:{seat}", title="score pile", kind="pile", cards=caught, owner=seat),
        Zone(id=f"boosts:{seat}", title="scored Boosts", kind="pile", cards=boosts, owner=seat, quiet=True),
        Zone(id=f"played:{seat}", title="lures of the cast", cards=played, owner=seat, quiet=True),
        Zone(id=f"dice:{seat}", title="cast", kind="tokens", cards=dice, owner=seat, quiet=True),
        Zone(id=f"chosen:{seat}", title="next cast", kind="tokens", cards=chosen, owner=seat, quiet=True),
        Zone(id=f"resting:{seat}", title="resting", kind="tokens", cards=resting, owner=seat, quiet=True),
    ]


def _in_the_middle(fish: Fish) -> Card:
    return Card(name=fish.name, kind=fish.name, value=str(fish.catch))


def _caught(name: str) -> Card:
    return Card(name=name, kind=name, value=str(_FISH[name].vp))


def _lure(lure: Lure, count: int = 1) -> Card:
    return Card(name=lure, kind=lure, value=str(EXTRA_DIE.get(lure, "")), count=count)


def _die(die: Die, shows: int = 0) -> Card:
    return Card(name=die, kind=die, value=str(shows) if shows else "")
