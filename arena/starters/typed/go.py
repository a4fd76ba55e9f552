"""The types of a game in Go, whose ``encoding/json`` reads them; unions have a method for that."""

from collections.abc import Iterator

from arena.starters.typed.text import Forms, camel, comment, constants, lines, said, spelled
from arena.starters.types import Fields, Named, OneOf, Shape, Types

CHANGES = (
    ("// A bot: Go and", "// A bot for GAME: Go and"),
    ("Options     []json.RawMessage", "Options     []Choice"),
    ("Observation json.RawMessage", "Observation Observation"),
    ("Events      []json.RawMessage", "Events      []Event"),
    (
        "tells what they mean, and what Observation and Events hold. Unmarshal them into",
        "tells what they mean. Their types",
    ),
    ("// structs of your own. Look at things", "// are in game.go. Look at things"),
)
"""From the starter for any game to that for one: see ``Typed``."""
_PLAIN = {"int": "int", "float": "float64", "str": "string", "bool": "bool"}


def write(types: Types) -> str:
    """``game.go``."""
    return lines(_file(types))


def _file(types: Types) -> Iterator[str]:
    yield f"// The types of {types.game.name}, version {types.game.version}; made by `arena new bot`."
    yield "package main"
    yield ""
    if types.unions:
        yield 'import "encoding/json"'
    if types.words:
        yield ""
        yield "// The words that stand in options, observation and events."
        yield "const ("
        yield from (f"\tWord{name} = {said(word)}" for name, word in constants(types, "Title"))
        yield ")"
    for struct in types.structs:
        yield from _struct(struct)
    for union in types.unions:
        yield from _union(union)
    for name, shape in (("Choice", types.option), ("Event", types.event)):
        if shape != Named(name):
            yield ""
            yield f"type {name} = {_type(shape)}"


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from comment(f"{struct.name}: {struct.about}", mark="//")
    yield f"type {struct.name} struct {{"
    for field in struct.fields:
        yield from comment(field.about, mark="//", indent="\t")
        yield f'\t{camel(field.name)} {_type(field.shape)} `json:"{field.name}"`'
    yield "}"


def _union(union: OneOf) -> Iterator[str]:
    yield ""
    yield f"// {union.name} is one of these; the others are nil or empty."
    yield f"type {union.name} struct {{"
    if union.number:
        yield "\tNumber *int"
    if union.text is not None:
        yield "\tWord string"
    yield from (f"\t{each.name} *{each.name}" for each in union.structs)
    yield "}"
    yield ""
    yield "// UnmarshalJSON reads it."
    yield f"func (one *{union.name}) UnmarshalJSON(data []byte) error {{"
    yield "\tswitch data[0] {"
    if union.text is not None:
        yield "\tcase '\"':"
        yield "\t\treturn json.Unmarshal(data, &one.Word)"
    if union.structs:
        yield "\tcase '{':"
        yield "\t\tvar kind struct{ Type string }"
        yield "\t\tif err := json.Unmarshal(data, &kind); err != nil {"
        yield "\t\t\treturn err"
        yield "\t\t}"
        yield "\t\tswitch kind.Type {"
        for each in union.structs:
            yield f"\t\tcase {said(str(each.tag))}:"
            yield f"\t\t\tone.{each.name} = new({each.name})"
            yield f"\t\t\treturn json.Unmarshal(data, one.{each.name})"
        yield "\t\t}"
        yield "\t\treturn nil // of a later version"
    yield "\t}"
    if union.number:
        yield "\tone.Number = new(int)"
        yield "\treturn json.Unmarshal(data, one.Number)"
    else:
        yield "\treturn nil"
    yield "}"


_TYPES = Forms(plain=lambda shape: _PLAIN[shape.kind], many="[]{}", by_name="map[string]{}", maybe="*{}")


def _type(shape: Shape) -> str:
    return spelled(shape, _TYPES)
