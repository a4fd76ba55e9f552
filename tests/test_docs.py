"""The documents are true: what they show runs, what they name exists, what they link to is there."""

import json
import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from arena import __version__
from arena.report.leaderboard import Leaderboard, Row
from arena.tournament.folder import Entrant, Epoch, Manifest
from arena.tournament.schedule import Audit
from tests.documents import (
    COMMANDS_PAGE,
    DOCUMENTS,
    README,
    ROOT,
    anchors,
    blocks,
    command_lines,
    help_of,
    links,
    masked,
    name_of,
    options,
    prose,
    run,
    runs,
    scripts,
    shown_in,
    spans,
    with_help,
)

TEXTS = {name_of(path): path.read_text(encoding="utf-8") for path in DOCUMENTS}
OURS = {name: text for name, text in TEXTS.items() if not name.startswith("arena/")}
"""The documents that speak of arena; those of the games speak of their rules."""
SHOWING = [name for name, text in TEXTS.items() if any(runs(s.command) for b in blocks(text, "console") for s in shown_in(b))]
CHANGING = ("arena matches", "arena replay")
"""Their output follows every change of a bot's play, so it is run but not compared."""
DEMO = next(s.command for b in blocks(TEXTS["README.md"], "console") for s in shown_in(b) if "-o results/demo" in s.command)
FILE = re.compile(r"[\w.-]+\.(py|md|toml|jsonl?|torn|c|js)|[\w./-]*/[\w.-]*\.\w+|\.?\w[\w./-]*/")
ELSEWHERE = {"mine.py", "check_deal.py", "matches.torn", "secret.json", "logs/"}
"""Files that a reader or a run makes."""
DEMO_FILES = {"run.json", "matches.jsonl", "leaderboard.md"}
