"""The output for a step of GitHub Actions: annotations, its summary, its outputs. Texts in, text out.

Knows the formats of workflow commands and files, and nothing of arena. A quoted text may come from anybody.
"""

from collections.abc import Mapping
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
    named = ",".join(f"{name}={_escaped(_quiet(value), ':,')}" for name, value in facts.items())
    return f"::{level} {named}::{_escaped(_quiet(text))}"


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
    shown = harmless(text)
    fence = "```"
    while fence in shown:
        fence += "`"
    return f"{fence}text\n{shown}\n{fence}\n"
