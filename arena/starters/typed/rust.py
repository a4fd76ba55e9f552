"""The types of a game in Rust, and functions that read them from JSON."""

from collections.abc import Iterator
from pathlib import Path

from arena.starters.typed.text import Forms, comment, constants, lines, said, spelled
from arena.starters.types import ByName, Fields, Many, Maybe, Named, OneOf, Plain, Shape, Types

_PLAIN = {"int": ("i64", "int"), "float": ("f64", "float"), "str": ("String", "text"), "bool": ("bool", "truth")}
_RESERVED = """
abstract as async await become box break const continue do dyn else enum extern false final fn for if impl in
let loop macro match mod move mut override priv pub ref return static struct trait true try type typeof unsafe
unsized use virtual where while yield
"""
_KEYWORDS = frozenset(_RESERVED.split())


def write(types: Types) -> str:
    """``game.rs``."""
    return lines(_file(types)) + "\n" + Path(__file__).with_name("json.rs").read_text("utf-8")


def _file(types: Types) -> Iterator[str]:
    yield f"//! The types of {types.game.name}, version {types.game.version}; made by `arena new bot`."
    yield "#![allow(dead_code)]"
    yield "use std::collections::BTreeMap;"
    if types.words:
        yield ""
        yield "/// The words that stand in options, observation and events."
        yield "pub mod word {"
        yield from (f"    pub const {name}: &str = {said(word)};" for name, word in constants(types, "UPPER"))
        yield "}"
    for struct in types.structs:
        yield from _struct(struct)
    for union in types.unions:
        yield from _union(union)
    for name, shape in (("Choice", types.option), ("Event", types.event)):
        if shape != Named(name):
            yield ""
            yield f"pub type {name} = {_type(shape)};"
        yield ""
        yield f"pub fn read_{name.lower()}(from: &Json) -> {name} {{"
        yield f"    {_read(shape, 'from')}"
        yield "}"


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from comment(struct.about, mark="///")
    yield "#[derive(Debug, Clone)]"
    yield f"pub struct {struct.name} {{"
    for field in struct.fields:
        yield from comment(field.about, mark="///", indent="    ")
        yield f"    pub {_name(field.name)}: {_type(field.shape)},"
    yield "}"
    yield ""
    yield f"impl {struct.name} {{"
    yield f"    pub fn read({'from' if struct.fields else '_'}: &Json) -> Self {{"
    yield f"        {struct.name} {{"
    for field in struct.fields:
        yield f"            {_name(field.name)}: {_read(field.shape, f'from.get({said(field.name)})')},"
    yield "        }"
    yield "    }"
    yield "}"


def _union(union: OneOf) -> Iterator[str]:
    yield ""
    yield "#[derive(Debug, Clone)]"
    yield f"pub enum {union.name} {{"
    if union.number:
        yield "    Number(i64),"
    if union.text is not None:
        yield "    Word(String),"
    yield from (f"    {each.name}({each.name})," for each in union.structs)
    yield "    /// Something of a later version."
    yield "    Other,"
    yield "}"
    yield ""
    yield f"impl {union.name} {{"
    yield "    pub fn read(from: &Json) -> Self {"
    yield "        match from {"
    if union.number:
        yield f"            Json::Number(_) => {union.name}::Number(from.int()),"
    if union.text is not None:
        yield f"            Json::Text(_) => {union.name}::Word(from.text()),"
    if union.structs:
        yield '            Json::Object(_) => match from.get("type").text().as_str() {'
        for each in union.structs:
            yield f"                {said(str(each.tag))} => {union.name}::{each.name}({each.name}::read(from)),"
        yield f"                _ => {union.name}::Other,"
        yield "            },"
    yield f"            _ => {union.name}::Other,"
    yield "        }"
    yield "    }"
    yield "}"


def _name(name: str) -> str:
    return f"r#{name}" if name in _KEYWORDS else name


_TYPES = Forms(
    plain=lambda shape: _PLAIN[shape.kind][0], many="Vec<{}>", by_name="BTreeMap<String, {}>", maybe="Option<{}>"
)


def _type(shape: Shape) -> str:
    return spelled(shape, _TYPES)


def _read(shape: Shape, value: str) -> str:
    match shape:
        case Plain(kind=kind):
            return f"{value}.{_PLAIN[kind][1]}()"
        case Named(name=name):
            return f"{name}::read({value})"
    how = {Many: "list", ByName: "by_name", Maybe: "maybe"}[type(shape)]
    return f"{value}.{how}(|each| {_read(shape.item, 'each')})"
