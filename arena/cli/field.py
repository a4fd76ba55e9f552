"""Who plays: from what was typed for BOT to bots that have been built, started and greeted once."""

import shlex
from collections.abc import Container, Mapping, Sequence

from msgspec import Struct

from arena.cli.failure import Unready, Usage
from arena.cli.options import remark
from arena.game import Game
from arena.players.botfile import FILE, BotError, BotFile, argv, environment, missing
from arena.players.build import prepare
from arena.players.content import digest
from arena.players.entrants import entrant, shipped, typed
from arena.players.launch import Launch
from arena.players.limits import clockless, excess, lowered
from arena.players.walls import House, around, for_build, out_of_sight
from arena.report.plain import plain
from arena.tournament.folder import Entrant
from arena.tournament.lanes import Lanes
from arena.tournament.plan import Settings
from arena.tournament.run import NotReady, preflight
from arena.tournament.supervised import supervised
from arena.wire import Limits

_WALLS = (
    "\n  isolation: {}: it reads the system's programs, its own folder and its toolchain; --readable PATH shows it more"
)
_LINES = 20
"""Lines of stderr that are shown."""


class Cannot(Struct, frozen=True):
    """Why a bot cannot start, in one line, and what its author should see below that."""

    why: str
    below: str = ""
    greedy: bool = False
    """It was not even tried, for it asks for more than the house allows."""


def enter(texts: Sequence[str], game: Game, *, quiet: bool) -> list[BotFile]:
    """The bots that the command line asks for: none named, the shipped ones; one named, it and them.

    Raises:
        Usage: two of one name, whatever its case, or one that does not play the game.
        BotError: no such bot, or its file is not right.
    """
    asked = [entrant(text) for text in texts]
    taken = by_name(asked)
    for bot in asked:
        if bot.games and game.name not in bot.games:
            raise Usage(f"expected bots that play {game.name}, got {bot.name!r}, which plays {', '.join(bot.games)}")
    if len(asked) > 1:
        return asked
    for bot in shipped():
        if bot.name.lower() in taken or (bot.games and game.name not in bot.games):
            continue
        if lack := missing(bot):
            remark(f"arena: left out: {lack}", quiet=quiet)
        else:
            asked.append(bot)
    return asked


def by_name(bots: Sequence[BotFile]) -> dict[str, BotFile]:
    """The bots by their names in small letters: files are named for bots, and not every file system tells `a` from `A`.

    Raises:
        Usage: two have one name.
    """
    found: dict[str, BotFile] = {}
    for bot in bots:
        there = found.setdefault(bot.name.lower(), bot)
        if there is not bot:
            got = f"{bot.name!r} twice" if there.name == bot.name else f"{there.name!r} and {bot.name!r}"
            bare = any(each.bare or each in shipped() for each in (there, bot))
            other = "NAME=COMMAND LINE gives another name" if bare else f"`name` in {FILE} gives another"
            raise Usage(f"expected bots of different names, got {got}; {other}")
    return found


def entrants(
    field: Sequence[BotFile], padded: Sequence[str], house: Limits, cannot: Mapping[str, Cannot], debug: str = ""
) -> list[Entrant]:
    """The entrants of these names, each a bot of the field or a copy of one; those that cannot start are withdrawn.

    The clock of the bot ``debug`` is off.
    """
    known = {bot.name: bot for bot in field}
    found = []
    for name in padded:
        bot = known[original(name, known)]
        why = cannot[bot.name].why if bot.name in cannot else ""
        own = _own(house, bot, debug)
        limits = own if own != house else None
        told = (bot.command, bot.version, bot.owner, bot.language, why, limits, typed(bot))
        found.append(Entrant(name, digest(bot), *told))
    return found


def original(name: str, known: Container[str]) -> str:
    """The bot that an entrant is, or is a copy of."""
    return name if name in known else name.partition("#")[0]


def start(
    crew: Lanes, settings: Settings, game: Game, field: Sequence[BotFile], house: House
) -> tuple[dict[str, Launch], dict[str, Cannot]]:
    """Build each bot where it needs that, start it once and greet it: how they are started, and which cannot be.

    Both happens within the walls of the ``house``. Who cannot be started has a launch too, which will fail in a match
    as it did here, but for those that ask for too much.

    Raises:
        OSError, arena.tournament.lanes.LanesFailed: the trouble is the house's.
    """
    launches: dict[str, Launch] = {}
    cannot: dict[str, Cannot] = {}
    for bot in field:
        if more := excess(settings.limits, bot.limits):
            cannot[bot.name] = Cannot(more, greedy=True)
            continue
        try:
            if lack := missing(bot) or out_of_sight(bot, house):
                cannot[bot.name] = Cannot(lack, f"\n  command: {_line(bot.command)}")
                folder = bot.folder
            else:
                folder = prepare(bot, run=supervised(crew, for_build(bot, house, field)))
        except BotError as error:
            why, newline, below = str(error).removeprefix(f"{bot.name}: ").partition("\n")
            cannot[bot.name] = Cannot(why, newline + below)
            folder = bot.folder
        own = _own(settings.limits, bot, settings.debug)
        launches[bot.name] = launched(bot, folder, house, own, field)
    # a debugged bot may wait for its author before it is ready
    tried = {name: each for name, each in launches.items() if name not in cannot and name != settings.debug}
    for failed in preflight(crew, settings, game, tried):
        cannot[failed.bot] = _cannot(failed, house)
    return launches, {bot.name: cannot[bot.name] for bot in field if bot.name in cannot}


def _own(house: Limits, bot: BotFile, debug: str) -> Limits:
    own = lowered(house, bot.limits)
    return clockless(own) if bot.name == debug else own


def launched(bot: BotFile, folder: str, house: House, own: Limits, field: Sequence[BotFile] = ()) -> Launch:
    """How a bot is started in its prepared folder, within its own limits, seeing nothing of the others of the field."""
    box = around(bot, folder, house, own, field)
    return Launch(
        argv=argv(bot, folder),
        env=environment(bot, ""),
        folder=folder,
        fresh=bot.restart == "match",
        limits=own,
        box=box,
        bare=bot.bare,
    )


def refuse(cannot: Mapping[str, Cannot]) -> None:
    """Give up over bots that cannot start.

    Raises:
        Unready: if there is one.
    """
    if cannot:
        texts = {name: told(name, why) for name, why in cannot.items()}
        raise Unready("\narena: ".join(texts.values()), texts)


def told(name: str, cannot: Cannot) -> str:
    """A bot that cannot start, with its command and what it wrote to stderr."""
    return f"bot {name} {'' if cannot.greedy else 'cannot start: '}{cannot.why}{cannot.below}"


def _cannot(bot: NotReady, house: House) -> Cannot:
    errors = [plain(line, 200) for line in bot.errors.decode("utf-8", "backslashreplace").split("\n") if line.strip()]
    hint = f" ({plain(bot.hint, 200)})" if bot.hint else ""
    shown = "".join(f"\n    | {line}" for line in errors[-_LINES:])
    walls = "" if house.level == "none" else _WALLS.format(house.level)
    return Cannot(f"{plain(bot.why, 400)}{hint}", f"\n  command: {_line(bot.command)}{shown}{walls}")


def _line(command: Sequence[str]) -> str:
    return plain(shlex.join(command), 400)
