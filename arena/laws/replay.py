"""The law that another process plays the same match: the order of a set of words is another one in it."""

import os
import subprocess
import sys
from functools import cache
from hashlib import sha256
from importlib import import_module
from inspect import unwrap
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.chance import Chance
from arena.game import Game, State
from arena.laws.table import GameSetup, LawBroken, encode, hold, play, setups

_TELL = "from arena.laws.replay import tell_stories; tell_stories()"
_IMAGINED = 5
"""In so many steps a seat's world is imagined, too."""


def another_process_plays_the_same(setup: GameSetup) -> None:
    """The same deal and answers give the same match in a process that orders sets of words otherwise."""
    module, name = _reference(setup.game)
    story, elsewhere = _story(setup), _stories(module, name)[setup.name]
    for step, (here, twin) in enumerate(zip(story, elsewhere, strict=False)):
        if here != twin:
            words = f"expected the same match in every process, got another from step {step} on"
            raise LawBroken(f"{words}: the order of a set of words differs (PYTHONHASHSEED); sort it")
    hold(len(elsewhere) == len(story), "a match as long in every process", len(elsewhere))


def _reference(game: Game) -> tuple[str, str]:
    """The module that has the game, and its name there."""
    plain = replace(game, imagine=unwrap(game.imagine))
    for module, loaded in [*sys.modules.items()]:
        for name, value in [*vars(loaded).items()] if module != "__main__" else []:
            if isinstance(value, Game) and value == plain:
                return module, name
    raise LawBroken(f"expected the game {game.name} as a name of a module, for another process to import, got none")


@cache
def _stories(module: str, name: str) -> dict[str, list[str]]:
    """By setup the match that another process plays."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _TELL, module, name]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    if done.returncode:
        *_, last = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"]
        raise LawBroken(f"expected another process to play {module}.{name}, got {last}")
    return msgspec.json.decode(done.stdout, type=dict[str, list[str]])


def tell_stories() -> None:
    """Print the matches of the game that the command line names, as another process plays them."""
    game: Game = getattr(import_module(sys.argv[1]), sys.argv[2])
    sys.stdout.buffer.write(encode({setup.name: _story(setup) for setup in setups(game, None)}))  # type: ignore[arg-type]


def _story(setup: GameSetup) -> list[str]:
    """A digest of each step of a match: what is asked, the state, and a world that is imagined there."""
    state = setup.deal(0)
    return [
        sha256(encode((pending, state, _world(setup, state, step)))).hexdigest()[:12]
        for step, pending in enumerate(play(state, Chance(b"hashes")))
    ]


def _world(setup: GameSetup, state: State, step: int) -> Any:
    if step >= _IMAGINED:
        return None
    return setup.game.imagine(state.observe(step % setup.seats), Chance(b"world", 1000 * step))
