"""The types of a game in TypeScript, which reads JSON by itself."""

from collections.abc import Iterator

from arena.starters.typed.text import Forms, comment, lines, said, spelled
from arena.starters.types import Fields, Named, Shape, Types

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


def write(types: Types) -> str:
    """``game.ts``."""
    return lines(_file(types))


def _file(types: Types) -> Iterator[str]:
    yield f"// The types of {types.game.name}, version {types.game.version}; made by `arena new bot`."
    for struct in types.structs:
        yield from _struct(struct)
    for union in types.unions:
        parts = [*(["number"] if union.number else []), *([_type(union.text)] if union.text is not None else [])]
        yield ""
        yield f"export type {union.name} = {' | '.join([*parts, *(each.name for each in union.structs)])};"
    for name, shape in (("Choice", types.option), ("Event", types.event)):
        if shape != Named(name):
            yield ""
            yield f"export type {name} = {_type(shape)};"


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from comment(struct.about, mark="//")
    yield f"export type {struct.name} = {{"
    if struct.tag is not None:
        yield f"  type: {said(struct.tag)};"
    for field in struct.fields:
        yield from comment(field.about, mark="//", indent="  ")
        yield f"  {said(field.name) if not field.name.isidentifier() else field.name}: {_type(field.shape)};"
    yield "};"


_TYPES = Forms(
    plain=lambda shape: " | ".join(map(said, shape.words)) or _PLAIN[shape.kind],
    many="({})[]",
    by_name="Record<string, {}>",
    maybe="{} | null",
)


def _type(shape: Shape) -> str:
    return spelled(shape, _TYPES)
