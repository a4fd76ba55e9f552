"""The expressions of GitHub Actions, as far as workflows here use them: names, texts, comparisons, and, or, not, calls.

Anything else is an error: a workflow that needs it needs it here first.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w.*-]*)|(==|!=|&&|\|\||[!(),]))")
_INSIDE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
STATUS = re.compile(r"\b(?:success|failure|always|cancelled)\(")


def filled(text: str, contexts: Mapping[str, Any]) -> str:
    """A text with its ``${{ }}`` replaced by their values."""
    return _INSIDE.sub(lambda found: as_text(evaluated(found[1], contexts)), text)


def holds(condition: object, contexts: Mapping[str, Any]) -> bool:
    """Whether an ``if`` lets its step run; one that asks for no status asks for success."""
    text = _INSIDE.sub(lambda found: found[1], str(condition)) if condition is not None else "true"
    asked = bool(evaluated(text, contexts))
    return asked if STATUS.search(text) else asked and bool(contexts["job"]["status"] == "success")


def evaluated(text: str, contexts: Mapping[str, Any]) -> Any:
    """The value of an expression."""
    return _Reader(text, contexts).whole()


def as_text(value: Any) -> str:
    """A value as it stands in a text."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


class _Reader:
    def __init__(self, text: str, contexts: Mapping[str, Any]) -> None:
        self._contexts = contexts
        self._tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            assert found, f"expected an expression that is known here, got {text!r}"
            self._tokens.append(found[0].strip())
            at = found.end()

    def whole(self) -> Any:
        value = self._either()
        assert not self._tokens, f"expected the end, got {self._tokens}"
        return value

    def _next(self, token: str) -> bool:
        if self._tokens[:1] != [token]:
            return False
        del self._tokens[0]
        return True

    def _either(self) -> Any:
        value = self._both()
        while self._next("||"):
            other = self._both()
            value = value or other
        return value

    def _both(self) -> Any:
        value = self._same()
        while self._next("&&"):
            other = self._same()
            value = value and other
        return value

    def _same(self) -> Any:
        value = self._one()
        if self._next("=="):
            return as_text(value).lower() == as_text(self._one()).lower()
        if self._next("!="):
            return as_text(value).lower() != as_text(self._one()).lower()
        return value

    def _one(self) -> Any:
        if self._next("!"):
            return not self._one()
        if self._next("("):
            value = self._either()
            assert self._next(")")
            return value
        token = self._tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if re.fullmatch(r"-?\d+(\.\d+)?", token):
            return json.loads(token)
        if token in {"true", "false", "null"}:
            return json.loads(token)
        if not self._next("("):
            return self._named(token)
        arguments = []
        while not self._next(")"):
            arguments.append(self._either())
            self._next(",")
        return self._called(token, arguments)

    def _named(self, path: str) -> Any:
        root, *names = path.split(".")
        assert root in self._contexts, f"expected one of {', '.join(self._contexts)}, got {path!r}"
        value = self._contexts[root]
        for name in names:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    def _called(self, name: str, arguments: list[Any]) -> Any:
        status = self._contexts["job"]["status"]
        match name, arguments:
            case (("success" | "failure" | "cancelled"), []):
                return status == name
            case "always", []:
                return True
            case "fromJSON", [text]:
                return json.loads(text)
            case "toJSON", [value]:
                return json.dumps(value)
            case "format", [text, *values]:
                return str(text).format(*map(as_text, values))
        raise AssertionError(f"expected a function that is known here, got {name} of {len(arguments)}")
