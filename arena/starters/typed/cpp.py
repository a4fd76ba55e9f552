"""The types of a game in C++17, and functions that read them from JSON."""

from collections.abc import Iterator

from arena.starters.typed.text import Forms, comment, constants, heading, quote_text
from arena.starters.types import OBSERVATION, Fields, OneOf, Plain, Reference, Shape, Types

_PLAIN = {"int": "long", "float": "double", "str": "std::string", "bool": "bool"}
_RESERVED = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr
const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
private protected public register reinterpret_cast return short signed sizeof static static_assert static_cast
struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual
void volatile wchar_t while xor xor_eq NULL EOF
"""
_KEYWORDS = frozenset(_RESERVED.split())


def lines(types: Types) -> Iterator[str]:
    """``game.hpp``."""
    yield f"// {heading(types)}"
    yield "#pragma once"
    yield ""
    yield from (f"#include <{name}>" for name in ("map", "optional", "string", "tuple", "variant", "vector"))
    yield ""
    yield '#include "json.hpp"'
    yield ""
    yield "namespace game {"
    if types.words:
        yield ""
        yield "// The words that stand in options, observation and events."
        yield "namespace word {"
        for name, word in constants(types, "lower", _KEYWORDS):
            yield f"inline const std::string {name} = {quote_text(word)};"
        yield "}  // namespace word"
    read = set[tuple[str, ...]]()
    for declared in _ordered(types):
        if isinstance(declared, Fields):
            yield from _struct(declared)
        else:
            # for two names of one type, one `read` will do
            yield from _union(declared, readable=_kinds(declared) in read)
            read.add(_kinds(declared))
    for name, shape in types.aliases:
        yield ""
        yield f"using {name} = {_type(shape)};"
    yield ""
    yield "}  // namespace game"


def _ordered(types: Types) -> list[Fields | OneOf]:
    """A union stands after the structs that it is made of, and before a struct that holds it."""
    ordered: list[Fields | OneOf] = []
    for struct in types.structs:
        ordered += [union for union in types.unions if union not in ordered and _holds(struct, union.name)]
        ordered.append(struct)
    return [*ordered, *(union for union in types.unions if union not in ordered)]


def _holds(struct: Fields, name: str) -> bool:
    def mentions_name(shape: Shape) -> bool:
        return (
            shape.name == name
            if isinstance(shape, Reference)
            else not isinstance(shape, Plain) and mentions_name(shape.item)
        )

    return any(mentions_name(field.shape) for field in struct.fields)


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from comment(struct.about, mark="//")
    yield f"struct {struct.name} {{"
    for field in struct.fields:
        yield from comment(field.about, mark="//", indent="    ")
        yield f"    {_type(field.shape)} {_name(field.name)}{{}};"
    if struct.name != OBSERVATION:
        yield from _equals(struct)
    yield "};"
    into = " into" if struct.fields else ""
    yield f"inline void read(const Json&{' from' if into else ''}, {struct.name}&{into}) {{"
    for field in struct.fields:
        yield f"    read(from[{quote_text(field.name)}], into.{_name(field.name)});"
    yield "}"


def _equals(struct: Fields) -> Iterator[str]:
    both = [", ".join(f"{side}.{_name(field.name)}" for field in struct.fields) for side in ("one", "other")]
    lhs, rhs = (f" {side}" if struct.fields else "" for side in ("one", "other"))
    same = f"std::tie({both[0]}) == std::tie({both[1]})" if struct.fields else "true"
    yield f"    friend bool operator==(const {struct.name}&{lhs}, const {struct.name}&{rhs}) {{"
    yield f"        return {same};"
    yield "    }"


def _kinds(union: OneOf) -> tuple[str, ...]:
    plain = (*(["long"] if union.number else []), *(["std::string"] if union.text is not None else []))
    return (*plain, *(struct.name for struct in union.structs))


def _union(union: OneOf, *, readable: bool) -> Iterator[str]:
    """``readable``: there is a ``read`` for this type already."""
    yield ""
    yield "// One of these, for std::get_if; std::monostate is something of a later version."
    yield f"using {union.name} = std::variant<std::monostate, {', '.join(_kinds(union))}>;"
    if readable:
        return
    yield f"inline void read(const Json& from, {union.name}& into) {{"
    if union.number:
        yield "    if (from.kind == Json::Kind::number) into = from.integer();"
    if union.text is not None:
        yield "    if (from.kind == Json::Kind::text) into = from.words();"
    if union.structs:
        yield "    if (from.kind != Json::Kind::object) return;"
        yield '    const std::string& type = from["type"].words();'
        for struct in union.structs:
            yield f"    if (type == {quote_text(str(struct.tag))}) into = from.as<{struct.name}>();"
    yield "}"


def _name(name: str) -> str:
    return f"{name}_" if name in _KEYWORDS else name


_type = Forms(plain=_PLAIN, many="std::vector<{}>", by_name="std::map<std::string, {}>", maybe="std::optional<{}>")
