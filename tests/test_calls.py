"""Values of like types are handed to our structs and functions by name: by position one could stand for the other."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ARENA = ROOT / "arena"
_RECORDS = frozenset({"Struct", "NamedTuple"})
"""What a class of fields alone is made of, besides ``dataclass``."""


class Record(NamedTuple):
    """A class of ours whose fields are its arguments."""

    name: str
    fields: tuple[tuple[str, str], ...]
    """Name and type of each that may be given by position."""


def _text(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _name(node: ast.expr) -> str:
    """The last word of what is called or inherited from."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Call():
            return _name(node.func)
        case ast.Subscript():
            return _name(node.value)
    return ""


def _keyword(calls: list[ast.keyword], name: str) -> bool:
    return any(each.arg == name and isinstance(each.value, ast.Constant) and each.value.value is True for each in calls)


def _like(annotation: ast.expr) -> str:
    """A type without what does not tell its values from those of another: a bound, or that it may be missing."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[first, *_])):
            return _like(first)
        case ast.BinOp(op=ast.BitOr()):
            kinds = {_like(annotation.left), _like(annotation.right)} - {"None"}
            return " | ".join(sorted(kinds))
    return ast.unparse(annotation)


def records(texts: Mapping[str, ast.Module]) -> dict[tuple[str, str], Record]:
    """By module and name, the classes of fields alone whose fields may be given by position."""
    found: dict[tuple[str, str], Record] = {}
    for module, text in texts.items():
        for node in ast.walk(text):
            if not isinstance(node, ast.ClassDef):
                continue
            is_data = any(_name(each) == "dataclass" for each in node.decorator_list)
            calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
            flags = [*node.keywords, *(each for call in calls for each in call.keywords)]
            if not (is_data or any(_name(base) in _RECORDS for base in node.bases)) or _keyword(flags, "kw_only"):
                continue
            fields = [
                each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            ]
            pairs = [(each.target.id, _like(each.annotation)) for each in fields if isinstance(each.target, ast.Name)]
            found[module, node.name] = Record(
                node.name, tuple([pair for pair in pairs if not pair[1].startswith("ClassVar")])
            )
    return found


def _seen_in(module: str, text: ast.Module, known: Mapping[tuple[str, str], Record]) -> dict[str, Record]:
    """The records by the names that a module has for them."""
    names = {record.name: record for (where, _), record in known.items() if where == module}
    for node in ast.walk(text):
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                if record := known.get((node.module or "", each.name)):
                    names[each.asname or each.name] = record
                for (where, name), record in known.items():
                    if where == f"{node.module}.{each.name}":
                        names[f"{each.asname or each.name}.{name}"] = record
    return names


class Mixed(NamedTuple):
    """A call that hands values of like types by position, and the fields that they go to."""

    module: str
    line: int
    record: str
    fields: tuple[str, ...]


def mixed(texts: Mapping[str, ast.Module]) -> Iterator[Mixed]:
    """Every call that hands two values of like types by position."""
    known = records(texts)
    for module, text in texts.items():
        names = _seen_in(module, text, known)
        for node in ast.walk(text):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in names:
                continue
            record = names[ast.unparse(node.func)]
            given = record.fields[: len(node.args)]
            if any(isinstance(each, ast.Starred) for each in node.args):
                given = record.fields
            often = Counter(kind for _, kind in given)
            alike = tuple([name for name, kind in given if often[kind] > 1])
            if alike:
                yield Mixed(module, node.lineno, record.name, alike)


GAMES = "arena.games."
"""Rules build their own structs thousands of times a second, and tables of cards are read as tables; laws hold them."""
HOT = frozenset({("arena.referee", "Decide"), ("arena.selfplay.players", "Decide")})
"""Built for each question, where names cost time; a test decodes every field of one."""


@pytest.mark.long
def test_like_values_go_by_name() -> None:
    """No call in arena hands two values of like types to a struct, dataclass or named tuple of ours by position."""
    texts = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): _text(path)
        for path in sorted(ARENA.rglob("*.py"))
    }
    found = [found for found in mixed(texts) if not found.module.startswith(GAMES)]
    assert [each for each in found if (each.module, each.record) not in HOT] == []
    # what is left out is there
    assert {(each.module, each.record) for each in found} == HOT


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        ("Launch('a', True, False)", ("shown", "bare")),
        ("Launch('a', shown=True, bare=False)", ()),
        ("Launch('a', True)", ()),
        ("Launch(*words)", ("shown", "bare")),
        ("rooms.Launch('a', True, False)", ("shown", "bare")),
        ("Other(1, 2)", ()),
    ],
)
def test_what_is_found(call: str, fields: tuple[str, ...]) -> None:
    """Two values of like types by position are found, however the struct is imported; by name they may go."""
    room = "class Launch(Struct):\n    name: str\n    shown: bool\n    bare: Annotated[bool, Meta()] = False\n"
    room += "class Other(Struct, kw_only=True):\n    a: int\n    b: int\n"
    user = f"from arena import rooms\nfrom arena.rooms import Launch, Other\n{call}\n"
    found = list(mixed({"arena.rooms": ast.parse(room), "arena.user": ast.parse(user)}))
    assert [each.fields for each in found] == ([fields] if fields else [])


_VALUES = frozenset({"bool", "bytes", "float", "int", "Path", "str"})
"""Types whose values do not tell what they stand for."""
_SAME = {"Seat": "int"}
"""Other names of such a type."""
BY_POSITION = {
    "arena/cli/compare.py: compare": "called by typer, by name",
    "arena/cli/matches.py: matches": "likewise",
    "arena/cli/new.py: bot": "likewise",
    "arena/formats/groups.py: onward": "the contract of formats, which other packages hold too",
    "arena/formats/race.py: onward": "likewise",
    "arena/formats/until.py: onward": "likewise",
    "arena/games/lure/requirements.py: contains_both": "in either order the same",
    "arena/page/charts.py: apart": "low before high",
    "arena/page/charts.py: scale": "low before high",
    "arena/page/charts.py: ticks": "low before high",
    "arena/page/sections.py: section": "texts of a page in the order in which it shows them",
    "arena/ratings/factor.py: visit": "the inner loop of every fit, where names cost time",
    "arena/ratings/truncated.py: tied": "a function of the paper, with its arguments",
    "arena/ratings/uncertainty.py: apart": "in either order the same",
    "arena/ratings/uncertainty.py: looked_at": "likewise",
    "arena/ratings/uncertainty.py: seen": "likewise",
    "arena/report/findings.py: plural": "one before many, as gettext has it",
    "arena/tournament/recovery.py: ftruncate": "the call of the system",
}
"""Public functions that take values of like types by position, and why."""


def by_position(path: str, text: ast.Module) -> Iterator[str]:
    """The public functions of a file that take two values of one type by position."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    # what is in a function or in a private class is private
    private = {
        id(inner)
        for node in ast.walk(text)
        if isinstance(node, ast.FunctionDef) or (isinstance(node, ast.ClassDef) and node.name.startswith("_"))
        for inner in ast.walk(node)
        if inner is not node and isinstance(inner, kinds)
    }
    for node in ast.walk(text):
        if not isinstance(node, ast.FunctionDef) or id(node) in private:
            continue
        if node.name.startswith("_") and node.name != "__init__":
            continue
        given = [each.annotation for each in (*node.args.posonlyargs, *node.args.args) if each.annotation is not None]
        types = Counter(_SAME.get(kind, kind) for each in given if (kind := _like(each).strip("'\"")))
        if any(types[kind] > 1 for kind in _VALUES):
            yield f"{path}: {node.name}"


def test_functions_take_like_values_by_name() -> None:
    """No public function of arena takes two values of one type by position, but for those that have a reason."""
    found = [
        each
        for path in sorted(ARENA.rglob("*.py"))
        for each in by_position(path.relative_to(ROOT).as_posix(), _text(path))
    ]
    assert [each for each in found if each not in BY_POSITION] == []
    assert set(found) == set(BY_POSITION), "a reason for nothing"


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
