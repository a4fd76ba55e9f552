"""The types of a game in Java 11, and functions that read them from JSON."""

from collections.abc import Collection, Iterator

from arena.starters.typed.text import Forms, camel, constants, doc_comment, heading, quote_text
from arena.starters.types import ByName, Fields, Many, Maybe, OneOf, Plain, Reference, Shape, Types

_PLAIN = {
    "int": ("int", "Integer", "integer"),
    "float": ("double", "Double", "real"),
    "str": ("String", "String", "text"),
    "bool": ("boolean", "Boolean", "truth"),
}
_RESERVED = """
abstract assert boolean break byte case catch char class const continue default do double else enum extends
final finally float for goto if implements import instanceof int interface long native new package private
protected public return short static strictfp super switch synchronized this throw throws transient try void
volatile while true false null _
"""
_KEYWORDS = frozenset(_RESERVED.split())


def finished(program: str, types: Types) -> str:
    """The bot with the classes of its options and events."""
    unions = frozenset(union.name for union in types.unions)
    for name, shape in (("Choice", types.option), ("Event", types.event)):
        program = program.replace(f"List<{name}>", f"List<{_boxed(shape, unions, 'Game.')}>")
    return program


def lines(types: Types) -> Iterator[str]:
    """``Game.java``."""
    spelt = [_boxed(shape, ()) for shape in types.shapes]
    for name in ("List", "Map"):
        if any(f"{name}<" in text for text in spelt):
            yield f"import java.util.{name};"
    yield ""
    yield f"/** {heading(types)} */"
    yield "final class Game {"
    if types.words:
        yield "    /** The words that stand in options, observation and events. */"
        yield "    static final class Word {"
        for name, word in constants(types, "UPPER"):
            yield f"        static final String {name} = {quote_text(word)};"
        yield "    }"
    unions = frozenset(union.name for union in types.unions)
    for struct in types.structs:
        yield from _struct(struct, unions)
    for union in types.unions:
        yield from _union(union)
    for name, shape in types.aliases:
        yield ""
        yield f"    static {_boxed(shape, unions)} read{name}(Object from) {{"
        yield f"        return {_read(shape, 'from', unions)};"
        yield "    }"
    yield "}"


def _struct(struct: Fields, unions: Collection[str]) -> Iterator[str]:
    yield ""
    yield from doc_comment(struct.about, indent="    ")
    yield f"    static final class {struct.name} {{"
    for field in struct.fields:
        yield from doc_comment(field.about, indent="        ")
        yield f"        final {_type(field.shape, unions)} {_name(field.name)};"
    yield ""
    yield f"        {struct.name}(Object from) {{"
    for field in struct.fields:
        value = _read(field.shape, f"Json.get(from, {quote_text(field.name)})", unions)
        yield f"            {_name(field.name)} = {value};"
    yield "        }"
    yield ""
    yield "        @Override"
    yield "        public String toString() {"
    yield f"            return {quote_text(f'{struct.name}(')}"
    for number, field in enumerate(struct.fields):
        name = _name(field.name)
        yield f"                    + {quote_text(f', {name}=' if number else f'{name}=')} + {name}"
    yield '                    + ")";'
    yield "        }"
    yield "    }"


def _union(union: OneOf) -> Iterator[str]:
    kinds = [*(["Integer"] if union.number else []), *(["String"] if union.text is not None else [])]
    kinds += [struct.name for struct in union.structs]
    yield ""
    about = f"{union.name}: {', '.join(kinds)}, for instanceof; null is something of a later version."
    yield from doc_comment(about, indent="    ")
    yield f"    static Object read{union.name}(Object from) {{"
    if union.number:
        yield "        if (from instanceof Double) {"
        yield "            return Json.integer(from);"
        yield "        }"
    if union.text is not None:
        yield "        if (from instanceof String) {"
        yield "            return from;"
        yield "        }"
    if union.structs:
        yield '        switch (Json.text(Json.get(from, "type"))) {'
        for struct in union.structs:
            yield f"            case {quote_text(str(struct.tag))}:"
            yield f"                return new {struct.name}(from);"
        yield "            default:"
        yield "                return null;"
        yield "        }"
    else:
        yield "        return null;"
    yield "    }"


def _name(name: str) -> str:
    """``draw_pile`` as ``drawPile``."""
    title = camel(name)
    word = title[:1].lower() + title[1:]
    return f"{word}_" if word in _KEYWORDS else word


def _type(shape: Shape, unions: Collection[str]) -> str:
    return _PLAIN[shape.kind][0] if isinstance(shape, Plain) else _boxed(shape, unions)


def _boxed(shape: Shape, unions: Collection[str], within: str = "") -> str:
    forms = Forms(
        plain={kind: boxed for kind, (_, boxed, _) in _PLAIN.items()},
        many="List<{}>",
        by_name="Map<String, {}>",
        maybe="{}",
        # Java 11 has no type for one of several
        reference=lambda name: "Object" if name in unions else within + name,
    )
    return forms(shape)


def _read(shape: Shape, value: str, unions: Collection[str], depth: int = 0) -> str:
    """``depth`` gives nested lambdas different names."""
    match shape:
        case Many(item=item) | ByName(item=item) | Maybe(item=item):
            how = {Many: "list", ByName: "byName", Maybe: "maybe"}[type(shape)]
            return f"Json.{how}({value}, {_reader(item, unions, depth)})"
        case Plain(kind=kind):
            return f"Json.{_PLAIN[kind][2]}({value})"
    return f"read{shape.name}({value})" if shape.name in unions else f"new {shape.name}({value})"


def _reader(shape: Shape, unions: Collection[str], depth: int) -> str:
    match shape:
        case Plain(kind=kind):
            return f"Json::{_PLAIN[kind][2]}"
        case Reference(name=name):
            return f"Game::read{name}" if name in unions else f"{name}::new"
    item = f"each{depth or ''}"
    return f"{item} -> {_read(shape, item, unions, depth + 1)}"
