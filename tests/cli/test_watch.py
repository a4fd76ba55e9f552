"""``arena watch``: a run on a live page, asked for by a client that is no browser."""

import http.client
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from arena.page.serving import served
from arena.tournament.folder import RunFolder
from arena.web.live import Live
from tests.cli.command import ARENA, change, forge, records, refusal, unfinish


def got(address: str, path: str = "", **headers: str) -> tuple[int, str]:
    """The status and the text of an answer."""
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=30)) as connection:
        connection.request("GET", f"{parts.path}{path}", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


@contextmanager
def stream(address: str, last: str = "") -> Iterator[Iterator[tuple[str, str, Any]]]:
    """The events of a page as they come: id, name and data."""
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=30)) as connection:
        connection.request("GET", f"{parts.path}events", headers={"Last-Event-ID": last} if last else {})
        answer = connection.getresponse()

        def events() -> Iterator[tuple[str, str, Any]]:
            told: dict[str, str] = {}
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    told[name] = value
                elif "event" in told:
                    yield told.get("id", ""), told["event"], json.loads(told["data"])
                    told = {}

        yield events()


@pytest.fixture
def run(place: Path, tmp_path: Path) -> Path:
    """A finished run of 16 matches, alone in a folder."""
    return Path(shutil.copytree(place / "results/demo", tmp_path / "demo"))


@contextmanager
def watched(run: Path) -> Iterator[tuple[Live, str]]:
    """A run and the address of its page; nobody reads on but the test."""
    live = Live(RunFolder(run))
    with served(live.gets) as address:
        yield live, address


def test_only_who_has_the_address(run: Path) -> None:
    """The command prints an address of this machine; without its token, or from a foreign page, there is nothing."""
    with subprocess.Popen([*ARENA, "watch", run], stdout=subprocess.PIPE, text=True) as command:
        try:
            assert command.stdout is not None
            address = command.stdout.readline().rstrip("\n")
            parts = urlsplit(address)
            assert parts.hostname == "127.0.0.1"
            assert got(address)[0] == 200
            assert got(f"http://{parts.netloc}/")[0] == 404
            for header in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
                for path in ("", "events"):
                    assert got(address, path, **header)[0] == 403
        finally:
            command.terminate()


def test_what_is_no_run(tmp_path: Path) -> None:
    """A folder without a run is refused in one line."""
    assert refusal(tmp_path, "watch", "nothing") == "nothing: expected a run folder with a run.json, got none"


def test_matches_come_by_their_number_in_the_journal(run: Path) -> None:
    """A page gets each match once, by its number; one that lost the connection gets those that it lacks."""
    whole = records(run)
    unfinish(run, 6)
    with watched(run) as (live, address):
        with stream(address) as events:
            first = [next(events) for _ in range(6)]
            assert [(number, data["id"]) for number, _, data in first] == [
                (str(at), match["id"]) for at, match in enumerate(whole[:6])
            ]
            told = {name: data for _, name, data in (next(events), next(events))}
            assert told["progress"]["words"].startswith("6 of 16 matches")
            forge(run, whole[:8])
            live.look()
            assert [next(events)[0] for _ in range(2)] == ["6", "7"]
        with stream(address, last="6") as events:
            assert next(events)[:2] == ("7", "match")
            assert {next(events)[1] for _ in range(2)} == {"progress", "figures"}
        # the writer took back what it could not bring to the disk, and wrote another
        change(run, 7, lambda match: match.update(seconds=1.5))
        with stream(address) as events:
            assert [next(events)[1] for _ in range(8)] == ["match"] * 8
            while live.look():
                pass
            assert "reload" in {next(events)[1] for _ in range(3)}


def test_a_match_opens_when_its_deal_is_done(run: Path) -> None:
    """A match can be watched once all rotations of its deal are played, and not before."""
    whole = records(run)
    unfinish(run, 1)
    block = whole[0]["id"].partition("r")[0]
    ends = [at for at, match in enumerate(whole, 1) if match["id"].partition("r")[0] == block]
    assert len(ends) == 4
    with watched(run) as (live, address):
        path = f"match/{whole[0]['id']}"
        for done in range(1, ends[-1] + 1):
            forge(run, whole[:done])
            live.look()
            status, page = got(address, path)
            assert status == (200 if done == ends[-1] else 404)
        assert f'data-replay="{whole[0]["id"]}"' in page
        with stream(address) as events:
            told = next(data for _, name, data in events if name == "progress")
        assert path.removeprefix("match/") in [match["id"] for match in told["open"]]
        assert all(match["id"].startswith(f"{block}r") for match in told["open"])


def test_who_may_not_read_the_secret_sees_the_rest(run: Path) -> None:
    """Without the secret of the deals the figures are shown, and no match opens before the run is finished."""
    unfinish(run, 16)
    (run / "secret.json").unlink()
    with watched(run) as (_, address):
        page = got(address)[1]
        assert "is with its player" in page
        assert "e0b0r0" not in page
        assert got(address, "match/e0b0r0")[0] == 404


def test_nothing_is_settled_while_it_goes_on(run: Path) -> None:
    """All whiskers are hollow, no duel is certain and no place is told; the finished run is its report."""
    unfinish(run, 15)
    with watched(run) as (_, address):
        page = got(address)[1]
        assert "leads after 15 of 16 matches" in page
        assert 'class="dot open"' in page
        assert 'class="dot"' not in page.partition("#figures")[2].partition("</table>")[0]
        assert "with 95 % confidence" not in page
        assert "Certain." not in page


@pytest.mark.long
def test_a_finished_run_is_its_report(run: Path) -> None:
    """Once the run is finished the page loads again, and is the report."""
    with watched(run) as (live, address):
        while live.look():
            pass
        with stream(address) as events:
            assert next(events)[1] == "reload"
        assert 'id="provenance"' in got(address)[1]


def test_damage_is_told_and_mended(run: Path) -> None:
    """What is wrong with the folder is said on the page, which goes on when it is right again."""
    whole = records(run)
    unfinish(run, 4)
    with watched(run) as (live, address):
        good = (run / "matches.jsonl").read_bytes()
        (run / "matches.jsonl").write_bytes(good + b"rubbish\n" + good)
        live.look()
        with stream(address) as events:
            told = next(data for _, name, data in events if name == "progress")
        assert told["label"] == "damaged"
        assert "expected record 4" in told["since"]
        forge(run, whole[:8])
        while live.look():
            pass
        with stream(address) as events:
            told = next(data for _, name, data in events if name == "progress")
        assert told["words"].startswith("8 of 16")


def test_a_deleted_run_is_gone(run: Path) -> None:
    """The page of a run whose folder was deleted says so, and goes on if the folder comes back."""
    unfinish(run, 4)
    with watched(run) as (live, address):
        away = run.with_name("away")
        for before, after, gone in ((run, away, True), (away, run, False)):
            before.rename(after)
            live.look()
            with stream(address) as events:
                told = next(data for _, name, data in events if name == "progress")
            assert (told["label"] == "gone") is gone
            assert ("moved or deleted" in told["since"]) is gone
            assert "did you mean" not in told["since"]
