"""The versions of a bot in a lab: what is done with files by their content, when they count, and how they are kept."""

from pathlib import Path

import pytest

from arena.errors import DamagedError, LockedError, UsageError
from arena.players.entrants import read_entrant
from arena.tournament.versions import (
    SETTLED,
    Enter,
    Fate,
    History,
    Judge,
    Recall,
    Settling,
    Stamp,
    Store,
    Version,
    decide,
    read_history,
    record,
    stamp,
)
from tests.cli.command import BOTS, bot_folder


def version(number: int, fate: Fate, *, against: int = 0) -> Version:
    """A version whose content is its number."""
    return Version(number=number, digest=str(number), seen="2026-01-01T00:00:00", fate=fate, against=against)


def history(*versions: Version) -> History:
    """The history of these versions, one after the other."""
    made = History(game="dockfight", source="mine")
    for each in versions:
        made = record(made, each)
    return made


FIRST, BETTER = version(1, "first"), version(3, "better", against=1)
PAST = [FIRST, version(2, "worse", against=1), BETTER]


@pytest.mark.parametrize(
    ("versions", "digest", "action"),
    [
        ([], "1", Enter(1)),
        (PAST, "4", Enter(4)),
        # judged for good: one that was bettered, one that was worse, the accepted one
        (PAST, "1", Recall(FIRST)),
        (PAST, "2", Recall(PAST[1])),
        (PAST, "3", Recall(BETTER)),
        # even with the accepted one, or with one that was bettered since
        ([*PAST, even := version(4, "open", against=3)], "4", Recall(even)),
        ([*PAST, even := version(4, "equal", against=3)], "4", Recall(even)),
        ([*PAST, even := version(4, "open", against=1)], "4", Judge(even)),
        # not judged: a newer one came, a kill came, or what it lacked may be there now
        *(([*PAST, each := version(4, fate)], "4", Judge(each)) for fate in ("left", "new", "broken")),
    ],
)
def test_what_to_do(versions: list[Version], digest: str, action: Enter | Recall | Judge) -> None:
    """New content is entered, judged content is recalled, and what is open against the accepted version is judged."""
    assert decide(history(*versions), digest) == action


@pytest.mark.parametrize(
    ("fate", "accepted"),
    [("first", 2), ("better", 2), ("worse", 1), ("equal", 1), ("open", 1), ("broken", 1), ("left", 1), ("new", 1)],
)
def test_what_is_accepted(fate: Fate, accepted: int) -> None:
    """Only what is better for certain, or the first, is what the next version is compared with."""
    assert history(FIRST, version(2, fate)).accepted == accepted


def test_a_later_verdict_takes_the_place_of_the_earlier() -> None:
    """A version that was left and is judged later keeps its number."""
    judged = history(FIRST, version(2, "left"), version(3, "worse"), version(2, "better", against=1))
    assert [each.fate for each in judged.versions] == ["first", "better", "worse"]
    assert judged.accepted == 2


@pytest.mark.parametrize(
    ("looks", "told"),
    [
        ([(0, "a"), (0.5, "a"), (SETTLED, "a"), (9, "a")], [SETTLED]),
        ([(0, "a"), (0.5, "b"), (1.0, "b"), (1.5, "b")], [1.5]),
        # back to what was told before anything settled
        ([(0, "a"), (1, "a"), (2, "b"), (2.5, "a"), (9, "a")], [1]),
        ([(0, "a"), (1, "a"), (2, "b"), (3, "b"), (4, "a"), (5, "a")], [1, 3, 5]),
    ],
)
def test_files_settle(looks: list[tuple[float, Stamp]], told: list[float]) -> None:
    """A change is told of once, when nothing has changed for a second after it."""
    settling = Settling()
    assert [now for now, seen in looks if settling.take(seen, now=now)] == told


def test_a_change_of_any_file_shows(tmp_path: Path) -> None:
    """A file's size, mode, name and time are looked at, and a folder that is gone; what editors leave is not."""
    folder = bot_folder(tmp_path / "mine")
    seen = [stamp(folder)]
    for name in (".bot.py.swp", "bot.py~", "#bot.py#", "4.swo~"):
        (folder / name).write_text("kept by an editor")
    (folder / ".#bot.py").symlink_to("me@here.1:2")
    assert stamp(folder) == seen[0]
    (folder / "bot.py").write_text("pass")
    seen.append(stamp(folder))
    (folder / "bot.py").chmod(0o755)
    seen.append(stamp(folder))
    (folder / "bot.py").rename(folder / "other.py")
    seen.append(stamp(folder))
    folder.rename(tmp_path / "away")
    seen.append(stamp(folder))
    assert len(set(seen)) == len(seen)


def test_versions_are_kept_by_content(tmp_path: Path) -> None:
    """A version is a copy with its own name and the digest of its files; it can be put beside them, over nothing."""
    folder = bot_folder(tmp_path / "mine")
    store = Store(tmp_path / "lab", game="dockfight", source=str(folder))
    with store.hold():
        digest = store.keep(read_entrant(str(folder)))
        assert digest
        store.enter(1, digest)
        bot_folder(folder, BOTS["slip.py"])
        assert store.keep(read_entrant(str(folder))) not in (None, digest)
    bot = store.bot_of(1)
    assert (bot.name, bot.folder) == ("mine-v1", str(tmp_path / "lab/versions/v1"))
    assert (tmp_path / "lab/versions/v1/bot.py").read_text() == BOTS["mine.py"]
    assert (store.take("v1") / "bot.py").read_text() == BOTS["mine.py"]
    assert (folder / "bot.py").read_text() == BOTS["slip.py"]
    with pytest.raises(UsageError, match="mine-v1, got one; move it away first"):
        store.take("v1")
    with pytest.raises(UsageError, match=r"expected a version \(v1\), got 'v2'"):
        store.take("v2")


def test_a_lab_in_a_folder_is_no_part_of_a_bot(tmp_path: Path) -> None:
    """Started within the bot's own folder, a lab changes nothing of the bot."""
    folder = bot_folder(tmp_path / "mine")
    before = stamp(folder)
    store = Store(folder / "lab", game="dockfight", source=str(folder))
    with store.hold():
        digest = store.keep(read_entrant(str(folder)))
        assert digest
        store.enter(1, digest)
        assert stamp(folder) == before
        assert store.keep(read_entrant(str(folder))) == digest


def test_one_lab_in_a_folder(tmp_path: Path) -> None:
    """The folder is one bot's at one game, one lab at a time is at work in it, and damage to its file is told."""
    mine, other = (Store(tmp_path, game="dockfight", source="mine") for _ in range(2))
    with mine.hold(), pytest.raises(LockedError, match="expected no other lab"), other.hold():
        pass
    with pytest.raises(UsageError, match="expected a lab of mine at dockfight, got yours at dockfight"):
        Store(tmp_path, game="dockfight", source="yours")
    assert read_history(tmp_path) == mine.history
    (tmp_path / "arena-lab.json").write_text("{}")
    with pytest.raises(DamagedError, match="expected the history of a lab"):
        read_history(tmp_path)
