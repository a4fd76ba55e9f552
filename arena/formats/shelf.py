"""The shelf of formats: each found by its name, those of other packages too. Knows no format in particular."""

import importlib
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import msgspec

from arena.formats.format import Format
from arena.formats.until import OPTIONS, OTHERS, Until, places_asked

_GROUP = "arena.formats"
_OURS = {
    name: (f"arena.formats.{name}", name.capitalize())
    for name in ("balanced", "gauntlet", "groups", "knockout", "race", "stages", "swiss")
}
"""Module and struct of each that is ours; loaded when it is asked for, since one of them holds others."""


def names() -> list[str]:
    """The names of all formats, those of this package first."""
    return [*_OURS, *(name for name in sorted(_elsewhere()) if name not in _OURS)]


def find(name: str) -> type[msgspec.Struct]:
    """The format of this name.

    Raises:
        LookupError: there is no such format, and the message names those there are; or another package's is none, and
            the message says why.
    """
    if name in _OURS:
        module, struct = _OURS[name]
        ours: type[msgspec.Struct] = getattr(importlib.import_module(module), struct)
        return ours
    entries = _elsewhere().get(name, ())
    if not entries:
        # stages are written A+B
        known = [each for each in names() if each != "stages"]
        near = "".join(f"; did you mean {each!r}?" for each in get_close_matches(name, known, n=1))
        raise LookupError(f"expected a format of {', '.join(known)}, got {name!r}{near}")
    first = entries[0]
    package = first.dist.name if first.dist is not None else "an unnamed package"
    where = f"format {name!r} of {package} (entry point {first.value}): expected"
    if len(entries) > 1:
        raise LookupError(f"{where} one package with this format, got {len(entries)}")
    try:
        found: Any = first.load()
    except (Exception, SystemExit) as error:
        raise LookupError(f"{where} it to load, got {type(error).__name__}: {' '.join(str(error).split())}") from error
    if not (isinstance(found, type) and issubclass(found, msgspec.Struct) and callable(getattr(found, "play", None))):
        raise LookupError(f"{where} a msgspec.Struct with a method play, got {found!r}")  # noqa: TRY004 - there is no such format
    return found


def made(name: str, options: Mapping[str, object]) -> Format:
    """The format of this name with these options; those that are not named have their defaults.

    Beside its own options it may have those of ``arena.formats.until``.

    Raises:
        LookupError: see ``find``.
        ValueError: an option is unknown, or not what it should be.
    """
    kind = find(name)
    known = list(kind.__struct_fields__)
    looked = {} if name in OTHERS else {key: options[key] for key in OPTIONS if key in options and key not in known}
    if unknown := sorted(options.keys() - set(known) - set(looked)):
        if unknown[0] in OPTIONS:
            raise ValueError(f"format {name}: expected a format without an end of its own, got {unknown[0]!r} with it")
        listed = f"options of {', '.join(known)}" if known else "no options"
        raise ValueError(f"format {name}: expected {listed}, got {unknown[0]!r}")
    held: Format = _converted(name, kind, {key: value for key, value in options.items() if key not in looked})
    if not looked:
        return held
    if "until" not in looked:
        raise ValueError(f"format {name}: expected until beside {next(iter(looked))}, got none")
    found: Until = _converted(name, Until, {"held": held, **looked})
    places_asked(found.until)
    return found


def _converted(name: str, kind: type[msgspec.Struct], options: Mapping[str, object]) -> Any:
    try:
        return msgspec.convert(dict(options), kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"format {name}: {str(error)[:1].lower()}{str(error)[1:]}") from None


def _elsewhere() -> dict[str, tuple[EntryPoint, ...]]:
    """The formats of other packages, by name."""
    found = entry_points(group=_GROUP)
    return {name: tuple(found.select(name=name)) for name in found.names}
