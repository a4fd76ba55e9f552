"""Test cases as JUnit XML, which CI systems show as a list of passed and failed cases.

Knows cases; knows no records, ratings or files.
"""

from collections.abc import Sequence

from msgspec import Struct

from arena.escape import harmless


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
    told = {key: str(count) for key, count in counts.items()} | {"time": f"{seconds:.3f}"}
    suites = ET.Element("testsuites", told)
    suite = ET.SubElement(suites, "testsuite", {"name": harmless(name)} | told)
    for case in cases:
        found = ET.SubElement(suite, "testcase", {"classname": harmless(case.group), "name": harmless(case.name)})
        if case.failed:
            about = {"message": harmless(case.failed), "type": harmless(case.kind)}
            ET.SubElement(found, "failure", about).text = harmless(case.more)
        if case.skipped:
            ET.SubElement(found, "skipped", {"message": harmless(case.skipped)})
    ET.indent(suites)
    return bytes(ET.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"
