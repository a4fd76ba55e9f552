"""Answers in the plainest spelling are read at sight: the same is read, and said, where each line is inspected."""

import tracemalloc
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena import wire
from arena.wire import Choose


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        (b'{"type":"choose","id":"7c1","picks":[0]}', True),
        (b'{"type": "choose", "id": "7c1", "picks": [63]}', True),
        (b'{"type":"choose","id":"7c1","picks":[64]}', True),
        (b'{"type":"choose","id":"7c1","picks":[9999,0]}', True),
        (b'{"type":"choose","id":"7c1","picks":[10000]}', False),
        (b'{"type":"choose","id":"7c1","picks":[-1]}', False),
        (b'{"type":"choose","id":"7c1","picks":[01]}', False),
        (b'{"type":"choose","id":"7c1","picks":[]}', True),
        (b'{"type": "choose", "id": "7c1", "picks": []}', True),
        (b'{"type":"choose","id":"7c1","picks":[1,2]}', True),
        (b'{"type": "choose", "id": "7c1", "picks": [12, 0, 3]}', True),
        (b'{"type":"choose","id":"7c1","picks":[1,02]}', False),
        (b'{"type":"choose","id":"7c1","picks":[1,2,]}', False),
        (b'{"type":"choose","id":"7c1","picks":[1,2],"picks":[3]}', False),
        (b'{"type":"choose","id":"7c1","picks":[1]} ', False),
        (b'{"type":"choose","id":"7c2","picks":[1]}', False),
        (b'{"type":"choose","id":"7c1", "picks":[1],"id":"7c1"}', False),
        (b'{"type":"choose","7c1":"id","picks":[1]}', False),
        (b'7c1","picks":[1]}', False),
    ],
)
def test_a_plain_choice_is_read_at_sight(line: bytes, plain: bool) -> None:
    """If it answers the question asked, and what it says is what the decoder says; all else is the decoder's."""
    picks = wire.plain_picks(line, "7c1")
    assert (picks is not None) is plain
    if plain:
        assert wire.decode(line) == Choose("7c1", picks or ())


ID = "7c1f00ba7e12"
SPELLINGS = (
    f'{{"type":"choose","id":"{ID}","picks":[1]}}',
    f'{{"type": "choose", "id": "{ID}", "picks": [12, 0, 3]}}',
    f'{{"type":"choose","id":"{ID}","picks":[]}}',
    '{"type":"ready","name":"cod","version":"2","protocol":1}',
    '{"type": "ready", "name": "cod"}',
)
SCRAPS = (
    *'{}[],: "\\0189-+.eE\t\r\n\x00\x0b\x7f\u0085\u0661\u2028\ufeff',
    *("01", "-0", "1e0", "1.0", "true", "null", "NaN", "1e999"),
    *("63", "64", "9999", "10000", "9" * 15, "9" * 16, "9" * 21),
    *(ID, "\\u0000", "\\ud800", '"id"', '"picks"', '"type"', '"more"', ",1", ", 2"),
)


def judged(line: bytes) -> object:
    """What the wire makes of a line: the message, or what is said of it."""
    try:
        return wire.decode(line)
    except wire.Garbled as error:
        return str(error)


@settings(max_examples=400)
@given(
    st.sampled_from(SPELLINGS),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 3), st.sampled_from(SCRAPS)), max_size=4),
)
@example(SPELLINGS[0], [(46, 0, "0")])
@example(SPELLINGS[1], [(55, 1, "01")])
def test_nothing_else_is_read_at_sight(line: str, changes: list[tuple[int, int, str]]) -> None:
    """However a plain line is changed: what is read of it, or said of it, is the same where each line is inspected."""
    for at, length, scrap in changes:
        line = line[:at] + scrap + line[at + length :]
    sent = line.encode()
    at_sight, picks = judged(sent), wire.plain_picks(sent, ID)
    with patch.multiple(wire, _plain_choice=lambda _line: None, _plain_ready=lambda _line: None):
        assert judged(sent) == at_sight
    assert picks is None or at_sight == Choose(ID, picks)


def test_what_is_kept_of_answers_is_small() -> None:
    """A bot chooses what it answers: answers that are new and long each time take no memory of the house."""
    many = b",1000" * (wire.LINE_LIMIT // 5 - 20)
    tracemalloc.start()
    try:
        for number in range(20):
            line = b'{"type":"choose","id":"%s","picks":[%d%s]}' % (ID.encode(), 1000 + number, many)
            assert wire.plain_picks(line, ID) in (None, wire.decode(line).picks)  # type: ignore[union-attr]  # a choice
        assert tracemalloc.get_traced_memory()[0] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"ready"}',
        b'{"type": "ready", "name": "cod", "version": "2", "protocol": 1}',
        b'{"type":"ready","name":"cod","protocol":12}',
        b'{"type":"ready","protocol":1,"name":"cod"}',
        b'{"type":"ready","name":"cod","name":"cod"}',
        b'{"type":"ready","name":"a\\"b"}',
        b'{"type":"ready","name":"\\ud800"}',
        b'{"type":"ready","protocol":01}',
        b'{"type":"ready","protocol":' + b"1" * 21 + b"}",
        b'{"type":"ready",}',
        b'{"type":"ready"} x',
    ],
)
def test_a_plain_ready_is_read_as_any_other(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read at sight, and what is said of a line, is the same where every line is inspected."""
    at_sight = judged(line)
    monkeypatch.setattr(wire, "_plain_ready", lambda _line: None)
    assert judged(line) == at_sight
