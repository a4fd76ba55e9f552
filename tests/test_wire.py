"""What the wire promises: which lines of a bot are messages, what is said of the others, and how the house's look.

The names of the hostile lines follow the fault catalogue: each is refused as garbled, or is a message that is judged
later. Nothing else may happen, whatever a bot sends.
"""

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
from arena.game import Decision, Pending
from arena.wire import WORDS_LIMIT, Choose, Decide, Garbled, Hello, Limits, Over, Ready, decode, encode
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
    line = choice(more=',"note":"hm","depth":[1,{"a":[2.5,null,true]}]')
    assert decode(line) == Choose("x1", (0,))
    assert encode(decode(line)) == choice()
    assert decode(b'{"type":"ready","language":"C"}') == Ready()


def test_row_40_new_fields_from_the_house_are_ignored() -> None:
    """A bot of this version reads a later house's messages, with fields it does not know."""
    line = b'{"type":"over","ranks":[0,1],"scores":[3,2],"reason":"finished","events":[],"mood":"good"}'
    assert wire.decode_from_house(line) == Over((0, 1), (3, 2), "finished", [])


# --- the fault catalogue, JSON and values


@pytest.mark.parametrize("number", range(20))
def test_row_28_random_bytes(number: int) -> None:
    """Random bytes are garbled."""
    assert refused(random.Random(number).randbytes(1 + number * 7)).startswith("expected ")


@pytest.mark.parametrize("text", [b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"])
@pytest.mark.parametrize("before", [b'{"type":"ready","name":"', b'{"type":"choose","id":"'])
def test_row_29_invalid_utf8(before: bytes, text: bytes) -> None:
    """Bytes that are not UTF-8, overlong forms and coded surrogates among them, are garbled."""
    assert refused(before + text + b'","picks":[0]}').startswith("expected UTF-8, got bytes that are not")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_byte_order_marks(mark: bytes) -> None:
    """A byte order mark is refused by its name."""
    assert refused(mark + choice()) == "expected UTF-8 without a byte order mark, got a byte order mark"


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_row_30_not_a_number(text: str) -> None:
    """NaN and the infinities are garbled, in fields nobody knows too."""
    for line in (choice(f"[{text}]"), choice(more=f',"a":{text}'), b'{"type":"ready","a":%s}' % text.encode()):
        assert refused(line) == f"expected a number, got {text}"


@pytest.mark.parametrize("text", ["1e999", "-1e999", "1" * 400 + ".0"])
def test_row_31_infinite_in_disguise(text: str) -> None:
    """A number too great for a double is garbled, in fields nobody knows too."""
    for line in (choice(f"[{text}]"), choice(more=f',"a":{text}'), b'{"type":"ready","a":%s}' % text.encode()):
        assert refused(line) == f"expected a finite number, got {text[:20]}"


@pytest.mark.parametrize("digits", [21, 300, 5000])
def test_row_32_long_integers(digits: int) -> None:
    """An integer of more than twenty digits is garbled, in fields nobody knows too."""
    text = "9" * digits
    for line in (choice(f"[{text}]"), choice(more=f',"a":{text}'), b'{"type":"ready","a":%s}' % text.encode()):
        assert refused(line) == f"expected an integer of at most 20 digits, got {digits}"


@pytest.mark.parametrize("depth", [33, 300, 20_000])
@pytest.mark.parametrize("bracket", ["[]", "{}"])
def test_row_33_deep_nesting(depth: int, bracket: str) -> None:
    """Nesting deeper than 32 is garbled whether it is closed or not, in fields nobody knows too."""
    opened = ("[" if bracket == "[]" else '{"a":') * (depth - 1)
    closed = opened + "0" + bracket[1] * (depth - 1)
    for line in (choice(more=f',"a":{closed}'), choice(more=f',"a":{opened}'), choice(closed)):
        assert refused(line) == f"expected nesting of at most 32, got {depth}"
    assert refused(f'{{"type":"ready","a":{closed}}}'.encode()) == f"expected nesting of at most 32, got {depth}"


def test_row_33_nesting_that_is_allowed() -> None:
    """Nesting of 32 is allowed."""
    assert decode(choice(more=f',"a":{"[" * 31}{"]" * 31}')) == Choose("x1", (0,))


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (choice(more=',"picks":[1]'), "picks"),
        (choice(more=',"id":"x2"'), "id"),
        (choice(more=',"type":"choose"'), "type"),
        (choice(more=',"a":{"b":1,"b":2}'), "b"),
        (choice(more=',"\\u0069d":"x2"'), "id"),
        # as many quotation marks as in a plain choice
        (b'{"type":"ready","protocol":2,"protocol":1,"protocol":1}', "protocol"),
    ],
)
def test_row_34_duplicate_keys(line: bytes, key: str) -> None:
    """A key that stands twice is garbled: two readers could read two different messages."""
    assert refused(line) == f"expected each key once, got {key} twice"


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00", "\\ud800x", "\\udc00\\ud800"])
def test_row_35_lone_surrogates(text: str) -> None:
    """Half a surrogate pair is garbled in values, keys and fields nobody knows: no file could be written with it."""
    for more in (f',"a":"{text}"', f',"{text}":1'):
        assert refused(choice(more=more)).startswith("expected UTF-8, got bytes that are not")
    assert refused(f'{{"type":"ready","name":"{text}"}}'.encode()).startswith("expected UTF-8")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"null", "null"),
        (b'"choose"', "a string"),
        (b"[0]", "an array"),
        (b"0", "an integer"),
        (b"true", "true or false"),
    ],
)
def test_row_36_not_an_object(line: bytes, kind: str) -> None:
    """JSON that is no object is garbled."""
    assert refused(line) == f"expected a JSON object, got {kind}"


@pytest.mark.parametrize("line", [b"", b" ", b"thinking...", b"{", choice() + b"x", choice() + choice(), b"{'a':1}"])
def test_row_36_not_json(line: bytes) -> None:
    """What is no JSON, or more than one value, is garbled; its beginning is quoted, and where it goes wrong is told."""
    reason = refused(line)
    assert reason.startswith(f"expected a line of JSON, got {line[:32].decode()!a}")
    assert re.search(r" at character \d+\)$", reason)


@pytest.mark.parametrize("line", ["🐟" * 32, "\x1b[2J" * 9, "'\"" * 50])
def test_row_36_what_is_quoted(line: str) -> None:
    """What is quoted of a line is short and printable, whatever a bot wrote."""
    assert re.fullmatch(rf"(?=.*\.\.\. \()[ -~]{{1,{WORDS_LIMIT}}}", refused(line.encode()))


@pytest.mark.parametrize(
    ("picks", "got"),
    [
        ("[true]", "true or false"),
        ("[1.0]", "a number that is no integer"),
        ("[1e0]", "a number that is no integer"),
        ('["1"]', "a string"),
        ("[null]", "null"),
    ],
)
def test_row_37_not_an_integer(picks: str, got: str) -> None:
    """A pick is an integer: no boolean, no float, no string stands for one."""
    assert refused(choice(picks)) == f"expected an integer, got {got} - at $.picks[0]"


@pytest.mark.parametrize("picks", ["0", "null", '"0"', "{}", '"\uff11"'])
def test_row_37_not_a_list(picks: str) -> None:
    """Picks are a list."""
    assert refused(choice(picks)).startswith("expected an array, got ")


@pytest.mark.parametrize("text", ["01", "+1", "1.", ".5", "0x1", "1_000", "--1", "\uff11"])
def test_row_37_not_a_json_number(text: str) -> None:
    """What other languages take for a number but JSON does not is garbled."""
    assert refused(choice(f"[{text}]")).startswith("expected a line of JSON")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{}", "expected a field 'type', got none"),
        (b'{"type":"choose","id":"x1"}', "expected a field 'picks', got none"),
        (b'{"type":"over","id":"x1"}', "expected choose or ready, got 'over' - at $.type"),
        (b'{"type":"choose","id":7,"picks":[0]}', "expected a string, got an integer - at $.id"),
        (b'{"type":"choose","id":null,"picks":[0]}', "expected a string, got null - at $.id"),
        (b'{"type":"ready","protocol":true}', "expected an integer, got true or false - at $.protocol"),
    ],
)
def test_other_shapes(line: bytes, said: str) -> None:
    """A message of another shape is garbled, and the place is named."""
    assert refused(line) == said


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
SPLINTERS = [
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\xff",
    b"\x00",
    b"1e999",
    b"NaN",
    b"-",
]


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
    sent = msgspec.to_builtins(message)
    # as text, since True == 1 == 1.0
    assert json.dumps({key: plain.get(key, sent[key]) for key in sent}) == json.dumps(json.loads(encode(message)))


def test_mutated_lines() -> None:
    """A spoilt message is a message or garbled: nothing else is ever raised, and nothing slips through."""
    assert_judged(2_000)


@pytest.mark.proof
def test_a_hundred_thousand_mutated_lines(record_property: Callable[[str, object], None]) -> None:
    """Of a hundred thousand spoilt messages each is a message or garbled: nothing else is ever raised."""
    assert_judged(100_000)
    record_property("lines", 100_000)


# --- what the house sends


def house_messages() -> list[wire.FromHouse]:
    """One of each, with the contents of a match of the toy."""
    state = toy.deal(3, bytes(32), toy.GAME.settle({}))
    pending = state.pending()
    assert isinstance(pending, Pending)
    ask = pending.decisions[1]
    count = len(ask.options)
    events = state.copy().apply({seat: decision.silence for seat, decision in pending.decisions.items()})
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
def test_a_message_is_one_ascii_line(message: wire.FromHouse | wire.FromBot) -> None:
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
    """A bot reads the house's messages back: structs of the game as plain objects with their tag first."""
    hello, decide, over = house_messages()
    assert wire.decode_from_house(encode(hello)) == hello
    read = wire.decode_from_house(encode(decide))
    assert isinstance(read, Decide)
    assert isinstance(decide, Decide)
    assert encode(read) == encode(decide)
    assert [list(option) for option in read.options] == [["type", "card"]] * decide.count
    assert encode(wire.decode_from_house(encode(over))) == encode(over)
