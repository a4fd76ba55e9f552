"""Each sentence, held against bots that break it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from arena.conformance import trial
from arena.conformance.findings import (
    AT_TABLES,
    FIXES,
    NOTED_ONLY,
    TEXT,
    CheckResult,
    Failure,
    Findings,
    Sentence,
    tables,
)
from arena.conformance.session import ProtocolSession, Violation
from arena.errors import HostError
from arena.games import find, names
from arena.players import bot_player
from arena.players.botfile import argv, environment
from arena.players.entrants import read_shipped_bots
from arena.players.launch import Launch
from arena.players.lifetime import sweep
from arena.players.process_tree import children
from arena.sandbox.sandbox import Sandbox
from arena.tournament.lanes import Lanes
from arena.wire import Decide, Limits
from tests.conformance.court import HERE, LIMITS, TABLES, sinner, tried, tried_here

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lanes() -> Iterator[Lanes]:
    """One lane for all trials."""
    with Lanes(1) as one:
        yield one


def failed(findings: Findings) -> set[Sentence]:
    """The sentences that failed."""
    return {Sentence(result.number) for result in findings.results if result.status == "failed"}


def result(findings: Findings, sentence: Sentence) -> CheckResult:
    """How one sentence fared."""
    return findings.results[sentence - 1]


def failure_of(findings: Findings, sentence: Sentence) -> Failure:
    """What is said of a sentence that failed, or is noted."""
    failure = result(findings, sentence).failure
    assert failure is not None
    return failure


SINS = [
    ("never-flushes", Sentence.READY, "in a buffer (flush"),
    ("exits-at-once", Sentence.READY, "in `games` of bot.toml"),
    ("never-ready", Sentence.READY, "flush"),
    ("protocol-2", Sentence.PROTOCOL, "arena docs protocol"),
    ("bare-number", Sentence.PROTOCOL, "also for one pick"),
    ("python-repr", Sentence.PROTOCOL, "json.dumps"),
    ("very-long", Sentence.PROTOCOL, "`id` and `picks` alone"),
    ("debug-first", Sentence.STDOUT, "standard error"),
    ("debug", Sentence.STDOUT, "standard error"),
    ("says-goodbye", Sentence.STDOUT, "standard error"),
    ("breakpoint", Sentence.STDOUT, "arena docs debugging"),
    ("never-answers", Sentence.IN_TIME, "flush after every line"),
    ("loops", Sentence.IN_TIME, "a loop that never ends"),
    ("crashes", Sentence.RUNS, "correct that"),
    ("leaves-early", Sentence.RUNS, "until its input ends"),
    ("too-much-cpu", Sentence.RUNS, "see `limits` in hello"),
    ("invented-id", Sentence.ID, "copy the `id`"),
    ("last-id", Sentence.ID, "copy the `id`"),
    ("counts-from-1", Sentence.PICKS, "counted from 0: the last one is `count` - 1"),
    ("picks-all-zero", Sentence.PICKS, "between `least` and `most` different indexes"),
    ("answers-twice", Sentence.UNASKED, "one `choose` to each `decide`"),
    ("ready-twice", Sentence.UNASKED, "one `ready` to each `hello`"),
    ("answers-over", Sentence.UNASKED, "nothing to `over`"),
    ("ready-once", Sentence.AGAIN, "say `ready` again"),
    ("crashes-at-second-hello", Sentence.AGAIN, "forget the last match"),
    ("one-match", Sentence.AGAIN, 'restart = "match"'),
    ("stale-hand", Sentence.AGAIN, "forget the last match"),
    ("wants-over", Sentence.BROKEN_OFF, "whether or not an `over` came"),
    ("known-fields-only", Sentence.UNKNOWN, "pass over all others"),
    ("known-types-only", Sentence.UNKNOWN, "skip messages of an unknown `type`"),
    ("short-buffer", Sentence.LONG, "let the line buffer grow"),
    ("stays", Sentence.EXIT, "leave the loop"),
    ("status-1", Sentence.EXIT, "exit with status 0"),
    ("leaves-a-child", Sentence.NOTHING_LEFT, "end helper processes"),
]

WAITED_FOR = ("never-flushes", "never-ready", "ready-once")
"""Sins that take the whole time that a bot has to get ready."""


@pytest.mark.parametrize(("sin", "sentence", "hint"), SINS, ids=[sin for sin, _, _ in SINS])
@pytest.mark.long_cases(
    *("crashes-at-second-hello", "last-id", "loops", "never-answers", "never-flushes", "never-ready", "one-match"),
    *("ready-once", "stale-hand", "stays"),
)
def test_a_sin_breaks_its_sentence_alone(sin: str, sentence: Sentence, hint: str) -> None:
    """A bot with one sin breaks the sentence that forbids it and no other, and is told how to fix it."""
    limits = Limits(start=3000, move=1000) if sin in WAITED_FOR else LIMITS
    findings = tried_here(sinner(sin, f"marked-{os.getpid()}"), limits)
    assert failed(findings) == {sentence}, findings
    failure = failure_of(findings, sentence)
    assert re.search(r"expected|\(it exited with status \d\)", failure.rule)
    assert hint in failure.hint
    assert any(line.sent for line in failure.lines)


@pytest.mark.parametrize(
    ("sin", "sentences"),
    [
        ("says-goodbyes", {Sentence.STDOUT, Sentence.EXIT}),
        ("pours", {Sentence.PROTOCOL, Sentence.UNASKED, Sentence.EXIT}),
    ],
)
def test_what_is_said_at_the_end_is_bounded(sin: str, sentences: set[Sentence]) -> None:
    """However much a bot says after the end of its input, that is told once, and what is left of it is not read."""
    findings = tried_here(sinner(sin))
    assert failed(findings) == sentences
    assert all(failure_of(findings, sentence).also == () for sentence in sentences)


@pytest.mark.parametrize(("times", "sentence"), [(1, Sentence.IN_TIME), (2, Sentence.LONG)])
def test_late_once_is_late_and_no_short_buffer(times: int, sentence: Sentence) -> None:
    """An answer that is late once, as on a busy machine, breaks sentence 4; only one late again breaks the unusual."""
    ask, late = ProtocolSession.ask, 0

    def asked(session: ProtocolSession, decide: Decide, line: bytes) -> tuple[int, ...]:
        nonlocal late
        if b'"padding":' in line and late < times:
            late += 1
            raise Violation(Sentence.IN_TIME, "expected an answer in time, got none")
        return ask(session, decide, line)

    with patch.object(ProtocolSession, "ask", asked):
        findings = tried_here(sinner(""), sat=TABLES[:1])
    assert failed(findings) == {sentence}, findings
    assert failure_of(findings, sentence).hint == FIXES[sentence]


@pytest.mark.long
def test_trouble_of_the_house_hides_nothing() -> None:
    """If the host fails in a later match of a process, that is tried again as a later match of a process."""
    failures: list[int] = []
    greet = ProtocolSession.greet

    def fails_once(session: ProtocolSession, line: bytes, limit: float) -> float:
        if session.greetings and not failures:
            failures.append(session.greetings)
            raise HostError("the host was away")
        return greet(session, line, limit)

    with patch.object(ProtocolSession, "greet", fails_once):
        findings = tried_here(sinner("crashes-at-second-hello"), sat=TABLES[:2])
    assert failures == [1]
    assert failed(findings) == {Sentence.AGAIN}, findings
    assert findings.matches == 2


def test_what_may_explain_it() -> None:
    """A bot that stops is told its limits and, in a sandbox, what it could read; a wrong pick needs neither."""
    launch = replace(sinner("crashes"), sandbox=Sandbox(level="landlock"))
    bounded = tried_here(sinner("crashes"), replace(LIMITS, memory=64 << 20), TABLES[:1])
    failure = failure_of(bounded, Sentence.RUNS)
    assert (failure.isolation, failure.limits.split(", ")[0]) == ("", "memory=64MiB")
    with patch.object(ProtocolSession, "greet", side_effect=Violation(Sentence.RUNS, "expected a line, got none")):
        hidden = tried_here(launch, sat=TABLES[:1])
    failure = failure_of(hidden, Sentence.RUNS)
    assert failure.isolation.startswith("landlock: it reads ")
    assert "--readable PATH" in failure.isolation
    wrong = failure_of(tried_here(sinner("picks-all-zero"), sat=TABLES[:1]), Sentence.PICKS)
    assert (wrong.isolation, wrong.limits) == ("", "")


def test_how_far_it_is() -> None:
    """While a bot is tried it is told which match of how many is played, and how many questions were asked so far."""
    heard: list[str] = []
    with patch.object(trial, "SAID_EVERY", 0.0):
        findings = tried_here(sinner("none"), sat=TABLES[:2], heard=heard.append)
    assert not failed(findings)
    assert heard[0] == f"match 1 of 2, {TABLES[0]}"
    counts = [int(said.rpartition(": ")[2].split()[0]) for said in heard if re.search(r" questions? so far$", said)]
    assert counts == list(range(1, len(counts) + 1))
    assert len(counts) >= findings.questions


def test_every_sentence_has_its_sinner() -> None:
    """No sentence is without a bot that breaks it."""
    assert {sentence for _, sentence, _ in SINS} == set(AT_TABLES) - NOTED_ONLY


@pytest.mark.long
def test_every_table_is_sat_at(lanes: Lanes) -> None:
    """A conforming bot is tried in every game, at every seat count, with every value of each variant; all holds."""
    (bot,) = [bot for bot in read_shipped_bots() if bot.name == "random"]
    launch = Launch(argv=argv(bot, bot.folder), env=environment(bot, ""), folder=bot.folder)
    sat = tuple(table for name in names() for table in tables(find(name), tuple(find(name).seats)))
    for name in names():
        game = find(name)
        here = [table for table in sat if table.game == name]
        assert {table.seats for table in here} == set(game.seats)
        assert {pair for table in here for pair in table.variants.items()} == {
            (variant, value) for variant, values in game.variants.items() for value in values
        }
    findings = tried(lanes, launch, sat)
    # a loaded machine may make it slow, which is noted
    assert {result.status for result in findings.results} <= {"ok", "note"}, findings
    assert findings.matches == len(sat)


def test_a_fault_shows_what_was_said(lanes: Lanes) -> None:
    """A failure shows where it happened, the exact lines up to it, and the end of the bot's stderr.

    A trial repeats itself: the same deals, questions and seeds, so that a mended bot can be tried again.
    """
    failure = failure_of(tried(lanes, sinner("crashes")), Sentence.RUNS)
    assert failure.where == "dockfight, seat 0 of 2, question 3"
    assert "exited with status 1" in failure.rule
    assert failure.errors.startswith(b"about to divide\n")
    assert b"ZeroDivisionError" in failure.errors
    question, answer, last = failure.lines[-3:]
    assert (question.sent, answer.sent, last.sent) == (True, False, True)
    assert failure_of(tried(lanes, sinner("crashes")), Sentence.RUNS).lines == failure.lines
    (name,) = re.findall(rb'"id":"(\w+)"', question.text)
    assert answer.text.startswith(b'{"type": "choose", "id": "' + name + b'"')


def test_a_fault_in_one_game_does_not_hide_another(lanes: Lanes) -> None:
    """After a fault the rest of that game is not tried, but the next game is, and the sentence names both."""
    findings = tried(lanes, sinner("counts-from-1"))
    failure = failure_of(findings, Sentence.PICKS)
    assert failure.where.startswith("dockfight")
    assert [where.partition(",")[0] for where in failure.also] == ["cash-a-catch"]
    skipped = {result.number for result in findings.results if result.status == "skipped"}
    assert skipped >= {Sentence.AGAIN, Sentence.UNKNOWN, Sentence.LONG}
    assert result(findings, Sentence.LONG).remark == "not tried: 7 failed"
    assert result(findings, Sentence.EXIT).status == "ok"


def test_a_bot_that_claims_a_game_that_it_does_not_play(lanes: Lanes) -> None:
    """A bot that exits over the hello of one game is told to name its games; the other game is tried all the same."""
    findings = tried(lanes, sinner("one-game"))
    failure = failure_of(findings, Sentence.READY)
    assert failure.where.startswith("cash-a-catch")
    assert "`games` of bot.toml" in failure.hint
    others = [result.status for result in findings.results if result.number not in {Sentence.READY, Sentence.AGAIN}]
    assert set(others) <= {"ok", "note"}


def test_a_silent_bot_is_not_waited_for_twice(lanes: Lanes) -> None:
    """A bot that is never ready is waited for once; the rest is said to be untried."""
    findings = tried(lanes, sinner("never-ready"), limits=Limits(start=500, move=300))
    assert [result.status for result in findings.results] == ["failed"] + ["skipped"] * 16
    assert {result.remark for result in findings.results[1:]} == {"not tried: 1 failed"}


def test_a_program_that_is_not_there(lanes: Lanes) -> None:
    """A command that cannot be started is a failure of the first sentence, with the system's words."""
    findings = tried(lanes, Launch(argv=("/no/such/program",), env={}, folder=str(HERE)))
    assert failed(findings) == {Sentence.READY}
    failure = failure_of(findings, Sentence.READY)
    assert "No such file" in failure.rule


@pytest.mark.long
def test_one_match_a_process_may_be_declared(lanes: Lanes) -> None:
    """A bot that plays one match a process holds all sentences that apply once its bot file says so."""
    findings = tried(lanes, sinner("one-match", fresh=True))
    assert not failed(findings)
    skipped = {result.number: result.remark for result in findings.results if result.status == "skipped"}
    assert skipped == dict.fromkeys((Sentence.AGAIN, Sentence.BROKEN_OFF), 'does not apply: restart = "match"')


def test_dice_of_ones_own_are_noted(lanes: Lanes) -> None:
    """Other answers to the same lines are no failure, but are noted with what was picked before and now."""
    findings = tried(lanes, sinner("own-dice"))
    assert findings.holds
    noted = result(findings, Sentence.EQUAL)
    assert noted.status == "note"
    failure = failure_of(findings, Sentence.EQUAL)
    assert re.search(r"expected the picks \[.*\] as before, got \[.*\]", failure.rule)
    assert "`seed`" in failure.hint


@pytest.mark.long
def test_a_narrow_escape_is_noted(lanes: Lanes) -> None:
    """An answer after more than half of the time is no failure, but is noted with a time that would leave room."""
    findings = tried(lanes, sinner("slow"), limits=Limits(start=5000, move=600))
    assert findings.holds
    noted = result(findings, Sentence.SPARE)
    assert noted.status == "note"
    failure = failure_of(findings, Sentence.SPARE)
    assert "within half of the 600 ms" in failure.rule
    assert "--move-time" in failure.hint


@pytest.mark.long
def test_a_slow_restart_has_its_own_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who computes for long before ``ready`` is told so, whichever sentence was being tried."""
    # however little of the processor a busy machine gives it
    monkeypatch.setattr(bot_player, "_STARTING", 0.0)
    starts = tmp_path / "starts"
    starts.touch()
    launch = sinner("slow-restart", str(starts), "3", fresh=True)
    findings = tried_here(launch, Limits(start=700, move=1000), TABLES[:1])
    assert failed(findings) == {Sentence.READY}
    assert "`--start-time " in failure_of(findings, Sentence.READY).hint


def test_a_heavy_bot_is_noted(lanes: Lanes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files, deep folders and a slow start are no failure, but are noted with their numbers."""
    deep = tmp_path / "/".join("abcdefghi")
    deep.mkdir(parents=True)
    for number in range(1001):
        (deep / str(number)).touch()
    launch = replace(sinner("none"), folder=str(tmp_path), bare=False)
    noted = result(tried(lanes, launch), Sentence.LIGHT)
    assert noted.status == "note"
    assert noted.failure is not None
    assert "got 1,001 files and 9 folders in one another" in noted.failure.rule
    monkeypatch.setattr(trial, "SOON", 0.0)
    assert re.search(r"got \d+\.\d s to be ready$", failure_of(tried_here(sinner("none")), Sentence.LIGHT).rule)


def test_exit_first_stops_at_the_first_failure(lanes: Lanes) -> None:
    """With exit-first the second game is not tried after a failure in the first."""
    findings = tried(lanes, sinner("debug"), exit_first=True)
    failure = failure_of(findings, Sentence.STDOUT)
    assert failure.also == ()


def _marked(mark: str, program: str = "") -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
            if mark.encode() in words.split(b"\0") and program.encode() in words:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_of_a_bot_is_left_after_its_trial(lanes: Lanes) -> None:
    """When the trial is over, no process that a bot left behind is there any more."""
    mark = f"left-{os.getpid()}"
    tried(lanes, sinner("leaves-a-child", mark))
    assert _marked(mark) == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_of_a_bot_is_left_after_the_death_of_the_command() -> None:
    """Whoever runs a trial may be killed outright: a moment later no process of the bot is there any more."""
    mark, before = f"orphan-{os.getpid()}", children()
    script = (
        "from arena.tournament.lanes import Lanes\n"
        "from arena.wire import Decide, Limits\n"
        "from tests.conformance.court import *\n"
        f"with Lanes(1) as lanes: tried(lanes, sinner('never-ready', {mark!r}), limits=Limits(30000, 1000))\n"
    )
    command = subprocess.Popen([sys.executable, "-c", script, mark], cwd=ROOT)
    try:
        until = monotonic() + 300
        while not _marked(mark, "sinner.py") and monotonic() < until:
            sleep(0.01)
        assert len(_marked(mark, "sinner.py")) == 1
    finally:
        command.send_signal(signal.SIGKILL)
        command.wait()
    until = monotonic() + 300
    while _marked(mark) and monotonic() < until:
        sleep(0.01)
    assert _marked(mark) == []
    # what lost its parent may have become a child of this process: other tests of it must not meet that
    sweep(before)


def test_sentences_are_documented() -> None:
    """docs/check.md has every sentence by its number, in its words, with its way to fix it."""
    text = (ROOT / "docs" / "check.md").read_text("utf-8")
    parts = [re.match(r"(\d+)\. (.+)", part) for part in text.split("\n## ")]
    found = [(*part.groups(), part.string.partition("\nFix: ")[2].partition("\n")[0]) for part in parts if part]
    assert found == [(str(sentence.value), f"The bot {TEXT[sentence]}", FIXES[sentence]) for sentence in Sentence]
