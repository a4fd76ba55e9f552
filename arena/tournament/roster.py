"""The roster: from the texts typed for BOT to bots that have been built, started and greeted once.

Prints nothing and knows no option of a command.
"""

import shlex
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic

from msgspec import Raw, Struct
from msgspec.structs import replace

from arena import games
from arena.errors import BOT_SEPARATOR, BotError, HostError, NotReadyError, UsageError, nearest
from arena.escape import plain
from arena.fault import Fault
from arena.game import Game
from arena.identity import Identity, bot_of
from arena.limits import clockless, excess, lowered
from arena.players.botfile import BOT_FILE, BotFile, argv, environment, missing
from arena.players.builds import desk, find_start_folder, usable_cache
from arena.players.content import digest_bot
from arena.players.cures import cause_in, conceal, explain
from arena.players.entrants import BotArgument, entry, read_shipped_bots, typed
from arena.players.launch import Launch
from arena.players.sandboxed import (
    HostPolicy,
    Places,
    around,
    for_build,
    found_by_steps,
    out_of_sight,
    places_of,
    readable_in,
)
from arena.sandbox import Level
from arena.sandbox.copies import keep
from arena.sandbox.sandbox import Sandbox
from arena.tournament.folder import Entrant, Rules
from arena.tournament.lane_messages import Build, Done, Greeting, NotBuilt, Preflight, encode
from arena.tournament.lanes import Lanes
from arena.tournament.spec import find_game
from arena.wire import DEFAULT_LIMITS, PROTOCOL, Hello, Limits
from arena.words import plural

NO_CACHE = (
    "bots are built for this run alone: expected a cache that this user may write, got none; set XDG_CACHE_HOME to one"
)
_LINES = 20
"""Lines of stderr that are shown."""
_SAYS_EVERY = 5.0
"""Seconds between two words on how far it is."""
_WAITED_FOR = 3
"""Bots that are named at most while they are built or greeted."""


class StartFailure(Struct, frozen=True, kw_only=True):
    """A bot that cannot start."""

    bot: str
    fault: Fault
    below: str = ""
    """More for its author, below that: command and stderr."""
    public: str = "it lacks a program or a file that it needs, or may not start it"
    """Why, in one line that quotes neither the bot nor this machine."""
    greedy: bool = False
    """Whether it was not tried at all, since it asks for more than the host allows."""
    late: bool = False
    """Whether nobody knows: the time for all bots was over."""

    @property
    def why(self) -> str:
        """What was expected and what was got, and how to correct it, in one line."""
        return f"{self.fault.rule}; {self.fault.hint}" if self.fault.hint else self.fault.rule

    def __str__(self) -> str:
        return f"bot {self.bot} {'' if self.greedy else 'cannot start: '}{self.why}{self.below}"


def parse_bots(texts: Sequence[str | BotFile]) -> list[BotArgument]:
    """What these texts and bots stand for; one ``BotError`` tells of all that are not right."""
    entries: list[BotArgument] = []
    wrong: list[BotError] = []
    for text in texts:
        try:
            entries.append(BotArgument(bot=text) if isinstance(text, BotFile) else entry(text))
        except BotError as error:
            wrong.append(error)
    if wrong:
        raise BotError(*map(str, wrong)) from wrong[0].__cause__
    return entries


def names_of(entries: Iterable[BotArgument]) -> list[str]:
    """The names of these bots, and of the copies that are entered: ``greedy``, ``greedy#2``."""
    return [str(Identity(entry.bot.name, copy=copy)) for entry in entries for copy in range(1, entry.copies + 1)]


def enter(texts: Sequence[str | BotFile], game: Game, say: Callable[[str], None]) -> list[BotArgument]:
    """The bots that are asked for. By default the shipped ones; one single bot meets them.

    Of the shipped ones those play that enter by default.

    Raises:
        UsageError: two bots have the same name but for its case, or a bot does not play the game.
        BotError: no such bot, or its file is not right.
    """
    entries = parse_bots(texts)
    names = bots_by_name([entry.bot for entry in entries])
    check_plays([entry.bot for entry in entries], game)
    if sum(entry.copies for entry in entries) > 1:
        return entries
    for bot in read_shipped_bots():
        if not bot.default or bot.name.lower() in names or (bot.games and game.name not in bot.games):
            continue
        if lack := missing(bot):
            say(f"left out: {lack}")
        else:
            entries.append(BotArgument(bot=bot))
    return entries


def check_plays(bots: Iterable[BotFile], game: Game) -> None:
    """Check that these bots play the game; else raise ``UsageError``."""
    for bot in bots:
        if bot.games and game.name not in bot.games:
            for name in bot.games:
                if name not in games.names() and nearest(name, games.names()):
                    find_game(name, said_in=f"{bot.folder}/{BOT_FILE}: games: ")
            raise UsageError(
                f"expected bots that play {game.name}, got {bot.name!r}, which plays {', '.join(bot.games)}"
            )


def bots_by_name(bots: Sequence[BotFile]) -> dict[str, BotFile]:
    """The bots by their names in small letters; a ``UsageError`` if two have one name.

    Files are named for bots, and not every file system tells `a` from `A`.
    """
    holders: dict[str, BotFile] = {}
    for bot in bots:
        holder = holders.setdefault(bot.name.lower(), bot)
        if holder is not bot:
            got = f"{bot.name!r} twice" if holder.name == bot.name else f"{holder.name!r} and {bot.name!r}"
            same = holder.name == bot.name and holder.folder == bot.folder and holder.command == bot.command
            other = f"{bot.name}*2 enters two copies" if same else "NAME=BOT gives another name"
            raise UsageError(f"expected bots of different names, got {got}; {other}")
    return holders


def entrants(
    bots: Sequence[BotFile], padded: Sequence[str], most: Limits, failures: Mapping[str, str], debug: str = ""
) -> list[Entrant]:
    """The entrants of these names, each a bot or a copy of one; those in ``failures`` are withdrawn, with the reason.

    The clock of the bot ``debug`` is off.
    """
    originals = {bot.name: bot for bot in bots}
    entering = []
    for name in padded:
        bot = originals[original(name, originals)]
        limits = _lower_limits(most, bot, debug)
        entering.append(
            Entrant(
                name=name,
                digest=digest_bot(bot),
                command=bot.command,
                version=bot.version,
                owner=bot.owner,
                language=bot.language,
                withdrawn=failures.get(bot.name, ""),
                limits=limits if limits != most else None,
                entered=typed(bot),
            )
        )
    return entering


def original(name: str, names: Container[str]) -> str:
    """The bot that an entrant is, or is a copy of."""
    return name if name in names else bot_of(name)


def start(
    lanes: Lanes,
    rules: Rules,
    game: Game,
    bots: Sequence[BotFile],
    policy: HostPolicy,
    say: Callable[[str], None] = lambda _: None,
    *,
    seconds: float = inf,
    of_build: float | None = None,
) -> tuple[dict[str, Launch], dict[str, StartFailure]]:
    """Build each bot where it needs that, start it once and greet it: how they are started, and which cannot be.

    As many are built or greeted at once as there are lanes. Where that takes long, ``say`` is told how far it is. After
    so many ``seconds``, half of them for builds, those that are left are late; a step of a build has ``of_build``.

    Both happens in the sandbox of the ``policy``. Who cannot be started has a launch too, which will fail in a match
    as it did here, but for those that ask for too much.

    Raises:
        OSError, HostError: this machine fails.
    """
    failures: dict[str, StartFailure] = {}
    for bot in bots:
        if bot.local:
            continue
        if more := excess(rules.limits, bot.limits):
            failures[bot.name] = StartFailure(bot=bot.name, fault=_unready(more), public=more, greedy=True)
        elif lack := missing(bot) or out_of_sight(bot, policy):
            below = f"\n  command: {_line(bot.command)}"
            failures[bot.name] = StartFailure(bot=bot.name, fault=_unready(lack), below=below)
    field = places_of(bots)
    candidates = [bot for bot in bots if not bot.local and bot.name not in failures]
    now = monotonic()
    steps = partial(for_build, policy=policy, field=field)
    built = _build_all(lanes, candidates, steps, say, until=now + seconds / 2, of_build=of_build)
    launches: dict[str, Launch] = {}
    for bot in bots:
        if bot.local:
            launches[bot.name] = Launch(argv=bot.command, env={}, folder=bot.folder, local=True)
            continue
        if bot in candidates and bot.name not in built:
            failures[bot.name] = _late(bot.name)
            continue
        folder = built.get(bot.name, bot.folder)
        if isinstance(folder, NotBuilt):
            failures[bot.name] = _not_built(bot.name, folder, policy.level)
            folder = bot.folder
        if bot.name not in failures or not failures[bot.name].greedy:
            limits = _lower_limits(rules.limits, bot, rules.debug)
            launches[bot.name] = keep_files(launched(bot, folder, policy, limits, field), lanes.room())
    # a debugged bot may wait for its author before it is ready
    tried = {
        name: launch
        for name, launch in launches.items()
        if name not in failures and name != rules.debug and not launch.local
    }
    failures |= preflight(lanes, game, tried, rules.variants, seats=rules.seats[0], say=say, until=now + seconds)
    return launches, {bot.name: failures[bot.name] for bot in bots if bot.name in failures}


def preflight(
    lanes: Lanes,
    game: Game,
    bots: Mapping[str, Launch],
    variants: dict[str, str],
    *,
    seats: int,
    say: Callable[[str], None] = lambda _: None,
    until: float = inf,
) -> dict[str, StartFailure]:
    """Start every bot once and greet it; those that are not ready, by name. After ``until`` the others are late."""
    hello = Hello(
        protocol=PROTOCOL,
        match="preflight",
        game=game.name,
        version=game.version,
        variants=variants,
        seat=0,
        seats=seats,
        seed=0,
        limits=DEFAULT_LIMITS,
    )
    jobs = [Preflight(name, launch, replace(hello, limits=launch.limits)) for name, launch in bots.items()]
    failures: dict[str, StartFailure] = {}
    unanswered = {*bots}
    for job, done in _ended(lanes, jobs, "greeted", say, until):
        if done.failed:
            raise HostError(done.failed)
        greeting = done.value(Greeting)
        unanswered.discard(job.name)
        if greeting.fault is not None:
            failures[job.name] = _not_ready(job.name, bots[job.name], greeting.fault, greeting)
    return failures | {name: _late(name) for name in unanswered if monotonic() > until}


def build(
    lanes: Lanes, bot: BotFile, policy: HostPolicy, limits: Limits, say: Callable[[str], None] = lambda _: None
) -> Launch:
    """Build one bot where it needs that; how it is started within these limits, while these lanes are open.

    Raises:
        BotError: it cannot be built.
        OSError, HostError: this machine fails.
    """
    folder = _build_all(lanes, [bot], lambda _: for_build(bot, policy), say)[bot.name]
    if isinstance(folder, NotBuilt):
        reason = str(_not_built(bot.name, folder, policy.level))
        raise NotReadyError(reason, {bot.name: reason})
    return keep_files(launched(bot, folder, policy, limits), lanes.room())


def _build_all(
    lanes: Lanes,
    bots: Iterable[BotFile],
    sandbox: Callable[[BotFile], Sandbox],
    say: Callable[[str], None] = lambda _: None,
    *,
    until: float = inf,
    of_build: float | None = None,
) -> dict[str, str | NotBuilt]:
    """Build bots, one in each lane; for each name the folder to start it in, or why there is none; late ones lack."""
    built: dict[str, str | NotBuilt] = {}
    lacking: dict[Path, list[BotFile]] = {}
    queue = list(bots)
    cache = usable_cache() if any(bot.build for bot in queue) else Path()
    if cache is None:
        cache = Path(lanes.room())
        say(NO_CACHE)
    for bot in queue:
        try:
            folder = find_start_folder(bot, cache)
            if bot.build and not folder.is_dir():
                lacking.setdefault(folder, []).append(bot)
            else:
                built[bot.name] = str(folder)
        except BotError as error:
            built[bot.name] = NotBuilt(why=str(error))
    if not lacking:
        return built
    # copies start what is built for the first of them
    copies = {first.name: [first, *others] for first, *others in lacking.values()}
    with desk(cache) as within:
        jobs = [
            Build(
                name=first.name,
                bot=Raw(encode(first)),
                sandbox=sandbox(first),
                cache=str(cache),
                within=str(within),
                seconds=of_build,
            )
            for first, *_ in lacking.values()
        ]
        for job, done in _ended(lanes, jobs, "built", say, until):
            if done.failed:
                raise HostError(done.failed)
            place, failure = done.value(tuple[str, NotBuilt | None])
            built |= {bot.name: failure or place for bot in copies[job.name]}
    return built


class _TooLong(Exception):
    """The time is over."""


def _ended(
    lanes: Lanes, jobs: Sequence[Build | Preflight], what: str, say: Callable[[str], None], until: float
) -> Iterator[tuple[Build | Preflight, Done]]:
    """How jobs have ended, ``until`` a moment. Now and then it is said how far it is, and who is waited for."""
    done, last_report = 0, monotonic()

    def tick() -> None:
        nonlocal last_report
        if monotonic() > until:
            raise _TooLong
        if monotonic() - last_report > _SAYS_EVERY:
            last_report = monotonic()
            names = [job.name for job in lanes.doing if isinstance(job, Build | Preflight)]
            more = len(names) - _WAITED_FOR
            waiting = ", ".join(names[:_WAITED_FOR]) + (f" and {more} more" if more > 0 else "")
            say(f"{what}: {done} of {plural(len(jobs), 'bot')}{f', waiting for {waiting}' if names else ''}")

    try:
        for job, message in lanes.messages(jobs, tick=tick):
            if isinstance(job, Build | Preflight) and isinstance(message, Done):
                done += 1
                yield job, message
    except _TooLong:
        lanes.dismiss()


def _not_built(bot: str, failure: NotBuilt, level: Level) -> StartFailure:
    why = f"{failure.step}: {failure.why}" if failure.step else failure.why
    if failure.output:
        cause = cause_in("\n".join(failure.output)) or failure.output[-1]
        why = f"{failure.step}: {cause}; correct that, or the step in bot.toml"
    below = "".join(f"\n  | {line}" for line in failure.output)
    isolation = f"\n  isolation: {found_by_steps(level)}" if failure.step else ""
    # what the step starts is the bot's word, too
    public = f"{failure.step.partition(' (')[0] or 'build'}: {conceal(failure.why)}"
    return StartFailure(bot=bot, fault=_unready(why), below=below + isolation, public=public)


def _lower_limits(most: Limits, bot: BotFile, debug: str) -> Limits:
    limits = lowered(most, bot.limits)
    return clockless(limits) if bot.name == debug else limits


def launched(bot: BotFile, folder: str, policy: HostPolicy, limits: Limits, others: Places = ()) -> Launch:
    """How a bot is started in its prepared folder, within its own limits, seeing nothing of the ``others``."""
    sandbox = around(bot, folder, policy, limits, others)
    return Launch(
        argv=argv(bot, folder),
        env=environment(bot, ""),
        folder=folder,
        fresh=bot.restart == "match",
        # a process that has seen a deal must not live while another one of its bot plays it, except where they may talk
        lasting=bot.restart == "deal" and sandbox.level == "none",
        limits=limits,
        sandbox=sandbox,
        bare=bot.bare,
    )


def keep_files(launch: Launch, room: str) -> Launch:
    """The launch of a bot that plays as it is now, also if its files are changed during the run."""
    try:
        return replace(launch, sandbox=keep(launch.sandbox, launch.folder, room=room))
    except OSError as error:
        raise HostError(f"cannot copy the files of a bot: {error}") from error


def refuse(failures: Mapping[str, StartFailure]) -> None:
    """Raise ``NotReadyError`` if a bot cannot start."""
    if failures:
        texts = {name: str(failure) for name, failure in failures.items()}
        raise NotReadyError(BOT_SEPARATOR.join(texts.values()), texts)


def _late(bot: str) -> StartFailure:
    return StartFailure(bot=bot, fault=_unready("expected it to be ready in the time for all bots"), late=True)


def _unready(why: str) -> Fault:
    return Fault.of("cannot-start", rule=why, hint="")


def _not_ready(name: str, launch: Launch, fault: Fault, greeting: Greeting) -> StartFailure:
    text = greeting.errors.decode("utf-8", "backslashreplace")
    errors = [plain(line, 200) for line in text.split("\n") if line.strip()]
    public = "; ".join(filter(None, (conceal(fault.rule), fault.hint)))
    fault = explain(fault, text, launch=launch, exit_status=greeting.exit_status)
    excerpt = "".join(f"\n    | {line}" for line in errors[-_LINES:])
    reads = readable_in(launch.sandbox.level, bare=launch.bare)
    isolation = f"\n  isolation: {reads}" if reads else ""
    return StartFailure(
        bot=name,
        fault=replace(fault, rule=plain(fault.rule, 400), hint=plain(fault.hint, 200)),
        below=f"\n  command: {_line(launch.argv)}{excerpt}{isolation}",
        public=plain(public, 400),
    )


def _line(command: Sequence[str]) -> str:
    return plain(shlex.join(command), 400)
