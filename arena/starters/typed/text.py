"""Comments and names for all writers of typed starters. Knows no language."""

from collections.abc import Callable, Collection, Iterator, Mapping
from json import dumps
from textwrap import wrap

from msgspec import Struct

from arena.starters.types import ByName, Many, Plain, Reference, Shape, Types, identifier

_WIDTH = 96


def comment(text: str, *, mark: str, indent: str = "") -> Iterator[str]:
    """A text as lines of comment, printable ASCII."""
    plain = text.encode("ascii", "backslashreplace").decode("ascii")
    for line in wrap(plain.replace("``", "`"), _WIDTH - len(indent)):
        yield f"{indent}{mark} {line}"


def doc_comment(text: str, *, indent: str = "") -> Iterator[str]:
    """A text as ``/** ... */``, which editors of TypeScript and Java show, printable ASCII."""
    written = list(comment(text.replace("*/", "* /"), mark=" *", indent=indent))
    if len(written) == 1:
        yield f"{indent}/**{written[0].removeprefix(f'{indent} *')} */"
    elif written:
        yield from (f"{indent}/**", *written, f"{indent} */")


def quote_text(text: str) -> str:
    """A text as a literal, as JSON and most languages write it."""
    return dumps(text)


def constants(types: Types, spell: str, reserved: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """A name for every word, ``UPPER``, ``lower`` or ``Title``, and the word; no name twice."""
    names = set[str]()
    for word in types.words:
        name = _spelt(word, spell)
        # `Take the Bait` is a card and `take the bait` a step: capitals come first
        name = _spelt(f"{word} in small letters", spell) if name in names else name
        names.add(name)
        yield f"{name}_" if name in reserved else name, word


def _spelt(word: str, spell: str) -> str:
    name = identifier(word)
    name = {"UPPER": name.upper(), "lower": name.lower(), "Title": camel(name)}[spell]
    return f"N{name}" if name[0].isdigit() else name


def camel(name: str) -> str:
    """``draw_pile`` as ``DrawPile``."""
    return "".join(part[:1].upper() + part[1:] for part in identifier(name).split("_"))


class Forms(Struct, frozen=True, kw_only=True):
    """How a language writes types: called with a shape, it gives that as the language has it."""

    plain: Mapping[str, str]
    many: str
    """With ``{}`` for the item, as the next two."""
    by_name: str
    maybe: str
    reference: Callable[[str], str] = str

    def __call__(self, shape: Shape) -> str:
        """A shape as these forms have it."""
        match shape:
            case Plain(kind=kind):
                return self.plain[kind]
            case Reference(name=name):
                return self.reference(name)
            case Many(item=item):
                return self.many.replace("{}", self(item))
            case ByName(item=item):
                return self.by_name.replace("{}", self(item))
        return self.maybe.replace("{}", self(shape.item))


def heading(types: Types) -> str:
    """The first line of a file, but for the mark of a comment."""
    return f"The types of {types.game.name}, version {types.game.version}; made by `arena new bot`."
