"""Names say what a thing is: a participle or a pronoun alone does not."""

import ast
import builtins
import re
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


_CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
_SECTION = re.compile(r'^ +Raises:\n((?: +(?!""")\S.*\n)+)', re.MULTILINE)
_RAISED = re.compile(r"^ +([\w.]+(?:, [\w.]+)*): ", re.MULTILINE)


def test_an_error_that_is_named_is_there() -> None:
    """Each error below *Raises* in a docstring is a class of arena, of Python or of msgspec."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "arena").rglob("*.py")]
    classes = {name for text in texts for name in _CLASS.findall(text)}
    raised = {
        name.rpartition(".")[2]
        for text in texts
        for section in _SECTION.findall(text)
        for names in _RAISED.findall(section)
        for name in names.split(", ")
    }
    assert "UsageError" in raised
    assert raised - classes - vars(builtins).keys() - vars(msgspec).keys() == set()
