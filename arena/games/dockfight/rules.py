"""Dockfight from the deal to Final Score, in the rulebook's order under its headings.

Knows the contract, chance and the cards; nothing of bots, clocks or other games. Numbers of rulings are those of
RULINGS.md.
"""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from arena.chance import Chance
from arena.game import Chosen, Decision, KeptDecisions, Outcome, Pending, Seat, ranks_of
from arena.games.dockfight import cards as box
from arena.games.dockfight import events as tell
from arena.games.dockfight.events import Cut, Event, Move
from arena.games.dockfight.observation import Observation, Step
from arena.structs import set_by_python

STOP_OR_HIT = tuple(Pending(KeptDecisions({seat: Decision(("stop", "hit"))})) for seat in range(max(box.COPIES)))
"""The question of each seat that comes most often."""

_HITS = {seat: {day: tell.Hit(seat, day) for day in box.DAYS} for seat in range(max(box.COPIES))}
"""By seat and Day: the event that comes most often."""

_DECKS = {seats: tuple([day for day in box.DAYS for _ in range(copies)]) for seats, copies in box.COPIES.items()}
"""By number of players: the cards, Days upwards."""

_OPPONENTS = {seats: tuple([(*range(seat + 1, seats), *range(seat)) for seat in range(seats)]) for seats in box.COPIES}
"""By number of players and seat: all other seats, clockwise."""


@lru_cache(maxsize=1024)
def _which_move(seat: Seat, *moves: Move) -> Pending:
    """The question for a Burn-3 move: the same moves are legal again and again."""
    return Pending(KeptDecisions({seat: Decision(("none", *moves))}))


@set_by_python
class Player(Struct, gc=False):
    """A player's zones, and what the others know of the LIVEWELL."""

    livewell: list[int]
    """Days upwards."""
    unseen: list[int]
    """The cards of the LIVEWELL that only its owner has seen: what is left of the opening hand (ruling 36)."""
    at_most: list[int] = []
    stringers: list[int] = []
    broken_hauls: list[int] = []
    protected: bool = False
    laid: list[int] = []

    def lose(self, day: int, *, to_a_set: bool = False) -> None:
        """Take a card out of the LIVEWELL for all to see: a shown one if there is one of that Day (ruling 36)."""
        if day in self.unseen and self.unseen.count(day) == self.livewell.count(day):
            self.unseen.remove(day)
            if to_a_set:
                self.laid.append(day)
            if not self.unseen:
                self.at_most, self.laid = [], []
            elif self.at_most:
                self.at_most[day - 1] -= 1
        self.livewell.remove(day)

    def list_public_cards(self) -> tuple[int, ...]:
        """The cards of the LIVEWELL that everyone has seen going in, Days upwards."""
        if not self.unseen:
            return tuple(self.livewell)
        days = self.livewell.copy()
        for day in self.unseen:
            days.remove(day)
        return tuple(days)

    def copy(self) -> "Player":
        """The same zones, independent."""
        return Player(
            self.livewell.copy(),
            self.unseen.copy(),
            self.at_most.copy(),
            self.stringers.copy(),
            self.broken_hauls.copy(),
            self.protected,
            self.laid.copy(),
        )


@set_by_python
class Dockfight(Struct, gc=False):
    """The table. ``step`` says what the player in ``turn`` is asked; all that asks nobody happens in between.

    What an ``Observation`` has too is explained there.
    """

    chance: Chance
    draw_pile: list[int]
    """The next card last."""
    players: list[Player]
    turn: Seat
    discard_pile: list[int]
    cast: list[int] = []
    frank: Seat | None = None
    step: Step = "hit"
    move: Move | None = None
    stalled: int = 0
    stalling: bool = True

    # The contract

    def pending(self) -> Pending | Outcome:
        """The question to the player in turn, or how the game ended."""
        if self.step == "hit":
            return STOP_OR_HIT[self.turn]
        if self.step == "move":
            return _which_move(self.turn, *self.moves())
        if self.step == "burn":
            decision = Decision(tuple(self.players[self.turn].livewell), box.BURN, box.BURN)
        else:
            return self.standing()
        return Pending({self.turn: decision})

    def apply(self, chosen: Chosen) -> list[Event]:
        """Go on to the next question or the end with the answer of the player in turn."""
        events: list[Event] = []
        picks = chosen[self.turn]
        pick = picks[0]
        if pick == "hit":
            self.hit(events)
        elif pick == "stop":
            self.stop(events)
        elif pick == "none":
            self.build(events)
        elif self.step == "move":
            self.name(pick, events)
        else:
            self.burn(picks, events)
        return events

    def observe(self, seat: Seat) -> Observation:
        """All public zones, the seat's own LIVEWELL, and what everyone knows of the others' (Who sees what)."""
        players = self.players
        return Observation(
            seat,
            len(players),
            self.step,
            self.turn,
            self.stalled,
            self.stalling,
            self.frank,
            len(self.draw_pile),
            tuple(self.discard_pile),
            tuple(self.cast),
            self.move,
            tuple(players[seat].livewell),
            # field by field for all players, in one pass over them
            *zip(
                *[
                    (
                        tuple(player.stringers),
                        tuple(player.broken_hauls),
                        player.protected,
                        player.list_public_cards(),
                        len(player.unseen),
                        tuple(player.at_most),
                        tuple(player.laid),
                    )
                    for player in players
                ],
                strict=True,
            ),
        )

    def copy(self) -> "Dockfight":
        """An independent table that continues in the same way."""
        return Dockfight(
            self.chance.copy(),
            self.draw_pile.copy(),
            [player.copy() for player in self.players],
            self.turn,
            self.discard_pile.copy(),
            self.cast.copy(),
            self.frank,
            self.step,
            self.move,
            self.stalled,
            self.stalling,
        )

    # 6) How a Turn Works

    def hit(self, events: list[Event]) -> None:
        """HIT: draw one card into the CAST; the last card of the pile makes the player STOP (ruling 22)."""
        day = self.draw_pile.pop()
        busts = day in self.cast
        self.cast.append(day)
        self.stalling = False
        events.append(_HITS[self.turn][day])
        if busts:
            self.bust(events)
        elif not self.draw_pile:
            self.stop(events)

    def bust(self, events: list[Event]) -> None:
        """BUST (Instant): no steps of the STOP PHASE, the LIVEWELL is kept (ruling 2)."""
        events.append(tell.Bust(self.turn, tuple(self.cast)))
        self.discard(self.cast)
        self.cast.clear()
        if self.frank == self.turn:
            self.frank = None
            events.append(tell.Dock(self.turn))
        self.end_turn(events)

    def discard(self, days: list[int] | tuple[int, ...]) -> None:
        """Put cards face up on the DISCARD PILE."""
        for day in days:
            self.discard_pile[day - 1] += 1

    # 7) STOP PHASE

    def stop(self, events: list[Event]) -> None:
        """1) AUTO-BANK, and whether there is a move to ask for."""
        livewell, cast = self.players[self.turn].livewell, self.cast
        events.append(tell.Stop(self.turn, tuple(cast)))
        if cast:
            livewell += cast
            livewell.sort()
            cast.clear()
        if len(livewell) >= box.BURN and (self.frank != self.turn or self.moves()):
            self.step = "move"
        else:
            self.build(events)

    def moves(self) -> list[Move]:
        """2) ONE BURN-3 MOVE: those legal now; Swipe, then Cuts by opponent clockwise and Day upwards."""
        moves: list[Move] = [] if self.frank == self.turn else ["swipe"]
        for opponent in _OPPONENTS[len(self.players)][self.turn]:
            player = self.players[opponent]
            if len(player.stringers) >= box.SETS_TO_BE_CUT and not player.protected:
                moves += [Cut(opponent, day) for day in sorted(set(player.stringers))]
        return moves

    def name(self, move: Move, events: list[Event]) -> None:
        """The player names the move; which cards pay for it is asked only if it makes a difference (ruling 32)."""
        self.move = move
        livewell = self.players[self.turn].livewell
        if len(livewell) == box.BURN or livewell[0] == livewell[-1]:
            self.burn(tuple(livewell[: box.BURN]), events)
        else:
            self.step = "burn"

    def burn(self, days: tuple[int, ...], events: list[Event]) -> None:
        """BURN 3, then Move 1 (Swipe) or Move 2 (Cut a Stringer)."""
        me = self.players[self.turn]
        for day in days:
            me.lose(day)
        self.discard(days)
        self.stalling = False
        events.append(tell.Burn(self.turn, days))
        move, self.move = self.move, None
        if isinstance(move, Cut):
            opponent = self.players[move.opponent]
            opponent.stringers.remove(move.day)
            opponent.broken_hauls.append(move.day)
            opponent.protected = True
            me.livewell.append(move.day)
            me.livewell.sort()
            events.append(tell.StringerCut(self.turn, move.opponent, move.day))
        else:
            events.append(tell.Swipe(self.turn, self.frank))
            self.frank = self.turn
        self.build(events)

    def build(self, events: list[Event]) -> None:
        """3) BUILD STRINGERS: every triple of the LIVEWELL, then every BROKEN HAUL with its third card (ruling 14)."""
        me = self.players[self.turn]
        livewell = me.livewell
        index, last = 0, len(livewell) - box.SET
        while index <= last:
            day = livewell[index]
            if livewell[index + box.SET - 1] != day:
                index += 1
                continue
            for _ in range(box.SET):
                me.lose(day, to_a_set=True)
            last -= box.SET
            me.stringers.append(day)
            events.append(tell.Build(self.turn, day))
        if me.unseen:
            # Everyone can now tell that the player holds no Day three times.
            days = me.list_public_cards()
            most = me.at_most = me.at_most or [box.SET - 1] * len(box.DAYS)
            for day in set(days):
                if (more := box.SET - 1 - days.count(day)) < most[day - 1]:
                    most[day - 1] = more
        for day in me.broken_hauls.copy():
            if day in livewell:
                me.lose(day, to_a_set=True)
                me.broken_hauls.remove(day)
                me.stringers.append(day)
                events.append(tell.Rebuild(self.turn, day))
            elif me.unseen:
                me.at_most[day - 1] = 0
        self.win_check(events)

    def win_check(self, events: list[Event]) -> None:
        """4) WIN CHECK, of the player whose turn ends and nobody else (ruling 20)."""
        if self.frank == self.turn and len(self.players[self.turn].stringers) >= box.SETS_TO_WIN:
            self.step = "over"
            events.append(tell.Win(self.turn))
        else:
            self.end_turn(events)

    def end_turn(self, events: list[Event]) -> None:
        """Protection clears; then the end test of 8) Draw Pile Rule and ruling 25, or the next player clockwise."""
        seats = len(self.players)
        self.players[self.turn].protected = False
        self.stalled = self.stalled + 1 if self.stalling else 0
        if not self.draw_pile or self.stalled == box.STALLED_ROUNDS * seats:
            self.step = "over"
            stringers = tuple(tuple(sorted(player.stringers, reverse=True)) for player in self.players)
            events.append(tell.FinalScore("stalled" if self.draw_pile else "empty", stringers, self.standing().ranks))
        else:
            self.step = "hit"
            self.stalling = True
            self.turn = (self.turn + 1) % seats

    # 9) Final Score

    def standing(self) -> Outcome:
        """The winner first, then most STRINGERS, then their Days from high to low, then Fisherman Frank.

        The score is the number of completed sets (ruling 35).
        """
        won = (
            self.step == "over"
            and self.frank == self.turn
            and len(self.players[self.turn].stringers) >= box.SETS_TO_WIN
        )
        keys = [
            (
                won and seat == self.turn,
                len(player.stringers),
                sorted(player.stringers, reverse=True),
                seat == self.frank,
            )
            for seat, player in enumerate(self.players)
        ]
        return Outcome(ranks_of(keys), tuple([len(player.stringers) for player in self.players]))


# 4) Setup


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> Dockfight:  # noqa: ARG001 - there are no variants
    """Build the deck for this many players, shuffle, deal three cards each and draw who starts.

    Raises:
        ValueError: ``seats`` is not from 2 to 6.
    """
    if seats not in box.COPIES:
        raise ValueError(f"expected 2 to 6 seats, got {seats}")
    chance = Chance(seed)
    pile = list(_DECKS[seats])
    chance.shuffle(pile)
    players = []
    for _ in range(seats):
        hand = sorted(pile[-box.OPENING_HAND :])
        del pile[-box.OPENING_HAND :]
        players.append(Player(hand, hand.copy()))
    return Dockfight(chance, pile, players, chance.below(seats), [0] * len(box.DAYS))
