"""The greedy bot has a page for every game on the shelf, and plays better than chance at every table."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import msgspec
import pytest

from arena.chance import Chance
from arena.game import Decision, Game, Outcome, State
from arena.games import find, names
from arena.laws.table import pick

PAGES = Path(__file__).parents[2] / "bots" / "greedy"
LONGEST_PAGE = 140
BETTER = 1.5
"""How many times its even share of first places greedy takes at least."""
_ASKS_NOBODY = "simple"


def tables() -> list[Any]:
    """Every seat count of every game, in each mode that asks its players."""
    found = []
    for name in names():
        game = find(name)
        for mode in game.variants.get("mode", ("",)):
            if mode != _ASKS_NOBODY:
                variants = game.resolve_variants({"mode": mode} if mode else {})
                found += [pytest.param(game, seats, variants, id=f"{name}-{seats}{mode}") for seats in game.seats]
    return found


def page(game: Game) -> Path:
    """The file of a game's page."""
    return PAGES / f"{game.name.replace('-', '_')}.py"


def decider(game: Game) -> Callable[[dict[str, Any]], list[int]]:
    """The page's ``decide``, loaded from its file as the bot itself does."""
    decide: Callable[[dict[str, Any]], list[int]] = loaded(game).decide
    return decide


def loaded(game: Game) -> Any:
    """The page as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"greedy_{page(game).stem}", page(game))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(state: State, seat: int, decision: Decision) -> dict[str, Any]:
    """What a ``decide`` message tells, as a bot decodes it."""
    message = {
        "least": decision.least,
        "most": decision.most,
        "count": len(decision.options),
        "options": decision.options,
        "observation": state.observe(seat),
        "events": [],
    }
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(message))
    return decoded


@pytest.mark.parametrize(("game", "seats", "variants"), tables())
def test_greedy_beats_random(game: Game, seats: int, variants: dict[str, str]) -> None:
    """In every seat its answers are legal, and among random seats it wins far more than its share."""
    decide = decider(game)
    won = 0.0
    matches = 6 * seats
    for number in range(matches):
        greedy = number % seats
        state = game.deal(seats, number.to_bytes(32, "little"), variants)
        dice = Chance(b"random seats", number * 10_000)
        while not isinstance(pending := state.pending(), Outcome):
            chosen = {seat: pick(decision, dice) for seat, decision in pending.decisions.items() if seat != greedy}
            if decision := pending.decisions.get(greedy):
                picks = decide(told(state, greedy, decision))
                assert decision.fault_in(picks) is None
                chosen[greedy] = decision.take(picks)
            state.apply(chosen)
        won += (pending.ranks[greedy] == 0) / pending.ranks.count(0)
    assert won / matches >= BETTER / seats


def ran(bot: Path, cwd: Path, game: str) -> subprocess.CompletedProcess[str]:
    """The bot started from a folder, told of a match and asked one question."""
    asked = {
        "type": "decide",
        "id": "1",
        "least": 0,
        "most": 1,
        "count": 1,
        "options": ["ring"],
        "observation": AUCTION,
    }
    talk = f'{{"type": "hello", "game": "{game}"}}\n{msgspec.json.encode(asked).decode()}\n'
    command = [sys.executable, "-S", str(bot)]
    return subprocess.run(command, input=talk, capture_output=True, text=True, cwd=cwd, check=False)


AUCTION = {
    "seat": 0, "seats": 4, "step": "auction", "auctioneer": 1, "deck": 50, "money": [30] * 4,
    "lot": ["eel 3", "eel 3", "eel 3"], "boards": [[[], [], []]] * 4,
}  # fmt: skip


def test_its_pages_are_found_from_anywhere(tmp_path: Path) -> None:
    """Started by its path from another folder, it plays by its page; it says so where a game has none."""
    answer = ran(PAGES / "bot.py", tmp_path, "cash-a-catch")
    assert answer.stdout.splitlines()[1:] == ['{"type": "choose", "id": "1", "picks": [0]}']
    assert answer.stderr == ""
    unknown = ran(PAGES / "bot.py", tmp_path, "go-fish")
    assert unknown.stdout.splitlines()[1:] == ['{"type": "choose", "id": "1", "picks": []}']
    assert unknown.stderr == "greedy: no go_fish.py, so it takes the first options\n"


def test_without_its_pages_it_does_not_play(tmp_path: Path) -> None:
    """Copied without its pages it ends with one line on stderr that says what is missing."""
    (tmp_path / "bot.py").write_bytes((PAGES / "bot.py").read_bytes())
    alone = ran(tmp_path / "bot.py", tmp_path, "cash-a-catch")
    assert (alone.returncode, alone.stdout) == (1, "")
    assert alone.stderr == f"greedy: expected a page for each game beside {tmp_path / 'bot.py'}, got none\n"


@pytest.mark.parametrize("name", names())
def test_a_page_is_short(name: str) -> None:
    """A page is read as a tutorial: 140 lines at most."""
    assert len(page(find(name)).read_text(encoding="ascii").splitlines()) <= LONGEST_PAGE


# Nobody who plays the same whatever happens, and no small change of a page, gets more than an equal share against it


Policy = Callable[[dict[str, Any]], list[int]]
DEALS = 48
LUCK = 2.5
"""Standard errors by which a share may be above an even one; deals and answers are the same each time."""


def first_with(*wanted: str) -> Policy:
    """Takes the options named, in this order, and then the first, as few as may be."""

    def decide(message: dict[str, Any]) -> list[int]:
        options = message["options"]
        picks = [options.index(each) for each in wanted if each in options]
        return [*picks, *[at for at in range(message["count"]) if at not in picks]][: max(message["least"], len(picks))]

    return decide


def as_many_as_may_be(message: dict[str, Any]) -> list[int]:
    """Takes all that it may."""
    return list(range(message["most"]))


def changed(game: str, **numbers: float | tuple[float, ...]) -> Policy:
    """The page with other numbers at its head."""
    module = loaded(find(game))
    for name, number in numbers.items():
        assert hasattr(module, name), f"expected a number {name} in the page of {game}, got none"
        setattr(module, name, number)
    decide: Policy = module.decide
    return decide


CHALLENGERS: dict[str, dict[str, Callable[[], Policy]]] = {
    "cash-a-catch": {
        "never rings": first_with,
        "rings at the first card": lambda: first_with("ring"),
        "does not look at rivals": lambda: changed("cash-a-catch", LEAST=11),
        "rings early": lambda: changed("cash-a-catch", WANTED=9),
        "rings late": lambda: changed("cash-a-catch", WANTED=14),
        "sells early": lambda: changed("cash-a-catch", GOOD_SALE=5),
        "sells late": lambda: changed("cash-a-catch", GOOD_SALE=9),
    },
    "catch-of-the-day": {
        **{f"always {card}": partial(first_with, card) for card in ("choice", "dorado", "rosefish", "tuna")},
        "always last call": lambda: first_with("last call"),
        "expects to be alone": lambda: changed("catch-of-the-day", ANY_TYPE=(0.2,)),
        "expects company": lambda: changed("catch-of-the-day", ANY_TYPE=(0.6,)),
        "expects more last calls": lambda: changed("catch-of-the-day", LAST_CALL=0.3),
        "expects fewer last calls": lambda: changed("catch-of-the-day", LAST_CALL=0.1),
    },
    "dockfight": {
        "always stops": lambda: first_with("stop", "swipe"),
        "always hits": lambda: first_with("hit"),
        "does not cut": lambda: changed("dockfight", SPOILED=-9.0),
    },
    "fish-food": {
        "always passes": lambda: first_with("pass"),
        "hoards": lambda: changed("fish-food", WIN_SIZE=1.0),
        "stops everyone": lambda: changed("fish-food", STOP_OTHER=2.0),
        "stops the leader more": lambda: changed("fish-food", STOP_LEADER=5.0),
    },
    "lure": {
        "one d6": first_with,
        "all that it has": lambda: as_many_as_may_be,
        "one d20": lambda: first_with("d20"),
        "fears nobody": lambda: changed("lure", LEFT=(0.97,)),
        "fears others": lambda: changed("lure", LEFT=(0.86,)),
        "fears others a little": lambda: changed("lure", LEFT=(0.94,)),
        "keeps its lures": lambda: changed("lure", LURE=9.0),
    },
}
"""By game: what was tried against the page."""
BRIEF = {
    ("cash-a-catch", "does not look at rivals", 4),
    ("catch-of-the-day", "always last call", 8),
    ("dockfight", "always stops", 3),
    ("fish-food", "always passes", 4),
    ("lure", "one d6", 4),
}
"""Those that are tried without being asked for proofs."""


@pytest.mark.parametrize(
    ("name", "challenger", "seats"),
    [
        pytest.param(
            name,
            challenger,
            seats,
            id=f"{name}-{seats}-{challenger.replace(' ', '-')}",
            marks=pytest.mark.long if (name, challenger, seats) in BRIEF else pytest.mark.proof,
        )
        for name, challengers in CHALLENGERS.items()
        for challenger in challengers
        for seats in find(name).seats
    ],
)
def test_nothing_simple_beats_greedy(name: str, challenger: str, seats: int) -> None:
    """At no number of seats does a policy that is always the same, or a page with one number changed, win too often."""
    game, policy, decide = find(name), CHALLENGERS[name][challenger](), decider(find(name))
    won: list[float] = []
    for number in range(DEALS):
        mine = number % seats
        state = game.deal(seats, number.to_bytes(32, "big"), game.resolve_variants({}))
        while not isinstance(pending := state.pending(), Outcome):
            chosen = {}
            for seat, decision in pending.decisions.items():
                picks = (policy if seat == mine else decide)(told(state, seat, decision))
                chosen[seat] = decision.silence if decision.forced else decision.take(picks)
            state.apply(chosen)
        won.append((pending.ranks[mine] == 0) / pending.ranks.count(0))
    assert mean(won) - LUCK * stdev(won) / DEALS**0.5 <= 1 / seats
