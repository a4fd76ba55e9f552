"""The types of a game in a form from which any language's can be written: structs, unions, words."""

import re
import sys
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from arena.game import Game
from arena.starters.sheet import meaning_of, summary
from arena.values import bare


class Plain(Struct, frozen=True):
    """A number, a text or a truth value: ``int``, ``float``, ``str`` or ``bool``."""

    kind: str
    words: tuple[str, ...] = ()
    """If the text is one of a few: those few."""
    name: str = ""
    """What the game calls these words, if it has a name for them."""


class Many(Struct, frozen=True):
    """An array of items of one shape."""

    item: "Shape"


class ByName(Struct, frozen=True):
    """An object with names of no fixed number."""

    item: "Shape"


class Maybe(Struct, frozen=True):
    """A value, or null."""

    item: "Shape"


class Reference(Struct, frozen=True):
    """A struct or a union of this game, by its name."""

    name: str


Shape: TypeAlias = Plain | Many | ByName | Maybe | Reference


class Field(Struct, frozen=True, kw_only=True):
    """A field of a struct."""

    name: str
    shape: Shape
    about: str
    """One line; may be empty."""


class Fields(Struct, frozen=True, kw_only=True):
    """A struct."""

    name: str
    tag: str | None
    """What its ``type`` is, if it has one."""
    fields: tuple[Field, ...]
    about: str


class OneOf(Struct, frozen=True, kw_only=True):
    """A union of a number, a text and tagged structs; at least two of these."""

    name: str
    number: bool
    text: Plain | None
    structs: tuple[Fields, ...]


class Types(Struct, frozen=True, kw_only=True):
    """All types of a game."""

    game: Game
    structs: tuple[Fields, ...]
    """Structs that others hold stand first, the observation last."""
    unions: tuple[OneOf, ...]
    option: Shape
    event: Shape
    words: tuple[str, ...]
    """Every text that is one of a few, sorted."""

    @property
    def shapes(self) -> list[Shape]:
        """The shapes of all fields, of an option and of an event."""
        return [*(field.shape for struct in self.structs for field in struct.fields), self.option, self.event]

    @property
    def aliases(self) -> list[tuple[str, Shape]]:
        """Options and events by the names of their types, where these are other names of something else."""
        both = ((OPTION, self.option), (EVENT, self.event))
        return [(name, shape) for name, shape in both if shape != Reference(name)]


OBSERVATION, OPTION, EVENT = "Observation", "Choice", "Event"
"""The names of these three types in every language; some languages have an ``Option`` of their own."""
_RESERVED = """
Array BTreeMap Boolean Bot Dice Double Game Hello Integer Json List Long Map Number Object Option Other Over Question
Record Result Self String Vec Word
"""
_KEYWORDS = frozenset((OBSERVATION, OPTION, EVENT, *_RESERVED.split()))
"""Names that the programs and languages use themselves."""
_SCALARS = {int: "int", float: "float", str: "str", bool: "bool"}


def types_of(game: Game) -> Types:
    """The types of a game; a ``TypeError`` if it has one that no language here has a form for."""
    return _Reading(game).types()


def identifier(word: str) -> str:
    """A word as part of a name: letters, digits and underscores."""
    return re.sub(r"\W+", "_", word, flags=re.ASCII).strip("_") or "empty"


class _Reading:
    """Walks through the types of a game's options, events and observation, and collects each struct, union and word."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._structs: dict[type[Struct], Fields] = {}
        self._unions: dict[Any, OneOf] = {}
        self._words: set[str] = set()
        package = game.observation.__module__.rpartition(".")[0] or game.observation.__module__
        modules = [sys.modules[name] for name in sorted(sys.modules) if f"{name}.".startswith(f"{package}.")]
        self._names = [(name, value) for module in modules for name, value in vars(module).items() if name[0] != "_"]
        self._called: dict[tuple[str, ...], str] = {}

    def types(self) -> Types:
        option, event = self._shape(bare(self._game.option), OPTION), self._shape(self._game.event, EVENT)
        self._struct(self._game.observation, OBSERVATION)
        return Types(
            game=self._game,
            structs=tuple(self._structs.values()),
            unions=tuple(self._unions.values()),
            option=option,
            event=event,
            words=tuple(sorted(self._words)),
        )

    def _shape(self, kind: Any, name: str) -> Shape:
        """``name`` is what a union that is found here is called."""
        if kind in _SCALARS:
            return Plain(_SCALARS[kind])
        if isinstance(kind, type) and issubclass(kind, Struct):
            return Reference(self._struct(kind, kind.__name__).name)
        args = get_args(kind)
        match get_origin(kind):
            case origin if origin is Literal:
                if not all(isinstance(value, str) for value in args):
                    raise TypeError(f"{self._game.name}: expected texts, got {kind}")
                self._words.update(args)
                return Plain("str", args, name=self._name_of(kind, args))
            case origin if origin in (tuple, list):
                return Many(self._shape(args[0], name))
            case origin if origin is dict:
                self._shape(args[0], name)
                return ByName(self._shape(args[1], name))
            case origin if origin in (Union, UnionType):
                return self._union(kind, name)
        raise TypeError(f"{self._game.name}: expected a type with a form in every language, got {kind}")

    def _union(self, kind: Any, name: str) -> Shape:
        parts = list(_parts(kind))
        rest = [self._shape(part, name) for part in parts if part is not NoneType]
        texts = [part for part in rest if isinstance(part, Plain) and part.kind == "str"]
        others = [part for part in rest if part not in texts]
        # a union of texts is a text; if each text is one of a few, so is the union
        few = all(part.words for part in texts)
        words = tuple(word for part in texts for word in part.words) if few else ()
        alone = len(texts) == len(rest)
        text = Plain("str", words, name=self._name_of(kind, words) if alone and words else "") if texts else None
        shape = others[0] if len(others) == 1 and text is None else text if text is not None and not others else None
        if shape is None:
            structs = tuple(self._structs[part] for part in parts if part in self._structs)
            number = Plain("int") in others
            if len(structs) + number != len(others) or any(struct.tag is None for struct in structs):
                raise TypeError(f"{self._game.name}: expected a number, a text and tagged structs, got {kind}")
            key = (number, text, tuple(struct.name for struct in structs))
            if key not in self._unions:
                self._unions[key] = OneOf(name=self._free(name), number=number, text=text, structs=structs)
            shape = Reference(self._unions[key].name)
        return Maybe(shape) if NoneType in parts else shape

    def _name_of(self, kind: Any, words: tuple[str, ...]) -> str:
        if words not in self._called:
            names = (name for name, value in self._names if get_origin(value) is get_origin(kind) and value == kind)
            name = next(names, "")
            while name and (name in _KEYWORDS or name in self._called.values()):
                name += "Value"
            self._called[words] = name
        return self._called[words]

    def _struct(self, kind: type[Struct], name: str) -> Fields:
        if kind not in self._structs:
            hints = get_type_hints(kind)
            fields = tuple(
                Field(
                    name=encoded,
                    shape=self._shape(hints[field], "".join(part.title() for part in identifier(field).split("_"))),
                    about=meaning_of(kind, field),
                )
                for field, encoded in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
            )
            tag = kind.__struct_config__.tag
            about = summary(kind.__doc__)
            type_name = name if name == OBSERVATION else self._free(name)
            self._structs[kind] = Fields(
                name=type_name, tag=None if tag is None else str(tag), fields=fields, about=about
            )
        return self._structs[kind]

    def _free(self, name: str) -> str:
        names = {declared.name for declared in self._structs.values()} | {
            declared.name for declared in self._unions.values()
        }
        names.update(self._called.values())
        while name in names or (name in _KEYWORDS and name not in (OPTION, EVENT)):
            name += "Value"
        return name


def _parts(kind: Any) -> Iterator[Any]:
    for part in get_args(kind):
        if get_origin(part) in (Union, UnionType):
            yield from _parts(part)
        else:
            yield part
