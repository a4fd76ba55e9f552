"""Each language's starter, built and brought to trial: what ``arena new bot`` writes plays at once."""

import re
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Literal, get_args

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from arena import games
from arena.conformance import TrialTable
from arena.conformance.findings import Sentence, tables
from arena.game import Decision, Game
from arena.players.botfile import BOT_FILE, BotFile, missing
from arena.players.launch import Launch
from arena.players.sandboxed import HostPolicy
from arena.sandbox import LEVELS, Level
from arena.starters import languages, suggest_bot_name, write_bot
from arena.starters.sheet import sheet
from arena.starters.typed import typed
from arena.starters.types import types_of
from arena.tournament.lanes import Lanes
from arena.tournament.roster import build
from tests.conformance.court import LIMITS, tried
from tests.hostile.house import lacking
from tests.levels import unavailable
from tests.players.conversation import Talk, play
from tests.toolchains import leave_out

ROOT = Path(__file__).parents[2]
LONGEST = 80
"""Lines of a starter, and no more."""
BY_SPEED = (Sentence.EXIT, Sentence.SPARE)
"""What a busy machine may have noted."""
EVERYWHERE = tuple(table for name in games.names() for table in tables(games.find(name), tuple(games.find(name).seats)))
QUICK = tuple(tables(games.find("dockfight"), (2,)))


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lanes]:
    """A lane to build and to try bots in, with a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        with Lanes(1) as crew:
            yield crew


def started(language: str, folder: Path, game: Game | None = None) -> BotFile:
    """A bot in this language, whose toolchain is here: elsewhere the test is skipped, or fails if CI wants them all."""
    bot = write_bot(folder / "starter", language, game)
    if lack := missing(bot):
        leave_out(lack)
    return bot


def holds(lanes: Lanes, launch: Launch, sat: tuple[TrialTable, ...]) -> None:
    """Every sentence holds, that on equal answers among them, but for notes on what is slow."""
    findings = tried(lanes, launch, sat)
    slow = [result for result in findings.results if result.status == "note" and result.number in BY_SPEED]
    assert [result for result in findings.results if result.status != "ok" and result not in slow] == []


def test_the_languages() -> None:
    """There are the ten languages, and Python once more with ``arena.bot``."""
    assert list(languages()) == sorted(
        ["python", "python-typed", "javascript", "typescript", "c", "c++", "rust", "go", "java", "shell", "perl"]
    )


@pytest.mark.long
@pytest.mark.parametrize("language", languages())
def test_plays_at_once(language: str, lanes: Lanes, tmp_path: Path) -> None:
    """A starter plays by the protocol, rolls its dice by the seed of ``hello``, and has less than 80 lines."""
    bot = started(language, tmp_path)
    (source,) = (path for path in Path(bot.folder).iterdir() if path.stem.lower() == "bot" and path.name != BOT_FILE)
    assert len(source.read_text("ascii").splitlines()) < LONGEST
    launch = build(lanes, bot, HostPolicy(), LIMITS)
    holds(lanes, launch, QUICK)
    decision = Decision(tuple("abcd"), least=1, most=3)
    with Talk(launch.argv, {**launch.env, "TMPDIR": str(tmp_path)}, Path(launch.folder)) as talk:
        picks = [play(talk, seed, [decision] * 60) for seed in (0, 1, 2**32, 2**53 - 1, 0)]
        assert talk.goodbye() == 0
    assert picks[0] == picks[-1]
    assert len({tuple(match) for match in picks}) == 4
    for match in picks:
        assert {len(pick) for pick in match} == {1, 2, 3}
        assert {pick[0] for pick in match} == {0, 1, 2, 3}


@pytest.mark.proof
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("language", languages())
def test_plays_everything_in_a_sandbox(
    language: str, level: Level, lanes: Lanes, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Every starter is built and plays every game at every number of seats, with every variant, in any sandbox."""
    if why := unavailable(level):
        pytest.skip(why)
    assert lacking(level) == ""
    bot = started(language, tmp_path)
    record_property("language", language)
    record_property("level", level)
    holds(lanes, build(lanes, bot, HostPolicy(level), LIMITS), EVERYWHERE)


@pytest.mark.parametrize("language", languages())
def test_for_one_game(language: str, tmp_path: Path) -> None:
    """Told a game, a bot's README of ten lines, its comments and its bot file name it; told none, they name no game."""
    for game, named in ((None, "GAME"), (games.find("lure"), "lure")):
        bot = write_bot(tmp_path / named, language, game)
        assert (bot.name, bot.games) == (named, (named,) if game else ())
        files = {path.name: path.read_text("utf-8") for path in (tmp_path / named).iterdir()}
        assert ("lure.md" in files) == (game is not None)
        types = typed(language)
        if types is not None:
            assert (types.types in files) == (game is not None)
            assert types.json == "" or (types.json in files) == (game is not None)
        (source,) = (name for name in files if name.lower().startswith("bot.") and name != BOT_FILE)
        readme = files["README.md"]
        assert len(readme.splitlines()) == 10
        assert f"`{source}`" in readme
        for text in (readme, files[source]):
            assert set(re.findall(r"arena (?:rules|run -g) (\S+?)[`\s]", text)) == {named}


TYPED = [language for language in languages() if typed(language)]


@pytest.mark.long
@pytest.mark.parametrize(("language", "name"), list(zip(cycle(TYPED), games.names(), strict=False)))
def test_typed(language: str, name: str, lanes: Lanes, tmp_path: Path) -> None:
    """With the types of a game a starter is built and plays it: each answer follows from what was read whole."""
    _plays_with_types(language, name, lanes, tmp_path, tuple(tables(games.find(name), (games.find(name).usual_seats,))))


@pytest.mark.proof
@pytest.mark.parametrize("language", TYPED)
def test_typed_for_every_game(language: str, lanes: Lanes, tmp_path: Path) -> None:
    """So it does in every game, at every number of seats, with every variant."""
    for name in games.names():
        game = games.find(name)
        _plays_with_types(language, name, lanes, tmp_path / name, tuple(tables(game, tuple(game.seats))))


def _plays_with_types(language: str, name: str, lanes: Lanes, folder: Path, sat: tuple[TrialTable, ...]) -> None:
    bot = started(language, folder, games.find(name))
    holds(lanes, build(lanes, bot, HostPolicy(), LIMITS), sat)


@pytest.mark.parametrize("name", games.names())
def test_types_name_all(name: str) -> None:
    """In each language the types have every field of the observation, kind of option and event, and word."""
    game = games.find(name)
    types = types_of(game)
    for language in TYPED:
        found = typed(language)
        assert found is not None
        plain = "".join(path.read_text("utf-8") for path in (ROOT / "arena/starters" / language).glob("*.*"))
        assert all(old in plain for old, _ in found.changes)
        text = found.write(types)
        for name_of_field in game.observation.__struct_fields__:
            assert re.search(rf"\b{name_of_field}\b", text)
        for kinds in (game.option, game.event):
            for kind in get_args(kinds):
                if hasattr(kind, "__struct_config__"):
                    assert f'"{kind.__struct_config__.tag}"' in text
                    assert re.search(rf"\b{kind.__name__}\b", text)
        assert types.words
        assert all(f'"{word}"' in text for word in types.words)


class Bare(Struct, tag="bare"):
    """Of a game elsewhere."""

    move: int
    class_: str = field(name="class")


class Vec(Struct):
    """Its names are taken in some languages."""

    self_: Literal["a b", "a-b", "1"] | Bare | None
    fn: dict[str, float]
    event: list[bool]


def test_types_of_other_packages() -> None:
    """Names that a language keeps for itself are written otherwise; a type without a form is refused in words."""
    game = replace(games.find("lure"), observation=Vec, option=Bare, event=Bare | Vec)
    with pytest.raises(TypeError, match="expected a number, a text and tagged structs"):
        types_of(game)
    types = types_of(replace(game, event=Bare))
    texts = {language: found.write(types) for language in TYPED if (found := typed(language))}
    assert 'export type SelfValue = "a b" | "a-b" | "1" | Bare;' in texts["typescript"]
    assert "pub r#move: i64," in texts["rust"]
    assert "pub type Choice = Bare;" in texts["rust"]
    assert "long class_{};" not in texts["c++"]
    assert "std::string class_{};" in texts["c++"]
    assert "final String class_;" in texts["java"]
    assert len(set(re.findall(r"WordA\w+|WordN\w+", texts["go"]))) == 3


@pytest.mark.parametrize("name", games.names())
def test_the_data_sheet(name: str) -> None:
    """The data sheet of a game has every field of the observation, and every kind of option and event."""
    game = games.find(name)
    text = sheet(game)
    rows = [re.findall(r"`(\w+)` \| (.+?) \|", line)[0] for line in text.splitlines() if line.startswith("| `")]
    assert [field for field, _ in rows] == list(game.observation.__struct_fields__)
    assert "None" not in " ".join(words for _, words in rows)
    assert all("\n- " in part for part in text.split("\n## ")[2:])
    for part, kinds in (("options", game.option), ("events", game.event)):
        lines = text.partition(f"## `{part}`\n")[2].partition("\n## ")[0].splitlines()
        told = [re.fullmatch(r'- `"type":"(.+?)"`.*: (\S.*)', line) for line in lines if line.startswith('- `"type"')]
        # each has a sentence of the game's own
        assert all(told)
        tags = [kind.__struct_config__.tag for kind in get_args(kinds) if hasattr(kind, "__struct_config__")]
        assert [found[1] for found in told if found] == tags


@pytest.mark.parametrize(
    ("folder", "name"),
    [("minnow", "minnow"), ("a b=\u00e9", "a-b"), ("..fish", "..fish"), ("\u9c7c", "bot"), ("x" * 70, "x" * 64)],
)
def test_names(folder: str, name: str) -> None:
    """A bot is called like its folder, as far as a bot may be."""
    assert suggest_bot_name(folder) == name
