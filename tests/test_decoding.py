"""JSON of strangers: whatever is wrong with it, there is one error."""

import msgspec
import pytest

from arena.decoding import decoder
from arena.record import Record, decode, decode_outcome
from arena.tournament.journal_index import id_of

WRONG = [b"", b"[]", b"\0", b'{"id":1}', b'{"id":"\xff"}', b'{"\xff":1}', b"[" * 100_000, b'{"x":' * 100_000]


@pytest.mark.parametrize("data", WRONG)
def test_there_is_one_error(data: bytes) -> None:
    """Bytes that are no UTF-8, no JSON, of another shape or nested without end: msgspec.DecodeError each time."""
    for decoded in (decoder(dict[int, str]), decoder(Record), decode, decode_outcome, id_of):
        with pytest.raises(msgspec.DecodeError):
            decoded(data)
