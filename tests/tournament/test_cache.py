"""What is kept of long runs in the cache: the same as without it, and never believed of another journal or schedule."""

import os
import pwd
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.formats.schedule import Block
from arena.games import find
from arena.record import MatchResult, Record, encode
from arena.tournament import cache, journal_index, plan
from arena.tournament.folder import Entrant, Manifest
from arena.tournament.journal import Corrupt, Journal, outcomes
from arena.tournament.journal_index import JournalIndex
from arena.tournament.plan import first_manifest
from arena.tournament.secrets import Secret
from tests.report.records import record
from tests.tournament.playing import settings_for

NAMES = [f"bot{number}" for number in range(7)]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(journal_index, "FEWEST", 3)


def written(path: Path, records: list[Record]) -> Journal:
    """A journal to which these were added, still open."""
    journal = Journal.open(path)
    for each in records:
        journal.append(encode(each))
    journal.sync()
    return journal


def match(number: int, **more: object) -> Record:
    """A match of three, whose id is told by its number."""
    fields = {name: getattr(record({"a": 0, "b": 1}), name) for name in Record.__struct_fields__}
    return Record(**{**fields, "id": f"e0b{number}r0", **more})


VOID = {"reason": "void", "why": "the lane's process was ended"}
RECORDS = [match(0), match(1, **VOID), match(2, retired=(1,)), match(1, **VOID), match(3, **VOID), match(3), match(4)]


def known(index: JournalIndex) -> tuple[object, ...]:
    """All that an index tells."""
    return list(index.matches()), index.faults, index.retired, dict(index.voids), index.standing


def test_the_index_is_what_the_records_tell(tmp_path: Path) -> None:
    """A journal that is opened knows its matches, who was retired, and which matches are void and stayed so."""
    path = tmp_path / "matches.jsonl"
    written(path, RECORDS).close()
    with Journal.open(path) as journal:
        index = journal.index
    assert list(index.matches()) == [(0, number, 0) for number in (0, 1, 2, 1, 3, 3, 4)]
    assert index.retired == {"e0b2r0": frozenset({"b"})}
    told: list[MatchResult] = list(outcomes(path))
    assert index.standing == {each.id for each in told if each.reason == "void"} == {"e0b1r0"}
    assert index.unsettled(3) == {"e0b1r0"}
    assert index.unsettled(2) == frozenset()


def test_what_is_kept_is_what_a_reader_would_find(tmp_path: Path) -> None:
    """A journal that goes on is read from where it was kept, and tells the same as one that is read whole."""
    path = tmp_path / "matches.jsonl"
    written(path, RECORDS[:5]).close()
    with Journal.open(path) as journal:
        first = known(journal.index)
    written(path, RECORDS[5:]).close()
    with path.open("rb") as file:
        found = journal_index.load(path, file.fileno())
    assert found is not None
    assert known(found[0].index) == first
    with Journal.open(path) as journal:
        whole = JournalIndex()
        for line in path.read_bytes().splitlines():
            whole.add([line])
        assert known(journal.index) == known(whole)
        assert journal.count == len(RECORDS)


def test_a_writer_that_is_killed_leaves_what_it_knew(tmp_path: Path) -> None:
    """While a journal grows, what is known of it is kept now and then, so that after a kill little is read again."""
    path = tmp_path / "matches.jsonl"
    journal = written(path, RECORDS)  # and never closed
    lines = path.read_bytes().splitlines(keepends=True)
    with path.open("rb") as file:
        found = journal_index.load(path, file.fileno())
    assert found is not None
    then, digest = found
    assert (then.count, then.end) == (6, len(b"".join(lines[:6])))
    assert digest.digest() == sha256(b"".join(lines[:6])).digest()
    index = JournalIndex()
    for line in lines[:6]:
        index.add([line])
    assert known(then.index) == known(index)
    journal.close()


@pytest.mark.parametrize("way", ["changed", "cut", "kept file"])
def test_what_is_kept_counts_for_the_same_bytes_alone(tmp_path: Path, way: str) -> None:
    """A journal that was changed or cut since is read whole, so damage is found; a damaged kept file is none."""
    path = tmp_path / "matches.jsonl"
    written(path, RECORDS).close()
    Journal.open(path).close()
    (kept,) = (tmp_path / "cache/arena/journals").iterdir()
    data = path.read_bytes()
    if way == "kept file":
        kept.write_bytes(kept.read_bytes()[:-1] + b"\0")
        with Journal.open(path) as journal:
            assert journal.count == len(RECORDS)
    elif way == "cut":
        path.write_bytes(b"".join(data.splitlines(keepends=True)[:4]))
        with Journal.open(path) as journal:
            assert journal.count == 4
    else:
        path.write_bytes(data.replace(b'"e0b2r0"', b'"e0b9r0"'))
        with pytest.raises(Corrupt, match="expected record 2"):
            Journal.open(path)


def test_what_is_kept_is_private(tmp_path: Path) -> None:
    """Only the user may enter the folder of what is kept, and read a file of it."""
    path = tmp_path / "matches.jsonl"
    written(path, RECORDS).close()
    Journal.open(path).close()
    folder = tmp_path / "cache/arena/journals"
    assert [stat.S_IMODE(each.stat().st_mode) for each in (folder, *folder.iterdir())] == [0o700, 0o600]


@pytest.mark.parametrize("way", ["others may write", "a link", "its folder is a link", "a pipe"])
def test_what_somebody_put_there_is_none(tmp_path: Path, way: str) -> None:
    """What is a link or a pipe, or may be written by others, is not read, and nothing is written at a link's end."""
    path, away = tmp_path / "matches.jsonl", tmp_path / "away"
    written(path, RECORDS).close()
    Journal.open(path).close()
    folder = tmp_path / "cache/arena/journals"
    (file,) = folder.iterdir()
    away.mkdir()
    if way == "others may write":
        file.chmod(0o666)
    elif way == "its folder is a link":
        folder.rename(away / "all")
        folder.symlink_to(away / "all")
    else:
        file.rename(away / "one")
        file.symlink_to(away / "one") if way == "a link" else os.mkfifo(file)
    before = [each.read_bytes() for each in away.rglob("*") if each.is_file()]
    with path.open("rb") as journal:
        assert journal_index.load(path, journal.fileno()) is None
    with Journal.open(path) as again:
        assert again.count == len(RECORDS)
    assert [each.read_bytes() for each in away.rglob("*") if each.is_file()] == before


def test_who_has_no_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user of whom the machine knows no home, as in a container, keeps nothing and finds nothing."""
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert not cache.store("journals/x", b"")
    assert cache.load("journals/x", most=1) is None
    assert not cache.discard("journals/x")


def test_no_more_is_read_than_there_can_be() -> None:
    """What is longer than its reader allows is none, whatever it is."""
    assert cache.store("journals/x", b"12345")
    assert cache.load("journals/x", most=5) == b"12345"
    assert cache.load("journals/x", most=4) is None


@pytest.mark.parametrize(
    "wrong", [{"end": -1}, {"end": 0}, {"end": 1 << 60}, {"count": 0}, {"count": 9}, {"index": {"places": b"x"}}]
)
def test_what_is_kept_fits_its_journal(tmp_path: Path, wrong: dict[str, Any]) -> None:
    """Counts and lengths that no journal of these bytes has are none, though the file that tells them is whole."""
    path = tmp_path / "matches.jsonl"
    written(path, RECORDS).close()
    Journal.open(path).close()
    (file,) = (tmp_path / "cache/arena/journals").iterdir()
    told = msgspec.msgpack.decode(file.read_bytes()[32:])
    body = msgspec.msgpack.encode(told | wrong)
    file.write_bytes(sha256(body).digest() + body)
    with Journal.open(path) as journal:
        assert journal.count == len(RECORDS)
        assert len(list(journal.index.matches())) == len(RECORDS)


def test_a_record_that_is_no_match_is_not_passed_over(tmp_path: Path) -> None:
    """A line whose id is none makes the index unknown: then every record is read as it is."""
    journal = written(tmp_path / "matches.jsonl", RECORDS[:1])
    journal.append(b'{"id":"strange"}')
    assert not journal.index.known
    journal.close()


def test_a_kept_schedule_is_the_one_that_was_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken where entrants, seats, blocks and key are the same, as they were; never otherwise, nor if damaged."""
    monkeypatch.setattr(plan, "LONG", 3)
    folder = tmp_path / "cache/arena/schedules"
    secret = Secret.of("kept")

    def manifest(names: list[str], matches: int, secret: Secret) -> Manifest:
        entrants = [Entrant(name, "", ()) for name in names]
        return first_manifest(settings_for(find("lure"), matches, seats=(3, 4)), find("lure"), entrants, secret)

    def drawn(run: Manifest, secret: Secret) -> list[Block]:
        return plan.schedule(run, run.epochs[0], secret)

    run = manifest(NAMES, 140, secret)
    blocks = drawn(run, secret)
    (kept,) = folder.iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    with monkeypatch.context() as patch:
        patch.setattr(plan, "draw_blocks", None)
        assert drawn(run, secret) == blocks
        for other in (manifest(NAMES, 160, secret), manifest(NAMES[1:], 140, secret)):
            with pytest.raises(TypeError):
                drawn(other, secret)
        with pytest.raises(TypeError):
            drawn(run, Secret.of("another"))
        kept.write_bytes(kept.read_bytes()[:-1] + b"\7")
        with pytest.raises(TypeError):
            drawn(run, secret)
    assert drawn(msgspec.structs.replace(run, finished=True), secret) == blocks
    plan.forget_schedules(run, {0: secret})
    assert not kept.exists()
