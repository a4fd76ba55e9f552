"""The types of a game in Go, whose ``encoding/json`` reads them; unions have a method for that."""

from collections.abc import Iterable, Iterator, Sequence

from arena.starters.typed.text import Forms, camel, comment, constants, heading, quote_text
from arena.starters.types import OBSERVATION, Fields, OneOf, Types

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


def lines(types: Types) -> Iterator[str]:
    """``game.go``."""
    yield f"// {heading(types)}"
    yield "package main"
    yield ""
    yield 'import "encoding/json"'
    if types.words:
        yield ""
        yield "// The words that stand in options, observation and events."
        yield "const ("
        yield from _aligned([f"\tWord{name}", f"= {quote_text(word)}"] for name, word in constants(types, "Title"))
        yield ")"
    for struct in types.structs:
        yield from _struct(struct)
    for union in types.unions:
        yield from _union(union)
        yield from _string(union.name)
    yield from _string(OBSERVATION)
    for name, shape in types.aliases:
        yield ""
        yield f"type {name} = {_type(shape)}"


def _aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows of cells, their columns below one another as gofmt has them."""
    table = list(rows)
    widths = [max(map(len, column)) for column in list(zip(*table, strict=True))[:-1]]
    for *cells, last in table:
        yield " ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)), last])


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from comment(f"{struct.name}: {struct.about}", mark="//")
    yield f"type {struct.name} struct {{"
    rows: list[list[str]] = []
    for field in struct.fields:
        if field.about:
            # to gofmt, a line of comment ends a block of columns
            yield from _aligned(rows)
            rows = []
            yield from comment(field.about, mark="//", indent="\t")
        rows.append([f"\t{camel(field.name)}", _type(field.shape), f'`json:"{field.name}"`'])
    yield from _aligned(rows)
    yield "}"


def _union(union: OneOf) -> Iterator[str]:
    yield ""
    yield f"// {union.name} is one of these; the others are nil or empty."
    yield f"type {union.name} struct {{"
    rows = [["\tNumber", "*int"]] if union.number else []
    rows += [["\tWord", "string"]] if union.text is not None else []
    yield from _aligned([*rows, *([f"\t{struct.name}", f"*{struct.name}"] for struct in union.structs)])
    yield "}"
    yield from _unmarshal(union)
    yield from _marshal(union)


def _unmarshal(union: OneOf) -> Iterator[str]:
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
        for struct in union.structs:
            yield f"\t\tcase {quote_text(str(struct.tag))}:"
            yield f"\t\t\tone.{struct.name} = new({struct.name})"
            yield f"\t\t\treturn json.Unmarshal(data, one.{struct.name})"
        yield "\t\t}"
        yield "\t\treturn nil // of a later version"
    yield "\t}"
    if union.number:
        yield "\tone.Number = new(int)"
        yield "\treturn json.Unmarshal(data, one.Number)"
    else:
        yield "\treturn nil"
    yield "}"


def _marshal(union: OneOf) -> Iterator[str]:
    yield ""
    yield "// MarshalJSON writes it as it was read."
    yield f"func (one {union.name}) MarshalJSON() ([]byte, error) {{"
    yield "\tswitch {"
    if union.number:
        yield "\tcase one.Number != nil:"
        yield "\t\treturn json.Marshal(one.Number)"
    for struct in union.structs:
        yield f"\tcase one.{struct.name} != nil:"
        yield "\t\treturn json.Marshal(struct {"
        yield from _aligned([["\t\t\tType", 'string `json:"type"`']])
        yield f"\t\t\t*{struct.name}"
        yield f"\t\t}}{{{quote_text(str(struct.tag))}, one.{struct.name}}})"
    yield "\t}"
    yield f"\treturn json.Marshal({'one.Word' if union.text is not None else 'nil'})"
    yield "}"


def _string(name: str) -> Iterator[str]:
    yield ""
    yield "// String is what log.Println shows: JSON."
    yield f"func (one {name}) String() string {{"
    yield "\ttext, _ := json.Marshal(one)"
    yield "\treturn string(text)"
    yield "}"


_type = Forms(plain=_PLAIN, many="[]{}", by_name="map[string]{}", maybe="*{}")
