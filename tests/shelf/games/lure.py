"""Lure for the suites of the shelf: what is in the box, what a seat may not know, and leaks to be found."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from random import Random
from typing import Any, Literal

from msgspec import field

from arena.chance import Chance
from arena.game import Chosen, Pending, Seat
from arena.games.lure.cards import ADJUST, FISH, LURES, SIDES, Die, Lure
from arena.games.lure.events import ADJUSTMENTS
from arena.games.lure.player import Player
from arena.games.lure.rules import LureState
from arena.laws.odds import Scenario
from arena.laws.table import silence
from tests.games.walks import questions

SCREEN: Counter[Die] = Counter({"d6": 5, "d12": 1, "d20": 1})
"""The dice of each player."""


WAYS = 6**3
"""A step falls in so many ways if nobody says anything at a table of three, for each then rolls one die."""


def census(state: LureState) -> Counter[str]:
    """Every fish, lure and die of the box; a die that is neither chosen nor resting is behind its owner's screen."""
    box = Counter(fish.name for fish in [*state.deck, *state.removed, *state.fish])
    box.update(state.lure_pile)
    box.update(state.discards)
    for player in state.players:
        box.update(fish.name for fish in player.score_pile)
        box.update([*player.lures, *player.played])
        box.update(boost=player.boosts)
        chosen = player.dice if state.group or state.waiting else player.chosen
        in_sight = Counter([*chosen, *player.resting])
        box.update(in_sight)
        box.update(SCREEN - in_sight)
    return box


def redeal(state: LureState, seat: Seat, rng: Random) -> LureState:
    """A copy with other fish to come, other lures in the pile and in the others' hands, other secret choices.

    Ruling 38: score piles stay as they are, for every fish was caught in sight of all. Ruling 39: the pile and the
    hands that were empty at or since the last reshuffle are of the lures discarded before it, so those are dealt again
    among them; before a reshuffle all that the seat has not seen is. Rulings 33 and 34: of the others the seat knows
    neither dice nor lures until all are in, nor Adjusts until their group is done, nor who is still at it.
    """
    world = state.copy()
    others = [(owner, player) for owner, player in enumerate(world.players) if owner != seat]
    _redeal_fish(world, rng)
    _redeal_lures(world, others, rng)
    if world.step == "lures":
        for _, player in others:
            dice = list((SCREEN - Counter(player.resting)).elements())
            chosen = rng.sample(dice, rng.randint(1, len(dice)))
            player.chosen = tuple(sorted(chosen, key=SIDES.__getitem__))
    if world.step == "adjust":
        _redo_adjusts(world, seat, rng)
    world.chance = Chance(rng.randbytes(32), rng.randrange(1000))
    return world


def _redeal_fish(world: LureState, rng: Random) -> None:
    fish = world.deck + world.removed
    rng.shuffle(fish)
    world.removed = [fish.pop() for _ in world.removed]
    world.deck = fish


def _redeal_lures(world: LureState, others: Sequence[tuple[Seat, Player]], rng: Random) -> None:
    fresh = [player for seat, player in others if seat not in world.stale]
    unseen = world.lure_pile + [lure for player in fresh for lure in player.lures]
    rng.shuffle(unseen)
    world.lure_pile = [unseen.pop() for _ in world.lure_pile]
    for player in fresh:
        before = player.lures
        player.lures = sorted([unseen.pop() for _ in before], key=list(LURES).index)
        if player.drawn:
            player.drawn[-1] = list((Counter(player.drawn[-1]) - Counter(before) + Counter(player.lures)).elements())


def _redo_adjusts(world: LureState, seat: Seat, rng: Random) -> None:
    """The others of the group have answered as often as before, and one of them goes on if the seat does not."""
    group = [(other, world.players[other]) for other in world.group]
    asked = max(player.played.count(ADJUST) - player.adjusts for _, player in group if player.adjusts)
    others = [player for other, player in group if other != seat]
    able = [player for player in others if player.played.count(ADJUST) > asked]
    # by its place: two players may be equal in all they have
    eager = None if dict(group).get(seat, Player()).adjusts else rng.choice([id(player) for player in able])
    for player in others:
        player.numbers = player.rolled
        player.adjusts = player.played.count(ADJUST)
        for _ in range(min(asked, player.adjusts)):
            if player.adjusts and (id(player) == eager or rng.random() < 2 / 3):
                _adjust(player, rng)
            else:
                player.adjusts = 0


def _adjust(player: Player, rng: Random) -> None:
    at = rng.randrange(len(player.dice))
    adjustment = rng.choice(ADJUSTMENTS[at, player.dice[at], player.numbers[at]])
    numbers = list(player.numbers)
    numbers[at] += adjustment.by
    player.numbers = tuple(numbers)
    player.adjusts -= 1


def order(state: LureState, seat: Seat) -> object:
    """Most VP, then fewest fish."""
    return state.standing().scores[seat], -len(state.players[seat].score_pile)


def _hidden(state: LureState, seat: Seat) -> list[list[Lure]]:
    return [player.lures for owner, player in enumerate(state.players) if owner != seat]


LEAKS: dict[str, Callable[[LureState, Seat], object]] = {
    "the next fish": lambda state, seat: (state.observe(seat), state.deck[-1:]),
    "whether a fish worth 7 is next": lambda state, _: [fish.vp == 7 for fish in state.deck[-1:]],
    "the fish in an order of its own": lambda state, seat: (state.observe(seat), Counter(map(str, state.deck))),
    "the next lure": lambda state, seat: (state.observe(seat), state.lure_pile[-1:]),
    "the lures of the others": lambda state, seat: (state.observe(seat), _hidden(state, seat)),
    "who holds a boost": lambda state, _: ["boost" in player.lures for player in state.players],
    "how many kinds of lure the others hold": lambda state, seat: [len(set(lures)) for lures in _hidden(state, seat)],
    "the dice before the lures are in": lambda state, _: [player.chosen for player in state.players],
    "the order of rolling before the lures are in": lambda state, _: [len(player.chosen) for player in state.players],
    "the options of others": lambda state, _: state.pending(),
    "the chance": lambda state, seat: (state.observe(seat), state.chance),
    "how often chance was asked": lambda state, seat: (state.observe(seat), state.chance.drawn),
    "the next roll": lambda state, _: state.chance.copy().roll(20),
    "the whole observation of the next seat": lambda state, seat: state.observe((seat + 1) % len(state.players)),
}


class Loaded(Chance):
    """Chance whose dice show what they are told to, in the order of rolling; shuffles are as ever."""

    faces: list[int] = field(default_factory=list)

    def roll(self, sides: int = 6) -> int:
        """The next face."""
        face = self.faces.pop(0)
        if not 1 <= face <= sides:
            raise ValueError(f"expected a face from 1 to {sides}, got {face}")
        return face

    def copy(self) -> "Loaded":
        """The same faces, independent."""
        return Loaded(self.key, self.drawn, self.faces.copy())


def rigged(
    seats: int = 4,
    *,
    fish: Sequence[str] = (),
    deck: Sequence[str] = (),
    lures: Mapping[Seat, Sequence[Lure]] | None = None,
    pile: Sequence[Lure] | None = None,
    score_piles: Mapping[Seat, Sequence[str]] | None = None,
    boosts: Mapping[Seat, int] | None = None,
    resting: Mapping[Seat, Sequence[Die]] | None = None,
    faces: Sequence[int] = (),
    effects: Literal["on", "off"] = "on",
) -> LureState:
    """A table set up by hand, all about to choose dice; fish named nowhere are removed."""
    lures, score_piles, boosts, resting = lures or {}, score_piles or {}, boosts or {}, resting or {}
    by_name = {each.name: each for each in FISH}
    players = [
        Player(
            lures=sorted(lures.get(seat, ()), key=list(LURES).index),
            score_pile=[by_name[name] for name in score_piles.get(seat, ())],
            boosts=boosts.get(seat, 0),
            resting=tuple(resting.get(seat, ())),
        )
        for seat in range(seats)
    ]
    placed = [*fish, *deck, *(name for names in score_piles.values() for name in names)]
    laid = Counter(pile or ()) + Counter(lure for player in players for lure in player.lures)
    laid["boost"] += sum(boosts.values())
    if len(set(placed)) < len(placed) or laid - Counter(LURES):
        raise ValueError(f"expected each fish once and at most {LURES}, got {placed} and {laid}")
    rest = Counter(LURES) - laid
    return LureState(
        chance=Loaded(bytes(32), 0, list(faces)),
        effects=effects,
        deck=[by_name[name] for name in reversed(deck)],
        removed=[each for each in FISH if each.name not in placed],
        lure_pile=list(rest.elements()) if pile is None else list(reversed(pile)),
        players=players,
        step="dice",
        round=1,
        fish=[by_name[name] for name in fish],
        discards={} if pile is None else dict(rest),
    )


def cast(
    state: LureState,
    dice: Mapping[Seat, Sequence[Die]],
    lures: Mapping[Seat, Sequence[Lure]] | None = None,
) -> list[Any]:
    """Everyone chooses these dice, one d6 where none are named, then these lures; returns what followed."""
    events = state.apply({seat: tuple(dice.get(seat, ("d6",))) for seat in range(len(state.players))})
    if events:
        assert not lures
        return events
    decisions = questions(state)
    assert set(lures or {}) <= decisions.keys()
    return state.apply({seat: tuple((lures or {}).get(seat, ())) for seat in decisions})


def adjust(state: LureState, answers: Mapping[Seat, tuple[int, int] | None]) -> list[Any]:
    """These seats, just those that are asked, change a die given by its index by 1 or -1, or say done (None)."""
    decisions = questions(state)
    assert state.step == "adjust"
    assert decisions.keys() == answers.keys()
    chosen = {}
    for seat, answer in answers.items():
        options: Iterable[Any] = decisions[seat].options
        chosen[seat] = tuple(
            option for option in options if (None if option == "done" else (option.at, option.by)) == answer
        )
        assert len(chosen[seat]) == 1
    return state.apply(chosen)


RIGGED: dict[str, Callable[..., LureState]] = {
    "by hand": rigged,
    "the last round": lambda: rigged(fish=["Roach", "Chub"], lures={0: ["adjust"], 1: ["adjust", "boost"]}),
    "lures have run short": lambda: rigged(fish=["Sturgeon"], deck=["Dace", "Eel"], pile=[], lures={0: ["adjust"] * 8}),
    "two roll together": lambda: rigged(
        2, fish=["Perch", "Bream"], deck=["Roach"], lures={0: ["adjust"] * 2, 1: ["adjust"] * 3}
    ),
}


class _Ones(Chance):
    """Chance whose dice show 1; all else is as another chance has it."""

    other: Any = None

    def roll(self, sides: int = 6) -> int:  # noqa: ARG002 - whatever the die
        """A 1."""
        return 1

    def below(self, n: int) -> int:
        """As the other has it."""
        found: int = self.other.below(n)
        return found

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """As the other has it."""
        self.other.shuffle(items)


def hidden(state: LureState) -> object:
    """Fish and lures that lie face down, in hands and piles, and what each has drawn of each pile; secret choices."""
    return {
        "fish": (state.deck, state.removed),
        "lures": [sorted(player.lures) for player in state.players],
        "drawn": [[sorted(lures) for lures in player.drawn] for player in state.players],
        "pile": state.lure_pile,
        "dice": [player.chosen for player in state.players],
        "numbers": [player.numbers * (seat in state.group) for seat, player in enumerate(state.players)],
    }


def _lures_run_short(chance: Chance) -> LureState:
    """Seat 0 hoards all but five lures: of those seat 1 has two, seat 2 one, one is left to draw."""
    tokens: list[Lure] = ["boost", "boost", "boost", "extra die 1", "extra die 1"]
    hoard = list((Counter(LURES) - Counter(tokens)).elements())
    chance.shuffle(tokens)
    hands = {0: hoard, 1: tokens[:2], 2: tokens[2:3]}
    state = rigged(3, fish=["Sturgeon"], deck=["Pike", "Carp"], lures=hands, pile=tokens[3:4])
    state.chance = _Ones(b"")
    state.chance.other = chance
    return state


def _plays_unseen(state: LureState, chance: Chance) -> Chosen:
    """One d6 each; seat 1 plays a lure without looking, the others keep theirs."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    chosen = silence(pending)
    if state.step == "lures" and 1 in chosen:
        options = pending.decisions[1].options
        return {**chosen, 1: (options[chance.below(len(options))],)}
    return chosen


def _lures_hidden(state: LureState) -> object:
    return [sorted(player.lures) for player in state.players], state.lure_pile


SCENARIOS = {
    "before the reshuffle": Scenario(_lures_run_short, _plays_unseen, 1, _lures_hidden, (0,)),
    "reshuffled": Scenario(_lures_run_short, _plays_unseen, 2, _lures_hidden, (0,)),
    "reshuffled, and played again": Scenario(_lures_run_short, _plays_unseen, 4, _lures_hidden, (0,)),
}
