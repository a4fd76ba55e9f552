"""Where the score counts, every format goes by it: a bot that wins often and loses much is behind one that does not."""

from random import Random

import pytest
from msgspec.structs import replace

from arena.formats import LineUp, Played, Progress, Result, Terms, made
from arena.ratings.pairwise import lead
from tests.ratings.matches import ranks_of

NAMES = ("often", "seldom", "middle", "poor")
MEANS = {"often": 0.0, "seldom": 8.0, "middle": 5.0, "poor": -8.0}
SPAN = 40
DECIDED: list[tuple[str, dict[str, object]]] = [
    ("balanced", {"until": "best"}),
    ("balanced", {"until": "decided", "margin": 0.2}),
    ("balanced", {"until": "top=2"}),
    ("race", {}),
    ("race", {"top": 2}),
    ("knockout", {}),
]
RATED: list[tuple[str, dict[str, object]]] = [("balanced", {}), ("swiss", {}), ("groups", {}), ("gauntlet", {})]


def scored(match: str, bots: LineUp) -> tuple[int, ...]:
    """Luck for all; and *often* has a little more in seven of ten matches, and in the others much less."""
    luck = Random(match)
    scores = {bot: MEANS[bot] + luck.gauss(0, 1) for bot in bots}
    if "often" in bots:
        scores["often"] += 10 if luck.random() < 0.7 else -20
    return tuple([max(-20, min(round(scores[bot]), 20)) for bot in bots])


def ended(name: str, options: dict[str, object], *, seats: int, span: int | None, blocks: int = 2000) -> Result:
    """A format to its end, by scores of which no two differ by more than ``span``; None: by places."""
    terms = Terms(entrants=NAMES, seats=seats, blocks=blocks, key=b"scores", span=span)
    progress = Progress(made(name, options), terms)
    while (asked := progress.round) is not None:
        played = []
        for number, line_up in enumerate(asked.line_ups):
            matches = [
                scored(f"{progress.first_block + number} {turn}", line_up[turn:] + line_up[:turn])
                for turn in range(seats)
            ]
            told = tuple([tuple([score / (span or 1) for score in match]) for match in matches])
            ranks = tuple([ranks_of([*map(float, match)]) for match in matches])
            played.append(Played(number=number, line_up=line_up, ranks=ranks, scores=() if span is None else told))
        progress.finish(played)
    assert progress.result is not None
    return progress.result


def test_a_lead_by_ranks_is_who_is_ahead() -> None:
    """By ranks it is 1, 0 or -1, however far; by scores it is their difference, as a part of the most there is."""
    assert [lead(0, other=3), lead(1, other=1), lead(2, other=1)] == [1, 0, -1]
    assert lead(-0.75, other=-0.5) == 0.25


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize(("name", "options"), [*DECIDED, *RATED])
def test_the_best_by_score_is_first(name: str, options: dict[str, object], seats: int) -> None:
    """By places *often* is ahead of *seldom* in seven of ten matches; by scores *seldom* is first."""
    if name == "groups":
        options = options | {"groups": 1}
    result = ended(name, options, seats=seats, span=SPAN)
    assert result.places[0].bot == "seldom", result.notes
    # at two seats the best two meet each other alone
    if (name, options) in DECIDED and name != "knockout" and seats > int(str(options.get("top", 1))):
        assert result.certain, result.notes


def test_by_places_another_is_first() -> None:
    """The same matches by places have *often* first, for certain, by the duels of a race."""
    result = ended("race", {}, seats=2, span=None)
    assert (result.places[0].bot, result.certain) == ("often", True)


@pytest.mark.parametrize(("name", "options"), DECIDED)
def test_what_needs_bounds_says_so(name: str, options: dict[str, object]) -> None:
    """Bets on differences of scores need bounds, and a score for each seat: without, the format is refused by name."""
    asked = f"until={options['until']}" if "until" in options else name
    with pytest.raises(ValueError, match=f"^{asked}: expected a game of places, or one that bounds the score of each"):
        ended(name, options, seats=2, span=0)
    assert ended("swiss", {}, seats=2, span=0, blocks=60).places[0].bot == "seldom"


def test_a_model_of_places_is_refused() -> None:
    """TrueSkill's model is one of places: no race by scores may assume it."""
    with pytest.raises(ValueError, match="expected places to count with model=trueskill, got a game"):
        ended("race", {"model": "trueskill"}, seats=2, span=SPAN)


def test_a_void_match_has_no_score() -> None:
    """A block tells its matches that are not void: by ranks, or by scores below 0, so that less is better in both."""
    block = Played(number=0, line_up=("often", "poor"), ranks=((0, 1), None), scores=((0.5, -0.5), ()))
    assert list(block.matches()) == [(("often", "poor"), (-0.5, 0.5))]
    assert list(replace(block, scores=()).matches()) == [(("often", "poor"), (0, 1))]
