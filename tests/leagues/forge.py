"""A forge on this machine: private repositories, which it gives over HTTP to whoever has the token."""

import os
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which
from threading import Thread
from typing import Any

from arena.starters import write_bot
from tests.leagues.test_entries import at, git

TOKEN = "s3cret-of-the-host"  # noqa: S105 - of a forge that ends with the test
LOGIN = f"Basic {b64encode(f'x-access-token:{TOKEN}'.encode()).decode()}"
MARK = "# only its owner and the host read this"
"""Stands in the source of each bot."""


class _Forge(BaseHTTPRequestHandler):
    """Passes each request on to the program that git has for servers."""

    def __init__(self, *words: Any, folder: Path) -> None:
        self.folder = folder
        super().__init__(*words)

    def do_GET(self) -> None:
        """Give what is asked for to whoever is let in."""
        path, _, query = self.path.partition("?")
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != LOGIN:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="forge"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        env |= {"GIT_PROJECT_ROOT": str(self.folder), "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "host"}
        env |= {"PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command}
        env |= {"CONTENT_TYPE": self.headers.get("Content-Type") or "", "CONTENT_LENGTH": str(len(data))}
        env |= {
            "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
        }
        done = subprocess.run(
            [which("git") or "git", "http-backend"], env=env, input=data, stdout=subprocess.PIPE, check=True
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in {**fields, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 - as the class above calls it

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def forge(folder: Path) -> Iterator[str]:
    """The address of the repositories in a folder, such as a league has in its settings."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Forge, folder=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/{{owner}}/{{bot}}.git"
        finally:
            server.shutdown()


class Source:
    """A bot's repository: somebody's clone, and the bare one at the forge."""

    def __init__(self, folder: Path, owner: str, bot: str) -> None:
        """Begin both, with nothing pushed."""
        self.work, self.bare = folder / "clones" / bot, folder / owner / f"{bot}.git"
        write_bot(self.work, "perl", None)
        for where, words in ((self.work, ()), (self.bare, ("--bare",))):
            where.mkdir(parents=True, exist_ok=True)
            git(where, "init", "-q", "--initial-branch=trunk", *words)

    def push(self, text: str, hour: float, *how: str) -> str:
        """Commit a change of this bot, dated at an hour, and push it; its id."""
        program = self.work / "bot.pl"
        program.write_text(program.read_text("utf-8").partition(MARK)[0] + f"{MARK}: {text}\n", "utf-8")
        git(self.work, "add", "--all")
        git(self.work, "commit", "-q", "-m", text, when=at(hour))
        self.send(*how)
        return git(self.work, "rev-parse", "HEAD")

    def send(self, *how: str) -> None:
        """Push what is committed."""
        git(self.work, "push", "-q", *how, self.bare, "HEAD:trunk")
