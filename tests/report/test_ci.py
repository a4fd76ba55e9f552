"""What CI is told: nothing that a text quotes can become a command or markup, or break out of its place."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.escape import harmless
from arena.report.ci import Case, annotation, fenced, junit, output, summary
from tests.ci.workflow import set_in

TEXT = st.text(st.sampled_from("ab:,%\r\n`#[]\x1b\u2028\ufefföfile=") | st.characters(), max_size=60)
COMMAND = re.compile(r"::(\w+) ([^:]*)::(.*)")


def read(value: str) -> str:
    """A value of a workflow command as the runner reads it."""
    return re.sub(r"%(0A|0D|25|2C|3A)", lambda found: chr(int(found[1], 16)), value)


@given(TEXT, TEXT, TEXT)
def test_an_annotation(text: str, title: str, file: str) -> None:
    """It is one line of printable characters, and the runner reads from it the three texts, and no more."""
    line = annotation("error", text, title=title, file=file)
    assert line.isprintable()
    found = COMMAND.fullmatch(line)
    assert found
    assert found[1] == "error"
    facts = dict(fact.split("=", 1) for fact in found[2].split(","))
    assert {name: read(value) for name, value in facts.items()} == {"title": harmless(title)} | (
        {"file": harmless(file)} if file else {}
    )
    assert read(found[3]) == harmless(text)


@given(st.lists(st.text(max_size=12), max_size=30), st.integers(0, 300))
def test_a_summary_has_its_room(lines: list[str], room: int) -> None:
    """It never takes more bytes than there is room for; what is cut ends with a whole line and a word that says so."""
    text = "\n".join(lines)
    cut = summary(text, room)
    assert len(cut.encode()) <= room
    if cut != text and cut:
        head, _, word = cut.rpartition("\nThis summary is cut here: ")
        assert word == "GitHub takes at most 1 MiB from a step.\n"
        assert f"{text}\n".startswith(head)
        assert not head or head.endswith("\n")


def test_a_summary_of_a_mebibyte() -> None:
    """1 MiB is left as it is, and a byte more is cut."""
    assert summary("x" * 1048575 + "\n") == "x" * 1048575 + "\n"
    long = summary("é\n" * 400_000)
    assert len(long.encode()) <= 1 << 20
    assert len(long.encode()) > (1 << 20) - 100
    assert "cut here" in long


@given(st.lists(st.text(st.sampled_from("ab<=-end1"), max_size=6), min_size=1, max_size=5))
def test_an_output(lines: list[str]) -> None:
    """The runner reads the value, of any number of lines, and sets nothing else."""
    value = "\n".join(lines)
    assume("end-1" not in lines)
    assert set_in(output("one", value=value, delimiter="end-1") + output("two", value="2", delimiter="end-2")) == {
        "one": value,
        "two": "2",
    }


def test_a_delimiter_that_is_guessed() -> None:
    """A value that holds the delimiter is refused: it could set other outputs."""
    with pytest.raises(ValueError, match="expected a delimiter"):
        output("one", value="1\nend-1\nverdict=better", delimiter="end-1")


@given(TEXT)
def test_a_fence(text: str) -> None:
    """Text in a fence stays in it: no line of it closes the fence."""
    first, *inside, last = fenced(text).rstrip("\n").split("\n")
    fence = first.removesuffix("text")
    assert last == fence
    assert set(fence) == {"`"}
    assert fence not in "\n".join(inside)


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
