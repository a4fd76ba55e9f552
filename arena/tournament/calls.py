"""The calls of the public library: open or read runs, check a bot, compare two, play one match. Print nothing."""

import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from arena.conformance.findings import Findings
from arena.errors import BotError, UsageError
from arena.players.botfile import BotFile
from arena.players.local import Conversation
from arena.python_bots import AnyBot, LocalBot, all_known, known
from arena.record import Record
from arena.report.verdict import Comparison, Question
from arena.sandbox.sandbox import Level
from arena.tournament import checking
from arena.tournament.comparison import comparison
from arena.tournament.exhibition import ExhibitionMatch
from arena.tournament.open_run import OpenRun
from arena.tournament.planning import contests_of
from arena.tournament.run import Run, runs_in
from arena.tournament.settings import IsolationChoice, RunSpec
from arena.tournament.spec import find_game

log = logging.getLogger("arena")
"""Is told what the command says on standard error."""


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
    spec, field = spec_of(game, matches=matches, out=out, **settings), all_known(bots)
    root, contests = contests_of(spec, [entered(bot) for bot in field], log.info, local_bots=conversations(field))
    return OpenRun(spec, contests, root, log.info, ready=True)


def read_runs(folder: str | Path) -> Mapping[str, Run]:
    """The run in a folder, under the empty name, or the runs in its subfolders, by their names.

    Raises:
        UsageError: there is none.
    """
    return {name: Run(run.path) for name, run in runs_in(Path(folder)).items()}


def check(bot: str | Path, game: str | Iterable[str] = (), *, exit_first: bool = False, **settings: Any) -> Findings:
    """Hold a bot against the numbered sentences of the protocol.

    Args:
        bot: a shipped bot, a folder with a ``bot.toml``, or ``NAME=COMMAND LINE``.
        game: the name of a game, of several, or ``all``; by default all that the bot plays.
        exit_first: whether to stop at the first failure.
        settings: fields of ``arena.RunSpec``: ``seats``, limits and isolation count.

    Raises:
        UsageError, BotError, HostError: a setting is not right, the bot cannot be built, or this machine fails.
    """
    if not isinstance(bot, str | Path):
        raise BotError("expected a bot that is a program, got code of this process")
    return checking.findings(checking.checkable(str(entered(bot))), spec_of(game, **settings), exit_first=exit_first)


def compare(
    new: AnyBot,
    old: AnyBot,
    game: str,
    bots: AnyBot | Iterable[AnyBot] = (),
    *,
    until: str = "never",
    **settings: Any,
) -> Comparison:
    """Whether a new version of a bot plays better than the old one, by matches of both against a field.

    Args:
        new: the bot as it is now.
        old: the bot as it was.
        game: the name of the game.
        bots: whom they play; by default copies of the old version and the best of the shipped bots.
        until: what is asked, and when to stop: ``decided``, ``equal=M``, ``sprt=A,B`` or ``never``, as for the command.
        settings: any field of ``arena.RunSpec``, such as ``matches``, ``out`` or ``seed``.

    Raises:
        UsageError, BotError, HostError: a setting is not right, a bot cannot start, or this machine fails.
    """
    (new, old), field = all_known([new, old]), all_known(bots)
    return comparison(
        entered(new),
        entered(old),
        find_game(game),
        [entered(bot) for bot in field],
        spec_of(game, **settings),
        question=Question.read(until),
        say=log.info,
        local_bots=conversations((new, old, *field)),
    )


def sit_down(
    game: str,
    me: AnyBot,
    bots: Iterable[str] = (),
    *,
    seat: int | None = None,
    seats: int | None = None,
    variants: Mapping[str, str] | None = None,
    seed: str | None = None,
    isolation: IsolationChoice = "auto",
) -> Record:
    """Play one match against bots that are programs; it is neither recorded nor rated, and no clock runs for you.

    Args:
        game: the name of a game.
        me: a function, a ``Bot`` or a class of them, which may ask a person. What it raises comes out.
        bots: who sits in the other seats, copies of them where they are too few; by default the shipped bots.
        seat: yours, from 0; by default drawn.
        seats: how many there are.
        variants: of the game.
        seed: the same text, seats and bots repeat a deal.
        isolation: what the bots may touch.

    Raises:
        UsageError, BotError, HostError: a setting is not right, a bot cannot start, or this machine fails.
    """
    person = known(me)
    if not isinstance(person, LocalBot):
        raise BotError(f"expected code of this process in the seat, got {me!r}")
    exhibition = ExhibitionMatch(
        find_game(game), list(bots), seat=seat, seats=seats, given=dict(variants or {}), seed=seed, say=log.info
    )
    with exhibition.lanes:
        record = exhibition.play(exhibition.start(isolation), person.conversation())
    return replace(record, bots=tuple([bot or person.name for bot in record.bots]))


def entered(bot: str | Path | LocalBot) -> str | BotFile:
    """A bot in the form that the rooms below take."""
    if isinstance(bot, LocalBot):
        return bot.file
    # a path with a slash is never taken for the name of a shipped bot
    return bot if isinstance(bot, str) else f"{bot}/"


def conversations(bots: Iterable[str | Path | LocalBot]) -> dict[str, Callable[[], Conversation]]:
    """For each bot that is code of this process, the function that makes it."""
    return {bot.name: bot.conversation for bot in bots if isinstance(bot, LocalBot)}


def spec_of(game: str | Iterable[str], **settings: Any) -> RunSpec:
    """A run spec from fields of ``RunSpec``; paths and seats may have any usual type.

    Raises:
        UsageError: an unknown field, or a value of the wrong type.
    """
    fields = set(RunSpec.__struct_fields__) - {"games", "bots"}
    if unknown := sorted(settings.keys() - fields):
        raise UsageError(f"expected fields of RunSpec ({', '.join(sorted(fields))}), got {unknown[0]!r}")
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
