"""What is derived from a run's secret, and that nothing else can be read off it."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.secrets import Secret

SECRET = Secret.of("carp")
COORDINATES = st.lists(st.integers() | st.text(st.characters(exclude_categories=["Cs"])), max_size=4)


def test_the_secret_is_the_hash_of_the_seed_text() -> None:
    """The secret of a seed text is SHA-256 of a fixed prefix and the text in UTF-8."""
    assert Secret.of("Hecht ü").key == hashlib.sha256(b"arena secret 1\0Hecht \xc3\xbc").digest()
    assert SECRET.key.hex() == "62cb3c3e42b4a731dfee97143de358f1ffbf40d7b93bd113ece7013636d0a74a"


def test_the_commitment_is_the_hash_of_the_secret() -> None:
    """The commitment is SHA-256 of a fixed prefix and the secret, in lower-case hexadecimal."""
    assert SECRET.commitment == hashlib.sha256(b"arena commitment 1\0" + SECRET.key).hexdigest()
    assert SECRET.commitment == "483fb4afe9cb9617e92506935def04a5cad238c4e603ccc84aecbd705e68e6bb"


def test_derived_values_follow_the_documented_message() -> None:
    """A purpose and its coordinates are written tag, length, colon, bytes, comma, and put through HMAC-SHA256."""

    def by_hand(message: bytes) -> bytes:
        return hmac.new(SECRET.key, message, hashlib.sha256).digest()

    assert SECRET.schedule(0) == by_hand(b"s8:schedule,i1:0,")
    single = Secret.of(SECRET.seed_text, mirrored=False)
    for rotation in range(3):
        assert SECRET.deal(epoch=1, block=17, rotation=rotation) == by_hand(b"s4:deal,i1:1,i2:17,")
        assert single.deal(epoch=1, block=17, rotation=rotation) == by_hand(b"s4:deal,i1:1,i2:17,i1:%d," % rotation)
    assert SECRET.label("e1b17r3") == by_hand(b"s5:label,s7:e1b17r3,")[:8].hex()
    assert SECRET.ids("e1b17r3") == by_hand(b"s3:ids,s7:e1b17r3,")
    assert SECRET.order("e1b17r3") == by_hand(b"s5:order,s7:e1b17r3,")
    assert SECRET.bot_seed("e1b17r3", 2) == int.from_bytes(by_hand(b"s8:bot seed,s7:e1b17r3,i1:2,")[:8], "big") >> 11
    assert SECRET.derive("ü", -5) == by_hand(b"s2:\xc3\xbc,i2:-5,")


def test_vectors() -> None:
    """The seed text ``carp`` gives these values on every machine and in every version."""
    key = SECRET.deal(epoch=1, block=17, rotation=0)
    assert key.hex() == "17a5e87b1002c49e0fceef6efdcf8fcbfbf84909723268f48a3c583f0ffde79b"
    assert SECRET.label("e1b17r3") == "4930b53326eb8594"
    assert SECRET.bot_seed("e1b17r3", 2) == 5_645_224_608_917_427


@given(COORDINATES, COORDINATES)
def test_different_coordinates_never_share_a_message(one: list[int | str], other: list[int | str]) -> None:
    """Two lists of coordinates give the same value only if they are the same list, types included."""
    same = [(type(part), part) for part in one] == [(type(part), part) for part in other]
    assert (SECRET.derive("deal", *one) == SECRET.derive("deal", *other)) is same


@pytest.mark.parametrize(
    ("one", "other"),
    [(("a", "bc"), ("ab", "c")), ((1, 23), (12, 3)), ((1,), ("1",)), (("a,s1:b",), ("a", "b")), (("",), ())],
)
def test_look_alikes_are_told_apart(one: tuple[int | str, ...], other: tuple[int | str, ...]) -> None:
    """Coordinates that read the same when run together give different values."""
    assert SECRET.derive("deal", *one) != SECRET.derive("deal", *other)


def test_a_fresh_secret_is_new_every_time() -> None:
    """A fresh seed text is 64 hexadecimal characters, never the same twice, and gives its secret again."""
    texts = {Secret.fresh().seed_text for _ in range(100)}
    assert len(texts) == 100
    assert all(len(text) == 64 and set(text) <= set("0123456789abcdef") for text in texts)
    fresh = Secret.fresh()
    assert Secret.of(fresh.seed_text) == fresh


def test_a_secret_does_not_show_itself() -> None:
    """Neither the seed text nor the secret is in what is printed of it, only the commitment."""
    secret = Secret.of("tell nobody")
    for shown in (repr(secret), str(secret), f"{[secret]}", repr(secret.__rich_repr__())):
        assert secret.commitment in shown
        assert "tell nobody" not in shown
        assert repr(secret.key) not in shown
        assert secret.key.hex() not in shown


def test_a_broken_seed_text_is_refused() -> None:
    """A seed text that has no UTF-8 form is refused in words."""
    with pytest.raises(ValueError, match="expected a text of whole Unicode characters, got"):
        Secret.of("\udc80")
