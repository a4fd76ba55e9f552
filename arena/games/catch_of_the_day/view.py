"""Catch of the Day as a picture of what one seat was sent. Knows the cards and the observation; knows no state."""

from collections.abc import Sequence
from typing import Final

from arena.game import Seat
from arena.games.catch_of_the_day.cards import CHOICE, DAYS, FISH, LAST_CALL, PACK, Card
from arena.games.catch_of_the_day.observation import Observation, Step, question
from arena.glyphs import glyph
from arena.view import Badge, CardStyle, Counter, Table, Zone, backs, face_down, heap
from arena.view import Card as Shown

_TITLES: Final[dict[Step, str]] = {
    "setup": "Before the first day",
    "draft": "Planning: the draft",
    "assign": "Planning: the Requests are shared",
    "over": "The end",
}


def looks() -> dict[str, CardStyle]:
    """How Fish, Fish cards, Requests and Complaints look."""
    return {
        "dorado": CardStyle(hue="amber", glyph=glyph("dorado")),
        "rosefish": CardStyle(hue="pink", glyph=glyph("rosefish")),
        "tuna": CardStyle(hue="indigo", glyph=glyph("tuna")),
        CHOICE: CardStyle(hue="violet", glyph=glyph("switch")),
        LAST_CALL: CardStyle(hue="grey", glyph=glyph("hourglass")),
        "request": CardStyle(hue="teal", glyph=glyph("request")),
        "complaint": CardStyle(hue="red", glyph=glyph("complaint")),
    }


def view(seen: Observation) -> Table:
    """Public Requests, Complaints and the market in the middle; Fish and shared Requests before each seat."""
    tie = () if seen.tie_break is None else (_request(seen.tie_break),)
    zones = [
        Zone(id="requests", title="public Requests", cards=tuple(map(_request, seen.requests))),
        Zone(id="complaints", title="Complaints", cards=tuple(_slip(text, "complaint") for text in seen.complaints)),
        Zone(id="tie break", title="for the tie", cards=tie, quiet=True),
        Zone(id="market", title="Market Supply", kind="tokens", cards=_fish(seen.market_supply)),
        Zone(id="storage", title="Leftover Storage", kind="tokens", cards=_fish(seen.leftover_storage)),
        Zone(id="bag", title="dice in the bag", kind="tokens", cards=_fish(seen.bag)),
        Zone(id="set aside", title="set aside", kind="pile", cards=face_down(seen.set_aside)),
    ]
    for seat in range(seen.seats):
        zones += _zones_of(seen, seat)
    total = [sum(fish) for fish in seen.fish]
    return Table(
        title=_TITLES.get(seen.step, f"Day {seen.day} of {DAYS}"),
        question=question(seen),
        zones=tuple(zones),
        counters=tuple(Counter(title="Fish", value=fish, owner=seat) for seat, fish in enumerate(total)),
        badges=tuple(Badge(seat, "played Choice") for seat in seen.choice),
    )


def _zones_of(seen: Observation, seat: Seat) -> list[Zone]:
    shared = seen.private_requests[seat] if seen.private_requests else ()
    selected: tuple[Shown, ...] = ()
    if seen.step == "choice":
        card = CHOICE if seat in seen.choice else seen.card if seat == seen.seat else None
        selected = (Shown(name=card, kind=card),) if card else backs(1)
    pack, kept = _drafted(seen, seat)
    return [
        Zone(id=f"fish:{seat}", title="Fish", kind="tokens", cards=_fish(seen.fish[seat]), owner=seat),
        Zone(
            id=f"shared:{seat}",
            title=f"shared with seat {(seat + 1) % seen.seats}",
            cards=tuple(map(_request, shared)),
            owner=seat,
            quiet=True,
        ),
        Zone(id=f"pack:{seat}", title="Requests to pick from", cards=pack, owner=seat, quiet=True),
        Zone(id=f"kept:{seat}", title="kept Requests", cards=kept, owner=seat, quiet=True),
        Zone(id=f"selected:{seat}", title="Fish card", kind="tokens", cards=selected, owner=seat, quiet=True),
    ]


def _drafted(seen: Observation, seat: Seat) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """The pack and the kept Requests of a seat; a Request that the viewer knows shows its text."""
    if seen.assigned:
        return (), ()
    if seat == seen.seat:
        return tuple(map(_request, seen.pack)), tuple(map(_request, seen.kept))
    pack: Sequence[Card | None] = [None] * len(seen.pack)
    kept: list[Card | None] = [None] * len(seen.kept)
    if seat == (seen.seat + 1) % seen.seats:
        if len(seen.passed) == len(seen.pack):
            pack = seen.passed
        elif len(seen.passed) == PACK:
            kept[-1] = seen.passed[-1]
    return tuple(map(_request, pack)), tuple(map(_request, kept))


def _request(text: Card | None) -> Shown:
    return _slip(text, "request") if text else Shown()


def _slip(text: Card, kind: str) -> Shown:
    return Shown(name=text, kind=kind)


def _fish(counts: Sequence[int]) -> tuple[Shown, ...]:
    return heap(Shown(name=fish, kind=fish, count=count) for fish, count in zip(FISH, counts, strict=True))
