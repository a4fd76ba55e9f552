"""A bot that plays by the protocol but for one sin: ``python bot.py --sin never-read [--at 0]``.

``--at`` is the decision, counted from 0, at which the sin is committed; sins of the start know no decision. Standard
library only, and nothing is imported that a bot in another language would not have. The sins against limits and sandbox
are in ``trespass.py``, those against the processor in ``processor.py``.
"""

from __future__ import annotations

import os
import sys
import time
from _json import make_scanner  # `import json` would bring `re`, which takes longer than all else of a start

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes
    import json
    import math
    import resource
    import signal
    import threading
    from collections.abc import Callable, Iterator
    from importlib import import_module
    from typing import Any, Never

    import processor  # type: ignore[import-not-found]  # it lies beside this script, which no test imports
    import trespass  # type: ignore[import-not-found]  # likewise

    Question = dict[str, Any]
else:

    class Later:
        """A module that is imported when it is first used: few sins need one, and a start is to be cheap."""

        def __init__(self, name: str) -> None:
            self.name = name

        def __getattr__(self, name: str) -> object:
            return getattr(import_module(self.name), name)

    def import_module(name: str) -> object:
        """A module by its name."""
        return __import__(name)

    ctypes, json, math, resource, signal, threading, processor, trespass = map(
        Later, ("ctypes", "json", "math", "resource", "signal", "threading", "processor", "trespass")
    )


class Plain:
    """How the scanner of `json` reads: strictly, with Python's own numbers and no hooks."""

    strict = True
    parse_int, parse_float, parse_constant = int, float, float
    object_hook = object_pairs_hook = array_hook = None


read = make_scanner(Plain)  # type: ignore[arg-type]  # any object with these names will do

READY = b'{"type":"ready","name":"sinner"}\n'

REPLIES: dict[str, str] = {
    # what a plain answer may look like besides
    "crlf": '{"type":"choose","id":"@","picks":[1]}\r\n',
    "blank-lines": '\n \n\r\n\n{"type":"choose","id":"@","picks":[1]}\n',
    "line-separators": '{"type":"choose","note":"a\u2028b\u2029c\u0085d","id":"@","picks":[1]}\n',
    "extra-fields": '{"type":"choose","id":"@","mood":{"good":[1.5,null]},"picks":[1]}\n',
    "answer-twice": '{"type":"choose","id":"@","picks":[1]}\n{"type":"choose","id":"@","picks":[2]}\n',
    # lines that are no lines
    "no-newline": '{"type":"choose","id":"@","picks":[1]}',
    "blank-flood": "\n" * 200,
    "debug-print": "I am thinking about seat 1 ...\n",
    "terminal": "\x1b]52;c;ZXZpbA==\x07\u202e::error::\x00 boo\n",
    # lines that are no messages
    "byte-order-mark": '\ufeff{"type":"choose","id":"@","picks":[1]}\n',
    "deep": '{"type":"choose","id":"@","picks":[1],"x":' + "[" * 20_000 + "]" * 20_000 + "}\n",
    "twin-keys": '{"type":"choose","id":"@","picks":[1],"picks":[2]}\n',
    "other-type": '{"type":"bid","id":"@","picks":[1]}\n',
    "wrong-id": '{"type":"choose","id":"000000000000","picks":[1]}\n',
    # messages against the rules
    "minus-one": '{"type":"choose","id":"@","picks":[-1]}\n',
    "out-of-range": '{"type":"choose","id":"@","picks":[3]}\n',
    "huge-pick": '{"type":"choose","id":"@","picks":[99999999999999999999]}\n',
    "too-many": '{"type":"choose","id":"@","picks":[0,1,2]}\n',
    "too-few": '{"type":"choose","id":"@","picks":[]}\n',
    "same-twice": '{"type":"choose","id":"@","picks":[1,1]}\n',
}
"""Sins that are bytes: what is written for an answer, the question's id in place of the at sign."""


def write(data: bytes, to: int = 1) -> None:
    """Write all of it, however long that takes."""
    while data:
        data = data[os.write(to, data) :]


def choose(question: Question, pick: int = 1) -> None:
    """The honest answer."""
    write(b'{"type":"choose","id":"%s","picks":[%d]}\n' % (question["id"].encode(), pick))


def wait_for_ever() -> Never:
    """Do nothing; not even the end of input ends this."""
    while True:
        time.sleep(1 << 20)


def flood(data: bytes, to: int = 1) -> Never:
    """Write the same for ever."""
    while True:
        write(data, to)


def drip(question: Question) -> Never:
    """A byte now and then, of a line that does not end."""
    while True:
        write(b" " if question else b"{")
        time.sleep(0.02)


def chatter(_question: Question) -> Never:
    """A harmless line now and then, for ever."""
    while True:
        write(READY)
        time.sleep(0.02)


def close(descriptor: int) -> Never:
    """Close a pipe and live on."""
    os.close(descriptor)
    wait_for_ever()


def end(status: int, last: bytes = b"") -> Never:
    """Say a last thing, and why on stderr, and exit."""
    write(last)
    write(b"these are my last words\n", 2)
    os._exit(status)


def exit_between(question: Question) -> Never:
    """Answer, and exit before the next question."""
    choose(question)
    end(0)


def die(number: int) -> Never:
    """Be ended, or stopped, by a signal of one's own."""
    os.kill(os.getpid(), number)
    wait_for_ever()


def crash() -> None:
    """Read where there is nothing."""
    ctypes.string_at(0)


def leave_child(*, exits: bool) -> None:
    """Have a child that holds the pipes; perhaps exit before it."""
    if os.fork() == 0:
        wait_for_ever()
    if exits:
        os._exit(0)


def daemon(*, keeps_pipes: bool) -> None:
    """Have a grandchild in a session of its own, whose parent is gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if not keeps_pipes:
                nothing = os.open(os.devnull, os.O_RDWR)
                for descriptor in range(3):
                    os.dup2(nothing, descriptor)
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            wait_for_ever()
        os._exit(0)
    os.wait()


def daemon_and_exit() -> Never:
    """Leave only a daemon."""
    daemon(keeps_pipes=False)
    end(1)


def bomb(*, exits: bool) -> None:
    """Forty processes in sessions of their own, half of them orphans."""
    for number in range(40):
        if os.fork() == 0:
            os.setsid()
            if number % 2 and os.fork():
                os._exit(0)
            wait_for_ever()
    if exits:
        os._exit(1)


def dig() -> None:
    """Make folders within folders, deeper than a path can name."""
    here = os.open(os.environ["HOME"], os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("down", dir_fd=here)
        below = os.open("down", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below


def confess(_question: Question) -> None:
    """Tell on stderr what was inherited."""
    paths = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]  # noqa: PTH208 - a bot may be old-fashioned
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - likewise
        fields = dict(line.rstrip("\n").split(":\t") for line in status if line[:3] in ("NoN", "Sig"))
    facts = {
        "descriptors": {path[14:]: os.readlink(path) for path in paths if os.path.islink(path)},  # noqa: PTH114, PTH115 - likewise
        "environment": dict(os.environ),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "pid": os.getpid(),
        "session": os.getsid(0),
        "status": fields,
        "terminal": has_terminal(),
    }
    tell(facts)


def tell(facts: object) -> None:
    """Say on stderr what came of a sin."""
    write(json.dumps(facts).encode() + b"\n", 2)


def has_terminal() -> bool:
    """Whether there is a controlling terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def at_start(sin: str) -> None:
    """Sins before the first word is read."""
    match sin:
        case "never-read":
            write(READY)
            wait_for_ever()
        case "never-write":
            for _ in sys.stdin.buffer:
                pass
        case "greet-unflushed":
            sys.stdout.write(READY.decode())
            for _ in sys.stdin.buffer:
                pass
        case "exit-0":
            end(0)
        case "exit-3":
            end(3)
        case "print-at-start":
            write(b"Sinner 1.0 by nobody\n")
        case "future":
            write(b'{"type":"ready","protocol":2}\n')
        case "early-answers":
            write(b"".join(b'{"type":"choose","id":"%d","picks":[2]}\n' % number for number in range(1, 50)))
        case "kill-house-at-start":
            os.kill(os.getppid(), signal.SIGKILL)
        case "slow-start":
            time.sleep(0.5)
        case "work-at-start" | "spin-at-start":
            processor.work(0.15 if sin == "work-at-start" else math.inf)


def forge(question: Question, number: int, past: list[Question]) -> None:
    """Of three questions answer one and at once the next, one too late, one honestly; and all earlier ones again."""

    def pick(name: str, option: int) -> bytes:
        return b'{"type":"choose","id":"%s","picks":[%d]}\n' % (name.encode(), option)

    name = question["id"]
    again = b"".join(pick(other["id"], 2) for other in past[-2:])
    if number % 3 == 0:
        past.clear()
        write(pick(name, 1) + pick(f"{int(name, 16) + 2:012x}", 2))
    elif number % 3 == 1:
        write(again + pick(name, 2))
    else:
        write(again + pick(name, 1))
    past.append(question)


ACTS: dict[str, Callable[[Question], object]] = {
    "mute": lambda _: wait_for_ever(),
    "buy-by-orphans": lambda _: processor.buy_by_orphans(),
    "buy-by-children": lambda _: processor.spin_hidden(),
    "unflushed": lambda question: sys.stdout.write(f'{{"type":"choose","id":"{question["id"]}","picks":[1]}}\n'),
    "drip": drip,
    "chatter": chatter,
    "spam": lambda _: flood(READY * 100),
    "fat-spam": lambda _: flood(b'{"type":"ready","name":"%s"}\n' % (b"x" * 60_000)),
    "long-line": lambda _: flood(b"x" * 65_536),
    "one-long-line": lambda _: write(b"x" * 300_000 + b"\n"),
    "utf-16": lambda question: write(f'{{"type":"choose","id":"{question["id"]}","picks":[1]}}\n'.encode("utf-16")),
    "bad-utf-8": lambda question: write(b'{"type":"choose","id":"%s","x":"\xff"}\n' % question["id"].encode()),
    "random": lambda _: write(bytes(range(11, 256)) + b"\n"),
    "close-output": lambda _: close(1),
    "stderr-flood": lambda _: flood(b"e" * 65_536, 2),
    "kill-house": lambda _: os.kill(os.getppid(), signal.SIGKILL),
    "guess-ids": lambda _: write(b"".join(b'{"type":"choose","id":"%d","picks":[2]}\n' % n for n in range(1, 50))),
    "exit-between": exit_between,
    "cut-short": lambda question: end(0, b'{"type":"choose","id":"%s"' % question["id"].encode()),
    "crash": lambda _: crash(),
    "stop": lambda _: die(signal.SIGSTOP),
    "leave-child": lambda _: leave_child(exits=True),
    "daemon-and-exit": lambda _: daemon_and_exit(),
    "bomb-and-exit": lambda _: bomb(exits=True),
    "fork-bomb": lambda _: trespass.fork_bomb(),
    "memory-bomb": lambda _: trespass.memory_bomb(),
    "hoard-together": lambda _: trespass.hoard_together(),
    "burn": lambda _: trespass.spin(),
    "write-beyond": lambda _: trespass.write_beyond(),
}
"""Sins in place of an answer."""

BESIDE: dict[str, Callable[[Question], object]] = {
    "keep-child": lambda _: leave_child(exits=False),
    "daemon": lambda _: daemon(keeps_pipes=False),
    "daemon-with-pipes": lambda _: daemon(keeps_pipes=True),
    "bomb": lambda _: bomb(exits=False),
    "much-stderr": lambda _: write(b"first " + b"e" * 500_000 + b" last", 2),
    "close-input": lambda _: os.close(0),
    "close-errors": lambda _: os.close(2),
    "dig": lambda _: dig(),
    "confess": confess,
    "trespass": lambda question: tell(trespass.attempt(json.loads(question["observation"]["padding"]))),
    "kill-everybody": lambda _: tell(trespass.kill_everybody()),
    "open-many": lambda _: tell(trespass.open_many()),
    "many-files": lambda _: tell(trespass.many_files(60_000)),
    "fill": lambda question: tell(trespass.fill(json.loads(question["observation"]["padding"]))),
    "keep-note": lambda question: tell(trespass.keep_note(json.loads(question["observation"]["padding"]))),
    "hoard": lambda question: import_module("needs").HOARD[question["observation"]["padding"]](),
    "need": lambda _: tell({name: import_module("needs")._had(name) for name in import_module("needs").NEED}),
    "think": lambda _: time.sleep(0.02),
    "work": lambda _: processor.work(0.066),
    "spin": lambda _: threading.Thread(target=processor.spin, daemon=True).start(),
    "spin-child": lambda _: processor.spin_in_child(orphan=False),
    "spin-orphan": lambda _: processor.spin_in_child(orphan=True),
    "spin-unmarked": lambda _: processor.spin_unmarked(),
}
"""Sins besides an honest answer."""


CROWDS = {"crowd": 60.0, "overtime": 1.0}
"""For how many seconds it thinks among its children."""


def lines() -> Iterator[bytes]:
    """The lines of the host, until its goodbye."""
    rest = b""
    while data := os.read(0, 65_536):
        *whole, rest = (rest + data).split(b"\n")
        yield from whole


class Memory:
    """Keeps the hands that others turned out to have in the toy game, and says if one of them is dealt again."""

    def __init__(self) -> None:
        self.hands: set[tuple[int, ...]] = set()
        self.bids: list[list[int]] = []

    def hear(self, message: dict[str, Any]) -> None:
        """Learn from any message of the house."""
        if message["type"] == "hello":
            self.bids = []
            return
        sight = message.get("observation")
        if sight and not sight["discards"] and tuple(sight["hand"]) in self.hands:
            write(b"seen\n", 2)
        self.bids += [event["bids"] for event in message["events"] if event["type"] == "bought"]
        if message["type"] == "over":
            self.hands.update(tuple(sorted(bids)) for bids in zip(*self.bids, strict=True))


def meet(sin: str, question: Question, meetings: list[trespass.Meeting]) -> None:
    """Leave a word for another bot, or look for it."""
    meeting = trespass.Meeting(**json.loads(question["observation"]["padding"]))
    meetings.append(meeting)
    if sin == "leave-word":
        meeting.leave()
    else:
        tell(meeting.find())


def at_over(sin: str, meetings: list[trespass.Meeting]) -> None:
    """Sins between matches."""
    while meetings:
        meetings.pop().clear()
    if sin == "exit-at-over":
        end(0)
    if sin == "leave-child-at-over":
        leave_child(exits=True)
    if sin == "close-at-over":
        close(1)


def answer(question: Question, sin: str, number: int, withheld: list[Question]) -> None:
    """Sin or be honest; ``number`` counts from the decision of the sin, ``withheld`` is for the bot to keep."""
    if sin == "always-late":
        return
    if sin in CROWDS:
        processor.think(CROWDS[sin])
        choose(question)
        return
    if sin == "forge-ids":
        forge(question, number, withheld)
        return
    if sin == "answer-late" and number == 0:
        withheld.append(question)
        return
    if sin == "answer-late" and number == 1:
        choose(withheld[0], 2)
    if number == 0 and sin in ACTS:
        ACTS[sin](question)
        return
    if number == 0 and sin in REPLIES:
        write(REPLIES[sin].replace("@", question["id"]).encode())
        return
    if sin in BESIDE and (number == 0 or sin in {"think", "work"}):
        BESIDE[sin](question)
    choose(question)
    if sin == "close-input" and number == 0:
        wait_for_ever()


def play(sin: str, at: int, once: str | None, diary: str | None) -> None:
    """Talk to the host until its goodbye."""
    asked = 0
    withheld: list[Question] = []
    memory = Memory()
    meetings: list[trespass.Meeting] = []
    for line in lines():
        message, _ = read(line.decode(), 0)
        if sin == "remember":
            memory.hear(message)
        if message["type"] == "hello":
            if diary:
                with open(diary, "a", encoding="ascii") as book:  # noqa: PTH123 - a bot may be old-fashioned
                    book.write(f"{os.getpid()} {message['match']}\n")
            if sin in CROWDS:
                processor.crowd()
            write(READY)
        elif message["type"] == "over":
            at_over(sin, meetings)
        else:
            if asked == at and once:
                os.close(os.open(once, os.O_CREAT | os.O_WRONLY, 0o600))
            if asked == at and sin in ("leave-word", "find-word"):
                meet(sin, message, meetings)
            answer(message, sin, asked - at, withheld)
            asked += 1


def main() -> None:
    """Read what the sin is, and commit it."""
    told = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    # `--once`: a file; where it exists, the sin has been committed and is not repeated
    sin, once = told.get("--sin", "none"), told.get("--once")
    if once and os.path.exists(once):  # noqa: PTH110 - a bot may be old-fashioned
        sin, once = "none", None
    if sin == "deaf-to-signals":
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
    at_start(sin)
    # `--diary`: a file; it gets the number of the process and the label of each match
    play(sin, int(told.get("--at", "0")), once, told.get("--diary"))
    if sin == "deaf-to-signals":
        wait_for_ever()


if __name__ == "__main__":
    main()
