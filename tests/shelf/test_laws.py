"""Every game on the shelf keeps every law, at every table; and each kind of offence against them is found."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from arena import games
from arena.chance import Chance
from arena.game import Chosen, Decision, Game, Luck, Outcome, Pending, Seat
from arena.laws import LAWS, GameSetup, LawBroken, contract, imagine, secrets
from arena.laws.luck import luck_is_even
from arena.laws.table import sent
from tests.shelf import toy
from tests.shelf.walk import book_of, every_table, shelf


@every_table
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[GameSetup], None], table: GameSetup) -> None:
    """Every game keeps every law at every number of seats, with every value of a variant."""
    law(table)


def test_laws_are_sentences() -> None:
    """Each law has a name of its own and a sentence that says it."""
    assert len({law.__name__ for law in LAWS}) == len(LAWS)
    assert all(str(law.__doc__).partition("\n")[0].endswith(".") for law in LAWS)


def test_names_are_unique() -> None:
    """No two games have one name."""
    names = [game.name for game in shelf()]
    assert len(set(names)) == len(names)


def test_a_game_without_a_book_is_named() -> None:
    """A game for which no census, redeal and leaks are written fails by a message that names the file it lacks."""
    game = replace(toy.GAME, name="go-fish")
    with pytest.raises(AssertionError, match=r"expected tests/shelf/games/go_fish\.py .* got no file"):
        book_of(game)


class Endless(toy.ToyState):
    """Never says that it is over."""

    def pending(self) -> Pending | Outcome:
        return super().pending() if self.hands[0] else Pending({0: Decision(("go", "on"))})

    def apply(self, chosen: Chosen) -> list[object]:
        return super().apply(chosen) if self.hands[0] else []


class Restless(toy.ToyState):
    """Changes by being asked."""

    def pending(self) -> Pending | Outcome:
        self.chance.word()
        return super().pending()


class Shared(toy.ToyState):
    """Shares its hands with its copies."""

    def copy(self) -> toy.ToyState:
        return replace(super().copy(), hands=self.hands)


class Leaking(toy.ToyState):
    """Shows everyone the top of the deck."""

    def observe(self, seat: Seat) -> toy.Sight:
        return replace(super().observe(seat), catch=sum(self.deck[-1:]))


class Indiscreet(toy.ToyState):
    """Says aloud what one seat draws."""

    spoken_aloud = True


class Lossy(toy.ToyState):
    """Loses the cards that were bid."""

    def apply(self, chosen: Chosen) -> list[object]:
        events = super().apply(chosen)
        self.discards.clear()
        return events


class Partial(toy.ToyState):
    """Ranks nobody first."""

    def standing(self) -> Outcome:
        outcome = super().standing()
        return Outcome(tuple(rank + 1 for rank in outcome.ranks), outcome.scores)


def flawed(state: type[toy.ToyState]) -> Game:
    """The toy with another kind of state."""

    def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> toy.ToyState:
        return state(**asdict(toy.deal(seats, seed, variants)))

    return replace(toy.GAME, deal=deal, state=state)


def _unlucky(seats: int, seed: bytes, variants: Mapping[str, str]) -> toy.ToyState:
    return toy.deal(seats, bytes(len(seed)), variants)


def _forgetful(observation: toy.Sight, chance: Chance) -> toy.ToyState:
    world = toy.imagine(observation, chance)
    world.hands[observation.seat].reverse()
    return world


def _certain(observation: toy.Sight, _chance: Chance) -> toy.ToyState:
    return toy.imagine(observation, Chance(bytes(32)))


OFFENCES: dict[str, tuple[Callable[[GameSetup], None], Game]] = {
    "a name in capitals": (contract.box, replace(toy.GAME, name="Toy")),
    "no end": (contract.random_play_ends, flawed(Endless)),
    "no end in silence": (contract.silence_ends, flawed(Endless)),
    "a score beyond its bounds": (
        contract.random_play_ends,
        replace(toy.GAME, bounds=lambda _seats, _variants: (-1, 0)),
    ),
    "scores that are not 0 in all": (contract.random_play_ends, replace(toy.GAME, zero_sum=True)),
    "nobody first": (contract.random_play_ends, flawed(Partial)),
    "asking draws": (contract.asking_changes_nothing, flawed(Restless)),
    "one deal for all seeds": (contract.same_seed_same_game, replace(toy.GAME, deal=_unlucky)),
    "a shared hand": (contract.save_and_resume, flawed(Shared)),
    "an option of no declared type": (contract.words, replace(toy.GAME, option=str)),
    "lost cards": (contract.nothing_is_lost, flawed(Lossy)),
    "a leak": (secrets.what_is_sent_is_the_same_in_both_worlds, flawed(Leaking)),
    "a whisper said aloud": (secrets.events_tell_no_more_than_the_observation, flawed(Indiscreet)),
    "another hand imagined": (imagine.an_imagined_world_looks_the_same, replace(toy.GAME, imagine=_forgetful)),
    "one world imagined": (imagine.imagined_worlds_differ, replace(toy.GAME, imagine=_certain)),
}


@pytest.mark.parametrize("offence", OFFENCES)
def test_offences_are_found(offence: str) -> None:
    """A game that breaks a law is found out by that law, in words of what was expected and what was got."""
    law, game = OFFENCES[offence]
    with pytest.raises(LawBroken, match=r"^expected .* got "):
        law(GameSetup(game, 3, game.resolve_variants({}), book_of(toy.GAME)))


@pytest.mark.parametrize("game", [toy.GAME, games.find("lure")], ids=lambda game: game.name)
def test_a_blind_redeal_is_found(game: Game) -> None:
    """A book whose other world has other chance alone is found: with it the laws of secrecy would see nothing."""
    book = book_of(game)

    def redeal(state: Any, _seat: Seat, rng: Random) -> Any:
        return replace(state.copy(), chance=Chance(rng.randbytes(32)))

    blind: Any = SimpleNamespace(census=book.census, LEAKS=book.LEAKS, redeal=redeal)
    with pytest.raises(LawBroken, match="redealt worlds to differ, got 0"):
        secrets.redealing_changes_what_is_hidden(GameSetup(game, min(game.seats), game.resolve_variants({}), blind))


@pytest.mark.parametrize("known", ["hand", "fish"])
def test_what_is_known_is_sent(known: str) -> None:
    """The other way round: a change of what a seat does know changes what it is sent."""
    state: Any = toy.deal(2, bytes(32), toy.GAME.resolve_variants({}))
    before = sent(state, 0)
    if known == "hand":
        state.hands[0][0], state.deck[0] = state.deck[0], state.hands[0][0]
    else:
        state.fish[1] += 1
    assert sent(state, 0) != before


def _more(luck: Luck) -> Luck:
    return replace(luck, gains=tuple(gain + 1e-6 for gain in luck.gains))


def _narrow(luck: Luck) -> Luck:
    return replace(luck, span=luck.span / 4)


def _flattered(luck: Luck) -> Luck:
    """Tells good luck alone."""
    return luck if min(luck.gains) >= 0 else replace(luck, gains=(0.0,) * len(luck.gains))


@pytest.mark.parametrize("flaw", [_more, _narrow, _flattered])
@pytest.mark.parametrize("name", ["dockfight", "lure"])
def test_uneven_luck_is_found(name: str, flaw: Callable[[Luck], Luck]) -> None:
    """Luck whose mean is not 0 is against the law, however little, and so is a gain beyond its span."""
    game = games.find(name)
    tell = game.luck
    assert tell is not None

    def flawed_luck(before: Any, chosen: Chosen, events: Sequence[Any]) -> list[Luck]:
        return [flaw(luck) for luck in tell(before, chosen, events)]

    with pytest.raises(LawBroken, match=r"a mean luck of 0|at most"):
        luck_is_even(
            GameSetup(replace(game, luck=flawed_luck), min(game.seats), game.resolve_variants({}), book_of(game))
        )
