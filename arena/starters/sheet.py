"""The data sheet of a game for authors of bots: the contents of observation, options and events, from their types."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from types import NoneType, UnionType
from typing import Any, Literal, TypeGuard, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from arena.game import Game
from arena.values import bare

_PLAIN = {int: "integer", str: "string", bool: "true or false", NoneType: "null", float: "number"}


def sheet(game: Game) -> str:
    """The data sheet as Markdown."""
    lines = [
        f"# {game.title}: what a bot is told",
        "",
        f"Made from the types of the game; `arena rules {game.name}` tells the rules and every question.",
        "",
        "## `observation`",
        "",
        "All that the seat has learnt since the match began.",
        "",
        *_table(game.observation),
        "",
        "## `options`",
        "",
        "Pick by index, counted from 0. The rules tell when there are which.",
        "",
        *_kinds(bare(game.option)),
        "",
        "## `events`",
        "",
        "What the seat saw since it was last asked.",
        "",
        *_kinds(game.event),
        "",
        "## In Python",
        "",
        f"With `arena.bot` an observation is a `{game.observation.__module__}.{game.observation.__name__}`;",
        "other objects, as in `match option: case ...`, are",
        "",
        *_modules([*_structs(bare(game.option)), *_structs(game.event)]),
    ]
    return "\n".join(lines) + "\n"


def _modules(structs: list[type[Struct]]) -> Iterator[str]:
    for module in dict.fromkeys(struct.__module__ for struct in structs):
        names = dict.fromkeys(f"`{struct.__name__}`" for struct in structs if struct.__module__ == module)
        yield f"- of `{module}`: {', '.join(names)}"


def _table(struct: type[Struct]) -> list[str]:
    rows = [
        f"| `{field}` | {_words(kind)} | {_cell(meaning_of(struct, field))} |"
        for field, kind in get_type_hints(struct).items()
        if field in struct.__struct_fields__
    ]
    return ["| field | type | meaning |", "|---|---|---|", *rows]


def _kinds(kind: Any) -> Iterator[str]:
    for part in _parts(kind):
        if part not in _structs(kind):
            yield f"- {_words(part)}"
    for struct in _structs(kind):
        yield f"- {_object(struct)}: {summary(struct.__doc__)}"


def _parts(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _structs(kind: Any) -> list[type[Struct]]:
    return [part for part in _parts(kind) if isinstance(part, type) and issubclass(part, Struct)]


def _words(kind: Any) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    args = get_args(kind)
    match get_origin(kind):
        case origin if origin is Literal:
            return ", ".join(f'`"{value}"`' if isinstance(value, str) else f"{value}" for value in args)
        case origin if origin in (Union, UnionType):
            return " or ".join(map(_words, args))
        case origin if origin in (tuple, list):
            return f"array of {_words(args[0])}"
        case origin if origin is dict:
            return f"object: {_words(args[1])} by {_words(args[0])}"
    return f"object with {_object(kind)}"


def _object(struct: type[Struct]) -> str:
    hints = get_type_hints(struct)
    tag = struct.__struct_config__.tag
    fields = [f"`{field}` ({_words(hints[field])})" for field in struct.__struct_fields__]
    return ", ".join([f'`"type":"{tag}"`', *fields] if tag is not None else fields)


def meaning_of(struct: type[Struct], field: str) -> str:
    """The text in the source below a field or, if there is none, below the type that the field is declared with."""
    module = _source(struct.__module__)
    (fields,) = (node for node in module.body if isinstance(node, ast.ClassDef) and node.name == struct.__name__)
    (kind,) = (node.annotation for node in fields.body if _declares(node, field))
    return _below(fields, field) or (_below(module, kind.id) if isinstance(kind, ast.Name) else "")


@cache
def _source(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def _below(block: ast.ClassDef | ast.Module, name: str) -> str:
    for node, after in pairwise(block.body):
        match after:
            case ast.Expr(value=ast.Constant(value=str(text))) if _declares(node, name):
                return summary(text)
    return ""


def _declares(node: ast.stmt, name: str) -> TypeGuard[ast.AnnAssign]:
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name


def summary(text: str | None) -> str:
    """The first paragraph of a docstring on one line, in words of JSON."""
    first = re.sub(r"\bNone\b", "null", inspect.cleandoc(text or "").partition("\n\n")[0])
    return " ".join(first.replace("``", "`").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
