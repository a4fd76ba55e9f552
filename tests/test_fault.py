"""The cause of an exit, as programs in several languages write it."""

import pytest

from arena.fault import Fault, cause_in, explain

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
        ("I think about 3 fish: 4, 5\nready\n", ""),
        ('{"start": 10000, "move": 1000}\n', ""),
        ("", ""),
    ],
)
def test_the_cause_is_seen(written: str, cause: str) -> None:
    """It is the line with the error, with its file and line; what a program writes of its work is none."""
    assert cause_in(written) == cause


ENDED = "expected a line, got the end of output"


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
    fault = explain(Fault.of(cause, rule=ENDED, hint=hint), written, exit_status=status)
    assert fault.rule.startswith(told)
    assert fault.hint.startswith(cure)


def test_a_fault_that_is_no_exit_is_explained() -> None:
    """Any other fault keeps its words and has the error behind them, with whatever status the bot exited later."""
    fault = Fault.of("illegal-picks", rule="expected 1 pick, got 0", hint="pick")
    told = explain(fault, "a.sh: 7: x: not found\n", exit_status=1)
    assert (told.rule, told.hint) == ("expected 1 pick, got 0 (it wrote: a.sh: 7: x: not found)", "pick")
