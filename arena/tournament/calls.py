"""The calls of the public library: open or read runs, check a bot, compare two, play one match. Print nothing.

One match of a person, or of Python code, against bots is neither recorded nor rated.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, get_args

import msgspec
from msgspec.structs import replace

from arena import games as shelf
from arena import record as records
from arena.chance import Chance
from arena.conformance import TrialTable
from arena.conformance.findings import Findings, tables
from arena.errors import BotError, HostError, UsageError
from arena.game import Game, Seat
from arena.limits import excess, lowered
from arena.players.botfile import BOT_FILE, BotFile, missing
from arena.players.entrants import read_entrant
from arena.players.launch import Launch
from arena.players.local import Conversation
from arena.python_bots import AnyBot, LocalBot, wrap_bot, wrap_bots
from arena.record import Record
from arena.referee import Match
from arena.report.conformance import CheckedBot
from arena.report.verdict import Comparison, Question
from arena.tournament import roster
from arena.tournament.comparison import compare_bots
from arena.tournament.folder import Rules
from arena.tournament.isolation import host_policy
from arena.tournament.lane_messages import Check, Done, Job, MatchOver, PlayUnit, SeatMessage, Trying
from arena.tournament.lanes import Lanes, LanesFailed
from arena.tournament.open_run import OpenRun
from arena.tournament.plan import pad_entrants
from arena.tournament.planning import contests_of
from arena.tournament.run import Run, find_runs
from arena.tournament.secrets import Secret
from arena.tournament.settings import IsolationChoice, RunSpec
from arena.tournament.spec import find_game, limits, parse_seat_counts, settle_variants
from arena.transcript import Transcript
from arena.wire import DEFAULT_LIMITS
from arena.words import plural

if TYPE_CHECKING:
    from arena.report.replay import Replay

_LOG = logging.getLogger("arena")
"""Is told what the command says on standard error."""


def checkable(text: str) -> BotFile:
    """The bot that is to be checked; it raises if there is none, or this machine cannot run it."""
    bot = read_entrant(text)
    if lack := missing(bot):
        raise UsageError(f"expected a bot this machine can run, got: {lack}")
    return bot


def checked(
    text: str,
    spec: RunSpec,
    *,
    exit_first: bool = False,
    recorded: Sequence[Transcript] = (),
    ruled_out: Sequence[int] = (),
    say: Callable[[str], None] = lambda _: None,
    trying: Callable[[str], None] = lambda _: None,
) -> CheckedBot:
    """One of several bots, checked as by ``findings``; why not, if it cannot be tried.

    Raises:
        UsageError: an option is not right, whatever the bot.
        HostError: this machine is too busy to tell.
    """
    bot: BotFile | None = None
    result: Findings | None = None
    wrong: UsageError | BotError | None = None
    try:
        bot = checkable(text)
        if not (spec.games or bot.games):
            for fault in shelf.faults():
                say(f"left out: {fault}")
        result = findings(
            bot, spec, exit_first=exit_first, recorded=recorded, ruled_out=ruled_out, say=say, trying=trying
        )
    except (BotError, UsageError) as error:
        if isinstance(error, UsageError) and error.option:
            raise
        wrong = error
    name, folder = (text, "") if bot is None else (bot.name, bot.folder)
    return CheckedBot(name=name, folder=folder, findings=result, error=wrong)


def findings(
    bot: BotFile,
    spec: RunSpec,
    *,
    exit_first: bool = False,
    usual: bool = False,
    recorded: Sequence[Transcript] = (),
    ruled_out: Sequence[int] = (),
    say: Callable[[str], None] = lambda _: None,
    trying: Callable[[str], None] = lambda _: None,
) -> Findings:
    """The findings of a check of a bot, in the games, seats, limits and isolation of a run spec.

    It is tried in a lane, so that no process of the bot is left even if this one is killed.

    Args:
        bot: to be checked.
        spec: what is asked for; no games named: all that the bot plays, no seats: every number.
        exit_first: whether to stop at the first failure.
        usual: whether to leave out unusual variants.
        recorded: matches whose questions it is asked, in the place of whole matches.
        ruled_out: the decisions of these at which it is not to answer as recorded.
        say: is told the level of isolation.
        trying: is told what is tried, as it comes.

    Raises:
        UsageError, BotError: a value is not right, or the bot cannot be built.
        HostError: this machine is too busy to tell.
    """
    most = limits(spec)
    if more := excess(most, bot.limits):
        raise UsageError(f"bot {bot.name} {more}")
    bot_limits = lowered(most, bot.limits)
    names = [transcript.hello.game for transcript in recorded] or spec.games
    tried = _tables(bot, names, None if spec.seats is None else str(spec.seats))
    if usual:
        tried = tuple([table for table in tried if not table.unusual])
    with Lanes(1) as lanes:
        policy = host_policy(
            spec.isolation,
            lanes,
            say,
            limits=most,
            bots=[bot],
            readable=spec.readable,
            build_network=spec.build_network,
            network=spec.network,
        )
        launch = roster.build(lanes, bot, policy, bot_limits, say)
        lines = msgspec.Raw(msgspec.json.encode(recorded))
        job = Check(bot.name, launch, tried, bot_limits, exit_first, lines, tuple(ruled_out))
        for _, message in lanes.messages([job]):
            if isinstance(message, Trying):
                trying(message.what)
            elif isinstance(message, Done):
                done = message
    lanes.heed()
    if done.failed:
        raise HostError(done.failed)
    return done.value(Findings)


def _tables(bot: BotFile, names: Sequence[str], seats: str | None) -> tuple[TrialTable, ...]:
    everything = "all" in names or not (names or bot.games)
    game_names = shelf.names() if everything else list(dict.fromkeys(names)) or list(bot.games)
    for name in game_names:
        if bot.games and name not in bot.games:
            raise UsageError(f"expected a game that {bot.name} plays ({', '.join(bot.games)}), got {name!r}")
    chosen_tables: list[TrialTable] = []
    for name in game_names:
        game = find_game(name, said_in=f"{bot.folder}/{BOT_FILE}: games: " if name in bot.games else "")
        chosen_tables += tables(game, tuple(game.seats) if seats is None else parse_seat_counts(seats, game, None))
    return tuple(chosen_tables)


_SEED_BYTES = 8
_MATCH = "e0b0r0"


class ExhibitionMatch:
    """A match that is to be played; use ``lanes`` as a context around ``play``."""

    def __init__(
        self,
        game: Game,
        bots: Sequence[str | BotFile] = (),
        *,
        seat: Seat | None = None,
        seats: int | None = None,
        variant_values: dict[str, str] | None = None,
        seed: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``bots`` sit in the other seats, by default the shipped ones; ``seat`` is drawn if it is not given.

        Raises:
            UsageError, BotError: a bot, a seat or a variant is not there.
        """
        self.game = game
        self._variants = settle_variants(variant_values or {}, game)
        # the shipped bots fill a table only if no bot was named
        entries = roster.enter(bots, game, (lambda _: None) if bots else say)[: len(bots) or None]
        names = roster.names_of(entries)
        self._seats = _seats(game, seats, len(names) if bots else 0)
        if seat is not None and not 0 <= seat < self._seats:
            raise UsageError(f"expected a seat from 0 to {self._seats - 1}, got {seat}", option="seat")
        self._wanted = seat
        self.others = pad_entrants(names, self._seats - 1)[: self._seats - 1]
        """Who sits in the other seats."""
        self._field = [entry.bot for entry in entries if entry.bot.name in self.others]
        self._secret = Secret.of(token_hex(_SEED_BYTES) if seed is None else seed)
        self.lanes = Lanes(1)
        self._say = say

    @property
    def seed(self) -> str:
        """The text that repeats the deal."""
        return self._secret.seed_text

    def start(self, isolation: IsolationChoice) -> PlayUnit:
        """Start the bots; the match to be played.

        Raises:
            UsageError, BotError, HostError: a bot cannot start, or this machine fails.
        """
        policy = host_policy(isolation, self.lanes, self._say, bots=self._field)
        rules = Rules(
            game=self.game.name,
            variants=self._variants,
            seats=(self._seats,),
            limits=DEFAULT_LIMITS,
            isolation=policy.level,
        )
        launches, failures = roster.start(self.lanes, rules, self.game, self._field, policy)
        roster.refuse(failures)
        bots = {name: launches[roster.original(name, launches)] for name in self.others}
        return self._match(bots)

    def again(self, job: PlayUnit, *, other_seat: bool) -> PlayUnit:
        """The next match with the same bots: another deal, or the same deal from the next seat."""
        seat = job.matches[0].bots.index("")
        if other_seat:
            self._wanted = (seat + 1) % self._seats
        else:
            self._wanted, self._secret = seat, Secret.of(token_hex(_SEED_BYTES))
        return self._match(dict(job.bots))

    def _match(self, bots: dict[str, Launch]) -> PlayUnit:
        """The match of the person, named with the empty text, and these bots, in seats that the secret draws."""
        secret, game = self._secret, self.game
        names = ["", *bots]
        Chance(secret.schedule(0)).shuffle(names)
        drawn = names.index("")
        seat = drawn if self._wanted is None else self._wanted
        names[drawn], names[seat] = names[seat], names[drawn]
        match = Match(
            id=_MATCH,
            label=secret.label(_MATCH),
            game=game.name,
            version=game.version,
            bots=tuple(names),
            variants=self._variants,
            ids=secret.ids(_MATCH),
            order=secret.order(_MATCH),
            seeds=tuple(secret.bot_seed(_MATCH, place) for place in range(len(names))),
            limits=tuple(bots[name].limits if name else DEFAULT_LIMITS for name in names),
            deal=secret.deal(epoch=0, block=0, rotation=0),
        )
        return PlayUnit(matches=(match,), bots=bots, attempts=1)

    def play(self, job: PlayUnit, answer: Callable[[bytes], bytes | None]) -> Record:
        """Have the match played in a lane, so that nothing of the bots is left however it ends.

        ``answer`` is handed each message for the person as a line, and gives the answer to it, if one is due.

        Raises:
            Interrupted: a signal came.
            HostError: this machine failed.
        """
        played: list[Record] = []
        for done, message in self.lanes.messages([job], _lost):
            if isinstance(message, SeatMessage):
                self.lanes.answer(done, answer(bytes(message.message)) or b"")
            elif isinstance(message, MatchOver):
                played.append(records.decode(bytes(message.record)))
        (record,) = played
        if record.reason == "void":
            raise HostError(f"the match is void: {record.why}")
        return record

    def replay(self, job: PlayUnit, record: Record) -> "Replay":
        """The match with open hands; the person is called ``you``."""
        from arena.report.telling import tell  # noqa: PLC0415 - only who looks back needs it

        state = self.game.deal(len(record.bots), job.matches[0].deal, self._variants)
        return tell(replace(record, bots=tuple(bot or "you" for bot in record.bots)), self.game, state, number=0)


def _seats(game: Game, seats: int | None, bots: int) -> int:
    """How many sit down, the person among them."""
    count = seats or (max(bots + 1, game.seats.start) if bots else game.usual_seats)
    here = f"{game.seats.start} to {game.seats.stop - 1}"
    if count not in game.seats:
        raise UsageError(f"expected {here} seats for {game.name}, got {count}")
    if bots >= count:
        raise UsageError(f"expected room for you and {plural(bots, 'bot')}, got {count}", option="seats")
    return count


def _lost(_job: Job) -> None:
    raise LanesFailed("expected the lane to last as long as the match, got its end")


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
    spec, field = spec_of(game, matches=matches, out=out, **settings), wrap_bots(bots)
    root, contests = contests_of(
        spec, [_text_or_file_of(bot) for bot in field], _LOG.info, local_bots=conversations(field)
    )
    return OpenRun(spec, contests, root, _LOG.info, ready=True)


def read_runs(folder: str | Path) -> Mapping[str, Run]:
    """The run in a folder, under the empty name, or the runs in its subfolders, by their names.

    Raises:
        UsageError: there is none.
    """
    return {name: Run(run.path) for name, run in find_runs(Path(folder)).items()}


def check(bot: str | Path, game: str | Iterable[str] = (), *, exit_first: bool = False, **settings: Any) -> Findings:
    """Try a bot against the numbered rules of the protocol.

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
    return findings(checkable(str(_text_or_file_of(bot))), spec_of(game, **settings), exit_first=exit_first)


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
    (new, old), field = wrap_bots([new, old]), wrap_bots(bots)
    return compare_bots(
        _text_or_file_of(new),
        _text_or_file_of(old),
        find_game(game),
        [_text_or_file_of(bot) for bot in field],
        spec_of(game, **settings),
        question=Question.read(until),
        say=_LOG.info,
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
    person = wrap_bot(me)
    if not isinstance(person, LocalBot):
        raise BotError(f"expected code of this process in the seat, got {me!r}")
    exhibition = ExhibitionMatch(
        find_game(game),
        list(bots),
        seat=seat,
        seats=seats,
        variant_values=dict(variants or {}),
        seed=seed,
        say=_LOG.info,
    )
    with exhibition.lanes:
        record = exhibition.play(exhibition.start(isolation), person.conversation())
    return replace(record, bots=tuple([bot or person.name for bot in record.bots]))


def _text_or_file_of(bot: str | Path | LocalBot) -> str | BotFile:
    """A bot in the form that the rooms below take: a text as on a command line, or the file of one of this process."""
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
        text = text.replace("Invalid enum value", f"expected {', '.join(get_args(IsolationChoice))}, got")
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
