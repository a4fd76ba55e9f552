"""A bot against itself as it was at a commit: whether it got worse since then, and what became of it by commit.

Git is asked as for entries of a league; nothing of the repository is run but the bot.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.errors import BotError, UsageError
from arena.files import decoder, read, write
from arena.game import Game
from arena.leagues.repository import Repository, find_repository
from arena.players import BotFile, digest_bot, read_bot_file, read_entrant
from arena.report import Comparison, PastComparison
from arena.tournament import BrokenRun, RunSpec, Say, compare_bots

SIGN = "@"
"""What stands before a commit in place of an old version."""
HISTORY = "history.jsonl"
_SHORT = 7
"""Characters of a commit."""
_decode = decoder(PastComparison)


def compare_versions(
    new: str, *, old: str, game: Game, bots: Sequence[str], spec: RunSpec, say: Say, **how: Any
) -> Comparison:
    """Whether a bot plays better than an old version, or than it did itself at the commit that ``@COMMIT`` names.

    With a commit, the run lies in a folder of its own in ``spec.out``, beside a history of all of them.

    Args:
        new: the bot.
        old: another bot, or ``@`` and what git takes for a commit.
        game: what they play.
        bots: against whom.
        spec: how.
        say: is told remarks.
        how: as ``compare_bots`` has it.

    Raises:
        UsageError, BotError, HostError: as ``compare_bots``; or the bot is in no repository, or was not there.
        BrokenRun: the history is damaged.
    """
    if not old.startswith(SIGN):
        return compare_bots(new, old, game, bots, spec, say=say, **how)
    bot, root = read_entrant(new), spec.out
    repository = None if bot.bare else find_repository(Path(bot.folder), say)
    versions = repository.list_versions(".") if repository else []
    if repository is None or not versions:
        raise UsageError(f"expected {bot.name} in a folder that git knows, because OLD is {old}, got another")
    with TemporaryDirectory() as desk:
        try:
            since, latest = repository.find_commit(old.removeprefix(SIGN)), versions[0]
            before, committed = [_take(repository, commit, to=Path(desk, commit)) for commit in (since, latest)]
        except BotError as error:
            raise BotError(f"{bot.name} at {old}: {error}") from None
        name = f"{bot.name[: 63 - _SHORT]}-{since[:_SHORT]}"
        content = digest_bot(bot)
        unchanged = digest_bot(committed) == content
        now = latest[:_SHORT] if unchanged else f"changed-{content[:_SHORT]}"
        apart = replace(spec, out=None if root is None else root / f"{now}-since-{since[:_SHORT]}")
        compared = compare_bots(bot, replace(before, name=name, alias=True), game, bots, apart, say=say, **how)
    compared = replace(compared, since=since[:_SHORT])
    if root is None or compared.score is None:
        return compared
    date = f"{repository.times[latest]:%Y-%m-%d}" if unchanged else ""
    return replace(compared, history=_add(root, compared.past(commit=now, date=date)))


def _take(repository: Repository, commit: str, *, to: Path) -> BotFile:
    if not to.exists():
        repository.take(commit, name="", to=to)
    return read_bot_file(to)


def _add(root: Path, latest: PastComparison) -> tuple[PastComparison, ...]:
    """All comparisons in a folder, the latest last; the same two commits have one line."""
    try:
        past = [_decode(line) for line in read(root, HISTORY).splitlines()]
    except FileNotFoundError:
        past = []
    except msgspec.DecodeError as error:
        raise BrokenRun(f"{root / HISTORY}: expected a comparison in each line, got something else ({error})") from None
    others = [
        comparison for comparison in past if (comparison.commit, comparison.since) != (latest.commit, latest.since)
    ]
    write(root, HISTORY, b"".join(msgspec.json.encode(comparison) + b"\n" for comparison in (*others, latest)))
    return (*others, latest)
