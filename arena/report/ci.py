"""Results as CI systems take them: annotations, summary and outputs of a step of GitHub Actions; test cases of JUnit.

Texts in, text out: knows the formats, and nothing of arena. A quoted text may come from anybody.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.escape import harmless

SUMMARY = 1 << 20
"""GitHub takes no more bytes of summary from a step: a longer one is lost whole."""
_CUT = "\nThis summary is cut here: GitHub takes at most 1 MiB from a step.\n"
_LONGEST = 4000

AnnotationLevel: TypeAlias = Literal["error", "warning", "notice"]


class Annotation(Struct, frozen=True, kw_only=True):
    """A message shown beside the code."""

    level: AnnotationLevel
    title: str
    text: str
    bot: str = ""
    """The folder of the bot that it is about, as it was entered."""


class StepReport(Struct, frozen=True, kw_only=True):
    """The result of a command, for the CI step in which it runs."""

    summary: str
    """Markdown."""
    outputs: Mapping[str, object]
    annotations: tuple[Annotation, ...] = ()


def annotation(level: AnnotationLevel, text: str, *, title: str, file: str | None = None) -> str:
    """One line that GitHub shows as an annotation, whatever stands in the texts; ``file`` is from the workspace."""
    facts = {"title": title} | ({"file": file} if file else {})
    properties = ",".join(f"{name}={_escaped(_quiet(value), ':,')}" for name, value in facts.items())
    return f"::{level} {properties}::{_escaped(_quiet(text))}"


def _quiet(text: str) -> str:
    return harmless(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _escaped(text: str, more: str = "") -> str:
    """Text as a workflow command takes it; percent signs are escaped first, for they begin the escapes."""
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def summary(text: str, room: int = SUMMARY) -> str:
    """Markdown of at most ``room`` bytes in UTF-8: longer text ends at a line, and a sentence says that it is cut.

    Nothing is left of it where not even the sentence has room.
    """
    if len(text.encode()) <= room:
        return text
    room -= len(_CUT.encode())
    if room < 0:
        return ""
    head = text.encode()[:room].rpartition(b"\n")[0]
    return (head + b"\n").decode() + _CUT if head else _CUT


def output(name: str, *, value: str, delimiter: str) -> str:
    """The lines that set an output of a step; the author of the value must not know the delimiter.

    Raises:
        ValueError: the delimiter is a line of the value.
    """
    if delimiter in value.splitlines():
        raise ValueError("expected a delimiter that is no line of the value, got one")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def fenced(text: str) -> str:
    """Lines of unknown origin as a Markdown block that shows them literally."""
    body = harmless(text)
    fence = "```"
    while fence in body:
        fence += "`"
    return f"{fence}text\n{body}\n{fence}\n"


class Case(Struct, frozen=True):
    """One thing that was tried; it passed if it neither failed nor was skipped."""

    group: str
    """A game, or the bot that was checked."""
    name: str
    failed: str = ""
    """What was expected and what was got, in one sentence."""
    kind: str = ""
    """Of the failure."""
    more: str = ""
    """Further lines on the failure."""
    skipped: str = ""
    """Why it was not tried."""


def junit(name: str, cases: Sequence[Case], seconds: float) -> bytes:
    """A well-formed document of one suite, in UTF-8; characters that XML cannot hold are escaped by ``harmless``."""
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - 5 ms that every other command would pay

    counts = {
        "tests": len(cases),
        "failures": sum(bool(case.failed) for case in cases),
        "errors": 0,
        "skipped": sum(bool(case.skipped) for case in cases),
    }
    attributes = {key: str(count) for key, count in counts.items()} | {"time": f"{seconds:.3f}"}
    suites = ET.Element("testsuites", attributes)
    suite = ET.SubElement(suites, "testsuite", {"name": harmless(name)} | attributes)
    for case in cases:
        element = ET.SubElement(suite, "testcase", {"classname": harmless(case.group), "name": harmless(case.name)})
        if case.failed:
            about = {"message": harmless(case.failed), "type": harmless(case.kind)}
            ET.SubElement(element, "failure", about).text = harmless(case.more)
        if case.skipped:
            ET.SubElement(element, "skipped", {"message": harmless(case.skipped)})
    ET.indent(suites)
    return bytes(ET.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"
