"""Notes beside answers: what is read at sight, what is left to the decoder, and what is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw, json

from arena import wire
from arena.players.note import noted_picks


@pytest.mark.parametrize(
    ("tail", "picks", "note"),
    [
        (b'[2],"note":{"value":12.5,"depth":4}}', (2,), b'{"value":12.5,"depth":4}'),
        (b'[0, 1], "note": "a word"}', (0, 1), b'"a word"'),
        (b'[],"note":-3}', (), b"-3"),
        (b'[1],"note":{"sure":true,"plan":null}}', (1,), b'{"sure":true,"plan":null}'),
    ],
)
def test_a_plain_note_is_read_at_sight(tail: bytes, picks: tuple[int, ...], note: bytes) -> None:
    """Picks and note of an answer that plainly is one, exactly as the decoder reads them."""
    line = b'{"type":"choose","id":"7c1","picks":' + tail
    assert noted_picks(line, "7c1") == (picks, note)
    message = wire.decode(line)
    assert isinstance(message, wire.Choose)
    assert (message.picks, message.note) == (picks, Raw(note))


@pytest.mark.parametrize(
    "tail",
    [
        b'[2],"note":{"a":1,"a":2}}',
        b'[2],"note":NaN}',
        b'[2],"note":1e999}',
        b'[2],"note":"\\u0041"}',
        b'[2],"note":[1]}',
        b'[2],"note":01}',
        b'[2],"note":1234567890123456789012}',
        b'[2],"note":{"a":{"b":1}}}',
        b'[2],"note":1',
        b'[2],"note":1,"note":2}',
        b'[2],"note":"\xc3\xa9"}',
        b"[2]}",
    ],
)
def test_all_else_is_for_the_decoder(tail: bytes) -> None:
    """What is not plain is not read at sight: duplicate keys, escapes, lists, what is no JSON."""
    assert noted_picks(b'{"type":"choose","id":"7c1","picks":' + tail, "7c1") is None


_SCALARS = st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.text(max_size=20) | st.floats(-1e9, 1e9)


@given(note=_SCALARS | st.dictionaries(st.text(max_size=8), _SCALARS, max_size=4), picks=st.lists(st.integers(0, 99)))
def test_both_ways_agree(note: object, picks: list[int]) -> None:
    """Whatever is read at sight is what the decoder says, which takes any JSON."""
    line = wire.encode(wire.Choose("7c1", tuple(picks), Raw(json.encode(note))))
    message = wire.decode(line)
    assert isinstance(message, wire.Choose)
    assert message.note is not UNSET
    assert json.decode(bytes(message.note)) == json.decode(json.encode(note))
    found = noted_picks(line, "7c1")
    assert found is None or (found[0], Raw(found[1])) == (message.picks, message.note)
