"""Lines of a recorded match are anybody's: what is wrong with a file of them is told by its line."""

import pytest

from arena import wire
from arena.errors import UsageError
from arena.game import Decision
from arena.transcript import read_transcripts
from tests.players.conversation import hello, question

_HELLO = hello(1)
_OVER = wire.encode(wire.Over(ranks=(0, 1), scores=(1, 0), reason="finished", events=[]))
_DECIDE = question(7, Decision(("a", "b"), least=0, most=1), observation=None)
_CHOOSE = wire.encode(wire.Choose(f"{7:012x}", (0,)))


def test_several_matches() -> None:
    """A file may hold several matches, with answers or without."""
    first, second = read_transcripts(b"\n".join([_HELLO, _DECIDE, _CHOOSE, _OVER, _HELLO, _DECIDE]), path="f")
    assert (first.questions[0].picks, second.questions[0].picks) == ((0,), None)
    assert (first.over is None, second.over is None) == (False, True)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "f: expected lines of `arena replay --lines`, got none"),
        ([b"hello"], "f, line 1: expected a line of `arena replay --lines`: "),
        ([b"[" * 100_000], "f, line 1: expected a line of `arena replay --lines`: "),
        ([b'{"type":"ready"}'], "f, line 1: expected a line of `arena replay --lines`: "),
        ([_DECIDE], "f, line 1: expected hello, then decide, choose and over, got another decide"),
        ([_HELLO, _CHOOSE], "f, line 2: expected hello, then decide, choose and over, got another choose"),
        ([_HELLO, _DECIDE.replace(b'"most":1', b'"most":99')], "f, line 2: expected hello, then decide, "),
        ([_OVER], "f, line 1: expected hello, then decide, choose and over, got another over"),
    ],
)
def test_what_is_no_transcript(lines: list[bytes], said: str) -> None:
    """A line that is none, one in the wrong place and a question that cannot be answered are refused by number."""
    with pytest.raises(UsageError) as error:
        read_transcripts(b"\n".join(lines), path="f")
    assert str(error.value).startswith(said)
