"""Formats that end when it is certain what was asked for: at looks that anybody can take again."""

import pytest

from arena.formats import Play, Played, Result, Round, Terms, made
from arena.formats.until import Until, places_asked
from tests.formats.played import BETA, by_skill, terms_of, whole


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
    assert [place.bot for place in result.places][:2] == ["b02", "b01"] or question == "top=2"
    assert set(result.through[:2]) == {"b01", "b02"}
    assert result.notes[0].startswith(f"Decided after {len(played)} of at most 200 blocks: ")


def test_equals_are_not_decided() -> None:
    """Of equal bots none is found to be better: all blocks are played, and it says what is open."""
    terms = terms_of(4, 2, 60)
    skills = dict.fromkeys(terms.entrants, 25.0)
    rounds, result = whole(made("balanced", {"until": "best"}), terms, by_skill(skills, 3))
    assert sum(sizes(rounds)) == 60
    assert not result.certain
    assert result.notes == ("Not decided in 60 blocks: any of these may be the best: b00, b01, b02, b03.",)


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
