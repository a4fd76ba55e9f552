"""Every game as a game of OpenSpiel, held against OpenSpiel's own tests."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel comes as no wheel for this Python and machine")
from arena import games  # noqa: E402 - only where OpenSpiel is
from arena.environments.environment import Environment  # noqa: E402
from arena.environments.openspiel import register  # noqa: E402
from arena.errors import UsageError  # noqa: E402
from arena.extras import install  # noqa: E402

register()


def algorithm(name: str) -> Any:
    """A module of OpenSpiel's algorithms, which load scipy.stats: so not for the tests of other rooms."""
    return import_module(f"open_spiel.python.algorithms.{name}")


def loaded(name: str, seats: int, variants: dict[str, str], returns: str = "rank") -> Any:
    """A game as OpenSpiel loads it."""
    given = "".join(f",{variant}={value}" for variant, value in variants.items())
    return pyspiel.load_game(f"arena_{name.replace('-', '_')}(players={seats},returns={returns}{given})")


def tables() -> Iterator[Any]:
    """Each game at the least, the usual and the most seats, with each value of each variant."""
    for name in games.names():
        game = games.find(name)
        for seats in dict.fromkeys((game.seats[0], game.usual_seats, game.seats[-1])):
            yield pytest.param(name, seats, {}, id=f"{name}-{seats}")
            for variant, value, settled in game.unusual():
                yield pytest.param(name, seats, settled, id=f"{name}-{seats}-{variant}={value}")


def actions(state: Any, seed: int) -> Iterator[int]:
    """Random legal actions to the end, each of which is taken when the next one is asked for."""
    dice = Random(seed)
    while not state.is_terminal():
        action = dice.choice(state.legal_actions())
        yield action
        state.apply_action(action)


def test_their_test() -> None:
    """OpenSpiel's random_sim_test passes on one game, with the state saved and loaded and with legality checked."""
    pyspiel.random_sim_test(loaded("catch-of-the-day", 4, {}), num_sims=1, serialize=True, verbose=False)


@pytest.mark.long
@pytest.mark.parametrize("name", games.names())
@pytest.mark.parametrize("returns", ["rank", "score"])
def test_their_test_on_each_game(name: str, returns: str) -> None:
    """OpenSpiel's random_sim_test passes on every game, by rank and by score."""
    game = loaded(name, games.find(name).seats[0], {}, returns)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seats", "variants"), list(tables()))
def test_their_test_on_each_table(name: str, seats: int, variants: dict[str, str]) -> None:
    """OpenSpiel's random_sim_test passes on every game at the least, usual and most seats with every variant."""
    pyspiel.random_sim_test(loaded(name, seats, variants), num_sims=2, serialize=True, verbose=False)


@pytest.mark.long
@pytest.mark.parametrize("name", games.names())
def test_playthrough(name: str) -> None:
    """OpenSpiel's generator of playthroughs writes one of every game."""
    seats = games.find(name).seats[0]
    text = algorithm("generate_playthrough").playthrough(
        f"arena_{name.replace('-', '_')}(players={seats})", None, seed=3
    )
    assert f"InformationStateString({seats - 1})" in text
    assert text.count("IsTerminal() = True") == 1


@pytest.mark.long
def test_a_replayed_playthrough(tmp_path: Path) -> None:
    """What the generator of playthroughs wrote it writes again from the actions alone."""
    flags, generate_playthrough = import_module("absl.flags").FLAGS, algorithm("generate_playthrough")
    if not flags.is_parsed():
        flags(["arena"])
    text = generate_playthrough.playthrough("arena_catch_of_the_day", None, seed=3)
    (tmp_path / "playthrough.txt").write_text(text, encoding="utf-8")
    written, replayed = generate_playthrough.replay(tmp_path / "playthrough.txt")
    assert written == replayed == text


@pytest.mark.long
@pytest.mark.parametrize("name", games.names())
def test_imagined(name: str) -> None:
    """A resampled state tells its player the same, text and numbers, and asks the same seat; what is hidden differs."""
    game = loaded(name, games.find(name).usual_seats, {})
    state = game.new_initial_state()
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    differ = 0
    for turn, _ in enumerate(actions(state, 4)):
        if state.is_chance_node() or turn % 3:
            continue
        for player in range(game.num_players()):
            other = state.resample_from_infostate(player, sampler)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            assert other.current_player() == state.current_player()
            differ += str(other) != str(state)
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
        for _ in actions(other, 5):
            """It can be played to the end."""
    assert differ


def test_the_table_below() -> None:
    """The four moves of chance are a number, and the match is the one that ``Environment.reset`` deals from it."""
    game = loaded("dockfight", 2, {})
    state = game.new_initial_state()
    with_scores = loaded("dockfight", 2, {}, "score").new_initial_state()
    for byte in (1, 2, 3, 4):
        assert state.chance_outcomes() == [(each, 1 / 256) for each in range(256)]
        state.apply_action(byte)
        with_scores.apply_action(byte)
    table = Environment("dockfight", 2)
    table.reset(0x01020304)
    assert state.table.state == table.state
    for action in actions(state, 6):
        with_scores.apply_action(action)
    assert state.table.asked > 0
    assert with_scores.returns() == list(state.table.result.scores)
    assert sum(state.returns()) == 0
    assert state.returns() == [1 - 2 * rank for rank in state.table.result.ranks]


def test_nothing_is_told_in_between() -> None:
    """Of seats asked at once, none sees what those before it have picked; who has answered sees its own answer."""
    state = loaded("lure", 3, {}).new_initial_state()
    for byte in (0, 0, 0, 7):
        state.apply_action(byte)
    before = [state.information_state_string(seat) for seat in range(3)]
    first = state.current_player()
    while state.current_player() == first:
        state.apply_action(state.legal_actions()[0])
    after = [state.information_state_string(seat) for seat in range(3)]
    told = [seat for seat in range(3) if before[seat] != after[seat]]
    assert state.current_player() == first + 1
    assert told == [first, first + 1]
    other = state.resample_from_infostate(first, pyspiel.UniformProbabilitySampler(0.0, 1.0))
    assert other.information_state_string(first) == after[first]


@pytest.mark.long
def test_another_process() -> None:
    """A pickled game and state go on in a process that has registered nothing; a pickle holds no encoding."""
    game = loaded("dockfight", 2, {})
    state = game.new_initial_state()
    for _ in range(6):
        state.apply_action(state.legal_actions()[0])
    pickled = pickle.dumps((game, state))
    assert len(pickled) < 10_000
    code = (
        "import pickle, sys; game, state = pickle.load(sys.stdin.buffer)\n"
        "print(game, state.history(), state.information_state_string(1))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True, check=True)
    assert done.stdout.decode() == f"{game} {state.history()} {state.information_state_string(1)}\n"


def test_search_plays() -> None:
    """OpenSpiel's information-set Monte Carlo tree search finds moves."""
    state = loaded("catch-of-the-day", 4, {}).new_initial_state()
    for byte in (0, 0, 0, 1):
        state.apply_action(byte)
    evaluator = algorithm("mcts").RandomRolloutEvaluator(1)
    bot = algorithm("ismcts").ISMCTSBot(game=state.get_game(), uct_c=2.0, max_simulations=10, evaluator=evaluator)
    assert bot.step(state) in state.legal_actions()


def test_what_cannot_be_loaded() -> None:
    """Seats, variants and returns that are none are said in one line."""
    with pytest.raises(UsageError, match="expected 2 to 6 seats for dockfight, got 9"):
        loaded("dockfight", 9, {})
    with pytest.raises(UsageError, match=r"lure: expected effects=on\|off, got effects=maybe"):
        loaded("lure", 2, {"effects": "maybe"})
    with pytest.raises(UsageError, match="expected a byte of the deal from 0 to 255, got 300"):
        loaded("lure", 2, {}).new_initial_state().apply_action(300)
    with pytest.raises(UsageError, match="arena_lure: expected returns=rank or returns=score, got returns=all"):
        loaded("lure", 2, {}, "all")


def test_a_missing_extra() -> None:
    """Without the extra there is one clear line, and nothing else of the host needs OpenSpiel."""
    code = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "import arena, arena.environments.single_picks\n"
        "assert 'numpy' not in sys.modules\n"
        "try:\n    import arena.environments.openspiel\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done: Any = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = f"UsageError expected OpenSpiel to be installed ({install('openspiel')}), got no pyspiel\n"
    assert done.stdout == said


def test_python_ends_in_order() -> None:
    """A process that has registered the games ends without a fault."""
    code = "from arena.environments.openspiel import register; register()"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def own_past(state: Any, player: int) -> tuple[tuple[str, int], ...]:
    """What a player knew each time it acted, and what it did."""
    past = []
    walked = state.get_game().new_initial_state()
    for action in state.history():
        if walked.current_player() == player:
            past.append((walked.information_state_string(player), action))
        walked.apply_action(action)
    return tuple(past)


def test_recall_is_perfect() -> None:
    """Two histories with one information state have one past, of information states and actions, and one question."""
    pasts: dict[str, set[Any]] = {}
    for seed in range(6):
        state = loaded("catch-of-the-day", 4, {}).new_initial_state()
        for byte in (0, 0, 0, seed // 3):
            state.apply_action(byte)
        for turn, _ in enumerate(actions(state, seed)):
            player = state.current_player()
            if turn % 5 == 0 and player >= 0:
                known = state.information_state_string(player)
                pasts.setdefault(known, set()).add((own_past(state, player), tuple(state.legal_actions())))
    assert len(pasts) > 6
    assert all(len(different) == 1 for different in pasts.values())
