"""A review of a bot with planted blunders names them."""

from pathlib import Path
from typing import Any

import pytest

import arena
from arena.games import find, names
from arena.record import Record
from arena.selfplay.players import from_file
from arena.selfplay.review import _Job, questions, review
from arena.tournament.folder import RunFolder, deal_again
from arena.tournament.run import Run
from tests.selfplay.blunders import Blunderer, answered

TIME = 120.0
NAMED = 4


def kind_of(run: Run, record: Record, decision: int) -> str | None:
    """Which kind of blunder an answer is, if it is one."""
    state = deal_again(run.folder.secrets_of(run.manifest), record)[1]
    asked = questions(record, state, record.seats_asked[decision], [decision], _Job(0, 0.0, 1.0, 0))
    ((_, question),) = asked
    told, _ = answered(record.game, question, question.observation)
    return told[0] if told else None


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize("game", names())
def test_planted_blunders_are_named(game: str, tmp_path: Path) -> None:
    """Of five kinds of blunder in a game at least four are among the first ten rows."""
    others = [f"g{number}=greedy" for number in range(1, find(game).usual_seats)]
    bots: list[Any] = [arena.local_bot(Blunderer, "mine"), *others]
    with arena.open_run(game, bots, matches=48, seed="blunders", out=tmp_path / "run") as opened:
        records = {record.id: record for record in opened.play()}
    run = Run(tmp_path / "run")
    told = review(
        RunFolder(run.path), bot="mine", by=from_file("search"), within=TIME, say=print, progress=lambda _: None
    )
    kinds = {kind_of(run, records[row.id], row.decision) for row in told.costliest} - {None}
    assert len(kinds) >= NAMED, told.document().written("table")
