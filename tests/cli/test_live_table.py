"""The table of a run in a terminal while it is played: what it says at any size."""

from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console

from arena.fault import Fault
from arena.games import find
from arena.record import MatchResult, Record
from arena.terminal.live_table import LiveTable
from arena.tournament.folder import BALANCED, Entrant, Manifest
from arena.tournament.lanes import Lanes
from arena.tournament.plan import first_manifest
from arena.tournament.secrets import Secret
from tests.tournament.playing import settings_for

SIZES = [(80, 24), (40, 20), (120, 40), (40, 8)]


def frame(
    manifest: Manifest, records: list[Record], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """The lines of the table after these matches."""
    monkeypatch.setenv("COLUMNS", str(size[0]))
    monkeypatch.setenv("LINES", str(size[1]))
    stream = StringIO()
    table = LiveTable(stream)
    table.begin(manifest, Lanes(1))
    for record in records:
        table.played(record)
        # each is looked at and fitted, however short the time
        table._drawn = table._next_fit = 0.0
        table.tick()
    table.close()
    table._console.print(table._table())
    return stream.getvalue().removesuffix("\n").split("\n")[-size[1] :]


def match(number: int, *bots: str) -> Record:
    """A match that ends in this order."""
    ranks, scores = tuple(range(len(bots))), tuple(range(len(bots), 0, -1))
    return Record(f"e0b{number}r0", "dockfight", "1", bots, ranks, scores, "finished")


def field(count: int, schedule: str = BALANCED) -> Manifest:
    """A run of so many bots whose names differ at their ends alone, two at a table."""
    names = ["greedy-with-a-long-name-" + f"{number:02}" for number in range(count)]
    settings = replace(settings_for(find("dockfight"), seats=(2,)), schedule=schedule)
    return first_manifest(settings, find("dockfight"), [Entrant(name, "", ()) for name in names], Secret.of("x"))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [3, 15, 30])
def test_a_table_fits(count: int, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Place, name and rating of the first bots, how many are not shown, and the progress: in all sizes, names apart."""
    manifest = field(count)
    names = [entrant.name for entrant in manifest.entrants]
    lines = frame(manifest, [match(n, names[n % count], names[(n + 1) % count]) for n in range(40)], size, monkeypatch)
    assert max(map(len, lines)) <= size[0]
    start = next(at for at, line in enumerate(lines) if "provisional" in line)
    lines = lines[start:]
    assert len(lines) < size[1]
    assert any("40/" in line and "matches" in line for line in lines[-2:])
    more = [int(line.split()[2]) for line in lines if line.startswith("... and")]
    rows = [line.split() for line in lines if line.lstrip()[:1].isdigit() and "matches" not in line]
    assert len(rows) + sum(more) == count
    assert len({row[1] for row in rows}) == len(rows)
    assert all(float(row[2]) for row in rows)
    assert rows[0][0] == "1"


def test_trend_and_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has risen in the last dozen matches is marked, and mu has an interval once there are blocks enough."""
    manifest = field(2)
    one, two = (entrant.name for entrant in manifest.entrants)
    played = [match(n, one, two) for n in range(14)] + [match(n, two, one) for n in range(14, 40)]
    lines = frame(manifest, played[:14], (80, 24), monkeypatch)
    assert "+1" not in "".join(lines)
    lines = frame(manifest, played[:30], (80, 24), monkeypatch)
    rows = {row[1]: row for row in map(str.split, lines) if len(row) > 3}
    assert rows[two][3] == "+1"
    assert rows[one][3] == "-1"
    assert "+-" in lines[-2]


def test_groups_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings of bots that never met do not compare, and the table says so; a format's total counts all its rounds."""
    manifest = field(4, "swiss,rounds=3")
    a, b, c, d = (entrant.name for entrant in manifest.entrants)
    lines = frame(manifest, [match(0, a, b), match(1, c, d)], (80, 24), monkeypatch)
    assert any("groups that have not met do not compare" in line for line in lines)
    assert lines[-1].startswith("2/12 matches")


def test_matches_of_earlier_sessions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches, wins and faults are those of all sessions; a void match is none."""
    manifest = field(2)
    one, two = (entrant.name for entrant in manifest.entrants)
    late = Fault(seat=0, kind="late", decision=3, rule="", hint="")
    outcomes = [
        MatchResult("e0b0r0", "dockfight", "1", (one, two), (0, 1), (2, 1), "finished", (late,)),
        MatchResult("e0b0r1", "dockfight", "1", (two, one), (0, 0), (1, 1), "void", why="no room"),
    ]
    monkeypatch.setenv("COLUMNS", "120")
    table = LiveTable(StringIO())
    table.begin(manifest, Lanes(1))
    table.recalled(matches=2, faults=1, outcomes=iter(outcomes))
    table.played(replace(match(1, one, two), ranks=(0, 0), faults=(late,)))
    table.tick()
    table.close()
    stream = StringIO()
    Console(file=stream, width=120).print(table._table())
    rows = {row[1]: row for row in map(str.split, stream.getvalue().split("\n")) if len(row) > 3}
    assert rows[one][-3:] == ["2", "2", "1.5"]
    assert rows[two][-3:] == ["2", "-", "0.5"]
    assert "3/" in stream.getvalue()
