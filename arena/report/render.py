"""Leaderboards as documents: one of a game, and one over several games."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.game import Objective
from arena.ratings import Looks
from arena.ratings.pairwise import Better, Lead, closed
from arena.report.bracket import Bracket, bracket_sections
from arena.report.document import NONE, Document, OutputFormat, Section, Table
from arena.results.columns import Results
from arena.results.measure import DIGITS, Measure, best_first, measure_of
from arena.results.tally import tallies
from arena.words import plural

_NAME = 64
UNTESTED = "Ordered by share. Who is better over all is not tested: each table says what is certain in it."
"""Below a table over several games."""


class LeaderboardRow(Struct, frozen=True):
    """One bot. Bots of equal rating share the better rank; of a bot that never played only the prior is known."""

    rank: int
    rank_low: int
    """The best and the worst place that are not ruled out for certain: see ``arena.ratings.pairwise``."""
    rank_high: int
    bot: str
    rating: float
    mu: float
    low: float | None
    """Of mu, with 95 % confidence; None if it sat in too few blocks."""
    high: float | None
    sigma: float
    matches: int
    wins: float
    """A first place that ``k`` share counts 1/k."""
    mean_rank: float | None
    """1 is first; bots that tie share the mean of their places."""
    mean_score: float | None
    faults: dict[str, int]
    """The number of faults of each kind that occurred."""
    ms_median: float | None
    """Of its answering times, to 1/64; None if it was never waited for."""
    ms_p99: float | None
    score_low: float | None = None
    """Of the mean score, with 95 % confidence; None if it sat in too few blocks, and where places count."""
    score_high: float | None = None

    @property
    def settled(self) -> bool:
        """Whether its place is certain."""
        return 0 < self.rank_low == self.rank_high

    @property
    def ranks(self) -> str:
        """The range of ranks as it is printed."""
        if not self.rank:
            return "house"
        return str(self.rank) if self.rank_low == self.rank_high else f"{self.rank_low}-{self.rank_high}"


def strength(row: LeaderboardRow, measure: Measure) -> tuple[float, float | None, float | None]:
    """What a chart shows of a bot, with its interval: mu, or the mean score; 0 of a bot that has none."""
    if measure.by_score:
        return row.mean_score or 0.0, row.score_low, row.score_high
    return row.mu, row.low, row.high


class Leaderboard(Struct, frozen=True):
    """The leaderboard of a run. ``decisions`` are those really asked; ``seconds`` are the time of play alone."""

    run: str
    game: str
    seats: int | str
    """A number, or a range as ``2-8``."""
    seed: str | None
    matches: int
    decisions: int
    seconds: float
    leaderboard: tuple[LeaderboardRow, ...]
    provisional: bool
    """Whether the run is not finished."""
    draw_probability: float
    notes: tuple[str, ...]
    """What else a reader should know beside the numbers, in sentences."""
    burnt: dict[str, float] = {}
    """Of the bots that used more than 5 % of the core on others' time, how much of it, at least."""
    bracket: Bracket | UnsetType = UNSET
    """Of a run whose format pairs by results."""
    newcomers: tuple[str, ...] = ()
    """In a league: bots that entered after its first season and can still have more ranks than the league wants."""
    owners: dict[str, str] = {}
    """The owner of each bot whose bot file names one: free text of a stranger."""
    looks: Looks = "one"
    """Whether the table has had one look, or what it says holds at every look."""
    better: tuple[tuple[str, str], ...] = ()
    """Pairs of which the first is certainly better; what follows from these is left out."""
    house: tuple[LeaderboardRow, ...] = ()
    """In a league: its anchors and the shipped bots, out of competition. They have no rank (0)."""
    objective: Objective = "place"
    """What counts in the game, and so in ranks, places and ``better``: ratings, or mean scores."""
    certain: str = ""
    """What is certain of the whole table, in a sentence; empty while nobody can be told apart."""
    caution: str = ""
    """The one of ``notes`` that matters most; empty if none is a caution."""
    headline: str = ""
    """The result and how sure it is, in a sentence without its full stop."""
    lead: Lead | None = None
    """How sure it is that the first bot is the best; None before the first match."""
    bounds: tuple[float, float] | UnsetType = UNSET
    """The least and the greatest score, where the score counts and the run tells them."""

    @property
    def table_rows(self) -> list[LeaderboardRow]:
        """The rows of a table, best first: of those that compete, and of house bots for scale."""
        rows = {row.bot: row for row in (*self.leaderboard, *self.house)}
        value = self.measure.value
        order = best_first({bot: value(rating=row.rating, score=row.mean_score) for bot, row in rows.items()})
        return [rows[bot] for bot in order]

    @property
    def certainly(self) -> Better:
        """Every two bots of which the first is certainly better."""
        return frozenset(self.better) if self.looks == "pairs" else closed(self.better)

    @property
    def measure(self) -> Measure:
        """What ranks its bots."""
        if self.bounds is UNSET:
            return measure_of(self.objective)
        return measure_of(self.objective, least=self.bounds[0], span=self.bounds[1] - self.bounds[0])

    def __str__(self) -> str:
        """The table, as ``arena run`` prints it."""
        return render(self, "table").rstrip("\n")


class Column(Struct, frozen=True):
    """A column of leaderboards. JSON and CSV hold the fields of rows, which it explains."""

    heading: str
    """In tables and in Markdown; empty: only data."""
    fields: dict[str, str]
    """The fields that it shows, each with its meaning."""
    text: Callable[[LeaderboardRow], str | tuple[str, ...]] | None = None
    """By default the first field with two digits."""
    page: str = ""
    """Its heading on pages; empty: not shown there, or in a way of its own."""
    on_page: Callable[[LeaderboardRow], str] | None = None
    """If it is shown differently there."""
    only_markdown: bool = False
    """Whether it has no room in 80 columns."""
    verbose: bool = False
    """Whether it is only shown to who asks for more."""

    def format_cell(self, row: LeaderboardRow) -> str | tuple[str, ...]:
        """What stands in its cell."""
        return number(getattr(row, next(iter(self.fields))), 2) if self.text is None else self.text(row)


def number(value: float | None, digits: int) -> str:
    """A figure, or a dash where there is none."""
    return NONE if value is None else f"{value:.{digits}f}"


def counted(value: float) -> str:
    """A count as people write it: of what several share one decimal."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def milliseconds(value: float | None) -> str:
    """Three digits or so, in four places up to ten seconds."""
    limits = ((9.995, 2), (99.95, 1))
    return number(value, next((digits for limit, digits in limits if value is not None and value < limit), 0))


def kinds_of_faults(row: LeaderboardRow) -> tuple[str, ...]:
    """How many faults of each kind a bot has."""
    return tuple([f"{times} {kind}" for kind, times in row.faults.items()])


COLUMNS = (
    Column(
        "#",
        {
            "rank": "1 is best, equal ratings share the better rank; 0: a [house bot](hosting.md#house-bots)",
            "rank_low": "the best place [not ruled out for certain](certain.md#certain); in the table `2-4` is 2 to 4",
            "rank_high": "the worst one",
        },
        lambda row: row.ranks,
    ),
    Column("bot", {"bot": "name of the entrant"}, lambda row: row.bot),
    Column("rating", {"rating": "`mu` - 3 `sigma`, in the table as `rating`"}, page="rating"),
    Column("mu", {"mu": "mean of the skill"}),
    Column(
        "+-",
        {
            "low": "where mu lies with 95 % confidence, from here (`+-` is half); `null` with fewer than ten blocks",
            "high": "to here",
        },
        lambda row: NONE if row.low is None or row.high is None else number((row.high - row.low) / 2, 2),
    ),
    Column("sigma", {"sigma": "its standard deviation by the model, see [ratings](ratings.md)"}, verbose=True),
    Column("matches", {"matches": "played and rated"}, lambda row: counted(row.matches)),
    Column(
        "wins",
        {"wins": "a first place shared by k counts 1/k"},
        lambda row: f"{row.wins:,.1f}",
        page="won",
        on_page=lambda row: f"{counted(row.wins)} / {counted(row.matches)}",
    ),
    Column(
        "place",
        {"mean_rank": "1 is first, who tie share the mean of their places; `place` in the table"},
        page="mean place",
    ),
    Column(
        "score",
        {"mean_score": "in the game's own unit; `score` in the table"},
        page="score",
        on_page=lambda row: number(row.mean_score, 1),
    ),
    Column(
        "ms",
        {"ms_median": "milliseconds the bot was waited for; `ms` in the table"},
        lambda row: milliseconds(row.ms_median),
    ),
    Column(
        "p99",
        {"ms_p99": "99 of 100 waits were no longer; `p99` in the table"},
        lambda row: milliseconds(row.ms_p99),
        page="p99 ms",
        on_page=lambda row: number(row.ms_p99, 1),
    ),
    Column(
        "faults",
        {"faults": "how many of each kind, those that there were"},
        lambda row: kinds_of_faults(row) or NONE,
        page="faults",
        on_page=lambda row: ", ".join(kinds_of_faults(row)) or NONE,
    ),
    Column(
        "",
        {
            "score_low": "where the mean score lies with 95 % confidence, in a game in which it counts; else `null`",
            "score_high": "to here",
        },
    ),
)
"""Of leaderboards in all outputs, and of the table in docs/commands.md."""
_OF_SCORES = (
    Column("score", {"mean_score": ""}, lambda row: number(row.mean_score, 3), page="score"),
    Column("from", {"score_low": ""}, lambda row: number(row.score_low, 3)),
    Column("to", {"score_high": ""}, lambda row: number(row.score_high, 3)),
)
"""Where the score counts it stands first, with its 95 % interval."""


def columns_of(measure: Measure) -> tuple[Column, ...]:
    """The columns of a leaderboard, in their order."""
    if not measure.by_score:
        return COLUMNS
    others = [column for column in COLUMNS[2:] if column.heading != "score"]
    spare = [replace(column, only_markdown=True) if column.heading in {"mu", "+-"} else column for column in others]
    return (*COLUMNS[:2], *_OF_SCORES, *spare)


_SPARE = ("sigma", "+-", "mu", "p99", "ms", "place", "", "faults", "wins")
"""Columns that a narrow terminal does without, the first of them first; the empty one is what does not rank."""


def render(board: Leaderboard, format: OutputFormat, *, verbose: bool = False, rounds: bool = False) -> str:  # noqa: A002 - as the option is called
    """The leaderboard in this format, ending in a newline; ``verbose``: with all its columns and notes."""
    return Document(sections=leaderboard_sections(board, verbose=verbose, rounds=rounds), data=board).written(format)


def leaderboard_sections(board: Leaderboard, *, verbose: bool = False, rounds: bool = False) -> list[Section]:
    """The leaderboard in a document: what it is of, the bracket of its format, and the table, the last of them."""
    candidates = [column for column in columns_of(board.measure) if column.heading]
    columns = [column for column in candidates if verbose or not column.verbose]
    roomy = ["owner", *(column.heading for column in columns if column.only_markdown)]
    rows = [
        _with_owner({column.heading: column.format_cell(row) for column in columns}, board.owners)
        for row in board.table_rows
    ]
    spare = [name or board.measure.rest for name in _SPARE] + ["matches"] * board.measure.by_score
    table = Table(
        rows=rows, left_columns=("faults", "owner"), wide=("bot",), roomy=roomy, dense=True, spare=spare, longest=_NAME
    )
    data = [
        {"game": board.game}
        | {name: getattr(row, name) for name in row.__struct_fields__}
        | {"faults": kinds_of_faults(row), "owner": board.owners.get(row.bot, "")}
        for row in board.table_rows
    ]
    bracket = [] if isinstance(board.bracket, UnsetType) else bracket_sections(board.bracket, rounds=rounds)
    section = Section(
        lead=["Ratings over all matches:"] if bracket else (),
        tables=(table,),
        notes=[*reading(board), *(_notes(board) if verbose else ())],
        text_notes=_describe_owners(board),
        listed=True,
        rows=data,
        columns=("game", *LeaderboardRow.__struct_fields__, "owner"),
        digits=DIGITS,
        longest=_NAME,
    )
    # a format has decided its places; ratings tell how strong bots are
    return [Section(lead=_summary(board)), *bracket, section]


def reading(board: Leaderboard) -> list[str]:
    """The lines below a table: what is certain, what its figures mean, and the caution that matters most."""
    place, by_score = "# is the places not ruled out", board.measure.by_score
    figures = "score the mean, from and to its 95 %" if by_score else "rating mu - 3 sigma, +- half of mu's 95 %"
    lines = [
        board.certain,
        f"{place}, {figures}." if any(row.matches for row in board.leaderboard) else "",
        board.caution,
    ]
    return [line for line in lines if line]


class Standing(Struct, frozen=True):
    """One bot over several games. It has no place: whether a share is really greater than another is not tested."""

    bot: str
    share: float | None
    """The mean over the games it played; None if it played none."""
    games: dict[str, float]
    """By game, the mean over its matches: 1 is ahead of everybody, 0.5 as good as a copy of its opponents."""


def shares(results: Results) -> dict[str, float]:
    """For each bot that played, the mean over its matches of (opponents beaten + half of those tied) / opponents."""
    return {bot: tally.share for bot, tally in tallies(results).items() if tally.share is not None}


def combine(games: Mapping[str, Mapping[str, float]], entrants: Sequence[str]) -> list[Standing]:
    """The combined table from each game's ``shares``, the greatest first; bots that played no game come last."""
    by_name = {}
    means: dict[str, float | None] = {}
    for bot in entrants:
        by_name[bot] = {game: round(by_bot[bot], DIGITS) for game, by_bot in games.items() if bot in by_bot}
        played = [by_bot[bot] for by_bot in games.values() if bot in by_bot]
        means[bot] = round(sum(played) / len(played), DIGITS) if played else None
    order = best_first({bot: -1.0 if mean is None else mean for bot, mean in means.items()})
    return [Standing(bot=bot, share=means[bot], games=by_name[bot]) for bot in order]


def by_places(what: str, boards: Iterable[Leaderboard]) -> str:
    """A sentence on figures that go by places where in one of the tables the score counts; else nothing."""
    return f" {what} go by places, also where the score counts." if any(b.measure.by_score for b in boards) else ""


def combined_section(
    standings: Sequence[Standing], owners: Mapping[str, str] | None = None, boards: Iterable[Leaderboard] = ()
) -> Section:
    """The table over the games of the ``boards``; in Markdown with ``owners``."""
    games = sorted({game for standing in standings for game in standing.games})
    data: list[dict[str, Any]] = [
        {"bot": standing.bot, "share": standing.share} | dict.fromkeys(games) | standing.games for standing in standings
    ]
    figures = [{name: number(row[name], 3) if name != "bot" else row[name] for name in row} for row in data]
    rows = [_with_owner(row, owners or {}) for row in figures]
    return Section(
        tables=[Table(rows=rows, left_columns=("owner",), wide=("bot",), roomy=("owner",), dense=True, longest=_NAME)],
        notes=[f"{UNTESTED}{by_places('Shares', boards)}"],
        listed=True,
        rows=data,
        columns=("bot", "share", *games),
        digits=DIGITS,
        longest=_NAME,
    )


def _with_owner(row: dict[str, Any], owners: Mapping[str, str]) -> dict[str, Any]:
    if not owners:
        return row
    cells = list(row.items())
    behind = list(row).index("bot") + 1
    return dict([*cells[:behind], ("owner", owners.get(row["bot"]) or NONE), *cells[behind:]])


def _summary(board: Leaderboard) -> list[str]:
    counts = f"{board.seats} seats, {plural(board.matches, 'match')}, {plural(board.decisions, 'decision')}"
    return [
        *[f"{board.headline}."] * bool(board.headline),
        f"{board.run}: {board.game}, {counts}, {board.seconds:,.1f} s.",
        *["Provisional: the run is not finished."] * board.provisional,
    ]


def _notes(board: Leaderboard) -> list[str]:
    """All else that there is to know of a table."""
    notes = [note for note in board.notes if note != board.caution]
    if board.burnt:
        burnt = ", ".join(f"{bot} ({share:.0%})".replace("%", " %") for bot, share in board.burnt.items())
        notes.append(f"Used the processor while others were asked, by more than 5 % of that time: {burnt}.")
    seed = [] if board.seed is None else [f"Seed {board.seed}."]
    return [f"Draw probability {board.draw_probability:.4f}.", *notes, *seed]


def _describe_owners(board: Leaderboard) -> list[str]:
    bots: dict[str, list[str]] = {}
    for bot, owner in board.owners.items():
        bots.setdefault(owner[:_NAME], []).append(bot)
    listed = "; ".join(f"{owner}: {', '.join(owned)}" for owner, owned in bots.items())
    return [f"Owners: {listed}."] if bots else []
