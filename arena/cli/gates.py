"""The options that decide when a run ends early and when a command fails: for CI, and for verdicts."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from arena.cli.ci import GitHub, JUnitFile
from arena.cli.groups import OptionGroup
from arena.errors import UsageError
from arena.report.comparison import Question


@dataclass(frozen=True, kw_only=True)
class GateOptions(OptionGroup):
    """What CI needs: exit codes, files, steps."""

    title = "CI"
    junit_xml: JUnitFile = None
    github: GitHub = False


@dataclass(frozen=True, kw_only=True)
class RunGates(GateOptions):
    """A gate for all that may go wrong in a run."""

    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 if a bot faulted or was withdrawn, or a match is void.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class StopOptions(OptionGroup):
    """When a run is enough."""

    title = "When to stop"
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="WHAT",
            help="Stop when this is certain: best, top=K, order, or decided (all pairs). At most -n matches (4000), "
            "then exit 6. A greater -n or a smaller --alpha extends a finished run.",
            show_default=False,
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", metavar="M", help="For decided: a duel score within -M and M is the same. Default: 0.1."
        ),
    ] = None
    alpha: Annotated[
        float | None, typer.Option("--alpha", metavar="A", help="How often the answer may be wrong. Default: 0.05.")
    ] = None
    within: Annotated[
        str | None,
        typer.Option(
            "--within",
            metavar="TIME",
            help="Play whole blocks for this time, such as 2h; the same command resumes. "
            "With --dry-run: recommend a format.",
        ),
    ] = None


class StopWhen(StrEnum):
    """When to stop."""

    decided = "decided"


def _scores(text: str) -> tuple[float, float]:
    """The two scores of a gate."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"expected two scores from -1 to 1 such as 0,0.075, got {text!r}", option="sprt") from None
    return low, high


@dataclass(frozen=True, kw_only=True)
class CompareOptions(OptionGroup):
    """Gates for a comparison."""

    title = "CI"
    decide: Annotated[bool, typer.Option("--decide", help="Exit 6 if they cannot be told apart.")] = False
    github: GitHub = False
    until: Annotated[
        StopWhen | None,
        typer.Option(
            "--until", help="Stop when there is a verdict, after at most -n matches (4000); without a verdict exit 6."
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="M", help="A score within -M and M is the same.", show_default=False),
    ] = None
    alpha: Annotated[
        float, typer.Option("--alpha", metavar="A", help="How often a verdict may be wrong.", show_default=True)
    ] = 0.05
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="E0,E1",
            help="A gate: play until a score of E1 is more likely than E0 (exit 0), or less likely (exit 1).",
            show_default=False,
        ),
    ] = None

    @property
    def question(self) -> Question:
        """What is asked of the two versions.

        Raises:
            UsageError: a value is not a number, or out of bounds.
        """
        return Question(
            margin=self.margin,
            alpha=self.alpha,
            sprt=None if self.sprt is None else _scores(self.sprt),
            until=self.until is not None,
        )
