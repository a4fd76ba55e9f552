"""Each bot that ships with arena, as a real process, told line by line what the host would tell it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena import games, wire
from arena.chance import Chance
from arena.game import Decision, Pending
from arena.players.botfile import BotFile, argv, environment, missing
from arena.players.building import prepare
from arena.players.entrants import read_shipped_bots
from tests.players.conversation import AWKWARD, Talk, hello, over, play, question

BOTS = read_shipped_bots()
RANDOM = [bot for bot in BOTS if bot.name.startswith("random")]
Start = Callable[[BotFile], Talk]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of builds for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def start(cache: Path, tmp_path: Path) -> Start:
    """Starts a bot as arena would, or skips where this machine has no means to."""

    def talk(bot: BotFile) -> Talk:
        if reason := missing(bot):
            pytest.skip(reason)
        folder = prepare(bot, cache=cache)
        return Talk(argv(bot, folder), environment(bot, str(tmp_path)), Path(folder))

    return talk


def bots(which: list[BotFile]) -> pytest.MarkDecorator:
    """One test a bot."""
    return pytest.mark.parametrize("bot", which, ids=lambda bot: bot.name)


def test_which_bots_ship() -> None:
    """Five bots ship, each in a folder of its own name; the search bot enters by name alone."""
    assert [bot.name for bot in BOTS] == ["greedy", "random", "random-c", "random-js", "search"]
    assert [bot.name for bot in BOTS if not bot.default] == ["search"]
    assert all(Path(bot.folder).name == bot.name for bot in BOTS)


@bots(BOTS)
def test_legal_and_deterministic(bot: BotFile, start: Start) -> None:
    """Answers are legal and follow from what was sent since hello: in the next match and in another process alike."""
    with start(bot) as talk:
        first, again, other = play(talk, 2**53 - 1), play(talk, 2**53 - 1), play(talk, 7)
        assert talk.goodbye() == 0
    with start(bot) as talk:
        assert play(talk, 7) == other
        assert talk.goodbye() == 0
    assert first == again


@bots(RANDOM)
def test_random_bots_use_their_seed(bot: BotFile, start: Start) -> None:
    """A random bot plays otherwise by another seed, zero included, and picks every option and every number of them."""
    decision = Decision(tuple("abcd"), least=1, most=3)
    with start(bot) as talk:
        picks = [play(talk, seed, [decision] * 60) for seed in (0, 1, 2**32, 2**53 - 1)]
    assert len({tuple(match) for match in picks}) == 4
    for match in picks:
        assert {len(pick) for pick in match} == {1, 2, 3}
        assert {pick[0] for pick in match} == {0, 1, 2, 3}


@bots(RANDOM)
def test_random_bots_are_even_handed(bot: BotFile, start: Start) -> None:
    """Over 3,000 questions each number of picks and each first pick comes up a third of the time, within 5 sigma."""
    decision = Decision(tuple("abc"), least=1, most=3)
    with start(bot) as talk:
        picks = play(talk, 5, [decision] * 3000)
    for share in ([len(pick) - 1 for pick in picks], [pick[0] for pick in picks]):
        # sigma of a count is sqrt(3000 / 3 * 2 / 3) = 25.8
        assert all(abs(share.count(value) - 1000) < 130 for value in range(3))


@bots(BOTS)
def test_what_is_not_known_is_passed_over(bot: BotFile, start: Start) -> None:
    """Message types and fields of later versions are ignored."""
    news = b'{"type":"news","count":[{"text":"\\"]}"}],"id":"x"}'
    later = b',"later":{"id":"no","least":9,"count":[]}}'
    line = question(1, Decision(("a", "b", "c"), least=2, most=2), {})
    with start(bot) as talk:
        talk.tell(news)
        assert isinstance(talk.ask(hello(1)[:-1] + later), wire.Ready)
        talk.tell(news)
        answer = talk.ask(line[:-1] + later)
        talk.tell(over()[:-1] + later)
        assert talk.goodbye() == 0
    assert isinstance(answer, wire.Choose)
    assert len(set(answer.picks)) == 2
    assert answer.id == f"{1:012x}"


@bots(BOTS)
def test_lines_of_any_length(bot: BotFile, start: Start) -> None:
    """A question of a megabyte is read whole, and the next one is understood."""
    decision = Decision((AWKWARD * 10, "no"), least=1, most=1)
    with start(bot) as talk:
        talk.ask(hello(3))
        for number, observation in enumerate([AWKWARD * 20_000, "", AWKWARD * 3]):
            answer = talk.ask(question(number, decision, observation))
            assert isinstance(answer, wire.Choose)
            assert answer.id == f"{number:012x}"
            assert decision.fault_in(answer.picks) is None
        assert talk.goodbye() == 0


@bots(BOTS)
def test_goodbye_at_any_time(bot: BotFile, start: Start) -> None:
    """A bot exits with status 0 when its input ends, before a match and within one."""
    with start(bot) as talk:
        assert talk.goodbye() == 0
    with start(bot) as talk:
        talk.ask(hello(3))
        assert talk.goodbye() == 0


@pytest.mark.parametrize("game", games.names())
@bots([bot for bot in BOTS if bot.default])  # tests/search/ plays the one that takes its time
def test_a_match_of_each_game(bot: BotFile, game: str, start: Start) -> None:
    """Each bot plays each game from each seat, against chance, without a fault."""
    found = games.find(game)
    seats = found.usual_seats
    with start(bot) as talk:
        for seat in range(seats):
            talk.ask(hello(seat, game=game, seat=seat, seats=seats))
            state = found.deal(seats, bytes(31) + bytes([seat]), found.resolve_variants({}))
            chance = Chance(b"the others")
            asked = 0
            while isinstance(pending := state.pending(), Pending) and asked < 200:
                chosen = {other: by_chance(decision, chance) for other, decision in pending.decisions.items()}
                decision = pending.decisions.get(seat)
                if decision is not None and not decision.forced:
                    asked += 1
                    answer = talk.ask(question(asked, decision, state.observe(seat)))
                    assert isinstance(answer, wire.Choose)
                    assert decision.fault_in(answer.picks) is None
                    chosen[seat] = decision.take(answer.picks)
                state.apply(chosen)
            talk.tell(over())
            assert asked > 0
        assert talk.goodbye() == 0


def by_chance(decision: Decision, chance: Chance) -> tuple[Any, ...]:
    """Any legal choice."""
    options = list(decision.options)
    chance.shuffle(options)
    return tuple(options[: decision.least + chance.below(decision.most - decision.least + 1)])
