"""Night Nets as a picture of what one seat was sent. Knows the observation and no state."""

from arena.glyphs import glyph
from arena.view import Card, CardStyle, Counter, Table, Zone, backs, face_down
from night_nets.rules import GROUNDS, SHOALS, Observation

LEGEND = (
    "At each of three grounds a shoal lies face down. Every night each player looks at one in secret, and then casts a "
    "net at one. The fish of a ground are shared by the nets that meet there. After the last night the most fish win."
)


def looks() -> dict[str, CardStyle]:
    """One look for all shoals, one for the nets."""
    return {"shoal": CardStyle(hue="teal", glyph=glyph("school")), "net": CardStyle(hue="brown", glyph=glyph("net"))}


def question(seen: Observation) -> str:
    """What the table waits for; empty words when the nights are over."""
    if len(seen.hauls) == seen.nights:
        return ""
    return "Where do you cast your net?" if seen.sighted else "Which ground do you scout?"


def view(seen: Observation) -> Table:
    """A shoal at each ground, those that are over on a heap; before each seat the net of last night."""
    over = len(seen.hauls) == seen.nights
    turned = tuple(_shoal(fish) for haul in seen.hauls for fish in haul.shoals)
    lying = 0 if over else len(GROUNDS)
    zones = [Zone(id=ground, title=ground, cards=_at(seen, ground)) for ground in GROUNDS]
    zones += [
        Zone(id="deck", title="shoals to come", kind="pile", cards=face_down(len(SHOALS) - len(turned) - lying)),
        Zone(id="over", title="shoals of past nights", kind="pile", cards=turned),
    ]
    for seat in range(seen.seats):
        cast = (
            (Card(name=f"net at the {seen.hauls[-1].casts[seat]}", kind="net", text="fished here"),)
            if seen.hauls
            else ()
        )
        zones.append(Zone(id=f"net:{seat}", title="last night", kind="tokens", cards=cast, owner=seat))
    return Table(
        title="The nights are over" if over else f"Night {len(seen.hauls) + 1} of {seen.nights}",
        question=question(seen),
        zones=tuple(zones),
        counters=tuple(Counter(title="fish", value=fish, owner=seat) for seat, fish in enumerate(seen.fish)),
    )


def _at(seen: Observation, ground: str) -> tuple[Card, ...]:
    if len(seen.hauls) == seen.nights:
        return ()
    if seen.sighted and seen.sighted.ground == ground:
        return (_shoal(seen.sighted.fish),)
    return backs(1)


def _shoal(fish: int) -> Card:
    return Card(name=f"shoal of {fish}", kind="shoal", value=str(fish), text=f"{fish} fish, shared by the nets at it")
