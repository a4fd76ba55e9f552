"""Love Letter, the edition of sixteen cards, from the deal to the end of a round. Knows no bot and no clock.

The card that is set aside is the one which is left in the end: nobody sees it before, so it need not be drawn first.
"""

from typing import Annotated, Any, ClassVar, TypeAlias

from msgspec import Struct, field, structs

from arena.game import CHANCE, ChanceNode, Chosen, Decision, ExplicitChance, Outcome, Pending, Seat, Whisper, ranks_of
from arena.values import Among, BySeat, Copies, InOrder

GUARD, PRIEST, BARON, HANDMAID, PRINCE, KING, COUNTESS, PRINCESS = CARDS = tuple(range(1, 9))
NAMES = ("no card", "Guard", "Priest", "Baron", "Handmaid", "Prince", "King", "Countess", "Princess")
BOX = (0, 5, 2, 2, 2, 2, 1, 1, 1)
"""How often each card is in it, by its number."""
MILDEST = (HANDMAID, PRIEST, COUNTESS, GUARD, KING, BARON, PRINCE, PRINCESS)
"""In this order cards are offered."""
TURNED = 3
"""Cards that lie face up beside the deck, with two players alone."""

Card: TypeAlias = Annotated[int, Among(CARDS)]
Known: TypeAlias = Annotated[int, Among((0, *CARDS))]
"""A card; 0 if there is none, or if the seat did not see it."""


class Play(Struct, frozen=True, tag="play", tag_field="type"):
    """An option: a card that needs nobody, or finds nobody who is not protected."""

    card: Card

    target: ClassVar[None] = None
    guess: ClassVar[int] = 0

    def __str__(self) -> str:
        return f"play the {NAMES[self.card]}"


class PlayAt(Struct, frozen=True, tag="play-at", tag_field="type"):
    """An option: a card at somebody; a Prince may be played at oneself."""

    card: Card
    target: Seat

    guess: ClassVar[int] = 0

    def __str__(self) -> str:
        return f"play the {NAMES[self.card]} at seat {self.target}"


class Accuse(Struct, frozen=True, tag="accuse", tag_field="type"):
    """An option: a Guard at somebody, naming the card that it may hold."""

    target: Seat
    guess: Card

    card: ClassVar[int] = 1

    def __str__(self) -> str:
        return f"play the Guard at seat {self.target}, naming the {NAMES[self.guess]}"


Option: TypeAlias = Play | PlayAt | Accuse


class FaceUp(Struct, frozen=True, tag="face-up", tag_field="type"):
    """A card beside the deck, which nobody will hold."""

    card: Card

    def __str__(self) -> str:
        return f"The {NAMES[self.card]} lies face up."


class Drew(Struct, frozen=True, tag="drew", tag_field="type"):
    """Only the seat that drew it sees it."""

    card: Card

    def __str__(self) -> str:
        return f"You draw the {NAMES[self.card]}."


class Played(Struct, frozen=True, tag="played", tag_field="type"):
    """A seat has played a card, at a target and naming a card if it does so."""

    seat: Seat
    card: Card
    target: Seat | None
    guess: Known

    def __str__(self) -> str:
        whom = "" if self.target is None else f" at seat {self.target}"
        return f"seat {self.seat} plays the {NAMES[self.card]}{whom}" + (
            f", naming the {NAMES[self.guess]}" if self.guess else ""
        )


class Saw(Struct, frozen=True, tag="saw", tag_field="type"):
    """Only a seat that has seen another's card hears it: by a Priest, a Baron or a King."""

    seat: Seat
    card: Card

    def __str__(self) -> str:
        return f"You see that seat {self.seat} holds the {NAMES[self.card]}."


class Discarded(Struct, frozen=True, tag="discarded", tag_field="type"):
    """A seat lays its card down, face up; ``out``: and is out of the round."""

    seat: Seat
    card: Card
    out: bool

    def __str__(self) -> str:
        return f"seat {self.seat} discards the {NAMES[self.card]}" + (" and is out" if self.out else "")


class Turn(Struct, frozen=True):
    """A turn that is over. In an observation each card that the seat did not see is 0."""

    seat: Seat
    card: Card
    target: Seat | None
    guess: Known
    drew: Known
    """What the seat had drawn in this turn: the card played, or the one kept."""
    kept: Known
    """What it held after it had played."""
    met: Known
    """What the target held."""
    redrew: Known
    """What the target of a Prince drew."""
    out: Seat | None
    """Who went out by it."""

    @property
    def discarded(self) -> list[int]:
        """All cards that were laid down, face up."""
        laid = [self.card]
        if self.card == PRINCE or (self.out is not None and self.out == self.target):
            laid.append(self.met)
        elif self.out is not None:
            laid.append(self.kept)
        return laid

    def seen_by(self, seat: Seat) -> "Turn":
        """As a seat knows it."""
        shown, own, aimed = self.card in {BARON, KING}, seat == self.seat, seat == self.target
        return Turn(
            self.seat,
            self.card,
            self.target,
            self.guess,
            drew=self.drew if own else 0,
            kept=self.kept if own or (aimed and shown) or self.out == self.seat != self.target else 0,
            met=self.met
            if aimed or (own and (shown or self.card == PRIEST)) or self.card == PRINCE or self.out == self.target
            else 0,
            redrew=self.redrew if aimed else 0,
            out=self.out,
        )


class Observation(Struct, frozen=True):
    """All that a seat has learnt since the start."""

    seat: Seat
    seats: int
    face_up: Annotated[tuple[Card, ...], Copies(TURNED)]
    first: Known
    """The card that the seat was dealt; 0 before that."""
    hand: Annotated[tuple[Card, ...], Copies(2)]
    """One card, two in the own turn, none when it is out."""
    inside: BySeat[bool]
    """Who is in the round."""
    protected: BySeat[bool]
    """Who has a Handmaid."""
    knows: BySeat[Known]
    """By seat the card that another one certainly holds, for this seat has seen it; it follows from ``turns``."""
    turns: Annotated[tuple[Turn, ...], InOrder(12)]
    """All turns, in order."""


class LoveLetter(ExplicitChance):
    """A table; ``left`` is how often each card is in the deck or set aside, by its number."""

    MOST_OUTCOMES: ClassVar[int] = len(CARDS)
    MOST_NODES: ClassVar[int] = sum(BOX)

    seats: int
    left: list[int] = field(default_factory=lambda: list(BOX))
    face_up: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    hands: list[list[int]] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)

    @property
    def inside(self) -> list[Seat]:
        """The seats in the round."""
        out = {turn.out for turn in self.turns}
        return [seat for seat in range(self.seats) if seat not in out]

    @property
    def asked(self) -> Seat:
        """Whose turn it is."""
        last = self.turns[-1].seat if self.turns else -1
        inside = self.inside
        return min(inside, key=lambda seat: (seat - last - 1) % self.seats)

    def protected(self, seat: Seat) -> bool:
        """Whether the last turn of a seat was a Handmaid's."""
        own = [turn.card for turn in self.turns if turn.seat == seat]
        return own[-1:] == [HANDMAID] and self.asked != seat

    def drawing(self) -> Seat | None:
        """Who draws a card now, first cards too; None if nobody does."""
        if len(self.hands) < self.seats:
            return len(self.hands)
        inside = self.inside
        without = [seat for seat in inside if not self.hands[seat]]
        if without:  # by a Prince
            return without[0]
        if len(inside) == 1 or len(self.hands[self.asked]) > 1 or sum(self.left) <= 1:
            return None
        return self.asked

    def turn(self) -> Pending | ChanceNode | Outcome:
        """Cards are turned up and dealt; then each in turn draws a card and plays one."""
        if (self.seats == 2 and len(self.face_up) < TURNED) or self.drawing() is not None:  # noqa: PLR2004 - two players
            there = tuple(card for card in CARDS if self.left[card])
            return ChanceNode(there, tuple(self.left[card] for card in there))
        seat = self.asked
        if len(self.hands[seat]) == 1:
            return self.standing()
        return Pending({seat: Decision(self.options(seat))})

    def options(self, seat: Seat) -> tuple[Option, ...]:
        """What a seat with two cards may play, the mildest first."""
        hand = self.hands[seat]
        if COUNTESS in hand and (KING in hand or PRINCE in hand):
            return (Play(COUNTESS),)
        others = [other for other in self.inside if other != seat and not self.protected(other)]
        found: list[Option] = []
        for card in MILDEST:
            if card not in hand:
                continue
            if card in {HANDMAID, COUNTESS, PRINCESS} or (not others and card != PRINCE):
                found.append(Play(card))
            elif card == GUARD:
                found += [Accuse(other, guess) for other in others for guess in CARDS if guess != GUARD]
            else:
                found += [PlayAt(card, other) for other in [*others, *[seat] * (card == PRINCE)]]
        return tuple(found)

    def move(self, chosen: Chosen) -> list[Any]:
        """A card comes from the deck, or the seat in turn plays one."""
        ((who, (what,)),) = chosen.items()
        return self._draw(what) if who == CHANCE else self._play(who, what)

    def _draw(self, card: int) -> list[Any]:
        seat = self.drawing()
        self.left[card] -= 1
        if self.seats == 2 and len(self.face_up) < TURNED:  # noqa: PLR2004 - two players
            self.face_up = sorted([*self.face_up, card])
            return [FaceUp(card)]
        assert seat is not None  # noqa: S101 - chance was asked
        if seat == len(self.hands):
            self.first.append(card)
            self.hands.append([])
        elif not self.hands[seat]:
            self.turns[-1] = structs.replace(self.turns[-1], redrew=card)
        self.hands[seat].append(card)
        return [Whisper((seat,), Drew(card))]

    def _play(self, seat: Seat, play: Option) -> list[Any]:
        hands, card, target = self.hands, play.card, play.target
        drew = hands[seat][1]
        hands[seat].remove(card)
        (kept,) = hands[seat]
        met = 0 if target is None else hands[target][0]
        fell = fallen(play, kept, met) if target is not None or card == PRINCESS else None
        out = seat if fell == KEPT else target if fell == MET else None
        told: list[Any] = [Played(seat, card, target, play.guess)]
        if card in {PRIEST, BARON, KING} and target is not None:
            told.append(Whisper((seat,), Saw(target, met)))
            if card != PRIEST:
                told.append(Whisper((target,), Saw(seat, kept)))
        self.turns.append(Turn(seat, card, target, play.guess, drew, kept, met, 0, out))
        if card == KING and target is not None:
            hands[seat], hands[target] = hands[target], hands[seat]
        if card == PRINCE and target is not None:
            hands[target] = []
            told.append(Discarded(target, met, out is not None))
        elif out is not None:
            told.append(Discarded(out, kept if out == seat else met, out=True))
            hands[out] = []
        return told

    def observe(self, seat: Seat) -> Observation:
        """A seat sees its own cards, those that lie face up, and what it saw of each turn."""
        inside, dealt = self.inside, len(self.hands) > seat
        turns = tuple([turn.seen_by(seat) for turn in self.turns])
        return Observation(
            seat,
            self.seats,
            tuple(self.face_up),
            self.first[seat] if dealt else 0,
            tuple(sorted(self.hands[seat])) if dealt else (),
            tuple([number in inside for number in range(self.seats)]),
            tuple([bool(self.turns) and number in inside and self.protected(number) for number in range(self.seats)]),
            known(turns, seat, self.seats),
            turns,
        )

    def standing(self) -> Outcome:
        """Of those in the round the highest card wins, then the greatest sum of discards; equal ones share."""
        keys = [(0, 0)] * self.seats
        for seat in self.inside if len(self.hands) == self.seats else []:
            keys[seat] = (max(self.hands[seat], default=0), 1 + self._laid(seat))
        won = tuple([int(key == max(keys)) for key in keys])
        return Outcome(ranks_of(won), won)

    def _laid(self, seat: Seat) -> int:
        """The sum of the cards that a seat has discarded."""
        played = sum([turn.card for turn in self.turns if turn.seat == seat])
        return played + sum([turn.met for turn in self.turns if turn.card == PRINCE and turn.target == seat])

    def copy(self) -> "LoveLetter":
        """The lists and the chance are its own; turns never change."""
        return structs.replace(
            self,
            chance=self.chance.copy(),
            left=self.left[:],
            face_up=self.face_up[:],
            first=self.first[:],
            hands=[hand[:] for hand in self.hands],
            turns=self.turns[:],
        )


KEPT, MET = "kept", "met"


def fallen(play: Option | Turn, kept: int, met: int) -> str | None:
    """Whose holder goes out by this play: that of the card ``KEPT``, of the card ``MET``, or nobody's."""
    if play.card == GUARD and met == play.guess:
        return MET
    if play.card == BARON and kept != met:
        return MET if met < kept else KEPT
    if play.card == PRINCE and met == PRINCESS:
        return MET
    return KEPT if play.card == PRINCESS else None


def known(turns: tuple[Turn, ...], seat: Seat, seats: int) -> tuple[int, ...]:
    """By seat the card that another one certainly holds, by what this seat has seen; 0 if there is none."""
    cards = [0] * seats
    for turn in turns:
        who, target = turn.seat, turn.target
        if cards[who] == turn.card:
            cards[who] = 0
        cards[who] = turn.kept or cards[who]
        if target is not None:
            cards[target] = turn.met or cards[target]
            if turn.card == KING:
                cards[who], cards[target] = cards[target], cards[who]
            elif turn.card == PRINCE:
                cards[target] = 0
        if turn.out is not None:
            cards[turn.out] = 0
    cards[seat] = 0
    return tuple(cards)
