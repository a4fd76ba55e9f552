"""Values of like types are handed to our structs and functions by name: by position one could stand for the other."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GAMES = "arena/games/"
"""Rules build their own structs thousands of times a second, and tables of cards are read as tables; laws hold them."""
BY_PLACE = {
    # built for each question, where names cost time; a test decodes every field of one
    ("arena/referee.py", "Decide"),
    ("arena/selfplay/players.py", "Decide"),
    # columns of numbers, made in the order of the fields
    ("arena/ratings/ahead.py", "PairSums"),
    # the table of settings, read as a table
    ("arena/tournament/settings.py", "Setting"),
}
"""Files and the structs that they make of values in their places."""


def module_of(path: str) -> str:
    """The dotted name of a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def like(annotation: ast.expr | None) -> str:
    """A type without what does not tell its values from those of another: a bound, or that it may be missing."""
    text = ast.unparse(annotation).strip("'\"") if annotation else ""
    return re.sub(r"^Annotated\[([^,]*),.*|( \| None)$", r"\1", text)


def alike(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The names of those whose type another one has too."""
    given = list(pairs)
    often = Counter(kind for _, kind in given)
    return [name for name, kind in given if often[kind] > 1]


def records(texts: Mapping[str, ast.Module]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """By module and name, the names and types of the fields that a class of fields alone takes by position."""
    found = {}
    classes = (
        (path, node) for path, text in texts.items() for node in ast.walk(text) if isinstance(node, ast.ClassDef)
    )
    for path, node in classes:
        made = " ".join(map(ast.unparse, [*node.bases, *node.keywords, *node.decorator_list]))
        if re.search(r"\b(Struct|NamedTuple|dataclass)\b", made) and "kw_only=True" not in made:
            fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
            pairs = [(ast.unparse(each.target), like(each.annotation)) for each in fields]
            found[module_of(path), node.name] = [pair for pair in pairs if not pair[1].startswith("ClassVar")]
    return found


def public_names(texts: Mapping[str, ast.Module]) -> dict[tuple[str, str], tuple[str, str]]:
    """By room and public name, as the stub of the room lists it, the module that holds it and its name there."""
    return {
        (path.removesuffix("/__init__.pyi").replace("/", "."), alias.name): (str(node.module), alias.name)
        for path, text in texts.items()
        if path.endswith(".pyi")
        for node in text.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def mixed(texts: Mapping[str, ast.Module]) -> Iterator[tuple[str, str, list[str]]]:
    """Each call that hands two values of like types by position: the file, the class, and the fields they go to."""
    known, public = records(texts), public_names(texts)
    for path, text in texts.items():
        imported = {
            each.asname or each.name: public.get((str(node.module), each.name), (str(node.module), each.name))
            for node in ast.walk(text)
            if isinstance(node, ast.ImportFrom)
            for each in node.names
        }
        for node in (node for node in ast.walk(text) if isinstance(node, ast.Call)):
            room, _, name = ast.unparse(node.func).rpartition(".")
            where = (".".join(imported.get(room, ())), name) if room else imported.get(name, (module_of(path), name))
            starred = any(isinstance(each, ast.Starred) for each in node.args)
            if fields := alike(known.get(where, [])[: None if starred else len(node.args)]):
                yield path, name, fields


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        ("Launch('a', True, False)", ["shown", "bare"]),
        ("Launch('a', shown=True, bare=False)", []),
        ("Launch('a', True)", []),
        ("Launch(*words)", ["shown", "bare"]),
        ("rooms.Launch('a', True, False)", ["shown", "bare"]),
        ("Other(1, 2)", []),
        ("Start('a', True, False)", ["shown", "bare"]),
    ],
)
def test_what_is_found(call: str, fields: list[str]) -> None:
    """Two values of like types by position are found, however the struct is imported; by name they may go."""
    room = "class Launch(Struct):\n    name: str\n    shown: bool\n    bare: Annotated[bool, Meta()] = False\n"
    room += "class Other(Struct, kw_only=True):\n    a: int\n    b: int\n"
    user = "from arena import rooms\nfrom arena.rooms import Launch, Other\nfrom arena.bots import Launch as Start\n"
    stub = ast.parse("from arena.rooms import Launch as Launch")
    texts = {"arena/rooms.py": ast.parse(room), "arena/bots/__init__.pyi": stub}
    found = list(mixed(texts | {"arena/user.py": ast.parse(f"{user}{call}\n")}))
    assert [names for _, _, names in found] == ([fields] if fields else [])


_VALUES = frozenset({"bool", "bytes", "float", "int", "Path", "str"})
"""Types whose values do not tell what they stand for."""
_SAME = {"Seat": "int"}
"""Other names of such a type."""
BY_POSITION = {
    "arena/cli/compare.py: compare": "called by typer, by name",
    "arena/cli/lab.py: lab": "likewise",
    "arena/cli/leaderboard.py: leaderboard": "likewise",
    "arena/cli/new.py: league": "likewise",
    "arena/cli/matches.py: matches": "likewise",
    "arena/cli/options.py: of_setting": "a setting, and the text that stands in the place of its own",
    "arena/formats/fixed.py: onward": "the contract of formats, which other packages hold too",
    "arena/formats/race.py: onward": "likewise",
    "arena/formats/until.py: onward": "likewise",
    "arena/games/lure/cards.py: contains_both": "in either order the same",
    "arena/page/charts.py: apart": "low before high",
    "arena/page/charts.py: scale": "low before high",
    "arena/page/charts.py: find_ticks": "low before high",
    "arena/page/document.py: section": "texts of a page in the order in which it shows them",
    "arena/ratings/factors.py: tied": "a function of the paper, with its arguments",
    "arena/words.py: agreeing": "one before many, as gettext has it",
    "arena/words.py: every": "likewise",
    "arena/words.py: plural": "likewise",
    "arena/tournament/journal_index.py: ftruncate": "the call of the system",
}
"""Public functions that take values of like types by position, and why."""


def by_position(path: str, text: ast.Module) -> Iterator[str]:
    """The public functions of a file, and methods of public classes, that take two values of one type by position."""
    classes = [node for node in text.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    for node in [*text.body, *(inner for each in classes for inner in each.body)]:
        if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
            kinds = [like(each.annotation) for each in (*node.args.posonlyargs, *node.args.args)]
            kinds = [_SAME.get(kind, kind) for kind in kinds]
            if alike((kind, kind) for kind in kinds if kind in _VALUES):
                yield f"{path}: {node.name}"


@pytest.mark.long
def test_like_values_go_by_name() -> None:
    """In arena no values of like types go by position: to a struct, dataclass or named tuple, to a public function.

    But for those that have a reason.
    """
    files = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8"))
        for ending in ("py", "pyi")
        for path in (ROOT / "arena").rglob(f"*.{ending}")
    }
    assert {(path, name) for path, name, _ in mixed(files) if not path.startswith(GAMES)} == BY_PLACE
    assert {each for path, text in files.items() for each in by_position(path, text)} == set(BY_POSITION)


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ("def move(source: str, target: str) -> None: ...", True),
        ("def move(source: str, *, target: str) -> None: ...", False),
        ("def move(source: str, seats: int) -> None: ...", False),
        ("def move(one: Seat, other: int | None = None) -> None: ...", True),
        ("class Move:\n    def __init__(self, source: Path, target: Path) -> None: ...", True),
        ("class _Move:\n    def go(self, source: Path, target: Path) -> None: ...", False),
        ("def _move(source: str, target: str) -> None: ...", False),
    ],
)
def test_which_functions_are_found(function: str, found: bool) -> None:
    """Public functions and methods are found by their annotations."""
    assert bool(list(by_position("arena/rooms.py", ast.parse(function)))) == found
