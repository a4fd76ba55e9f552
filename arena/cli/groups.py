"""Options in named groups, each said once: a command takes whole groups, and its help shows them under their names.

A group is a frozen dataclass whose fields are annotated as typer wants its parameters; it may inherit others.
``grouped`` gives typer a
function of all the fields, and hands the command the groups.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from arena.tournament.spec import RunSpec


@dataclass(frozen=True, kw_only=True)
class OptionGroup:
    """Options that belong together; ``title`` stands above them in the help."""

    title: ClassVar[str] = "Options"


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its groups as parameters, for typer to read."""
    hints = get_type_hints(function, include_extras=True)
    parameters: list[Parameter] = []
    groups: dict[str, type[OptionGroup]] = {}
    plain: set[str] = set()
    for name in signature(function).parameters:
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, OptionGroup):
            groups[name] = hint
            types = get_type_hints(hint, include_extras=True)
            titles = {field.name: _title(hint, field.name) for field in fields(hint)}
            parameters += [_parameter(field, types[field.name], titles[field.name]) for field in fields(hint)]
            plain |= {name for name, title in titles.items() if title == OptionGroup.title}
        else:
            parameters.append(
                signature(function).parameters[name].replace(annotation=hint, kind=Parameter.KEYWORD_ONLY)
            )

    def command(**given: Any) -> None:
        whole = {
            name: kind(**{each.name: given.pop(each.name) for each in fields(kind)}) for name, kind in groups.items()
        }
        function(**given, **whole)

    command.__doc__, command.__name__ = function.__doc__, function.__name__
    parameters.sort(key=lambda each: each.name in plain)
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # inspect looks there first
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _title(kind: type[OptionGroup], name: str) -> str:
    """The title of the group that a field was first said in, for groups may be put together of others."""
    groups = [each for each in reversed(kind.__mro__) if issubclass(each, OptionGroup)]
    return next(each.title for each in groups if name in vars(each).get("__annotations__", {}))


def _parameter(field: Field[Any], hint: Any, title: str) -> Parameter:
    kind, *said = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    under = []
    for each in said:
        info = copy(each)
        if isinstance(info, typer.models.OptionInfo):
            info.rich_help_panel = title
        under.append(info)
    default = Parameter.empty if field.default is MISSING else field.default
    annotation = Annotated[kind, *under] if under else kind
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


class GroupedHelp(TyperCommand):
    """A command whose help lists its options group by group."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments first, then each group in the order of the command, then the rest."""
        found: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        others: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                found["Arguments"].append(record)
            elif title := getattr(param, "rich_help_panel", None):
                found.setdefault(title, []).append(record)
            else:
                others.append(record)
        for title, records in {**found, "Options": found.pop("Options", []) + others}.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def spec_from(*groups: OptionGroup, **more: Any) -> RunSpec:
    """What the options ask for: every field of a group that a ``RunSpec`` has, where something was said."""
    known = set(RunSpec.__struct_fields__)
    said = {name: value for group in groups for name, value in vars(group).items() if name in known}
    said |= more
    return RunSpec(**{name: _settled(value) for name, value in said.items() if value is not None})


def _settled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
