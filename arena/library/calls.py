"""Single calls of the public library: check a bot, compare two bots, play one match. Print nothing."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena.conformance.findings import Findings
from arena.errors import BotError
from arena.library.runs import entered, log, spec_of
from arena.python_bots import AnyBot, LocalBot, all_known, known
from arena.record import Record
from arena.report.question import Question
from arena.report.verdict import Comparison
from arena.tournament import checking
from arena.tournament.comparison import comparison
from arena.tournament.exhibition import ExhibitionMatch
from arena.tournament.settings import IsolationChoice
from arena.tournament.spec import find_game


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
        [entered(each) for each in field],
        spec_of(game, **settings),
        question=Question.read(until),
        say=log.info,
        local_bots={each.name: each.conversation for each in (new, old, *field) if isinstance(each, LocalBot)},
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
