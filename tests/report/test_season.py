"""What a league shows: hostile reasons stay text, a bot goes by one name, badges follow the tables."""

import json

from msgspec.structs import replace

from arena.report.render import Leaderboard
from arena.report.season import (
    Probation,
    Season,
    combine_games,
    make_badges,
    note_newcomers,
    render_season,
)
from tests.report.records import board_of, record


def board(*bots: str) -> Leaderboard:
    """A table of these bots, best first, after a match of all."""
    ranks = {bot: rank for rank, bot in enumerate(bots)}
    return board_of([record(ranks)], bots, seats=len(bots))


def test_one_name_in_all_games() -> None:
    """Over several games a bot is one, whatever its version in each; copies are left out; badges go by that name."""
    games = {"lure": board("a@2", "b", "b#2"), "dockfight": board("b", "a")}
    shares = {"lure": {"a@2": 1.0, "b": 0.5, "b#2": 0.0}, "dockfight": {"b": 1.0, "a": 0.0}}
    combined = combine_games(shares, games)
    assert [(each.bot, each.share) for each in combined] == [("b", 0.75), ("a", 0.5)]
    found = make_badges(Season(1, "2026-01-02", games, combined=combined))
    assert sorted(found) == [
        "a.json",
        "b.json",
        *(f"{game}/{bot}.json" for game in ("dockfight", "lure") for bot in "ab"),
    ]
    assert json.loads(found["b.json"]) == {
        "schemaVersion": 1,
        "label": "arena",
        "message": "ahead of 75 %, place open in 2 of 2 games",
        "color": "blue",
    }
    assert combine_games({"lure": {}}, {"lure": games["lure"]}) == ()


def test_owners_on_badges() -> None:
    """A bot whose file names who entered it says so on its badges, in one line; the page has a column."""
    games = {
        "lure": replace(board("a@2", "b"), owners={"a@2": "Ada\n" + "a" * 99}),
        "dockfight": replace(board("b", "a"), owners={"a": "Ada"}),
    }
    season = Season(1, "2026-01-02", games, combined=combine_games({"lure": {"a@2": 1.0}, "dockfight": {}}, games))
    found = {name: json.loads(badge)["message"] for name, badge in make_badges(season).items()}
    assert found["dockfight/a.json"].endswith(", by Ada")
    assert found["a.json"].endswith(", by Ada")
    assert found["lure/a.json"].endswith(", by Ada\\n" + "a" * 24 + "...")
    assert "by" not in found["b.json"]
    assert "| owner" in render_season(season, "markdown").split("## All games")[1].split("##")[0]


def test_badges_on_any_file_system() -> None:
    """No two badges have file names that differ in case alone: who plays has it, else who stands first."""
    off = (Probation("A", "no program"), Probation("X", "no file"), Probation("x", "no file"))
    found = make_badges(Season(1, "2026-01-02", {"lure": board("a", "b")}, off))
    assert sorted(found) == ["X.json", "a.json", "b.json"]
    assert "mu" in json.loads(found["a.json"])["message"]


def test_a_newcomer_is_provisional() -> None:
    """Who entered late and can have more ranks than asked for is named below the table, in JSON and by its badge."""
    found = note_newcomers(board("a", "b", "c"), {"b"}, 2)
    assert found.newcomers == ("b",)
    assert found.notes[-1] == "Provisional, because as newcomers they can still have more than 2 ranks: b (1-3)."
    season = Season(2, "2026-01-02", {"lure": found})
    told = {name: json.loads(badge)["message"] for name, badge in make_badges(season).items()}
    assert told["b.json"] == "provisional, place open among 3"
    assert told["a.json"].startswith("first of 3; b and c may be better, mu ")
    assert found.notes[-1] in render_season(season, "markdown")
    assert note_newcomers(board("a", "b", "c"), {"b"}, 3) == board("a", "b", "c")


def test_a_hostile_reason() -> None:
    """What a bot wrote as its reason is shown as text: no markup, no line of its own, no command of a CI runner."""
    why = "\n## I won\n::error::<b>|*x*\x1b[31m"
    season = Season(3, "2026-01-02", {"lure": board("a", "b")}, (Probation("evil", why, ("lure",)),))
    shown = render_season(season, "markdown")
    assert "\n## I won" not in shown
    assert "<b>" not in shown
    assert "\x1b" not in shown + render_season(season, "json")
    assert not [line for line in (shown + render_season(season, "json")).splitlines() if line.lstrip().startswith("::")]
    assert json.loads(render_season(season, "json"))["probation"] == [{"bot": "evil", "why": why, "games": ["lure"]}]
    assert json.loads(make_badges(season)["evil.json"])["message"] == "on probation"
