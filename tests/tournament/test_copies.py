"""Copies of one bot: nothing but luck tells them apart, whatever their seat, their lane and their place in the asking.

Chi-squared on fixed seeds; a biased schedule, seating or asking order must be found by the same tests.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from arena import record as records
from arena import wire
from arena.chance import Chance
from arena.formats import schedule
from arena.formats.schedule import Block, Fixture, draw_blocks
from arena.game import Chosen, State
from arena.games import find
from arena.players.lifetime import LINUX
from arena.record import Record
from arena.referee import Match, play
from arena.retelling import retell, verify
from arena.tournament.folder import RunFolder
from arena.tournament.secrets import Secret
from tests.shelf import toy
from tests.test_chance import SLIM, cut_once, off_by_one, p_value, uniformity

COPIES = ("ann", "bob", "cid", "dee")
SECRET = Secret.of("copies")
BLOCKS = 60


class HeadStart(toy.ToyState):
    """The toy as a game in which seat 0 is far better off, for schedules have to make up for that."""

    def apply(self, chosen: Chosen) -> list[object]:
        if not self.discards:
            self.fish[0] += 6
            self.bank -= 6
        return super().apply(chosen)


class Copy:
    """Picks at random."""

    waited = 0.0

    def __init__(self) -> None:
        self.dice = Random()

    def greet(self, hello: wire.Hello) -> None:
        self.dice.seed(hello.seed)

    def decide(self, decide: wire.Decide) -> list[int]:
        return self.dice.sample(range(decide.count), self.dice.randint(decide.least, decide.most))

    def close(self, over: wire.Over) -> None:
        """Be done."""

    def leave(self) -> None:
        raise AssertionError("expected a copy to stay")


def tournament(kind: type[toy.ToyState] = HeadStart) -> list[Record]:
    """All matches of a schedule of four copies, played within this process."""
    played = []
    for block in draw_blocks(COPIES, seats=4, blocks=BLOCKS, key=SECRET.schedule(0)):
        for rotation in range(4):
            fixture = Fixture(block, rotation)
            dealt = toy.deal(4, SECRET.deal(epoch=0, block=block.number, rotation=0), toy.GAME.resolve_variants({}))
            state = kind(**{name: getattr(dealt, name) for name in dealt.__struct_fields__})
            match = Match(
                id=fixture.id,
                label=SECRET.label(fixture.id),
                game="toy",
                version="1",
                bots=fixture.bots,
                variants=toy.GAME.resolve_variants({}),
                ids=SECRET.ids(fixture.id),
                order=SECRET.order(fixture.id),
                seeds=tuple(SECRET.bot_seed(fixture.id, seat) for seat in range(4)),
                limits=(wire.Limits(start=1000, move=1000),) * 4,
            )
            played.append(play(match, state, [Copy() for _ in range(4)]))
    return played


def winners(played: Iterable[Record]) -> list[tuple[str, int]]:
    """Who won each match, and in which seat; matches with several winners are left out."""
    return [
        (record.bots[record.ranks.index(0)], record.ranks.index(0)) for record in played if record.ranks.count(0) == 1
    ]


def independence(pairs: Sequence[tuple[object, object]]) -> float:
    """The p-value of the two halves of these pairs knowing nothing of each other."""
    rows, columns = Counter(row for row, _ in pairs), Counter(column for _, column in pairs)
    seen = Counter(pairs)
    off = 0.0
    for row, down in rows.items():
        for column, across in columns.items():
            expected = down * across / len(pairs)
            assert expected >= 5, "too few pairs for so many cells"
            off += (seen[row, column] - expected) ** 2 / expected
    return p_value(off, (len(rows) - 1) * (len(columns) - 1))


def orders_of_asking(matches: int) -> list[tuple[int, ...]]:
    """In which order the four seats are asked at the first two questions of many matches."""
    orders = []
    for number in range(matches):
        lot = Chance(SECRET.order(f"e0b{number}r0"))
        for _ in range(2):
            seats = [0, 1, 2, 3]
            lot.shuffle(seats)
            orders.append(tuple(seats))
    return orders


# --- the seat


def test_no_copy_wins_more_than_another() -> None:
    """Though seat 0 wins far more often, the schedule gives it to each copy equally: wins by copy are even."""
    won = winners(tournament())
    assert uniformity((bot for bot, _ in won), 4) > SLIM
    assert uniformity((seat for _, seat in won), 4) < SLIM


def test_the_seat_alone_does_not_matter_in_a_fair_game() -> None:
    """Where all seats are alike, wins by seat are even too."""
    assert uniformity((seat for _, seat in winners(tournament(toy.ToyState))), 4) > SLIM


def test_a_biased_schedule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule that does not rotate, or seats the copies by name, makes one of them win more, and that is found."""
    monkeypatch.setattr(schedule, "line_up", lambda block, _rotation: tuple(sorted(block.seating)))
    assert uniformity((bot for bot, _ in winners(tournament())), 4) < SLIM


def test_who_sits_where_at_first_is_drawn_evenly() -> None:
    """In rotation 0 each copy sits equally often in each seat, and left of each other copy."""
    blocks = list(draw_blocks(COPIES, seats=4, blocks=800, key=SECRET.schedule(0)))
    assert independence([pair for block in blocks for pair in enumerate(block.seating)]) > SLIM
    assert uniformity((pair for block in blocks for pair in pairwise(block.seating)), 12) > SLIM
    by_name = [Block(0, number, tuple(sorted(block.seating))) for number, block in enumerate(blocks)]
    assert independence([pair for block in by_name for pair in enumerate(block.seating)]) < SLIM


# --- the place in the asking


def test_the_order_of_asking_is_drawn_evenly() -> None:
    """Each of the 24 orders of four seats is equally likely, at each question, whatever the one before."""
    orders = orders_of_asking(1000)
    assert uniformity(orders, 24) > SLIM
    assert independence([(before[0], after[0]) for before, after in zip(orders[::2], orders[1::2], strict=True)]) > SLIM


@pytest.mark.parametrize("bad", [lambda _chance, _items: None, off_by_one, cut_once])
def test_a_biased_order_of_asking_is_found(
    bad: Callable[[Chance, list[int]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seats asked in their order, or in an order from a bad shuffle, are found."""
    monkeypatch.setattr(Chance, "shuffle", bad)
    assert uniformity(orders_of_asking(1000), 24) < SLIM


# --- a real run

COPY = """
import json, os, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        dice = random.Random(message["seed"])
        with open("diary", "a") as diary:
            diary.write(f"{os.getppid()} {message['match']}\\n")
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "decide":
        picks = dice.sample(range(message["count"]), dice.randint(message["least"], message["most"]))
        print(json.dumps({"type": "choose", "id": message["id"], "picks": picks}), flush=True)
"""
"""Writes down which lane, the parent of its process, played which match."""


def first_asked(record: Record, state: State) -> list[int]:
    """The seats of the first question to all, in the order in which they were asked."""
    lot = Chance(SECRET.order(record.id))
    for step in retell(record, state):
        seats = sorted(seat for seat, decision in step.pending.decisions.items() if not decision.forced)
        lot.shuffle(seats)
        if len(seats) == len(record.bots) - 1:
            return seats
    raise AssertionError("expected a question to all who may ring the bell, got none")


@pytest.mark.proof
@pytest.mark.skipif(not LINUX, reason="needs /proc")
@pytest.mark.timeout(900)
def test_a_run_of_copies(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """In a run of copies, wins are even by copy, by seat and by place in the asking, and know nothing of the lane."""
    (tmp_path / "twin.py").write_text(COPY, "utf-8")
    names = [f"{name}={sys.executable} -S twin.py" for name in COPIES]
    options = ["-g", "cash-a-catch", "--seats", "4", "-n", "2000", "-j", "2", "--seed", SECRET.seed_text, "-o", "run"]
    # the copies keep a diary in the folder, which they could not in a sandbox
    options += ["--isolation", "none"]
    words = [sys.executable, "-m", "arena", "run", *options, *names, "-q", "--json"]
    ended = subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=800)
    assert not any(row["faults"] for row in json.loads(ended.stdout)["leaderboard"])
    played = list(RunFolder(tmp_path / "run").in_order())
    diary = [line.split() for line in (tmp_path / "diary").read_text("utf-8").splitlines()]
    lanes = {label: lane for lane, label in diary}
    game = find("cash-a-catch")
    by_lane: list[tuple[object, object]] = []
    by_place: list[int] = []
    for record in played:
        epoch, block, _ = records.match_key(record.id)
        key = SECRET.deal(epoch=epoch, block=block, rotation=0)
        assert verify(record, game.deal(4, key, record.variants)) is None
        if record.ranks.count(0) > 1:
            continue
        winner = record.ranks.index(0)
        by_lane.append((lanes[SECRET.label(record.id)], record.bots[winner]))
        asked = first_asked(record, game.deal(4, key, record.variants))
        if winner in asked:
            by_place.append(asked.index(winner))
    values = {
        "copy": uniformity((bot for bot, _ in winners(played)), 4),
        "seat": uniformity((seat for _, seat in winners(played)), 4),
        "lane": independence(by_lane),
        "place": uniformity(by_place, 3),
    }
    assert len({lane for lane, _ in by_lane}) == 2
    assert min(values.values()) > SLIM, values
    for name, p in values.items():
        record_property(f"p by {name}", round(p, 3))
