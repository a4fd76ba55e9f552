"""Names say what a thing is: a participle or a pronoun alone does not."""

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[1]
_DULL = frozenset(
    [
        *["told", "known", "shown", "held", "chosen", "whole", "there", "one", "own", "said", "asked", "found", "each"],
        *["at", "given", "taken", "wanted", "meant", "left", "named", "called", "seen", "heard", "kept"],
    ]
)
_MOST = 3.0
"""In a thousand bindings: fields of files and of the wire, parameters of public calls, words of rulebooks."""


def _find_bindings(tree: ast.AST) -> list[tuple[str, int]]:
    """Names of functions, classes, arguments and variables, each with its line."""
    bindings = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bindings.append((node.name, node.lineno))
        elif isinstance(node, ast.arg):
            bindings.append((node.arg, node.lineno))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bindings.append((node.id, node.lineno))
    return bindings


def test_names_say_what_a_thing_is() -> None:
    """At most 3 of a thousand names in arena are a participle or a pronoun, such as ``told`` or ``one``."""
    total, dull = 0, []
    for path in sorted((ROOT / "arena").rglob("*.py")):
        for name, line in _find_bindings(ast.parse(path.read_bytes())):
            total += 1
            if name.strip("_").lower() in _DULL:
                dull.append(f"{path.relative_to(ROOT)}:{line}: {name}")
    assert len(dull) <= total * _MOST / 1000, "\n".join([f"{len(dull)} of {total} names:", *dull])


_RAISED = re.compile(r"^ +([\w.]+(?:, [\w.]+)*): ", re.MULTILINE)


def _find_raised(tree: ast.AST) -> Iterator[str]:
    """The errors that the docstrings of a module name below *Raises*, without their modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            _, _, section = (ast.get_docstring(node, clean=False) or "").partition("Raises:\n")
            for names in _RAISED.findall(section.partition("\n\n")[0]):
                yield from (name.rpartition(".")[2] for name in names.split(", "))


def test_an_error_that_is_named_is_there() -> None:
    """Each error below *Raises* in a docstring is a class of arena, of Python or of msgspec."""
    trees = [ast.parse(path.read_bytes()) for path in (ROOT / "arena").rglob("*.py")]
    classes = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    others = vars(builtins).keys() | vars(msgspec).keys()
    assert {name for tree in trees for name in _find_raised(tree)} - classes - others == set()
