"""Which tests are long, and what `make proof` says at its end: a line for each proof, its figures and its seconds."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

# as in a user's shell: output without a buffer would hide what becomes of it at the end
for _name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(_name, None)

LONG = Path(__file__).with_name("long.txt")
"""Ids of tests that take more than a second or so: `make long` runs them, and so does CI."""
_SENTENCE = "sentence"


@pytest.fixture(scope="session", autouse=True)
def _no_signal_ignored() -> Iterator[None]:
    """Start commands as from a terminal though the tests may run in the background, where a shell ignores signals."""
    ignored = [
        number
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
        if signal.getsignal(number) is signal.SIG_IGN
    ]
    for number in ignored:
        # a function is not inherited, and does nothing just as well
        signal.signal(number, lambda _number, _frame: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the long ones; send the first sentence of each proof along with its report, wherever it comes from.

    Raises:
        pytest.UsageError: a long one is named that is not there.
    """
    long = set(LONG.read_text(encoding="utf-8").splitlines())
    files = {item.nodeid.partition("::")[0] for item in items}
    if not any("::" in argument for argument in config.args):
        named = {each for each in long if each.partition("::")[0] in files}
        if gone := sorted(named - {item.nodeid for item in items}):
            raise pytest.UsageError(f"{LONG.name}: expected tests that are there, got {gone[0]}")
    for item in items:
        if item.nodeid in long:
            item.add_marker(pytest.mark.long)
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
