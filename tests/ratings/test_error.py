"""What a table says for certain is false in 5 of 100 tables at most, whatever the format and the number of looks."""

import pytest

from tests.ratings.error import FIELDS, FORMATS, PAGE, TABLES, Shape, rows, tables, tournament, written
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


def test_the_page_has_a_row_for_each_format() -> None:
    """What the harness finds has its place in the table of decisions/error.md."""
    page = PAGE.read_text(encoding="utf-8")
    lines = [f"| {name} | {' | '.join(['1'] * len(FIELDS))} |" for name in FORMATS]
    assert all(line in written(page, lines) for line in lines)
    assert len(list(rows(1, ["balanced"], 4))) == 1
    with pytest.raises(ValueError, match="expected a row for tiddlywinks"):
        written(page, ["| tiddlywinks | 1 |"])
