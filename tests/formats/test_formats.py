"""Laws that hold of every format: whole and lawful rounds, the same again from the same outcomes, and an end."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.inspect import FloatType, IntType, StructType, type_info
from msgspec.structs import replace

from arena.formats import LineUp, Play, Played, Progress, Result, Round, Terms, Unlawful, made, names
from arena.formats.format import Place, places_of
from arena.formats.registry import OURS, find, looks_of, read_schedule
from tests.formats.played import BETA, by_skill, install_duels, outcome, terms_of, whole

OPTIONS: dict[str, list[dict[str, object]]] = {
    "balanced": [{}, {"until": "decided", "margin": 0.3}],
    "gauntlet": [{}, {"challengers": 2}, {"challengers": 2, "together": True}],
    "groups": [{}, {"groups": 1, "through": 1, "play_off": 2}],
    "knockout": [{"most": 6, "batch": 2}, {"losses": 2, "most": 4, "batch": 2, "play_off": 1}],
    "race": [{"batch": 3}, {"top": 2, "batch": 2}],
    "stages": [
        {"stages": [{"format": "swiss", "options": {"rounds": 2}}, {"format": "race", "first": 4}]},
        {"stages": [{"format": "balanced", "options": {"until": "decided"}}, {"format": "knockout"}]},
        {
            "stages": [
                {"format": "groups", "options": {"through": 4}},
                {"format": "knockout", "options": {"most": 4}, "first": 4, "share": 2.0},
            ]
        },
    ],
    "swiss": [{}, {"rounds": 5}, {"until": "top=2"}],
}
EVERY = [(name, options) for name in names() for options in OPTIONS.get(name, [{}])]
SIZES = st.tuples(st.integers(2, 4), st.integers(0, 9)).map(lambda drawn: (drawn[0], max(drawn[0], 4) + drawn[1]))


@pytest.mark.parametrize(("name", "options"), EVERY)
@settings(max_examples=6, deadline=None)
@given(SIZES, st.integers(1, 30), st.integers(0, 2**32))
def test_every_round_is_lawful_and_it_ends(
    name: str, options: dict[str, object], sizes: tuple[int, int], blocks: int, seed: int
) -> None:
    """Line-ups are whole, nobody sits twice at a table, byes do not sit, and every entrant gets a place."""
    seats, bots = sizes
    terms = terms_of(bots, seats, blocks, seed)
    rounds, result = whole(made(name, options), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), seed))
    for each in rounds:
        assert each.title
        assert each.line_ups
        assert set(each.byes) <= set(terms.entrants)
        for line_up in each.line_ups:
            assert len(line_up) == seats
            assert set(line_up) <= set(terms.entrants)
            assert len(set(line_up)) == seats
            assert not set(line_up) & set(each.byes)
    assert sorted(place.bot for place in result.places) == sorted(terms.entrants)
    assert [place.place for place in result.places] == sorted(place.place for place in result.places)
    assert result.places[0].place == 1
    assert set(result.through) <= set(terms.entrants)
    assert len(set(result.through)) == len(result.through) > 0


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_the_same_outcomes_lead_to_the_same_rounds(name: str, options: dict[str, object]) -> None:
    """In whatever order blocks are handed in, and whenever a run goes on, rounds and places are the same."""
    terms = terms_of(9, 4, 14, 5)
    end = by_skill({bot: 20.0 + number for number, bot in enumerate(terms.entrants)}, 3)
    rounds, result = whole(made(name, options), terms, end)
    assert whole(made(name, options), terms, end, shuffled=4) == (rounds, result)
    # from what is recorded of the first rounds the next one is derived again
    halfway = Progress(made(name, options), terms)
    for each in rounds[: len(rounds) // 2]:
        assert halfway.round == each
        halfway.finish(outcome(each, halfway.first_block, end))
    assert halfway.round == rounds[len(rounds) // 2]
    assert halfway.first_block == sum(len(each.line_ups) for each in rounds[: len(rounds) // 2])
    # another secret draws other line-ups
    other, _ = whole(made(name, options), replace(terms, key=b"another"), end)
    assert [each.line_ups for each in other] != [each.line_ups for each in rounds]


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_void_matches_stop_nothing(name: str, options: dict[str, object]) -> None:
    """Where matches are void, one in five or all, the format goes on with what there is, and ends."""
    terms = terms_of(8, 3, 10, 1)
    fair = by_skill(dict.fromkeys(terms.entrants, 25.0), 1)

    def voided(match: str, bots: LineUp) -> tuple[int, ...] | None:
        return None if Random(match).random() < 0.2 else fair(match, bots)

    for end in (voided, lambda _match, _bots: None):
        _, result = whole(made(name, options), terms, end)
        assert len(result.places) == 8


@pytest.mark.long
def test_the_better_come_in_first() -> None:
    """Of bots spaced two beta apart, in few blocks, each format puts one of the best two first."""
    terms = terms_of(12, 3, 60, 2)
    skills = {bot: 25 - 8.0 * number for number, bot in enumerate(terms.entrants)}
    for name, options in EVERY:
        _, result = whole(made(name, options), terms, by_skill(skills, 9))
        assert result.places[0].bot in {"b00", "b01"}, name


class Bad(Struct, frozen=True):
    """A format that breaks the law of rounds."""

    line_ups: tuple[tuple[str, ...], ...] = ()
    places: tuple[Place, ...] = ()

    def play(self, terms: Terms) -> Play:
        """One round, then the result."""
        del terms
        yield Round(title="bad", line_ups=self.line_ups)
        return Result(places=self.places, through=())


@pytest.mark.parametrize(
    "line_ups", [(), (("b00",),), (("b00", "b00"),), (("b00", "nobody"),), (("b00", "b01", "b02"),)]
)
def test_unlawful_rounds_are_refused(line_ups: tuple[tuple[str, ...], ...]) -> None:
    """A round without a line-up, or with one that is not whole, is refused by its title."""
    with pytest.raises(Unlawful, match=r"^bad: expected .* got "):
        Progress(Bad(line_ups), terms_of(4, 2, 1))


def test_unlawful_outcomes_are_refused() -> None:
    """What is handed in must be the line-ups of the round, each once, with a rank for each seat of each rotation."""
    terms = terms_of(4, 2, 2)
    progress = Progress(made("balanced", {}), terms)
    assert progress.round is not None
    played = outcome(progress.round, 0, by_skill(dict.fromkeys(terms.entrants, 25.0), 0))
    with pytest.raises(Unlawful, match="all blocks: expected its 2 line-ups each once, got 1 block"):
        progress.finish(played[:1])
    with pytest.raises(Unlawful, match="expected its 2 line-ups each once, got others"):
        progress.finish([replace(played[0], number=1), replace(played[1], number=0)])
    with pytest.raises(Unlawful, match="line-up 1: expected 2 rotations of 2 ranks"):
        progress.finish([played[0], replace(played[1], ranks=((0, 1), (0, 1, 2)))])
    progress.finish(played)
    assert progress.result is not None
    with pytest.raises(Unlawful, match="after the last"):
        progress.finish(played)
    lacking = Progress(Bad((("b00", "b01"),), places_of([["b00"], ["b01"]])), terms)
    with pytest.raises(Unlawful, match="expected a place for each of 4 entrants"):
        lacking.finish([Played(number=0, line_up=("b00", "b01"), ranks=((0, 1), (0, 1)))])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seats": 1}, "expected 2 to 4 seats for 4 entrants, got 1"),
        ({"seats": 5}, "expected 2 to 4 seats for 4 entrants, got 5"),
        ({"blocks": 0}, "expected 1 block or more, got 0"),
        ({"entrants": ("a", "a", "b")}, "expected distinct entrants, got a, a, b"),
    ],
)
def test_terms_that_cannot_be_played(change: dict[str, object], words: str) -> None:
    """Seats, blocks and entrants are looked at before the first round."""
    with pytest.raises(Unlawful, match=words):
        Progress(made("balanced", {}), replace(terms_of(4, 2, 2), **change))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("balanced", {"x": 3}, "format balanced: expected no options, got 'x'"),
        ("gauntlet", {"challengers": 9}, "gauntlet: expected 1 to 8 challengers, got 9"),
        ("groups", {"groups": 4}, "groups: expected groups that fill a table"),
        ("knockout", {"losses": 3}, "knockout: expected a whole number of at most 2 as losses, got 3"),
        ("knockout", {"batch": 9, "most": 8}, "knockout: expected a batch of at most 8 blocks, got 9"),
        ("race", {"top": 8}, "race: expected top to be fewer than the 8 bots, got 8"),
        ("swiss", {"rounds": -1}, "format swiss: expected a whole number of at least 0 as rounds, got -1"),
        (
            "stages",
            {"stages": [{"format": "balanced", "first": 2}]},
            "stages: expected enough bots for a table of stage 1, balanced",
        ),
    ],
)
def test_options_that_cannot_be_played(name: str, options: dict[str, object], words: str) -> None:
    """An option that is unknown, or does not go with the terms, is told with what was expected."""
    with pytest.raises(ValueError, match=words):
        Progress(made(name, options), terms_of(8, 3, 10))


def test_other_packages_add_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is installed adds a format by its entry point; one that is broken is named with its package."""
    install_duels(tmp_path, monkeypatch)
    assert names()[-3:] == ["duel", "gone", "none"]
    assert made("duel", {"blocks": 4}).__class__.__name__ == "Duel"
    with pytest.raises(LookupError, match=r"format 'none' of duels \(entry point spoken_duels:NoFormat\): expected"):
        made("none", {})
    with pytest.raises(LookupError, match=r"format 'gone' of duels .*: expected it to load, got AttributeError"):
        made("gone", {})
    assert made("swiss", {}).__class__.__module__ == "arena.formats.swiss"


def test_places_are_shared() -> None:
    """Two that share the second place are followed by the fourth."""
    assert Counter(place.place for place in places_of([["a"], ["b", "c"], ["d"]])) == {1: 1, 2: 2, 4: 1}


def test_why_a_bot_advances() -> None:
    """Of every stage it is told who advanced, and by what: certain, or more points."""
    held = made(
        "stages",
        {"stages": [{"format": "groups", "options": {"groups": 2}}, {"format": "knockout", "options": {"most": 4}}]},
    )
    skills = {bot: -2 * BETA * place for place, bot in enumerate(terms_of(8, 2, 60).entrants)}
    _, result = whole(held, terms_of(8, seats=2, blocks=60), by_skill(skills, 1))
    told = result.onward
    groups = [one for one in told if one.stage == "1. groups: 2 groups"]
    assert {one.bot for one in groups} == {"b00", "b01", "b02", "b03"}
    assert {one.why for one in groups} == {
        f"place {place} of group {group} by rating" for place in (1, 2) for group in (1, 2)
    }
    later = [one for one in told if one.stage.startswith("2. knockout: ")]
    assert {one.stage for one in later} == {"2. knockout: semi-final", "2. knockout: final"}
    assert all(
        re.fullmatch(r"certainly better than all that are out|more points than b0. \(.*\)", one.why) for one in later
    )


def test_groups_that_fill_the_next_stage() -> None:
    """Groups fill a table of the next stage where they can; a number that is too small is refused, with a true cure."""

    def begin(bots: int, **options: int) -> None:
        chain = [{"format": "groups", "options": {"through": 2, **options}}, {"format": "knockout"}]
        Progress(made("stages", {"stages": chain}), terms_of(bots, seats=3, blocks=60))

    begin(10)
    wrong = "expected enough bots for a table of stage 2, knockout, got 2 bots for 3 seats"
    with pytest.raises(ValueError, match=f"{re.escape(wrong)}; groups=2 would be enough$"):
        begin(10, groups=1)
    begin(10, groups=2)
    with pytest.raises(ValueError, match=f"{re.escape(wrong)}$"):
        begin(5)


@given(st.integers(2, 4), st.integers(4, 40))
def test_groups_before_a_knockout_just_work(seats: int, bots: int) -> None:
    """``groups+knockout`` begins with any bots of which two groups fill a table each, and advance a table."""
    if bots >= 2 * seats:
        Progress(read_schedule("groups+knockout"), terms_of(bots, seats=seats, blocks=60))


def level(_match: str, bots: LineUp) -> tuple[int, ...]:
    """Everybody shares the first place."""
    return (0,) * len(bots)


def after(blocks: int, first: str) -> Callable[[str, LineUp], tuple[int, ...]]:
    """Of two bots none is ahead in so many blocks; after that this one always is."""
    seen: list[str] = []

    def end(match: str, bots: LineUp) -> tuple[int, ...]:
        seen.append(match)
        return (0, 0) if len(seen) <= 2 * blocks else tuple([int(bot != first) for bot in bots])

    return end


def places(result: Result) -> list[tuple[int, str]]:
    """Who came in where."""
    return [(place.place, place.bot) for place in result.places]


def test_a_tie_in_a_final_is_shared_or_played() -> None:
    """Bots that are level in a final share the first place; a play-off that is set is played, and its points told."""
    terms = terms_of(2, seats=2, blocks=4)
    _, shared = whole(made("knockout", {}), terms, level)
    assert places(shared) == [(1, "b00"), (1, "b01")]
    assert shared.onward == ()
    assert "b00 and b01 are level in the final: they share the first place." in shared.notes[0]
    rounds, played = whole(made("knockout", {"play_off": 3}), terms, after(4, "b01"))
    assert [(one.title, len(one.line_ups)) for one in rounds] == [("final, blocks 1 to 4", 4), ("final, play-off", 3)]
    assert places(played) == [(1, "b01"), (2, "b00")]
    assert [one.why for one in played.onward] == ["level with b00 (0.500), ahead in the play-off (1.000 to 0.000)"]
    assert "At 1 bots were level, and a play-off decided." in played.notes[0]
    _, still = whole(made("knockout", {"play_off": 3}), terms, level)
    assert places(still) == [(1, "b00"), (1, "b01")]


def test_a_seed_that_decides_is_told() -> None:
    """Who goes on from a level table without a play-off goes on by the seed, and the page says so."""
    _, result = whole(made("knockout", {}), terms_of(4, seats=2, blocks=12), level)
    assert "At 2 bots were level, and the seed decided who went on." in result.notes[0]
    assert {one.why for one in result.onward} == {
        "level with b03 (0.500), and seeded before it",
        "level with b02 (0.500), and seeded before it",
    }
    assert places(result) == [(1, "b00"), (1, "b01"), (3, "b02"), (3, "b03")]


def test_a_play_off_of_fewer_bots_than_seats() -> None:
    """Where fewer bots are level than a table seats, others of their table fill it, and count for nothing."""
    rounds, result = whole(made("knockout", {"play_off": 2}), terms_of(6, seats=4, blocks=8), level)
    assert all(len(set(line_up)) == 4 for one in rounds for line_up in one.line_ups)
    assert places(result)[0][0] == places(result)[1][0] == 1


def test_level_bots_of_a_group_share_a_place() -> None:
    """Level bots of a group share a place; at the cut a play-off decides if it is set, else the seed, which is told."""
    terms = terms_of(2, seats=2, blocks=4)
    _, shared = whole(made("groups", {"through": 1}), terms, level)
    assert places(shared) == [(1, "b00"), (1, "b01")]
    assert shared.through == ("b00",)
    assert [one.why for one in shared.onward] == ["place 1 of group 1 by rating, level with b01, and seeded before it"]
    assert shared.notes == ("Group 1, by rating: b00 = b01.",)
    held = made("groups", {"through": 1, "play_off": 2})
    rounds, played = whole(held, terms, after(4, "b01"))
    assert [one.title for one in rounds] == ["1 group", "play-off"]
    assert played.through == ("b01",)
    why = "place 1 of group 1 by rating, level with b00, ahead in the play-off (1.000 to 0.000)"
    assert [one.why for one in played.onward] == [why]
    assert looks_of("groups,through=1") == "pairs"
    assert looks_of("groups,through=1,play_off=2") == "pairs"


@pytest.mark.parametrize("name", OURS)
def test_numbers_of_options_have_a_least(name: str) -> None:
    """Every number among the options of a format has a least value, and one below it is refused with both."""
    for field in cast("StructType", type_info(find(name))).fields:
        if isinstance(field.type, IntType | FloatType):
            assert field.type.ge is not None, field.name
            below = int(field.type.ge) - 1
            with pytest.raises(ValueError, match=f"at least {below + 1} as {field.name}, got {below}$"):
                made(name, {field.name: below})


@pytest.mark.parametrize("wrong", ["share=0", "share=-1", "share=1001", "share=x", "first=-1"])
def test_numbers_of_a_stage_have_bounds(wrong: str) -> None:
    """The share of a stage is above 0 and no more than 1000, and it takes 0 or more of those before it."""
    option, _, value = wrong.partition("=")
    with pytest.raises(ValueError, match=f"format groups: expected .* number.* as {option}, got '?{value}"):
        read_schedule(f"groups,{wrong}+knockout")
