"""Who plays: a change that is broken or late stops nobody else, and never removes the bot that it belongs to."""

import json
from pathlib import Path

import pytest

from tests.cli.command import arena, records, refusal
from tests.leagues.test_season import enter

UNFIT = {
    "badly": 'name = "badly\n',
    "odd": 'name = "odd"\ncommand = ["x"]\ncolour = "red"\n',
    "idle": 'name = "idle"\n',
    "large": f'name = "large"\ncommand = ["x"]\n#{"x" * (1 << 20)}\n',
}


@pytest.mark.long
def test_one_bad_file_stops_no_plan(league: Path) -> None:
    """A bot file that cannot be read is left out of the playing of a plan, unless the plan needs it: that is told."""
    enter(league, "other")
    for name, text in UNFIT.items():
        enter(league, name)
        (league / "bots" / name / "bot.toml").write_text(text)
    (league / "bots/linked").mkdir()
    (league / "bots/linked/bot.toml").symlink_to("../mine/bot.toml")
    (plan,) = json.loads(arena(league, "season", "--plan-only", "--json").out)
    words = ("run", "--plan", "results", "--shard", "1/1", "--keep-going", "--out", "part")
    said = arena(league, *words)
    assert len(records(league / "part/dockfight")) == plan["matches"] > 0
    assert said.err.count("left out: ") == len(UNFIT) + 1
    for name in (*UNFIT, "linked"):
        assert f"left out: bots/{name}/bot.toml: " in said.err
    (league / "bots/other/bot.toml").write_text('name = "other"\n')
    wrong = refusal(league, *words[:-1], "again", "-q")
    assert wrong.startswith("results/dockfight: expected all BOTs of the plan that do not ship with arena")
    assert wrong.endswith(
        './bots/other; bots/other/bot.toml: command: expected a value, got none; write command = ["python3", "mine.py"]'
    )
