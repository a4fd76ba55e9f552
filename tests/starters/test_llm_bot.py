"""The bot that asks a language model: a small server stands for the model, and answers as servers do on bad days."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, ClassVar

import pytest

from arena.sandbox import Level
from tests.cli.command import BOTS, arena, bot_folder, records
from tests.documents import ROOT
from tests.levels import needed

BOT = ROOT / "examples" / "llm-bot"
KEY = "hushhush"
SILENT = 3
"""Questions that the silent server does not answer."""
LOOKING = """
import os, socket, sys
try:
    reached = socket.socket().close() is None
except OSError:
    reached = False
print("LLM_KEY" in os.environ, reached, file=sys.stderr, flush=True)
"""


class Server(ThreadingHTTPServer):
    """A server of chat completions that answers in one way, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, way: str) -> None:
        super().__init__(("127.0.0.1", 0), ChatModel)
        self.way = way
        self.asked: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.lines: set[bytes] = set()
        """Command lines of all processes while it was asked."""
        self.over = Event()


class ChatModel(BaseHTTPRequestHandler):
    server: Server
    OPTIONS: ClassVar = re.compile(r"of the (\d+) options")

    def do_POST(self) -> None:
        """Answer one question."""
        server = self.server
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(question)
        server.keys.add(self.headers["Authorization"])
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                server.lines.add(path.read_bytes())
            except OSError:
                continue
        first = len(question["messages"]) == 2
        if server.way == "silent" and len(server.asked) <= SILENT:
            server.over.wait(60)
            return
        if server.way == "refusing" or (server.way == "without-streams" and "stream" in question):
            self.send_response(401 if server.way == "refusing" else 400)
            self.end_headers()
            self.wfile.write(b"no such key")
            return
        if server.way == "busy" and len(server.asked) % 2:
            self.send_response(429)
            self.send_header("Retry-After", "0")
            self.end_headers()
            return
        match = self.OPTIONS.search(question["messages"][1]["content"])
        assert match is not None
        last = int(match[1]) - 1
        text = f'I think {{so}}. {{"reason": "the last", "picks": [{last}]}}'
        if server.way == "always-wrong" or (server.way == "first-wrong" and first):
            text = f'{{"picks": [{last + 1}]}}' if len(server.asked) % 2 else "I would rather fish."
        self.send_response(200)
        if question.get("stream") and server.way != "whole":
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.end_headers()
            parts: list[dict[str, Any]] = [{"choices": [{"delta": {"content": letter}}]} for letter in text]
            for part in [*parts, {"choices": [], "usage": {"total_tokens": 42}}]:
                self.wfile.write(b": wait\n\ndata: " + json.dumps(part).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")
            return
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        whole = {"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 42}}
        self.wfile.write(json.dumps(whole).encode())

    def log_message(self, format: str, *_: Any) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@contextmanager
def serve(way: str) -> Iterator[Server]:
    """A server while it is used."""
    with Server(way) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


def play(place: Path, server: Server, *words: str) -> list[dict[str, Any]]:
    """The notes of the bot in a run of two matches against this server, by decision."""
    variables = {"LLM_URL": f"http://127.0.0.1:{server.server_port}/v1", "LLM_MODEL": "fish-8b", "LLM_KEY": KEY}
    permission = "llm=" + ",".join(variables)
    table = ("-g", "fish-food", "--seats", "2", "-n", "2", "--seed", "s", "-o", "r", "--start-time", "20s")
    arena(place, "run", str(BOT), "random", *table, "--network", permission, *words, env={**os.environ, **variables})
    played = records(place / "r")
    assert not [fault for match in played for fault in match.get("faults", ())]
    notes = (place / "r" / "notes" / "llm.jsonl").read_text().splitlines()
    return [note for line in notes for note in json.loads(line)["notes"].values()]


@pytest.mark.long
@pytest.mark.parametrize("way", ["streaming", "whole", "without-streams", "first-wrong", "busy"])
def test_a_model_picks(tmp_path: Path, way: str) -> None:
    """It picks what the model names, in a stream or whole, also if it must be asked again; the note tells why."""
    with serve(way) as server:
        notes = play(tmp_path, server, "--move-time", "30s", "--isolation", "none")
    assert {note["reason"] for note in notes} == {"the last"}
    assert {note["tokens"] for note in notes} == ({84} if way == "first-wrong" else {42})
    assert server.keys == {f"Bearer {KEY}"}
    assert {question["model"] for question in server.asked} == {"fish-8b"}
    rules, question = server.asked[-1]["messages"][:2]
    assert "# Fish Food" in rules["content"]
    assert "You play fish-food in seat" in question["content"]
    assert "\n0: " in question["content"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("way", "why"),
    [("always-wrong", "no picks in"), ("refusing", "401: no such key"), ("silent", "no answer in time")],
)
def test_without_an_answer(tmp_path: Path, way: str, why: str) -> None:
    """Whatever the server does, the bot answers in time, picks the first options and notes why."""
    with serve(way) as server:
        notes = play(tmp_path, server, "--move-time", "30s" if way != "silent" else "1500ms", "--isolation", "none")
    problems = [note["first options"] for note in notes if "first options" in note]
    assert len(problems) == (SILENT if way == "silent" else len(notes)) > 0
    assert all(why in problem for problem in problems)


@pytest.mark.long
def test_two_models_play_each_other(tmp_path: Path) -> None:
    """One folder plays under two names, each with the server, the model and the key that its variables name."""
    with serve("streaming") as small, serve("whole") as large:
        variables = {
            "SMALL_URL": f"http://127.0.0.1:{small.server_port}/v1",
            "SMALL_MODEL": "fish-1b",
            "LARGE_URL": f"http://127.0.0.1:{large.server_port}/v1",
            "LARGE_MODEL": "fish-70b",
            "LARGE_KEY": KEY,
        }
        permissions = ("--network", "small=SMALL_URL,SMALL_MODEL", "--network", "large=LARGE_URL,LARGE_MODEL,LARGE_KEY")
        table = ("-g", "fish-food", "--seats", "2", "-n", "2", "-o", "r", "--start-time", "20s", "--move-time", "60s")
        arena(tmp_path, "run", f"small={BOT}", f"large={BOT}", *table, *permissions, "--lanes", "16", env=variables)
    assert {question["model"] for question in small.asked} == {"fish-1b"}
    assert {question["model"] for question in large.asked} == {"fish-70b"}
    assert (small.keys, large.keys) == ({None}, {f"Bearer {KEY}"})


@pytest.mark.long
@pytest.mark.parametrize("level", ["landlock", "bwrap"])
def test_a_permission_is_for_one_bot(tmp_path: Path, level: Level) -> None:
    """In a sandbox the permitted bot alone reaches the network and has the variables, which no command line holds."""
    needed(level)
    spy = bot_folder(tmp_path / "spy", LOOKING + BOTS["mine.py"], name="spy")
    with serve("streaming") as server:
        notes = play(tmp_path, server, str(spy), "--move-time", "30s", "--isolation", level)
        assert KEY.encode() not in b"".join(server.lines)
        assert any(b"bot.py" in line for line in server.lines)
    assert {note["reason"] for note in notes} == {"the last"}
    assert (tmp_path / "r" / "logs" / "spy.log").read_text().splitlines()[0] == "False False"
    table = arena(tmp_path, "leaderboard", "r").out
    assert "Could reach the network: llm." in table
    assert not [path for path in (tmp_path / "r").rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("permission", "said"),
    [
        ("mine=LD_PRELOAD", "--network: expected names of variables with an underscore, such as LLM_KEY"),
        ("mine=no_such", "--network: expected names of variables with an underscore, such as LLM_KEY"),
        ("mine=NO_SUCH_KEY", "--network: expected NO_SUCH_KEY in the environment, got none"),
    ],
)
def test_what_is_no_permission(tmp_path: Path, permission: str, said: str) -> None:
    """A permission passes variables that are there, and none that a loader heeds."""
    mine = bot_folder(tmp_path / "mine")
    wrong = arena(tmp_path, "run", str(mine), "random", "-g", "fish-food", "-n", "2", "--network", permission, code=2)
    assert said in wrong.err


@pytest.mark.long
def test_a_permission_for_nobody(tmp_path: Path) -> None:
    """A permission for a bot that does not take part is a mistake in a run; a league, whose bots may leave, says so."""
    mine = bot_folder(tmp_path / "mine")
    said = "--network: expected a bot of mine, random, got 'mien'; did you mean 'mine'?"
    wrong = ("-g", "fish-food", "-n", "2", "--network", "mien=NO_SUCH_KEY")
    assert said in arena(tmp_path, "run", str(mine), "random", *wrong, code=2).err
    (tmp_path / "arena.toml").write_text(
        'games = ["fish-food"]\nbots = ["mine", "random"]\nmatches = 2\nnetwork = ["mien=NO_SUCH_KEY"]\n'
    )
    assert said in arena(tmp_path, "season", "--trust").err
    assert "network" not in (tmp_path / "leaderboard.md").read_text()


def test_a_plan_gives_no_permission(tmp_path: Path) -> None:
    """Who plays a part of a plan permits the network again; a run goes on with the permissions with which it began."""
    mine = bot_folder(tmp_path / "mine")
    words = ("run", str(mine), "random", "-g", "fish-food", "--seats", "2", "-n", "2")
    arena(tmp_path, *words, "--network", "mine", "--dry-run", "-o", "plan")
    refused = arena(tmp_path, "run", str(mine), "random", "--plan", "plan", "-o", "r", code=2)
    assert "expected the bots that the plan names, mine; got none" in refused.err
    arena(tmp_path, "run", str(mine), "random", "--plan", "plan", "-o", "r", "--network", "mine")
    arena(tmp_path, *words, "-o", "closed")
    refused = arena(tmp_path, *words, "-o", "closed", "-n", "4", "--network", "mine", code=2)
    assert "expected --network none, got mine" in refused.err
