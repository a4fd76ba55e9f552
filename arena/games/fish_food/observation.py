"""What one seat of Fish Food knows, as it is sent to a bot, and a picture of it. Knows no rules and no state."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from arena.game import Seat
from arena.games.fish_food import cards as box
from arena.games.fish_food.cards import CREATURE_NAMES, Action, Encounter
from arena.glyphs import glyph
from arena.structs import asks
from arena.values import LEFT_OUT, BySeat, Copies, Row, Unbounded, Upto
from arena.view import Badge, Card, CardStyle, Counter, Table, Zone, backs, face_down, heap

Mode: TypeAlias = Literal["standard", "beginner", "simple"]
EventCards: TypeAlias = Literal["keep", "remove", "off"]
"""What becomes of an Event after use: discarded and reshuffled, or removed from the game; or there are none."""
Ties: TypeAlias = Literal["win", "tie"]

Step: TypeAlias = Literal["setup", "play", "take the bait", "end of turn", "over"]
"""What the table waits for: an Action or a pass, an answer to the Event, discards down to the hand limit.

Nobody is asked in ``setup``, before the first card is flipped, nor when the game is over.
"""

_Actions: TypeAlias = Annotated[tuple[Action, ...], Copies(max(box.ACTIONS.values()))]
_Cards: TypeAlias = Annotated[int, Upto(sum(box.ACTIONS.values()))]
_Encounters: TypeAlias = Annotated[int, Upto(sum(box.ENCOUNTER_COPIES.values()))]
_Size: TypeAlias = Annotated[int, Unbounded(box.WINNING_SIZE)]
_Turn: TypeAlias = Annotated[int, Upto(box.TURN_LIMIT + 1)]

question: Final = asks(
    {
        "play": "Do you play an Action?",
        "take the bait": "Do you take the bait?",
        "end of turn": "You are above the hand limit: which do you discard?",
    }
)


def _with(size: int, modifier: int) -> str:
    return f"{size} {modifier:+} = {size + modifier}" if modifier else f"{size}"


class Observation(Struct, frozen=True, gc=False):
    """Everything a seat has learnt. Tuples *by seat* run over all seats.

    Counts of Actions are in the order of the table of Actions, counts of Encounters creatures 1 to 10 and then Shark,
    Take the Bait, Feeding Frenzy.
    """

    seat: Seat
    seats: int
    mode: Mode
    event_cards: EventCards
    ties: Ties
    step: Step
    turn: _Turn
    """The number of this turn, from 1; 0 in ``setup``."""
    current_player: Seat
    player: Seat
    """Whose turn it is to play an Action; the current player while nobody may."""
    passes: Annotated[int, Upto(lambda seats: seats)]
    """Players in succession who have passed, or were passed over as stunned, since the last Action of this turn."""
    sizes: BySeat[_Size]
    """By seat: where the chip stands; 0 is out of the game."""
    out: BySeat[_Turn]
    """By seat: the turn in which it went out; 0 while it is in the game."""
    encounter: Encounter | None
    """The card flipped in this turn: a creature's printed size or an Event."""
    attacked: Seat | None
    """Whose Character the creature attacks now."""
    modifiers: BySeat[_Size]
    """By seat: what the Actions of this turn add to its size."""
    creature_modifier: _Size
    """What they add to the creature's."""
    stunned: Annotated[tuple[Seat, ...], Copies(1)]
    """Who may play no more Actions in this turn."""
    played: _Actions
    """The Actions of this turn, in order; they are discarded at its end."""
    hand: _Actions
    """The seat's own hand."""
    hands: BySeat[_Cards]
    """By seat: cards in its hand."""
    known: BySeat[_Actions]
    """By seat: cards this seat lost at sea, which are surely in that hand now."""
    exposed: BySeat[_Actions]
    """By seat: cards of the own hand that were taken from it, and that it knows to be there."""
    action_deck: _Cards
    """Cards in the Actions deck."""
    action_discards: Annotated[tuple[_Cards, ...], Row(len(box.ACTIONS))]
    encounter_deck: _Encounters
    encounter_discards: Annotated[tuple[_Encounters, ...], Row(len(box.ENCOUNTER_COPIES))]
    removed: Annotated[tuple[_Encounters, ...], Row(len(box.EVENTS))]
    """Copies of each Event that are out of the game."""
    piles: Annotated[tuple[tuple[int, ...], ...], LEFT_OUT]
    """Copies of each Action in the deck and the other hands as ``moves`` begin, then in each reshuffled deck."""
    moves: Annotated[tuple[str, ...], LEFT_OUT]
    """What hands drew, laid down and took, as the seat saw it since it first lost cards or a deck was reshuffled.

    ``2+`` seat 2 draws an Action, ``2b`` it plays or discards one, ``2<0`` it takes one of seat 0, ``~`` the Actions
    are reshuffled. Letters, ``a`` to ``h`` in the order of the table of Actions, say which. Where the seat itself
    draws, takes or loses the card, the letter stands at the end: ``2+b``, ``2<0b``.
    """

    def __str__(self) -> str:
        lines = [f"turn {self.turn}, of seat {self.current_player}; {self._encounter()}"]
        for seat, size in enumerate(self.sizes):
            if self.out[seat]:
                lines.append(f"seat {seat}: out since turn {self.out[seat]}")
                continue
            stunned = ", stunned" if seat in self.stunned else ""
            lines.append(f"seat {seat}: size {_with(size, self.modifiers[seat])}, hand {self.hands[seat]}{stunned}")
        lines.append(f"your hand: {', '.join(self.hand) or '-'}")
        return "\n".join([*lines, question(self)]).rstrip()

    def _encounter(self) -> str:
        if not isinstance(self.encounter, int):
            return "no encounter" if self.encounter is None else f"the Event {self.encounter}"
        size = _with(self.encounter, self.creature_modifier)
        return f"{CREATURE_NAMES[self.encounter]}, size {size}, against seat {self.attacked}"


_SIGN: Final = {1: "+", -1: "\N{MINUS SIGN}"}


def looks() -> dict[str, CardStyle]:
    """How each Action, creature and Event looks."""
    return {
        "Fish Food": CardStyle(hue="green", glyph=glyph("flakes")),
        "Caught in the Net": CardStyle(hue="brown", glyph=glyph("net")),
        "Sunken Treasure": CardStyle(hue="amber", glyph=glyph("chest")),
        "School of Fish": CardStyle(hue="teal", glyph=glyph("school")),
        "Stun": CardStyle(hue="orange", glyph=glyph("stun")),
        "Swim Away": CardStyle(hue="cyan", glyph=glyph("swim")),
        "Switcheroo": CardStyle(hue="violet", glyph=glyph("switch")),
        "Lost at Sea": CardStyle(hue="pink", glyph=glyph("lifebuoy")),
        "Shrimp": CardStyle(hue="pink", glyph=glyph("shrimp")),
        "Minnow": CardStyle(hue="teal", glyph=glyph("minnow")),
        "Seahorse": CardStyle(hue="amber", glyph=glyph("seahorse")),
        "Crab": CardStyle(hue="red", glyph=glyph("crab")),
        "Pufferfish": CardStyle(hue="olive", glyph=glyph("pufferfish")),
        "Squid": CardStyle(hue="violet", glyph=glyph("squid")),
        "Barracuda": CardStyle(hue="blue", glyph=glyph("barracuda")),
        "Moray": CardStyle(hue="green", glyph=glyph("eel")),
        "Swordfish": CardStyle(hue="indigo", glyph=glyph("swordfish")),
        "Orca": CardStyle(hue="grey", glyph=glyph("orca")),
        "Shark": CardStyle(hue="blue", glyph=glyph("shark")),
        "Take the Bait": CardStyle(hue="red", glyph=glyph("hook")),
        "Feeding Frenzy": CardStyle(hue="orange", glyph=glyph("school")),
    }


def view(observation: Observation) -> Table:
    """The sizes on a track, the encounter and the Actions of this turn in the middle; a hand before each seat."""
    met = () if observation.encounter is None else (_met(observation.encounter),)
    against = "" if observation.attacked is None else f"attacks seat {observation.attacked}"
    chips = tuple(
        Card(name=f"chip of seat {seat}", seat=seat, at=size, text="its size: 10 wins, 0 is out")
        for seat, size in enumerate(observation.sizes)
        if not observation.out[seat]
    )
    used = zip(box.ENCOUNTER_COPIES, observation.encounter_discards, strict=True)
    zones = [
        Zone(id="encounter", title=against or "encounter", cards=met),
        Zone(id="played", title="Actions of this turn", kind="fan", cards=tuple(map(_action, observation.played))),
        Zone(id="sizes", title="sizes", kind="track", cards=chips, spaces=max(box.WINNING_SIZE, *observation.sizes)),
        Zone(id="encounters", title="Encounters deck", kind="pile", cards=face_down(observation.encounter_deck)),
        Zone(id="actions", title="Actions deck", kind="pile", cards=face_down(observation.action_deck)),
        Zone(
            id="used actions",
            title="used Actions",
            kind="pile",
            cards=heap(
                _action(card, count) for card, count in zip(box.ACTIONS, observation.action_discards, strict=True)
            ),
        ),
        Zone(id="used encounters", title="used Encounters", kind="pile", cards=heap(_met(card, n) for card, n in used)),
        Zone(
            id="removed",
            title="out of the game",
            kind="pile",
            cards=heap(_met(card, count) for card, count in zip(box.EVENTS, observation.removed, strict=True)),
            quiet=True,
        ),
    ]
    zones += [_hand(observation, seat) for seat in range(observation.seats)]
    return Table(
        title=_title(observation),
        question=question(observation),
        zones=tuple(zones),
        counters=tuple(
            Counter(
                title="size",
                value=size,
                owner=seat,
                most=max(size, box.WINNING_SIZE),
                change=observation.modifiers[seat],
            )
            for seat, size in enumerate(observation.sizes)
        ),
        badges=_badges(observation),
    )


def _title(observation: Observation) -> str:
    if observation.step in {"setup", "over"}:
        return "Before the first turn" if observation.step == "setup" else "The end"
    if observation.encounter is None:
        return f"Turn {observation.turn}"
    change = f" {observation.creature_modifier:+}" if observation.creature_modifier else ""
    return f"Turn {observation.turn}: {_met(observation.encounter).name}{change}"


def _badges(observation: Observation) -> tuple[Badge, ...]:
    badges = [] if observation.step in {"setup", "over"} else [Badge(observation.current_player, "in turn")]
    badges += [] if observation.attacked is None else [Badge(observation.attacked, "attacked")]
    badges += [Badge(seat, "stunned") for seat in observation.stunned]
    return (*badges, *(Badge(seat, "out") for seat, turn in enumerate(observation.out) if turn))


def _hand(observation: Observation, seat: Seat) -> Zone:
    faces = observation.hand if seat == observation.seat else observation.known[seat]
    cards = (*map(_action, faces), *backs(observation.hands[seat] - len(faces)))
    return Zone(id=f"hand:{seat}", title="hand", kind="fan", cards=cards, owner=seat)


LEGEND: Final = (
    "All start at size 3; the track shows who is how big. Each turn a creature attacks the player in turn. Who is as "
    "big as it grows by 1, who is smaller shrinks by 1. Before that all may play Actions from the hand: they change "
    "sizes for this turn, send the creature to somebody else, or end it. Size 10 wins, or to be the last: size 0 is "
    "out."
)
_TEXTS: Final[dict[str, str]] = {
    "School of Fish": "+4 this turn, on a player or creature of size 3 or less",
    "Stun": "that player plays no more Actions this turn",
    "Swim Away": "ends the encounter: nobody grows or shrinks",
    "Switcheroo": "the creature attacks another player instead",
    "Lost at Sea": "take 2 random cards out of another player's hand",
    "Shark": "the biggest loses 2; if several are biggest, each loses 1",
    "Take the Bait": "leave it, or meet a creature: grow 2 or lose 2",
    "Feeding Frenzy": "every player of size 5 or less grows 1",
}
_FACES: Final[dict[str, str]] = {
    "School of Fish": "on a size up to 3",
    "Stun": "one plays no more",
    "Swim Away": "ends the encounter",
    "Switcheroo": "attacks another",
    "Lost at Sea": "takes 2 from a hand",
    "Shark": "bites the biggest",
    "Take the Bait": "grow 2 or lose 2",
    "Feeding Frenzy": "up to size 5 grow 1",
}


def _action(card: Action, count: int = 1) -> Card:
    by = box.MODIFIERS.get(card, 0)
    value = f"{_SIGN[1 if by > 0 else -1]}{abs(by)}" if by else ""
    text = _TEXTS.get(card) or f"{value} this turn to the size of a player or the creature"
    return Card(
        name=card, kind=card, value=value, count=count, text=text, face=_FACES.get(card, "to a size, this turn")
    )


def _met(card: Encounter, count: int = 1) -> Card:
    if isinstance(card, int):
        name, text = box.CREATURE_NAMES[card], "whoever it attacks grows 1, or shrinks 1 if smaller than it"
        return Card(name=name, kind=name, value=str(card), count=count, text=text)
    return Card(name=card, kind=card, count=count, text=_TEXTS[card], face=_FACES[card])
