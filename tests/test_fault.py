"""The cause of an exit, as programs in several languages write it."""

import re
from pathlib import Path

import pytest

from arena.conformance.findings import FIXES
from arena.fault import CAUSES, Fault
from arena.players.botfile import BotFile
from arena.players.cures import CURES, cause_in, explain
from arena.players.launch import Launch
from arena.tournament.settings import collect_settings

PYTHON = """\
Traceback (most recent call last):
  File "/home/me/mine.py", line 7, in <module>
    print(json.loads(line))
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    raise JSONDecodeError("Expecting value", s, err.value) from None
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
"""
NODE = """\
/home/me/mine.js:3
  fish.length;
TypeError: Cannot read properties of undefined (reading 'length')
    at Object.<anonymous> (/home/me/mine.js:3:6)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
Node.js v20.20.2
"""
GO = """\
panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.main()
	/home/me/bot.go:12 +0x1d
"""
JAVA = """\
Exception in thread "main" java.lang.NullPointerException: fish is null
	at Bot.main(Bot.java:9)
"""
THROWN = """\
terminate called after throwing an instance of 'std::invalid_argument'
  what():  stoi
"""


@pytest.mark.parametrize(
    ("written", "cause"),
    [
        (PYTHON, "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0) (mine.py, line 7)"),
        (NODE, "TypeError: Cannot read properties of undefined (reading 'length') (mine.js, line 3)"),
        (GO, "panic: runtime error: index out of range [3] with length 3 (bot.go, line 12)"),
        (JAVA, 'Exception in thread "main" java.lang.NullPointerException: fish is null (Bot.java, line 9)'),
        ("# arena\n./bot.go:34:9: undefined: dices\n", "./bot.go:34:9: undefined: dices"),
        ("bot.c: In function 'main':\nbot.c:3:5: error: no fish\n", "bot.c:3:5: error: no fish"),
        ("bot.ts(3,5): error TS2322: not a string\n", "bot.ts(3,5): error TS2322: not a string"),
        ("error[E0425]: no such name\n --> bot.rs:3:5\nerror: aborting\n", "error[E0425]: no such name"),
        ("mine.sh: 7: sequ: not found\n", "mine.sh: 7: sequ: not found"),
        ("mine.sh: line 7: sequ: command not found\n", "mine.sh: line 7: sequ: command not found"),
        (THROWN, "std::invalid_argument: stoi"),
        ("libc++abi: x\n" + THROWN.replace("called after throwing an instance of", "x"), ""),
        ("terminating due to uncaught exception of type Lost: fish\n", "Lost: fish"),
        ("I think about 3 fish: 4, 5\nready\n", ""),
        ('{"start": 10000, "move": 1000}\n', ""),
        ("", ""),
    ],
)
def test_the_cause_is_seen(written: str, cause: str) -> None:
    """It is the line with the error, with its file and line; what a program writes of its work is none."""
    assert cause_in(written) == cause


ENDED = "expected a line, got the end of output"
HERE = Launch(argv=("python3", "mine.py"), env={}, folder="/nowhere")


@pytest.mark.parametrize(
    ("status", "hint", "written", "told", "cure"),
    [
        (1, "", "KeyError: 'x'\n", "KeyError: 'x' (it exited with status 1)", "correct that"),
        (3, "", "words\nno licence\n", "no licence (it exited with status 3)", "correct that"),
        (0, "read on", "bye\n", ENDED, "read on"),
        (1, "read on", "", ENDED, "read on"),
        (None, "read on", "bye\n", ENDED, "read on"),
        (None, "read on", "KeyError: 'x'\n", f"{ENDED} (it wrote: KeyError: 'x')", "read on"),
        (1, "or `games`", "KeyError: 'x'\n", "KeyError: 'x' (it exited with status 1)", "or `games`"),
        (1, "or `games`", "SyntaxError: x\n", "SyntaxError: x (it exited with status 1)", "correct that"),
        (1, "", "ImportError: x\n", "ImportError: x (it exited with status 1)", "install it"),
        (1, "", "AttributeError: module 'x' has no y\n", "AttributeError: module 'x'", "correct that"),
    ],
)
def test_an_exit_is_explained(status: int | None, hint: str, written: str, told: str, cure: str) -> None:
    """An exit is told by the error behind it; `games` is spoken of only where the game may be the reason."""
    cause = "exited-in-game" if "`games`" in hint else "exited"
    fault = explain(Fault.of(cause, rule=ENDED, hint=hint), written, launch=HERE, exit_status=status)
    assert fault.rule.startswith(told)
    assert fault.hint.startswith(cure)


def test_a_fault_that_is_no_exit_is_explained() -> None:
    """Any other fault keeps its words and has the error behind them, with whatever status the bot exited later."""
    fault = Fault.of("illegal-picks", rule="expected 1 pick, got 0", hint="pick")
    told = explain(fault, "a.sh: 7: x: not found\n", launch=HERE, exit_status=1)
    assert (told.rule, told.hint) == ("expected 1 pick, got 0 (it wrote: a.sh: 7: x: not found)", "pick")


@pytest.mark.parametrize(
    ("name", "written", "cure"),
    [
        ("raised", "KeyError: 'x'", "correct that"),
        ("library", "ModuleNotFoundError: No module named 'nunpy'", "install it"),
        ("library", "Error: Cannot find module 'left-pad'", "install it"),
        ("beside", "ModuleNotFoundError: No module named 'helper'", "helper.py lies beside it"),
        ("beside", "ModuleNotFoundError: No module named 'fish.food'", "fish lies beside it"),
        ("beside", "Error: Cannot find module './net.js'", "net.js lies beside it"),
        (
            "no-file",
            "python3: can't open file '{}/mien.py': [Errno 2] No such file",
            "mien.py; did you mean 'mine.py'?",
        ),
        ("no-file", "Error: Cannot find module '{}/mien.py'", "mien.py; did you mean 'mine.py'?"),
        ("no-file", "dash: 0: cannot open mien.py: No such file", "mien.py; did you mean 'mine.py'?"),
        ("no-file", "python3: can't open file '{}/fish/bto.py': [Errno 2] No such file", "did you mean 'bot.py'?"),
        ("beside", "ModuleNotFoundError: No module named 'food'", "food.py lies beside it"),
    ],
)
def test_a_cure_belongs_to_a_cause(tmp_path: Path, name: str, written: str, cure: str) -> None:
    """Each mistake is told its own cure: which file is not there, which lies beside a bot that cannot see it."""
    for file in ("mine.py", "helper.py", "net.js"):
        (tmp_path / file).touch()
    (tmp_path / "fish").mkdir()
    for file in ("bot.py", "food.py"):
        (tmp_path / "fish" / file).touch()
    launch = Launch(argv=("python3", "mien.py", "fish/bto.py"), env={}, folder=str(tmp_path), bare=True)
    fault = explain(Fault.of("exited", rule=ENDED), written.format(tmp_path), launch=launch, exit_status=1)
    assert cure in fault.hint
    assert fault.hint.startswith(CURES[name].partition("{")[0])
    seen = {mark.args[1][n][0] for mark in test_a_cure_belongs_to_a_cause.pytestmark for n in range(len(mark.args[1]))}  # type: ignore[attr-defined]
    assert seen == {*CURES}


def test_quotes_of_coreutils_stay_quotes() -> None:
    """What a program quotes as in print is told in ASCII."""
    fault = explain(
        Fault.of("exited", rule=ENDED), "env: \u2018python4\u2019: No such file\n", launch=HERE, exit_status=127
    )
    assert fault.rule.startswith("env: 'python4': No such file (")


def test_a_hint_names_settings_that_are_there() -> None:
    """Each option and each key of arena.toml that a cure names is one that is there."""
    keys, flags = {setting.key for setting in collect_settings().values()}, set[str]()
    for setting in collect_settings().values():
        flags |= {*setting.flags}
    texts = [*(cause.hint for cause in CAUSES.values()), *CURES.values(), *FIXES.values()]
    named = [found for text in texts for found in re.findall(r"`(\w+)` of \[(\w+)\] in arena\.toml", text)]
    assert ("start", "clocks") in named
    assert {f"{table}.{key}" for key, table in named} <= keys
    assert {flag for text in texts for flag in re.findall(r"--[a-z-]+", text)} <= flags
    assert not [text for text in texts if "arena.toml" in re.sub(r"`\w+` of \[\w+\] in arena\.toml", "", text)]
    of_bots = {field for text in texts for field in re.findall(r"`?(\w+)(?:` of| = \S+ into) bot\.toml", text)}
    assert {"games", "restart"} <= of_bots <= {*BotFile.__struct_fields__}
