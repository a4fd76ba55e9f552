"""``arena report``: a page of a run, with replays; a page over several runs."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

from tests.cli.command import arena, data, refusal


def embedded(page: str) -> dict[str, Any]:
    """The matches that can be watched in a page, by their id."""
    found = re.findall(r'<script type="text/plain" data-replay="([^"]*)">([^<]*)</script>', page)
    return {ident: json.loads(gzip.decompress(base64.b64decode(packed))) for ident, packed in found}


def test_a_report(place: Path, board: dict[str, Any]) -> None:
    """The page stands beside the journal, loads nothing, and has every bot, section and match."""
    said = arena(place, "report", "results/demo")
    assert said.out == "results/demo/report.html\n"
    page = (place / "results/demo/report.html").read_text()
    assert not re.findall(r"(?:src|href)=[\"'](?!#)", page)
    for key in ("board", "duels", "growth", "pace", "seating", "faults", "matches", "provenance"):
        assert f'id="{key}"' in page
    for row in board["leaderboard"]:
        assert f"{row['rating']:.2f}" in page
    (packed,) = re.findall(r'<script id="matches-data" type="text/plain">([^<]*)</script>', page)
    listed = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert [match["number"] for match in listed["matches"]] == list(range(16))
    assert {listed["bots"][at] for match in listed["matches"] for at in match["bots"]} == set(listed["bots"])
    assert f"arena verify {said.out.rpartition('/')[0]}" in page
    assert 1 <= len(embedded(page)) <= 8


def test_replays_that_are_asked_for(place: Path) -> None:
    """--replay adds a match; --replays says how many are chosen besides."""
    page = arena(place, "report", "results/demo", "-o", "-", "--replays", "0", "--replay", "#5").out
    (replay,) = embedded(page).values()
    assert replay["number"] == 5
    assert embedded(arena(place, "report", "results/demo", "-o", "-", "--replays", "0").out) == {}
    assert refusal(place, "report", "results/demo", "--replay", "#99").startswith("expected a match")


def test_several_runs(place: Path) -> None:
    """The page over several runs has the combined table and each run's leaderboard."""
    arena(place, "run", "greedy", "random", "-g", "dockfight", "--seats", "2", "-n", "4", "-o", "results/other", "-q")
    page = arena(place, "report", "results/demo", "results/other", "-o", "-").out
    combined = data(place, "leaderboard", "results/demo", "results/other", "--json")["combined"]
    overall = page.partition('id="overall"')[2].partition("</table>")[0]
    lines = re.findall(r"<tr><th scope=\"row\".*?</tr>", overall)
    assert len(lines) == len(combined)
    for row, line in zip(combined, lines, strict=True):
        games = [row["games"].get(game) for game in ("cash-a-catch", "dockfight")]
        shown = ["\N{EN DASH}" if share is None else f"{100 * share:.1f}" for share in (row["share"], *games)]
        assert re.findall(r"<td>([^<]*)</td>", line) == shown
    assert page.count('<table class="board">') == 2
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert refusal(place, "report", "results/demo", "results/other").startswith("--out: expected a file")


def test_a_run_without_matches(place: Path, demo: Path) -> None:
    """A run that has played nothing yet has a page that says so, and an unfinished one is provisional."""
    manifest = json.loads((demo / "run.json").read_text())
    manifest["finished"] = False
    (demo / "run.json").write_text(json.dumps(manifest))
    assert "the run is not finished" in arena(place, "report", "results/demo", "-o", "-").out
    (demo / "matches.jsonl").write_bytes(b"")
    assert "No match has been played yet" in arena(place, "report", "results/demo", "-o", "-").out
