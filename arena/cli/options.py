"""The options that several commands share, each defined once, in the groups that help shows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from arena import games as shelf
from arena.cli.groups import OptionGroup
from arena.errors import UsageError
from arena.terminal.remarks import remark
from arena.tournament.spec import DEFAULTS, MOST_FAULTS, MOST_LANES, MOST_MATCHES


class IsolationOption(StrEnum):
    """The values of ``--isolation``: those of ``arena.tournament.spec.IsolationChoice``."""

    auto = "auto"
    none = "none"
    landlock = "landlock"
    bwrap = "bwrap"


def listed(what: str) -> str:
    """The help of an option that may be repeated."""
    return f"{what}; may be repeated."


def pairs(texts: Sequence[str] | None, *, option: str, example: str) -> dict[str, str]:
    """The texts ``KEY=VALUE`` of an option; if a key stands twice, the later value counts.

    Raises:
        UsageError: a text is not of that form.
    """
    found: dict[str, str] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"expected {example}, got {text!r}", option=option)
        found[key] = value
    return found


def variants_of(texts: Sequence[str] | None) -> dict[str, str]:
    """The values of ``--variant``, read by ``pairs``."""
    return pairs(texts, option="variants", example="K=V such as bell=lot")


Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant", envvar="ARENA_VARIANT", metavar="K=V", help=listed("A variant of the game"), show_default=False
    ),
]
Seats = Annotated[
    str | None,
    typer.Option(envvar="ARENA_SEATS", metavar="N|A-B", help="Seats at the table. Default: the usual table."),
]
Seed = Annotated[
    str | None,
    typer.Option(envvar="ARENA_SEED", metavar="TEXT", help="Repeat a run: the same text, the same deals."),
]


@dataclass(frozen=True, kw_only=True)
class GameOptions(OptionGroup):
    """Which game, in which variant, at how many seats."""

    title = "Who plays"
    games: Annotated[
        list[str] | None,
        typer.Option(
            "-g", "--game", envvar="ARENA_GAME", metavar="GAME", help=listed("A game or `all`"), show_default=False
        ),
    ] = None
    variants: Variants = None
    seats: Seats = None
    matches: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--matches",
            envvar="ARENA_MATCHES",
            metavar="N",
            help="Matches, rounded up to whole blocks. Default: 240, with --debug one block.",
            min=1,
            max=MOST_MATCHES,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ScheduleOptions(OptionGroup):
    """Who meets whom."""

    title = "Who plays"
    schedule: Annotated[
        str,
        typer.Option(
            envvar="ARENA_SCHEDULE",
            metavar="NAME",
            help="Who meets whom: balanced, gauntlet, groups, knockout, race or swiss. NAME,OPTION=VALUE sets an "
            "option of it; A+B plays B after A.",
        ),
    ] = DEFAULTS.schedule


@dataclass(frozen=True, kw_only=True)
class LimitOptions(OptionGroup):
    """Clocks and limits of bots."""

    title = "Time and limits"
    move_time: Annotated[
        str | None,
        typer.Option(
            "--move-time",
            envvar="ARENA_MOVE_TIME",
            metavar="TIME",
            help="Time for each decision. Default: 1s; with --bank, all that the bank holds.",
        ),
    ] = DEFAULTS.move_time
    start_time: Annotated[
        str, typer.Option("--start-time", envvar="ARENA_START_TIME", metavar="TIME", help="Time to get ready.")
    ] = DEFAULTS.start_time
    bank: Annotated[
        str | None,
        typer.Option(
            "--bank",
            envvar="ARENA_BANK",
            metavar="TIME[+TIME]",
            help="Time for all decisions of a match, and time added for each.",
        ),
    ] = DEFAULTS.bank
    budget: Annotated[
        str,
        typer.Option(
            "--budget",
            envvar="ARENA_BUDGET",
            metavar="TIME",
            help="Most time to think in a match, with a bank or without.",
        ),
    ] = DEFAULTS.budget
    limits: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            envvar="ARENA_LIMIT",
            metavar="KEY=VALUE",
            help=listed("Another limit, such as line=64KiB"),
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class FaultOptions(OptionGroup):
    """How many faults a bot may have."""

    title = "Time and limits"
    max_faults: Annotated[
        int,
        typer.Option(
            envvar="ARENA_MAX_FAULTS",
            metavar="N",
            help="Faults that retire a bot from a match.",
            min=1,
            max=MOST_FAULTS,
        ),
    ] = DEFAULTS.max_faults


IsolationLevel = Annotated[
    IsolationOption,
    typer.Option(
        "--isolation",
        envvar="ARENA_ISOLATION",
        help="The sandbox around bots; auto: the best that works on this machine.",
    ),
]
AsRun = Annotated[
    IsolationOption,
    typer.Option(
        "--isolation",
        envvar="ARENA_ISOLATION",
        help="The sandbox around bots; auto: that of the run, and at least the best that works on this machine.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class SandboxOptions(OptionGroup):
    """What bots may touch."""

    title = "Isolation"
    isolation: IsolationLevel = IsolationOption.auto
    build_network: Annotated[
        bool,
        typer.Option(
            "--build-network/--no-build-network",
            envvar="ARENA_BUILD_NETWORK",
            help="Let build steps reach the network. Default: no.",
            show_default=False,
        ),
    ] = DEFAULTS.build_network
    readable: Annotated[
        list[str] | None,
        typer.Option(
            "--readable",
            envvar="ARENA_READABLE",
            metavar="PATH",
            help="Another path that bots may read; may be repeated.",
            show_default=False,
        ),
    ] = None


LaneCount = Annotated[
    int | None,
    typer.Option(
        "-j",
        "--lanes",
        envvar="ARENA_LANES",
        metavar="N",
        help="Matches played at once. Default: one for each core.",
        min=1,
        max=MOST_LANES,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ResultsOptions(OptionGroup):
    """Where results are written, the seed, and the number of lanes."""

    title = "Where to"
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            envvar="ARENA_OUT",
            metavar="DIR",
            help="Results folder; a run that is in it is resumed. Default: results/<game>-<time>.",
        ),
    ] = None
    seed: Seed = None
    lanes: LaneCount = None


@dataclass(frozen=True, kw_only=True)
class PlayOptions(ResultsOptions, SandboxOptions, FaultOptions, LimitOptions, GameOptions):
    """The options that decide how matches are played."""

    @property
    def texts(self) -> dict[str, dict[str, str]]:
        """The options that are given as KEY=VALUE, by field of ``RunSpec``."""
        return {
            "variants": variants_of(self.variants),
            "limits": pairs(self.limits, option="limits", example="KEY=VALUE such as line=64KiB"),
        }


@dataclass(frozen=True, kw_only=True)
class StartOptions(OptionGroup):
    """What to do with bots that cannot start, and which bot to debug."""

    title = "Who plays"
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going", envvar="ARENA_KEEP_GOING", help="Withdraw bots that cannot start instead of giving up."
        ),
    ] = DEFAULTS.keep_going
    debug: Annotated[
        str | None,
        typer.Option(
            "--debug",
            metavar="NAME",
            help="Show every message to and from this bot; its clock is off.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SharingOptions(OptionGroup):
    """A run that is planned in one place and played in others."""

    title = "Sharing"
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only print how many matches, how long, how even, and the time of each format; with --out, "
            "also write the plan.",
        ),
    ] = False
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan", metavar="DIR", help="Play the run that --dry-run --out has planned.", show_default=False
        ),
    ] = None
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Play only this part; `arena merge` joins the parts.")
    ] = None
    secret_file: Annotated[
        Path | None,
        typer.Option(
            "--secret-file", metavar="FILE", help="Take the secret from the text in this file.", show_default=False
        ),
    ] = None
    beacon: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Mix a public text into the secret; with --dry-run, announce what it will be."
        ),
    ] = None
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor",
            metavar="NAME=ADDRESS",
            help="Play on the workers of an executor; -j then sets the units sent at once.",
            show_default=False,
        ),
    ] = None
    dask: Annotated[
        str | None,
        typer.Option("--dask", metavar="ADDRESS", help="Short for --executor dask=ADDRESS.", show_default=False),
    ] = None

    @property
    def workers(self) -> str | None:
        """The executor that is asked for, as NAME=ADDRESS.

        Raises:
            UsageError: both options are given, or an address is lacking.
        """
        if self.dask is None:
            return self.executor
        if self.executor is not None:
            raise UsageError(f"expected --executor or --dask, got both: {self.executor!r} and {self.dask!r}")
        if not self.dask:
            raise UsageError(f"expected ADDRESS, got {self.dask!r}", option="dask")
        return f"dask={self.dask}"

    @contextmanager
    def own_words(self) -> Iterator[None]:
        """Have complaints about the executor name --dask, if that is what was given."""
        try:
            yield
        except UsageError as error:
            if self.dask is None or error.option != "executor":
                raise
            raise UsageError(error.text, option="dask") from None


Run = Annotated[str, typer.Argument(metavar="RUN", help="A results folder.", show_default=False)]


def all_games(*, quiet: bool = False) -> list[str]:
    """The names of all games; says which of other packages are left out, and why."""
    for fault in shelf.faults():
        remark(f"arena: left out: {fault}", quiet=quiet)
    return shelf.names()
