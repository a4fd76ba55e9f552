"""Each room of the house imports only the rooms it may know, and each outside package has one door."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]

WORDS = frozenset({"errors", "escape", "fault", "files", "identity"})
"""What every room but a game may know: errors, what a bot did wrong, text made safe, how entrants are written,
files and JSON of strangers."""
MAY_KNOW: dict[str, frozenset[str]] = {
    "files": frozenset(),
    "interpreter": frozenset(),
    "errors": frozenset(),
    "escape": frozenset(),
    "fault": frozenset(),
    "identity": frozenset(),
    # how the fields of a struct are set
    "fields": frozenset(),
    "chance": frozenset({"fields"}),
    # where the numbers of a long computation lie
    "spill": frozenset(),
    "view": frozenset(),
    "game": frozenset({"chance", "view"}),
    "games": frozenset({"game", "chance", "fields", "glyphs", "view"}),
    # shapes for whoever wants them: only data for a view
    "glyphs": frozenset(),
    # for the tests of games, those of other packages too: no room may know it
    "laws": frozenset({"chance", "game", "view"}),
    "wire": frozenset({"game"}),
    "players": WORDS | {"wire", "game", "sandbox"},
    "sandbox": frozenset(),
    "clock": frozenset({"wire"}),
    "record": WORDS | {"game", "wire"},
    "referee": WORDS | {"chance", "clock", "game", "wire", "record"},
    "bot": frozenset({"chance", "game", "games", "wire"}),
    # a starter in Python is a bot, and imports what a bot may
    "starters": frozenset({"bot", "game", "players"}),
    "conformance": WORDS | {"chance", "game", "games", "players", "record", "referee", "wire"},
    "ratings": frozenset({"chance", "record", "spill"}),
    # of the tournament, formats may know its pure schedule alone
    "formats": frozenset({"chance", "ratings"}),
    "report": WORDS | {"conformance", "game", "ratings", "record", "spill", "view"},
    "page": WORDS | {"ratings", "report", "view"},
    "tournament": WORDS
    | {
        "chance",
        "clock",
        "conformance",
        "formats",
        "game",
        "games",
        "interpreter",
        "players",
        "ratings",
        "record",
        "referee",
        "sandbox",
        "spill",
        "wire",
    },
    # for bots that think before they answer
    "search": frozenset({"chance", "game", "wire"}),
    # a table in this process
    "environments": frozenset({"chance", "errors", "game", "games"}),
    # the public library, but for its names
    "library": WORDS
    | {
        "bot",
        "chance",
        "conformance",
        "environments",
        "game",
        "games",
        "players",
        "ratings",
        "record",
        "referee",
        "report",
        "sandbox",
        "tournament",
        "wire",
    },
    "leagues": WORDS | {"game", "games", "library", "page", "players", "report", "starters", "tournament"},
    "__init__": WORDS | {"bot", "conformance", "leagues", "library", "record", "report", "tournament"},
    # what is seen at a terminal and in browsers: it knows what is played, and no command
    "terminal": WORDS | {"game", "players", "ratings", "record", "report", "sandbox", "tournament", "view", "wire"},
    "web": WORDS | {"game", "library", "page", "players", "record", "report", "tournament", "view", "wire"},
    # reads arguments, calls the floors below, prints: no table, no rating, no sandbox and no seat
    "cli": WORDS
    | {
        *("game", "games", "leagues", "library", "page", "players", "record", "report", "starters", "terminal"),
        *("tournament", "web", "wire"),
    },
    "__main__": frozenset({"cli", "interpreter"}),
}
"""Room -> the other rooms it may import. Within a room all is allowed, except between two games."""

FOR_TYPES_ONLY: dict[str, frozenset[str]] = {"referee": frozenset({"players"})}
"""Room -> the rooms it may name under TYPE_CHECKING besides; of ``players`` never the module ``process``."""

DOORS: dict[str, str | tuple[str, ...]] = {
    "distributed": "arena/tournament/dask.py",
    "gymnasium": "arena/environments/pettingzoo.py",
    "htpy": "arena/page/",
    "markdown_it": "arena/page/",
    "markupsafe": "arena/page/",
    "numpy": (
        "arena/environments/",
        "arena/ratings/arrays.py",
        "arena/ratings/sums.py",
        "arena/ratings/truncated_arrays.py",
    ),
    "pettingzoo": "arena/environments/pettingzoo.py",
    "pyspiel": "arena/environments/openspiel.py",
    "typer": "arena/cli/",
    "rich": "arena/terminal/",
    "tabulate": "arena/report/",
    "trueskill": "arena/ratings/single.py",
}
"""Outside package -> the one place that may import it."""

BYTES_ONLY = {
    *("command", "cpu_accounting", "cpu_time", "descendants", "guard", "late", "lifetime", "memory", "process"),
    *("run_queue", "spawn", "stderr", "watch"),
}
"""Modules of ``players`` that run processes: the standard library, each other and the sandbox, no message, no rule."""

NOT_IN_A_GAME = {"time", "random", "asyncio", "json", "os"}


class Import(NamedTuple):
    """A dotted name that is imported, and whether only for the type checker."""

    name: str
    typing: bool


def imports_of(path: str, source: str) -> Iterator[Import]:
    """Every import of a file, wherever it stands; relative ones as absolute, ``from a import b`` as ``a.b``."""
    tree = ast.parse(source)
    blocks = (node for node in ast.walk(tree) if isinstance(node, ast.If) and is_type_checking(node.test))
    typing = {id(node) for block in blocks for part in block.body for node in ast.walk(part)}
    package = path.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, id(node) in typing) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            start = [*above, *([node.module] if node.module else [])]
            yield from (Import(".".join([*start, alias.name]), id(node) in typing) for alias in node.names)


def is_type_checking(test: ast.expr) -> bool:
    """Whether a condition is ``TYPE_CHECKING``."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def offences(path: str, source: str) -> list[str]:
    """What a file imports that its room may not know, one sentence each."""
    room = path.split("/")[1].removesuffix(".py")
    if room not in MAY_KNOW:
        return [f"{path}: expected a room of the import map, got {room}"]
    return [f"{path} ({room}) {wrong}" for found in imports_of(path, source) if (wrong := offence(path, room, found))]


def offence(path: str, room: str, found: Import) -> str | None:
    """What is wrong with one import, if anything."""
    top, *parts = found.name.split(".")
    if top in DOORS and not path.startswith(DOORS[top]):
        return f"imports {top}: expected that only of {DOORS[top]}"
    if room == "games" and path != "arena/games/__init__.py" and top in NOT_IN_A_GAME:
        return f"imports {top}: expected no clock, no files and no chance but the state's own in a game"
    if top != "arena" or not parts or (len(parts) == 1 and parts[0] not in MAY_KNOW):
        return None
    other = parts[0]
    if room == "referee" and parts[:2] == ["players", "process"]:
        return f"imports {found.name}: expected players that may be anything"
    if (other in {"errors", "fault", "sandbox"} and room == "players") or (
        room == "formats" and parts[:2] in (["tournament", "schedule"], ["tournament", "line_ups"])
    ):
        return None
    if room == "players" and Path(path).stem in BYTES_ONLY and (other != "players" or parts[1] not in BYTES_ONLY):
        return f"imports {found.name}: expected bytes only, of {sorted(BYTES_ONLY)}"
    if other == room:
        own = path.split("/")[2].removesuffix(".py")
        strangers = room == "games" and len(parts) > 1 and parts[1] != own
        return f"imports {found.name}: expected no other game" if strangers else None
    allowed = MAY_KNOW[room] | (FOR_TYPES_ONLY.get(room, frozenset()) if found.typing else frozenset())
    return None if other in allowed else f"imports {found.name}: expected of {sorted(allowed) or 'nothing'}"


FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "arena").rglob("*.py"))


@pytest.mark.parametrize("path", FILES)
def test_rooms_import_only_what_they_may_know(path: str) -> None:
    """No file of the house imports a room it may not know, or an outside package whose door is elsewhere."""
    assert offences(path, (ROOT / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("arena/game.py", "from arena.wire import Hello"),
        ("arena/game.py", "from arena import wire"),
        ("arena/chance.py", "import arena.game"),
        ("arena/games/lure/rules.py", "from arena.games.dockfight import cards"),
        ("arena/games/lure/rules.py", "from ..dockfight.cards import DAYS"),
        ("arena/games/lure/rules.py", "def f():\n    import random"),
        ("arena/games/lure/rules.py", "import os.path"),
        ("arena/games/lure/rules.py", "from arena.wire import encode"),
        ("arena/wire.py", "from arena.record import Record"),
        ("arena/players/process.py", "from arena.game import Decision"),
        ("arena/players/process.py", "from arena.players.sandbox import wrap"),
        ("arena/referee.py", "from arena.players.scripted import Scripted"),
        ("arena/referee.py", "if TYPE_CHECKING:\n    from arena.players.process import Process"),
        ("arena/referee.py", "from arena.games import find"),
        ("arena/ratings/fit.py", "from arena.game import ranks_of"),
        ("arena/ratings/fit.py", "import trueskill"),
        ("arena/tournament/run.py", "from arena.cli.run import main"),
        ("arena/tournament/run.py", "from arena.report import table"),
        ("arena/tournament/run.py", "from arena.library.runs import Run"),
        ("arena/cli/run.py", "from arena.referee import play"),
        ("arena/games/lure/rules.py", "from arena.errors import UsageError"),
        ("arena/report/table.py", "import typer"),
        ("arena/cli/run.py", "from tabulate import tabulate"),
        ("arena/tournament/run.py", "from rich.progress import Progress"),
        ("arena/cellar/wine.py", ""),
        ("arena/formats/swiss.py", "from arena.tournament.journal import Journal"),
        ("arena/ratings/fit.py", "from arena.formats import Round"),
    ],
)
def test_offences_are_found(path: str, source: str) -> None:
    """An import against the map is found wherever and however it is written."""
    assert len(offences(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("arena/game.py", "from arena.chance import Chance"),
        ("arena/games/__init__.py", "import importlib\nfrom arena.game import Game"),
        ("arena/games/lure/rules.py", "from arena.games.lure.cards import CARDS\nfrom .events import Caught"),
        ("arena/referee.py", "if TYPE_CHECKING:\n    from arena.players import Player"),
        ("arena/referee.py", "import time\nfrom arena import __version__, wire"),
        ("arena/ratings/single.py", "import trueskill"),
        ("arena/formats/swiss.py", "from arena.tournament.schedule import draw"),
        ("arena/cli/run.py", "import typer\nfrom arena.tournament.run import run\nfrom arena import games"),
    ],
)
def test_what_the_map_allows(path: str, source: str) -> None:
    """What the map allows is no offence."""
    assert offences(path, source) == []


def functions() -> Iterator[tuple[str, int]]:
    """Every function of the command line, and how many lines it has."""
    for path in FILES:
        if path.startswith("arena/cli/"):
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef):
                    yield f"{path}: {node.name}", (node.end_lineno or 0) - node.lineno + 1


def test_commands_are_thin() -> None:
    """A command reads its arguments, calls and prints: no function of the command line has over 40 lines."""
    assert {name: lines for name, lines in functions() if lines > 40} == {}


def test_the_command_line_is_thin() -> None:
    """What is no command stands below the command line, which has under 3,200 lines."""
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "arena/cli").rglob("*.py"))
    assert lines < 3200


def test_no_file_is_too_long() -> None:
    """No file of the house, its bots or its tests has over 500 lines: it is split by subject before."""
    rooms = ("arena", "benchmarks", "bots", "tests")
    kinds = ("*.py", "*.js", "*.css")
    found = [path for room in rooms for kind in kinds for path in (ROOT / room).rglob(kind)]
    paths = [path for path in found if "node_modules" not in path.parts]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert {path: length for path, length in lengths.items() if length > 500} == {}
