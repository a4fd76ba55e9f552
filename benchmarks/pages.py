"""What pages cost, each figure beside the most that it may be.

    python benchmarks/pages.py [--rounds N]

Plays 1,000 matches of Cash-a-Catch with the shipped bots and one that faults, and in turns, so many rounds, runs that
are watched and runs that are not. The longer run is made by repeating those matches under the numbers of further
blocks: what is read, counted and fitted is as in a run that was played, but only the matches of the first part fit
their deals, and only they are among the replays. Times are of the processor, for they are steadier than those of the
wall where a machine has other work. Needs Chromium.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Thread
from time import sleep
from urllib.parse import urlsplit
from zlib import crc32

from options import parser, positive
from playwright.sync_api import Page, sync_playwright

_ARENA = (sys.executable, "-m", "arena")
_MATCHES = 1000
_WATCHED = 1000
_ROUNDS = 2
_PAUSE = 0.02
_TICK = os.sysconf("SC_CLK_TCK")
_OF_PAGES = re.compile(r"\|\s+((?:arena\.page|htpy|markupsafe|markdown_it)\b.*)")
_SLIP = """
import json, sys
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","name":"slip","version":"1","protocol":1}', flush=True)
    elif message["type"] == "decide":
        asked += 1
        picks = [999] if asked % 97 == 0 else list(range(message["least"]))
        print(json.dumps({"type": "choose", "id": message["id"], "picks": picks}), flush=True)
"""


class Costs:
    """The table, as it grows."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    def add(self, what: str, asked: str, found: str) -> None:
        """One figure, shown at once."""
        self.rows.append((what, asked, found))
        print(f"| {what:<58} | {asked:<14} | {found:<24} |", flush=True)


def environment(desk: Path) -> dict[str, str]:
    """Modules are compiled once, as they are where arena is installed."""
    found = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return found | {"PYTHONPYCACHEPREFIX": str(desk / "compiled")}


def cost(words: list[str], env: dict[str, str]) -> tuple[float, float]:
    """CPU seconds, of all its processes, and MB of memory at most, of a command of arena; it has to end well."""
    with TemporaryFile("w+") as said:
        with subprocess.Popen([*_ARENA, *words], stdout=subprocess.DEVNULL, stderr=said, env=env) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            said.seek(0)
            sys.exit(f"expected arena {' '.join(words)} to end well, got exit code {child.returncode}: {said.read()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def repeated(run: Path, folder: Path, times: int) -> Path:
    """The run so many times as long."""
    shutil.copytree(run, folder)
    lines = (run / "matches.jsonl").read_bytes().splitlines()
    blocks = 1 + max(int(found[1]) for line in lines if (found := re.search(rb'"id":"e0b(\d+)r', line)))
    digest, seq = sha256(), 0
    with (folder / "matches.jsonl").open("wb") as journal:
        for again in range(times):
            for line in lines:
                body = re.sub(rb'^\{"seq":\d+', b'{"seq":%d' % seq, line[: line.rindex(b',"crc"')])
                head, name, rest = re.split(rb'"id":"e0b(\d+)r', body, maxsplit=1)
                body = head + b'"id":"e0b%dr' % (int(name) + again * blocks) + rest
                whole = body + b',"crc":"%08x"}\n' % crc32(body)
                journal.write(whole)
                digest.update(whole)
                seq += 1
    manifest = json.loads((folder / "run.json").read_bytes())
    manifest["epochs"][0]["matches"] = seq
    manifest["sealed"] = {"records": seq, "sha256": digest.hexdigest()}
    (folder / "run.json").write_text(json.dumps(manifest))
    return folder


def reports(costs: Costs, run: Path, desk: Path, env: dict[str, str]) -> None:
    """Reports of the run and of one that is a hundred times as long."""
    for times, most in ((1, "3 s"), (100, "60 s")):
        longer = run if times == 1 else repeated(run, desk / "longer", times)
        page = desk / "report.html"
        seconds, memory = cost(["report", str(longer), "-o", str(page)], env)
        name = f"report of {times * _MATCHES:,} matches"
        costs.add(f"{name}: CPU time", f"under {most}", f"{seconds:.1f} s")
        costs.add(f"{name}: memory", "300 MB", f"{memory:.0f} MB")
        costs.add(f"{name}: size", "450 kB", f"{page.stat().st_size / 1000:.0f} kB")


def slider(costs: Costs, run: Path, desk: Path, env: dict[str, str]) -> None:
    """One step of the slider to the next position, for all positions of a match."""
    page = desk / "match.html"
    cost(["replay", str(run), "#0", "--html", str(page)], env)
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("expected chromium, got none")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        shown = browser.new_page(viewport={"width": 1280, "height": 900})
        shown.goto(page.as_uri())
        shown.wait_for_selector(".table .seat")
        steps = stepped(shown)
        browser.close()
    found = f"{median(steps):.1f} ms, 99 % {sorted(steps)[len(steps) * 99 // 100]:.1f} ms"
    costs.add(f"a step of the slider, CPU time, median of {len(steps)}", "under 16 ms", found)


def stepped(page: Page) -> list[float]:
    """Milliseconds of the processor that the page's main thread takes for each step, painting among it."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        told = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(float(each["value"]) for each in told if each["name"] == "TaskDuration")

    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    most = int(page.locator('input[type="range"]').get_attribute("max") or 0)
    found = []
    for at in range(1, most + 1):
        before = spent()
        page.evaluate(
            """(at) => new Promise((done) => {
                 const slider = document.querySelector('input[type="range"]');
                 slider.value = String(at);
                 slider.dispatchEvent(new Event('input', { bubbles: true }));
                 requestAnimationFrame(() => requestAnimationFrame(done));
               })""",
            at,
        )
        found.append(spent() - before)
    return found


def starts(costs: Costs, desk: Path, env: dict[str, str]) -> None:
    """What other commands load of what pages are made with."""
    for words in (["--version"], ["run", "-g", "lure", "greedy", "random", "-n", "8", "-q", "-o", str(desk / "short")]):
        line = [sys.executable, "-X", "importtime", "-m", "arena", *words]
        told = subprocess.run(line, env=env, capture_output=True, text=True, check=True).stderr
        loaded = _OF_PAGES.findall(told)
        costs.add(f"modules of pages that arena {words[0]} loads", "0", ", ".join(loaded) or "0")
    times = [cost(["--version"], env)[0] for _ in range(9)]
    costs.add("arena --version: CPU time, median of 9", "", f"{1000 * median(times):.0f} ms")


def played(folder: Path, env: dict[str, str], *, watched: bool) -> tuple[float, float, int]:
    """CPU seconds of a run and of its watcher while matches are played, and the decisions of the run.

    What each does once all is played counts for neither: the run makes its leaderboard, the watcher its report.
    """
    words = [
        "run",
        "-g",
        "cash-a-catch",
        "greedy",
        "random",
        "random-c",
        "-n",
        str(_WATCHED),
        "--seed",
        "watch",
        "-o",
        str(folder),
        "-q",
    ]
    with subprocess.Popen([*_ARENA, *words], env=env, stdout=subprocess.DEVNULL) as run:
        watching = 0.0
        if watched:
            journal = folder / "matches.jsonl"
            while not (journal.is_file() and journal.stat().st_size):
                if run.poll() is not None:
                    sys.exit("expected a run that lasts, got one that ended")
                sleep(_PAUSE)
            watching = followed(run, folder, env)
        else:
            play_out(run, folder)
        after = -used_by(run.pid)
        os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)
        after += used_by(run.pid)
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        sys.exit(f"expected a run that ends well, got exit code {run.returncode}")
    lines = (folder / "matches.jsonl").read_bytes().splitlines()
    decisions = sum(sum(waited >= 0 for waited in json.loads(line)["micros"]) for line in lines)
    return used.ru_utime + used.ru_stime - after, watching, decisions


def play_out(run: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until all matches of a run are played: its manifest says that it is finished."""
    while not ((folder / "run.json").is_file() and json.loads((folder / "run.json").read_bytes())["finished"]):
        if run.poll() is not None:
            sys.exit("expected a run that finishes, got one that ended before")
        sleep(_PAUSE)


def followed(run: subprocess.Popen[bytes], folder: Path, env: dict[str, str]) -> float:
    """CPU seconds of ``arena watch`` with a page that listens, until all is played."""
    with subprocess.Popen([*_ARENA, "watch", str(folder)], env=env, stdout=subprocess.PIPE, text=True) as watch:
        address = urlsplit(watch.stdout.readline().strip() if watch.stdout else "")
        if not address.netloc:
            sys.exit("expected arena watch to print an address, got none")

        def listen() -> None:
            # as often as the page asks itself
            while watch.poll() is None:
                connection = HTTPConnection(address.netloc, timeout=600)
                connection.request("GET", address.path)
                connection.getresponse().read()
                connection.close()
                sleep(2)

        before = used_by(watch.pid)
        Thread(target=listen, daemon=True).start()
        play_out(run, folder)
        spent = used_by(watch.pid) - before
        watch.terminate()
    return spent


def used_by(pid: int) -> float:
    """CPU seconds of a process so far, without those of its processes."""
    told = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / _TICK


def watching(costs: Costs, desk: Path, env: dict[str, str], rounds: int) -> None:
    """Runs that are watched, and runs that are not, in turns."""
    shares, ratios = [], []
    for number in range(rounds):
        # the one that goes first changes, for the machine may have more to do later
        order = (False, True) if number % 2 else (True, False)
        found = {watched: played(desk / f"{number}-{watched}", env, watched=watched) for watched in order}
        (alone, _, decisions), (beside, spent, again) = found[False], found[True]
        shares.append(100 * spent / beside)
        ratios.append((decisions / alone) / (again / beside))
    costs.add("arena watch: its CPU time of that of the run", "under 1 %", f"{median(shares):.1f} %")
    told = f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
    costs.add("decisions a CPU second of the run, alone to watched", "under 1.01", told)


def main() -> None:
    """Print the table."""
    words = parser(__doc__)
    words.add_argument("--rounds", type=positive, default=_ROUNDS)
    rounds = words.parse_args().rounds
    costs = Costs()
    with TemporaryDirectory() as folder:
        desk = Path(folder)
        env = environment(desk)
        (desk / "slip.py").write_text(_SLIP)
        run = desk / "run"
        bots = ["greedy", "random", "random-js", "random-c", f"slip={sys.executable} {desk / 'slip.py'}"]
        cost(["run", "-g", "cash-a-catch", *bots, "-n", str(_MATCHES), "-o", str(run), "-q"], env)
        cost(["report", str(run)], env)
        costs.add("what", "asked", "found")
        costs.add("-" * 58, "-" * 14, "-" * 24)
        starts(costs, desk, env)
        watching(costs, desk, env, rounds)
        slider(costs, run, desk, env)
        reports(costs, run, desk, env)


if __name__ == "__main__":
    main()
