"""The options that decide when a run ends early and when a command fails: for CI, and for verdicts."""

from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.ci import GitHub, JUnitFile
from arena.cli.groups import OptionGroup
from arena.report.question import Question


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


@dataclass(frozen=True, kw_only=True)
class QuestionOptions(OptionGroup):
    """What is asked of two versions."""

    title = "What is asked"
    until: Annotated[
        str,
        typer.Option(
            "--until",
            metavar="WHAT",
            help="decided: is NEW better or worse? equal=M: or equal within a score of M? sprt=A,B: a gate, is its "
            "score above A (exit 0) or below B (exit 1)? These play until it is found, at most -n matches (4000), then "
            "exit 6. never: play all -n matches. Behind it ,alpha=0.01: how often the answer may be wrong (0.05).",
        ),
    ] = "never"

    @property
    def question(self) -> Question:
        """What is asked of the two versions.

        Raises:
            UsageError: there is no such question, or a value is out of bounds.
        """
        return Question.read(self.until)


@dataclass(frozen=True, kw_only=True)
class CompareOptions(QuestionOptions):
    """What is asked, and what CI needs."""

    title = "CI"
    github: GitHub = False
