"""Asks a language model for each decision: any server that has the chat-completions interface.

The host passes variables by ``--network``: ``LLM_URL`` (such as http://127.0.0.1:8080/v1), ``LLM_MODEL`` and, if the
server wants one, ``LLM_KEY``. Whatever goes wrong, the first options are picked and the note says why.
"""

import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import msgspec

from arena.bot import Bot, Decision, Hello
from arena.games import find, rules_of

TASK = """You play {game} in seat {seat} (seats count from 0), and want to win.
You are sent all that this seat has seen, and the options, each with a number. Pick {how}, in the order that you want.
Think briefly. End with one line of JSON and nothing after it: {{"reason": "in few words", "picks": [numbers]}}"""
REPAIR = (
    'Expected a last line {{"reason": "...", "picks": [...]}} with {how} from 0 to {last}, got {got}. Try once more.'
)
SPARE = 0.1
"""The share of the time that is kept for the way back to the host, and ..."""
LEAST_SPARE = 0.1
"""... the seconds that it is at least."""
REASON = 300
"""Characters of a reason that go into a note, which has at most 1 KiB."""


def find_variable(end: str) -> str:
    """The variable ``LLM_`` with this end, or else the first that ends so: two models have two keys."""
    found = [os.environ[name] for name in sorted(os.environ) if name.endswith(f"_{end}")]
    return os.environ.get(f"LLM_{end}", found[0] if found else "")


class Answer:
    """What a server has sent so far: another thread fills it, so that no answer outlives the clock."""

    def __init__(self) -> None:
        self.text = ""
        self.tokens = 0
        self.error = ""
        self.done = threading.Event()


class Model:
    """A model on a server. It asks for a stream, and does without where the server has none."""

    def __init__(self) -> None:
        self.url = find_variable("URL").rstrip("/") + "/chat/completions"
        self.model = find_variable("MODEL")
        self.key = find_variable("KEY")
        self.stream = True

    def ask(self, messages: list[dict[str, str]], until: float) -> Answer:
        """What the model has answered by this time on the monotonic clock."""
        answer = Answer()
        threading.Thread(target=self._fill, args=(answer, messages, until), daemon=True).start()
        if not answer.done.wait(max(0.0, until - time.monotonic())):
            answer.error = "no answer in time"
        return answer

    def _fill(self, answer: Answer, messages: list[dict[str, str]], until: float) -> None:
        try:
            while (wait := self._try(answer, messages, until)) is not None:
                time.sleep(wait)
        # whatever a server does, the match goes on
        except Exception as error:  # noqa: BLE001
            answer.error = f"{type(error).__name__}: {error}"
        answer.done.set()

    def _try(self, answer: Answer, messages: list[dict[str, str]], until: float) -> float | None:
        """Ask once; the seconds to wait before it is tried again, or None."""
        question: dict[str, Any] = {"model": self.model, "messages": messages}
        if self.stream:
            question |= {"stream": True, "stream_options": {"include_usage": True}}
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        # the host has chosen this address
        request = urllib.request.Request(self.url, json.dumps(question).encode(), headers)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=max(0.001, until - time.monotonic())) as reply:  # noqa: S310
                streams = "event-stream" in reply.headers.get("Content-Type", "")
                for part in _events(reply) if streams else [json.load(reply)]:
                    for choice in part.get("choices", ())[:1]:
                        answer.text += choice.get("delta", choice.get("message", {})).get("content") or ""
                    answer.tokens = (part.get("usage") or {}).get("total_tokens", answer.tokens)
        except urllib.error.HTTPError as error:
            if error.code == HTTPStatus.BAD_REQUEST and self.stream:
                self.stream = False
                return 0.0
            wait = float(error.headers.get("Retry-After") or 1)
            busy = error.code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
            if busy and time.monotonic() + wait < until:
                return wait
            answer.error = f"{error.code}: {error.read(REASON).decode(errors='replace')}"
        return None


def _events(reply: Any) -> Iterator[dict[str, Any]]:
    """The values of a stream of server-sent events."""
    for line in reply:
        if line.startswith(b"data:") and line[5:].strip() != b"[DONE]":
            yield json.loads(line[5:])


def read_picks(text: str, decision: Decision) -> tuple[list[int], str] | None:
    """The picks and the reason of the last JSON object that has picks; None without one, or if they are not allowed."""
    for start in reversed([number for number, letter in enumerate(text) if letter == "{"]):
        try:
            value, _ = json.JSONDecoder().raw_decode(text[start:])
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(picks := value.get("picks"), list):
            good = all(type(pick) is int and 0 <= pick < len(decision.options) for pick in picks)
            if good and len({*picks}) == len(picks) and decision.least <= len(picks) <= decision.most:
                return picks, str(value.get("reason", ""))
            return None
    return None


class LlmBot(Bot):
    """Answers with what a model picks by number. A wrong answer is sent back once."""

    name = "llm"

    def __init__(self) -> None:
        self.model = Model()
        self.rules = ""

    def begin(self, hello: Hello, /) -> None:
        """The rules open each conversation, so that a server can keep what it has read of them."""
        self.rules = rules_of(find(hello.game)) or ""

    def decide(self, decision: Decision, /) -> list[int]:
        """Ask the model; without a good answer in time, the first options."""
        until = time.monotonic() + decision.time / 1000 * (1 - SPARE) - LEAST_SPARE
        some = decision.least if decision.least == decision.most else f"{decision.least} to {decision.most}"
        how = f"{some} of the {len(decision.options)} options"
        tokens, problem = 0, "only one way to pick"
        messages = [
            {"role": "system", "content": self.rules},
            {"role": "user", "content": self._describe(decision, how)},
        ]
        for _ in range(2 if len(decision.options) > decision.least else 0):
            answer = self.model.ask(messages, until)
            tokens += answer.tokens
            if (good := read_picks(answer.text, decision)) is not None:
                picks, reason = good
                self.note = {"tokens": tokens, "reason": reason[:REASON]}
                return picks
            problem = answer.error or f"no picks in {answer.text[-80:]!r}"
            if answer.error:
                break
            got = answer.text[-200:] or "nothing"
            repair = REPAIR.format(how=how, last=len(decision.options) - 1, got=repr(got))
            messages += [{"role": "assistant", "content": answer.text}, {"role": "user", "content": repair}]
        if len(decision.options) > decision.least:
            print(problem, file=sys.stderr)
            self.note = {"tokens": tokens, "first options": problem[:REASON]}
        return list(range(decision.least))

    def _describe(self, decision: Decision, how: str) -> str:
        options = [f"{number}: {option}" for number, option in enumerate(decision.options)]
        task = TASK.format(game=decision.game, seat=decision.seat, how=how)
        seen = msgspec.json.encode(decision.observation).decode()
        events = "\n".join(map(str, decision.events)) or "nothing"
        return "\n".join(
            [
                task,
                "",
                "What your seat knows:",
                seen,
                "",
                "What happened since you were asked last:",
                events,
                "",
                "Options:",
                *options,
            ]
        )


if __name__ == "__main__":
    LlmBot().run()
