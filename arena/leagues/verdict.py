"""The verdict on a pull request: may its author change what it changes, is the bot sound, and does it play better?

The league is read as it is on the target branch; of the pull request the bot's one folder counts, and nothing else.
What a verdict quotes may be anybody's: it is plain text, for whoever posts it to show as such.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil, floor
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import NotReadyError, UsageError
from arena.escape import plain
from arena.game import Game
from arena.leagues.league import League, known_bots
from arena.leagues.owners import FILE as OWNERS
from arena.leagues.owners import entry
from arena.leagues.repository import list_merged
from arena.leagues.roster import Entry
from arena.players import BOT_FILE, BotFile, copy, digest_bot, read_bot_file
from arena.report import CheckedBot, Comparison, Question, as_lines, sentences_of
from arena.tournament import (
    SETTINGS_FILE,
    LeagueSettings,
    Say,
    SettingsMismatch,
    checked,
    compare_bots,
    seconds_within,
)
from arena.words import listed, plural

FOLDER = "comparison"
"""Where the matches of new versions against old ones lie: kept, the same two play on there."""
_BOTS = "bots"
_IN_BOT = re.compile(rf"{_BOTS}/([A-Za-z0-9._-]+)/.+", re.DOTALL)
_LONGEST = 400
_THEIRS = f"; settings are changed by maintainers: take it out of the pull request, which may enter one {_BOTS}/NAME"


class Verdict(Struct, frozen=True):
    """What is told of a pull request, and whether it may be merged."""

    accepted: bool
    lines: Sequence[str]
    """The first one is the verdict."""


class _Refusal(Exception):
    """Why a pull request may not be merged, and what to do; further lines say more."""

    def __init__(self, why: str, more: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.more = more


def judge(text: str, read: Callable[[], League], spec: LeagueSettings, say: Say) -> Verdict:
    """The verdict on a pull request; the folders of the league are as before when it is found.

    Args:
        text: ``ACCOUNT=CHECKOUT``: who asks, and the folder in which git has what would be merged, as its last commit.
        read: reads the league, whose folders are as they are on the target branch.
        spec: its settings, as the command line has them.
        say: prints a remark.

    Raises:
        UsageError, BotError: the text is not of that form, git does not answer, or the league is not right.
        HostError: this machine fails.
    """
    account, equals, checkout = text.partition("=")
    if not (account.strip() and equals and checkout):
        raise UsageError(f"expected ACCOUNT=CHECKOUT such as anna=pull-request, got {text!r}", option="entry")
    accepted = True
    try:
        good, more = _judge(account, Path(checkout), read, spec, say)
        lines = [f"accepted: {'; '.join(good)}", *more]
    except _Refusal as refusal:
        accepted, lines = False, [f"refused: {' '.join(str(refusal).split())[:_LONGEST]}", *refusal.more]
    # where the league lies on this machine is nobody's matter
    return Verdict(accepted=accepted, lines=[line.replace(f"{os.path.realpath('.')}/", "") for line in lines])


def _judge(
    account: str, checkout: Path, read: Callable[[], League], spec: LeagueSettings, say: Say
) -> tuple[list[str], list[str]]:
    league = read()
    bot = _find_bot(league.folder, checkout, list_merged(checkout))
    place, fresh = league.folder / _BOTS / bot, checkout / _BOTS / bot
    whose, allowed = entry(league.owners, bot, account=account, names=known_bots(league))
    if not allowed:
        bound = league.owners is not None and league.owners.of(bot)
        raise _Refusal(whose + f"; a maintainer hands a bot over by its line in {OWNERS}" * bool(bound))
    if not fresh.exists():
        return [f"{bot} leaves the league; its matches stay, and count for the others"], ["", whose]
    with TemporaryDirectory() as desk:
        before = _keep_version(league, place, Path(desk) / "before" / bot)
        with _entered(place, fresh, Path(desk) / "aside"):
            after = read()
            new = _enter(after, place)
            games = [game for game in after.games if not new.games or game.name in new.games]
            rules, lines = _check(new, replace(spec, games=tuple(game.name for game in games)), say)
            good, more = [f"{plural(rules, 'rule passes', 'rules pass')}"], ["", whose, "", *lines]
            if before is not None:
                words, details = _measure(new, before, games, spec, league.folder / FOLDER, say)
                good, more = [*good, *words], [*more, "", *details]
            return good, more


def _find_bot(league: Path, checkout: Path, changed: Sequence[str]) -> str:
    """The bot whose folder is all that is changed."""
    names: list[str] = []
    for path in changed:
        inside = _IN_BOT.fullmatch(path)
        if inside is None:
            name, top = plain(path, 100), Path(path).parent == Path(_BOTS)
            if top and (checkout / path).is_symlink():
                raise _Refusal(f"{name}: expected a folder, got a link; put the bot's own files into it")
            raise _Refusal(f"{name}: expected changes in one folder {_BOTS}/NAME, got another file{_THEIRS}")
        names.append(inside[1])
    names = list(dict.fromkeys(names))
    if not names:
        raise _Refusal(f"expected changes in one folder {_BOTS}/NAME, got none; put your bot into one")
    if len(names) > 1:
        gone = [name for name in names if not (checkout / _BOTS / name).exists()]
        new = [name for name in names if not (league / _BOTS / name).exists()]
        cure = "make a pull request for each"
        if gone and new:
            cure = f"to rename a bot, enter {_BOTS}/{new[0]}, and remove {_BOTS}/{gone[0]} by another pull request"
        got = listed([f"{_BOTS}/{name}" for name in names])
        raise _Refusal(f"expected changes in one folder {_BOTS}/NAME, got {got}; {cure}")
    return names[0]


def _keep_version(league: League, place: Path, to: Path) -> BotFile | None:
    """The version that plays, copied to where no new one takes its place; None if none does."""
    entered = _find_entry(league, place)
    bot = league.entries.bots.get(entered[0]) if entered and league.entries else None
    if bot is None:
        return None
    to.parent.mkdir()
    copy(Path(bot.folder), to=to)
    return read_bot_file(to)


@contextmanager
def _entered(place: Path, fresh: Path, aside: Path) -> Iterator[None]:
    """The folder of the pull request in the place of the league's own, for a while."""
    if os.path.lexists(place):
        shutil.move(place, aside)
    shutil.copytree(fresh, place, symlinks=True)
    try:
        yield
    finally:
        shutil.rmtree(place)
        if os.path.lexists(aside):
            shutil.move(aside, place)


def _find_entry(league: League, place: Path) -> tuple[str, Entry] | None:
    entries = league.entries.by_text if league.entries is not None else {}
    return next((item for item in entries.items() if Path(item[0]).absolute() == place.absolute()), None)


def _enter(league: League, place: Path) -> BotFile:
    """The bot as it would enter."""
    entered = _find_entry(league, place)
    if entered is None or league.entries is None:
        lacks = not (place / BOT_FILE).is_file()
        due = f"a {BOT_FILE}; `arena new bot` begins one" if lacks else f"a folder that {SETTINGS_FILE} names"
        raise _Refusal(f"{_BOTS}/{place.name}: expected {due}")
    text, version = entered
    if version.out or version.why:
        raise _Refusal(version.out or version.why)
    for other in league.excluded:
        if other.holder == version.folder:
            raise _Refusal(f"{other.folder} would be on probation: {other.why}")
    return league.entries.bots[text]


def _check(bot: BotFile, spec: LeagueSettings, say: Say) -> tuple[int, list[str]]:
    """How many rules pass, and all that is told of them."""
    result: CheckedBot = checked(bot.folder, spec, say=say)
    if result.error is not None:
        first, *rest = str(result.error).split("\n")
        raise _Refusal(f"{_BOTS}/{Path(bot.folder).name}: {first}", ["", *rest] if rest else [])
    assert result.findings is not None  # noqa: S101 - there is one or the other
    lines = as_lines(bot.name, result.findings)
    failed = [rule.failure for rule in result.findings.results if rule.failure is not None]
    if not result.holds:
        # what it wrote is for its author, in the log
        say("\n".join(as_lines(bot.name, result.findings, quiet=True, verbose=True)))
        first = f": {failed[0].where}: {failed[0].rule}; {failed[0].hint}" if failed else ""
        # the last line is on an option of the command
        raise _Refusal(f"{plural(len(failed), 'rule fails', 'rules fail')}{first}", ["", *lines[:-1]])
    return len(result.findings.results), lines


def _measure(
    new: BotFile, before: BotFile, games: Sequence[Game], spec: LeagueSettings, root: Path, say: Say
) -> tuple[list[str], list[str]]:
    """Whether it plays better than the version before, in words, and what is told of that; within the time for it."""
    seconds = seconds_within(spec.compare) / len(games)
    words: list[str] = []
    details: list[str] = []
    for game in games:
        if before.games and game.name not in before.games:
            continue
        out = root / f"{digest_bot(new)[:12]}-{digest_bot(before)[:12]}" / game.name
        how = replace(
            spec, games=(), bots=(), matches=None, seed=None, secret_file=None, out=out, within=f"{seconds:.3f}s"
        )
        where = f"{game.name}: " if len(games) > 1 else ""
        try:
            result = _play(new, before, game, how, say)
        except (UsageError, NotReadyError) as error:
            # the old one may not start any more, and a score that all share compares nobody
            words.append(f"{where}not compared with your last version")
            details.append(plain(str(error).split("\n")[0], _LONGEST))
            continue
        words.append(where + _describe(result))
        details += sentences_of(result) if result.matches else [result.why]
    return words, details


def _play(new: BotFile, before: BotFile, game: Game, how: LeagueSettings, say: Say) -> Comparison:
    decided = Question(until=True)
    try:
        return compare_bots(new, before, game, [], how, question=decided, say=say)
    except SettingsMismatch:
        # the league has other settings now
        shutil.rmtree(str(how.out))
        return compare_bots(new, before, game, [], how, question=decided, say=say)


def _describe(result: Comparison) -> str:
    if result.score is None or result.score_low is None or result.score_high is None:
        return "as your last version" if result.verdict == "equal" else "not compared with your last version yet"
    # outward, as in the sentences
    low, high = floor(100 * result.score_low) / 100, ceil(100 * result.score_high) / 100
    score, matches = f"{result.score:+.2f} ({low:+.2f} to {high:+.2f})", plural(result.matches, "match")
    if result.verdict != "undecided":
        return f"{result.verdict} than your last version: {score} after {matches}"
    return f"not decided in {matches} against your last version: {score}"
