"""JUnit XML: well-formed whatever it quotes, with the counts that CI shows."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from arena.escape import harmless
from arena.report.ci import Case, junit

CASES = st.lists(st.builds(Case, *[st.text(max_size=20)] * 6), max_size=4)


@given(st.text(max_size=20), CASES)
def test_anything_is_well_formed(name: str, cases: list[Case]) -> None:
    """A parser reads back every text, what XML cannot hold escaped as anywhere else, and counts as the suite says."""
    suites = ET.fromstring(junit(name, cases, 1.5))  # noqa: S314 - our own
    (suite,) = suites
    assert suite.get("name") == harmless(name)
    assert [(case.get("classname"), case.get("name")) for case in suite] == [
        (harmless(case.group), harmless(case.name)) for case in cases
    ]
    failures = suite.findall("testcase/failure")
    assert [(f.get("message"), f.get("type"), f.text or "") for f in failures] == [
        (harmless(case.failed), harmless(case.kind), harmless(case.more)) for case in cases if case.failed
    ]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
        str(len(cases)),
        str(len(failures)),
        str(sum(bool(case.skipped) for case in cases)),
    )
    assert suite.get("time") == "1.500"
