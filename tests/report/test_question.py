"""The question of a comparison, as it is written."""

import pytest

from arena.errors import UsageError
from arena.report.verdict import Question


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("never", Question()),
        ("decided", Question(until=True)),
        ("equal=0.075", Question(until=True, margin=0.075)),
        ("sprt=0,0.075", Question(until=True, gate=(0.0, 0.075))),
        ("sprt=-0.05,0", Question(until=True, gate=(-0.05, 0.0))),
        ("decided,alpha=0.01", Question(until=True, alpha=0.01)),
        ("sprt=0,0.1,alpha=0.1", Question(until=True, gate=(0.0, 0.1), alpha=0.1)),
        ("never,alpha=.2", Question(alpha=0.2)),
    ],
)
def test_what_is_asked(text: str, question: Question) -> None:
    """One text says what is asked, when to stop and how sure to be."""
    assert Question.read(text) == question


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("best", "expected decided, equal=M, sprt=A,B or never (behind each may stand ,alpha=A), got 'best'"),
        ("", "expected decided, equal=M, sprt=A,B or never (behind each may stand ,alpha=A), got ''"),
        ("equal", "expected decided, equal=M, sprt=A,B or never (behind each may stand ,alpha=A), got 'equal'"),
        ("equal=1.5", "equal: expected a number between 0 and 1, got '1.5'"),
        ("equal=much", "equal: expected a number between 0 and 1, got 'much'"),
        ("decided,alpha=0", "alpha: expected a number between 0 and 1, got '0'"),
        ("decided,alpha=nan", "alpha: expected a number between 0 and 1, got 'nan'"),
        ("sprt=0.2,0.1", "sprt: expected two scores between -1 and 1 such as 0,0.075, got '0.2,0.1'"),
        ("sprt=a,b", "sprt: expected two scores between -1 and 1 such as 0,0.075, got 'a,b'"),
        ("sprt=0,2", "sprt: expected two scores between -1 and 1 such as 0,0.075, got '0,2'"),
    ],
)
def test_what_is_no_question(text: str, why: str) -> None:
    """Mistakes name the word and what it expects."""
    with pytest.raises(UsageError) as found:
        Question.read(text)
    assert str(found.value) == f"until: {why}"
