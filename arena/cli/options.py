"""Options of commands: settings of a run, how results are printed, and how help shows all of them.

``--config``: the settings of ``arena.toml`` become defaults of a command's options, so the command line and the
environment override the file. Bounds of values are the options' own.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, get_args, get_origin, get_type_hints

import typer

from arena import games as shelf
from arena.cli.failure import NAMES, named_in
from arena.errors import UsageError
from arena.report.document import OutputFormat
from arena.terminal import detail, remark
from arena.tournament.settings import SETTINGS_FILE, IsolationChoice, RunSpec, Setting, collect_settings, seconds_within


def option(text: str, **more: Any) -> Any:
    """An option as the help shows it, such as ``-o --out DIR: A new folder.``, or an argument."""
    setting = Setting(text)
    if setting.metavar == "DIR":
        more["path_type"] = _Folder
    if not setting.flags:
        return typer.Argument(metavar=setting.metavar, help=setting.help, show_default=False, **more)
    return typer.Option(*setting.flags, metavar=setting.metavar, help=setting.help, **more)


class _Folder(str):
    """The path of a folder, as it was typed; no text at all would be the current one."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not text:
            raise typer.BadParameter("'' is not a folder")
        return super().__new__(cls, text)


def of_setting(name: str, text: str = "", **more: Any) -> Any:
    """The option of a setting, or the argument; ``text`` stands in the place of its own."""
    setting = collect_settings()[name]
    if setting.flags:
        more["show_default"] = "/" not in setting.flags[-1]
    if setting.bounds:
        more["min"], more["max"] = setting.bounds
    return option(text or setting.text, envvar=setting.envvar, **more)


Run = Annotated[str, option("[RUN]: A results folder. Default: the newest below results/.")]
OneGame = Annotated[list[str] | None, of_setting("games", "-g --game GAME: The game; it may stand first, without -g.")]
Isolation = Annotated[IsolationChoice, of_setting("isolation")]
By = Annotated[
    str, option("--by BOT: The stronger bot: search, greedy or FILE.py[:OBJECT], as in selfplay.", show_default=True)
]
Within = Annotated[str, option("--within TIME: At most this long; more time finds more.", show_default=True)]
AsRun = Annotated[
    IsolationChoice,
    of_setting(
        "isolation",
        "--isolation: The sandbox around bots; auto: that of the run, and at least the best that works on this "
        "machine.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class OptionGroup:
    """Options that belong together; ``title`` stands above them in the help."""

    title: ClassVar[str] = "Options"


PENDING = "arena.remarks"
"""Under this a context holds what is to be said once it is known whether to be quiet."""


def _say(context: typer.Context, quiet: bool) -> bool:
    for text in context.meta.pop(PENDING, ()):
        remark(text, quiet=quiet)
    return quiet


@dataclass(frozen=True, kw_only=True)
class FormatOptions(OptionGroup):
    """The output format of a table."""

    format_: Annotated[OutputFormat, option("--format: Output format.", show_default=True)] = "table"
    json: Annotated[bool, option("--json: The same as --format json.")] = False

    @property
    def form(self) -> OutputFormat:
        """How to print."""
        return "json" if self.json else self.format_


@dataclass(frozen=True, kw_only=True)
class QuietOptions(OptionGroup):
    """How much is written to stderr."""

    quiet: Annotated[bool, option("-q --quiet: Only the result: no progress, no remarks.", callback=_say)] = False

    @property
    def say(self) -> Callable[[str], None]:
        """What prints remarks of the rooms below."""
        return lambda text: remark(f"arena: {text}", quiet=self.quiet)


@dataclass(frozen=True, kw_only=True)
class PlainOutputOptions(QuietOptions, FormatOptions):
    """How results and remarks are printed."""


def _detail(value: bool) -> bool:
    detail(verbose=value)
    return value


def verbose_option(text: str) -> Any:
    """``--verbose``, which details of remarks follow too."""
    return option(f"-v --verbose: {text}", callback=_detail)


Verbose = Annotated[bool, verbose_option("Say more on stderr, as of bots that cannot start.")]


Rounds = Annotated[bool, option("--rounds: Also print the rounds of a format, table by table.")]


ALL = " ".join(collect_settings())
SANDBOX = "isolation build_network network readable"


@dataclass(frozen=True)
class Takes:
    """Which settings a command takes, in the annotation of its ``RunSpec``.

    A parameter of the command that is named among them stands in its place there, and is no setting. A title is that
    of all; by default each setting stands in its own section.
    """

    names: str = ALL
    title: str | None = None


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """The command with ``--quiet``, its settings and the fields of its groups as parameters, for typer to read."""
    hints = get_type_hints(function, include_extras=True)
    originals = {
        name: parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
        for name, parameter in signature(function).parameters.items()
    }
    by_name: dict[str, Parameter] = {}
    makers: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    for name, parameter in originals.items():
        kind, *metadata = _parts(parameter.annotation)
        if kind is RunSpec:
            takes = metadata[0] if metadata else Takes()
            by_name |= {part: originals.get(part) or _of_setting(part, takes.title) for part in takes.names.split()}
            makers[name] = _spec, [part for part in takes.names.split() if part not in originals]
        elif isinstance(kind, type) and issubclass(kind, OptionGroup):
            types = get_type_hints(kind, include_extras=True)
            by_name |= {
                field.name: _parameter(field.name, types[field.name], field.default, kind.title)
                for field in fields(kind)
            }
            makers[name] = kind, [field.name for field in fields(kind)]
        else:
            by_name.setdefault(name, parameter)
    spare = {name: option for name, option in _QUIET.items() if name not in by_name}
    by_name |= spare

    def command(**values: Any) -> None:
        values = {name: value for name, value in values.items() if name not in spare}
        made = {name: make(**{part: values.pop(part) for part in names}) for name, (make, names) in makers.items()}
        function(**values, **made)

    # what is said on stderr about the settings waits for --quiet, which is read after them
    last = {part for _, names in makers.values() for part in names if _title(by_name[part]) == OptionGroup.title}
    parameters = sorted(by_name.values(), key=lambda parameter: parameter.name in last)
    command.__doc__, command.__name__ = function.__doc__, function.__name__
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # inspect looks there first
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _parts(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) is Annotated else (hint,)


def _title(parameter: Parameter) -> str | None:
    return next((info.rich_help_panel for info in _parts(parameter.annotation)[1:]), None)


def _parameter(name: str, hint: Any, default: Any, title: str) -> Parameter:
    kind, info = _parts(hint)
    info = copy(info)
    info.rich_help_panel = title
    default = Parameter.empty if default is MISSING else default
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


_QUIET = {
    "quiet": _parameter("quiet", get_type_hints(QuietOptions, include_extras=True)["quiet"], False, QuietOptions.title)  # noqa: FBT003 - its default
}


def _of_setting(name: str, title: str | None) -> Parameter:
    setting = collect_settings()[name]
    several = get_origin(setting.kind) in (tuple, dict)
    # what may be a number or a text is read later
    kind: Any = list[str] if several else setting.kind if isinstance(setting.kind, type) or setting.choices else str
    default = None if several else setting.default
    hint: Any = Annotated[kind if default is not None else kind | None, of_setting(name)]
    return _parameter(name, hint, default, setting.section if title is None else title)


def _spec(**settings: Any) -> RunSpec:
    values: dict[str, Any] = {}
    for name, value in settings.items():
        if value is not None:
            kind = get_origin(collect_settings()[name].kind)
            values[name] = tuple(value) if kind is tuple else pairs(value, name) if kind is dict else value
    return RunSpec(**values)


def pairs(texts: Sequence[str], name: str) -> dict[str, str]:
    """The texts ``KEY=VALUE`` for a setting; if a key stands twice, the later value counts.

    Raises:
        UsageError: a text is not of that form.
    """
    by_key: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            like = f"{collect_settings()[name].metavar} such as {collect_settings()[name].examples[0]}"
            raise UsageError(f"expected {like}, got {text!r}", option=name)
        by_key[key] = value
    return by_key


def all_games(*, quiet: bool = False) -> list[str]:
    """The names of all games; says which of other packages are left out, and why."""
    for fault in shelf.faults():
        remark(f"arena: left out: {fault}", quiet=quiet)
    return shelf.names()


def seconds(text: str, *, name: str = "within") -> float:
    """The seconds of the option of this name.

    Raises:
        UsageError: it is no time.
    """
    try:
        return seconds_within(text)
    except ValueError as error:
        raise UsageError(str(error), option=name) from None


ANCHORS = "arena.anchors"
"""Under this a context holds how to find the anchors of a settings file."""
_VARIABLE = "ARENA_"


def _apply(context: typer.Context, value: str | None) -> str | None:
    """Make the file's settings the defaults of the options that can be set from outside, those with a variable."""
    if context.resilient_parsing:
        return value
    # click takes an empty variable for a missing one; here it means that no file is wanted
    config = os.environ.get("ARENA_CONFIG") if value is None else value
    context.with_resource(_named_by_source(context))
    context.meta[PENDING] = [*_unknown_variables(context, os.environ)]
    if config == "" or (config is None and not os.path.lexists(SETTINGS_FILE)):
        return value
    from arena.tournament.file_defaults import read_defaults  # noqa: PLC0415 - most folders have no such file

    path = Path(config or SETTINGS_FILE)
    pending = context.meta[PENDING] = [f"arena: settings: {path}", *context.meta[PENDING]]
    names = {param.name for param in context.command.params if param.envvar and param.name}
    context.default_map, context.meta[ANCHORS], context.meta[NAMES] = read_defaults(
        path, names, context.params, say=lambda text: pending.append(f"arena: {text}")
    )
    return value


@contextmanager
def _named_by_source(context: typer.Context) -> Iterator[None]:
    """Errors about an option name the key or the variable that the value is from."""
    try:
        yield
    except UsageError as error:
        raise UsageError(named_in(error, context)) from error.__cause__


def _unknown_variables(context: typer.Context, environment: Mapping[str, str]) -> Iterator[str]:
    """A remark on each variable that sets nothing and is close to the name of one that does."""
    commands = getattr(context.find_root().command, "commands", {}).values()
    variables = {
        str(param.envvar).removeprefix(_VARIABLE) for command in commands for param in command.params if param.envvar
    }
    for name in sorted(environment):
        rest = name.removeprefix(_VARIABLE)
        if rest != name and rest not in variables and (near := get_close_matches(rest, sorted(variables), n=1)):
            yield f"arena: settings: expected a known variable, got {name!r}; did you mean {_VARIABLE + near[0]!r}?"


ConfigFile = Annotated[
    str | None,
    option(
        f"--config FILE: File with settings; '' means none. Default: {SETTINGS_FILE} if there is one.",
        envvar="ARENA_CONFIG",
        is_eager=True,
        callback=_apply,
    ),
]
Trust = Annotated[
    bool,
    option(
        "--trust: Take all settings of the file, and remember that; see `arena docs config`.",
        envvar="ARENA_TRUST",
        is_eager=True,
    ),
]


@dataclass(frozen=True, kw_only=True)
class SettingsOptions(OptionGroup):
    """The file that settings come from."""

    config: ConfigFile = None
    trust: Trust = False


@dataclass(frozen=True, kw_only=True)
class OutputOptions(PlainOutputOptions, SettingsOptions):
    """The same, for a command that reads settings."""
