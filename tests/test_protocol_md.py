"""The document of the wire is true: its messages decode, its tables are the code's, its bots play."""

import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from arena import fault, game, wire
from arena.limits import KEYS, lowered
from arena.players import building, launch, lifetime
from arena.players.botfile import BotFile, read_bot_file
from arena.tournament import lane
from arena.wire import DEFAULT_LIMITS
from tests.players.conversation import Talk, hello, over, play, question

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "protocol.md").read_text(encoding="utf-8")
MESSAGES: list[type[msgspec.Struct]] = [wire.Hello, wire.Decide, wire.Over, wire.Ready, wire.Choose]


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def first_column(before: str) -> list[str]:
    """The first column of the table that follows some words."""
    rows: list[str] = []
    for line in TEXT.partition(before)[2].splitlines():
        if line.startswith("|"):
            rows.append(line.split("|")[1].strip().strip("`"))
        elif rows:
            break
    return rows[2:]


def conversation() -> list[wire.FromHost | wire.FromBot]:
    """All messages of the document, in order."""
    messages: list[wire.FromHost | wire.FromBot] = []
    for block in blocks("json"):
        for line in block.encode().splitlines():
            from_bot = msgspec.json.decode(line)["type"] in ("ready", "choose")
            messages.append(wire.decode(line) if from_bot else wire.decode_from_host(line))
    return messages


def test_every_json_block_is_a_message() -> None:
    """Every message shown decodes, and those of the host are byte for byte what the host would write."""
    lines = [line.encode() for block in blocks("json") for line in block.splitlines()]
    messages = conversation()
    assert {type(message) for message in messages} == set(MESSAGES)
    for line, message in zip(lines, messages, strict=True):
        if isinstance(message, wire.FromHost):
            assert wire.encode(message) == line
            assert line.isascii()


def test_the_conversation_is_a_real_one() -> None:
    """The match shown keeps the rules: ready after hello, legal picks, counts that agree, limits as they are."""
    messages = conversation()
    for asked, answer in pairwise(messages):
        if isinstance(asked, wire.Hello):
            assert isinstance(answer, wire.Ready)
            assert asked.limits == DEFAULT_LIMITS
        if isinstance(asked, wire.Decide):
            assert isinstance(answer, wire.Choose)
            assert answer.id == asked.id
            assert asked.count == len(asked.options)
            assert game.Decision(asked.options, asked.least, asked.most).fault_in(answer.picks) is None


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: str(message.__name__).lower())
def test_tables_of_messages(message: type[msgspec.Struct]) -> None:
    """The table of a message lists its fields, no more and no less, in the promised order."""
    tag = message.__struct_config__.tag
    assert first_column(f"bot: `{tag}`\n" if f"bot: `{tag}`\n" in TEXT else f"host: `{tag}`\n") == [
        "type",
        *message.__struct_fields__,
    ]


def test_other_tables() -> None:
    """The tables of limits in hello, of faults and of the bot file's keys are complete and in order."""
    assert first_column("The fields of `limits`:\n") == list(wire.Limits.__struct_fields__)
    assert first_column("## Faults\n") == [*fault.FAULTS] == [*get_args(fault.FaultKind)]
    assert all(f"| `{kind}` | {rule.meaning} |\n" in TEXT for kind, rule in fault.FAULTS.items())
    keys = [key for key in BotFile.__struct_fields__ if key not in ("folder", "bare", "local", "alias")]
    assert first_column("## The bot file\n") == keys


@pytest.mark.parametrize(
    "words",
    [
        f"| {DEFAULT_LIMITS.line:,} bytes |",
        f"a second `ready` | `stray` | {DEFAULT_LIMITS.stray} |",
        f"| {DEFAULT_LIMITS.output:,} bytes |",
        f"first and last {DEFAULT_LIMITS.stderr // 2:,} bytes",
        f"nesting of at most {wire.DEPTH_LIMIT};",
        f"at most {wire.DIGITS_LIMIT} digits",
        f"| {DEFAULT_LIMITS.total // 1000} s |",
        f"| {game.DECISION_CAP:,} |",
        f"({DEFAULT_LIMITS.faults} by default)",
        f"{launch.GRACE * 1000:.0f} ms of grace",
        f"still runs {lifetime.PATIENCE * 1000:.0f} ms later",
        f"retired in {lane.WITHDRAWN_AFTER} matches in a row",
        f"each within {building.SECONDS:.0f} s",
    ],
)
def test_figures(words: str) -> None:
    """Every figure of the document is the one in the code."""
    assert words in " ".join(TEXT.split())


def test_the_bot_file_shown(tmp_path: Path) -> None:
    """The bot file shown is one."""
    block, limits = blocks("toml")
    (tmp_path / "bot.toml").write_text(block + limits, encoding="utf-8")
    bot = read_bot_file(tmp_path)
    assert bot.build == (("cc", "-O2", "-o", "minnow", "minnow.c"),)
    assert set(bot.limits) == set(KEYS)
    assert lowered(DEFAULT_LIMITS, bot.limits).increment == 100


def test_the_python_bot_answers_as_the_shipped_one(tmp_path: Path) -> None:
    """The Python bot shown gives the answers of the bot ``random``."""
    (block,) = blocks("python")
    shown, shipped = tmp_path / "bot.py", ROOT / "bots" / "random" / "bot.py"
    shown.write_text(block, encoding="utf-8")
    played = []
    for bot in (shown, shipped):
        with Talk([sys.executable, str(bot)], {}, tmp_path) as talk:
            played.append([play(talk, seed) for seed in (2**53 - 1, 7, 0)])
    assert played[0] == played[1]


def test_the_bot_shown_plays(tmp_path: Path) -> None:
    """The bot shown plays whole matches as a real process: legal, seeded by hello, gone at goodbye."""
    (block,) = blocks("python")
    bot = tmp_path / "bot"
    bot.write_text(block, encoding="utf-8")
    decision = game.Decision(tuple("abcd"), least=1, most=3)
    with Talk([sys.executable, str(bot)], {}, tmp_path) as talk:
        talk.tell(b'{"type":"news","later":1}')
        matches = [play(talk, seed) for seed in (2**53 - 1, 2**53 - 1, 0)]
        assert matches[0] == matches[1] != matches[2]
        picks = play(talk, 9, [decision] * 60)
        assert {len(pick) for pick in picks} == {1, 2, 3}
        assert {pick[0] for pick in picks} == {0, 1, 2, 3}
        talk.ask(hello(1))
        talk.tell(over())
        talk.ask(hello(1))
        answer = talk.ask(question(5, decision, {"count": "x" * 100_000}))
        assert isinstance(answer, wire.Choose)
        assert answer.id == f"{5:012x}"
        assert talk.goodbye() == 0
