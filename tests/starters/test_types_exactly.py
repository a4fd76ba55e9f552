"""The types of a game are exactly what is sent: tried by compilers, on all that random matches of every game bring."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from shutil import which

import msgspec
import pytest

from arena import games
from arena.chance import Chance
from arena.game import Game, Pending, State
from arena.laws.table import answers, filter_events
from arena.players.botfile import missing
from arena.starters import write_bot
from arena.starters.typed.text import constants
from arena.starters.types import types_of
from tests.toolchains import leave_out

MATCHES = 6
STEPS = 400
EVERY = 37
"""The observation of one question in so many is tried; of options and events, all."""


class Sent:
    """What seats of some matches of a game were sent, as JSON; things that differ in numbers alone once."""

    def __init__(self, game: Game) -> None:
        self.observations: dict[str, str] = {}
        self.options: dict[str, str] = {}
        self.events: dict[str, str] = {}
        settings = [game.resolve_variants({}), *(variants for _, _, variants in game.unusual())]
        for number in range(max(MATCHES, len(settings))):
            seats = [*game.seats][number % len(game.seats)]
            variants = settings[number % len(settings)]
            seed = bytes([number]) * 32
            self._play(game.deal(seats, seed, variants), seats, Chance(seed))

    def _play(self, state: State, seats: int, dice: Chance) -> None:
        for step in range(STEPS):
            pending = state.pending()
            if not isinstance(pending, Pending):
                break
            for seat, decision in pending.decisions.items():
                if step % EVERY == 0:
                    self._add(self.observations, [state.observe(seat)])
                self._add(self.options, decision.options)
            events = state.apply(answers(pending, dice))
            for seat in range(seats):
                self._add(self.events, filter_events(events, seat))
        self._add(self.observations, [state.observe(seat) for seat in range(seats)])

    def _add(self, texts: dict[str, str], values: Iterable[object]) -> None:
        for value in values:
            texts.setdefault(shape(msgspec.to_builtins(value)), msgspec.json.encode(value).decode())


def shape(value: object) -> str:
    """A value without its numbers and repetitions."""
    match value:
        case bool() | str() | None:
            return repr(value)
        case dict():
            return repr({name: shape(part) for name, part in value.items()})
        case list() | tuple():
            return repr(sorted({shape(part) for part in value}))
    return "0"


def begun(language: str, name: str, folder: Path) -> Path:
    """A bot with the types of a game in a language whose toolchain is here."""
    if lack := missing(write_bot(folder, language, games.find(name))):
        leave_out(lack)
    return folder


def found(program: str) -> str:
    """The path of a program."""
    path = which(program)
    assert path is not None
    return path


@pytest.mark.long
def test_typescript(tmp_path: Path) -> None:
    """All that is sent has its type, with every field of it and no other, by the judgement of tsc."""
    for name in games.names():
        folder = begun("typescript", name, tmp_path / name)
        sent = Sent(games.find(name))
        kinds = (("Observation", sent.observations), ("Choice", sent.options), ("Event", sent.events))
        lines = ['import type { Choice, Event, Observation } from "./game";']
        for kind, texts in kinds:
            lines += [f"const all{kind}: {kind}[] = [", *(f"{text}," for text in texts.values()), "];"]
        (folder / "bot.ts").write_text("\n".join(lines))
    # all games at once: most of its time tsc reads the types of the language
    settings = json.loads((folder / "tsconfig.json").read_text())
    settings["files"] = [f"{name}/bot.ts" for name in games.names()]
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    tried = subprocess.run(
        [found("tsc"), "--noEmit", "-p", "."], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert tried.stdout[:2000] == ""


GO = """package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func again(line []byte, into any) string {
	if err := json.Unmarshal(line[1:], into); err != nil {
		panic(err)
	}
	text, err := json.Marshal(into)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func main() {
	in := bufio.NewReader(os.Stdin)
	for line, err := in.ReadBytes('\\n'); err == nil; line, err = in.ReadBytes('\\n') {
		switch line[0] {
		case 'o':
			fmt.Println(again(line, new(Observation)))
		case 'c':
			fmt.Println(again(line, new(Choice)))
		case 'e':
			fmt.Println(again(line, new(Event)))
		}
	}
}
"""


@pytest.mark.long
def test_go(tmp_path: Path) -> None:
    """All that is sent is the same after it was read and written again; gofmt would change nothing."""
    for name in games.names():
        folder = begun("go", name, tmp_path / name)
        shaped = subprocess.run([found("gofmt"), "-l", "."], cwd=folder, capture_output=True, text=True, check=True)
        assert (name, shaped.stdout) == (name, "")
        (folder / "bot.go").write_text(GO)
        sent = Sent(games.find(name))
        kinds = (("o", sent.observations), ("c", sent.options), ("e", sent.events))
        lines = [f"{mark}{text}" for mark, texts in kinds for text in texts.values()]
        given = "".join(f"{line}\n" for line in lines)
        ran = subprocess.run(
            [found("go"), "run", "."], cwd=folder, input=given, capture_output=True, text=True, check=False
        )
        assert (name, ran.stderr[:2000]) == (name, "")
        again = [msgspec.json.decode(line) for line in ran.stdout.splitlines()]
        assert again == [msgspec.json.decode(line[1:]) for line in lines]


STRICTEST = {
    "c++": ["c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "bot.cpp"],
    "java": ["javac", "-Xlint:all", "-Werror", "Bot.java"],
    "rust": ["rustc", "--edition", "2021", "-D", "warnings", "-D", "rust-2018-idioms", "bot.rs"],
}


@pytest.mark.long
@pytest.mark.parametrize(("language", "name"), list(zip(STRICTEST, ("lure", "fish-food", "dockfight"), strict=True)))
def test_no_warning(language: str, name: str, tmp_path: Path) -> None:
    """A compiler that makes an error of every warning has none."""
    folder = begun(language, name, tmp_path / "bot")
    program, *words = STRICTEST[language]
    tried = subprocess.run([found(program), *words], cwd=folder, capture_output=True, text=True, check=False)
    assert tried.stderr[:2000] == ""
    assert tried.returncode == 0


@pytest.mark.parametrize("game", games.names())
@pytest.mark.parametrize("spell", ["UPPER", "lower", "Title"])
def test_names_of_words_tell_them_apart(game: str, spell: str) -> None:
    """No two words of a game have one name, and none is told from another by a mark alone."""
    named = [name for name, _ in constants(types_of(games.find(game)), spell)]
    assert len({name.replace("_", "").lower() for name in named}) == len(named)


def test_a_step_is_told_from_a_card() -> None:
    """The card `Take the Bait` and the step `take the bait` have names that say which is which."""
    words = dict(constants(types_of(games.find("fish-food")), "Title"))
    assert (words["TakeTheBait"], words["TakeTheBaitInSmallLetters"]) == ("Take the Bait", "take the bait")
