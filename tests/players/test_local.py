"""A person, or a bot of the runner's process, is told what any bot is told, and answers in its own time."""

import pytest

from arena import wire
from arena.fault import Fault
from arena.games import find
from arena.players.local import LocalPlayer
from arena.referee import Match, Player, play
from arena.wire import Decide, Hello, Limits, Over


class Bot:
    """Picks the last options, and keeps every message as the line that a bot gets."""

    def __init__(self, waited: float = 0.0) -> None:
        self.lines: list[bytes] = []
        self.waited = waited

    def greet(self, hello: Hello) -> None:
        self.lines.append(wire.encode(hello))

    def decide(self, decide: Decide) -> tuple[int, ...]:
        self.lines.append(wire.encode(decide))
        return tuple(range(decide.count - decide.most, decide.count))

    def close(self, over: Over) -> None:
        self.lines.append(wire.encode(over))

    def leave(self) -> None:
        raise AssertionError("expected no fault, got one")


def lines_of(player: Player) -> None:
    """Play a match of two with this player in seat 1."""
    game = find("lure")
    limits = (Limits(start=1, move=1, total=1),) * 2
    match = Match(
        "m", "label", game.name, game.version, ("bot", "x"), game.resolve_variants({}), b"i", b"o", (0, 1), limits
    )
    record = play(match, game.deal(2, bytes(32), match.variants), [Bot(), player])
    assert record.faults == ()


def test_a_person_is_told_what_a_bot_would_be() -> None:
    """In the same seat a person gets the very lines that a bot gets, and no clock runs."""
    bot, told = Bot(), list[bytes]()
    lines_of(bot)

    def answer() -> bytes:
        decide = wire.decode_from_host(told[-1])
        if not isinstance(decide, Decide):
            return b""
        return wire.encode(wire.Choose(decide.id, tuple(range(decide.count - decide.most, decide.count))))

    lines_of(LocalPlayer(told.append, answer))
    assert told == bot.lines


@pytest.mark.parametrize("line", [b'{"type":"choose","id":"another","picks":[0]}', b'{"type":"ready"}', b"", b"{"])
def test_only_the_question_at_hand_is_answered(line: bytes) -> None:
    """Whatever is no answer to the question is a fault."""
    question = wire.Decide("this", 1, 1, 2, 10, ("a", "b"), None, [])
    got = LocalPlayer(lambda _: None, lambda: line).decide(question)
    assert isinstance(got, Fault)
    assert got.kind == "garbled"
