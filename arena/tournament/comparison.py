"""Whether a new version of a bot plays better than the old one, by matches of both against a field. Prints nothing."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from arena import games
from arena.errors import HostError, NotReadyError, UsageError
from arena.formats.schedule import FEWEST_SEATS, Fixture
from arena.game import BoundsBySeats, Game, Objective
from arena.identity import Identity, bot_of
from arena.players.botfile import BotFile, missing
from arena.players.content import digest_bot
from arena.players.entrants import BotArgument, read_entrant, read_shipped_bots
from arena.players.local import Conversation
from arena.ratings import outcomes_of
from arena.ratings.bets import luck_of_match
from arena.ratings.evidence import Evidence, scores_of
from arena.ratings.outcomes import block_number
from arena.record import Record
from arena.report.comparison import compared, evidence_for, faults_of, points_of
from arena.report.verdict import Comparison, Question, unchanged, unready
from arena.results.columns import block_number_of
from arena.retelling import retell
from arena.tournament import roster
from arena.tournament.contest import Contest
from arena.tournament.decision import Decision, map_names
from arena.tournament.folder import RunFolder, deal_again
from arena.tournament.giving_up import give_up_run
from arena.tournament.loop import Watcher
from arena.tournament.one_round import schedule_of
from arena.tournament.open_run import OpenRun
from arena.tournament.settings import UNTIL_MATCHES, RunSpec
from arena.tournament.spec import check_no_schedule, make_settings, results_root, seed_text
from arena.tournament.standings import Standings, compute_standings, records_at, write_standings

STRONG = ("greedy",)
"""The shipped bots that enter by default and do not pick by chance."""


class Versions(Struct, frozen=True, kw_only=True):
    """Both versions of a bot, under different names."""

    new: BotFile
    old: BotFile
    luck: dict[str, float] = field(default_factory=dict)
    """What luck gave the new one more, by match id, as far as it is derived: that takes time."""

    def same(self) -> bool:
        """Whether both are the same, file by file; code of this process is always played."""
        if self.new.local or self.old.local:
            return False
        requests = [(bot.limits, bot.restart, bot.threads) for bot in (self.new, self.old)]
        return requests[0] == requests[1] and digest_bot(self.new) == digest_bot(self.old)


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
    check_no_schedule(spec, "a comparison")
    score_bounds(game, game.objective, {})
    field = _enter_field(pair, game, bots, say)
    count = sum(entry.copies for entry in field)
    # one bot alone is no field: others join it, and the table is as large as is usual
    entrants = len((pair.new, pair.old)) + count if count > 1 else None
    config = make_settings(spec, game, [game], seed=seed_text(spec.seed, spec.secret_file), entrants=entrants)
    most = max(config.seats)
    if most == FEWEST_SEATS:
        if bots:
            say("at 2 seats NEW and OLD play each other alone: the field sits out; --seats 3 or more lets it in")
        field = []
    elif count <= 1:
        field += _strong(field, pair, game, say)
        field.append(BotArgument(bot=pair.old, copies=most - FEWEST_SEATS))
    names = [pair.new.name, pair.old.name]
    for entry in field:
        original = [] if entry.bot in (pair.new, pair.old) else [entry.bot.name]
        names += [*original, *copies(entry.bot.name, entry.copies - len(original), [*names, *original])]
    names += copies(pair.old.name, most - len(names), names)
    return Contest(
        folder=RunFolder(results_root(spec.out, [game.name])),
        game=game,
        settings=replace(config, together=(pair.new.name, pair.old.name)),
        bots=[pair.new, pair.old, *(entry.bot for entry in field if entry.bot not in (pair.new, pair.old))],
        padded=names,
        local_bots=local_bots or {},
    )


def copies(name: str, count: int, names: Iterable[str]) -> list[str]:
    """Free names for this many copies of an entrant; none if it is not above 0."""
    bot, name_set = bot_of(name), set(names)
    numbered = (str(Identity(bot, copy=number)) for number in range(2, len(name_set) + max(count, 0) + 2))
    return [copy for copy in numbered if copy not in name_set][: max(count, 0)]


def _enter_field(
    pair: Versions, game: Game, bots: Sequence[str | BotFile], say: Callable[[str], None]
) -> list[BotArgument]:
    """The field that is named: other bots, and copies of the two versions."""
    entries = roster.parse_bots(bots)
    unique: list[BotFile] = []
    for entry in entries:
        if entry.bot not in unique:
            unique.append(entry.bot)
    roster.bots_by_name(unique)
    roster.check_plays(unique, game)
    field: dict[str, BotArgument] = {}
    for bot in unique:
        count = sum(entry.copies for entry in entries if entry.bot == bot)
        version = _version(bot, pair)
        if version == pair.new and count == 1:
            say(f"left out of the field: {bot.name}, which plays as NEW; {bot.name}*2 enters two copies")
        elif version is not None:
            before = field[version.name].copies if version.name in field else 0
            field[version.name] = BotArgument(bot=version, copies=before + count)
        else:
            say(f"left out of the field: {bot.name}, whose name NEW or OLD has; NAME=BOT gives another name")
    return list(field.values())


def _version(bot: BotFile, pair: Versions) -> BotFile | None:
    """What a bot of the field plays as: a version whose name it has and that it equals, or itself; None if neither."""
    if bot.name.lower() not in {pair.new.name.lower(), pair.old.name.lower()}:
        return bot
    return next((version for version in (pair.old, pair.new) if digest_bot(version) == digest_bot(bot)), None)


def _strong(
    field: Sequence[BotArgument], pair: Versions, game: Game, say: Callable[[str], None]
) -> Iterable[BotArgument]:
    """The best shipped bots that this machine can run, but for those that play already."""
    playing = {bot.name.lower() for bot in (pair.new, pair.old, *(entry.bot for entry in field))}
    for bot in read_shipped_bots():
        if bot.name in STRONG and bot.name not in playing and (not bot.games or game.name in bot.games):
            if lack := missing(bot):
                say(f"left out: {lack}")
            else:
                yield BotArgument(bot=bot)


class Lucks:
    """The luck that one bot of a run had more than another, match by match."""

    def __init__(self, folder: RunFolder, *, new: str, old: str, memo: dict[str, float]) -> None:
        """``memo`` keeps what is found, by match id, for others who ask the same."""
        manifest = folder.manifest()
        self._secrets = folder.secrets_of(manifest)
        self.pair = new, old
        self.known = memo
        game = games.find(manifest.game)
        self.told = game.luck is not None and game.version == manifest.game_version
        """Whether this game, as it is here, tells the luck of these matches."""

    def of(self, record: Record) -> float:
        """The luck of a match, see ``luck_of_match``; 0 where it is not told, or one of the two not in.

        Raises:
            Differs, BrokenRun: the record does not fit its deal.
            HostError: the game does not tell luck as the contract says.
        """
        if not self.told or record.reason == "void" or not set(self.pair) <= set(record.bots):
            return 0.0
        if record.id not in self.known:
            try:
                self.known[record.id] = luck_of_match(self._events(record))
            except ValueError as error:
                raise HostError(f"match {record.id}: game {record.game}: {error}") from error
        return self.known[record.id]

    def _events(self, record: Record) -> Iterator[tuple[float, float]]:
        game, state = deal_again(self._secrets, record)
        new, other = map(record.bots.index, self.pair)
        before = state.copy()
        for step in retell(record, state):
            assert game.luck is not None  # noqa: S101 - only a game that tells its luck is measured
            for luck in game.luck(before, step.chosen, step.events):
                if len(luck.gains) != len(record.bots):
                    raise ValueError(f"expected the luck of {len(record.bots)} seats, got {len(luck.gains)}")
                yield luck.gains[new] - luck.gains[other], luck.span
            before = state.copy()


def score_bounds(game: Game, objective: Objective, variants: Mapping[str, str]) -> BoundsBySeats | None:
    """The bounds of scores with these variants where scores count; None where places do.

    Raises:
        UsageError: there are none, so a bet on a difference of scores could lose more than its stake; or all seats
            share their score, so that nobody at a table is ahead.
    """
    if objective == "place":
        return None
    if objective == "shared":
        cure = "a table of arena run tells versions apart by what they score with the same partners"
        raise UsageError(f"{game.name}: expected a score for each seat, got one that all seats share; {cure}")
    if (bounds := game.bounds) is None:
        raise UsageError(f"{game.name}: expected bounds of its scores, for these count in it, got a game without any")
    return lambda seats: bounds(seats, variants)


class InterimAnalysis:
    """The evidence of a comparison while it is played, from whole blocks in canonical order.

    Only the blocks before the first unfinished one count: long matches end late, so a count of finished matches favours
    short ones.
    """

    def __init__(self, folder: RunFolder, question: Question, lucks: Lucks) -> None:
        """Begin with the recorded matches of the run; ``lucks`` names the two that are compared."""
        self.evidence = evidence_for(question)
        manifest = folder.manifest()
        self._planned: deque[tuple[int, int]] = deque()
        """By block that was not looked at yet its matches."""
        for block in schedule_of(manifest, folder.secrets_of(manifest)).blocks:
            played = [Fixture(block, rotation).id for rotation in range(len(block.seating))]
            count = sum(match not in manifest.given_up for match in played)
            if count:
                self._planned.append((block_number(epoch=block.epoch, block=block.number), count))
        self._lucks = lucks
        self._bounds = score_bounds(games.find(manifest.game), manifest.objective, manifest.variants)
        self._match_ids: set[str] = set()
        self._recorded: defaultdict[int, list[Record]] = defaultdict(list)
        """By block that was not looked at yet its recorded matches."""
        self._take(folder.records())

    def add(self, record: Record) -> None:
        """Take in a match, unless it was recorded before; look, if a block is finished by it."""
        self._take([record])

    def _take(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.id in self._match_ids:
                continue
            self._match_ids.add(record.id)
            self._recorded[block_number_of(record.id)].append(record)
            while self._planned and len(self._recorded[self._planned[0][0]]) >= self._planned[0][1]:
                self._look(self._planned.popleft()[0])

    def _look(self, block: int) -> None:
        new, old = self._lucks.pair
        played = [record for record in self._recorded.pop(block) if record.reason != "void"]
        if self._bounds is None:
            scores = scores_of(outcomes_of((block, match.bots, match.ranks) for match in played), new, other=old)
        else:
            scores = points_of(played, new, other=old, bounds=self._bounds)
        for score in scores.values():
            luck = fmean(self._lucks.of(record) for record in played)
            faults = sum(faults_of(record, new, other=old) for record in played)
            self.evidence.add(score, luck=luck, faults=faults)


Playing: TypeAlias = Callable[[OpenRun], AbstractContextManager[Watcher]]
"""Makes a context around the matches; it gives who follows them."""


def compare_bots(
    new: str | BotFile,
    old: str | BotFile,
    game: Game,
    bots: Sequence[str | BotFile],
    spec: RunSpec,
    *,
    question: Question,
    say: Callable[[str], None],
    playing: Playing = lambda _: nullcontext(Watcher()),
    local_bots: Mapping[str, Callable[[], Conversation]] | None = None,
    look: Callable[[Evidence], None] = lambda _: None,
) -> Comparison:
    """Whether the new version plays better, by matches as the run spec asks for.

    A question that ends by itself gets as many matches as it may need, unless the spec says how many. ``local_bots``
    make the bots that play in this process, by name. ``look`` gets the evidence of such a question after each match.

    Raises:
        UsageError, BotError, HostError: a setting is not right, a bot cannot start, or this machine fails.
    """
    if question.until and spec.matches is None:
        spec = replace(spec, matches=UNTIL_MATCHES)
    pair = versions_of(new, old, game)
    if pair.same():
        return unchanged(new=pair.new.name, old=pair.old.name, game=game.name)
    if isinstance(new, str) and isinstance(old, str) and pair.old.name == _name_before(pair.new.name):
        say(f"the new version, {pair.new.name}, is {new}; the old one, {pair.old.name}, is {old}")
    contest = contest_between(pair, spec, game, bots, say, local_bots)
    with OpenRun(spec, [contest], contest.folder.path, say) as session:
        answer = _ready(session, pair, question, say)
        if answer is not None:
            return answer
        with playing(session) as watcher:
            board = _play(session, pair, question, watcher, look)
        (run,) = session.ready
    return _verdict(contest, run.names, board, pair, question)


def _name_before(name: str) -> str:
    return f"{name[:57]}-before"


def versions_of(new: str | BotFile, old: str | BotFile, game: Game) -> Versions:
    """Look up both versions."""
    now, before = (bot if isinstance(bot, BotFile) else read_entrant(bot) for bot in (new, old))
    if now.name.lower() == before.name.lower():
        before = replace(before, name=_name_before(before.name), alias=True)
    roster.check_plays([now, before], game)
    inner, outer = sorted((Path(now.folder), Path(before.folder)), key=lambda path: -len(path.parts))
    if inner != outer and inner.is_relative_to(outer) and not (now.bare or before.bare):
        raise UsageError(f"expected folders of which neither lies in the other, got {inner} in {outer}")
    if lack := missing(before):
        raise UsageError(f"expected an old version that this machine can run, got: {lack}")
    return Versions(new=now, old=before)


def _ready(session: OpenRun, pair: Versions, question: Question, say: Callable[[str], None]) -> Comparison | None:
    """Start all bots.

    Returns a comparison where no match is needed: the new version cannot start and the old one can, or the run that is
    resumed has the answer already. Else None.
    """
    (contest,), decisions = session.contests, session.resume()
    if question.until and (answer := _before(contest, decisions[0], pair, question)):
        return answer
    try:
        session.start(decisions)
    except NotReadyError as error:
        if pair.new.name not in error.bots or pair.old.name in error.bots:
            raise
        say(error.bots[pair.new.name])
        return unready(new=pair.new.name, old=pair.old.name, game=contest.game.name)
    return None


def _play(
    session: OpenRun, pair: Versions, question: Question, watcher: Watcher, look: Callable[[Evidence], None]
) -> Standings:
    """Play to the last match; or, if the question asks for it, until it is answered, and give up the rest.

    The evidence is looked at after each match, see ``InterimAnalysis``.
    """
    (run,) = session.ready
    playing = session.matches_of(run, watcher)
    analysis: InterimAnalysis | None = None
    lucks: Lucks | None = None
    for record in playing:
        # by now the manifest is written, and this match is recorded
        lucks = lucks or _lucks(run.folder, run.names, pair)
        lucks.of(record)
        if not question.until:
            continue
        if analysis is None:
            analysis = InterimAnalysis(run.folder, question, lucks)
        else:
            analysis.add(record)
        look(analysis.evidence)
        if analysis.evidence.answered:
            playing.close()
            session.lanes.dismiss()
            if not run.folder.manifest().finished:
                give_up_run(run.folder)
            break
    return write_standings(run.folder)


def _verdict(
    contest: Contest, names: Mapping[str, str], board: Standings, pair: Versions, question: Question
) -> Comparison:
    """The comparison that the matches give; ``names`` are those of the bots in the run."""
    lucks = _lucks(contest.folder, names, pair)
    new, old = lucks.pair
    results, folder = board.results, RunFolder(board.folder)

    def luck(row: int) -> float:
        value = lucks.known.get(results.match(row).id)
        return lucks.of(next(records_at(folder, results, [row]))) if value is None else value

    measure, rules = luck if lucks.told else None, folder.manifest()
    bounds = score_bounds(contest.game, rules.objective, rules.variants)
    figures = board.fit, board.leaderboard
    return compared(results, *figures, new=new, old=old, question=question, luck=measure, bounds=bounds)


def _lucks(folder: RunFolder, names: Mapping[str, str], pair: Versions) -> Lucks:
    new, old = (names.get(bot.name, bot.name) for bot in (pair.new, pair.old))
    return Lucks(folder, new=new, old=old, memo=pair.luck)


def _before(contest: Contest, decision: Decision, pair: Versions, question: Question) -> Comparison | None:
    """The verdict of a finished run in the folder, if it answers the question."""
    if not contest.folder.begun() or not contest.folder.manifest().finished:
        return None
    names = map_names(decision, contest.enter_bots())
    lucks = _lucks(contest.folder, names, pair)
    if not {*lucks.pair} <= {entrant.name for entrant in contest.folder.manifest().entrants}:
        return None
    if not InterimAnalysis(contest.folder, question, lucks).evidence.answered:
        return None
    return _verdict(contest, names, compute_standings(contest.folder), pair, question)
