"""Laws are held for as long as one has time: faults that show seldom are found, and what never happened is named."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from msgspec.structs import replace

from arena.chance import Chance
from arena.errors import UsageError
from arena.game import Chosen, Decision, Outcome, Pending, Seat
from arena.laws import (
    LAWS,
    OF_EVERY_MATCH,
    OF_MANY_MATCHES,
    LawBroken,
    dig,
    it_is_so_in_further_matches,
    setups,
)
from arena.laws.contract import nothing_is_lost, random_play_ends, silence_ends
from arena.laws.imagine import the_unknown_comes_from_chance
from arena.laws.secrets import what_is_sent_is_the_same_in_both_worlds
from arena.laws.table import difference
from arena.report.laws import digging
from tests.cli.command import arena, refusal
from tests.shelf import toy

SELDOM = 12
"""Before the last card a seat has caught just so much in one match of 25."""


def seldom(state: toy.ToyState) -> bool:
    """What is so in few matches."""
    return SELDOM in state.fish and bool(state.hands[0])


class Silent(toy.ToyState):
    """Asks nobody."""

    def pending(self) -> Pending | Outcome:
        return Pending({}) if seldom(self) else super().pending()


class Twice(toy.ToyState):
    """Offers an option twice."""

    def pending(self) -> Pending | Outcome:
        pending = super().pending()
        if not seldom(self) or isinstance(pending, Outcome):
            return pending
        return Pending({seat: Decision(one.options + one.options[-1:]) for seat, one in pending.decisions.items()})


class Loses(toy.ToyState):
    """A card is lost."""

    def apply(self, chosen: Chosen) -> list[object]:
        events = super().apply(chosen)
        if seldom(self):
            self.discards = self.discards[:-1]
        return events


class Breaks(toy.ToyState):
    """Its own code fails."""

    def apply(self, chosen: Chosen) -> list[object]:
        if seldom(self):
            raise KeyError(SELDOM)
        return super().apply(chosen)


class Shares(toy.ToyState):
    """A copy shares its discards."""

    def copy(self) -> toy.ToyState:
        copy = super().copy()
        if seldom(self):
            copy.discards = self.discards
        return copy


class Changes(toy.ToyState):
    """Changes by being asked."""

    def standing(self) -> Outcome:
        if seldom(self):
            self.catch += 1
        return super().standing()


class Tells(toy.ToyState):
    """A seat sees how many good cards another has."""

    def observe(self, seat: Seat) -> toy.Sight:
        sight = super().observe(seat)
        return replace(sight, deck=max(self.hands[seat - 1], default=0)) if seldom(self) else sight


class Ranks(toy.ToyState):
    """Ranks that are none."""

    def standing(self) -> Outcome:
        end = super().standing()
        return Outcome(ranks=tuple([rank + 1 for rank in end.ranks]), scores=end.scores) if seldom(self) else end


class Speaks(toy.ToyState):
    """An event of no declared type."""

    def apply(self, chosen: Chosen) -> list[object]:
        return [*super().apply(chosen), *[{"caught": SELDOM}] * seldom(self)]


def forgets(sight: toy.Sight, chance: Chance) -> toy.ToyState:
    """An imagined world that forgets what was thrown away."""
    world = toy.GAME.imagine(sight, chance)
    if SELDOM in sight.fish and isinstance(world, toy.ToyState):
        world.discards, world.deck = [], world.deck + world.discards
    assert isinstance(world, toy.ToyState)
    return world


def as_one(fault: type[toy.ToyState], state: Any) -> toy.ToyState:
    """The same state as one of this kind."""
    return fault(**{name: getattr(state, name) for name in toy.ToyState.__struct_fields__})


def planted(fault: type[toy.ToyState]) -> Callable[[int, bytes, Mapping[str, str]], Any]:
    """The deal of the toy with a fault in its states."""

    def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> toy.ToyState:
        return as_one(fault, toy.GAME.deal(seats, seed, variants))

    return deal


def imagined(fault: type[toy.ToyState]) -> Callable[[Any, Chance], Any]:
    """Imagined worlds of the toy with a fault in their states."""

    def imagine(sight: toy.Sight, chance: Chance) -> toy.ToyState:
        return as_one(fault, toy.GAME.imagine(sight, chance))

    return imagine


FAULTS = {
    fault.__name__.lower(): replace(toy.GAME, deal=planted(fault), imagine=imagined(fault), state=fault)
    for fault in (Silent, Twice, Loses, Breaks, Shares, Changes, Tells, Ranks, Speaks)
} | {"forgets": replace(toy.GAME, imagine=forgets)}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_that_show_seldom_are_found(fault: str) -> None:
    """Each of ten kinds of fault, which shows in few matches, is found within seconds, with the match that shows it."""
    tables = setups(FAULTS[fault], toy)
    found = dig(tables, OF_EVERY_MATCH, seconds=20, enough=1)
    (breach,) = found.breaches
    law = next(law for law in LAWS if law.__name__ == breach.law)
    (table,) = [table for table in tables if table.name == breach.setup]
    with pytest.raises((LawBroken, KeyError)):
        law(table._replace(first=breach.first))


@pytest.mark.long
def test_a_game_that_keeps_them() -> None:
    """No law is broken, whatever the match; what is declared and never happened is named."""
    found = dig(setups(toy.GAME, toy), OF_EVERY_MATCH, once=OF_MANY_MATCHES, seconds=2)
    assert found.breaches == ()
    assert found.never["options"] == found.never["events"] == ()
    assert found.never["fields"] == ("dice", "trades")
    assert found.tried > len(LAWS)


def test_a_law_is_of_one_kind() -> None:
    """Each law holds in every match, or in many together; the last one looks at further matches."""
    assert not set(OF_EVERY_MATCH) & set(OF_MANY_MATCHES)
    assert (*OF_EVERY_MATCH, *OF_MANY_MATCHES, it_is_so_in_further_matches) == LAWS


@pytest.mark.timeout(600)
@pytest.mark.parametrize("suites", [pytest.param(2, marks=pytest.mark.long), pytest.param(20, marks=pytest.mark.proof)])
def test_the_suite_finds_them(suites: int) -> None:
    """The laws by which a suite walks its setups find the ten kinds of fault in at least 95 % of deals."""
    missed = []
    for fault in FAULTS:
        for deal in range(suites):
            game = replace(FAULTS[fault], name=f"toy-{'x' * deal}")  # the deals follow from the name
            tables = setups(game, toy)
            found = any(_broken(law, table) for table in tables for law in LAWS if law not in OF_MANY_MATCHES)
            missed += [] if found else [fault]
    assert len(missed) <= len(FAULTS) * suites // 20, missed


def _broken(law: Callable[[Any], None], table: Any) -> bool:
    try:
        law(table)
    except Exception:  # noqa: BLE001 - whatever it raises, it is found
        return True
    return False


@pytest.mark.long
def test_laws_by_command(tmp_path: Path) -> None:
    """`arena laws` says what was tried, and exits with 1 if a law is broken; a book that lacks a part is refused."""
    book = Path(__file__).parent / "games" / "dockfight.py"
    said = arena(tmp_path, "laws", "dockfight", "--book", str(book), "--for", "10ms", code=6).out
    assert said.startswith("dockfight: no law was broken in what was tried, but ")
    assert "Not tried on dockfight-2, dockfight-3, dockfight-4, dockfight-5 and\ndockfight-6: " in said
    wrong = refusal(tmp_path, "laws", "dockfight", "--book", str(book), "--for", "long")
    assert wrong.startswith("--for: expected a time")
    (tmp_path / "book.py").write_text("LEAKS = {}\n")
    wrong = refusal(tmp_path, "laws", "dockfight", "--book", "book.py")
    assert wrong == "expected census, redeal and LEAKS in the book, got no census and no redeal"
    assert "expected a file FILE.py, got none at" in refusal(tmp_path, "laws", "dockfight", "--book", "none.py")
    (tmp_path / "book.py").write_text(f"{book.read_text()}\ncensus = lambda state: Counter()\n")
    said = arena(tmp_path, "laws", "dockfight", "--book", "book.py", "--for", "2s", code=1).out
    assert "nothing_is_lost" in said


def test_what_was_not_tried_is_told() -> None:
    """No law is said to hold that was not tried on every setup; that `imagine` took most of the time is told."""
    tables = setups(toy.GAME, toy)
    nothing = dig(tables, OF_EVERY_MATCH, once=OF_MANY_MATCHES, seconds=0)
    assert set(nothing.untried) == {law.__name__ for law in (*OF_EVERY_MATCH, *OF_MANY_MATCHES)}
    assert set(nothing.untried.values()) == {tuple([table.name for table in tables])}
    assert "no law was broken in what was tried" in digging(nothing, "toy").written("table")
    whole = dig(setups(replace(toy.GAME, imagine=slow), toy)[:2], [the_unknown_comes_from_chance], seconds=0.01)
    assert whole.untried == {"the_unknown_comes_from_chance": ("toy-3",)}
    assert digging(replace(whole, untried={}), "toy").written("table").startswith("toy: no law was broken.\n")
    assert re.search(r"imagine took \d+% of the time", digging(whole, "toy").written("table"))


def slow(sight: toy.Sight, chance: Chance) -> toy.ToyState:
    """Takes its time."""
    ends = process_time() + 0.002
    while process_time() < ends:
        pass
    return toy.imagine(sight, chance)


def test_a_message_tells_where() -> None:
    """It names what differs first, and its place in a match; an error names the line of the game's own code."""
    (leak,) = dig(
        setups(FAULTS["tells"], toy), [what_is_sent_is_the_same_in_both_worlds], seconds=20, enough=1
    ).breaches
    words = (
        r"expected seat \d to see the same in both worlds, got deck: \d+ and \d+; match \d+, decision \d+ of seat .*"
    )
    assert re.fullmatch(words, leak.why)
    (error,) = dig(setups(FAULTS["breaks"], toy), [random_play_ends], seconds=20, enough=1).breaches
    words = r"expected no error, got KeyError: 12 \(.*test_digging.py, line \d+: raise KeyError\(SELDOM\); match .*\)"
    assert re.fullmatch(words, error.why)


def test_one_cause_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Laws that meet the same error stand in one sentence, with the line of the game's own code and not of arena's."""
    monkeypatch.setattr(toy.ToyState, "apply", lambda state, _: [state.chance.below(0)])
    outcome = dig(setups(toy.GAME, toy), [random_play_ends, silence_ends], seconds=5, enough=2)
    said = " ".join(digging(outcome, "toy").written("table").split())
    words = (
        r"random_play_ends and silence_ends: expected no error, got ValueError: expected n from 1 to 2\*\*64, got 0 "
    )
    where = r"\(\S*test_digging.py, line \d+: monkeypatch.*below\(0\)\]\); match 0, decision 1 of seat .*\) \(toy-2\)\."
    assert re.search(words + where, said), said
    assert said.count("got ValueError") == 1


def test_a_message_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much two worlds or two counts differ in, it prints a few hundred characters."""
    monkeypatch.setattr(toy, "census", lambda state: Counter({f"{state.fish} {n}": n for n in range(1, 500)}))
    with pytest.raises(LawBroken, match=r"expected the census .* \.\.\., got .* \.\.\.") as broken:
        nothing_is_lost(setups(toy.GAME, toy)[0])
    assert len(str(broken.value)) < 800


def test_the_first_difference() -> None:
    """Of two values that differ somewhere the way to that place is told, and what is there."""
    assert difference({"hands": [[1, 2], [3, 4]]}, {"hands": [[1, 2], [3, 5]]}) == "hands[1][1]: 4 and 5"
    assert difference({"deck": [1]}, {"deck": [1, 2]}) == "deck: [1] and [1, 2]"
    assert difference(1, 2) == "1 and 2"
    assert len(difference("a" * 1000, "b" * 1000)) < 250


def test_a_book_that_lacks_a_part() -> None:
    """The message names the parts."""
    with pytest.raises(UsageError, match="got no redeal"):
        dig(setups(toy.GAME, type("Book", (), {"census": 1, "LEAKS": {}})), OF_EVERY_MATCH, seconds=1)  # type: ignore[arg-type]
