"""The interface of a format: what it is given, what it asks to be played, and which results it gets.

Knows no format in particular.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Annotated, Protocol, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.ratings import Looks
from arena.words import listed, plural

Count: TypeAlias = Annotated[int, Meta(ge=0, le=100_000)]
Positive: TypeAlias = Annotated[int, Meta(ge=1, le=100_000)]
"""The numbers that options of formats are: ``arena.formats.registry.made`` refuses others, a stranger's, too."""
LineUp: TypeAlias = tuple[str, ...]
"""The entrant in each seat of rotation 0: a block, whose other rotations follow."""


ALPHA = 0.05
"""How often a claim may be wrong, if nothing else is asked for."""
PAIRING = 3
"""By which rules rounds follow from results; a change of these rules is a new number."""


class Terms(Struct, frozen=True, kw_only=True):
    """The data that a format gets before the first round."""

    entrants: tuple[str, ...]
    """Distinct, the first seed first; at least as many as seats."""
    seats: int
    """How many sit at a table, 2 or more."""
    blocks: int
    """How many blocks were asked for: what is played, or for a format that may end early the most."""
    key: bytes
    """Of all chance; up to 64 bytes."""
    alpha: float = ALPHA
    """How often a claim may be wrong."""
    before: "tuple[Played, ...]" = ()
    """What was played earlier in this run, if a finished one is extended; ``blocks`` are those beyond."""
    span: float | None = None
    """Where the score counts, the most by which two scores of a match differ; 0: not known, or there is one for all."""

    def check_duels(self, name: str) -> None:
        """Check that bots can be held against each other match by match, as a format of this name needs.

        Raises:
            ValueError: the score counts, and has no bounds or is shared.
        """
        if self.span == 0:
            expected = "a game of places, or one that bounds the score of each seat"
            raise ValueError(f"{name}: expected {expected}, got one without bounds, or whose seats share a score")


class Round(Struct, frozen=True, kw_only=True):
    """The line-ups that are to be played before the format decides anything else."""

    title: str
    """What it is called in this format, as ``round 3`` or ``final``."""
    line_ups: tuple[LineUp, ...]
    byes: tuple[str, ...] = ()
    """Those that are still in and sit out this round."""
    stage: str = ""
    """What this round and its neighbours are shown as together; empty: as ``title``."""


class Played(Struct, frozen=True, kw_only=True):
    """A line-up of a round and how its matches ended."""

    number: int
    """Its place in ``Round.line_ups``."""
    line_up: LineUp
    ranks: tuple[tuple[int, ...] | None, ...]
    """By rotation, the rank of each seat, 0 best; None where a match is void."""
    scores: tuple[tuple[float, ...], ...] = ()
    """Where the score counts, by rotation that of each seat, in parts of ``Terms.span`` if that is known."""
    block: int = -1
    """Its number in the run, in canonical order: see ``arena.ratings.outcomes``."""

    def matches(self) -> Iterator[tuple[LineUp, tuple[float, ...]]]:
        """The bot in each seat of each match that is not void, and how it did: the less, the better.

        That is its rank, or where the score counts its score below 0.
        """
        for rotation, ranks in enumerate(self.ranks):
            if ranks is not None:
                how = tuple([-score for score in self.scores[rotation]]) if self.scores else ranks
                yield self.turned(rotation), how

    def voids(self) -> tuple[LineUp, ...]:
        """The bot in each seat of each match that is void."""
        return tuple([self.turned(rotation) for rotation, ranks in enumerate(self.ranks) if ranks is None])

    def turned(self, rotation: int) -> LineUp:
        """The bot in each seat of a rotation."""
        return self.line_up[rotation:] + self.line_up[:rotation]


class Place(Struct, frozen=True, kw_only=True):
    """Where a bot came in. Bots that share a place have the same."""

    place: int
    """1 is first."""
    bot: str


class Onward(Struct, frozen=True, kw_only=True):
    """A bot that advanced from a stage."""

    stage: str
    """As ``Round.stage``."""
    bot: str
    why: str


class Result(Struct, frozen=True, kw_only=True):
    """How it ended."""

    places: tuple[Place, ...]
    """Every entrant, best first."""
    through: tuple[str, ...]
    """Those that advance if another stage follows, the first seed first; without a rule, all in their places."""
    certain: bool = False
    """Whether what the format set out to find is certain, at ``Terms.alpha``."""
    still: tuple[str, ...] = ()
    """Of a format that rules out one bot after another, those that are still in, best first."""
    circle: tuple[str, ...] = ()
    """Bots of which each is certainly ahead of the next and the last of the first, if that is the answer."""
    notes: tuple[str, ...] = ()
    """What a reader must know beside the places, in sentences."""
    onward: tuple[Onward, ...] = ()
    """Who advanced from which stage, and why."""


Play: TypeAlias = Generator[Round, tuple[Played, ...], Result]


class Answer(Struct, frozen=True):
    """How well a format answers: what simulated runs came to that had the blocks of its ``sound``.

    The skills of the bots were the quantiles of a normal distribution, one beta wide.
    """

    bots: int
    best: float
    """The share of runs in which the best bot came first."""
    order: float
    """The mean rank correlation with the true order."""
    fewest: float = 0.0
    """Matches a bot that nine of ten runs took at least, if it may end early."""
    most: float = 0.0
    """Matches a bot that nine of ten runs took at most."""


class Format(Protocol):
    """A format with its options.

    It may have more:

    - ``onward(bots, seats) -> int``: how many of ``bots`` advance, if not all.
    - ``size(terms) -> int | None``: how many blocks it has, if that is known beforehand.
    - ``fixed: ClassVar[bool] = True``: neither line-ups nor length depend on results, so its table can say more.
    - ``claims: ClassVar[Looks]``: if ``"pairs"``, its table claims only what two bots show in matches that both sat in;
      if ``"answer"``, only what its result says is certain.
    - ``ends: ClassVar[bool] = True``: it ends by a rule of its own, so no question can end it.

    A format that ``--dry-run`` tells of has:

    - ``tells: ClassVar[str]``: what it is played for.
    - ``sound(bots, seats) -> int``: the blocks to ask for, to rely on its answer; where it may end early, the most.
    - ``measured: ClassVar``, if it was: the ``Answer`` for some numbers of bots, at tables of 2 and of 4.
    - ``tables: ClassVar[int]``, if it makes sense only for more bots than have seats at so many tables.
    """

    def play(self, terms: Terms) -> Play:
        """Its rounds, one after the other."""
        ...


def places_of(groups: Sequence[Sequence[str]]) -> tuple[Place, ...]:
    """Bots in groups that share a place, best first: two that share the second are followed by the fourth."""
    places: list[Place] = []
    for group in groups:
        place = len(places) + 1
        places += [Place(place=place, bot=bot) for bot in group]
    return tuple(places)


def derived(key: bytes, purpose: str) -> bytes:
    """A key of its own for a part of a format: 32 bytes of BLAKE2b over the purpose."""
    return blake2b(purpose.encode(), key=key, digest_size=32).digest()


class Unlawful(ValueError):
    """A format asks for an impossible round, or gets an outcome of a block that was not played."""


class Progress:
    """Holds a format, so that its rounds are lawful and nothing depends on the order in which blocks end."""

    def __init__(self, schedule: Format, terms: Terms) -> None:
        """Derive the first round.

        Raises:
            Unlawful: the terms or the round cannot be played.
            ValueError: the format's options do not go with the terms.
        """
        if not 2 <= terms.seats <= len(terms.entrants):  # noqa: PLR2004 - one bot plays nobody
            expected = f"2 to {len(terms.entrants)} seats for {len(terms.entrants)} entrants"
            raise Unlawful(f"expected {expected}, got {terms.seats}")
        if len(set(terms.entrants)) < len(terms.entrants):
            raise Unlawful(f"expected distinct entrants, got {', '.join(terms.entrants)}")
        if terms.blocks < 1:
            raise Unlawful(f"expected 1 block or more, got {terms.blocks}")
        self.terms = terms
        self.rounds: list[Round] = []
        """Those before the present one, and it."""
        self.first_block = 0
        """The number of the first block of the present round, counted through the rounds."""
        self.round: Round | None = None
        self.result: Result | None = None
        self._play: Play = schedule.play(terms)
        self._take()

    def finish(self, played: Iterable[Played]) -> None:
        """Hand in the present round, in any order; the next one follows, or the result.

        Raises:
            Unlawful: there is no round; or these are not its line-ups, each once, each with ranks or None by rotation.
        """
        if self.round is None:
            raise Unlawful("expected a round that is to be played, got the outcome of one after the last")
        blocks = tuple(sorted(played, key=lambda block: block.number))
        if [(played.number, played.line_up) for played in blocks] != list(enumerate(self.round.line_ups)):
            got = plural(len(blocks), "block") if len(blocks) != len(self.round.line_ups) else "others"
            raise Unlawful(f"{self.round.title}: expected its {len(self.round.line_ups)} line-ups each once, got {got}")
        for outcome in blocks:
            sizes = {len(ranks) for ranks in outcome.ranks if ranks is not None}
            if len(outcome.ranks) != self.terms.seats or sizes - {self.terms.seats}:
                expected = f"{self.terms.seats} rotations of {self.terms.seats} ranks"
                raise Unlawful(
                    f"{self.round.title}, line-up {outcome.number}: expected {expected}, got {outcome.ranks}"
                )
        blocks = tuple(
            [
                outcome if outcome.block >= 0 else replace(outcome, block=self.first_block + outcome.number)
                for outcome in blocks
            ]
        )
        self.first_block += len(blocks)
        self._take(blocks)

    def _take(self, played: tuple[Played, ...] | None = None) -> None:
        try:
            fixtures = next(self._play) if played is None else self._play.send(played)
        except StopIteration as stop:
            self.round, self.result = None, self._lawful_result(stop.value)
            return
        self.round = self._lawful(fixtures)
        self.rounds.append(fixtures)

    def _lawful(self, fixtures: Round) -> Round:
        if not fixtures.line_ups:
            raise Unlawful(f"{fixtures.title}: expected a line-up in a round, got none")
        entrants = set(self.terms.entrants)
        for line_up in fixtures.line_ups:
            if len(line_up) != self.terms.seats or len(set(line_up)) < len(line_up) or not entrants.issuperset(line_up):
                expected = f"line-ups of {self.terms.seats} distinct entrants"
                raise Unlawful(f"{fixtures.title}: expected {expected}, got {', '.join(line_up)}")
        return fixtures

    def _lawful_result(self, result: Result) -> Result:
        if sorted(place.bot for place in result.places) != sorted(self.terms.entrants):
            raise Unlawful(f"expected a place for each of {len(self.terms.entrants)} entrants, got {result.places}")
        return result


def claims_of(schedule: Format, *, until: bool = False) -> Looks:
    """What may be claimed of the table of a finished run; ``until``: it ended once a question was answered."""
    claims: Looks | None = getattr(schedule, "claims", None)
    if claims is not None:
        return claims
    if not getattr(schedule, "fixed", False):
        return "paired"
    return "every" if until else "one"


def doubt(bots: Collection[str], places: int) -> str:
    """That all of these bots may be among the first so many."""
    which = "the best" if places == 1 else f"among the first {places}"
    return f"each of these may be {which}: {listed(sorted(bots))}"


def round_of(circle: Sequence[str]) -> str:
    """That each of these is ahead of the next, and the last of the first."""
    return " > ".join((*circle, circle[0]))
