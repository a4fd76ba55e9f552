"""What a table says for certain is false in 5 of 100 tables at most, whatever the format and the number of looks."""

import pytest

from tests.ratings.error import (
    FIELDS,
    FORMATS,
    PAGE,
    TABLES,
    Shape,
    count_hits,
    hard_rows,
    rows,
    tables,
    tournament,
    wilson,
    written,
)
from tests.ratings.fields import HARD, POWER
from tests.ratings.matches import Recorder

FALSE = 0.05


@pytest.mark.long
def test_a_rule_for_one_look_is_found_out() -> None:
    """Where line-ups follow results, a rule for one look says soon what is false, and the rule of arena does not.

    The harness sees both in the same tournament.
    """
    shape, skills = Shape(schedule="swiss", seats=4), FIELDS["16 equal"]
    wrong = next(seed for seed in range(9) if tournament(shape, skills, seed, rule=lambda _: "one").false)
    assert not tournament(shape, skills, wrong).false


@pytest.mark.long
def test_certain_claims_hold_in_brief() -> None:
    """Of 30 balanced tables of four equal bots at most 4 say anything false; of graded bots some places are settled."""
    equal = tables(FORMATS["balanced"], FIELDS["4 equal"], 30) or []
    assert len(equal) == 30
    assert sum(each.false for each in equal) <= 4
    graded = tables(FORMATS["balanced"], FIELDS["16 graded"], 3) or []
    assert any(each.settled for each in graded)
    assert not any(each.false for each in graded)


@pytest.mark.proof
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", FORMATS)
def test_certain_claims_hold(name: str, field: str, record_property: Recorder) -> None:
    """Of 200 tables, or 500 of four bots, at most 5 in 100 say anything false for certain."""
    found = tables(FORMATS[name], FIELDS[field], TABLES[len(FIELDS[field])])
    if found is None:
        pytest.skip(f"{name} needs more bots than {field}")
    false = sum(each.false for each in found)
    record_property(f"{name}, {field}", f"{false} of {len(found)}")
    assert false <= FALSE * len(found)


@pytest.mark.proof
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", HARD)
def test_certain_claims_hold_of_hard_fields(name: str, record_property: Recorder) -> None:
    """Of 500 tables of bots that are alike, though something parts them, at most 5 in 100 say anything false."""
    false, tried = count_hits(HARD[name], 500)
    record_property(name, f"{false} of {tried}")
    assert false <= FALSE * tried


def test_hard_fields_are_counted_with_their_interval() -> None:
    """A row tells tables, hits and Wilson's interval; one whose time is over has fewer tables, but one at least."""
    assert [round(end, 3) for end in wilson(0, 200)] == [0.0, 0.019]
    assert [round(end, 3) for end in wilson(10, 200)] == [0.027, 0.09]
    (line,) = hard_rows({"even": lambda seed: seed % 2 == 0}, 40, ["even"])
    assert line == "| even | 40 | 20 | 35.2 to 64.8 % |"
    assert count_hits(lambda _: True, 40, seconds=0.0) == (1, 1)
    assert not list(hard_rows(HARD, 1, ["tiddlywinks"]))


def test_the_page_has_a_row_for_each_format() -> None:
    """What the harness finds has its place in the tables of decisions/error.md, those of hard fields and power, too."""
    page = PAGE.read_text(encoding="utf-8")
    lines = [f"| {name} | {' | '.join(['1'] * len(FIELDS))} |" for name in FORMATS]
    lines += [f"| {name} | 1 | 1 | 1 |" for name in [*HARD, *POWER]]
    assert all(line in written(page, lines) for line in lines)
    assert len(list(rows(1, ["balanced"], 4))) == 1
    with pytest.raises(ValueError, match="expected a row for tiddlywinks"):
        written(page, ["| tiddlywinks | 1 |"])
