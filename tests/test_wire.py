"""What the wire promises: which lines of a bot are messages, what is said of the others, and how the host's look."""

import json
import random
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import wire
from arena.chance import Chance
from arena.game import Decision
from arena.wire import WORDS_LIMIT, Choose, Decide, Garbled, Hello, Limits, Over, Ready, decode, encode
from tests.games.walks import questions
from tests.shelf import toy


def choice(picks: str = "[0]", more: str = "") -> bytes:
    """A choice with these picks and these further fields, as text."""
    return f'{{"type":"choose","id":"x1","picks":{picks}{more}}}'.encode()


def refused(line: bytes) -> str:
    """What is said of a line that is no message."""
    with pytest.raises(Garbled) as error:
        decode(line)
    return str(error.value)


# --- what is a message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (choice("[2]"), Choose("x1", (2,))),
        (choice("[]"), Choose("x1", ())),
        (b'{"type": "choose", "id": "x1", "picks": [2, 0]}', Choose("x1", (2, 0))),
        (b' {"picks":[2],\t"type":"choose","id":"x1"}\r', Choose("x1", (2,))),
        (b'{"type":"choose","\\u0069d":"x1","picks":[2]}', Choose("x1", (2,))),
        (b'{"type":"ready"}', Ready()),
        (b'{"type":"ready","name":"Greedy","version":"2.1","protocol":1}', Ready("Greedy", "2.1", 1)),
        ('{"type":"ready","name":"Gründling \U0001f41f"}'.encode(), Ready("Gründling \U0001f41f")),
        (b'{"type":"ready","name":"\\ud83d\\udc1f"}', Ready("\U0001f41f")),
        (b'{"type":"ready","name":"' + b"[{" * 40 + b'"}', Ready("[{" * 40)),
    ],
)
def test_messages(line: bytes, message: wire.FromBot) -> None:
    """Spaces, the order of the fields, escapes and brackets within strings are a bot's own affair."""
    assert decode(line) == message


def test_row_40_unknown_fields_are_ignored() -> None:
    """Fields that nobody knows are ignored and not kept, for the sake of later versions."""
    line = choice(more=',"memo":"hm","depth":[1,{"a":[2.5,null,true]}]')
    assert decode(line) == Choose("x1", (0,))
    assert encode(decode(line)) == choice()
    assert decode(b'{"type":"ready","language":"C"}') == Ready()


def test_row_40_new_fields_from_the_house_are_ignored() -> None:
    """A bot of this version reads a later host's messages, with fields it does not know."""
    line = b'{"type":"over","ranks":[0,1],"scores":[3,2],"reason":"finished","events":[],"mood":"good"}'
    assert wire.decode_from_host(line) == Over((0, 1), (3, 2), "finished", [])


# --- the fault catalogue, JSON and values


@pytest.mark.parametrize("number", range(20))
def test_row_28_random_bytes(number: int) -> None:
    """Random bytes are garbled."""
    assert refused(random.Random(number).randbytes(1 + number * 7)).startswith("expected ")


def valued(text: str) -> list[bytes]:
    """Lines with this as a value: among the picks, and in fields that nobody knows."""
    return [choice(f"[{text}]"), choice(more=f',"a":{text}'), f'{{"type":"ready","a":{text}}}'.encode()]


def nested(depth: int, opening: str, closing: str) -> list[bytes]:
    """Lines that nest so deep, closed or not."""
    opened = opening * (depth - 1)
    closed = opened + "0" + closing * (depth - 1)
    return [choice(closed), *valued(closed)[1:], choice(more=f',"a":{opened}')]


NO_UTF_8 = (b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80")
HALVES = ("\\ud800", "\\udc00", "\\ud800x", "\\udc00\\ud800")
NO_JSON = (b"", b" ", b"thinking...", b"{", choice() + b"x", choice() + choice(), b"{'a':1}")
NO_NUMBER = ("01", "+1", "1.", ".5", "0x1", "1_000", "--1", "\uff11")
GARBLED: list[tuple[str, list[bytes], str]] = [
    ("29", [b'{"type":"ready","name":"' + text + b'"}' for text in NO_UTF_8], "expected UTF-8, got bytes that are not"),
    ("29", [b'{"type":"choose","id":"' + text + b'","picks":[0]}' for text in NO_UTF_8], "expected UTF-8, got bytes"),
    (
        "a byte order mark",
        [mark + choice() for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")],
        "expected UTF-8 without a byte order mark, got a byte order mark\n",
    ),
    *[("30", valued(text), f"expected a number, got {text}\n") for text in ("NaN", "Infinity", "-Infinity")],
    *[
        ("31", valued(text), f"expected a finite number, got {text[:20]}\n")
        for text in ("1e999", "-1e999", "1" * 400 + ".0")
    ],
    *[("32", valued("9" * n), f"expected an integer of at most 20 digits, got {n}\n") for n in (21, 300, 5000)],
    *[
        ("33", nested(depth, *brackets), f"expected nesting of at most 32, got {depth}\n")
        for depth in (33, 300, 20_000)
        for brackets in ("[]", ('{"a":', "}"))
    ],
    ("34", [choice(more=',"picks":[1]')], "expected each key once, got picks twice\n"),
    ("34", [choice(more=f',"{key}":"x2"') for key in ("id", "\\u0069d")], "expected each key once, got id twice\n"),
    ("34", [choice(more=',"type":"choose"')], "expected each key once, got type twice\n"),
    ("34", [choice(more=',"a":{"b":1,"b":2}')], "expected each key once, got b twice\n"),
    # as many quotation marks as in a plain choice
    (
        "34",
        [b'{"type":"ready","protocol":2,"protocol":1,"protocol":1}'],
        "expected each key once, got protocol twice\n",
    ),
    ("35", [line for text in HALVES for line in valued(f'"{text}"')[1:]], "expected UTF-8, got bytes that are not"),
    ("35", [choice(more=f',"{text}":1') for text in HALVES], "expected UTF-8, got bytes that are not"),
    ("36", [b"null"], "expected a JSON object, got null\n"),
    ("36", [b'"choose"'], "expected a JSON object, got a string\n"),
    ("36", [b"[0]"], "expected a JSON object, got an array\n"),
    ("36", [b"0"], "expected a JSON object, got an integer\n"),
    ("36", [b"true"], "expected a JSON object, got true or false\n"),
    *[("36", [line], f"expected a line of JSON, got {line[:32].decode()!a}") for line in NO_JSON],
    ("37", [choice("[true]")], "expected an integer, got true or false - at $.picks[0]\n"),
    (
        "37",
        [choice(f"[{n}]") for n in ("1.0", "1e0")],
        "expected an integer, got a number that is no integer",
    ),
    ("37", [choice('["1"]')], "expected an integer, got a string - at $.picks[0]\n"),
    ("37", [choice("[null]")], "expected an integer, got null - at $.picks[0]\n"),
    ("37", [choice(picks) for picks in ("0", "null", '"0"', "{}", '"\uff11"')], "expected an array, got "),
    ("37", [choice(f"[{text}]") for text in NO_NUMBER], "expected a line of JSON"),
    ("a shape", [b"{}"], "expected a field 'type', got none\n"),
    ("a shape", [b'{"type":"choose","id":"x1"}'], "expected a field 'picks', got none\n"),
    ("a shape", [b'{"type":"over","id":"x1"}'], "expected choose or ready, got 'over' - at $.type\n"),
    ("a shape", [b'{"type":"choose","id":7,"picks":[0]}'], "expected a string, got an integer - at $.id\n"),
    ("a shape", [b'{"type":"choose","id":true,"picks":[0]}'], "expected a string, got true or false - at $.id\n"),
    ("a shape", [b'{"type":"choose","id":1.5,"picks":[0]}'], "expected a string, got a number that is no integer"),
    ("a shape", [b'{"type":"choose","picks":[0]}'], "expected a field 'id', got none"),
    ("a shape", [b'{"type":"choose","id":null,"picks":[0]}'], "expected a string, got null - at $.id\n"),
    ("a shape", [b'{"type":"ready","protocol":true}'], "expected an integer, got true or false - at $.protocol\n"),
]
"""Row of the fault catalogue, lines, and how what is said of each begins; an end of line says that it is all."""


@pytest.mark.parametrize(("row", "lines", "said"), GARBLED, ids=[row for row, *_ in GARBLED])
def test_garbled(row: str, lines: list[bytes], said: str) -> None:
    """What is no message is garbled, wherever it stands in a line: what was expected is told, and what was got."""
    assert row
    for line in lines:
        assert f"{refused(line)}\n".startswith(said)


def test_row_33_nesting_that_is_allowed() -> None:
    """Nesting of 32 is allowed."""
    assert decode(choice(more=f',"a":{"[" * 31}{"]" * 31}')) == Choose("x1", (0,))


@pytest.mark.parametrize("line", NO_JSON)
def test_row_36_where_it_goes_wrong(line: bytes) -> None:
    """Of what is no JSON the place is told where it goes wrong."""
    assert re.search(r" at character \d+\)$", refused(line))


@pytest.mark.parametrize("line", ["🐟" * 32, "\x1b[2J" * 9, "'\"" * 50])
def test_row_36_what_is_quoted(line: str) -> None:
    """What is quoted of a line is short and printable, whatever a bot wrote."""
    assert re.fullmatch(rf"(?=.*\.\.\. \()[ -~]{{1,{WORDS_LIMIT}}}", refused(line.encode()))


def test_row_38_negative_picks_are_judged_by_the_rules() -> None:
    """-1 is a message; as an index it is illegal, and never counts from the end."""
    message = decode(choice("[-1]"))
    assert message == Choose("x1", (-1,))
    assert isinstance(message, Choose)
    assert Decision(("stop", "hit")).fault_in(message.picks) == "expected picks from 0 to 1, got -1"


@pytest.mark.timeout(10)
def test_row_39_lines_as_long_as_they_may_be() -> None:
    """A line of the greatest length, however contrived, is judged in one pass; a long list of picks is illegal."""
    size = wire.LINE_LIMIT
    assert refused(b'"' + b'\\"' * (size // 2 - 1)).startswith("expected a line of JSON")
    assert refused(b'{"type":"ready","name":"' + b'\\"' * (size // 2 - 12)).startswith("expected a line of JSON")
    assert refused(b"[" * size).startswith("expected nesting")
    assert refused(b"9" * size).startswith("expected an integer")
    many = b",".join(b'"%x":1' % number for number in range(7000))
    assert refused(b"{" + many + b',"1b57":1}') == "expected each key once, got 1b57 twice"
    message = decode(choice("[" + ",".join("0" * 30_000) + "]"))
    assert isinstance(message, Choose)
    assert Decision(("stop", "hit")).fault_in(message.picks) == "expected 1 pick, got 30000"


HOSTILE = [
    "\\u0000",
    "\\u001b[2J",
    "\\n::error::x",
    "\\u001b]52;c;aGk=\\u0007",
    "\\u202e",
    "\u202e",
    "\u2028",
    "a" * 999,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_row_41_what_is_said_is_fit_to_print(text: str) -> None:
    """What is said of a garbled line is short printable ASCII, whatever the line holds."""
    lines = (
        f'{{"type":"{text}"}}',
        f'{{"type":"choose","id":"x1","picks":["{text}"]}}',
        f'{{"type":"ready","{text}":1,"{text}":1}}',
        text,
    )
    for line in lines:
        assert_fit_to_print(refused(line.encode()))


@pytest.mark.parametrize("text", ["\x00", "\x1b", "\n", "\r", "\t"])
def test_row_41_bare_control_characters(text: str) -> None:
    """A control character that is not escaped is garbled within any string."""
    assert_fit_to_print(refused(b'{"type":"ready","name":"%s"}' % text.encode()))
    assert_fit_to_print(refused(b'{"type":"choose","id":"%s","picks":[0]}' % text.encode()))


def assert_fit_to_print(text: str) -> None:
    """Short printable ASCII."""
    assert text.isascii()
    assert text.isprintable()
    assert len(text) <= 200


def test_row_42_a_newline_forges_nothing() -> None:
    """A name with an escaped newline in it is a name, and is written as one line again."""
    forged = decode(b'{"type":"ready","name":"x\\n{\\"id\\":\\"e0b0r0\\"}"}')
    assert forged == Ready('x\n{"id":"e0b0r0"}')
    assert b"\n" not in encode(forged)


# --- laws

plain_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8"), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
words = st.text(st.characters(codec="utf-8"), max_size=20)
choices = st.builds(Choose, words, st.lists(st.integers(-99, 10**18), max_size=9).map(tuple))
readies = st.builds(Ready, words, words, st.integers(0, 9))


@pytest.mark.long
@settings(max_examples=200)
@given(choices | readies)
def test_round_trip(message: wire.FromBot) -> None:
    """Every message comes back equal from its bytes, however they are spaced and escaped."""
    assert decode(encode(message)) == message
    plain = msgspec.to_builtins(message)
    for spelling in (json.dumps(plain), json.dumps(plain, ensure_ascii=False), json.dumps(plain, indent=1)):
        assert decode(spelling.encode()) == message


@pytest.mark.long
@settings(max_examples=200)
@given(choices, st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=7), plain_json, max_size=3))
def test_unknown_fields_never_matter(message: Choose, more: dict[str, Any]) -> None:
    """Whatever stands in other fields, the message is the same."""
    assert decode(json.dumps(more | msgspec.to_builtins(message)).encode()) == message


SEEDS = [
    choice("[0,1,2]"),
    choice("[12]", ',"note":"\\ud83d\\udc1f","x":{"y":[1.5,null,true,-0]}'),
    b'{"type":"ready","name":"Greedy","version":"2.1","protocol":1}',
    '{"type": "ready", "name": "Gründling"}'.encode(),
]
SPLINTERS = [*(bytes([byte]) for byte in b'"{}[],:\\\xff\x00-'), b"\\u", b"\\ud800", b"1e999", b"NaN"]


def mutant(rng: random.Random) -> bytes:
    """A message with a few bytes changed, cut out, doubled or put in."""
    line = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(line) + 1), rng.randint(0, 8)
        piece = rng.choice(
            [b"", rng.randbytes(1), rng.choice(SPLINTERS), line[at : at + length] * 2, b"[" * length * 9]
        )
        line[at : at + rng.randint(0, length)] = piece
    return bytes(line)


def assert_judged(lines: int) -> None:
    """So many mutants are each a message or garbled; both happen."""
    rng = random.Random(20)
    messages = garbled = 0
    for _ in range(lines):
        line = mutant(rng)
        try:
            message = decode(line)
        except Garbled as error:
            garbled += 1
            assert_fit_to_print(str(error))
        else:
            messages += 1
            assert_strict(line, message)
    assert messages > lines / 50
    assert garbled > lines / 2


def assert_strict(line: bytes, message: wire.FromBot) -> None:
    """What was accepted is JSON to the standard library too, has every key once, and says the same."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    plain = json.loads(line.decode(), object_pairs_hook=once)
    sent = json.loads(encode(message))
    # as text, since True == 1 == 1.0
    assert json.dumps({key: plain.get(key, sent[key]) for key in sent}) == json.dumps(sent)


def test_mutated_lines() -> None:
    """A spoilt message is a message or garbled: nothing else is ever raised, and nothing slips through."""
    assert_judged(2_000)


@pytest.mark.proof
def test_a_hundred_thousand_mutated_lines(record_property: Callable[[str, object], None]) -> None:
    """Of a hundred thousand spoilt messages each is a message or garbled: nothing else is ever raised."""
    assert_judged(100_000)
    record_property("lines", 100_000)


# --- what the host sends


def house_messages() -> list[wire.FromHost]:
    """One of each, with the contents of a match of the toy."""
    state = toy.deal(3, bytes(32), toy.GAME.resolve_variants({}))
    decisions = questions(state)
    ask = decisions[1]
    count = len(ask.options)
    events = state.copy().apply({seat: decision.silence for seat, decision in decisions.items()})
    return [
        Hello(1, "m-7f", "toy", "1", {"dice": "one"}, 1, 3, Chance(b"seed").below(2**53), Limits(10_000, 1000)),
        Decide("q9", ask.least, ask.most, count, 1000, ask.options, state.observe(1), events),
        Over((1, 0, 2), (3, 9, 0), "finished", events),
    ]


FIELDS = {
    "hello": ["protocol", "match", "game", "version", "variants", "seat", "seats", "seed", "limits"],
    "decide": ["id", "least", "most", "count", "time", "options", "observation", "events"],
    "over": ["ranks", "scores", "reason", "events"],
    "ready": ["name", "version", "protocol"],
    "choose": ["id", "picks"],
}
LIMITS = [
    *["start", "move", "line", "faults", "bank", "increment", "total", "output", "stray", "stderr"],
    *["memory", "processes", "file", "descriptors", "cpu"],
]


def test_limits_are_told_whole() -> None:
    """All limits stand in ``hello``, also those that nobody has set, in the promised order, below 2^53."""
    hello = house_messages()[0]
    told = json.loads(encode(hello))["limits"]
    assert list(told) == LIMITS
    assert all(type(limit) is int and 0 <= limit < 2**53 for limit in told.values())
    assert (told["start"], told["move"], told["bank"], told["total"]) == (10_000, 1000, 0, 600_000)


@pytest.mark.parametrize("message", [*house_messages(), Ready("Greedy"), Choose("q9", (0,))])
def test_a_message_is_one_ascii_line(message: wire.FromHost | wire.FromBot) -> None:
    """A message is one line of compact ASCII JSON, its tag first and its fields in the promised order."""
    line = encode(message)
    assert line.isascii()
    assert b"\n" not in line
    tag = type(message).__name__.lower()
    assert line.startswith(b'{"type":"%s","' % tag.encode())
    plain = json.loads(line)
    assert list(plain) == ["type", *FIELDS[tag]]
    assert json.dumps(plain, separators=(",", ":")).encode() == line


def test_the_house_is_read_back() -> None:
    """A bot reads the host's messages back: structs of the game as plain objects with their tag first."""
    hello, decide, over = house_messages()
    assert wire.decode_from_host(encode(hello)) == hello
    read = wire.decode_from_host(encode(decide))
    assert isinstance(read, Decide)
    assert isinstance(decide, Decide)
    assert encode(read) == encode(decide)
    assert [list(option) for option in read.options] == [["type", "card"]] * decide.count
    assert encode(wire.decode_from_host(encode(over))) == encode(over)
