"""Laws of Lure that hold in every match, however it is played."""

from collections import Counter
from typing import Any

from hypothesis import given, settings

from arena.game import Outcome, Whisper
from arena.games.lure import GAME
from arena.games.lure import events as tell
from arena.games.lure.cards import FISH, LURES
from arena.laws.table import unwrap_events
from tests.games.walks import Match, matches

few = settings(max_examples=60, deadline=None)
NAMED = {fish.name: fish for fish in FISH}


TABLES = matches(GAME, "lures", [1, 3, 8])


class Story:
    """What a person who hears the public events and knows the rulebook can follow, from the first word on."""

    def __init__(self, seats: int) -> None:
        self.fish: list[str] = []
        self.caught: list[list[str]] = [[] for _ in range(seats)]
        self.boosts = [0] * seats
        self.held = [0] * seats
        self.pile = sum(LURES.values())
        self.discards: Counter[str] = Counter()
        self.casts: list[tell.Cast] = []
        self.shown: dict[int, tuple[int, ...]] = {}
        self.round = 0

    def hear(self, event: Any) -> None:
        """Do on the table what the event says."""
        match event:
            case tell.Draw(seat):
                self.pile -= 1
                self.held[seat] += 1
            case tell.NoLure():
                assert (self.pile, self.discards.total()) == (0, 0)
            case tell.Reshuffle(lures):
                assert self.pile == 0
                assert Counter(lures) == +self.discards
                self.pile = len(lures)
                self.discards.clear()
            case tell.Round(number):
                self.round += 1
                assert number == self.round
            case tell.Reveal(fish):
                self.fish.append(fish.name)
            case tell.Cast(seat, _, lures):
                self.casts = [*self.casts[:seat], event]
                self.held[seat] -= len(lures)
                self.shown = {}
            case tell.Roll(seat, numbers, total) | tell.Adjusted(seat, numbers, total):
                self.shown[seat] = numbers
                assert sum(self.numbers(seat)) == total
            case tell.Caught(seat, name, vp):
                assert vp == NAMED[name].vp
                self.fish.remove(name)
                self.caught[seat].append(name)
            case tell.Boosted(seat, boosts):
                self.boosts[seat] += boosts
            case tell.Discard(_, lures):
                self.discards.update(lures)

    def numbers(self, seat: int) -> list[int]:
        """All numbers of a seat that count: its dice and Extra Dice."""
        extra = [int(lure[-1]) for lure in self.casts[seat].lures if lure.startswith("extra die")]
        return [*self.shown[seat], *extra]

    def together(self, seat: int) -> list[int]:
        """Who rolls together with this seat."""
        return [other for other, cast in enumerate(self.casts) if len(cast.dice) == len(self.casts[seat].dice)]


def required(requirement: str | None, numbers: list[int]) -> bool:
    """Whether numbers meet a requirement, read from its words."""
    counts = Counter(numbers)
    words = (requirement or "").split()
    if words[:1] == ["contains"]:
        if words[1] == "two":
            return counts[4] > 1
        return all(counts[int(word)] > 0 for word in words if word.isdigit())
    if words[:1] == ["all"]:
        return {number % 2 for number in numbers} == {0 if words[-1] == "even" else 1}
    return {
        (): True,
        ("two", "dice", "alike"): max(counts.values()) > 1,
        ("three", "dice", "alike"): max(counts.values()) > 2,
        ("two", "pairs"): sum(number // 2 for number in counts.values()) > 1,
        ("no", "two", "dice", "alike"): max(counts.values()) == 1,
        ("no", "die", "shows", "1"): not counts[1],
        ("a", "die", "shows", "10", "or", "more"): max(numbers) > 9,
    }[tuple(words)]


def could_catch(story: Story, seat: int, name: str) -> bool:
    """Whether the roll of a seat meets number and requirement of a fish."""
    numbers = story.numbers(seat)
    return sum(numbers) >= NAMED[name].catch and required(NAMED[name].requirement, numbers)


@few
@given(TABLES)
def test_every_caught_fish_met_its_number_and_requirement(match: Match) -> None:
    """Who catches a fish could, with the lowest total of all of the group who could; who ties is one of several."""
    state = match.start()
    story = Story(match.seats)
    for chosen in match.play(state):
        for event in unwrap_events(state.copy().apply(chosen)):
            if isinstance(event, tell.Caught | tell.Tied):
                seats = (event.seat,) if isinstance(event, tell.Caught) else event.seats
                able = [seat for seat in story.together(seats[0]) if could_catch(story, seat, event.fish)]
                totals = {seat: sum(story.numbers(seat)) for seat in able}
                assert seats == tuple(seat for seat in able if totals[seat] == min(totals.values()))
                assert event.fish in story.fish
            story.hear(event)


@few
@given(TABLES)
def test_no_fish_is_left_that_a_roll_could_catch(match: Match) -> None:
    """Ruling 12 and 13: what stays in the middle after a group, nobody of it could catch, or the lowest were tied."""
    state = match.start()
    story = Story(match.seats)
    tied: set[str] = set()
    for chosen in match.play(state):
        for event in unwrap_events(state.copy().apply(chosen)):
            if isinstance(event, tell.Cast | tell.Roll):
                tied.clear()
            if isinstance(event, tell.Tied):
                tied.add(event.fish)
            story.hear(event)
            if isinstance(event, tell.Discard | tell.Draw | tell.Boosted) and story.shown:
                last = [*story.shown][-1]
                for seat in story.together(last):
                    assert not any(could_catch(story, seat, name) for name in story.fish if name not in tied)
            if isinstance(event, tell.Round):
                story.shown = {}


@few
@given(TABLES)
def test_the_public_events_tell_the_whole_match(match: Match) -> None:
    """Who hears the public events follows fish, catches, Boosts, dice, rolls, discards and the number of all lures."""
    state = match.start()
    story = Story(match.seats)
    for chosen in match.play(state):
        after = state.copy()
        for event in after.apply(chosen):
            if not isinstance(event, Whisper):
                story.hear(event)
        assert story.round == after.round
        assert story.fish == [fish.name for fish in after.fish]
        assert story.caught == [[fish.name for fish in player.score_pile] for player in after.players]
        assert story.boosts == [player.boosts for player in after.players]
        assert story.discards == after.discards
        assert story.pile == len(after.lure_pile)
        if after.step != "lures":
            assert story.held == [len(player.lures) for player in after.players]
        if story.casts:
            assert [cast.dice for cast in story.casts] == [player.dice for player in after.players]
            assert [story.shown.get(seat, ()) for seat in range(match.seats)] == [p.rolled for p in after.players]


@few
@given(TABLES)
def test_lures_are_drawn_by_who_caught_nothing(match: Match) -> None:
    """Ruling 15, 19 and 20: in each round each seat either catches a fish or is due exactly one lure."""
    state = match.start()
    due: Counter[int] = Counter()
    fed: set[int] = set()
    fishing = False
    for chosen in match.play(state):
        for event in unwrap_events(state.copy().apply(chosen)):
            if isinstance(event, tell.Cast):
                fishing = True
            elif isinstance(event, tell.Draw | tell.NoLure) and fishing:
                due[event.seat] += 1
            elif isinstance(event, tell.Caught):
                fed.add(event.seat)
            elif isinstance(event, tell.Round | tell.Final):
                assert not fishing or due == Counter(seat for seat in range(match.seats) if seat not in fed)
                due.clear()
                fed.clear()
                fishing = False


@few
@given(TABLES)
def test_a_cast_is_of_what_one_has(match: Match) -> None:
    """Ruling 1 and 18: 1 to 7 dice, no special die two rounds in a row; and a fish is out whenever dice are chosen."""
    state = match.start()
    before: dict[int, set[str]] = {}
    rounds = 0
    for chosen in match.play(state):
        if state.step == "dice":
            rounds += 1
            assert state.fish
        for event in unwrap_events(state.copy().apply(chosen)):
            if isinstance(event, tell.Cast):
                special = {str(die) for die in event.dice if die != "d6"}
                assert 1 <= len(event.dice) <= 7
                assert Counter(event.dice)["d6"] <= 5
                assert not special & before.get(event.seat, set())
                before[event.seat] = special
    assert rounds == state.round <= 10


@few
@given(TABLES)
def test_what_is_known_of_lures_is_true(match: Match) -> None:
    """Ruling 39: what is known of the piles adds up for each seat, and only who draws a lure hears which."""
    state = match.start()
    for chosen in match.play(state):
        for seat, player in enumerate(state.players):
            seen = state.observe(seat)
            assert len(seen.piles) == len(seen.drawn)
            if seen.piles:
                assert Counter(state.lure_pile) <= Counter(seen.piles[-1]) - Counter(seen.drawn[-1])
                played = Counter(move for move in seen.moves[seat] if move in LURES)
                assert sum(map(Counter, seen.drawn), Counter()) - played == Counter(player.lures)
                unseen: Counter[str] = sum(map(Counter, seen.piles), Counter()) - sum(
                    map(Counter, seen.drawn), Counter()
                )
                for other, moves in enumerate(seen.moves):
                    assert moves.count("draw") - len([move for move in moves if move in LURES]) == seen.held[other]
                    unseen -= Counter(move for move in moves if move in LURES and other != seat)
                hidden = [lure for other, each in enumerate(state.players) if other != seat for lure in each.lures]
                assert unseen == Counter([*state.lure_pile, *hidden])
        world = state.copy()
        for event in world.apply(chosen):
            if isinstance(event, Whisper):
                assert isinstance(event.event, tell.DrawnLure)
                assert event.seats == (event.event.seat,)


@few
@given(TABLES)
def test_the_most_vp_win(match: Match) -> None:
    """Ranks follow VP, then fewer fish; scores are the VP of all fish and Boosts, and the last event tells them."""
    state = match.start()
    last: list[Any] = []
    for chosen in match.play(state):
        last = state.copy().apply(chosen)
    end = state.pending()
    assert isinstance(end, Outcome)
    assert end == state.standing()
    piles = [player.score_pile for player in state.players]
    vp = [sum(fish.vp for fish in pile) + 2 * state.players[seat].boosts for seat, pile in enumerate(piles)]
    assert last[-1] == tell.Final(tuple(vp), tuple(map(len, piles)), end.ranks)
    assert end.scores == tuple(vp)
    for rank, mine, fish in zip(end.ranks, vp, piles, strict=True):
        better = [
            theirs > mine or (theirs == mine and len(pile) < len(fish)) for theirs, pile in zip(vp, piles, strict=True)
        ]
        assert rank == sum(better)
    assert not state.deck
    assert not any(isinstance(event, tell.RunOut) for event in last) or not state.fish
