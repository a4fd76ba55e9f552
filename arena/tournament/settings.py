"""The settings of a run, each declared once: its type, default, option, help, key of ``arena.toml``, bounds.

All else follows from here: the options of a command and their variables, the file and its JSON Schema, the names in
errors, what a plan has settled. ``run`` has all of them; other commands name those that they take.
"""

import re
from collections.abc import Callable
from functools import cache, reduce
from operator import or_
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Meta, Struct, defstruct
from msgspec.structs import fields, replace

from arena.errors import UsageError
from arena.limits import read as read_limit
from arena.tournament.folder import BALANCED, Deals
from arena.tournament.shard import Shard
from arena.wire import DEFAULT_LIMITS

DEFAULT_MATCHES = 240
"""How many matches are played by default, ..."""
MATCHES_PER_BOT = 60
"""How many each bot of a league plays in a season by default."""
UNTIL_MATCHES = 4000
"""... and how many at most, where it ends when something is certain."""
MOST_MATCHES = 10_000_000
MOST_BOTS = 10_000

COMMON = ("games", "seats", "matches", "schedule", "debug", "move_time", "out", "seed", "until")
"""The settings that most people need: the short help has only these."""

IsolationChoice: TypeAlias = Literal["auto", "sandboxed", "none", "landlock", "bwrap"]
"""``auto``: the best level that this machine proves; for a run that is not finished, the level that it began with."""


class Setting(Struct, frozen=True):
    """What is said of a setting beside its type and default, which ``collect_settings`` adds."""

    text: str = ""
    """As the help shows it: ``-g --game GAME: Its help.`` Without a flag it is an argument."""
    key: str = ""
    """In ``arena.toml``; ``table.key`` in a table of it. What has a key has a variable."""
    section: str = ""
    """Of the help, where this one begins a section."""
    variable: bool = False
    """Whether it has a variable although it has no key."""
    bounds: tuple[int, int] | None = None
    """The least and the most."""
    read: Callable[[str], object] | None = None
    """Reads the text, or raises a ValueError *expected ..., got ...*."""
    examples: tuple[Any, ...] = ()
    planned: bool = False
    """Whether a plan has settled it, so that it may not be said beside ``--plan``."""
    limit: str = ""
    """The field of ``Limits`` that it sets."""
    name: str = ""
    kind: Any = None
    """Its type, without None."""
    default: Any = None

    @property
    def words(self) -> list[str]:
        """Flags and metavar."""
        return self.text.partition(": ")[0].split()

    @property
    def help(self) -> str:
        """What the help says of it."""
        return self.text.partition(": ")[2]

    @property
    def flags(self) -> list[str]:
        """As on the command line, the longest last."""
        return [word for word in self.words if word.startswith("-")]

    @property
    def metavar(self) -> str | None:
        """What stands for the value in the help."""
        return next((word for word in self.words if not word.startswith("-")), None)

    @property
    def option(self) -> str:
        """What errors call it."""
        return self.flags[-1].partition("/")[0] if self.flags else str(self.metavar)

    @property
    def envvar(self) -> str | None:
        """The environment variable that sets it."""
        words = self.option.strip("-") if self.flags else self.name
        return f"ARENA_{words.replace('-', '_').upper()}" if self.key or self.variable else None

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be, if these are few."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


def _clock(text: str, key: str, limit: str, example: str = "500ms", section: str = "") -> Setting:
    return Setting(text, f"clocks.{key}", section, planned=True, limit=limit, examples=(example,))


def _plan(text: str, key: str = "", **more: Any) -> Setting:
    """A setting that stands in the plan of a run."""
    return Setting(text, key, planned=True, **more)


def _seed(text: str) -> None:
    try:
        empty = not text.encode()
    except AttributeError:
        raise ValueError(f"expected a text, got {text!r}") from None
    except UnicodeEncodeError:
        raise ValueError(f"expected a text in UTF-8, got {text!r}") from None
    if empty:
        raise ValueError("expected a text, got an empty one")


def _schedule(text: str) -> None:
    from arena.formats.registry import read_schedule  # noqa: PLC0415 - only a league with a final needs it

    try:
        read_schedule(text)
    except LookupError as error:
        raise ValueError(str(error)) from None


def _beacon(text: str) -> None:
    # it cannot be removed from a secret again
    if not text:
        raise ValueError("expected a text, got none")


def _address(text: str) -> None:
    # it may hold a secret, and is not repeated
    if not re.fullmatch(r"https?://[^\s/?#]+[^\s]*", text):
        raise ValueError("expected an address that begins with https:// or http://, got another text")


def _repositories(text: str) -> None:
    bare = text.replace("{owner}", "").replace("{bot}", "", 1)
    if not re.fullmatch(r"(https?|file)://[^\s{]+", bare) or "{bot}" not in text:
        raise ValueError(f"expected an address such as {FORGE}, got {text!r}")


def seconds_within(text: str) -> float:
    """The time to play in.

    Raises:
        ValueError: the text is not a time.
    """
    return read_limit("start", text, examples=" such as 10m or 2h")["start"] / 1000


SETTINGS_FILE = "arena.toml"
"""The name of the settings file of a folder."""
FORGE = "https://github.com/{owner}/{bot}"
"""Where private bots lie, unless the settings say more."""
_CUP, _HOOK = "groups,groups=2+knockout", "https://example.org/hook"


class RunSpec(Struct, frozen=True, kw_only=True):
    """The settings of a run. Times and sizes are texts such as ``400ms``, ``10m`` or ``64KiB``.

    Raises:
        UsageError: a value is out of bounds.
    """

    games: Annotated[
        tuple[str, ...],
        _plan(
            "-g --game GAME: A game or `all`; may be repeated. One may stand first, without -g.",
            "games",
            section="Who plays",
        ),
    ] = ()
    bots: Annotated[
        tuple[str, ...],
        Setting(
            "[BOT]...: Shipped bot, folder with a bot.toml, or NAME=COMMAND LINE; NAME=BOT renames a bot, BOT*3 enters "
            "three copies. None: the shipped bots. One: this bot and the shipped ones.",
            "bots",
        ),
    ] = ()
    variants: Annotated[
        dict[str, str],
        _plan("--variant K=V: A variant of the game; may be repeated.", "variants", examples=("bell=lot",)),
    ] = {}
    seats: Annotated[
        int | str | None,
        _plan("--seats N|A-B: Seats at the table. Default: the usual table.", "seats", examples=(4, "3-5")),
    ] = None
    matches: Annotated[
        int | None,
        _plan(
            "-n --matches N: Matches, rounded up to whole blocks. Default: 240, with --debug one block.",
            "matches",
            bounds=(1, MOST_MATCHES),
        ),
    ] = None
    schedule: Annotated[
        str,
        _plan(
            "--schedule NAME: Who meets whom: balanced, gauntlet, groups, knockout, race or swiss. NAME,OPTION=VALUE "
            "sets an option of it; A+B plays B after A.",
            "schedule",
            examples=("swiss", "knockout,losses=2"),
        ),
    ] = BALANCED
    block: Annotated[
        Deals | None,
        _plan(
            "--block: mirrored: all matches of a block share one deal; single: no deal is played twice. "
            "Default: mirrored, in finals single.",
            "block",
        ),
    ] = None
    keep_going: Annotated[
        bool, Setting("--keep-going: Withdraw bots that cannot start instead of giving up.", variable=True)
    ] = False
    no_notes: Annotated[bool, Setting("--no-notes: Keep no notes of bots.", variable=True)] = False
    debug: Annotated[
        str | None, Setting("--debug NAME: Show every message to and from this bot; its clock is off.")
    ] = None
    move_time: Annotated[
        str | None,
        _clock(
            "--move-time TIME: Time for each decision. Default: 1s; with --bank, all that the bank holds.",
            "move",
            "move",
            section="Time and limits",
        ),
    ] = None
    start_time: Annotated[str, _clock("--start-time TIME: Time to get ready.", "start", "start")] = "10s"
    bank: Annotated[
        str | None,
        _clock(
            "--bank TIME[+TIME]: Time for all decisions of a match, and time added for each.",
            "bank",
            "bank",
            "30s+100ms",
        ),
    ] = None
    budget: Annotated[
        str, _clock("--budget TIME: Most time to think in a match, with a bank or without.", "budget", "total")
    ] = "10m"
    limits: Annotated[
        dict[str, str | int],
        _plan(
            "--limit KEY=VALUE: Another limit, such as line=64KiB; may be repeated.", "limits", examples=("line=64KiB",)
        ),
    ] = {}
    max_faults: Annotated[
        int,
        _plan(
            "--max-faults N: Faults that retire a bot from a match.", "max-faults", bounds=(1, 10_000), limit="faults"
        ),
    ] = DEFAULT_LIMITS.faults
    isolation: Annotated[
        IsolationChoice,
        Setting(
            "--isolation: The sandbox around bots; auto: the best that works here; sandboxed: that, or stop.",
            "isolation",
            section="Isolation",
        ),
    ] = "auto"
    build_network: Annotated[
        bool,
        Setting("--build-network/--no-build-network: Let build steps reach the network. Default: no.", "build-network"),
    ] = False
    network: Annotated[
        tuple[str, ...],
        Setting(
            "--network BOT[=VARIABLE,...]: Let it use the network, with these variables; may be repeated.", "network"
        ),
    ] = ()
    readable: Annotated[
        tuple[str, ...], Setting("--readable PATH: Another path that bots may read; may be repeated.", "readable")
    ] = ()
    out: Annotated[
        Path | None,
        Setting(
            "-o --out DIR: Results folder; a run that is in it is resumed. Default: results/<game>-<time>.",
            "out",
            section="Where to",
        ),
    ] = None
    seed: Annotated[
        str | None, _plan("--seed TEXT: Repeat a run: the same text, the same deals.", "seed", read=_seed)
    ] = None
    lanes: Annotated[
        int | None,
        Setting("-j --lanes N: Matches played at once. Default: one for each core.", "lanes", bounds=(1, 1024)),
    ] = None
    plan: Annotated[
        Path | None, Setting("--plan DIR: Play the run that --dry-run --out has planned.", section="Sharing")
    ] = None
    shard: Annotated[
        str | None,
        Setting(
            "--shard I/N: Play only this part; `arena merge` joins the parts. With I/N,by=rotation no part plays "
            "a deal twice.",
            read=Shard.read,
        ),
    ] = None
    secret_file: Annotated[Path | None, Setting("--secret-file FILE: Take the secret from the text in this file.")] = (
        None
    )
    beacon: Annotated[
        str | None,
        Setting(
            "--beacon TEXT: Mix a public text into the secret; with --dry-run, announce what it will be.", read=_beacon
        ),
    ] = None
    executor: Annotated[
        str | None,
        Setting("--executor NAME=ADDRESS: Play on the workers of an executor; -j then sets the units sent at once."),
    ] = None
    until: Annotated[
        str | None,
        _plan(
            "--until WHAT: Stop when this is certain: best, top=K, order, or decided (all pairs). At most -n matches "
            "(4000), then exit 6. A greater -n or a smaller --alpha extends a finished run.",
            section="When to stop",
        ),
    ] = None
    margin: Annotated[
        float | None, _plan("--margin M: For decided: a duel score within -M and M is the same. Default: 0.1.")
    ] = None
    alpha: Annotated[
        float | None, _plan("--alpha A: How often the answer may be wrong; several games share it. Default: 0.05.")
    ] = None
    within: Annotated[
        str | None,
        Setting(
            "--within TIME: Play whole blocks for this time, such as 2h; the same command resumes. With --dry-run: "
            "recommend a format.",
            read=seconds_within,
        ),
    ] = None

    def __post_init__(self) -> None:
        for name, setting in collect_settings(type(self)).items():
            check_setting(setting, getattr(self, name))


class LeagueSettings(RunSpec, frozen=True, kw_only=True):
    """The settings of a league, some of which only a file can hold."""

    stages: Annotated[tuple[str, ...], Setting(key="stages", examples=(["groups,through=2", "knockout"],))] = ()
    """Formats one after the other, each as ``schedule``: bots that advance from one play the next."""
    anchors: Annotated[tuple[str, ...], Setting(key="anchors")] = ()
    """As ``bots``: those that play in every season, and whose mean rating stands still."""
    matches_per_bot: Annotated[int | None, Setting(key="matches-per-bot", bounds=(1, MOST_MATCHES))] = None
    """How many each bot plays in a season, in whole blocks, in the place of ``matches``, which are those of a whole run
    of all that take part."""
    play_until: Annotated[Literal["settled"] | None, Setting(key="until")] = None
    """Until when each season has as many matches again; None: only bots that are new or have changed play."""
    per_owner: Annotated[int | None, Setting(key="entries.per-owner", bounds=(1, MOST_BOTS))] = None
    """How many bots of one owner take part at most; those without an owner count as one owner's."""
    entries_until: Annotated[str | None, Setting(key="entries.until", examples=("2027-01-31",))] = None
    """The last day, in UTC, on which a new or changed bot may enter a run that has begun."""
    ranks: Annotated[int | None, Setting(key="entries.ranks", bounds=(1, MOST_BOTS))] = None
    """A bot that entered after the first season is provisional while it can have more ranks than this; None: never."""
    compare: Annotated[str, Setting(key="entries.compare", read=seconds_within, examples=("10m",))] = "5m"
    """How long the check of a pull request compares a bot with its last version, at most, over all games."""
    repositories: Annotated[str | None, Setting(key="entries.repositories", read=_repositories, examples=(FORGE,))] = (
        None
    )
    """Where each bot lies in a repository of its own, by its name and its first owner; None: all lie in the league."""
    sources: Annotated[str | None, Setting(key="entries.sources", examples=("2027-01-31",))] = None
    """The day, in UTC, from whose end on the sources of private bots are published, or a moment; None: never."""
    address: Annotated[str | None, Setting(key="address", read=_address)] = None
    """Where its site is found: what is shared of it needs whole addresses."""
    title: Annotated[str | None, Setting(key="title", read=_beacon)] = None
    """What its pages call it; None: as its folder."""
    description: Annotated[str | None, Setting(key="description", read=_beacon)] = None
    """What stands below the title, and where somebody links to a page."""
    final_date: Annotated[str | None, Setting(key="final.date", examples=("2027-02-28",))] = None
    """The last day, in UTC, of the games before the final; then bots may not change, and the next season plays it."""
    final_schedule: Annotated[str, Setting(key="final.schedule", read=_schedule, examples=(_CUP, BALANCED))] = BALANCED
    final_bots: Annotated[int, Setting(key="final.bots", bounds=(2, MOST_BOTS))] = 8
    """How many of the first of the table play the final."""
    final_matches: Annotated[int, Setting(key="final.matches", bounds=(1, MOST_MATCHES))] = DEFAULT_MATCHES
    prizes: Annotated[int, Setting(key="final.prizes", bounds=(1, MOST_BOTS))] = 3
    """How many places have a prize."""
    play_off: Annotated[int | None, Setting(key="final.play-off", bounds=(1, MOST_MATCHES))] = None
    """How many matches decide a tie at a prize, at most; None: those who tie share."""
    promoted: Annotated[int, Setting(key="final.promoted", bounds=(0, MOST_BOTS))] = 0
    """How many of the first of the table go up a division after the date; as far as that is certain."""
    relegated: Annotated[int, Setting(key="final.relegated", bounds=(0, MOST_BOTS))] = 0
    """How many of the last go down."""
    disqualified: Annotated[dict[str, str], Setting(key="disqualified")] = {}
    """Bots that no longer take part, and whose matches do not count; for each the reason."""
    notify_url: Annotated[str | None, Setting(key="notify.url", read=_address, examples=(_HOOK,))] = None
    """Where a season that changed something is told, as JSON."""


@cache
def collect_settings(kind: type[Struct] = RunSpec) -> dict[str, Setting]:
    """The settings of a struct, by field."""
    hints = get_type_hints(kind, include_extras=True)
    settings: dict[str, Setting] = {}
    section = ""
    for field in fields(kind):
        bare, setting = get_args(hints[field.name])
        default = field.default if field.default is not NODEFAULT else field.default_factory()
        section = setting.section or section
        settings[field.name] = replace(setting, name=field.name, kind=_bare(bare), default=default, section=section)
    return settings


def _bare(kind: Any) -> Any:
    """The type without None."""
    parts = get_args(kind)
    return reduce(or_, [part for part in parts if part is not NoneType]) if NoneType in parts else kind


def check_setting(setting: Setting, value: Any) -> None:
    """Check a value by itself, wherever it is from.

    Raises:
        UsageError: it is out of bounds, or no such text.
    """
    if value is None:
        return
    least, most = setting.bounds or (0, 0)
    if setting.bounds and not (type(value) is int and least <= value <= most):
        raise UsageError(f"expected a whole number from {least} to {most}, got {value!r}", option=setting.name)
    if setting.choices and value not in setting.choices:
        raise UsageError(f"expected {', '.join(setting.choices)}, got {value!r}", option=setting.name)
    if setting.read is not None:
        try:
            setting.read(value)
        except ValueError as error:
            raise UsageError(str(error), option=setting.name) from None


@cache
def shape() -> Any:
    """The struct that a settings file is read as: no key has a default of its own there."""
    tables: dict[str, list[tuple[str, Any, Any]]] = {"": []}
    for setting in collect_settings(LeagueSettings).values():
        if setting.key:
            table, _, key = setting.key.rpartition(".")
            tables.setdefault(table, []).append((key.replace("-", "_"), *_in_toml(setting)))
    inner = {name: _struct(name.title(), fields) for name, fields in tables.items() if name}
    return _struct("Config", [*tables[""], *((name, table, table()) for name, table in inner.items())])


_TABLES = {
    "Config": "The contents of a settings file: None and empty for every key that it does not set.",
    "Clocks": "How long bots may take; times such as ``400ms``, ``1s`` or ``10m``.",
    "Entries": "Who may enter a league.",
    "Notify": "Who is told of seasons.",
    "Final": "How a league ends.",
}


def _struct(name: str, fields: list[Any]) -> Any:
    namespace = {"__doc__": _TABLES[name]}
    return defstruct(
        name, fields, namespace=namespace, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
    )


def _in_toml(setting: Setting) -> tuple[Any, Any]:
    """Its type in a file, with remarks for the schema, and what stands for not said."""
    bare: Any = str if setting.choices or setting.kind is Path else setting.kind
    extra: dict[str, Any] = {"enum": [*setting.choices]} if setting.choices else {}
    if setting.bounds:
        extra["minimum"] = setting.bounds[0]
    if setting.examples and get_origin(setting.kind) is not dict:
        extra["examples"] = [*setting.examples]
    annotation = Annotated[bare, Meta(extra_json_schema=extra)] if extra else bare
    several = get_origin(setting.kind) in (tuple, dict)
    return (annotation, setting.default) if several else (annotation | None, None)


def keys(kind: type[Struct] = RunSpec) -> dict[str, str]:
    """Field -> the key that sets it."""
    return {name: setting.key for name, setting in collect_settings(kind).items() if setting.key}


def tables() -> dict[str, tuple[str, ...]]:
    """Table of a file -> its keys; under no name those above the first table."""
    names: dict[str, tuple[str, ...]] = {"": ()}
    for key in keys(LeagueSettings).values():
        table, _, last = key.rpartition(".")
        if table and table not in names[""]:
            names[""] += (table,)
        names[table] = (*names.get(table, ()), last)
    return names
