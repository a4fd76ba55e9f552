"""Formats that end when it is certain what was asked for: at looks that anybody can take again."""

import re

import pytest

from arena.formats import Play, Played, Progress, Result, Round, Terms, made
from arena.formats.until import Until, places_asked
from arena.ratings import fit_outcomes, outcomes_of
from tests.formats.played import BETA, CIRCLE, by_skill, in_a_circle, outcome, terms_of, whole
from tests.ratings.matches import Recorder, better_in


def sizes(rounds: list[Round]) -> list[int]:
    """How many blocks each round has."""
    return [len(each.line_ups) for each in rounds]


@pytest.mark.parametrize("question", ["best", "top=2", "order", "decided"])
def test_it_ends_at_the_first_look_at_which_it_is_certain(question: str) -> None:
    """A question is answered truly, with the blocks of the schedule beneath and no more looks than there are."""
    terms = terms_of(3, 2, 200)
    skills = {"b00": 25.0, "b01": 25 + 6 * BETA, "b02": 25 + 12 * BETA}
    rounds, result = whole(made("balanced", {"until": question}), terms, by_skill(skills, 1))
    plain, _ = whole(made("balanced", {}), terms, by_skill(skills, 1))
    played = [line_up for each in rounds for line_up in each.line_ups]
    assert played == list(plain[0].line_ups[: len(played)])
    assert sizes(rounds) == [16] * len(rounds)
    assert len(played) < 200
    assert result.certain
    assert [place.bot for place in result.places] == ["b02", "b01", "b00"]
    assert result.through == ("b02", "b01", "b00")[: 2 if question == "top=2" else 3]
    assert result.notes == (f"Decided after {len(played)} of at most 200 blocks.",)


def test_equals_are_not_decided() -> None:
    """Of equal bots none is found to be better: all blocks are played, and it says what is open."""
    terms = terms_of(4, 2, 60)
    skills = dict.fromkeys(terms.entrants, 25.0)
    rounds, result = whole(made("balanced", {"until": "best"}), terms, by_skill(skills, 3))
    assert sum(sizes(rounds)) == 60
    assert not result.certain
    assert result.notes == ("Not decided in 60 blocks: each of these may be the best: b00, b01, b02 and b03.",)


def test_a_circle_is_not_decided() -> None:
    """Rock, paper and scissors are equal over all matches, so a table has no best of them; a race does tell."""
    terms = Terms(entrants=(*CIRCLE, "b0", "b1"), seats=2, blocks=200, key=bytes(8))
    rounds, result = whole(made("balanced", {"until": "best"}), terms, in_a_circle(1, 0.9))
    assert (sum(sizes(rounds)), result.certain) == (200, False)
    assert result.notes == ("Not decided in 200 blocks: each of these may be the best: paper, rock and scissors.",)


def test_the_run_ends_where_its_table_says_so() -> None:
    """What a table of the same matches calls certain at every look is the answer, no more and no less."""
    terms = terms_of(4, 2, 400)
    skills = {"b00": 25.0, "b01": 25.0, "b02": 26.0, "b03": 25 + 1.5 * BETA}
    rounds, result = whole(made("balanced", {"until": "best"}), terms, by_skill(skills, 5))
    assert result.certain
    assert result.places[0].bot == "b03"
    progress = Progress(made("balanced", {}), terms_of(4, 2, 400))
    assert progress.round is not None
    blocks = outcome(progress.round, 0, by_skill(skills, 5))
    for look, size in enumerate(sizes(rounds)):
        end = sum(sizes(rounds)[:look]) + size
        ended = [(each.number, match) for each in blocks[:end] for match in each.matches()]
        outcomes = outcomes_of((number, bots, [*map(int, ranks)]) for number, (bots, ranks) in ended)
        better = better_in(fit_outcomes(outcomes, terms.entrants), looks="every")
        assert ({("b03", other) for other in ("b00", "b01", "b02")} <= better) == (look == len(rounds) - 1)


@pytest.mark.parametrize("alpha", [0.0, 0.06])
def test_no_answer_is_less_sure_than_a_table(alpha: float) -> None:
    """A claim may be wrong as often as a table's at most: else the page would not grant the answer."""
    with pytest.raises(ValueError, match=r"expected alpha above 0 and at most 0\.05, as of every table, got 0"):
        next(made("balanced", {"until": "best", "alpha": alpha}).play(terms_of(4, 2, 60)))


def test_a_round_in_which_nobody_sits_twice_is_whole() -> None:
    """The rounds of a Swiss are looked at as they are; looks become rarer as more was played."""
    terms = terms_of(8, 4, 40)
    skills = dict.fromkeys(terms.entrants, 25.0)
    rounds, _ = whole(made("swiss", {"until": "order", "rounds": 5}), terms, by_skill(skills, 1))
    assert sizes(rounds) == [2] * 5
    long, _ = whole(made("balanced", {"until": "order"}), terms_of(4, 2, 400), lambda *_: (0, 0))
    assert sizes(long)[:3] == [16] * 3
    assert sizes(long) == sorted(sizes(long)[:-1]) + sizes(long)[-1:]
    assert max(sizes(long)) == (400 - sizes(long)[-1]) // 9


def test_the_format_beneath_hears_its_rounds_whole() -> None:
    """What looks cut apart is put together again, so that a format is told what it asked for."""
    terms = terms_of(5, 2, 50)
    heard: list[tuple[Played, ...]] = []
    beneath = made("gauntlet", {"challengers": 5})

    class Listening:
        def play(self, terms: Terms) -> Play:
            play = beneath.play(terms)
            played = yield next(play)
            heard.append(played)
            try:
                play.send(played)
            except StopIteration as stop:
                result: Result = stop.value
            return result

    rounds, _ = whole(Until(held=Listening(), until="best"), terms, lambda *_: (0, 0))
    (played,) = heard
    assert len(rounds) > 1
    assert [each.number for each in played] == list(range(50))
    assert [each.line_up for each in played] == [line_up for each in rounds for line_up in each.line_ups]


@pytest.mark.parametrize("question", ["", "top", "top=0", "top=x", "first"])
def test_there_is_no_such_question(question: str) -> None:
    """A text that asks nothing is refused."""
    with pytest.raises(ValueError, match="expected decided, best, top=K or order, got"):
        places_asked(question)


MARGIN = 0.3
SAME = 0.54 * BETA
"""The gap at which the mean duel score, 2 F(gap / sqrt(2) beta) - 1, is ``MARGIN``."""


def claims(skills: dict[str, float], tables: int, blocks: int) -> tuple[int, int]:
    """Of tables that are played until they are decided: how many were, and how many claimed what is not so."""
    decided = wrong = 0
    for seed in range(tables):
        terms = terms_of(len(skills), 4, blocks, seed)
        _, result = whole(made("balanced", {"until": "decided", "margin": MARGIN}), terms, by_skill(skills, seed))
        decided += result.certain
        same = re.findall(r"(\w+) and (\w+) are the same", result.notes[0])
        wrong += any(abs(skills[one] - skills[other]) > SAME for one, other in same)
    return decided, wrong


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_what_is_decided_is_so(record_property: Recorder) -> None:
    """Of 100 tables played until each two bots are apart or the same, 5 at most claim what is not so."""
    skills = {"b00": 25.0, "b01": 25.0, "b02": 25 + 0.3 * BETA, "b03": 25 + 0.6 * BETA}
    decided, wrong = claims(skills, 100, 1000)
    record_property("decided", f"{decided} of 100")
    record_property("wrong", f"{wrong} of 100")
    assert wrong <= 5
    assert decided >= 90
