"""One bot checked against the numbered sentences of the protocol, in every game it plays. Prints nothing."""

from collections.abc import Callable, Sequence

from arena import games as shelf
from arena.conformance.findings import Findings, TrialTable, tables
from arena.errors import BotError, HostError, UsageError
from arena.players.botfile import BotFile, missing
from arena.players.entrants import entrant
from arena.players.limits import excess, lowered
from arena.players.sandboxed import for_build
from arena.report.conformance import CheckedBot
from arena.tournament.isolation import host_policy
from arena.tournament.lane_messages import Check, Done, Trying
from arena.tournament.lanes import Lanes
from arena.tournament.roster import build, launched
from arena.tournament.settings import RunSpec
from arena.tournament.spec import find_game, limits, seat_counts


def checkable(text: str) -> BotFile:
    """The bot that is to be checked; it raises if there is none, or this machine cannot run it."""
    bot = entrant(text)
    if lack := missing(bot):
        raise UsageError(f"expected a bot this machine can run, got: {lack}")
    return bot


def checked(
    text: str,
    spec: RunSpec,
    *,
    exit_first: bool = False,
    say: Callable[[str], None] = lambda _: None,
    trying: Callable[[str], None] = lambda _: None,
) -> CheckedBot:
    """One of several bots, checked as by ``findings``; why not, if it cannot be tried.

    Raises:
        UsageError: an option is not right, whatever the bot.
        HostError: this machine is too busy to tell.
    """
    bot: BotFile | None = None
    told: Findings | None = None
    wrong: UsageError | BotError | None = None
    try:
        bot = checkable(text)
        if not (spec.games or bot.games):
            for fault in shelf.faults():
                say(f"left out: {fault}")
        told = findings(bot, spec, exit_first=exit_first, say=say, trying=trying)
    except (BotError, UsageError) as error:
        if isinstance(error, UsageError) and error.option:
            raise
        wrong = error
    name, folder = (text, "") if bot is None else (bot.name, bot.folder)
    return CheckedBot(name=name, folder=folder, findings=told, error=wrong)


def findings(
    bot: BotFile,
    spec: RunSpec,
    *,
    exit_first: bool = False,
    say: Callable[[str], None] = lambda _: None,
    trying: Callable[[str], None] = lambda _: None,
) -> Findings:
    """The findings of a check of a bot, in the games, seats, limits and isolation of a run spec.

    It is tried in a lane, so that no process of the bot is left even if this one is killed.

    Args:
        bot: to be checked.
        spec: what is asked for; no games named: all that the bot plays, no seats: every number.
        exit_first: whether to stop at the first failure.
        say: is told the level of isolation.
        trying: is told what is tried, as it comes.

    Raises:
        UsageError, BotError: a value is not right, or the bot cannot be built.
        HostError: this machine is too busy to tell.
    """
    house = limits(spec)
    if more := excess(house, bot.limits):
        raise UsageError(f"bot {bot.name} {more}")
    own = lowered(house, bot.limits)
    tried = _tables(bot, spec.games, None if spec.seats is None else str(spec.seats))
    with Lanes(1) as lanes:
        sandbox = host_policy(spec.isolation, lanes, say, readable=spec.readable, build_network=spec.build_network)
        launch = launched(bot, build(lanes, bot, for_build(bot, sandbox)), sandbox, own)
        for _, message in lanes.messages([Check(bot.name, launch, tried, own, exit_first)]):
            if isinstance(message, Trying):
                trying(message.what)
            elif isinstance(message, Done):
                done = message
    if done.failed:
        raise HostError(done.failed)
    return done.value(Findings)


def _tables(bot: BotFile, names: Sequence[str], seats: str | None) -> tuple[TrialTable, ...]:
    everything = "all" in names or not (names or bot.games)
    chosen = shelf.names() if everything else list(dict.fromkeys(names)) or list(bot.games)
    for name in chosen:
        if bot.games and name not in bot.games:
            raise UsageError(f"expected a game that {bot.name} plays ({', '.join(bot.games)}), got {name!r}")
    chosen_tables: list[TrialTable] = []
    for name in chosen:
        game = find_game(name)
        chosen_tables += tables(game, tuple(game.seats) if seats is None else seat_counts(seats, game, None))
    return tuple(chosen_tables)
