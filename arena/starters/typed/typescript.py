"""The types of a game in TypeScript, which reads JSON by itself."""

from collections.abc import Iterator

from arena.starters.typed.text import doc_comment, heading, quote_text
from arena.starters.types import ByName, Fields, Maybe, Plain, Reference, Shape, Types

CHANGES = (
    ("// A bot: TypeScript for plain node,", "// A bot for GAME: TypeScript for plain node,"),
    ("export {};\n", 'import type { Choice, Event, Observation } from "./game";\n'),
    ("tells what options, observation and events hold.", "tells what those in `game.ts` mean."),
    ("unknown[]", "Choice[]"),
    ("Record<string, unknown>", "Observation"),
    ("{ type: string }[]", "Event[]"),
)
"""From the starter for any game to that for one: see ``Typed``."""
_PLAIN = {"int": "number", "float": "number", "str": "string", "bool": "boolean"}
_WIDTH = 80


def lines(types: Types) -> Iterator[str]:
    """``game.ts``."""
    yield f"// {heading(types)}"
    aliases = {plain.name: plain.words for shape in types.shapes for plain in _texts(shape)}
    for name, words in aliases.items():
        yield from _alias(name, [*map(quote_text, words)])
    for struct in types.structs:
        yield from _struct(struct)
    for union in types.unions:
        text = [] if union.text is None else _words(union.text)
        parts = [*(["number"] if union.number else []), *text, *(struct.name for struct in union.structs)]
        yield from _alias(union.name, parts)
    for name, shape in types.aliases:
        yield from _alias(name, _parts(shape))


def _alias(name: str, parts: list[str]) -> Iterator[str]:
    yield ""
    yield from _one_of(f"export type {name} =", parts, indent="")


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from doc_comment(struct.about)
    yield f"export type {struct.name} = {{"
    if struct.tag is not None:
        yield f"  type: {quote_text(struct.tag)};"
    for field in struct.fields:
        yield from doc_comment(field.about, indent="  ")
        name = field.name if field.name.isidentifier() else quote_text(field.name)
        yield from _one_of(f"  {name}:", _parts(field.shape), indent="  ")
    yield "};"


def _one_of(begun: str, parts: list[str], *, indent: str) -> Iterator[str]:
    """A declaration of one of these types, on one line or, as prettier has it, on a line for each."""
    line = f"{begun} {' | '.join(parts)};"
    if len(line) <= _WIDTH or len(parts) == 1:
        yield line
    else:
        yield begun
        yield from (f"{indent}  | {part}" for part in parts[:-1])
        yield f"{indent}  | {parts[-1]};"


def _parts(shape: Shape) -> list[str]:
    match shape:
        case Plain():
            return [shape.name] if shape.name else _words(shape)
        case Reference(name=name):
            return [name]
        case Maybe(item=item):
            return [*_parts(item), "null"]
        case ByName(item=item):
            return [f"Record<string, {' | '.join(_parts(item))}>"]
    parts = _parts(shape.item)
    return [f"{parts[0]}[]" if len(parts) == 1 else f"({' | '.join(parts)})[]"]


def _texts(shape: Shape) -> list[Plain]:
    """Those words in a type that the game has a name for."""
    match shape:
        case Plain(name=name):
            return [shape] if name else []
        case Reference():
            return []
    return _texts(shape.item)


def _words(shape: Plain) -> list[str]:
    return [*map(quote_text, shape.words)] or [_PLAIN[shape.kind]]
