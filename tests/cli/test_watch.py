"""``arena watch``: a run on a live page, asked for by a client that is no browser."""

import http.client
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import unescape
from pathlib import Path
from time import sleep
from urllib.parse import urlsplit

import pytest

from arena.page.serving import served
from arena.tournament.folder import RunFolder
from arena.web.lab import lab_page
from arena.web.live import Live, writable
from tests.cli.command import ARENA, arena, change, forge, records, refusal, unfinish


def got(address: str, path: str = "", **headers: str) -> tuple[int, str]:
    """The status and the text of an answer."""
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=300)) as connection:
        connection.request("GET", f"{parts.path}{path}", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def shown(address: str, what: str) -> str:
    """What the page says in the element with this id, without markup."""
    page = got(address)[1]
    part = re.search(rf'<(\w+) id="{what}".*?</\1>', page, re.DOTALL)
    assert part, page
    return unescape(re.sub(r"<[^>]+>", " ", part[0]))


def latest(address: str) -> list[str]:
    """The matches that have just finished, the last one first."""
    return re.findall(r'<tr data-id="(\w+)"', got(address)[1])


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


def test_a_lab_has_one_page(run: Path) -> None:
    """Whatever a lab plays is at one address: at first it waits, then it shows the run that began last."""
    told: list[str] = []
    unfinish(run, 8)
    with lab_page("a lab", told.append) as begin_run:
        assert "a lab has not begun" in got(told[0])[1]
        begin_run(RunFolder(run.with_name("not there")))
        begin_run(RunFolder(run))
        while "8 of 16 matches" not in (page := got(told[0])[1]):
            sleep(0.05)
        (link, *_) = re.findall(r'href="(match/\w+\.html)"', page)
        assert got(told[0], link)[0] == 200
    with lab_page("a lab", None) as begin_run:
        begin_run(RunFolder(run))


def test_a_run_is_waited_for(run: Path) -> None:
    """Started before its run the command has an address at once and says that it waits; then it shows the run."""
    away = run.rename(run.with_name("later"))
    line = [*ARENA, "watch", str(run)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
        try:
            assert command.stdout is not None
            assert command.stderr is not None
            address = command.stdout.readline().rstrip("\n")
            assert command.stderr.readline() == f"Waiting for a run in {run}; Ctrl-C ends this.\n"
            assert "demo has not begun" in got(address)[1]
            away.rename(run)
            while "demo has not begun" in (page := got(address)[1]):
                time.sleep(0.05)
            assert "16 of 16 matches" in page or 'id="provenance"' in page
        finally:
            command.terminate()


def test_the_page_follows_the_journal(run: Path) -> None:
    """Each look takes in what is new; what the writer took back is gone from the page."""
    whole = records(run)
    unfinish(run, 6)
    with watched(run) as (live, address):
        assert latest(address) == [match["id"] for match in whole[5::-1]]
        assert "6 of 16 matches" in shown(address, "progress")
        assert "after 6 of 16 matches" in shown(address, "verdict")
        forge(run, whole[:8])
        live.look()
        assert latest(address) == [match["id"] for match in whole[7::-1]]
        # the writer took back what it could not bring to the disk, and wrote another
        change(run, 7, lambda match: match.update(seconds=1.5))
        while live.look():
            pass
        assert latest(address) == [match["id"] for match in whole[7::-1]]
        forge(run, whole[:4])
        while live.look():
            pass
        assert latest(address) == [match["id"] for match in whole[3::-1]]


@pytest.mark.long
def test_a_stage_as_it_stands(tmp_path: Path) -> None:
    """Each look tells how it stands at each table of the stage: in the heading, and where many play in a list.

    The heading has the number of matches of the bar where there is no stage to tell.
    """
    field = [f"bot{number}=random" for number in range(8)]
    arena(
        tmp_path,
        "run",
        *field,
        "-g",
        "fish-food",
        "--seats",
        "2",
        "--schedule",
        "knockout",
        "-n",
        "28",
        "-o",
        "ko",
        "-q",
    )
    run = tmp_path / "ko"
    whole = records(run)
    forms = set()
    unfinish(run, 0)
    live = Live(RunFolder(run))
    with served(live.gets) as address:
        for done in range(len(whole)):
            forge(run, whole[:done])
            live.look()
            heading, listed = shown(address, "verdict"), shown(address, "pairings")
            assert f" {done} of about 28 matches" in shown(address, "progress")
            # how often a bot has won against the one it plays now
            scores = dict(re.findall(r"(bot\d) ([\d.]+)", f"{heading} {listed}"))
            assert scores
            now = re.findall(r"(bot\d) [\d.]+ \N{EN DASH} (bot\d)", f"{heading} {listed}")
            assert len(now) * 2 == len(scores)
            for pair in now:
                shares = Counter[str]()
                for match in whole[:done]:
                    if {*match["bots"]} == {*pair}:
                        tied = len({*match["ranks"]}) == 1
                        shares.update(
                            {
                                bot: 0.5 if tied else 1.0 - rank
                                for bot, rank in zip(match["bots"], match["ranks"], strict=True)
                            }
                        )
                assert {bot: float(scores[bot]) for bot in pair} == {bot: shares[bot] for bot in pair}
            forms.add((re.sub(r"bot\d [\d.]+", "BOT", heading).strip(), len(now)))
    dash = " \N{EN DASH} "
    assert forms == {
        ("Stage 1: 4 tables", 4),
        (f"Semi-final: BOT{dash}BOT; BOT{dash}BOT", 2),
        (f"Final: BOT{dash}BOT", 1),
    }


def test_figures_are_half_a_minute_old_at_most(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take 1 % of a core, more where they would be half a minute old, and 10 % at most.

    What is past is not fitted again for them.
    """
    whole = records(run)
    unfinish(run, 2)
    clock, spent, cost = [1000.0], [0.0], [0.1]

    def passed() -> float:
        spent[0] += cost[0]
        return spent[0]

    monkeypatch.setattr("arena.web.live.monotonic", lambda: clock[0])
    monkeypatch.setattr("arena.web.live.thread_time", passed)
    live = Live(RunFolder(run))
    monkeypatch.setattr("arena.report.findings.fit_outcomes", lambda *_, **__: pytest.fail("fitted again"))
    done = 2
    for seconds, pause in ((0.1, 10.0), (1.0, 28.0), (10.0, 100.0), (0.001, 2.0)):
        cost[0], before = seconds, live.page
        # made at this look, and the next time after a pause
        for step, renewed in ((1000.0, True), (pause - 0.5, False), (1.0, True)):
            done, clock[0], figures = done + 1, clock[0] + step, live._figures
            forge(run, whole[:done])
            live.look()
            assert (live._figures is not figures) is renewed, (seconds, step)
        assert live.page != before


def test_a_table_from_the_first_match(run: Path) -> None:
    """After one match there is a table, marked as provisional; nothing that is not known is said of seats."""
    unfinish(run, 1)
    with watched(run) as (_, address):
        page = got(address)[1]
    assert page.count('class="dot open"') >= 3
    assert "Provisional" in page
    assert "is even" not in page


def test_a_match_opens_when_its_deal_is_done(run: Path) -> None:
    """A match can be watched once all rotations of its deal are played, and not before."""
    whole = records(run)
    unfinish(run, 1)
    block = whole[0]["id"].partition("r")[0]
    ends = [at for at, match in enumerate(whole, 1) if match["id"].partition("r")[0] == block]
    assert len(ends) == 4
    with watched(run) as (live, address):
        path = f"match/{whole[0]['id']}.html"
        for done in range(1, ends[-1] + 1):
            forge(run, whole[:done])
            live.look()
            status, page = got(address, path)
            assert status == (200 if done == ends[-1] else 404)
        assert f'data-replay="{whole[0]["id"]}"' in page
        links = re.findall(r'<li><a href="match/(\w+)r\d\.html"', got(address)[1])
        assert links == [block] * 4


def test_who_may_not_read_the_secret_sees_the_rest(run: Path) -> None:
    """Without the secret of the deals the figures are shown, and no match opens before the run is finished."""
    unfinish(run, 16)
    (run / "secret.json").unlink()
    with watched(run) as (_, address):
        page = got(address)[1]
        assert "is with its player" in page
        assert "e0b0r0" not in page
        assert got(address, "match/e0b0r0.html")[0] == 404


def test_nothing_is_settled_while_it_goes_on(run: Path) -> None:
    """All whiskers are hollow, no duel is certain and no place is told; the finished run is its report."""
    unfinish(run, 15)
    with watched(run) as (_, address):
        page = got(address)[1]
        assert "after 15 of 16 matches" in page
        board = page.partition('class="board"')[2].partition("</table>")[0]
        rows = re.findall(r'<tr class="([^"]*)">', board)
        assert rows
        assert all("open" in row.split() for row in rows)
        assert "with 95 % confidence" not in page
        assert "Certain." not in page


@pytest.mark.long
def test_a_finished_run_is_its_report(run: Path) -> None:
    """Once the run is finished the page is the report, and each match that it lists has a page when it is asked for."""
    with watched(run) as (live, address):
        while not live.finished:
            live.look()
        assert 'id="provenance"' in got(address)[1]
        ids = [record["id"] for record in records(run)]
        assert {*live.gets} == {"", *(f"match/{match}.html" for match in ids)}
        status, page = got(address, f"match/{ids[-1]}.html")
        assert (status, f'data-replay="{ids[-1]}"' in page) == (200, True)


def test_damage_is_told_and_mended(run: Path) -> None:
    """What is wrong with the folder is said on the page, which goes on when it is right again."""
    whole = records(run)
    unfinish(run, 4)
    with watched(run) as (live, address):
        good = (run / "matches.jsonl").read_bytes()
        (run / "matches.jsonl").write_bytes(good + b"rubbish\n" + good)
        live.look()
        told = shown(address, "progress")
        assert "damaged" in told
        assert "expected record 4" in told
        forge(run, whole[:8])
        while live.look():
            pass
        assert "8 of 16" in shown(address, "progress")


def test_a_deleted_run_is_gone(run: Path) -> None:
    """The page of a run whose folder was deleted says so, and goes on if the folder comes back."""
    unfinish(run, 4)
    with watched(run) as (live, address):
        away = run.with_name("away")
        for before, after, gone in ((run, away, True), (away, run, False)):
            before.rename(after)
            live.look()
            told = shown(address, "progress")
            assert ("moved or deleted" in told) is gone
            assert "did you mean" not in told


@pytest.mark.long
def test_a_folder_for_any_web_server(run: Path, tmp_path: Path) -> None:
    """``--to`` writes the same pages as files: a match when its deal is done, and at the end the report."""
    whole, to, manifest = records(run), tmp_path / "public", (run / "run.json").read_bytes()
    unfinish(run, 1)
    live = Live(RunFolder(run), files=True)
    writable(to)
    for done in range(1, 13):
        forge(run, whole[:done])
        live.look()
        live.write(to)
        there = {path.stem for path in to.glob("match/*.html")}
        assert (to / "index.html").read_bytes() == live.page
        over = Counter(match["id"].partition("r")[0] for match in whole[:done])
        assert all(over[name.partition("r")[0]] == 4 for name in there)
        assert there == set(re.findall(r'href="match/(\w+)\.html"', live.page.decode()))
    assert there
    (to / "match" / "notes.txt").write_text("mine")
    (run / "run.json").write_bytes(manifest)
    (run / "secret.json").unlink()
    forge(run, whole)
    said = arena(run.parent, "watch", run, "--to", to)
    assert said.out == f"{to}/index.html\n"
    assert 'id="provenance"' in (to / "index.html").read_text()
    assert [path.name for path in (to / "match").iterdir()] == ["notes.txt"]


def test_a_folder_of_others(run: Path, tmp_path: Path) -> None:
    """A folder with anything else is refused, and left as it was."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "index.html").write_text("<p>mine")
    said = refusal(tmp_path, "watch", run, "--to", tmp_path / "home")
    assert said == f"--to: expected an empty folder, or one of `arena watch --to`, got {tmp_path}/home with index.html"
    assert (tmp_path / "home" / "index.html").read_text() == "<p>mine"
