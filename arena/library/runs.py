"""Runs from Python: open or resume a run, play it match by match, read it. Prints nothing."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, get_args

import msgspec

from arena.errors import UsageError
from arena.players.botfile import BotFile
from arena.python_bots import AnyBot, LocalBot, all_known
from arena.record import Record, Step, retell
from arena.report import Leaderboard
from arena.report.losses import Losses
from arena.sandbox.sandbox import Level
from arena.tournament.folder import Manifest, RunFolder, deal
from arena.tournament.planning import contests_of, runs_in
from arena.tournament.reporting import find_match
from arena.tournament.run import Watcher
from arena.tournament.session import Session
from arena.tournament.settings import RunSpec
from arena.tournament.standings import standings, write_standings
from arena.tournament.statistics import statistics
from arena.tournament.verification import Verification, verification

log = logging.getLogger("arena")
"""Is told what the command says on standard error."""


class Run:
    """The results of one game in a folder, to be read; the run may be unfinished."""

    def __init__(self, folder: str | Path) -> None:
        """Read the run in a folder.

        Raises:
            UsageError: there is none.
            DamagedError: it cannot be read.
        """
        self._folder = RunFolder(Path(folder))
        self._folder.manifest()

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._folder.path

    @property
    def manifest(self) -> Manifest:
        """Its manifest, as it is now: game, seats, limits, entrants, epochs."""
        return self._folder.manifest()

    @property
    def finished(self) -> bool:
        """Whether all is played."""
        return self.manifest.finished

    def matches(self) -> Iterator[Record]:
        """Every recorded match, in the order they were finished."""
        return self._folder.records()

    def match(self, which: str | int) -> Record:
        """The match of this number in the journal (``3`` or ``"#3"``), or of this id or beginning of one.

        Raises:
            UsageError: there is none, or there are several.
        """
        return find_match(self._folder, f"#{which}" if isinstance(which, int) else which)

    def replay(self, match: Record | str | int) -> Iterator[Step]:
        """A match replayed, step by step: questions, picks and events.

        Raises:
            DamagedError: its picks do not fit its deal.
        """
        record = match if isinstance(match, Record) else self.match(match)
        _, state = deal(self._folder.secrets_of(self.manifest), record)
        return retell(record, state)

    def leaderboard(self, *, past: bool = False) -> Leaderboard:
        """The ratings of all matches so far; with ``past`` also entrants that take part no longer."""
        return standings(self._folder, with_past=past).leaderboard

    def losses(self, bot: str) -> Losses:
        """Where a bot loses: from which seat, against whom, in which part of a match; worst matches and faults.

        Raises:
            UsageError: no such bot was entered.
            DamagedError: a record is not of the run.
        """
        found = statistics(self._folder, bot=bot).losses
        assert found is not None  # noqa: S101 - a bot was asked for
        return found

    def verify(self) -> Verification:
        """Play every match again from secret and picks, and derive the leaderboard again."""
        return verification(self._folder)

    def export(self) -> Iterator[bytes]:
        """The results of the run: a JSON object for each match, as bytes, in canonical order and without times."""
        return exported(self._folder)


def exported(folder: RunFolder) -> Iterator[bytes]:
    """Every match as a line of JSON, in the order of the schedule and without times: equal runs give equal lines."""
    for record in folder.in_order():
        line = {
            "id": record.id,
            "game": record.game,
            "version": record.version,
            "variants": record.variants,
            "bots": record.bots,
            "ranks": record.ranks,
            "scores": record.scores,
            "reason": record.reason,
            "retired": record.retired,
            "faults": [(fault.seat, fault.kind, fault.decision) for fault in record.faults],
            "seats_asked": record.seats_asked,
            "picks": record.picks,
        }
        yield msgspec.json.encode(line)


class OpenRun(Session):
    """A run to be played. Use it as a context: while it is open it holds lanes and journals.

    At its end no process of a bot is left, however it ends. What is recorded stays: opening it again resumes it.
    """

    def __init__(
        self, spec: RunSpec, bots: AnyBot | Iterable[AnyBot], *, say: Callable[[str], None] = log.info
    ) -> None:
        """Look up games and bots.

        Raises:
            UsageError, BotError: a setting is not right, or a bot is not there.
        """
        field = all_known(bots)
        root, contests = contests_of(spec, [entered(each) for each in field], say)
        for contest in contests:
            contest.local_bots = {each.name: each.conversation for each in field if isinstance(each, LocalBot)}
        super().__init__(spec, contests, root, say)
        self._opened = False

    def __enter__(self) -> Self:
        """Resume the run in the folder, if there is one, and start all bots.

        Raises:
            UsageError, BotError, HostError, DamagedError, LockedError: it cannot be played.
        """
        super().__enter__()
        try:
            self.resume()
            self.start()
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        self._opened = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened = False
        super().__exit__(kind, error, traceback)

    @property
    def path(self) -> Path:
        """The results folder; of several games the folder around theirs."""
        return self.root

    def play(self, watcher: Watcher | None = None) -> Iterator[Record]:
        """Play the missing matches, and give each match once it is recorded.

        Whoever leaves the loop stops the run there; it can be resumed.

        Raises:
            UsageError: the run is not open.
            Interrupted, HostError: a signal came, or this machine fails.
        """
        if not self._opened:
            raise UsageError("expected the run to be open: `with arena.open_run(...) as run`")
        for contest in self.contests:
            yield from self.matches_of(contest, watcher or Watcher())
            write_standings(contest.folder)

    @property
    def runs(self) -> list[Run]:
        """The recorded runs, one for each game."""
        return [Run(contest.folder.path) for contest in self.contests]

    def leaderboard(self, *, past: bool = False) -> Leaderboard:
        """The ratings of the matches so far.

        Raises:
            UsageError: there are several games, each with a leaderboard of its own in ``runs``.
        """
        return self._only.leaderboard(past=past)

    def losses(self, bot: str) -> Losses:
        """Where a bot loses, and its faults with its stderr; as ``Run.losses``.

        Raises:
            UsageError: no such bot was entered, or there are several games: see ``runs``.
        """
        return self._only.losses(bot)

    @property
    def _only(self) -> Run:
        if len(self.contests) != 1:
            raise UsageError(f"expected a run of one game, got {len(self.contests)}: see `runs`")
        return self.runs[0]


def entered(each: str | Path | LocalBot) -> str | BotFile:
    """A bot in the form that the rooms below take."""
    if isinstance(each, LocalBot):
        return each.file
    # a path with a slash is never taken for the name of a shipped bot
    return each if isinstance(each, str) else f"{each}/"


def open_run(
    game: str | Iterable[str] = (),
    bots: AnyBot | Iterable[AnyBot] = (),
    *,
    matches: int | None = None,
    out: str | Path | None = None,
    **settings: Any,
) -> OpenRun:
    """A run to be played, new or resumed.

    Args:
        game: the name of a game, of several, or ``all``.
        bots: who plays, programs and code; one alone needs no list, and meets the shipped bots.
        matches: how many, rounded up to whole blocks; by default 240.
        out: the results folder; by default a new one in ``results``. A run that is there is resumed.
        settings: any other field of ``arena.RunSpec``, such as ``seed``, ``seats``, ``move_time`` or ``isolation``.

    Raises:
        UsageError, BotError: a setting is not right, or a bot is not there.
    """
    return OpenRun(spec_of(game, matches=matches, out=out, **settings), bots)


def spec_of(game: str | Iterable[str], **settings: Any) -> RunSpec:
    """A run spec from fields of ``RunSpec``; paths and seats may have any usual type.

    Raises:
        UsageError: an unknown field, or a value of the wrong type.
    """
    known = set(RunSpec.__struct_fields__) - {"games", "bots"}
    if unknown := sorted(settings.keys() - known):
        raise UsageError(f"expected fields of RunSpec ({', '.join(sorted(known))}), got {unknown[0]!r}")
    plain = {name: _plain(value) for name, value in settings.items() if value is not None}
    try:
        return msgspec.convert(
            {"games": (game,) if isinstance(game, str) else _plain(game), **plain}, RunSpec, dec_hook=_path
        )
    except msgspec.ValidationError as error:
        text, _, field = str(error).partition(" - at `$.")
        # the isolation is the only field that is an enum
        text = text.replace("Invalid enum value", f"expected auto, {', '.join(get_args(Level))}, got")
        raise UsageError(text.replace("Expected", "expected"), option=field.rstrip("`")) from None


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str | Mapping) else value


def _path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise ValueError(f"expected a {kind.__name__}, got {value!r}")


def read_runs(folder: str | Path) -> Mapping[str, Run]:
    """The run in a folder, under the empty name, or the runs in its subfolders, by their names.

    Raises:
        UsageError: there is none.
    """
    return {name: Run(found.path) for name, found in runs_in(Path(folder)).items()}
