"""What one seat of Catch of the Day knows, as it is sent to a bot, and a picture of it. Knows the cards and no rule."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.catch_of_the_day import cards as box
from arena.games.catch_of_the_day.cards import CHOICE, DAYS, FISH, LAST_CALL, PACK, Card, FishCard
from arena.glyphs import glyph
from arena.structs import asks
from arena.values import BySeat, Copies, InOrder, Row, Unbounded, Upto
from arena.view import Badge, CardStyle, Counter, Table, Zone, backs, face_down, heap
from arena.view import Card as Shown

Mode: TypeAlias = Literal["basic", "advanced"]
Step: TypeAlias = Literal["setup", "draft", "assign", "select", "choice", "over"]
"""What is asked: nothing yet, the sub-phases of that name, nothing any more."""

_Dice: TypeAlias = Annotated[tuple[Annotated[int, Upto(box.DICE)], ...], Row(len(FISH))]
_Fish: TypeAlias = Annotated[tuple[Annotated[int, Unbounded(8)], ...], Row(len(FISH))]
_Requests: TypeAlias = Annotated[tuple[box.Request, ...], Copies(1)]

question: Final = asks(
    {
        "draft": "Which Request do you keep?",
        "assign": "Which Request do you share with your left neighbor, and which with your right?",
        "select": "Which Fish card do you select?",
        "choice": "You played Choice: which two types do you pick?",
    }
)


def _cards(cards: Sequence[Card]) -> str:
    return ", ".join([f"'{card}'" for card in cards])


def _fish(counts: Sequence[int]) -> str:
    return ", ".join([f"{count} {fish}" for fish, count in zip(FISH, counts, strict=True)])


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Counts by type: Dorado, Rosefish, Tuna; Requests are their texts."""

    seat: Seat
    seats: int
    mode: Mode
    step: Step
    day: Annotated[int, Upto(DAYS)]
    """From 1 to 5; 0 before the first."""
    market_supply: _Fish
    """By type."""
    leftover_storage: _Fish
    """By type."""
    bag: _Dice
    """Dice left in the bag, by type."""
    fish: BySeat[_Fish]
    """By seat, the Fish tokens by type."""
    requests: _Requests
    """The public Requests."""
    complaints: Annotated[tuple[box.Complaint, ...], Copies(1)]
    private_requests: BySeat[_Requests]
    """By seat, the Requests it shares with its left neighbor, the next seat; empty lists before all have assigned."""
    set_aside: Annotated[int, Upto(len(box.REQUEST_CARDS))]
    """Number of Requests set aside face down."""
    pack: _Requests
    """Draft: the Requests in hand to pick one from, by id."""
    kept: Annotated[tuple[box.Request, ...], InOrder(PACK)]
    """The Requests drafted, as they came."""
    passed: Annotated[tuple[box.Request, ...], InOrder(PACK)]
    """The Requests passed to the left in the draft, first the two of one pack, then the one of the other."""
    assigned: Annotated[tuple[box.Request, ...], InOrder(2)]
    """The Requests shared with the left and the right neighbor, once all have assigned; the third was put back."""
    choice: Annotated[tuple[Seat, ...], Copies(1)]
    """In the Choice sub-phase, who played Choice."""
    card: FishCard | None
    """In the Choice sub-phase, the seat's own Fish card."""
    tie_break: box.Request | None
    """The Request flipped for a tie at the end."""

    def __str__(self) -> str:
        lines = [f"public Requests: {_cards(self.requests)}", f"Complaints: {_cards(self.complaints)}"]
        if self.day:
            lines += [
                f"day {self.day} of {DAYS}; Market Supply: {_fish(self.market_supply)}",
                f"Leftover Storage: {_fish(self.leftover_storage)}; dice in the bag: {_fish(self.bag)}",
            ]
            lines += [
                f"seat {seat}: {_fish(fish)}; shares with seat {(seat + 1) % self.seats} {_cards(shared)}"
                for seat, (fish, shared) in enumerate(zip(self.fish, self.private_requests, strict=True))
            ]
        if self.kept and not self.assigned:
            lines.append(f"you have kept {_cards(self.kept)}")
        if self.passed and not self.assigned:
            lines.append(f"you have passed on {_cards(self.passed)}")
        return "\n".join([*lines, question(self)]).rstrip()


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


def view(observation: Observation) -> Table:
    """Public Requests, Complaints and the market in the middle; Fish and shared Requests before each seat."""
    tie = () if observation.tie_break is None else (_request(observation.tie_break),)
    zones = [
        Zone(id="requests", title="public Requests", cards=tuple(map(_request, observation.requests))),
        Zone(
            id="complaints",
            title="Complaints",
            cards=tuple(_slip(text, "complaint") for text in observation.complaints),
        ),
        Zone(id="tie break", title="for the tie", cards=tie, quiet=True),
        Zone(id="market", title="Market Supply", kind="tokens", cards=_fish_cards(observation.market_supply)),
        Zone(id="storage", title="Leftover Storage", kind="tokens", cards=_fish_cards(observation.leftover_storage)),
        Zone(id="bag", title="dice in the bag", kind="tokens", cards=_fish_cards(observation.bag)),
        Zone(id="set aside", title="set aside", kind="pile", cards=face_down(observation.set_aside)),
    ]
    for seat in range(observation.seats):
        zones += _zones_of(observation, seat)
    total = [sum(fish) for fish in observation.fish]
    return Table(
        title=_TITLES.get(observation.step, f"Day {observation.day} of {DAYS}"),
        question=question(observation),
        zones=tuple(zones),
        counters=tuple(Counter(title="Fish", value=fish, owner=seat) for seat, fish in enumerate(total)),
        badges=tuple(Badge(seat, "played Choice") for seat in observation.choice),
    )


def _zones_of(observation: Observation, seat: Seat) -> list[Zone]:
    shared = observation.private_requests[seat] if observation.private_requests else ()
    selected: tuple[Shown, ...] = ()
    if observation.step == "choice":
        card = CHOICE if seat in observation.choice else observation.card if seat == observation.seat else None
        selected = (_slip(card, card),) if card else backs(1)
    pack, draft = _drafted(observation, seat)
    return [
        Zone(id=f"fish:{seat}", title="Fish", kind="tokens", cards=_fish_cards(observation.fish[seat]), owner=seat),
        Zone(
            id=f"shared:{seat}",
            title=f"shared with seat {(seat + 1) % observation.seats}",
            cards=tuple(map(_request, shared)),
            owner=seat,
            quiet=True,
        ),
        Zone(id=f"pack:{seat}", title="Requests to pick from", cards=pack, owner=seat, quiet=True),
        Zone(id=f"kept:{seat}", title="kept Requests", cards=draft, owner=seat, quiet=True),
        Zone(id=f"selected:{seat}", title="Fish card", kind="tokens", cards=selected, owner=seat, quiet=True),
    ]


def _drafted(observation: Observation, seat: Seat) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """The pack and the kept Requests of a seat; a Request that the viewer knows shows its text."""
    if observation.assigned:
        return (), ()
    if seat == observation.seat:
        return tuple(map(_request, observation.pack)), tuple(map(_request, observation.kept))
    pack: Sequence[Card | None] = [None] * len(observation.pack)
    draft: list[Card | None] = [None] * len(observation.kept)
    if seat == (observation.seat + 1) % observation.seats:
        if len(observation.passed) == len(observation.pack):
            pack = observation.passed
        elif len(observation.passed) == PACK:
            draft[-1] = observation.passed[-1]
    return tuple(map(_request, pack)), tuple(map(_request, draft))


LEGEND: Final = (
    "Requests say what fish to have, such as most tuna: at the end each is a point for everyone of whom it is true, a "
    "shared one only for the two neighbors who share it. A Complaint takes a point. On five days all pick a card in "
    "secret: a type of fish, divided among all who picked it; Choice, one each of two types; or Last Call, what is "
    "left. Most points win."
)
_TEXTS: Final = {
    "request": "+1 at the end if true of you; shared: only for its two",
    "complaint": "-1 at the end for everyone of whom it is true",
    CHOICE: "one fish each of two types, if there is enough for all",
    LAST_CALL: "a share of all fish that are left, stored ones included",
}
_FACES: Final = {"request": "+1 if true of you", "complaint": "-1 if true of you"}


def _request(text: Card | None) -> Shown:
    return _slip(text, "request") if text else Shown()


def _slip(name: Card, kind: str, count: int = 1) -> Shown:
    text = _TEXTS.get(kind, "a type of fish; all who pick it share it")
    return Shown(name=name, kind=kind, count=count, text=text, face=_FACES.get(kind, ""))


def _fish_cards(counts: Sequence[int]) -> tuple[Shown, ...]:
    return heap(_slip(fish, fish, count) for fish, count in zip(FISH, counts, strict=True))
