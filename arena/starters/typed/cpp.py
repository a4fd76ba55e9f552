"""The types of a game in C++17, and functions that read them from JSON."""

from collections.abc import Iterator
from pathlib import Path

from arena.starters.typed.text import Forms, comment, constants, lines, said, spelled
from arena.starters.types import ByName, Fields, Many, Maybe, Named, OneOf, Plain, Shape, Types

_PLAIN = {"int": ("long", "integer"), "float": ("double", "real"), "str": ("std::string", "words")}
_PLAIN["bool"] = ("bool", "truth")
_RESERVED = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr
const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
private protected public register reinterpret_cast return short signed sizeof static static_assert static_cast
struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual
void volatile wchar_t while xor xor_eq NULL EOF
"""
_KEYWORDS = frozenset(_RESERVED.split())


def write(types: Types) -> str:
    """``game.hpp``."""
    json = Path(__file__).with_name("json.hpp").read_text("utf-8")
    return (
        f"// The types of {types.game.name}, version {types.game.version}; made by `arena new bot`.\n"
        + json.replace("// TYPES\n", lines(_file(types)))
    )


def _file(types: Types) -> Iterator[str]:
    if types.words:
        yield "// The words that stand in options, observation and events."
        yield "namespace word {"
        for name, word in constants(types, "lower", _KEYWORDS):
            yield f"inline const std::string {name} = {said(word)};"
        yield "}"
    for struct in types.structs:
        # a union stands after the structs that it is made of, and before a struct that holds it
        held = [union for union in types.unions if _holds(struct, union.name)]
        for union in held:
            if union.name not in _written(types, struct):
                yield from _union(union)
        yield from _struct(struct)
    written = {union.name for struct in types.structs for union in types.unions if _holds(struct, union.name)}
    for union in types.unions:
        if union.name not in written:
            yield from _union(union)
    for name, shape in (("Choice", types.option), ("Event", types.event)):
        if shape != Named(name):
            yield ""
            yield f"using {name} = {_type(shape)};"
            yield f"inline {name} read_{name}(const Json& from) {{ return {_read(shape, 'from')}; }}"


def _written(types: Types, struct: Fields) -> set[str]:
    """The unions that were written already, for a struct before this one."""
    before = types.structs[: types.structs.index(struct)]
    return {union.name for each in before for union in types.unions if _holds(each, union.name)}


def _holds(struct: Fields, name: str) -> bool:
    def held(shape: Shape) -> bool:
        return shape.name == name if isinstance(shape, Named) else not isinstance(shape, Plain) and held(shape.item)

    return any(held(field.shape) for field in struct.fields)


def _struct(struct: Fields) -> Iterator[str]:
    yield ""
    yield from comment(struct.about, mark="//")
    yield f"struct {struct.name} {{"
    for field in struct.fields:
        yield from comment(field.about, mark="//", indent="    ")
        yield f"    {_type(field.shape)} {_name(field.name)}{{}};"
    yield "};"
    yield f"inline {struct.name} read_{struct.name}([[maybe_unused]] const Json& from) {{"
    yield f"    {struct.name} made;"
    for field in struct.fields:
        yield f"    made.{_name(field.name)} = {_read(field.shape, f'from[{said(field.name)}]')};"
    yield "    return made;"
    yield "}"


def _union(union: OneOf) -> Iterator[str]:
    parts = [*(["long"] if union.number else []), *(["std::string"] if union.text is not None else [])]
    parts += [each.name for each in union.structs]
    yield ""
    yield "// One of these, for std::get_if; std::monostate is something of a later version."
    yield f"using {union.name} = std::variant<std::monostate, {', '.join(parts)}>;"
    yield f"inline {union.name} read_{union.name}(const Json& from) {{"
    if union.number:
        yield "    if (from.kind == Json::Kind::number) return from.integer();"
    if union.text is not None:
        yield "    if (from.kind == Json::Kind::text) return from.words();"
    if union.structs:
        yield "    if (from.kind == Json::Kind::object) {"
        yield '        const std::string& type = from["type"].words();'
        for each in union.structs:
            yield f"        if (type == {said(str(each.tag))}) return read_{each.name}(from);"
        yield "    }"
    yield "    return std::monostate{};"
    yield "}"


def _name(name: str) -> str:
    return f"{name}_" if name in _KEYWORDS else name


_TYPES = Forms(
    plain=lambda shape: _PLAIN[shape.kind][0],
    many="std::vector<{}>",
    by_name="std::map<std::string, {}>",
    maybe="std::optional<{}>",
)


def _type(shape: Shape) -> str:
    return spelled(shape, _TYPES)


def _read(shape: Shape, value: str) -> str:
    match shape:
        case Plain(kind=kind):
            return f"{value}.{_PLAIN[kind][1]}()"
        case Named(name=name):
            return f"read_{name}({value})"
    how = {Many: "list", ByName: "by_name", Maybe: "maybe"}[type(shape)]
    return f"{value}.{how}([](const Json& each) {{ return {_read(shape.item, 'each')}; }})"
