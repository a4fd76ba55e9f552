"""The types of a game in Rust, and functions that read them from JSON."""

from collections.abc import Iterator

from arena.starters.typed.text import Forms, comment, constants, heading, quote_text
from arena.starters.types import Fields, OneOf, Types

_PLAIN = {"int": "i64", "float": "f64", "str": "String", "bool": "bool"}
_RESERVED = """
abstract as async await become box break const continue do dyn else enum extern false final fn for if impl in
let loop macro match mod move mut override priv pub ref return static struct trait true try type typeof unsafe
unsized use virtual where while yield
"""
_KEYWORDS = frozenset(_RESERVED.split())


def lines(types: Types) -> Iterator[str]:
    """``game.rs``."""
    yield f"//! {heading(types)}"
    yield "#![allow(dead_code)]"
    yield ""
    yield "use crate::json::{FromJson, Json};"
    if any("BTreeMap" in _type(shape) for shape in types.shapes):
        yield "use std::collections::BTreeMap;"
    if types.words:
        yield ""
        yield "/// The words that stand in options, observation and events."
        yield "pub mod word {"
        yield from (f"    pub const {name}: &str = {quote_text(word)};" for name, word in constants(types, "UPPER"))
        yield "}"
    for struct in types.structs:
        yield from _struct(struct)
    for union in types.unions:
        yield from _union(union)
    for name, shape in types.aliases:
        yield ""
        yield f"pub type {name} = {_type(shape)};"


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from comment(struct.about, mark="///")
    yield "#[derive(Debug, Clone, PartialEq)]"
    yield f"pub struct {struct.name} {{"
    for field in struct.fields:
        yield from comment(field.about, mark="///", indent="    ")
        yield f"    pub {_name(field.name)}: {_type(field.shape)},"
    yield "}"
    yield ""
    yield f"impl FromJson for {struct.name} {{"
    yield f"    fn from_json({'json' if struct.fields else '_'}: &Json) -> Self {{"
    yield f"        {struct.name} {{"
    for field in struct.fields:
        yield f"            {_name(field.name)}: json.get({quote_text(field.name)}),"
    yield "        }"
    yield "    }"
    yield "}"


def _union(union: OneOf) -> Iterator[str]:
    yield ""
    yield "#[derive(Debug, Clone, PartialEq)]"
    yield f"pub enum {union.name} {{"
    if union.number:
        yield "    Number(i64),"
    if union.text is not None:
        yield "    Word(String),"
    yield from (f"    {struct.name}({struct.name})," for struct in union.structs)
    yield "    /// Something of a later version."
    yield "    Other,"
    yield "}"
    yield ""
    yield f"impl FromJson for {union.name} {{"
    yield "    fn from_json(json: &Json) -> Self {"
    yield "        match json {"
    if union.number:
        yield f"            Json::Number(_) => {union.name}::Number(i64::from_json(json)),"
    if union.text is not None:
        yield f"            Json::Text(text) => {union.name}::Word(text.clone()),"
    if union.structs:
        yield '            Json::Object(_) => match json.get::<String>("type").as_str() {'
        for struct in union.structs:
            tag, made = quote_text(str(struct.tag)), f"{union.name}::{struct.name}"
            yield f"                {tag} => {made}({struct.name}::from_json(json)),"
        yield f"                _ => {union.name}::Other,"
        yield "            },"
    yield f"            _ => {union.name}::Other,"
    yield "        }"
    yield "    }"
    yield "}"


def _name(name: str) -> str:
    return f"r#{name}" if name in _KEYWORDS else name


_type = Forms(plain=_PLAIN, many="Vec<{}>", by_name="BTreeMap<String, {}>", maybe="Option<{}>")
