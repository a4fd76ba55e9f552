"""Answers in the plainest spelling are read at sight: the same is read, and said, where each line is inspected."""

import pytest

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

    def judged() -> object:
        try:
            return wire.decode(line)
        except wire.Garbled as error:
            return str(error)

    at_sight = judged()
    monkeypatch.setattr(wire, "_plain_ready", lambda _line: None)
    assert judged() == at_sight
