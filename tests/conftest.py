"""What `make proof` says at its end: a line for each proof, with its figures and its seconds."""

import pytest

_SENTENCE = "sentence"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Send the first sentence of each proof along with its report, from whichever process it comes."""
    for item in items:
        if item.get_closest_marker("proof"):
            said = str(getattr(getattr(item, "function", None), "__doc__", ""))
            item.user_properties.append((_SENTENCE, f"{' '.join(said.split()).partition('. ')[0].rstrip('.')}."))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was proven, if it was proofs that were asked for."""
    if config.option.markexpr != "proof":
        return
    terminalreporter.section("what was proven")
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.getreports(outcome):
            terminalreporter.write_line(told(report, outcome))


def told(report: pytest.TestReport, outcome: str) -> str:
    """One proof: its sentence, its figures, its seconds; what has not passed says so first."""
    properties = dict(report.user_properties)
    sentence = properties.pop(_SENTENCE, report.nodeid)
    figures = [f"{name} {f'{value:,}' if isinstance(value, int) else value}" for name, value in properties.items()]
    first = "" if outcome == "passed" else f"{outcome.upper()}: "
    return f"- {first}{sentence} [{', '.join([*figures, f'{report.duration:.0f} s'])}]"
