"""What one seat of Dockfight knows, as it is sent to a bot, and a picture of it. Knows no rules and no state."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.dockfight import cards as box
from arena.games.dockfight.cards import DAYS, HAUL, SET, SETS_TO_WIN, Day
from arena.games.dockfight.events import Move
from arena.glyphs import glyph
from arena.structs import asks
from arena.values import BySeat, Copies, Row, Upto
from arena.view import Badge, Card, CardStyle, Counter, Hue, Table, Zone, backs, face_down, heap

Step: TypeAlias = Literal["hit", "move", "burn", "over"]
"""The question to the player in turn: HIT or STOP, which Burn-3 move, which three cards to burn; or none any more."""

question: Final = asks(
    {
        "hit": "STOP or HIT?",
        "move": "Do you burn three cards for a move?",
        "burn": "Which three Days do you burn to {0.move}?",
    }
)


_COPIES: Final = box.COPIES.__getitem__
"""Of a Day, by number of players."""
_Days: TypeAlias = Annotated[tuple[Day, ...], Copies(_COPIES)]
_Sets: TypeAlias = Annotated[tuple[Day, ...], Copies(lambda seats: _COPIES(seats) // HAUL)]
_Opening: TypeAlias = Annotated[int, Upto(box.OPENING_HAND)]


def _days(days: Sequence[int]) -> str:
    return ", ".join(map(str, days))


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Fields of tuples by seat run over all seats; cards are Day numbers."""

    seat: Seat
    seats: int
    step: Step
    turn: Seat
    stalled: Annotated[int, Upto(lambda seats: box.STALLED_ROUNDS * seats)]
    """Stalled turns in a row before this one."""
    stalling: bool
    """Whether this turn has had neither HIT nor burn yet."""
    frank: Seat | None
    """Who has Fisherman Frank, None for the DOCK."""
    draw_pile: Annotated[int, Upto(lambda seats: _COPIES(seats) * len(DAYS) + box.FRANKS)]
    """Number of cards in it."""
    discard_pile: Annotated[tuple[Annotated[int, Upto(_COPIES)], ...], Row(len(DAYS))]
    """Copies of Day 1, Day 2, ... Day 12 in it."""
    cast: Annotated[tuple[Day, ...], Copies(1)]
    """CAST of the player in turn, in order of drawing."""
    move: Move | None
    """The Burn-3 move that is being paid for."""
    livewell: _Days
    """The seat's own LIVEWELL, Days upwards."""
    stringers: BySeat[_Sets]
    """By seat: the Days of the completed Catch Sets."""
    broken_hauls: BySeat[_Sets]
    """By seat: the Days of the BROKEN HAULS."""
    protected: BySeat[bool]
    """By seat: whether it cannot be cut."""
    shown: BySeat[_Days]
    """By seat: the cards that everyone knows to be in its LIVEWELL, Days upwards."""
    unseen: BySeat[_Opening]
    """By seat: the number of further cards in its LIVEWELL, known to that seat alone."""
    at_most: BySeat[Annotated[tuple[_Opening, ...], Row(len(DAYS), or_empty=True)]]
    """By seat: how many of Day 1 ... Day 12 its unseen cards can hold, by what it built; empty: no limit."""
    laid: BySeat[Annotated[tuple[Day, ...], Copies(box.OPENING_HAND)]]
    """By seat: cards of its opening hand that were unseen until it built with them; empty with no unseen card left."""

    def __str__(self) -> str:
        where = "on the DOCK" if self.frank is None else f"with seat {self.frank}"
        lines = [f"draw pile: {self.draw_pile}; Fisherman Frank is {where}"]
        for seat in range(self.seats):
            parts = [f"sets of Day {_days(self.stringers[seat])}" if self.stringers[seat] else "no sets"]
            if self.broken_hauls[seat]:
                parts.append(f"broken hauls of Day {_days(self.broken_hauls[seat])}")
            if self.protected[seat]:
                parts.append("protected")
            if seat == self.seat:
                parts.append(f"LIVEWELL: {_days(self.livewell) or '-'}")
            else:
                parts.append(f"LIVEWELL: {', '.join([*map(str, self.shown[seat]), *'?' * self.unseen[seat]]) or '-'}")
            lines.append(f"seat {seat}: {'; '.join(parts)}")
        if self.cast:
            lines.append(f"your CAST: {_days(self.cast)}")
        return "\n".join([*lines, question(self)]).rstrip()


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
_FRANK: Final = Card(
    name="Fisherman Frank",
    kind="Fisherman Frank",
    text="ends a turn with him and three sets: wins",
    face="wins with three sets",
)


def looks() -> dict[str, CardStyle]:
    """A hue for each Day; Catch Sets hang on a hook."""
    days = {f"Day {day}": CardStyle(hue=hue, glyph=glyph("calendar")) for day, hue in zip(DAYS, _HUES, strict=True)}
    sets = {f"set of Day {day}": CardStyle(hue=hue, glyph=glyph("hook")) for day, hue in zip(DAYS, _HUES, strict=True)}
    return {**days, **sets, _FRANK.kind: CardStyle(hue="grey", glyph=glyph("fisherman"))}


def view(observation: Observation) -> Table:
    """CAST, LIVEWELL, STRINGERS and BROKEN HAULS before each seat; the piles and the DOCK in the middle."""
    discards = heap(_day(day, count) for day, count in zip(DAYS, observation.discard_pile, strict=True))
    zones = [
        Zone(id="dock", title="DOCK", cards=(_FRANK,) * (observation.frank is None)),
        Zone(id="draw pile", title="draw pile", kind="pile", cards=face_down(observation.draw_pile)),
        Zone(id="discard pile", title="DISCARD PILE", kind="pile", cards=discards),
    ]
    for seat in range(observation.seats):
        zones += _zones_of(observation, seat)
    badges = [] if observation.step == "over" else [Badge(observation.turn, "in turn")]
    badges += [Badge(seat, "protected") for seat in range(observation.seats) if observation.protected[seat]]
    return Table(
        title=_TITLES[observation.step],
        question=question(observation),
        zones=tuple(zones),
        counters=tuple(
            Counter(title="sets", value=len(sets), owner=seat, most=max(len(sets), SETS_TO_WIN))
            for seat, sets in enumerate(observation.stringers)
        ),
        badges=tuple(badges),
    )


def _zones_of(observation: Observation, seat: Seat) -> list[Zone]:
    cast = tuple(map(_day, observation.cast)) if seat == observation.turn else ()
    if seat == observation.seat:
        livewell = tuple(map(_day, observation.livewell))
    else:
        livewell = (*map(_day, observation.shown[seat]), *backs(observation.unseen[seat]))
    sets = tuple(_day(day, SET, kind=f"set of Day {day}") for day in observation.stringers[seat])
    hauls = tuple(_day(day, HAUL) for day in observation.broken_hauls[seat])
    frank = (_FRANK,) * (observation.frank == seat)
    return [
        Zone(id=f"livewell:{seat}", title="LIVEWELL", kind="fan", cards=livewell, owner=seat),
        Zone(id=f"stringers:{seat}", title="STRINGERS", cards=sets, owner=seat),
        Zone(id=f"hauls:{seat}", title="BROKEN HAULS", cards=hauls, owner=seat, quiet=True),
        Zone(id=f"frank:{seat}", title="Frank", cards=frank, owner=seat, quiet=True),
        Zone(id=f"cast:{seat}", title="CAST", cards=cast, owner=seat, quiet=True),
    ]


LEGEND: Final = (
    "Whoever is in turn draws Day cards into a CAST. Stop in time and they go into the LIVEWELL; draw a Day twice and "
    "all are lost: a BUST. Three of a Day become a set, hung up in STRINGERS. Burning three cards takes Fisherman "
    "Frank, or cuts a card out of another player's set. Whoever ends a turn with Frank and three sets wins."
)


_SET_WORDS: Final = "one of three sets that win with Fisherman Frank"
_DAY_WORDS: Final = "three alike make a set; two alike in a CAST are a BUST"


def _day(day: int, count: int = 1, *, kind: str = "") -> Card:
    text = _SET_WORDS if kind else _DAY_WORDS
    return Card(name=f"Day {day}", kind=kind or f"Day {day}", value=str(day), count=count, text=text)
