"""What a report costs: seconds of the processor, memory and size, of 1,000 and of 100,000 matches.

    python benchmarks/pages.py [RUN]

Plays 200 matches of Cash-a-Catch with the shipped bots, unless a finished run is given. Longer runs are made by
repeating its first 200 matches under the numbers of further blocks: what is read, counted and fitted is as in a run
that was played, but only the matches of the first part fit their deals, and only they are among the replays.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

_ARENA = (sys.executable, "-m", "arena")
_MATCHES = 200
_REPLAYS = 5


def repeated(run: Path, folder: Path, times: int) -> Path:
    """The run so many times as long."""
    shutil.copytree(run, folder)
    lines = (run / "matches.jsonl").read_bytes().splitlines()[:_MATCHES]
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


def measured(run: Path) -> tuple[float, float, float]:
    """CPU seconds, MB of memory at most, and kB of the report of a run."""
    page = run / "report.html"
    line = [*_ARENA, "report", str(run), "-o", str(page), "--replays", str(_REPLAYS)]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"expected a report, got exit code {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000, page.stat().st_size / 1000


def main() -> None:
    """Print a line for each length."""
    with TemporaryDirectory() as desk:
        run = Path(sys.argv[1]) if sys.argv[1:] else Path(desk, "run")
        if not sys.argv[1:]:
            subprocess.run(
                [*_ARENA, "run", "-g", "cash-a-catch", "-n", str(_MATCHES), "-o", str(run), "-q"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        print(f"{'matches':>8}  {'CPU s':>6}  {'MB':>6}  {'page kB':>8}")
        for times in (5, 500):
            longer = repeated(run, Path(desk, f"run-{times}"), times)
            seconds, memory, size = measured(longer)
            print(f"{times * _MATCHES:>8,}  {seconds:>6.2f}  {memory:>6.0f}  {size:>8.0f}")
            shutil.rmtree(longer)


if __name__ == "__main__":
    main()
