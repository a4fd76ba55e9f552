"""What tests cost: CPU by test and room, the ten dearest, and a failure for whatever is over its budget.

CPU is that of the test's process and of its children that have ended, in seconds. What a fixture costs that several
tests share belongs to its room. `tests/budgets.toml` has the figures. A slower or busier machine needs more CPU for the
same work: before anything fails, a fixed piece of work is timed beside it, and the figure is divided by that pace.
"""

import gc
import resource
import time
import tomllib
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli import forks

_ROOT = Path(__file__).parent
_COST = "cpu"
_FIXTURES = "fixtures"
_WORK = 200_000
"""Rounds of the piece of work that shows a machine's pace."""
_WORK_SECONDS = 0.008
"""CPU of that work on the machine for which the budgets are written."""
_DEAREST = 10

_FILE = tomllib.loads((_ROOT / "budgets.toml").read_text(encoding="utf-8"))
BUDGETS: dict[str, dict[str, float]] = _FILE["cpu"]
FIRST: list[str] = _FILE["first"]
"""The slowest files of CI: what begins last must not be what takes longest."""


_left_out: list[float] = []


def measure_cpu() -> float:
    """CPU seconds since the start: of this process, its children that have ended, and the commands it had forked."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime + forks.measure_cpu() - sum(_left_out)


@contextmanager
def leave_out() -> Iterator[None]:
    """Count nothing of what is done within: for whoever reaps what earlier tests left, whose CPU is theirs."""
    start = measure_cpu()
    yield
    _left_out.append(measure_cpu() - start)


def measure_pace() -> float:
    """How many times the CPU of the budgets' machine this one needs now for the same work; at least 1."""
    best = float("inf")
    for _ in range(5):
        start = time.thread_time()
        total = 0
        for number in range(_WORK):
            total += number & 7
        best = min(best, time.thread_time() - start)
    return max(1.0, best / _WORK_SECONDS)


def find_room(path: str) -> str:
    """The room of a test file, by its path below the checkout: its folder in ``tests``, or ``top``."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "top"


def find_circle(item: pytest.Item) -> str:
    """``proof``, ``long`` or ``plain``."""
    return next((name for name in ("proof", "long") if item.get_closest_marker(name)), "plain")


def judge_cost(cost: float, limit: float | None, pace: float) -> str | None:
    """What is wrong with a cost in CPU seconds; None if nothing is, or if there is no limit."""
    if limit is None or cost / pace <= limit:
        return None
    slow = f" at {pace:.1f} times the pace" if pace > 1 else ""
    return f"expected at most {limit:g} s of CPU, got {cost:.1f} s{slow}"


def sort_by_cost(costs: dict[str, float]) -> list[tuple[str, float]]:
    """Names and their costs, the dearest first."""
    return sorted(costs.items(), key=lambda pair: -pair[1])


class Costs:
    """The plugin: a worker measures its tests, and whoever prints the summary adds up."""

    def __init__(self) -> None:
        self.tests: dict[str, float] = {}
        self.rooms: defaultdict[str, float] = defaultdict(float)
        self._start = 0.0
        self._inside = 0.0
        self._stack: list[tuple[float, float]] = []
        self._collection = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, Any, Any]:
        """Measure what it costs to find the tests."""
        start = measure_cpu()
        result = yield
        # what was made by then stays: without this each call of the collector walks through it
        gc.collect()
        gc.freeze()
        self._collection = measure_cpu() - start
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Measure fixtures that several tests share apart from the test that happens to come first."""
        if fixturedef.scope == "function":
            return (yield)
        # what is added last is called first when the fixture ends: between these two is its end
        fixturedef.addfinalizer(self._leave)
        self._enter()
        try:
            return (yield)
        finally:
            self._leave()
            fixturedef.addfinalizer(self._enter)

    def _enter(self) -> None:
        self._stack.append((measure_cpu(), self._inside))

    def _leave(self) -> None:
        # what a fixture within this one costs is part of it
        start, inside = self._stack.pop()
        self._inside = inside + measure_cpu() - start

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, Any, Any]:
        """Begin to measure a test."""
        self._start, self._inside = measure_cpu(), 0.0
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """End to measure it; a test over its budget has failed."""
        report: pytest.TestReport = yield
        if call.when == "teardown":
            cost = measure_cpu() - self._start - self._inside
            report.user_properties += [(_COST, cost), (_FIXTURES, self._inside)]
            limit = BUDGETS["test"].get(find_circle(item))
            # the pace is timed for those alone that look too dear
            if report.passed and (wrong := judge_cost(cost, limit, 1)) and judge_cost(cost, limit, measure_pace()):
                report.outcome = "failed"
                report.longrepr = f"{item.nodeid}: {wrong}; see tests/README.md"
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one test up."""
        costs: dict[str, Any] = dict(report.user_properties)
        if report.when == "teardown" and _COST in costs:
            self.tests[report.nodeid] = costs[_COST]
            self.rooms[find_room(report.location[0])] += costs[_COST] + costs[_FIXTURES]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand on what a worker's collection cost; fail if a room is over its budget."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["collection_cpu"] = self._collection
            return
        self.rooms["collection"] += self._collection
        if self.find_excess(session.config) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add up what a worker's collection cost."""
        self.rooms["collection"] += getattr(node, "workeroutput", {}).get("collection_cpu", 0.0)

    def find_excess(self, config: pytest.Config) -> dict[str, str]:
        """Which rooms are over their budgets, and by how much; none where proofs are among the tests."""
        circle = {"not proof and not long": "plain", "not proof": "ci"}.get(config.option.markexpr)
        limits = {**BUDGETS["room"], "all": BUDGETS["all"][circle]} if circle else {}
        costs = {**self.rooms, "all": sum(self.rooms.values())}
        over = {name: cost for name, cost in costs.items() if judge_cost(cost, limits.get(name), 1)}
        pace = measure_pace() if over else 1.0
        wrong = {name: judge_cost(cost, limits.get(name), pace) for name, cost in over.items()}
        return {name: reason for name, reason in wrong.items() if reason}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print the cost of each room and the ten dearest tests."""
        if not self.tests:
            return
        terminalreporter.section(f"CPU: {sum(self.rooms.values()):.0f} s")
        rooms = (f"{name} {cost:.0f}" for name, cost in sort_by_cost(self.rooms) if cost >= 0.5)
        terminalreporter.write_line(" · ".join(rooms))
        for name, cost in sort_by_cost(self.tests)[:_DEAREST]:
            terminalreporter.write_line(f"{cost:7.2f} s  {name}")
        for name, reason in self.find_excess(config).items():
            terminalreporter.write_line(f"FAILED room {name}: {reason}; see tests/README.md", red=True)
