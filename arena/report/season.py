"""The results of a league after a season: a page in Markdown, the same as data, a badge for each bot, and the history.

Knows leaderboards; knows no run, file or clock. A bot is shown by its own name, whatever version of it plays.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.escape import as_json, markdown, plain
from arena.identity import Identity
from arena.record import MatchId
from arena.report.document import NONE, WIDTH, Document, OutputFormat, Section
from arena.report.headline import headline_of_final, headline_of_tables, tail
from arena.report.render import (
    Leaderboard,
    LeaderboardRow,
    Standing,
    combine,
    combined_section,
    leaderboard_sections,
    number,
    strength,
)
from arena.words import listed, plural

_NAME = 64
_WHY = 400
_OWNER = 32
"""Characters of an owner on a badge."""


class Probation(Struct, frozen=True):
    """A bot that does not play, and why; ``games`` names those that it was tried in, empty for all."""

    bot: str
    why: str
    games: tuple[str, ...] = ()


class Finish(Struct, frozen=True, kw_only=True):
    """Where a bot came in in a final."""

    bot: str
    owner: str = ""
    place: int
    last: int
    """Greater than ``place`` where bots share places ``place`` to ``last``."""
    why: str

    @property
    def places(self) -> str:
        """Both, as it is printed."""
        return str(self.place) if self.place == self.last else f"{self.place}-{self.last}"


class Final(Struct, frozen=True, kw_only=True):
    """The final of a game."""

    game: str
    run: str
    """The folder of its run."""
    schedule: str
    prizes: int
    """So many places have one."""
    finished: bool
    matches: int
    finishes: tuple[Finish, ...] = ()
    """Best first; none until it is finished."""
    play_offs: tuple[str, ...] = ()
    """The folders of the runs that decided ties."""
    mirrored: bool = False
    """Whether its deals came to the machine more than once."""

    @property
    def first(self) -> list[str]:
        """Who won, or shares the first place; nobody before all is played."""
        return [finish.bot for finish in self.finishes if finish.place == 1 and self.finished]

    def sentences(self) -> list[str]:
        """How it went."""
        if not self.finished:
            return [f"The final ({self.schedule}) is not finished after {plural(self.matches, 'match')}."]
        if not self.finishes:
            reason = "By a ruling its places no longer follow from its matches"
            return [f"{reason}: remove the folder {self.run} to play the final again."]
        how = f"The final was played as {self.schedule}, {plural(self.matches, 'match')}."
        lines = [f"{how} Places 1 to {self.prizes} have a prize."]
        if self.mirrored:
            lines.append("One machine played its mirrored deals: fine among friends, not for prizes.")
        return lines + [f"{finish.places}. {finish.bot}: {finish.why}." for finish in self.finishes]


class Ruling(Struct, frozen=True, kw_only=True):
    """What the host has ruled on a match."""

    run: str
    """The folder of its run."""
    begun: str
    """When that run was begun: a final that is played again has a run of the same name."""
    match: MatchId
    ruling: Literal["void", "stands"]
    """Of a match that is void no table counts anything."""
    reason: str

    @property
    def ruled(self) -> str:
        """The ruling and its reason, after the name of the match."""
        return f"{'is ' * (self.ruling == 'void')}{self.ruling}: {self.reason.rstrip('.')}."

    @property
    def sentence(self) -> str:
        """All of it in a sentence."""
        return f"Match {self.match} of {self.run} {self.ruled}"


class Season(Struct, frozen=True):
    """How a league stands after a season."""

    season: int
    """From 1; a season that changed nothing has no number of its own."""
    date: str
    """UTC, of the day that this season changed something."""
    games: dict[str, Leaderboard]
    probation: tuple[Probation, ...] = ()
    combined: tuple[Standing, ...] = ()
    """Of several games."""
    finals: tuple[Final, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    """Of each match that was ruled on, the last one."""

    @property
    def headline(self) -> str:
        """Who won the finals, or leads the tables."""
        return headline_of_season(list(self.games.values()), self.finals)


def headline_of_season(tables: Sequence[Leaderboard], finals: Sequence[Final]) -> str:
    """Who won the finals, or leads the tables."""
    won = [headline_of_final(final.first, final.game) for final in finals if final.first]
    return listed(won) if won else headline_of_tables(tables)


def note_newcomers(board: Leaderboard, entered: Collection[str], ranks: int) -> Leaderboard:
    """The leaderboard, with a note on those that ``entered`` late and can have more than ``limit`` ranks."""
    rows = [row for row in board.leaderboard if row.bot in entered and row.rank_high - row.rank_low + 1 > ranks]
    if not rows:
        return board
    listed = ", ".join(f"{row.bot} ({row.rank_low}-{row.rank_high})" for row in rows)
    note = f"Provisional, because as newcomers they can still have more than {plural(ranks, 'rank')}: {listed}."
    return replace(board, newcomers=tuple([row.bot for row in rows]), notes=(*board.notes, note))


def leave_out_copies(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """The rows of bots that are no copies of others."""
    return [row for row in rows if Identity.of(row.bot).copy == 1]


def strip_version(bot: str) -> str:
    """A bot's name without the number of its version."""
    return Identity.of(bot).entered


def combine_games(shares: Mapping[str, Mapping[str, float]], games: Mapping[str, Leaderboard]) -> tuple[Standing, ...]:
    """The combined table over several games, copies left out; none over one game.

    Args:
        shares: by game, ``arena.report.render.shares`` of the bots of its leaderboard.
        games: by game, its leaderboard.
    """
    if len(games) == 1:
        return ()
    bots = {strip_version(row.bot) for board in games.values() for row in leave_out_copies(board.leaderboard)}
    owned = {game: {strip_version(bot): share for bot, share in by_bot.items()} for game, by_bot in shares.items()}
    return tuple(combine({game: {b: s for b, s in o.items() if b in bots} for game, o in owned.items()}, sorted(bots)))


def render_season(season: Season, form: OutputFormat) -> str:
    """The tables of all games and what else there is to know, ending in a newline; as Markdown fit for a README."""
    if form == "markdown":
        return _page(season)
    sections = [section for board in season.games.values() for section in leaderboard_sections(board)]
    if season.combined:
        sections.append(combined_section(season.combined, boards=season.games.values()))
    texts = [text for final in season.finals for text in final.sentences()]
    sections.append(Section(notes=[*texts, *(ruling.sentence for ruling in season.rulings)], width=WIDTH))
    return Document(sections=sections, data=season).written(form)


def _page(season: Season) -> str:
    sections = [Section(lead=[f"{season.headline}."]), Section(lead=[f"Season {season.season}, {season.date}."])]
    sections += [
        Section(headline=f"Final of {plain(final.game, _NAME)}", notes=final.sentences(), listed=True)
        for final in season.finals
    ]
    if season.combined:
        table = combined_section(season.combined, list_owners(season), season.games.values())
        sections += [Section(headline="All games"), table]
    for game, board in season.games.items():
        sections += [Section(headline=plain(game, _NAME)), *leaderboard_sections(board, verbose=True)]
    if season.rulings:
        verdicts = [ruling.sentence for ruling in season.rulings]
        sections.append(Section(headline="Rulings", notes=verdicts, listed=True))
    page = f"# Leaderboard\n\n{Document(sections=sections).written('markdown')}"
    if not season.probation:
        return page
    lines = "".join(f"- {_probation_line(probation)}\n" for probation in season.probation)
    again = "Bots that could not start are not tried again before their content changes, or `arena season --retry BOT`."
    return f"{page}\n## On probation\n\n{again}\n\n{lines}"


def list_owners(season: Season) -> dict[str, str]:
    """The owner of each bot that plays, by the bots' own names; only bots whose file names one."""
    return {strip_version(bot): owner for board in season.games.values() for bot, owner in board.owners.items()}


def make_badges(season: Season) -> dict[str, str]:
    """By file name, the badge of each bot as an endpoint of shields.io: over all games, and for each if several.

    A bot that is on probation in every game, or anywhere at all without playing, has a badge that says so. No two file
    names differ in case alone: of who is on probation under such a name there is none.
    """
    files: dict[str, str] = {}
    names = {
        strip_version(row.bot).lower(): strip_version(row.bot) for b in season.games.values() for row in b.leaderboard
    }
    for probation in season.probation:
        if names.setdefault(probation.bot.lower(), probation.bot) == probation.bot:
            files[f"{probation.bot}.json"] = _badge("arena", "on probation", "red")
    for game, board in season.games.items():
        place = f"{game}/" if season.combined else ""
        for row in leave_out_copies(board.leaderboard):
            by = _by(board.owners.get(row.bot, ""))
            files[f"{place}{strip_version(row.bot)}.json"] = _of_game(game, row, board, by)
    owned = list_owners(season)
    leads = [board.lead for board in season.games.values() if board.lead is not None and not board.provisional]
    first = Counter(lead.first[0] for lead in leads if lead.certain)
    for standing in season.combined:
        by = _by(owned.get(standing.bot, ""))
        files[f"{standing.bot}.json"] = _over_all(standing, season, first[standing.bot], by)
    return dict(sorted(files.items()))


def _over_all(standing: Standing, season: Season, first: int, by: str) -> str:
    rows = [
        (row.rank_low, row.rank_high, row.bot in board.newcomers, len(board.leaderboard))
        for board in season.games.values()
        for row in leave_out_copies(board.leaderboard)
        if strip_version(row.bot) == standing.bot and row.matches
    ]
    if standing.share is None or not rows:
        return _badge("arena", f"not played yet{by}", "lightgrey")
    low, high, new = min(row[0] for row in rows), max(row[1] for row in rows), any(row[2] for row in rows)
    range_ = f"#{low}{f'-{high}' * (high > low)}" if any(map(_tells, rows)) else "place open"
    places = f"certainly #1 in {first}" if first else f"{range_} in {len(rows)}"
    share = f"ahead of {standing.share:.0%}".replace("%", " %")
    message = f"{'provisional, ' * new}{share}, {places} of {plural(len(season.games), 'game')}{by}"
    return _badge("arena", message, "lightgrey" if new else "blue")


def _tells(row: tuple[int, int, bool, int]) -> bool:
    """Whether the range of places of a bot leaves out any of those of its table."""
    low, high, _, bots = row
    return high - low + 1 < max(bots, 2)


def _by(owner: str) -> str:
    return f", by {plain(owner, _OWNER)}" if owner else ""


def _of_game(game: str, row: LeaderboardRow, board: Leaderboard, by: str) -> str:
    bots = len(board.leaderboard)
    if not row.matches:
        return _badge(game, f"not played yet{by}", "lightgrey")
    low, high = row.rank_low, row.rank_high
    place = f"#{low}" if row.settled else f"#{low}-{high}"
    stands = f"{place} of {bots}" if _tells((low, high, False, bots)) else f"place open among {bots}"
    if row.bot in board.newcomers:
        return _badge(game, f"provisional, {stands}{by}", "lightgrey")
    measure = board.measure
    mean, *ends = (number(value, measure.digits) for value in strength(row, measure))
    between = "" if NONE in ends else f", {' to '.join(ends)}"
    colour = "brightgreen" if high == 1 else "green" if high <= bots / 2 else "blue"
    if board.lead is not None and board.lead.first == (strip_version(row.bot),) and board.lead.others:
        stands = f"first of {bots}{tail(board.lead)}"
    return _badge(game, f"{stands}, {measure.unit} {mean}{between}{by}", colour)


def _badge(label: str, message: str, color: str) -> str:
    badge: dict[str, Any] = {"schemaVersion": 1, "label": label, "message": message, "color": color}
    return as_json(badge) + "\n"


def _probation_line(probation: Probation) -> str:
    games = f" ({', '.join(probation.games)})" if probation.games else ""
    return f"{markdown(plain(probation.bot + games, _NAME * 4))}: {markdown(plain(probation.why, _WHY))}"


class PastPlace(Struct, frozen=True, kw_only=True):
    """Where a bot stood in a game after a season."""

    bot: str
    """With the number of its version, as ``pike@2``."""
    digest: str
    rank: int
    rank_low: int
    rank_high: int
    rating: float
    mu: float
    low: float | None
    high: float | None
    matches: int
    owner: str = ""
    """The accounts that the league bound it to then; what its own file says does not stand here."""


class PastTable(Struct, frozen=True, kw_only=True):
    """A game after a season."""

    version: str
    matches: int
    commitments: tuple[str, ...] = ()
    entrants: tuple[PastPlace, ...] = ()

    @property
    def bots(self) -> list[PastPlace]:
        """The bots that are no copies of others."""
        return [stood for stood in self.entrants if Identity.of(stood.bot).copy == 1]

    def ranks(self) -> dict[str, int]:
        """The place of each bot that has played, by its own name."""
        return {strip_version(stood.bot): stood.rank for stood in self.bots if stood.matches}


class PastSeason(Struct, frozen=True, kw_only=True):
    """A season that changed something."""

    season: Annotated[int, Meta(ge=1)]
    date: str
    """UTC, of the day."""
    games: dict[str, PastTable]
    probation: tuple[Probation, ...] = ()
    finals: tuple[Final, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    """Those that were made with this season."""
    headline: str = ""
    """The result after it, as pages say it."""
    watch: dict[str, tuple[str, ...]] = {}
    """By game the matches that its site showed then: the run's folder, a hyphen and the id of the match."""

    def news(self, before: "PastSeason | None") -> list[str]:
        """The news of this season, in sentences."""
        digests = {} if before is None else before.digests()
        now = self.digests()
        changed = [bot for bot, digest in now.items() if bot in digests and digests[bot] != digest]
        parts = (
            ("Entered", [bot for bot in now if bot not in digests]),
            ("Changed", changed),
            ("Left", [bot for bot in digests if bot not in now]),
        )
        sentences = [f"{what}: {', '.join(bots)}." for what, bots in parts if bots]
        owned, owns = {} if before is None else before.owners(), self.owners()
        handed = [f"{bot} ({owned[bot]} to {owns[bot]})" for bot in owns if owned.get(bot, owns[bot]) != owns[bot]]
        sentences += [f"Handed over: {', '.join(handed)}."] * bool(handed)
        out = set() if before is None else {entry.bot for entry in before.probation}
        refused = dict.fromkeys(entry.bot for entry in self.probation if entry.bot not in out)
        sentences += [f"Refused: {', '.join(refused)}."] * bool(refused)
        for game, moved in self.moves(before).items():
            where = f" in {game}" if len(self.games) > 1 else ""
            for way, sign in (("Up", 1), ("Down", -1)):
                went = [f"{bot} ({old} to {new})" for bot, (old, new) in moved.items() if (old - new) * sign > 0]
                sentences += [f"{way}{where}: {listed(went)}."] * bool(went)
        old = {} if before is None else {name: table.matches for name, table in before.games.items()}
        played = sum(table.matches - min(old.get(name, 0), table.matches) for name, table in self.games.items())
        was = () if before is None else before.finals
        for final in self.finals:
            if final not in was and final.finished:
                prized = [f"{finish.places}. {finish.bot}" for finish in final.finishes if finish.place <= final.prizes]
                sentences.append(f"Final of {final.game}: {', '.join(prized) or 'to be played again'}.")
        sentences += [ruling.sentence for ruling in self.rulings]
        return [*sentences, f"{plural(played, 'match')} played."]

    def moves(self, before: "PastSeason | None") -> dict[str, dict[str, tuple[int, int]]]:
        """By game and bot, without its version, its place before and after: of bots that have another now."""
        old = {} if before is None else {game: table.ranks() for game, table in before.games.items()}
        return {
            game: {bot: (was[bot], rank) for bot, rank in table.ranks().items() if was.get(bot, rank) != rank}
            for game, table in self.games.items()
            if (was := old.get(game, {}))
        }

    def owners(self) -> dict[str, str]:
        """The accounts of each bot in a table that has any, by the bot's own name."""
        stood = (stood for table in self.games.values() for stood in table.entrants)
        return {strip_version(entrant.bot): entrant.owner for entrant in stood if entrant.owner}

    def digests(self) -> dict[str, str]:
        """The content of each bot in a table, by the bot's own name."""
        return {
            strip_version(stood.bot): stood.digest
            for table in self.games.values()
            for stood in table.entrants
            if "#" not in stood.bot
        }


class Version(Struct, frozen=True, kw_only=True):
    """A version of a bot, which played for some seasons."""

    digest: str
    first: int
    """Season."""
    last: int


def versions(history: Sequence[PastSeason], bot: str) -> list[Version]:
    """The versions of a bot, the latest last."""
    timeline: list[Version] = []
    for past in history:
        digest = past.digests().get(bot)
        if digest is None:
            continue
        first = timeline.pop().first if timeline and timeline[-1].digest == digest else past.season
        timeline.append(Version(digest=digest, first=first, last=past.season))
    return timeline
