"""One run among hostile bots as the tests of lanes play it, and settings with defaults for what is of no matter."""

import os
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest
from msgspec import Struct

from arena.game import Game
from arena.players.launch import Launch
from arena.players.lifetime import LINUX, adopt_orphans
from arena.players.process_tree import children
from arena.record import Record, match_key
from arena.retelling import verify
from arena.tournament.executors import Remote
from arena.tournament.folder import BALANCED, Entrant, Manifest, RunFolder
from arena.tournament.journal import Journal
from arena.tournament.lane_messages import PlayUnit
from arena.tournament.lanes import Lanes
from arena.tournament.loop import Loop, Watcher
from arena.tournament.plan import Settings
from arena.tournament.remaining import Remaining
from arena.tournament.secrets import Secret
from arena.tournament.setting_up import set_up_run
from arena.wire import DEFAULT_LIMITS, Limits
from tests.hostile.house import BOT, open_descriptors, survivors
from tests.shelf import toy

ROOT = Path(__file__).parents[2]
MARK = "LANES_MARK"
SEED = "a seed nobody must see"
IN_TIME = 20_000
"""Milliseconds that no honest answer takes, however busy the machine is."""


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the games of the tests on the shelf of every lane and worker, and leave nothing behind."""
    if not LINUX:
        pytest.skip("expected Linux: elsewhere only a bot's own process group is ended")
    adopt_orphans()
    package = tmp_path / "shelf" / "toys-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1\n", "ascii")
    games = "[arena.games]\ntoy = tests.shelf.toy:GAME\n"
    games += "flawed = tests.tournament.flawed:GAME\nspeechless = tests.tournament.flawed:SPEECHLESS\n"
    (package / "entry_points.txt").write_text(games, "ascii")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(package.parent), str(ROOT))))
    # the mark goes to the lanes, from which no bot inherits, and to the bots by their own environment
    monkeypatch.setenv(MARK, str(tmp_path))
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    descriptors, bystanders = open_descriptors(), set(children())
    yield
    assert set(children()) == bystanders
    assert [pid for pid in survivors(str(tmp_path)) if pid != os.getpid()] == []
    assert open_descriptors() == descriptors
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == handlers


def settings_for(
    game: Game,
    matches: int = 240,
    *,
    seed: str | None = None,
    seats: tuple[int, ...] = (2,),
    limits: Limits = DEFAULT_LIMITS,
    variants: dict[str, str] | None = None,
) -> Settings:
    """A balanced run of this game outside of any sandbox."""
    return Settings(
        game=game.name,
        variants=game.resolve_variants(variants or {}),
        seats=seats,
        limits=limits,
        isolation="none",
        debug="",
        schedule=BALANCED,
        shard="",
        matches=matches,
        seed=seed,
        hidden=False,
        beacon=None,
        awaits="",
    )


def bot(desk: Path, words: str = "", *, fresh: bool = False, mark: str = "") -> Launch:
    """A bot of ``tests/hostile/bot.py`` with these words on its command line."""
    argv = (sys.executable, "-S", "-E", str(BOT), *shlex.split(words))
    home = desk / "home"
    home.mkdir(exist_ok=True)
    return Launch(argv=argv, env={"PATH": os.defpath, MARK: f"{desk}{mark}"}, folder=str(home), fresh=fresh)


class Run(Struct, Watcher):
    """One run of a tournament, from its settings to its journal; it watches itself."""

    desk: Path
    bots: dict[str, Launch]
    matches: int = 16
    game: Game = toy.GAME
    variants: dict[str, str] = {}
    move: int = IN_TIME
    lanes: int = 1
    each: Callable[[Record], None] = lambda _: None
    ticked: Callable[[], None] = lambda: None
    records: list[Record] = []
    voids: int = 0
    crew: Lanes | None = None

    @property
    def folder(self) -> RunFolder:
        """Where it is recorded."""
        return RunFolder(self.desk / "run")

    def manifest(self) -> Manifest:
        """The manifest, new or as it is; two seats a match."""
        self.folder.path.mkdir(parents=True, exist_ok=True)
        limits = Limits(IN_TIME, self.move)
        settings = settings_for(self.game, self.matches, seed=SEED, limits=limits, variants=self.variants)
        return set_up_run(self.folder, settings, self.game, [Entrant(name, "", ()) for name in self.bots])

    def units(self) -> list[PlayUnit]:
        """Its units."""
        manifest = self.manifest()
        return list(Remaining(manifest, self.folder.secrets_of(manifest), self.bots, ()))

    def session(self, executor: Executor | None = None) -> Loop:
        """Play what is lacking, by an executor or in lanes here."""
        manifest = self.manifest()
        with Lanes(self.lanes) as lanes, Journal.open(self.folder.journal) as journal:
            runner = Loop(self.folder, manifest, journal, self.bots)
            if executor is None:
                runner.play(lanes, self)
            else:
                with Remote(executor, lanes, None) as away:
                    runner.play(lanes, self, away)
        assert not lanes._scratch.exists()
        return runner

    def play(self, executor: Executor | None = None) -> list[Record]:
        """Play all matches; the records in canonical order."""
        self.voids = self.session(executor).voids
        manifest = self.folder.manifest()
        assert [record.id for record in self.folder.records()] == [record.id for record in self.records]
        assert len({record.id for record in self.records}) == len(self.records) == manifest.matches
        for record in self.records:
            epoch, block, _ = match_key(record.id)
            deal = self.game.deal(2, Secret.of(SEED).deal(epoch=epoch, block=block, rotation=0), manifest.variants)
            assert verify(record, deal) is None
        return list(self.folder.in_order())

    def begin(self, _manifest: Manifest, lanes: Lanes) -> None:
        """As ``Watcher``."""
        self.crew = lanes

    def played(self, record: Record) -> None:
        """As ``Watcher``."""
        self.records.append(record)
        self.each(record)

    def tick(self) -> None:
        """As ``Watcher``."""
        self.ticked()

    @property
    def faults(self) -> Counter[str]:
        """How often there was which kind of fault."""
        return Counter(fault.kind for record in self.records for fault in record.faults)
