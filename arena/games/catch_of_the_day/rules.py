"""Catch of the Day from Setup to Game End, in the rulebook's order under its headings.

Knows the contract, chance and the modules of its own folder; nothing of bots, clocks or other games. Numbers of rulings
are those of RULINGS.md.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from itertools import permutations, product
from math import perm
from operator import add
from typing import Any, Final

from msgspec import Struct

from arena.chance import Chance
from arena.game import Chosen, Decision, KeptDecisions, Outcome, Pending, Seat, Whisper, ranks_of
from arena.games.catch_of_the_day import cards as box
from arena.games.catch_of_the_day import events as tell
from arena.games.catch_of_the_day.cards import Card, FishCard, all_with, closest
from arena.games.catch_of_the_day.events import Event
from arena.games.catch_of_the_day.observation import Mode, Observation, Step
from arena.structs import set_by_python

SELECT: Final = {
    seats: Pending(KeptDecisions(dict.fromkeys(range(seats), Decision(box.FISH_CARDS))))
    for seats in box.DICE_PER_PLAYER
}
"""What all are asked for a day, by the number of players."""
CHOOSE: Final = Decision(box.FISH, box.CHOICE_PICKS, box.CHOICE_PICKS)
"""What a player of the Choice card is asked."""
TYPE_BY_TYPE: Final = {
    picks: tuple([fish for fish in box.FISH if fish in picks]) for picks in permutations(box.FISH, box.CHOICE_PICKS)
}
"""What a player of the Choice card may pick, in the order of types."""
FOUR_DICE: Final = tuple([pips[::-1] for pips in product(range(1, box.FACES + 1), repeat=4)])
"""How four dice may fall, in the order in which one number tells them: the first die changes fastest."""


@set_by_python
class CatchOfTheDay(Struct, gc=False):
    """The table. Counts by type are of Dorado, Rosefish and Tuna; all that asks nobody happens in ``apply``.

    What an ``Observation`` has too is explained there.
    """

    chance: Chance
    mode: Mode
    requests: tuple[Card, ...]
    complaints: tuple[Card, ...]
    set_aside: list[Card]
    """Requests set aside face down; the last would be flipped first."""
    private_requests: tuple[tuple[Card, ...], ...]
    packs: list[list[Card]]
    """By seat, the Requests to draft from, by id."""
    kept: list[list[Card]]
    """By seat, the Requests drafted, as they came: one of the own pack, then both of the right neighbor's.

    Who drafted them remembers them when they have been assigned.
    """
    fish: list[list[int]]
    bag: list[int]
    """Dice in the bag, by type; which ones come out is drawn when they do."""
    market_supply: list[int]
    leftover_storage: list[int]
    step: Step = "setup"
    day: int = 0
    selected: list[FishCard] = []
    """By seat, the Fish card of the day; empty before all have selected."""
    tie_break: Card | None = None
    outcome: Outcome | None = None
    assigned: list[tuple[Card, ...]] = []
    """By seat, the Requests it gave to its left and its right neighbor; empty before all have assigned."""

    # The contract

    def pending(self) -> Pending | Outcome:
        """The question of the sub-phase to all whom it concerns at once, or how the game ended."""
        if self.step == "select":
            return SELECT[len(self.fish)]
        if self.step == "choice":
            return Pending(dict.fromkeys(self.choosers(), CHOOSE))
        if self.step == "draft":
            return Pending({seat: Decision(tuple(pack)) for seat, pack in enumerate(self.packs)})
        if self.step == "assign":
            return Pending({seat: Decision(in_order(draft), 2, 2) for seat, draft in enumerate(self.kept)})
        return self.outcome or Pending({})

    def apply(self, chosen: Chosen) -> list[Any]:
        """Go on to the next question or the end with the answers of all who were asked."""
        events: list[Event | Whisper] = []
        if self.step == "select":
            self.select(chosen, events)
        elif self.step == "choice":
            self.choice(chosen, events)
            self.reveal(events)
        elif self.step == "draft":
            self.draft(chosen, events)
        elif self.step == "assign":
            self.assign(chosen, events)
        else:
            self.set_up(events)
        return events

    def observe(self, seat: Seat) -> Observation:
        """All that lies open, and of the draft and the Fish cards what the seat has seen itself (Who sees what)."""
        choosing = self.step == "choice"
        return Observation(
            seat,
            len(self.fish),
            self.mode,
            self.step,
            self.day,
            tuple(self.market_supply),
            tuple(self.leftover_storage),
            tuple(self.bag),
            tuple([tuple(fish) for fish in self.fish]),
            self.requests,
            self.complaints,
            self.private_requests,
            len(self.set_aside),
            tuple(self.packs[seat]),
            tuple(self.kept[seat]),
            self.passed(seat),
            self.assigned[seat] if self.assigned else (),
            self.choosers() if choosing else (),
            self.selected[seat] if choosing else None,
            self.tie_break,
        )

    def copy(self) -> "CatchOfTheDay":
        """An independent table that continues in the same way."""
        other = copy(self)
        other.chance = self.chance.copy()
        other.set_aside = self.set_aside.copy()
        other.packs = [pack.copy() for pack in self.packs]
        other.kept = [draft.copy() for draft in self.kept]
        other.fish = [fish.copy() for fish in self.fish]
        other.bag = self.bag.copy()
        other.market_supply = self.market_supply.copy()
        other.leftover_storage = self.leftover_storage.copy()
        other.selected = self.selected.copy()
        other.assigned = self.assigned.copy()
        return other

    def find_left_neighbor(self, seat: Seat) -> Seat:
        """The left neighbor (ruling 29)."""
        return (seat + 1) % len(self.fish)

    # Setup

    def set_up(self, events: list[Event | Whisper]) -> None:
        """Tell what was dealt; then the Planning Phase of the Advanced Game, or at once the Market Phase."""
        events.append(tell.Setup(self.requests, self.complaints))
        if self.mode == "advanced":
            events += [Whisper((seat,), tell.Dealt(seat, tuple(pack))) for seat, pack in enumerate(self.packs)]
            self.step = "draft"
        else:
            self.show_private_requests(events)
            self.roll(events)

    def show_private_requests(self, events: list[Event | Whisper]) -> None:
        """The private Requests lie face up between each pair of neighbors."""
        for seat, requests in enumerate(self.private_requests):
            events.append(tell.Shared((seat, self.find_left_neighbor(seat)), requests))

    # Planning Phase

    def draft(self, choices: Chosen, events: list[Event | Whisper]) -> None:
        """Draft: keep one, pass the others left; the card passed last is the neighbor's third (ruling 17)."""
        for seat, pack in enumerate(self.packs):
            request = choices[seat][0]
            pack.remove(request)
            self.kept[seat].append(request)
            events.append(Whisper((seat,), tell.DraftPick(seat, request)))
        for seat, pack in enumerate(self.packs):
            neighbor = self.find_left_neighbor(seat)
            events.append(Whisper((seat, neighbor), tell.Passed(seat, neighbor, tuple(pack))))
        self.packs.insert(0, self.packs.pop())
        if len(self.packs[0]) == 1:
            for requests, pack in zip(self.kept, self.packs, strict=True):
                requests.append(pack.pop())
            self.step = "assign"

    def passed(self, seat: Seat) -> tuple[Card, ...]:
        """The Requests that this seat passed on in the draft, found where they are now."""
        neighbor = self.find_left_neighbor(seat)
        draft = self.kept[neighbor]
        if len(draft) < box.PACK:
            return tuple(self.packs[neighbor]) if draft else ()
        # The left neighbor kept one of the first two and passed the other on as a third card.
        return (*in_order([draft[1], self.kept[self.find_left_neighbor(neighbor)][2]]), draft[2])

    def assign(self, choices: Chosen, events: list[Event | Whisper]) -> None:
        """Assign: one Request for the left neighbor, one for the right, and the third back (rulings 18 and 31)."""
        between: list[list[Card]] = [[] for _ in self.kept]
        for seat, draft in enumerate(self.kept):
            left, right = choices[seat]
            (back,) = [request for request in draft if request not in {left, right}]
            between[seat].append(left)
            between[seat - 1].append(right)
            self.set_aside.append(back)
            self.assigned.append((left, right))
            events.append(Whisper((seat,), tell.Assigned(seat, left, right, back)))
        self.chance.shuffle(self.set_aside)
        self.private_requests = tuple([in_order(requests) for requests in between])
        self.show_private_requests(events)
        self.roll(events)

    # Market Phase

    def roll(self, events: list[Event | Whisper]) -> None:
        """Roll: draw dice for every player and roll them; their pips are the Market Supply (rulings 1, 2 and 14)."""
        day = self.day = self.day + 1
        dorado, rosefish, tuna = self.bag
        in_bag, seats = dorado + rosefish + tuna, len(self.fish)
        number = seats * box.DICE_PER_PLAYER[seats]
        # One draw decides which dice are drawn, one after the other; a second draw decides how all of them fall.
        drawn, rolled = self.chance.below(perm(in_bag, number)), self.chance.below(box.FACES**number)
        # there are at most eight dice
        faces = FOUR_DICE[rolled % len(FOUR_DICE)] + FOUR_DICE[rolled // len(FOUR_DICE)]
        green: list[int] = []
        red: list[int] = []
        blue: list[int] = []
        for count, face in zip(range(in_bag, in_bag - number, -1), faces, strict=False):
            drawn, die = divmod(drawn, count)
            if die < dorado:
                dorado -= 1
                green.append(face)
            elif die < dorado + rosefish:
                rosefish -= 1
                red.append(face)
            else:
                tuna -= 1
                blue.append(face)
        self.bag = [dorado, rosefish, tuna]
        self.market_supply = [sum(green), sum(red), sum(blue)]
        events.append(tell.Rolled(day, tuple(green), tuple(red), tuple(blue)))
        self.step = "select"

    def select(self, choices: Chosen, events: list[Event | Whisper]) -> None:
        """Select: all at once; then the Choice cards are shown."""
        self.selected = [choices[seat][0] for seat in range(len(self.fish))]
        if box.CHOICE in self.selected:
            events.append(tell.ChoiceShown(self.choosers()))
            self.step = "choice"
        else:
            self.reveal(events)

    def choosers(self) -> tuple[Seat, ...]:
        """The players of the Choice card."""
        return all_with(box.CHOICE, self.selected)

    def choice(self, choices: Chosen, events: list[Event | Whisper]) -> None:
        """Choice: one fish for each card shown, type by type, if there is enough for all of them (ruling 4)."""
        takers: tuple[list[Seat], ...] = ([], [], [])
        for seat in self.choosers():
            picks = TYPE_BY_TYPE[choices[seat]]
            events.append(tell.Picked(seat, picks))
            for fish in picks:
                takers[box.FISH.index(fish)].append(seat)
        for index, seats in enumerate(takers):
            if seats:
                self.market_supply[index] -= self.give(
                    box.CHOICE, index, seats=seats, supply=self.market_supply[index], events=events
                )

    def reveal(self, events: list[Event | Whisper]) -> None:
        """Reveal: the remaining players show their cards and divide each type among those who show it (ruling 6)."""
        cards = self.selected
        if cards.count(box.CHOICE) < len(cards):
            events.append(tell.Revealed(tuple(cards)))
        for index, fish in enumerate(box.FISH):
            if fish in cards:
                seats, supply = all_with(fish, cards), self.market_supply[index]
                self.market_supply[index] -= self.give(fish, index, seats=seats, supply=supply, events=events)
        if box.LAST_CALL in cards:
            self.last_call(all_with(box.LAST_CALL, cards), events)
        self.cleanup(events)

    def last_call(self, seats: Sequence[Seat], events: list[Event | Whisper]) -> None:
        """Last Call: its players divide each type, Market Supply and Leftover Storage together (rulings 10 and 11)."""
        market_supply, leftover_storage = self.market_supply, self.leftover_storage
        for index, supply in enumerate(market_supply):
            fish = self.give(box.LAST_CALL, index, seats=seats, supply=supply + leftover_storage[index], events=events)
            from_supply = min(fish, supply)
            market_supply[index] -= from_supply
            leftover_storage[index] -= fish - from_supply

    def give(
        self, card: FishCard, index: int, *, seats: Sequence[Seat], supply: int, events: list[Event | Whisper]
    ) -> int:
        """Give one fish of a type to each player of the Choice card, or divide all evenly among those of another card.

        Nobody gets any if there are more cards than ``supply`` (ruling 8). Returns how many fish were given.
        """
        cards = len(seats)
        if cards > supply:
            events.append(tell.NoFish(card, box.FISH[index], cards, supply))
            return 0
        per_card = 1 if card == box.CHOICE else supply // cards
        for seat in seats:
            self.fish[seat][index] += per_card
        events.append(tell.FishShare(card, box.FISH[index], tuple(seats), per_card))
        return per_card * cards

    def cleanup(self, events: list[Event | Whisper]) -> None:
        """Cleanup: what remains goes to Leftover Storage, all cards are taken back; the next day, or the end."""
        self.leftover_storage = list(map(add, self.leftover_storage, self.market_supply))
        self.market_supply = [0, 0, 0]
        self.selected = []
        events.append(tell.Cleanup(self.day, tuple(self.leftover_storage)))
        if self.day < box.DAYS:
            self.roll(events)
        else:
            self.game_end(events)

    # Game End

    def game_end(self, events: list[Event | Whisper]) -> None:
        """Evaluate all Requests and Complaints, flip a new Request if there is a tie, and find the winner."""
        satisfaction = self.satisfaction(events)
        tied = first(satisfaction)
        if len(tied) > 1:
            self.tie_break = self.set_aside.pop()
        self.step = "over"
        self.outcome = self.ranked(satisfaction, tied, events)

    def satisfaction(self, events: list[Event | Whisper]) -> list[int]:
        """Satisfied Requests less received Complaints of every player (rulings 19 and 25)."""
        satisfaction = [0] * len(self.fish)
        for request in self.requests:
            seats = closest(request, self.fish)
            for seat in seats:
                satisfaction[seat] += 1
            events.append(tell.Satisfied(request, seats))
        for complaint in self.complaints:
            seats = closest(complaint, self.fish)
            for seat in seats:
                satisfaction[seat] -= 1
            events.append(tell.Received(complaint, seats))
        for seat, requests in enumerate(self.private_requests):
            sharers = (seat, self.find_left_neighbor(seat))
            for request in requests:
                all_closest = closest(request, self.fish)
                seats = ()
                for sharer in sharers:
                    if sharer in all_closest:
                        satisfaction[sharer] += 1
                        seats = (*seats, sharer)
                events.append(tell.Satisfied(request, seats, sharers))
        return satisfaction

    def ranked(self, satisfaction: Sequence[int], tied: tuple[Seat, ...], events: list[Event | Whisper]) -> Outcome:
        """The highest total wins; of players tied, those who satisfy the flipped Request (rulings 27 and 32)."""
        ahead: tuple[Seat, ...] = ()
        if len(tied) > 1:
            request = self.tie_break or self.set_aside[-1]
            satisfied = closest(request, self.fish)
            ahead = tuple([seat for seat in tied if seat in satisfied])
            events.append(tell.TieBreak(tied, request, ahead))
        ranks = ranks_of([(total, seat in ahead) for seat, total in enumerate(satisfaction)])
        events.append(tell.TotalSatisfaction(tuple(satisfaction), ranks))
        return Outcome(ranks, tuple(satisfaction))

    def standing(self) -> Outcome:
        """How the players would be ranked by what they have now, a tie broken by the Request that would be flipped."""
        if self.outcome:
            return self.outcome
        satisfaction = self.satisfaction([])
        return self.ranked(satisfaction, first(satisfaction), [])


def first(satisfaction: Sequence[int]) -> tuple[Seat, ...]:
    """All who have the highest total."""
    return all_with(max(satisfaction), satisfaction)


def in_order(requests: Sequence[Card]) -> tuple[Card, ...]:
    """Requests by id."""
    return tuple(sorted(requests, key=box.RANK.__getitem__))


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> CatchOfTheDay:
    """Setup: shuffle both decks and deal from them; the private Requests face up, or packs to draft from.

    Raises:
        ValueError: ``seats`` is not from 4 to 8.
    """
    if seats not in box.DICE_PER_PLAYER:
        raise ValueError(f"expected 4 to 8 seats, got {seats}")
    chance = Chance(seed)
    complaints, deck = list(box.COMPLAINTS[seats]), list(box.REQUESTS[seats])
    chance.shuffle(complaints)
    chance.shuffle(deck)
    mode: Mode = "advanced" if variants["mode"] == "advanced" else "basic"
    public = take(deck, box.PUBLIC_REQUESTS)
    hands = [in_order(take(deck, box.PACK if mode == "advanced" else box.REQUESTS_PER_PAIR)) for _ in range(seats)]
    nothing: tuple[tuple[Card, ...], ...] = ((),) * seats
    return CatchOfTheDay(
        chance,
        mode,
        tuple(public),
        tuple(take(complaints, box.COMPLAINTS_IN_PLAY)),
        deck,
        tuple(hands) if mode == "basic" else nothing,
        [list(hand) for hand in (hands if mode == "advanced" else nothing)],
        [[] for _ in range(seats)],
        [[0, 0, 0] for _ in range(seats)],
        [box.DICE] * len(box.FISH),
        [0] * len(box.FISH),
        [0] * len(box.FISH),
    )


def take(deck: list[Card], cards: int) -> list[Card]:
    """So many cards off the top of a deck, which is its end."""
    top = deck[-cards:]
    del deck[-cards:]
    return top
