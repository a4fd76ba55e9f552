"""What bots tell while they play: notes read at sight or left to the decoder, standard error, and what is kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw, json

from arena import wire
from arena.players.match_notes import STDERR_LIMIT, MatchNotes
from arena.players.note import NOTE_LIMIT, NoteTaker, noted_picks
from tests.test_wire_plain import ID, SCRAPS

SPELLINGS = (
    f'{{"type":"choose","id":"{ID}","picks":[1],"note":{{"value":12.5,"depth":4}}}}',
    f'{{"type": "choose", "id": "{ID}", "picks": [12, 0], "note": {{"plan": "near", "sure": true}}}}',
    f'{{"type":"choose","id":"{ID}","picks":[],"note":-3}}',
)


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
    assert noted_picks(line, "7c1") == picks
    taker = NoteTaker()
    taker.add_line(line)
    assert taker.end() == MatchNotes({1: Raw(note)})
    message = wire.decode(line)
    assert isinstance(message, wire.Choose)
    assert (message.picks, message.note) == (picks, Raw(note))


@pytest.mark.parametrize(
    "tail",
    [
        b'[2],"note":{"a":1,"a":2}}',
        b'[2],"note":{"a" :1,"a":2}}',
        b'[2],"note":{"a":"b:c"}}',
        b'[2],"note":1,"more":2}',
        b'[2],"note":1,"picks":[3]}',
        b'[-1],"note":1}',
        b'[1.0],"note":1}',
        b'[2],"note":"%b"}' % (b"x" * NOTE_LIMIT),
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
    assert noted_picks(line, "7c1") in (None, message.picks)
    assert noted_picks(line, "7c2") is None


@settings(max_examples=400)
@given(
    st.sampled_from(SPELLINGS),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 3), st.sampled_from((*SCRAPS, '"note"'))), max_size=4),
)
def test_nothing_else_is_read_at_sight(line: str, changes: list[tuple[int, int, str]]) -> None:
    """However a plain line with a note is changed: what is read of it at sight is what the decoder says."""
    for at, length, scrap in changes:
        line = line[:at] + scrap + line[at + length :]
    sent = line.encode()
    picks = noted_picks(sent, ID)
    if picks is not None:
        message = wire.decode(sent)
        assert isinstance(message, wire.Choose)
        assert (message.id, message.picks) == (ID, picks)
        taker = NoteTaker()
        taker.add_line(sent)
        assert taker.end() == MatchNotes({1: message.note})  # type: ignore[dict-item]  # a plain line has a note


def test_what_is_kept_of_a_match_is_bounded() -> None:
    """Of a note that is too long nothing is kept; of standard error 4 KiB a decision; of a match 64 KiB of each."""
    taker = NoteTaker()
    assert taker.end() is None
    taker.add_note(b'"%b"' % (b"x" * NOTE_LIMIT))
    assert taker.end() is None
    for number in range(1, 200):
        taker.number = number
        taker.add_note(b'"%b"' % (b"x" * 900))
        for _ in range(2):
            taker.add_stderr(b"y" * (STDERR_LIMIT - 1))
    kept = taker.end()
    assert kept is not None
    assert len(kept.stderr[1]) == STDERR_LIMIT
    assert sum(map(len, kept.stderr.values())) == 1 << 16
    assert 60 < len(kept.notes) < 73
    assert taker.end() is None
