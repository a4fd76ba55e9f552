"""Who is asked for plays, in however few matches: the debugged bot, all that are named, and their copies."""

from pathlib import Path

import pytest

from arena.tournament.plan import first_manifest, schedule
from arena.tournament.planning import contests_of
from arena.tournament.secrets import Secret
from arena.tournament.settings import RunSpec

MINE = "mine=sh mine.sh"
NAMED = ("greedy*2", "g2=greedy", "random", MINE)


@pytest.mark.parametrize(
    ("bots", "settings", "seated"),
    [
        ((MINE,), {}, {"mine"}),
        ((*NAMED, "other=sh other.sh"), {"debug": "other"}, {"other"}),
        (NAMED, {}, {"greedy", "greedy#2", "g2", "random", "mine"}),
        (("random", MINE), {"seats": 3}, {"random", "mine"}),
        (("greedy*3",), {"seats": 3}, {"greedy", "greedy#2", "greedy#3"}),
    ],
)
def test_who_is_asked_for_plays(
    bots: tuple[str, ...], settings: dict[str, str | int], seated: set[str], tmp_path: Path
) -> None:
    """With a single match asked for, whatever the draw, each of them sits at a table."""
    spec = RunSpec(games=("dockfight",), **{"seats": 2, "matches": 1, "out": tmp_path / "run", **settings})  # type: ignore[arg-type]  # a case is of any field
    _, (contest,) = contests_of(spec, bots, lambda _: None)
    for text in map(str, range(20)):
        secret = Secret.of(text)
        manifest = first_manifest(contest.settings, contest.game, contest.entered({}), secret)
        blocks = schedule(manifest, manifest.epochs[0], secret)
        assert {bot for block in blocks for bot in block.seating} >= seated
