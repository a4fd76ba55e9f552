"""Which tests are long, and what `make proof` says at its end: a line for each proof, its figures and its seconds."""

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import pytest
from hypothesis import settings, strategies

from tests.budget import FIRST, Costs

# machines are busy: nothing is timed. Everybody tries the same examples, so what fails for one fails for all;
# `make proof` tries others
settings.register_profile("arena", deadline=None, derandomize=True)
settings.register_profile("fresh", deadline=None)
settings.load_profile("arena")

_SENTENCE = "sentence"


@pytest.fixture(scope="session", autouse=True)
def _sorted_characters() -> None:
    """Sort all characters by their kinds, as hypothesis does once: the first test with texts is not to pay for it."""
    strategies.text().validate()


@pytest.fixture(scope="session", autouse=True)
def _nothing_trusted(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Remember which settings are trusted in a folder of the tests, and not in the user's."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


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


@pytest.fixture
def deep() -> Iterator[Path]:
    """A folder for folders too deep for pytest to remove, and so none of its own; with what killed tests left there."""
    folder = Path(gettempdir(), f"deep-folders.{os.getpid()}")
    left = [old for old in folder.parent.glob("deep-folders.*") if not Path("/proc", old.suffix[1:]).exists()]
    subprocess.run(["/bin/rm", "-rf", "--", folder, *left], check=True)
    folder.mkdir(0o700)
    yield folder
    subprocess.run(["/bin/rm", "-rf", "--", folder], check=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let tests run in an order drawn by lot, which must change nothing."""
    parser.addoption(
        "--shuffle", metavar="SEED", help="run files, and the tests of each file, in an order of this seed"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Measure what each test costs."""
    config.pluginmanager.register(Costs())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the files and mark the long cases; send the first sentence of each proof along with its report."""
    files = list(dict.fromkeys(item.location[0] for item in items))
    places = {file: FIRST.index(file) if file in FIRST else len(FIRST) for file in files}
    if (seed := config.getoption("--shuffle")) is not None:
        chance = random.Random(seed)
        chance.shuffle(items)
        chance.shuffle(files)
        places = {file: place for place, file in enumerate(files)}
    items.sort(key=lambda item: places[item.location[0]])
    lacking: dict[str, set[str]] = {}
    for item in items:
        function = item.nodeid.partition("[")[0]
        for marker in item.iter_markers("long_cases"):
            left = lacking.setdefault(function, set(marker.args))
            case = getattr(getattr(item, "callspec", None), "id", "")
            left.discard(case)
            if case in marker.args:
                item.add_marker(pytest.mark.long)
    if not any("[" in argument for argument in config.args):
        for function, left in lacking.items():
            if left:
                raise pytest.UsageError(f"{function}: expected long cases that are there, got {min(left)!r}")
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
            terminalreporter.write_line(describe_proof(report, outcome))


def describe_proof(report: pytest.TestReport, outcome: str) -> str:
    """One proof: its sentence, its figures, its seconds; what has not passed says so first."""
    properties = dict(report.user_properties)
    sentence = properties.pop(_SENTENCE, report.nodeid)
    figures = [f"{name} {f'{value:,}' if isinstance(value, int) else value}" for name, value in properties.items()]
    first = "" if outcome == "passed" else f"{outcome.upper()}: "
    return f"- {first}{sentence} [{', '.join([*figures, f'{report.duration:.0f} s'])}]"
