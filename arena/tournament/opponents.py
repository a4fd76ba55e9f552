"""Whom two versions of a bot play against: the field of ``arena compare``, and how many seats its table has."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from arena.formats.schedule import FEWEST_SEATS
from arena.game import Game
from arena.identity import Identity, bot_of
from arena.players.botfile import BotFile, missing
from arena.players.content import digest
from arena.players.entrants import BotArgument, shipped
from arena.players.local import Conversation
from arena.tournament import roster
from arena.tournament.contest import Contest
from arena.tournament.folder import RunFolder
from arena.tournament.settings import RunSpec
from arena.tournament.spec import only_balanced, results_root, seed_text, settings

STRONG = ("greedy",)
"""The shipped bots that enter by default and do not pick by chance."""


class Versions(Struct, frozen=True, kw_only=True):
    """Both versions of a bot, under different names."""

    new: BotFile
    old: BotFile
    luck: dict[str, float] = field(default_factory=dict)
    """What luck gave the new one more, by match id, as far as it is derived: that takes time."""

    def same(self) -> bool:
        """Whether both would play the same."""
        asked = [(bot.limits, bot.restart, bot.threads) for bot in (self.new, self.old)]
        return asked[0] == asked[1] and digest(self.new) == digest(self.old)


def contest_between(
    pair: Versions,
    spec: RunSpec,
    game: Game,
    bots: Sequence[str | BotFile],
    say: Callable[[str], None],
    local_bots: Mapping[str, Callable[[], Conversation]] | None = None,
) -> Contest:
    """The contest of both versions, which sit in every block, against these bots; one named twice is two copies.

    With fewer than two they play copies of the old version and the best shipped bots as well. At two seats the versions
    play each other alone.
    """
    only_balanced(spec, "a comparison")
    field = _named(pair, game, bots, say)
    count = sum(entry.copies for entry in field)
    # one bot alone is no field: others join it, and the table is as large as is usual
    entrants = len((pair.new, pair.old)) + count if count > 1 else None
    chosen = settings(spec, game, [game], seed=seed_text(spec.seed, spec.secret_file), entrants=entrants)
    most = max(chosen.seats)
    if most == FEWEST_SEATS:
        if bots:
            say("at 2 seats NEW and OLD play each other alone: the field sits out; --seats 3 or more lets it in")
        field = []
    elif count <= 1:
        field += _strong(field, pair, game, say)
        field.append(BotArgument(bot=pair.old, copies=most - FEWEST_SEATS))
    names = [pair.new.name, pair.old.name]
    for entry in field:
        own = [] if entry.bot in (pair.new, pair.old) else [entry.bot.name]
        names += [*own, *copies(entry.bot.name, entry.copies - len(own), [*names, *own])]
    names += copies(pair.old.name, most - len(names), names)
    return Contest(
        RunFolder(results_root(spec.out, [game.name])),
        game=game,
        settings=replace(chosen, together=(pair.new.name, pair.old.name)),
        bots=[pair.new, pair.old, *(entry.bot for entry in field if entry.bot not in (pair.new, pair.old))],
        padded=names,
        local_bots=local_bots,
    )


def copies(name: str, count: int, taken: Iterable[str]) -> list[str]:
    """Free names for this many copies of an entrant; none if it is not above 0."""
    bot, known = bot_of(name), set(taken)
    numbered = (str(Identity(bot, copy=number)) for number in range(2, len(known) + max(count, 0) + 2))
    return [copy for copy in numbered if copy not in known][: max(count, 0)]


def _named(pair: Versions, game: Game, bots: Sequence[str | BotFile], say: Callable[[str], None]) -> list[BotArgument]:
    """The field that is named: other bots, and copies of the two versions."""
    asked = roster.entered(bots)
    unique: list[BotFile] = []
    for entry in asked:
        if entry.bot not in unique:
            unique.append(entry.bot)
    roster.by_name(unique)
    roster.check_plays(unique, game)
    named: dict[str, BotArgument] = {}
    for bot in unique:
        count = sum(entry.copies for entry in asked if entry.bot == bot)
        meant = _version(bot, pair)
        if meant == pair.new and count == 1:
            say(f"left out of the field: {bot.name}, which plays as NEW; {bot.name}*2 enters two copies")
        elif meant is not None:
            before = named[meant.name].copies if meant.name in named else 0
            named[meant.name] = BotArgument(bot=meant, copies=before + count)
        else:
            say(f"left out of the field: {bot.name}, whose name NEW or OLD has; NAME=BOT gives another name")
    return list(named.values())


def _version(bot: BotFile, pair: Versions) -> BotFile | None:
    """What a bot of the field plays as: a version whose name it has and that it equals, or itself; None if neither."""
    if bot.name.lower() not in {pair.new.name.lower(), pair.old.name.lower()}:
        return bot
    return next((version for version in (pair.old, pair.new) if digest(version) == digest(bot)), None)


def _strong(
    named: Sequence[BotArgument], pair: Versions, game: Game, say: Callable[[str], None]
) -> Iterable[BotArgument]:
    """The best shipped bots that this machine can run, but for those that play already."""
    playing = {bot.name.lower() for bot in (pair.new, pair.old, *(entry.bot for entry in named))}
    for bot in shipped():
        if bot.name in STRONG and bot.name not in playing and (not bot.games or game.name in bot.games):
            if lack := missing(bot):
                say(f"left out: {lack}")
            else:
                yield BotArgument(bot=bot)
