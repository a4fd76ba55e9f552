"""Formats that end when it is certain what was asked for: at looks that anybody can take again."""

import re

import msgspec
import pytest

from arena.formats import Play, Played, Result, Round, Terms, made
from arena.formats.until import Until, places_asked
from tests.formats.played import BETA, CIRCLE, by_skill, in_a_circle, terms_of, whole
from tests.ratings.matches import Recorder


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
    assert result.notes[0].startswith(f"Decided after {len(played)} of at most 200 blocks: ")


def test_equals_are_not_decided() -> None:
    """Of equal bots none is found to be better: all blocks are played, and it says what is open."""
    terms = terms_of(4, 2, 60)
    skills = dict.fromkeys(terms.entrants, 25.0)
    rounds, result = whole(made("balanced", {"until": "best"}), terms, by_skill(skills, 3))
    assert sum(sizes(rounds)) == 60
    assert not result.certain
    assert result.notes == ("Not decided in 60 blocks: each of these may be the best: b00, b01, b02, b03.",)


@pytest.mark.parametrize(
    ("question", "answer"), [("best", "no bot is better than all others"), ("order", "there is no order")]
)
def test_a_circle_answers_that_there_is_none(question: str, answer: str) -> None:
    """Rock, paper and scissors have no best one and no order: that is found, and the circle is named."""
    terms = Terms(entrants=(*CIRCLE, "b0", "b1"), seats=2, blocks=2000, key=bytes(8))
    rounds, result = whole(made("balanced", {"until": question}), terms, in_a_circle(1, 0.9))
    assert sum(sizes(rounds)) < 2000
    assert result.certain
    assert result.notes[0].endswith(f" blocks: {answer}; a circle: paper > rock > scissors > paper.")
    assert {place.bot for place in result.places if place.place == 1} == set(CIRCLE)


def test_an_old_question_goes_on_in_a_circle() -> None:
    """A run that was begun before plays on, as it did, and does not say that none of its bots may be the best."""
    terms = Terms(entrants=CIRCLE, seats=2, blocks=400, key=bytes(8), pairing=1)
    for most, doubt in ((400, "no bot is better than all others; a circle: paper > rock > scissors > paper"), (48, "")):
        rounds, result = whole(
            made("balanced", {"until": "best"}), msgspec.structs.replace(terms, blocks=most), in_a_circle(1, 0.9)
        )
        assert (sum(sizes(rounds)), result.certain) == (most, False)
        assert result.notes[0].startswith(f"Not decided in {most} blocks: {doubt}")
        assert "none" not in result.notes[0]


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
        pairs = [re.findall(r"(\w+) (?:than|and) (\w+)", note) for note in result.notes]
        better, same = pairs[-2] if len(pairs) == 3 else [], pairs[-1]
        wrong += any(skills[one] <= skills[other] for one, other in better) or any(
            abs(skills[one] - skills[other]) > SAME for one, other in same
        )
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
