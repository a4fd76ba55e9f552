"""The search bot as a real process: every game at every table, on a busy machine, and games of other packages."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena import games, wire
from arena.chance import Chance
from arena.game import Game, Pending
from arena.laws.table import pick
from arena.players.botfile import argv, environment
from arena.players.entrants import entrant
from tests.cli.command import ARENA
from tests.players.conversation import Talk, hello

TIME = 25
"""Milliseconds for an answer: what is told, which nobody enforces here."""
QUESTIONS = 40


def tables() -> list[Any]:
    """Least, usual and most seats of every game, in each of its modes."""
    found = []
    for name in games.names():
        game = games.find(name)
        for mode in game.variants.get("mode", ("",)):
            for seats in sorted({game.seats[0], game.usual_seats, game.seats[-1]}):
                brief = name == "catch-of-the-day" and seats == game.usual_seats and mode == "basic"
                marks = () if brief else pytest.mark.long
                found.append(pytest.param(game, mode, seats, id=f"{name}-{seats}{mode}", marks=marks))
    return found


@pytest.mark.parametrize(("game", "mode", "seats"), tables())
def test_it_plays(game: Game, mode: str, seats: int, tmp_path: Path) -> None:
    """Its answers are legal, in the first seat and in the last."""
    bot = entrant("search")
    variants = game.settle({"mode": mode} if mode else {})
    chance = Chance(b"the others")
    with Talk(argv(bot, bot.folder), environment(bot, str(tmp_path)), Path(bot.folder)) as talk:
        for seat in (0, seats - 1):
            assert isinstance(talk.ask(hello(seat, game=game.name, seat=seat, seats=seats)), wire.Ready)
            state = game.deal(seats, bytes(31) + bytes([seat]), variants)
            asked = 0
            while isinstance(pending := state.pending(), Pending) and asked < QUESTIONS:
                chosen = {other: pick(decision, chance) for other, decision in pending.decisions.items()}
                decision = pending.decisions.get(seat)
                if decision is not None and not decision.forced:
                    asked += 1
                    options, least, most = decision.options, decision.least, decision.most
                    question = wire.Decide(
                        str(asked), least, most, len(options), TIME, options, state.observe(seat), []
                    )
                    answer = talk.ask(wire.encode(question))
                    assert isinstance(answer, wire.Choose)
                    assert decision.fault_in(answer.picks) is None
                    chosen[seat] = decision.take(answer.picks)
                state.apply(chosen)
            assert asked or mode == "simple"
        assert talk.goodbye() == 0


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="expected a system that pins processes to cores")
def test_it_is_never_late_on_a_busy_machine(tmp_path: Path) -> None:
    """With a program that computes on every core it answers in time and without a fault, in matches with a bank too."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        for clock in (["--move-time", "400ms"], ["--move-time", "2s", "--bank", "3s+50ms"]):
            words = ["run", "-g", "catch-of-the-day", "search", "random", "--seats", "4", "-n", "4", *clock]
            place = tmp_path / clock[-1]
            ended = subprocess.run(
                [*ARENA, *words, "-j", "1", "-q", "--json", "-o", str(place)],
                capture_output=True,
                check=True,
                timeout=110,
            )
            rows = {row["bot"]: row for row in json.loads(ended.stdout)["leaderboard"]}
            assert not rows["search"]["faults"]
    finally:
        for process in busy:
            process.kill()
            process.wait()
