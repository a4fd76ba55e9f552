"""From what is asked for to blocks, seats and who sits there, and what that would take."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import UsageError
from arena.games import find
from arena.tournament import estimate
from arena.tournament.open_run import OpenRun
from arena.tournament.plan import count_blocks, first_manifest, rounded, schedule
from arena.tournament.planning import contests_of
from arena.tournament.secrets import Secret
from arena.tournament.settings import RunSpec
from arena.tournament.spec import parse_seat_counts, schedule_text
from arena.words import format_duration
from tests.cli.command import BOTS, PYTHON


@given(st.integers(1, 10_000), st.integers(2, 8), st.integers(0, 6))
def test_whole_blocks(matches: int, first: int, more: int) -> None:
    """Rounding up to whole blocks gives enough matches in even shares, and the same when it is done again."""
    seats = range(first, min(first + more, 8) + 1)
    whole = rounded(matches, seats)
    assert whole >= matches
    assert rounded(whole, seats) == whole
    assert count_blocks(whole, seats) == count_blocks(matches, seats)
    assert len(seats) > 1 or whole < matches + first
    shares = [count * blocks for count, blocks in count_blocks(matches, seats).items()]
    assert max(shares) - min(shares) < max(seats)


def test_more_than_eight_seats_are_refused() -> None:
    """A game for more seats is played at up to eight; more seats, and a game that needs more, are refused by name."""
    large = replace(find("catch-of-the-day"), seats=range(4, 13), usual_seats=12)
    assert parse_seat_counts(None, large, None) == (8,)
    assert parse_seat_counts(None, large, 12) == (8,)
    assert parse_seat_counts("7-8", large, 12) == (7, 8)
    with pytest.raises(UsageError, match="expected N or A-B within 4-8 for catch-of-the-day, got '9'"):
        parse_seat_counts("9", large, 12)
    with pytest.raises(UsageError, match="expected a game for 8 seats or fewer, got catch-of-the-day, for 9 or more"):
        parse_seat_counts(None, replace(large, seats=range(9, 13)), None)


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
        manifest = first_manifest(contest.settings, contest.game, contest.enter_bots(), secret)
        blocks = schedule(manifest, manifest.epochs[0], secret)
        assert {bot for block in blocks for bot in block.seating} >= seated


DROWSY = BOTS["mine.py"].replace("picks = list", "__import__('time').sleep(6000); picks = list")


@pytest.mark.long
def test_a_trial_of_slow_bots_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that thinks for hours holds nobody up: the trial ends without its answer, and says that it takes longer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(estimate, "LONGEST_TRIAL", 0.4)
    (tmp_path / "drowsy.py").write_text(DROWSY)
    spec = RunSpec(games=("dockfight",), seats=2, matches=4, move_time="10m", isolation="none", lanes=1)
    root, contests = contests_of(spec, [f"drowsy={PYTHON} drowsy.py", "random"], lambda _: None, planning=True)
    with OpenRun(spec, contests, root, lambda _: None) as session:
        session.start([contest.decide() for contest in contests])
        looked = estimate.outlook(session.ready[0], session.lanes, lambda _: None)
    assert looked is not None
    assert looked.pace.at_least
    assert looked.pace.seconds > 0
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.94, "0.9 s"), (31.7, "31.7 s"), (720, "12 min"), (19_080, "5.3 h"), (181_440, "2.1 days")]
)
def test_times_in_words(seconds: float, said: str) -> None:
    """A time has the unit that people would say it in."""
    assert format_duration(seconds) == said


@pytest.mark.parametrize(
    ("games", "given", "schedule"),
    [
        (1, None, "balanced,until=best"),
        (1, 0.02, "balanced,until=best,alpha=0.02"),
        (2, None, "balanced,until=best,alpha=0.025"),
        (3, None, "balanced,until=best,alpha=0.01666"),
        (2, 1e-08, "balanced,until=best,alpha=5e-09"),
        # more than any table may be wrong: the format refuses it by name
        (5, 0.2, "balanced,until=best,alpha=0.2"),
    ],
)
def test_the_answers_of_several_games_share_their_error_as_their_tables_do(
    games: int, given: float | None, schedule: str
) -> None:
    """Of several games each answer has its part of the error, and no more than the table that it ends by."""
    spec = RunSpec(until="best", alpha=given)
    assert schedule_text(spec, (2,), games=games) == schedule
