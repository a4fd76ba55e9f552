"""What each format owes its name: Swiss tables, knockout brackets, groups from pots, a gauntlet's challengers."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.chance import Chance
from arena.formats import LineUp, Progress, Round, made
from arena.formats.fixed import drawn
from arena.formats.format import derived
from arena.formats.knockout import dealt, stage_of
from arena.formats.skills import Skills
from arena.formats.swiss import avoid_repeats, linked
from tests.formats.played import by_skill, outcome, terms_of, whole


def line_ups(rounds: list[Round]) -> list[frozenset[str]]:
    """Who sat together, round after round."""
    return [frozenset(line_up) for each in rounds for line_up in each.line_ups]


def test_a_swiss_repeats_no_line_up() -> None:
    """Among 16 bots at tables of two no pair meets twice in eight rounds, though neighbours sit together."""
    terms = terms_of(16, 2, 1, 3)
    skills = {bot: 25 - 1.5 * number for number, bot in enumerate(terms.entrants)}
    rounds, result = whole(made("swiss", {"rounds": 8}), terms, by_skill(skills, 3))
    met = line_ups(rounds)
    assert len(met) == len(set(met)) == 64
    assert result.places[0].bot in {"b00", "b01", "b02"}


def test_a_swiss_lets_neighbours_meet() -> None:
    """In the later rounds half of the tables are of bots that are alike; at the others they sit by lot."""
    terms = terms_of(24, 4, 1, 1)
    skills = {bot: 25 - 1.0 * number for number, bot in enumerate(terms.entrants)}
    rounds, _ = whole(made("swiss", {"rounds": 12}), terms, by_skill(skills, 1))

    def apart(line_ups: Sequence[LineUp]) -> float:
        gaps = [abs(skills[one] - skills[two]) for line_up in line_ups for one, two in combinations(line_up, 2)]
        return sum(gaps) / len(gaps)

    assert apart(rounds[0].line_ups) > 6
    late = rounds[-4:]
    assert apart([line_up for each in late for line_up in each.line_ups[:3]]) < 4
    assert apart([line_up for each in late for line_up in each.line_ups[3:]]) > 6


def across(rounds: list[Round], pool: Collection[str]) -> int:
    """How many blocks have bots of this pool and others."""
    return sum(0 < len(set(line_up) & set(pool)) < len(line_up) for each in rounds for line_up in each.line_ups)


def test_pools_of_a_swiss_stay_joined() -> None:
    """Bots that are far apart meet in late rounds, too, which they would not by their skills alone."""
    terms = terms_of(16, 4, 1, 1)
    skills = {bot: 25 - 20.0 * (number > 7) for number, bot in enumerate(terms.entrants)}
    rounds, _ = whole(made("swiss", {"rounds": 12}), terms, by_skill(skills, 1))
    assert across(rounds[-6:], terms.entrants[:8]) >= 6


@given(st.integers(2, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_half_of_the_tables_are_linked(seats: int, tables: int, seed: int) -> None:
    """Everybody sits once; the bots of the first half of the tables, rounded down, keep their order."""
    order = [f"b{number:02}" for number in range(seats * tables)]
    found = linked(order, seats, Chance(seed.to_bytes(8, "big")))
    assert sorted(found) == order
    ordered = found[: tables // 2 * seats]
    assert ordered == sorted(ordered)


def test_byes_go_round() -> None:
    """Of 11 bots at tables of four three sit out each round, nobody a third time before everybody a second."""
    terms = terms_of(11, 4, 1, 2)
    rounds, _ = whole(made("swiss", {"rounds": 11}), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), 2))
    out: Counter[str] = Counter()
    for each in rounds:
        assert len(each.byes) == 3
        out.update(each.byes)
        assert max(out.values()) - min(out[bot] for bot in terms.entrants) <= 1
    assert set(out.values()) == {3}


def test_a_repeat_is_avoided_by_an_even_change() -> None:
    """Of the changes that leave no repeat the most even one is made; a table that cannot change stays as it is."""
    skills = Skills("abcd")
    tables = [["a", "b"], ["c", "d"]]
    avoid_repeats(tables, Counter([frozenset("ab")]), skills)
    assert len({frozenset(table) for table in tables} & {frozenset("ab"), frozenset("cd")}) == 0
    alone = [["a", "b"]]
    avoid_repeats(alone, Counter([frozenset("ab")]), skills)
    assert alone == [["a", "b"]]
    every = Counter(map(frozenset, combinations("abcd", 2)))
    tables = [["a", "b"], ["c", "d"]]
    avoid_repeats(tables, every, skills)
    assert tables == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    ("bots", "seats", "tables", "byes", "onward"),
    [
        (8, 2, 4, 0, 4),
        (6, 2, 2, 2, 2),
        (5, 2, 1, 3, 1),
        (16, 4, 4, 0, 8),
        (10, 4, 1, 6, 2),
        (7, 4, 1, 3, 1),
        (9, 3, 3, 0, 3),
    ],
)
def test_stages_of_a_knockout(bots: int, seats: int, tables: int, byes: int, onward: int) -> None:
    """The first stage leaves a number from which on everybody sits; the first seeds have a bye."""
    alive = [f"b{number:02}" for number in range(bots)]
    stage = stage_of(alive, seats)
    assert len(stage.tables) == tables
    assert sum(stage.onward) == onward
    seated = {bot for table in stage.tables for bot in table}
    assert [bot for bot in alive if bot not in seated] == alive[:byes]


@given(st.integers(2, 8), st.integers(0, 120))
def test_a_knockout_always_comes_to_a_last_table(seats: int, more: int) -> None:
    """Whatever the number of bots and seats, every stage has whole tables, fewer go on, and the last table is whole."""
    size = seats + more
    while size > seats:
        stage = stage_of([str(number) for number in range(size)], seats)
        assert stage.tables
        assert all(len(table) == seats for table in stage.tables)
        assert all(1 <= onward < seats for onward in stage.onward)
        size += sum(stage.onward) - seats * len(stage.tables)
    assert size == seats


def test_tables_are_dealt_by_seed() -> None:
    """The first seeds sit at tables of their own, there and back."""
    assert dealt("12345678", 2) == (("1", "4", "5", "8"), ("2", "3", "6", "7"))


def test_a_knockout_of_sixteen() -> None:
    """The better half of each table goes on, those who go out together share a place, and the best wins."""
    terms = terms_of(16, 4, 1000, 1)
    skills = {bot: 60 - 8.0 * number for number, bot in enumerate(terms.entrants)}
    rounds, result = whole(made("knockout", {}), terms, by_skill(skills, 1))
    assert [place.place for place in result.places] == [1, 2, 3, 4, *[5] * 4, *[9] * 8]
    assert [place.bot for place in result.places[:4]] == ["b00", "b01", "b02", "b03"]
    assert [each.title.partition(",")[0] for each in rounds if each.title.endswith("blocks 1 to 4")] == [
        "stage 1",
        "semi-final",
        "final",
    ]
    assert result.notes[0].startswith("At 7 of 7 tables each bot that advanced is certainly better than each that did")
    # a table that is decided plays no more
    assert len(rounds[1].line_ups) <= len(rounds[0].line_ups)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 2), st.integers(2, 6), st.integers(0, 12), st.integers(1, 90), st.integers(0, 2**32))
def test_a_knockout_keeps_to_its_blocks(losses: int, seats: int, more: int, blocks: int, seed: int) -> None:
    """However tables end, no more blocks are played than were asked for, or else one at each table."""
    terms = terms_of(seats + more, seats, blocks, seed)
    equal = by_skill(dict.fromkeys(terms.entrants, 25.0), seed)
    rounds, _ = whole(made("knockout", {"losses": losses}), terms, equal)
    tables = Counter((each.stage, frozenset(line_up)) for each in rounds for line_up in each.line_ups)
    assert tables.total() <= blocks or set(tables.values()) == {1}


def test_what_tables_leave_is_played_later() -> None:
    """Where a stage is decided early, the final has more blocks than its share was at the start."""
    terms = terms_of(4, 2, 40, 1)
    skills = {"b00": 25.0, "b01": 25.0, "b02": -75.0, "b03": -75.0}
    rounds, _ = whole(made("knockout", {"batch": 1}), terms, by_skill(skills, 1))
    final = sum(len(each.line_ups) for each in rounds if each.stage == "final")
    assert 40 // 3 < final <= 24


def test_bots_of_equal_rating_share_a_place() -> None:
    """Where matches tell nothing of two bots, neither comes before the other; the first seed is named first."""
    for name in ("balanced", "gauntlet", "swiss", "race"):
        _, result = whole(made(name, {}), terms_of(2, 2, 4, 1), lambda *_: (0, 1))
        assert [(each.place, each.bot) for each in result.places] == [(1, "b00"), (1, "b01")], name
        assert result.through[0] == "b00"


def test_undecided_tables_end_with_their_points() -> None:
    """Among equals a table plays its most, and the points say who goes on."""
    terms = terms_of(4, 2, 1000, 1)
    rounds, result = whole(
        made("knockout", {"most": 5, "batch": 2}), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), 1)
    )
    assert [each.title for each in rounds[:3]] == [
        "semi-final, blocks 1 to 2",
        "semi-final, blocks 3 to 4",
        "semi-final, blocks 5 to 5",
    ]
    assert result.notes[0].startswith("At 0 of 3 tables")
    assert result.notes[0].endswith("Of bots that did not meet, a knockout tells nothing.")


def test_blocks_are_shared_by_the_tables_of_a_knockout() -> None:
    """The tables of a knockout play as many blocks together as were asked for, and each at least one."""
    for asked, played in ((14, 14), (20, 20), (21, 21), (3, 7)):
        terms = terms_of(8, 2, asked, 1)
        rounds, _ = whole(made("knockout", {}), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), 1))
        assert sum(len(each.line_ups) for each in rounds) == played


def test_double_elimination_forgives_a_loss() -> None:
    """Nobody is out after one loss: the best of eight, beaten once by luck, still wins; others lose twice."""
    terms = terms_of(8, 2, 1000, 1)
    skills = {bot: 60 - 10.0 * number for number, bot in enumerate(terms.entrants)}
    fair = by_skill(skills, 1)
    lost: list[str] = []

    def end(match: str, bots: tuple[str, ...]) -> tuple[int, ...] | None:
        # in the 8 blocks of its first meeting with b07, a bot much weaker, b00 loses every match
        if set(bots) == {"b00", "b07"} and len(lost) < 16:
            lost.append(match)
            return (1, 0) if bots[0] == "b00" else (0, 1)
        return fair(match, bots)

    rounds, result = whole(made("knockout", {"losses": 2, "most": 8}), terms, end)
    assert result.places[0].bot == "b00"
    assert frozenset({"b00", "b07"}) in line_ups(rounds)
    lost.clear()
    _, single = whole(made("knockout", {"most": 8}), terms, end)
    assert single.places[0].bot != "b00"


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 4), st.integers(0, 14), st.integers(0, 1000))
def test_double_elimination_ends(seats: int, more: int, seed: int) -> None:
    """Whatever the number of bots and seats, it ends, with one winner unless bots are level in the final."""
    terms = terms_of(seats + more, seats, 1, seed)
    _, result = whole(
        made("knockout", {"losses": 2, "most": 2, "batch": 1}),
        terms,
        by_skill(dict.fromkeys(terms.entrants, 25.0), seed),
    )
    first = [place.bot for place in result.places if place.place == 1]
    assert (len(first) > 1) == (f"{' and '.join(first)} are level in the final" in result.notes[0])


@given(st.integers(1, 5), st.integers(5, 30), st.integers(0, 1000))
def test_pots_give_one_to_each_group(groups: int, bots: int, seed: int) -> None:
    """Each group has one bot of each pot; sizes differ by one at most."""
    entrants = [f"b{number:02}" for number in range(bots)]
    found = drawn(entrants, groups, Chance(seed.to_bytes(8, "big")))
    assert sorted(bot for group in found for bot in group) == entrants
    assert max(map(len, found)) - min(map(len, found)) <= 1
    for start in range(0, bots - groups + 1, groups):
        pot = set(entrants[start : start + groups])
        assert all(len(pot & set(group)) == 1 for group in found)


def test_groups_play_among_themselves() -> None:
    """No bot meets one of another group; the first two of each go on, the group winners first."""
    terms = terms_of(12, 3, 120, 4)
    skills = {bot: 60 - 6.0 * number for number, bot in enumerate(terms.entrants)}
    rounds, result = whole(made("groups", {"groups": 3, "through": 2}), terms, by_skill(skills, 4))
    (only,) = rounds
    groups = drawn(terms.entrants, 3, Chance(terms.key))
    for line_up in only.line_ups:
        assert any(set(line_up) <= set(group) for group in groups)
    best = [sorted(group) for group in groups]
    assert list(result.through) == [*sorted(group[0] for group in best), *sorted(group[1] for group in best)]
    assert [place.place for place in result.places] == [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10]
    assert result.notes[0].startswith("Group 1, by rating: ")


def test_a_gauntlet_has_a_challenger_in_each_block() -> None:
    """The bots named first sit by turns, or all in each block, and the others as often as each other."""
    for options, sitting in (({"challengers": 2}, 1), ({"challengers": 2, "together": True}, 2)):
        terms = terms_of(8, 4, 24, 4)
        progress = Progress(made("gauntlet", options), terms)
        assert progress.round is not None
        assert len(progress.round.line_ups) == 24
        others: Counter[str] = Counter()
        for line_up in progress.round.line_ups:
            assert len(set(line_up) & {"b00", "b01"}) == sitting
            others.update(bot for bot in line_up if bot not in {"b00", "b01"})
        assert max(others.values()) - min(others.values()) <= 1
        assert len(others) == 6


def test_stages_hand_on_who_is_through() -> None:
    """The four first of the Swiss are the seeds of the knockout, the others keep their places behind them."""
    terms = terms_of(12, 2, 40, 7)
    skills = {bot: 80 - 6.0 * number for number, bot in enumerate(terms.entrants)}
    options = {
        "stages": [
            {"format": "swiss", "options": {"rounds": 7}},
            {"format": "knockout", "first": 4, "options": {"most": 6, "batch": 2}},
        ]
    }
    rounds, result = whole(made("stages", options), terms, by_skill(skills, 7))
    titles = [each.title for each in rounds]
    assert titles[0] == "1. swiss: round 1 of 7"
    assert titles[7] == "2. knockout: semi-final, blocks 1 to 2"
    last = {bot for each in rounds[7:] for line_up in each.line_ups for bot in line_up}
    assert last == {place.bot for place in result.places[:4]}
    assert [place.place for place in result.places][:5] == [1, 2, 3, 3, 5]
    assert result.notes[0].startswith("2. knockout: At ")


@pytest.mark.parametrize("seed", [24, 32, 169])
def test_who_is_out_comes_behind_who_advances(seed: int) -> None:
    """A bot that shared a place with one that advances, and is out itself, has the first place behind these."""
    options = {"stages": [{"format": "swiss", "options": {"rounds": 2}}, {"format": "race", "first": 4}]}
    terms = terms_of(7, 2, 1, seed)
    rounds, result = whole(made("stages", options), terms, by_skill(dict.fromkeys(terms.entrants, 25.0), seed))
    playing = {
        bot for each in rounds if each.title.startswith("2. race") for line_up in each.line_ups for bot in line_up
    }
    assert playing <= {place.bot for place in result.places[:4]}
    assert result.places[4].place == 5
    assert [place.place for place in result.places] == sorted(place.place for place in result.places)


def test_skills_follow_the_matches() -> None:
    """A round is rated match by match, a drawn skill lies about its mean, and equals make the better match."""
    terms = terms_of(4, 2, 30, 1)
    skills = {bot: 40 - 8.0 * number for number, bot in enumerate(terms.entrants)}
    progress = Progress(made("balanced", {}), terms)
    assert progress.round is not None
    rated = Skills(terms.entrants)
    rated.add(outcome(progress.round, 0, by_skill(skills, 1)))
    drawn_skills = [rated.drawn(Chance(derived(b"key", str(number)))) for number in range(50)]
    means = {bot: sum(each[bot] for each in drawn_skills) / 50 for bot in terms.entrants}
    assert sorted(means, key=lambda bot: -means[bot]) == list(terms.entrants)
    assert rated.quality(["b00", "b01"]) > rated.quality(["b00", "b03"])
