"""A small bot that plays well but for one sin, which is its argument. Run as a program, never imported."""
# ruff: noqa: T201 - print is how a bot speaks

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SIN = sys.argv[1]
KNOWN = {
    "hello": {"type", "protocol", "match", "game", "version", "variants", "seat", "seats", "seed", "limits"},
    "decide": {"type", "id", "least", "most", "count", "time", "options", "observation", "events"},
    "over": {"type", "ranks", "scores", "reason", "events"},
}
BUFFER = 65_536
LAST_WORDS = {"says-goodbye": "bye\n", "says-goodbyes": "bye\n" * BUFFER, "pours": "x" * (BUFFER << 6)}


class Memory:
    """What the bot remembers."""

    dice = random.Random()
    hellos = 0
    questions = 0
    last_id = ""
    in_match = False


def say(message: dict[str, Any]) -> None:
    """Send a message."""
    print(json.dumps(message), flush=SIN != "never-flushes")


def lines() -> Iterator[bytes | str]:
    """What the host sends."""
    if SIN == "short-buffer":
        # as fgets does: a longer line comes in pieces
        while piece := sys.stdin.buffer.readline(BUFFER):
            yield piece
    else:
        yield from sys.stdin


def begin(message: dict[str, Any]) -> None:
    """Answer a hello."""
    Memory.hellos += 1
    if SIN == "ready-once" and Memory.hellos > 1:
        return
    if SIN == "one-match" and Memory.hellos > 1:
        sys.exit(0)
    if SIN == "crashes-at-second-hello" and Memory.hellos > 1:
        raise RuntimeError("I have met you before")
    if SIN == "one-game" and message["game"] != "dockfight":
        raise ValueError("I only play dockfight")
    if SIN == "wants-over" and Memory.in_match:
        raise RuntimeError("the match was not over")
    if SIN == "slow-restart":
        starts = Path(sys.argv[2])
        starts.write_text(starts.read_text() + ".")
        while len(starts.read_text()) > int(sys.argv[3]) and time.process_time() < 60:
            pass
    if SIN == "debug-first":
        print("seat", message["seat"], flush=True)
    if SIN == "leaves-a-child" and Memory.hellos == 1:
        command = [sys.executable, "-c", "import time; time.sleep(60)", sys.argv[2]]
        null = subprocess.DEVNULL
        subprocess.Popen(command, start_new_session=True, stdin=null, stdout=null, stderr=null)
    Memory.in_match = True
    Memory.dice.seed(None if SIN == "own-dice" else message["seed"])
    say({"type": "ready", "protocol": 2 if SIN == "protocol-2" else 1})
    if SIN == "ready-twice":
        say({"type": "ready"})


def twisted(message: dict[str, Any], picks: list[int]) -> list[int] | int:
    """The picks, or wrong ones."""
    match SIN:
        case "bare-number":
            return picks[0] if picks else 0
        case "counts-from-1":
            return [message["count"] - index for index in range(max(1, message["least"]))]
        case "picks-all-zero":
            return [0] * (message["most"] + 1)
        case "stale-hand" if Memory.hellos > 1:
            return [99]
    return picks


def answer(message: dict[str, Any]) -> None:
    """Answer a question."""
    Memory.questions += 1
    size = Memory.dice.randint(message["least"], message["most"])
    picks = twisted(message, Memory.dice.sample(range(message["count"]), size))
    name = message["id"]
    match SIN:
        case "loops":
            while True:
                pass
        case "never-answers":
            return
        case "crashes":
            print("about to divide", file=sys.stderr)
            print(1 / (3 - Memory.questions), file=sys.stderr)
        case "too-much-cpu" if Memory.questions == 3:
            # as the kernel does it
            os.kill(os.getpid(), signal.SIGXCPU)
        case "leaves-early" if Memory.questions == 3:
            sys.exit(0)
        case "debug":
            print("thinking about", message["count"], "options", flush=True)
        case "invented-id":
            name = "7"
        case "last-id" if Memory.last_id:
            name = Memory.last_id
        case "python-repr":
            print({"type": "choose", "id": name, "picks": picks}, flush=True)
            return
        case "slow" if Memory.questions == 1:
            time.sleep(0.6 * message["time"] / 1000)
        case "very-long":
            print(json.dumps({"type": "choose", "id": name, "picks": picks, "why": "so" * BUFFER}), flush=True)
            return
    Memory.last_id = message["id"]
    say({"type": "choose", "id": name, "picks": picks})
    if SIN == "answers-twice":
        say({"type": "choose", "id": name, "picks": picks})


def main() -> None:
    """Serve until the end of input."""
    if SIN == "exits-at-once":
        print("no licence found", file=sys.stderr)
        sys.exit(3)
    if SIN == "never-ready":
        time.sleep(60)
    for line in lines():
        message = json.loads(line)
        if SIN == "known-fields-only" and message["type"] in KNOWN:
            assert message.keys() == KNOWN[message["type"]], message.keys()
        if SIN == "known-types-only":
            KNOWN[message["type"]]
        match message["type"]:
            case "hello":
                begin(message)
            case "decide" if SIN == "breakpoint":
                breakpoint()  # noqa: T100 - that is its sin
            case "decide":
                answer(message)
            case "over":
                Memory.in_match = False
                if SIN == "answers-over":
                    say({"type": "ready"})
    print(LAST_WORDS.get(SIN, ""), end="", flush=True)
    if SIN == "stays":
        time.sleep(60)
    if SIN == "status-1":
        sys.exit(1)


main()
