"""Dockfight as a picture of what one seat was sent. Knows the cards and the observation; knows no state."""

from typing import Final

from arena.game import Seat
from arena.games.dockfight.cards import DAYS, HAUL, SET, SETS_TO_WIN
from arena.games.dockfight.observation import Observation, Step, question
from arena.glyphs import glyph
from arena.view import Badge, Card, CardStyle, Counter, Hue, Table, Zone, backs, face_down, heap

_TITLES: Final[dict[Step, str]] = {
    "hit": "Push your luck",
    "move": "Burn-3 move",
    "burn": "Burn-3 move",
    "over": "The end",
}
_HUES: Final[tuple[Hue, ...]] = (
    *("red", "orange", "amber", "olive", "green", "teal"),
    *("cyan", "blue", "indigo", "violet", "pink", "brown"),
)
_FRANK: Final = Card(name="Fisherman Frank", kind="Fisherman Frank")


def looks() -> dict[str, CardStyle]:
    """A hue for each Day; Catch Sets hang on a hook."""
    days = {f"Day {day}": CardStyle(hue=hue, glyph=glyph("calendar")) for day, hue in zip(DAYS, _HUES, strict=True)}
    sets = {f"set of Day {day}": CardStyle(hue=hue, glyph=glyph("hook")) for day, hue in zip(DAYS, _HUES, strict=True)}
    return {**days, **sets, _FRANK.kind: CardStyle(hue="grey", glyph=glyph("fisherman"))}


def view(seen: Observation) -> Table:
    """CAST, LIVEWELL, STRINGERS and BROKEN HAULS before each seat; the piles and the DOCK in the middle."""
    discards = heap(_day(day, count) for day, count in zip(DAYS, seen.discard_pile, strict=True))
    zones = [
        Zone(id="dock", title="DOCK", cards=(_FRANK,) * (seen.frank is None)),
        Zone(id="draw pile", title="draw pile", kind="pile", cards=face_down(seen.draw_pile)),
        Zone(id="discard pile", title="DISCARD PILE", kind="pile", cards=discards),
    ]
    for seat in range(seen.seats):
        zones += _zones_of(seen, seat)
    badges = [] if seen.step == "over" else [Badge(seen.turn, "in turn")]
    badges += [Badge(seat, "protected") for seat in range(seen.seats) if seen.protected[seat]]
    return Table(
        title=_TITLES[seen.step],
        question=question(seen),
        zones=tuple(zones),
        counters=tuple(
            Counter(title="sets", value=len(sets), owner=seat, most=max(len(sets), SETS_TO_WIN))
            for seat, sets in enumerate(seen.stringers)
        ),
        badges=tuple(badges),
    )


def _zones_of(seen: Observation, seat: Seat) -> list[Zone]:
    cast = tuple(map(_day, seen.cast)) if seat == seen.turn else ()
    if seat == seen.seat:
        livewell = tuple(map(_day, seen.livewell))
    else:
        livewell = (*map(_day, seen.shown[seat]), *backs(seen.unseen[seat]))
    sets = tuple(_day(day, SET, kind=f"set of Day {day}") for day in seen.stringers[seat])
    hauls = tuple(_day(day, HAUL) for day in seen.broken_hauls[seat])
    frank = (_FRANK,) * (seen.frank == seat)
    return [
        Zone(id=f"livewell:{seat}", title="LIVEWELL", kind="fan", cards=livewell, owner=seat),
        Zone(id=f"stringers:{seat}", title="STRINGERS", cards=sets, owner=seat),
        Zone(id=f"hauls:{seat}", title="BROKEN HAULS", cards=hauls, owner=seat, quiet=True),
        Zone(id=f"frank:{seat}", title="Frank", cards=frank, owner=seat, quiet=True),
        Zone(id=f"cast:{seat}", title="CAST", cards=cast, owner=seat, quiet=True),
    ]


def _day(day: int, count: int = 1, *, kind: str = "") -> Card:
    return Card(name=f"Day {day}", kind=kind or f"Day {day}", value=str(day), count=count)
