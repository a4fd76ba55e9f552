"""The registry of formats: each is found by its name, those of other packages too; and read from ``--schedule``."""

import importlib
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import msgspec

from arena.formats.format import ALPHA, Format, claims_of
from arena.formats.until import OPTIONS, Until, places_asked
from arena.ratings import Looks

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_GROUP = "arena.formats"
OURS = {
    "balanced": "fixed",
    "swiss": "swiss",
    "groups": "fixed",
    "knockout": "knockout",
    "race": "race",
    "gauntlet": "fixed",
    "stages": "stages",
}
"""The module of each that is ours, in the order in which ``--dry-run`` tells of them; loaded when asked for."""
CHAIN = "+"
"""Stands between the stages of a schedule."""
_OF_A_STAGE = ("first", "share")
"""Options that every stage has beside those of its format."""
_ALPHA = re.compile(r",alpha=([^,]+)")
_WORDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text"}
_BOUNDS = {">=": " of at least ", ">": " above ", "<=": " of at most ", "": ""}
_WRONG = re.compile(rf"Expected `({'|'.join(_WORDS)})(?: \| null)?`(?:, got `\w+`| (>=?|<=) (\S+)) - at `\$\.(\w+)`")
"""What msgspec says of an option of the wrong type, or out of bounds."""


def names() -> list[str]:
    """The names of all formats, those of this package first."""
    return [*sorted(OURS), *(name for name in sorted(_elsewhere()) if name not in OURS)]


def find(name: str) -> type[msgspec.Struct]:
    """The format of this name.

    Raises:
        LookupError: there is no such format, and the message names those there are; or another package's is none, and
            the message says why.
    """
    if name in OURS:
        module = importlib.import_module(f"arena.formats.{OURS[name]}")
        ours: type[msgspec.Struct] = getattr(module, name.capitalize())
        return ours
    entries = _elsewhere().get(name, ())
    if not entries:
        # stages are written A+B
        choices = [name for name in names() if name != "stages"]
        near = "".join(f"; did you mean {near_name!r}?" for near_name in get_close_matches(name, choices, n=1))
        raise LookupError(f"expected a format of {', '.join(choices)}, got {name!r}{near}")
    first = entries[0]
    package = first.dist.name if first.dist is not None else "an unnamed package"
    where = f"format {name!r} of {package} (entry point {first.value}): expected"
    if len(entries) > 1:
        raise LookupError(f"{where} one package with this format, got {len(entries)}")
    try:
        loaded: Any = first.load()
    except (Exception, SystemExit) as error:
        raise LookupError(f"{where} it to load, got {type(error).__name__}: {' '.join(str(error).split())}") from error
    if not (
        isinstance(loaded, type) and issubclass(loaded, msgspec.Struct) and callable(getattr(loaded, "play", None))
    ):
        raise LookupError(f"{where} a msgspec.Struct with a method play, got {loaded!r}")  # noqa: TRY004 - there is no such format
    return loaded


def made(name: str, options: Mapping[str, object]) -> Format:
    """The format of this name with these options; those that are not named have their defaults.

    Beside its own options it may have those of ``arena.formats.until``.

    Raises:
        LookupError: see ``find``.
        ValueError: an option is unknown, or not what it should be.
    """
    kind = find(name)
    fields = list(kind.__struct_fields__)
    ends = getattr(kind, "ends", False)
    looked = {} if ends else {key: options[key] for key in OPTIONS if key in options and key not in fields}
    if unknown := sorted(options.keys() - set(fields) - set(looked)):
        if unknown[0] in OPTIONS:
            raise ValueError(f"format {name}: expected a format without an end of its own, got {unknown[0]!r} with it")
        listed = f"options of {', '.join(fields)}" if fields else "no options"
        raise ValueError(f"format {name}: expected {listed}, got {unknown[0]!r}")
    schedule: Format = _converted(name, kind, {key: value for key, value in options.items() if key not in looked})
    if not looked:
        return schedule
    if "until" not in looked:
        raise ValueError(f"format {name}: expected until beside {next(iter(looked))}, got none")
    stopped: Until = _converted(name, Until, {"held": schedule, **looked})
    places_asked(stopped.until)
    return stopped


def _converted(name: str, kind: type[msgspec.Struct], options: Mapping[str, object]) -> Any:
    try:
        return msgspec.convert(dict(options), kind)
    except msgspec.ValidationError as error:
        wrong = _WRONG.fullmatch(str(error))
        if wrong is None:
            raise ValueError(f"format {name}: {str(error)[:1].lower()}{str(error)[1:]}") from None
        type_, way, bound, option = wrong.groups(default="")
        due = f"{_WORDS[type_]}{_BOUNDS[way]}{bound.removesuffix('.0')}"
        raise ValueError(f"format {name}: expected {due} as {option}, got {options[option]!r}") from None


def _elsewhere() -> "dict[str, tuple[EntryPoint, ...]]":
    # every command would wait for it, and most name a format of ours
    from importlib.metadata import entry_points  # noqa: PLC0415 - see above

    installed = entry_points(group=_GROUP)
    return {name: tuple(installed.select(name=name)) for name in installed.names}


def read_schedule(text: str) -> Format:
    """The format that ``NAME[,OPTION=VALUE]...`` asks for; several with ``+`` between them are stages.

    Raises:
        LookupError: there is none of this name.
        ValueError: an option is not written so, unknown, or of the wrong type.
    """
    parts = text.split(CHAIN)
    if len(parts) == 1:
        return made(*_read(text))
    from arena.formats.stages import Stage  # noqa: PLC0415 - it asks here for its formats

    stages = []
    for part in parts:
        name, options = _read(part)
        stage_options = {key: options.pop(key) for key in _OF_A_STAGE if key in options}
        # built once here, so that an error names the options of this format
        made(name, options)
        stage = {"format": name, "options": options, **stage_options}
        _converted(name, Stage, stage)
        stages.append(stage)
    return made("stages", {"stages": stages})


def _read(text: str) -> tuple[str, dict[str, object]]:
    name, *pairs = text.split(",")
    options: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise ValueError(f"expected NAME or NAME,OPTION=VALUE such as knockout,losses=2, got {text!r}")
        if key in options:
            raise ValueError(f"expected {key} once, got it twice in {text!r}")
        try:
            # a number, true or false as such, else the text
            options[key] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            options[key] = value
    return name, options


def goes_on(text: str) -> bool:
    """Whether a finished run of this schedule can be extended: it ends once a question is answered."""
    return isinstance(read_schedule(text), Until)


def question_of(text: str) -> str | None:
    """The question that ends a run of this schedule; empty: it ends by a rule of its own; None: by its length."""
    schedule = read_schedule(text)
    if isinstance(schedule, Until):
        return schedule.until
    return "" if getattr(schedule, "ends", False) else None


def format_of(text: str) -> str:
    """The name of the format of a schedule; of stages, that of the last."""
    return _read(text.rpartition(CHAIN)[2])[0]


def looks_of(text: str) -> Looks:
    """What may be claimed of the table of a finished run of this schedule."""
    try:
        schedule = read_schedule(text)
    except (LookupError, ValueError):
        # a format that is not installed here
        return "paired"
    return claims_of(schedule.held, until=True) if isinstance(schedule, Until) else claims_of(schedule)


def without_alpha(text: str) -> tuple[str, float]:
    """The schedule of a run that ends when a question is answered, without its alpha, and that alpha."""
    schedule = read_schedule(text)
    alpha = schedule.alpha if isinstance(schedule, Until) else None
    return _ALPHA.sub("", text), ALPHA if alpha is None else alpha
