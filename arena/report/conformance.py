"""The findings of a check, as lines for people, rows of a table, data and test cases. Starts nothing."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from msgspec import Struct

from arena.conformance.findings import TEXT, CheckResult, Failure, Findings, Sentence
from arena.errors import ArenaError
from arena.escape import as_json, cause_and_cure, folded, markdown, plain
from arena.report.ci import Annotation, Case, StepReport, fenced
from arena.report.document import WIDTH, OutputFormat, table
from arena.words import plural

MOST_CHARACTERS = 2000
"""Characters of a line that are shown without ``-v``."""
_TAIL = 500
_ERRORS = 20
"""Lines of stderr that are shown."""
_ALSO = 3
_MARK = {"ok": "ok", "failed": "FAIL", "note": "note", "skipped": "-"}
_INDENT = " " * 9
_ANY_LENGTH = 1 << 30

_NAME = 64


class CheckedBot(Struct, frozen=True, kw_only=True):
    """A bot that was checked, or could not be tried."""

    name: str
    """Its own, or what was typed for it where it has none."""
    folder: str
    findings: Findings | None
    error: ArenaError | None
    """Why it could not be tried."""

    @property
    def holds(self) -> bool:
        """Whether the bot was tried and keeps the protocol."""
        return self.findings is not None and self.findings.holds

    @property
    def seconds(self) -> float:
        """How long the check took."""
        return 0.0 if self.findings is None else self.findings.seconds


def printed(bots: Sequence[CheckedBot], form: OutputFormat, *, alone: bool) -> str:
    """What is printed at the end of a check; as a table only of several bots, which of them keep the protocol.

    For programs the findings of the one bot, if it is ``alone``; else those of all, with the name of each.
    """
    tried = [(bot.name, bot.findings) for bot in bots if bot.findings is not None]
    if form == "json":
        data = [as_data(name, findings) for name, findings in tried]
        return as_json(data[0] if alone else data)
    if form != "table":
        records = [({} if alone else {"bot": name}) | row for name, findings in tried for row in rows(findings)]
        return table(records, form)
    parts = [f"{sum(bot.holds for bot in bots)} of {plural(len(bots), 'bot keeps', 'bots keep')} the protocol"]
    failing = [bot.name for bot in bots if bot.error is None and not bot.holds]
    lacking = [bot.name for bot in bots if bot.error is not None]
    parts += [f"not: {', '.join(failing)}"] if failing else []
    parts += [f"could not be tried: {', '.join(lacking)}"] if lacking else []
    return "\n".join(folded(plain("; ".join(parts), _ANY_LENGTH), WIDTH))


def as_lines(name: str, findings: Findings, *, quiet: bool = False, verbose: bool = False) -> list[str]:
    """The findings for people: one requirement in each line, and below each failed one what happened."""
    lines = []
    for result in findings.results:
        if quiet and result.status not in {"failed", "note"}:
            continue
        lines += _sentence(result)
        if result.failure is not None:
            lines += _failure_lines(result.failure, verbose=verbose)
    counts = [result.status for result in findings.results]
    summary = f"{counts.count('ok') + counts.count('note')} of {plural(len(counts), 'rule')} pass"
    if failed := counts.count("failed"):
        summary += f", {failed} failed"
    if skipped := counts.count("skipped"):
        summary += f", {skipped} not tried"
    played = f"{plural(findings.matches, 'match')}, {plural(findings.questions, 'question')}, {findings.seconds:.1f} s"
    more = ["-v shows what was sent and received, limits and stderr"] if failed and not verbose else []
    return [*lines, *wrap(f"{name}: {summary} ({played})", WIDTH), *more]


def _sentence(result: CheckResult) -> list[str]:
    head = f"{_MARK[result.status]:<5}{result.number:>2}. "
    text = TEXT[Sentence(result.number)]
    if result.remark:
        text += f" ({plain(result.remark, 200)})"
    return folded(text, WIDTH, initial_indent=head, subsequent_indent=_INDENT)


def _failure_lines(failure: Failure, *, verbose: bool) -> list[str]:
    cause = f"{failure.where}: {failure.rule}"
    lines = cause_and_cure(plain(cause, 1000), cure=plain(failure.hint, 1000), width=WIDTH, indent=_INDENT)
    if not verbose:
        return lines
    also = [*failure.also[:_ALSO], *([f"{len(failure.also) - _ALSO} more"] if len(failure.also) > _ALSO else [])]
    for label, fact in [*_around(failure), *(("also", where) for where in also)]:
        lines += cause_and_cure(f"{label}: {plain(fact, 1000)}", cure="", width=WIDTH, indent=_INDENT) if fact else []
    # lines are exact, so that they can be sent again: they are never wrapped
    lines += [
        f"{_INDENT}{'sent' if line.sent else 'got '} | {format_line(line.text, verbose=True)}" for line in failure.lines
    ]
    return lines + [f"{_INDENT}stderr | {plain(line, 200)}" for line in _errors(failure)]


def _around(failure: Failure) -> list[tuple[str, str]]:
    limits = f"{failure.limits}; --limit KEY=VALUE or the bot file sets them" if failure.limits else ""
    return [("isolation", failure.isolation), ("limits", limits)]


def format_line(line: bytes, *, verbose: bool) -> str:
    """A line of a conversation in printable ASCII, its middle left out if it is long and not ``verbose``."""
    text = plain(_text(line), _ANY_LENGTH)
    if verbose or len(text) <= MOST_CHARACTERS:
        return text
    left_out = len(text) - MOST_CHARACTERS
    return f"{text[: MOST_CHARACTERS - _TAIL]} [... {plural(left_out, 'character')}: -v shows them ...] {text[-_TAIL:]}"


def offending(failure: Failure) -> list[str]:
    """The line that broke a requirement, as it is shown, if one did."""
    return [f"got: {format_line(failure.offending.text, verbose=False)}"] if failure.offending is not None else []


def _errors(failure: Failure) -> list[str]:
    return [line for line in _text(failure.errors).split("\n") if line.strip()][-_ERRORS:]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def cases(bots: Sequence[CheckedBot]) -> Iterator[Case]:
    """Each requirement for each bot as a test case, and each bot that could not be tried."""
    for bot in bots:
        if bot.findings is None:
            yield Case(group=bot.name, name="can be tried", failed=str(bot.error), kind="bot")
            continue
        for result in bot.findings.results:
            name = f"{result.number}. {TEXT[Sentence(result.number)]}"
            failed, kind, more = "", "", ""
            if failure := result.failure:
                around = [f"{label}: {fact}" for label, fact in _around(failure) if fact]
                lines = [failure.where, f"fix: {failure.hint}", *around, *offending(failure), *_errors(failure)]
                failed, kind, more = failure.rule, f"rule {result.number}", "\n".join(lines)
            skipped = result.remark or "not tried" if result.status == "skipped" else ""
            yield Case(group=bot.name, name=name, failed=failed, kind=kind, more=more, skipped=skipped)


def rows(findings: Findings) -> list[dict[str, Any]]:
    """A row for each requirement."""
    return [_row(result) | ({"remark": result.failure.rule} if result.failure else {}) for result in findings.results]


def _row(result: CheckResult) -> dict[str, Any]:
    return {
        "number": result.number,
        "sentence": TEXT[Sentence(result.number)],
        "status": result.status,
        "remark": result.remark,
    }


def as_data(name: str, findings: Findings) -> dict[str, Any]:
    """The findings for programs; lines are whole and as they were."""
    sentences = []
    for result in findings.results:
        sentence = _row(result)
        if failure := result.failure:
            sentence["failure"] = {
                "where": failure.where,
                "rule": failure.rule,
                "hint": failure.hint,
                "lines": [{"sent": line.sent, "text": _text(line.text)} for line in failure.lines],
                "isolation": failure.isolation,
                "limits": failure.limits,
                "stderr": _errors(failure),
                "also": list(failure.also),
            }
        sentences.append(sentence)
    return {
        "bot": name,
        "holds": findings.holds,
        "matches": findings.matches,
        "questions": findings.questions,
        "seconds": findings.seconds,
        "sentences": sentences,
    }


def of_check(checked: CheckedBot) -> StepReport:
    """The result of a check: an annotation for each failed requirement."""
    findings = checked.findings
    assert findings is not None  # noqa: S101 - of one bot, errors are raised
    failed = [(result.number, result.failure) for result in findings.results if result.failure]
    annotations = tuple(
        Annotation(
            level="error",
            title=f"{checked.name}, rule {number}",
            text="\n".join([failure.rule, *offending(failure), f"fix: {failure.hint}"]),
            bot=checked.folder,
        )
        for number, failure in failed
    )
    lines = fenced("\n".join(as_lines(checked.name, findings, quiet=True)))
    outputs = {
        "verdict": "holds" if findings.holds else "fails",
        "failed": ", ".join(str(number) for number, _ in failed),
    }
    name = markdown(plain(checked.name, _NAME))
    return StepReport(
        summary=f"### Check of {name}\n\n{table(rows(findings), 'markdown')}\n\n{lines}",
        outputs=outputs,
        annotations=annotations,
    )
