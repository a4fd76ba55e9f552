"""What bots and their builds write, and where the league lies, is for the host alone: nothing of it is published."""

import base64
import gzip
import re
from pathlib import Path

import pytest

from arena.players.cures import conceal
from tests.cli.command import arena
from tests.leagues.test_season import enter

PUBLISHED = ("leaderboard.md", "leaderboard.json", "history.jsonl", "roster.json", "badges", "site")
WORD = "bycatch"
SPEAKS = """
import sys
answers = 0
def answer(message):
    global answers
    answers += 1
    sys.stderr.write("bycatch-stderr\\n")
    sys.stderr.flush()
    if answers == 2:
        return "bycatch-line"
    if answers == 4:
        return json.dumps({"type": "bycatch-type", "id": message["id"]})
    return json.dumps({"type": "choose", "id": message["id"], "picks": [0], "note": "bycatch-note"})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "decide":
        print(answer(message), flush=True)
"""


@pytest.mark.long
def test_no_word_of_a_bot_is_published(league: Path) -> None:
    """Of a build, stderr, an exception, a line, a note and a bot's file no word is in any published byte, nor a path.

    The host reads them: of builds and starts on stderr, of matches in the logs.
    """
    settings = league / "arena.toml"
    settings.write_text(settings.read_text().replace("matches = 6", "matches = 18"))
    enter(league, "builds")
    with (league / "bots/builds/bot.toml").open("a") as file:
        file.write('build = [["sh", "-c", "echo bycatch-build; exit 3"]]\n')
    enter(league, "raises", first="raise SystemExit(f'ValueError: {__file__} bycatch-exception')\n")
    enter(league, "speaks", first=f"import json{SPEAKS}raise SystemExit\n")
    enter(league, "odd")
    (league / "bots/odd/bot.toml").write_text('name = "odd"\ncommand = ["x"]\nbycatch-key = "red"\n')
    enter(league, "wide")
    (league / "bots/wide" / "more").symlink_to("/bycatch-link")
    (league / "bots/wide" / ("d" * 200)).mkdir()
    (league / "bots/wide" / ("d" * 200) / ("e" * 200)).mkdir()
    said = arena(league.parent, "season", "--config", str(settings)).err
    for word in ("build", "exception", "key"):
        assert f"{WORD}-{word}" in said
    assert f"{WORD}-stderr".encode() in (league / "results/dockfight/logs/speaks.log").read_bytes()
    assert not [*(league / "results").rglob("notes")]
    paths = [path for name in PUBLISHED for path in (league / name, *(league / name).rglob("*")) if path.is_file()]
    assert {"index.html", "feed.xml", "standings.json", "roster.json"} <= {path.name for path in paths}
    for path in [*paths, league / "results/dockfight/run.json"]:
        data = path.read_bytes()
        assert WORD.encode() not in data, path
        assert str(league.parent).encode() not in data, path
    page = (league / "leaderboard.md").read_text()
    assert "- builds (dockfight): build step 1: expected exit status 0, got 3" in page
    assert "- odd: bots/odd/bot.&#8203;toml: expected a known key, got ...\n" in page
    # that there were faults is told, and of which kind
    report = (league / "site/reports/dockfight.html").read_text()
    assert "expected a line of JSON, got ..." in report
    # what scripts of the pages read is packed
    pages = [path.read_text() for path in (league / "site").rglob("*.html")]
    packed = [text for page in pages for text in re.findall(r"<script[^>]*>([A-Za-z0-9+/=]{40,})</script>", page)]
    assert any(b"expected a line of JSON, got ..." in gzip.decompress(base64.b64decode(text)) for text in packed)
    assert not [text for text in packed if WORD.encode() in gzip.decompress(base64.b64decode(text))]


@pytest.mark.parametrize(
    ("reason", "public"),
    [
        ("expected 2 picks, got 3", "expected 2 picks, got 3"),
        ("expected at most 25 % of the core on others' time, got 40 %", None),
        ("bots/a/bot.toml: expected a known key, got 'x' or 'y'", "bots/a/bot.toml: expected a known key, got ..."),
        ('expected choose or ready, got "a" - at $.type', "expected choose or ready, got ..."),
        ("expected names in UTF-8, got b'\\xff'", "expected names in UTF-8, got ..."),
        ("expected a program that starts, got: no such thing", "expected a program that starts, got ..."),
        ("/home/ada/league: expected more", "..."),
        ("expected files outside of /home/ada, got x", "expected files outside of ..."),
    ],
)
def test_a_reason_for_everybody(reason: str, public: str | None) -> None:
    """A reason ends where a quotation, an answer of the system or a path of a machine begins."""
    assert conceal(reason) == (reason if public is None else public)
