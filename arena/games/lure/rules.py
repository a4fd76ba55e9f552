"""The rules of Lure, in the rulebook's order under its headings. Knows no bots, clocks, records or other games.

Numbers in brackets are rulings, listed in RULINGS.md.
"""

from bisect import insort
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct

from arena.chance import Chance
from arena.game import Chosen, Decision, Outcome, Pending, Seat, Whisper, ranks_of
from arena.games.lure import cards as box
from arena.games.lure import events as tell
from arena.games.lure.cards import SIDES, Fish, Lure, OnReveal, can_catch
from arena.games.lure.events import Adjustment
from arena.games.lure.observation import Observation, Step
from arena.games.lure.odds import DRAW, RESHUFFLE, Move
from arena.games.lure.player import CAST, Player, adjustments
from arena.structs import set_by_python

_SIDES: Final = SIDES.__getitem__
_ORDER: Final = box.PLACE.__getitem__

_DRAWN: Final = tuple(
    {lure: (tell.Draw(seat), Whisper((seat,), tell.DrawnLure(seat, lure))) for lure in box.LURES}
    for seat in range(max(box.REMOVED))
)
"""What is told when a seat draws a lure."""

_Rolled: TypeAlias = tuple[int, Seat, tuple[int, ...]]
"""A total, the seat that rolled it, and all the numbers that count."""


@set_by_python
class LureState(Struct, gc=False):
    """The table. ``step`` says what it waits for; all that asks nobody happens in between.

    What an ``Observation`` has too is explained there.
    """

    chance: Chance
    effects: Literal["on", "off"]
    deck: list[Fish]
    """The next fish last."""
    removed: list[Fish]
    """Fish that nobody sees (28)."""
    lure_pile: list[Lure]
    """The next lure last."""
    players: list[Player]
    step: Step = "setup"
    round: int = 0
    fish: list[Fish] = []
    discards: dict[Lure, int] = {}
    waiting: list[Seat] = []
    """The seats that have not rolled yet this round, in order of rolling."""
    group: list[Seat] = []
    """The seats that have rolled and are still adjusting, by rising seat number."""
    piles: list[dict[Lure, int]] = []
    """The lures of all hands at the first reshuffle and of each pile made since, while odds depend on them (39)."""
    moves: list[list[Move]] = []
    """By seat: what it drew and played since then, as ``odds`` has it."""
    stale: list[Seat] = []
    """The seats that may, as far as the others know, still hold a lure from before the last reshuffle."""

    # The contract

    def pending(self) -> Pending | Outcome:
        """The question of the step to all whom it concerns, or how the game ended."""
        players = self.players
        decisions: dict[Seat, Decision] = {}
        match self.step:
            case "dice":
                for seat, player in enumerate(players):
                    decisions[seat] = CAST[player.resting]
            case "lures":
                for seat, player in enumerate(players):
                    if lures := player.lures:
                        decisions[seat] = Decision(tuple(lures), 0, len(lures))
            case "adjust":
                for seat in self.group:
                    if players[seat].adjusts:
                        decisions[seat] = adjustments(players[seat])
            case "over":
                return self.standing()
        return Pending(decisions)

    def apply(self, chosen: Chosen) -> list[tell.Notice]:
        """Go on to the next question or the end."""
        events: list[tell.Notice] = []
        match self.step:
            case "dice":
                self._choose_dice(chosen)
                if self._holding():
                    self.step = "lures"
                else:
                    self._reveal_cast(events)
            case "lures":
                self._choose_lures(chosen)
                self._reveal_cast(events)
            case "adjust":
                self._adjust(chosen)
                if not self._adjusting():
                    self._catch(self._show_adjusted(events), events)
                    self._fish(events)
            case _:
                self._set_up(events)
        return events

    def observe(self, seat: Seat) -> Observation:
        """All that is public and the seat's own secrets, by the rulings' *Who sees what*."""
        players = self.players
        me = players[seat]
        adjusting = seat in self.group
        # field by field for all players, in one pass over them
        lure_counts, boosts, score_piles, vp, resting, dice, rolled, played = zip(
            *[
                (
                    len(player.lures),
                    player.boosts,
                    tuple([fish.name for fish in player.score_pile]),
                    player.vp(),
                    player.resting,
                    player.dice,
                    player.rolled,
                    player.played,
                )
                for player in players
            ],
            strict=True,
        )
        return Observation(
            seat,
            len(players),
            self.effects,
            self.step,
            self.round,
            len(self.deck),
            tuple(self.fish),
            tuple(me.lures),
            lure_counts,
            len(self.lure_pile),
            tuple([pile.copy() for pile in self.piles]),
            tuple(map(tuple, self.moves)),
            tuple(map(tuple, me.drawn)),
            self.discards.copy(),
            boosts,
            score_piles,
            vp,
            resting,
            me.chosen,
            dice,
            rolled,
            played,
            tuple(self.group),
            me.numbers if adjusting else (),
            me.adjusts if adjusting else 0,
        )

    def copy(self) -> "LureState":
        """An independent table that continues in the same way."""
        return LureState(
            self.chance.copy(),
            self.effects,
            self.deck.copy(),
            self.removed.copy(),
            self.lure_pile.copy(),
            [player.copy() for player in self.players],
            self.step,
            self.round,
            self.fish.copy(),
            self.discards.copy(),
            self.waiting.copy(),
            self.group.copy(),
            [pile.copy() for pile in self.piles],
            [moves.copy() for moves in self.moves],
            self.stale.copy(),
        )

    # Setup

    def _set_up(self, events: list[tell.Notice]) -> None:
        for _ in range(box.START_LURES):
            self._draw(range(len(self.players)), events)
        self._splash(events)

    # 1. Splash

    def _splash(self, events: list[tell.Notice]) -> None:
        """Reveal fish, or what is left of them (21); what they do happens at once and may chain (22)."""
        self.round += 1
        events.append(tell.Round(self.round))
        reveal = box.REVEALED[len(self.players)]
        deck, middle = self.deck, self.fish
        effects: Mapping[str, OnReveal] = box.ON_REVEAL if self.effects == "on" else {}
        while reveal and deck:
            reveal -= 1
            fish = deck.pop()
            middle.append(fish)
            effect = effects.get(fish.name)
            events.append(tell.Reveal(fish, effect))
            if effect == box.MORE_FISH:
                reveal += 1
            elif effect == box.MORE_LURES:
                self._draw(range(len(self.players)), events)
        self.step = "dice"

    # 2. Cast

    def _choose_dice(self, choices: Chosen) -> None:
        for seat, picks in choices.items():
            self.players[seat].chosen = tuple(sorted(picks, key=_SIDES))

    def _holding(self) -> bool:
        for player in self.players:  # noqa: SIM110 - a loop is faster
            if player.lures:
                return True
        return False

    def _choose_lures(self, choices: Chosen) -> None:
        """Lures kept back stay behind the screen and are of no use this round (2)."""
        for seat, picks in choices.items():
            player = self.players[seat]
            player.played = tuple(sorted(picks, key=_ORDER)) if len(picks) > 1 else picks
            for lure in picks:
                player.lures.remove(lure)
            if self.stale and picks:
                self.moves[seat] += player.played
        if self.stale:
            self.stale = [seat for seat in self.stale if self.players[seat].lures]
            if not self.stale:
                self._forget_piles()

    def _reveal_cast(self, events: list[tell.Notice]) -> None:
        """All show what they chose. Seats with the fewest dice roll first, Extra Dice not counted (3)."""
        players = self.players
        sizes: list[int] = []
        for seat, player in enumerate(players):
            player.dice = dice = player.chosen
            player.chosen = player.rolled = ()
            events.append(tell.Cast(seat, dice, player.played))
            sizes.append(len(dice))
        self.waiting = sorted(range(len(players)), key=sizes.__getitem__)
        self._fish(events)

    # 3. Fish

    def _fish(self, events: list[tell.Notice]) -> None:
        """Group after group rolls and catches, until one has Adjusts to use, all have rolled, or no fish is left."""
        while self.waiting:
            if not self.fish:
                self._run_out(events)
                break
            rolls = self._roll(events)
            if self._adjusting():
                self.step = "adjust"
                return
            self._catch(rolls, events)
        self._end_round(events)

    # Roll and catch fish: 1. Roll your dice and optionally use any adjust lures you played

    def _roll(self, events: list[tell.Notice]) -> list[_Rolled]:
        """All of the next group roll: those with the same number of dice."""
        players, waiting = self.players, self.waiting
        fewest = len(players[waiting[0]].dice)
        size = 1
        while size < len(waiting) and len(players[waiting[size]].dice) == fewest:
            size += 1
        self.group = group = waiting[:size]
        self.waiting = waiting[size:]
        rolls: list[_Rolled] = []
        roll = self.chance.roll
        for seat in group:
            player = players[seat]
            faces: list[int] = []
            for die in player.dice:
                faces.append(roll(SIDES[die]))  # noqa: PERF401 - in Python 3.11 a loop is faster
            player.rolled = player.numbers = values = numbers = tuple(faces)
            if player.played:
                player.adjusts = player.played.count(box.ADJUST)
                values = player.roll()
            total = sum(values)
            rolls.append((total, seat, values))
            events.append(tell.Roll(seat, numbers, total))
        return rolls

    def _adjusting(self) -> bool:
        for seat in self.group:  # noqa: SIM110 - a loop is faster
            if self.players[seat].adjusts:
                return True
        return False

    def _adjust(self, choices: Chosen) -> None:
        """Seats that have not said done use one Adjust each; only its owner sees the number yet (8, 34)."""
        for seat, picks in choices.items():
            player = self.players[seat]
            adjustment = picks[0]
            if isinstance(adjustment, Adjustment):
                index = adjustment.at
                player.numbers = (
                    *player.numbers[:index],
                    adjustment.number + adjustment.by,
                    *player.numbers[index + 1 :],
                )
                player.adjusts -= 1
            else:
                player.adjusts = 0

    def _show_adjusted(self, events: list[tell.Notice]) -> list[_Rolled]:
        rolls: list[_Rolled] = []
        for seat in self.group:
            player = self.players[seat]
            roll = player.roll()
            total = sum(roll)
            rolls.append((total, seat, roll))
            if player.numbers != player.rolled:
                player.rolled = player.numbers
                events.append(tell.Adjusted(seat, player.numbers, total))
        return rolls

    # 2. Catch fish, and Rolling Together

    def _catch(self, rolls: list[_Rolled], events: list[tell.Notice]) -> None:
        """A roll catches every fish that it can (4, 12); in a group the lowest total does (9), nobody in a tie (10)."""
        players, group = self.players, self.group
        rolls.sort()
        highest = rolls[-1][0]
        successful: list[Seat] = []
        middle: list[Fish] = []
        for fish in self.fish:
            if fish.catch > highest:  # no total reaches it
                middle.append(fish)
                continue
            lowest = 0
            able: list[Seat] = []
            for total, seat, roll in rolls:
                if able and total > lowest:
                    break
                if can_catch(fish, total, roll):
                    lowest = total
                    able.append(seat)
            if len(able) == 1:
                seat = able[0]
                successful.append(seat)
                players[seat].score_pile.append(fish)
                events.append(tell.Caught(seat, fish.name, fish.vp))
                continue
            middle.append(fish)
            if able:
                events.append(tell.Tied(tuple(able), fish.name))
        self.fish = middle
        self.group = []
        self._put_away_lures(group, successful, events)

    # 3. Boosts, 4. Discard the rest of the lures. If you caught no fish, draw 1 lure

    def _put_away_lures(self, group: Iterable[Seat], successful: Collection[Seat], events: list[tell.Notice]) -> None:
        """First all of the group discard lures, then those without a fish draw one (15, 31)."""
        unlucky: list[Seat] = []
        for seat in group:
            player = self.players[seat]
            if seat not in successful:
                unlucky.append(seat)
            elif boosts := player.played.count(box.BOOST):
                player.boosts += boosts
                player.played = player.played[:-boosts]  # these options stand last
                events.append(tell.Boosted(seat, boosts, box.BOOST_VP * boosts))
            if player.played:
                for lure in player.played:
                    self.discards[lure] = self.discards.get(lure, 0) + 1
                events.append(tell.Discard(seat, player.played))
                player.played = ()
        self._draw(unlucky, events)

    def _draw(self, seats: Iterable[Seat], events: list[tell.Notice]) -> None:
        for seat in seats:
            if not self.lure_pile:
                if not self.discards:
                    events.append(tell.NoLure(seat))
                    continue
                self._reshuffle(events)
            player = self.players[seat]
            lure = self.lure_pile.pop()
            insort(player.lures, lure, key=_ORDER)
            if self.stale:
                self.moves[seat].append(DRAW)
                player.drawn[-1].append(lure)
            events += _DRAWN[seat][lure]

    def _reshuffle(self, events: list[tell.Notice]) -> None:
        """Make a new pile, only when a lure is due and the pile is empty (16, 30); everyone knows its contents (39)."""
        pile = self.lure_pile = [lure for lure in box.LURES for _ in range(self.discards.get(lure, 0))]
        events.append(tell.Reshuffle(tuple(pile)))
        players = self.players
        self.stale = [seat for seat, player in enumerate(players) if player.lures]
        if not self.stale:
            self._forget_piles()
        else:
            if not self.piles:
                self.piles = [_counted([lure for player in players for lure in player.lures])]
                self.moves = [[DRAW] * len(player.lures) for player in players]
                for player in players:
                    player.drawn = [player.lures.copy()]
            self.piles.append(_counted(pile))
            for moves, player in zip(self.moves, players, strict=True):
                moves.append(RESHUFFLE)
                player.drawn.append([])
        self.chance.shuffle(pile)
        self.discards = {}

    def _forget_piles(self) -> None:
        """All hands are from the newest pile: each lure that a seat has not seen may be anywhere."""
        self.piles, self.moves = [], []
        for player in self.players:
            player.drawn = []

    # 5. Place any special dice you rolled in front of your screen: Special Dice

    def _end_round(self, events: list[tell.Notice]) -> None:
        """Special dice chosen now rest for a round; those of the round before come back (18)."""
        for player in self.players:
            player.resting = player.dice[player.dice.count(box.D6) :]  # special dice stand last
        if self.deck:
            self._splash(events)
        else:
            self._end(events)

    # Run out of fish

    def _run_out(self, events: list[tell.Notice]) -> None:
        """Seats that have not rolled discard all lures played and draw one; their dice rest as if rolled (19)."""
        seats = sorted(self.waiting)
        self.waiting = []
        events.append(tell.RunOut(tuple(seats)))
        self._put_away_lures(seats, (), events)

    # End of game

    def _end(self, events: list[tell.Notice]) -> None:
        """The round in which the deck became empty was the last; fish left in the middle are worth nothing (23)."""
        self.step = "over"
        vp, fish = zip(*[(player.vp(), len(player.score_pile)) for player in self.players], strict=True)
        events.append(tell.Final(vp, fish, self.standing().ranks))

    def standing(self) -> Outcome:
        """Most VP first, then fewest fish, then shared (25, 35); the score is the VP."""
        vp = [player.vp() for player in self.players]
        keys = [(points, -len(player.score_pile)) for points, player in zip(vp, self.players, strict=True)]
        return Outcome(ranks_of(keys), tuple(vp))


def _counted(lures: list[Lure]) -> dict[Lure, int]:
    return {lure: lures.count(lure) for lure in box.LURES if lure in lures}


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> LureState:
    """Remove fish for this many players and shuffle fish and lures; the first step sets up the rest.

    Chance shuffles the 30 fish, of which the first are removed, then the lures.

    Raises:
        ValueError: ``seats`` is not from 2 to 5.
    """
    if seats not in box.REMOVED:
        raise ValueError(f"expected 2 to 5 seats, got {seats}")
    chance = Chance(seed)
    fish = list(box.FISH)
    chance.shuffle(fish)
    pile = [lure for lure, copies in box.LURES.items() for _ in range(copies)]
    chance.shuffle(pile)
    return LureState(
        chance,
        cast("Literal['on', 'off']", variants["effects"]),
        fish[box.REMOVED[seats] :],
        fish[: box.REMOVED[seats]],
        pile,
        [Player() for _ in range(seats)],
    )
