"""The journal: whatever stops the writer, no finished match is lost and no damaged one is believed."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.fault import Fault
from arena.record import Record, encode
from arena.tournament import journal
from arena.tournament.journal import Corrupt, Journal, Locked, lines, read

NASTY = 'é"\n\0\u2028\\,"crc":"00000000"}\n{"seq":0,'


def record(n: int) -> Record:
    """The n-th match of the examples, with text that a bot may have chosen."""
    return Record(
        id=f"e0b{n}r0",
        game="cash-a-catch",
        version="1",
        bots=("a", NASTY),
        ranks=(0, 1),
        scores=(n, -n),
        reason="finished",
        faults=(Fault(seat=1, kind="garbled", decision=0, rule=NASTY + "x" * (n * 7 % 40)),),
    )


RECORDS = [record(n) for n in range(4)]
BODIES = [encode(each) for each in RECORDS]
SHORT = [b'{"id":"%d"}' % n for n in range(4)]


class Quick:
    """An ``os`` that waits for no disk, for tests that open a journal a thousand times."""

    write = staticmethod(os.write)
    ftruncate = staticmethod(os.ftruncate)

    def fdatasync(self, fd: int, /) -> None: ...
    def fsync(self, fd: int, /) -> None: ...


def write(path: Path, bodies: list[bytes]) -> bytes:
    """A journal of these records at ``path``, and its bytes."""
    with Journal.open(path) as held:
        for body in bodies:
            held.append(body)
    return path.read_bytes()


def reopen(path: Path) -> int:
    """How many records a runner finds that resumes this journal."""
    with Journal.open(path, Quick()) as held:
        return held.count


# The format.


def test_a_line_is_json_with_number_first_and_checksum_last(tmp_path: Path) -> None:
    """Each line is a JSON object: ``seq`` first, then the record, ``crc`` last over all bytes before ``,"crc"``."""
    data = write(tmp_path / "matches.jsonl", BODIES)
    assert data.endswith(b"\n")
    for number, line in enumerate(data[:-1].split(b"\n")):
        fields = json.loads(line)
        assert next(iter(fields)) == "seq"
        assert list(fields)[-1] == "crc"
        before = line[: line.rindex(b',"crc"')]
        assert fields.pop("crc") == f"{zlib.crc32(before):08x}"
        assert fields.pop("seq") == number
        assert fields == json.loads(BODIES[number])


def test_a_line_by_hand(tmp_path: Path) -> None:
    """The bytes of these two records are the same in every version, the empty object included."""
    assert write(tmp_path / "j", [b'{"id":"e0b0r0"}', b"{}"]) == (
        b'{"seq":0,"id":"e0b0r0","crc":"29231116"}\n{"seq":1,"crc":"8c63767c"}\n'
    )


def test_the_documented_line_is_a_record(tmp_path: Path) -> None:
    """The example of the format's description is a journal of one match."""
    text = (Path(__file__).parents[2] / "docs" / "journal.md").read_text(encoding="utf-8")
    (example,) = [line for line in text.splitlines() if line.startswith('{"seq":')]
    (tmp_path / "j").write_text(example + "\n", encoding="utf-8")
    assert [match.id for match in read(tmp_path / "j")] == ["e0b4r0"]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Records come back equal and in order, over any number of sessions."""
    path = tmp_path / "matches.jsonl"
    for number, body in enumerate(BODIES):
        with Journal.open(path) as held:
            assert held.count == number
            held.append(body)
    assert list(read(path)) == RECORDS
    assert b"\n".join(lines(path)) + b"\n" == path.read_bytes()


@settings(max_examples=20)
@given(texts=st.lists(st.text(), max_size=4))
def test_no_text_of_a_bot_can_forge_a_record(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """Newlines, NULs, quotes and look-alikes of records inside a text stay inside it."""
    path = tmp_path_factory.mktemp("forge") / "j"
    forged = ['\n{"seq":1,"crc":"00000000"}\n', "\0", '"}\n', '"crc":"', *texts]
    records = [msgspec.structs.replace(record(n), why=text) for n, text in enumerate(forged)]
    data = write(path, [encode(each) for each in records])
    assert data.count(b"\n") == len(records)
    assert b"\0" not in data
    assert list(read(path)) == records


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"a":1}\n', b'{"a":\n1}', b' {"a":1}'])
def test_a_body_that_would_break_the_lines_is_refused(tmp_path: Path, body: bytes) -> None:
    """What is no JSON object on one line is refused in words, and the journal goes on."""
    with Journal.open(tmp_path / "j") as held:
        with pytest.raises(ValueError, match="expected a JSON object on one line, got"):
            held.append(body)
        held.append(b"{}")
    assert len(list(lines(tmp_path / "j"))) == 1


def test_a_record_has_a_greatest_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of exactly the limit is written and read; one byte more is refused and the journal goes on."""
    monkeypatch.setattr(journal, "LINE_LIMIT", 100)
    with Journal.open(tmp_path / "j") as held:
        fits = 100 - len(b'{"seq":0,"a":"","crc":"01234567"}\n')
        with pytest.raises(ValueError, match="expected a record of at most 100 bytes, got 101"):
            held.append(b'{"a":"%s"}' % (b"x" * (fits + 1)))
        held.append(b'{"a":"%s"}' % (b"x" * fits))
    assert [len(line) for line in lines(tmp_path / "j")] == [99]
    assert reopen(tmp_path / "j") == 1


# Damage.


@pytest.mark.long
def test_every_truncation_is_survived(tmp_path: Path) -> None:
    """Cut off at any byte, the journal keeps every whole record, and going on gives the same bytes as if never cut."""
    path, torn = tmp_path / "matches.jsonl", tmp_path / "matches.torn"
    data = write(path, BODIES)
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        torn.unlink(missing_ok=True)
        whole = data.count(b"\n", 0, cut)
        assert len(list(lines(path))) == whole
        with Journal.open(path, Quick()) as held:
            assert held.count == whole
            for body in BODIES[whole:]:
                held.append(body)
        assert path.read_bytes() == data
        left = data[data.rfind(b"\n", 0, cut) + 1 : cut]
        assert (torn.read_bytes() if torn.exists() else b"") == left


def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    """No changed record is believed: before the last line it is corruption, in the last line a torn end.

    A changed newline is corruption everywhere: the record before it is whole and goes on.
    """
    path = tmp_path / "j"
    data = write(path, SHORT[:3])
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == ord("\n"))]
    last = starts[-2]
    for at in range(len(data)):
        number = sum(start <= at for start in starts) - 1
        for bit in range(8):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :])
            if at < last or at == len(data) - 1:
                with pytest.raises(Corrupt) as found:
                    reopen(path)
                assert (found.value.number, found.value.offset) == (number, starts[number])
                with pytest.raises(Corrupt):
                    list(lines(path))
            else:
                assert list(lines(path)) == data.splitlines()[:number]
                assert reopen(path) == number
                assert path.read_bytes() == data[: starts[number]]


def test_corruption_is_named_in_words(tmp_path: Path) -> None:
    """The error tells the file, the number of the record and the byte it begins at; the file is left as it is."""
    path = tmp_path / "j"
    data = write(path, SHORT)
    path.write_bytes(spoilt := data.replace(b'"1"', b'"7"'))
    second = data.index(b"\n") + 1
    with pytest.raises(Corrupt, match=f"j: expected record 1 at byte {second}, got a damaged line with a good one"):
        reopen(path)
    assert path.read_bytes() == spoilt
    assert not (tmp_path / "j.torn").exists()


@pytest.mark.parametrize(("order", "number", "got"), [([0, 2], 1, 2), ([1], 0, 1), ([0, 1, 1], 2, 1), ([0, 0], 1, 0)])
def test_a_missing_or_repeated_record_is_corruption(tmp_path: Path, order: list[int], number: int, got: int) -> None:
    """Whole lines in another order than they were written in are corruption, at the end of the file too."""
    path = tmp_path / "j"
    parts = write(path, SHORT).splitlines(keepends=True)
    path.write_bytes(b"".join(parts[each] for each in order))
    for way in (reopen, lambda path: list(lines(path))):
        with pytest.raises(Corrupt, match=f"expected record {number} at byte [0-9]+, got record {got}$"):
            way(path)


@pytest.mark.parametrize(
    "tail",
    [
        b"\0" * 5000,
        b"\n\n",
        bytes(range(256)),
        b'{"seq":4}\n',
        b'{"seq":4,"crc":"00000000"}\n' * 3,
        b'{"seq":04,"crc":"SEAL"}\n',
        b'"crc":"00000000"}\n',
    ],
)
def test_garbage_at_the_end_is_set_aside(tmp_path: Path, tail: bytes) -> None:
    """Zeros, garbage and what only looks like a record are moved to the torn file; what stands there stays."""
    tail = tail.replace(b"SEAL", b"%08x" % zlib.crc32(b'{"seq":04'))
    path, torn = tmp_path / "matches.jsonl", tmp_path / "matches.torn"
    data = write(path, SHORT)
    torn.write_bytes(b"before\n")
    path.write_bytes(data + tail)
    assert b"\n".join(lines(path)) + b"\n" == data
    assert reopen(path) == len(SHORT)
    assert path.read_bytes() == data
    assert torn.read_bytes() == b"before\n" + tail


def test_an_end_that_no_write_leaves_is_corruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terabyte of zeros behind the last good line is not read to its end: no interrupted write has left it."""
    monkeypatch.setattr(journal, "LINE_LIMIT", 256)
    monkeypatch.setattr(journal, "_TORN_LIMIT", 1024)
    path = tmp_path / "j"
    write(path, SHORT[:2])
    os.truncate(path, 1 << 40)
    for take in (reopen, lambda path: list(lines(path))):
        with pytest.raises(Corrupt, match=r"expected record 2 at byte \d+, got more than 1024 bytes without"):
            take(path)
    assert not (tmp_path / "j.torn").exists()


def test_an_endless_line_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tail without a newline, however long, is set aside in pieces; a good record behind it is corruption."""
    monkeypatch.setattr(journal, "_PIECE", 64)
    monkeypatch.setattr(journal, "LINE_LIMIT", 256)
    path = tmp_path / "j"
    parts = write(path, SHORT).splitlines(keepends=True)
    path.write_bytes(parts[0] + b"\0" * 100_000)
    descriptor = os.open(path, os.O_RDONLY)
    pieces = [len(piece) for piece in journal._split(descriptor, 0)]
    assert max(pieces) < 256 + 64
    assert sum(pieces) > 99_000
    os.close(descriptor)
    assert reopen(path) == 1
    assert len(path.with_suffix(".torn").read_bytes()) == 100_000
    path.write_bytes(parts[0] + b"\0" * 100_000 + b"\n" + parts[2])
    with pytest.raises(Corrupt):
        reopen(path)


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_lines_are_found_in_whatever_pieces_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """Where one read ends and the next begins makes no difference."""
    path = tmp_path / "j"
    data = write(path, BODIES)
    monkeypatch.setattr(journal, "_PIECE", piece)
    assert b"\n".join(lines(path)) + b"\n" == data


@settings(max_examples=60)
@given(data=st.data())
def test_a_power_loss_costs_nothing_that_was_synced(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """If any of the bytes after the last sync never reached the disk, every record before it is still found.

    With one record a sync the journal is always taken up again; with several, a hole before a good line is refused.
    """
    path = tmp_path_factory.mktemp("power") / "j"
    whole = write(path, SHORT)
    starts = [0, *(at + 1 for at, byte in enumerate(whole) if byte == ord("\n"))]
    unsynced = data.draw(st.integers(1, 3))
    safe = starts[len(SHORT) - unsynced]
    lost = data.draw(st.lists(st.booleans(), min_size=len(whole) - safe, max_size=len(whole) - safe))
    survived = bytes(0 if gone else byte for gone, byte in zip(lost, whole[safe:], strict=True))
    path.write_bytes(whole[:safe] + survived[: data.draw(st.integers(0, len(survived)))])
    try:
        count = reopen(path)
    except Corrupt as damage:
        count = damage.number
        refused = True
    else:
        assert path.read_bytes() == whole[: starts[count]]
        refused = False
    assert count >= len(SHORT) - unsynced
    assert unsynced > 1 or not refused


def test_a_line_that_is_no_match_is_named(tmp_path: Path) -> None:
    """A whole line that is no record of this version is corruption for those who want records."""
    path = tmp_path / "j"
    write(path, [BODIES[0], b'{"id":7}'])
    with pytest.raises(Corrupt, match=r"expected record 1 at byte [0-9]+, got something else") as found:
        list(read(path))
    assert found.value.offset == path.read_bytes().index(b"\n") + 1


def test_records_are_told_in_the_order_of_the_schedule(tmp_path: Path) -> None:
    """Canonical order is by epoch, block and rotation, whichever matches ended first."""
    ids = ["e0b2r0", "e0b10r0", "e0b10r3", "e1b0r0"]
    write(tmp_path / "matches.jsonl", [encode(replace(record(0), id=match)) for match in reversed(ids)])
    assert [told.id for told in journal.in_order([tmp_path / "matches.jsonl"])] == ids


def test_a_missing_journal_is_not_made_by_reading(tmp_path: Path) -> None:
    """Reading commands do not create files."""
    with pytest.raises(FileNotFoundError):
        list(read(tmp_path / "j"))
    assert list(tmp_path.iterdir()) == []


# Several processes.


@contextmanager
def process(path: Path, body: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that runs ``body`` with ``path`` and ``Journal``; its end is waited for."""
    code = f"from pathlib import Path\nfrom arena.tournament.journal import *\npath = Path({str(path)!r})\n{body}"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def said(child: subprocess.Popen[str]) -> str:
    """The next line of the other process."""
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_a_second_writer_is_locked_out(tmp_path: Path) -> None:
    """While one process holds the journal another gets ``Locked`` at once; when it is killed the lock is gone."""
    path = tmp_path / "j"
    holding = "held = Journal.open(path); held.append(b'{}'); held.sync(); print('held', flush=True); input()"
    with process(path, holding) as holder:
        assert said(holder) == "held"
        with pytest.raises(Locked, match="expected a journal nobody is writing, got one that another process holds"):
            Journal.open(path)
        assert len(list(lines(path))) == 1
    assert reopen(path) == 1
    trying = "try: Journal.open(path)\nexcept Locked: print('locked')\nelse: print('open')"
    with Journal.open(path), process(path, trying) as other:
        assert said(other) == "locked"
    with process(path, trying) as other:
        assert said(other) == "open"


def test_a_killed_writer_loses_nothing_it_had_finished(tmp_path: Path) -> None:
    """Killed with SIGKILL in the middle of writing, a runner leaves every record whose sync it had seen."""
    path = tmp_path / "j"
    writing = (
        "held = Journal.open(path)\nwhile True:\n    held.append(b'{\"x\":\"' + b'x' * 5000 + b'\"}')\n"
        "    held.sync()\n    print(held.count, flush=True)"
    )
    count = 0
    for _ in range(3):
        with process(path, writing) as writer:
            for _ in range(20):
                count = int(said(writer))
            writer.send_signal(signal.SIGKILL)
        found = reopen(path)
        assert found >= count
        assert len(list(lines(path))) == found


@pytest.mark.parametrize(
    ("lock", "why", "number"),
    [
        ({}, "expected a file system with working locks", errno.ENOLCK),
        ({"side_effect": OSError(errno.ENOTSUP, "not supported")}, "not supported", errno.ENOTSUP),
    ],
    ids=["it lets two in", "it knows none"],
)
def test_a_file_system_without_locks_is_refused(tmp_path: Path, lock: Any, why: str, number: int) -> None:
    """If the file system lets two in the journal is not opened; an error of locking itself is passed on as it is."""
    with patch.object(fcntl, "flock", **lock), pytest.raises(OSError, match=why) as error:
        Journal.open(tmp_path / "j")
    assert error.value.errno == number


def test_reading_goes_along_with_writing(tmp_path: Path) -> None:
    """A reader sees each record as soon as it is whole, and an incomplete last line not at all."""
    path = tmp_path / "j"
    with Journal.open(path) as held:
        for number, body in enumerate(BODIES):
            assert list(read(path)) == RECORDS[:number]
            held.append(body)
    data = path.read_bytes()
    for cut in range(len(data) - 40, len(data)):
        path.write_bytes(data[:cut])
        assert list(read(path)) == RECORDS[:-1]


def _roll_back(path: Path, whole: bytes, good: int) -> None:
    """What a new runner does to a torn end: takes it back, and goes on."""
    assert path.read_bytes() != whole[:good]
    os.truncate(path, good)
    path.write_bytes(whole)


def test_a_reader_is_not_deceived_by_a_torn_end_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read of a torn record, and what is written in its place, are not taken together for corruption."""
    path = tmp_path / "j"
    whole = write(path, SHORT)
    second = whole.index(b"\n") + 1
    path.write_bytes(whole[:second] + b"torn record that never was finished")
    monkeypatch.setattr(journal, "_PIECE", second + 20)
    reading = lines(path)
    assert next(reading) + b"\n" == whole[:second]
    _roll_back(path, whole, second)
    assert b"".join(line + b"\n" for line in reading) == whole[second:]


def test_a_process_that_reads_does_not_disturb_the_lock(tmp_path: Path) -> None:
    """Reading, in the runner's own process too, neither takes nor frees the lock."""
    path = tmp_path / "j"
    with Journal.open(path) as held:
        held.append(b"{}")
        assert len(list(lines(path))) == 1
        with pytest.raises(Locked):
            Journal.open(path)


def test_opening_fails_without_leaking_descriptors(tmp_path: Path) -> None:
    """A journal that could not be opened, for whatever reason, leaves no file open."""
    path = tmp_path / "j"
    data = write(path, SHORT)
    before = set(Path("/dev/fd").iterdir())
    with Journal.open(path), pytest.raises(Locked):
        Journal.open(path)
    path.write_bytes(data.replace(b'"1"', b'"7"'))
    ways: list[Callable[[], object]] = [lambda: Journal.open(path), lambda: list(lines(path))]
    for way in ways:
        with pytest.raises(Corrupt):
            way()
    assert set(Path("/dev/fd").iterdir()) == before
