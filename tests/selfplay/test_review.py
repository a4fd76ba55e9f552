"""A review names the answers that cost a bot most, and claims no more than the imagined states hold."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena import BotError, UsageError
from arena.report.review import ALIKE, MEASURED_ANSWERS, Review, ReviewedAnswer, spread_answers
from arena.selfplay import review as reviews
from arena.selfplay.players import Policy, from_file, make_policy
from arena.selfplay.review import also_asked
from arena.tournament.folder import RunFolder
from tests.selfplay.blunders import Blunderer

GAME = "dockfight"
REVIEWS = 40


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of a blundering bot, not finished."""
    path = tmp_path_factory.mktemp("review") / "run"
    bots: list[Any] = [arena.local_bot(Blunderer, "mine"), "greedy"]
    with arena.open_run(GAME, bots, seats=2, matches=8, seed="review", out=path) as opened:
        for number, _ in enumerate(opened.play()):
            if number == 5:
                break
    return RunFolder(path)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A review imagines fewer states than is of use, and so ends soon."""
    monkeypatch.setattr(reviews, "_STATES", 20)
    monkeypatch.setattr(reviews, "_MOST_STATES", 60)


def reviewed(run: RunFolder, by: Policy, bot: str = "mine", within: float = 60.0) -> Review:
    """A short review."""
    return reviews.review(run, bot=bot, by=by, within=within, say=lambda _: None, progress=lambda _: None)


@pytest.mark.long
@pytest.mark.usefixtures("hurried")
def test_each_row_is_an_answer_of_a_lost_match(run: RunFolder) -> None:
    """Each row is the bot's own answer in a match that it lost, and an answer of the other bot that differs."""
    told = reviewed(run, from_file("greedy"))
    records = {record.id: record for record in run.records()}
    lost = [record for record in records.values() if record.ranks[record.bots.index("mine")]]
    assert (told.matches, told.lost) == (len(records), len(lost))
    assert told.chosen == told.lost
    assert 0 < len(told.answers) <= MEASURED_ANSWERS
    assert told.differing >= len(told.answers)
    for row in told.answers:
        record = records[row.id]
        assert record.bots[row.seat] == "mine"
        assert record.ranks[row.seat] > 0
        assert record.seats_asked[row.decision] == row.seat
        assert record.picks[row.decision] != row.picks
        assert row.answer != row.better
        assert row.low <= row.cost <= row.high
        assert told.command(row) == f"arena replay {run.path} '#{row.match}' --decision {row.decision}"


@pytest.mark.usefixtures("hurried")
def test_a_bot_that_answers_as_the_other_costs_nothing(run: RunFolder) -> None:
    """Nothing is claimed of a bot that answers as the stronger one does, though it lost."""
    told = reviewed(run, make_policy(arena.local_bot(Blunderer, "twin")))
    assert told.lost > 0
    assert told.looked == told.decisions > 0
    assert (told.differing, told.answers) == (0, ())
    assert told.notes == ["No answer of twin seems to be worth more."]


@pytest.mark.usefixtures("hurried")
def test_what_cannot_be(run: RunFolder) -> None:
    """An unknown bot, too little time, and a stronger bot that raises or is illegal are told in one line."""
    with pytest.raises(UsageError, match="expected a bot of mine, greedy, got 'mime'; did you mean 'mine'"):
        reviewed(run, from_file("greedy"), bot="mime")
    with pytest.raises(UsageError, match=r"expected at least 5s, got 0.1s"):
        reviewed(run, from_file("greedy"), within=0.1)

    def broken(decision: arena.Decision) -> list[int]:
        raise ValueError(decision.seats)

    def illegal(_: arena.Decision) -> list[int]:
        return [99]

    with pytest.raises(BotError, match=r"bot broken: expected an answer, got ValueError: 2 at .* \(match e0b"):
        reviewed(run, make_policy(broken))
    with pytest.raises(BotError, match=r"bot illegal: expected picks from 0 to .*, got 99 \(match e0b"):
        reviewed(run, make_policy(illegal))


def test_the_other_is_asked_all_questions(run: RunFolder) -> None:
    """Beside a match stand the picks of another bot at each question; greedy's own are as recorded."""
    record = next(run.records())
    seat = record.bots.index("greedy")
    other = also_asked(run, record, from_file("greedy"), seat=seat, wanted=None, within=20, say=lambda _: None)
    asked = {index: record.picks[index] for index, who in enumerate(record.seats_asked) if who == seat}
    assert (other.name, dict(other.picks)) == ("greedy", asked)


@pytest.mark.parametrize("claims", [1, MEASURED_ANSWERS])
def test_ranges_hold(claims: int) -> None:
    """Of gains that are rarely great, and so far from normal, at most 5 % of reviews have a range without the mean."""
    dice, wrong = Random(claims), 0
    for _ in range(REVIEWS):
        for _ in range(claims):
            gains = dice.choices([-0.5, 0.0, 0.02], [0.03, 0.22, 0.75], k=dice.choice([20, 60]))
            low, high = reviews._range(gains, 1, claims)
            if not low <= 0.0 <= high:
                wrong += 1
                break
    assert wrong <= REVIEWS / 20


def test_a_clear_gain_is_sure() -> None:
    """A gain that nearly each state shows is told apart from none, and its range holds it."""
    dice = Random(1)
    low, high = reviews._range([dice.choice([0.0, 0.5, 1.0]) for _ in range(300)], 3, MEASURED_ANSWERS)
    assert 0.5 < low < 1.5 < high < 2.5


LOOKED = st.builds(
    lambda question, said, cost, decision: ReviewedAnswer(
        match=0,
        id="e0b0r0",
        seat=0,
        decision=decision,
        question=question,
        answer=f"{said} {decision}",
        better="b",
        picks=(),
        states=9,
        cost=cost,
        low=cost,
        high=cost,
    ),
    st.sampled_from("pqr"),
    st.sampled_from("xyzuvw"),
    st.floats(0.01, 1),
    st.integers(0, 400),
)


@given(st.lists(LOOKED, max_size=80))
def test_a_list_is_spread(looked: list[ReviewedAnswer]) -> None:
    """The costliest answer to each question is in a list, whatever the others cost, and few of a sort."""
    dear = sorted(looked, key=lambda answer: -answer.cost)
    chosen = spread_answers(dear, MEASURED_ANSWERS)
    assert len(chosen) <= MEASURED_ANSWERS
    assert max(Counter(answer.sort for answer in chosen).values(), default=0) <= ALIKE
    for question in {answer.question for answer in looked}:
        dearest = next(answer.cost for answer in dear if answer.question == question)
        assert max(answer.cost for answer in chosen if answer.question == question) == dearest
