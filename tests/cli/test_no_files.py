"""A pipe, a socket, a folder or a device in the place of a file that is to be read: one line, and nobody waits."""

import os
import socket
from pathlib import Path

import pytest

from tests.cli.command import BOTS, arena

KINDS = {
    "pipe": "a pipe",
    "socket": "a socket",
    "folder": "a folder",
    "device": "a device",
    "loop": "a link that leads nowhere",
}
RUN = ("-g", "dockfight", "--seats", "2", "-n", "2", "-q")


def put(kind: str, path: Path) -> None:
    """Put it there."""
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as there:
                # names of sockets are short
                os.chdir(path.parent)
                there.bind(path.name)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.symlink_to(path.name)


@pytest.mark.parametrize("kind", KINDS)
def test_in_the_place_of_a_file(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots, settings, secrets and runs: each command names what it expected and what is there instead."""
    monkeypatch.chdir(tmp_path)
    for name in ("bot", "league"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine.py").write_text(BOTS["mine.py"])
    put(kind, tmp_path / "bot" / "bot.toml")
    put(kind, tmp_path / "league" / "arena.toml")
    put(kind, tmp_path / "odd")
    got = KINDS[kind]

    def said(*words: str, place: Path = tmp_path) -> str:
        line = arena(place, *words, code=2).err
        assert line.startswith("arena: ")
        assert line.count("\n") == 1
        return line.removeprefix("arena: ").rstrip("\n")

    for words in (("run", "./bot", "random", *RUN), ("compare", "./bot", "random", *RUN[:2]), ("check", "./bot")):
        assert said(*words) == f"bot/bot.toml: expected a file, got {got}"
    for command in ("run", "season"):
        assert f"odd: expected a file, got {got}" in said(command, "--config", "odd")
    assert said("season", place=tmp_path / "league") == f"arena.toml: expected a file, got {got}"
    assert said("run", "random*2", *RUN, "--secret-file", "odd").startswith("--secret-file: expected ")
    if kind != "folder":
        assert said("run", "./odd", "random", *RUN) == f"odd: expected a folder with a bot.toml, got {got}"
    if kind not in {"folder", "loop"}:
        for line in ("run --plan odd -o part", "verify odd", "merge odd odd -o all"):
            assert said(*line.split()) == f"odd: expected a run folder with a run.json, got {got}"
