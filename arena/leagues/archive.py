"""What the site of a league keeps of its seasons: the matches that it shows, and pages whose addresses never die.

All of it follows from the history and the journals, also where the pages of earlier seasons were not kept.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

from msgspec.structs import replace

from arena.escape import cleaned, plain
from arena.interpreter import __version__
from arena.leagues.league import League, end_of, moment_of
from arena.numeric import np
from arena.players import conceal
from arena.report import MatchRow, PastSeason, Replay, Report, Season, SeatDecision, list_owners, make_match_row
from arena.results import block_number_of, count_places, find_matches_of
from arena.tournament import Standings, replays_at

if TYPE_CHECKING:
    from arena.page import Site

SITE = "site"
CARRIED = 40
"""Matches of each game that the site shows beside those in reports; a page has about 110 kB."""
MOST_REPLAYS = 160
"""Of each game so many matches of earlier seasons can still be watched there; of others the page says how to."""
NIGHTS = 5
"""This many reports of each game are kept, one for each season."""
_LEAST = -(1 << 62)
"""Below all scores."""

Page = tuple[str, str | None]
"""Its name beneath the site and its content; None: it stays as it is."""


Choice = tuple[dict[str, dict[str, MatchRow]], list[int]]
"""By bot the best, the worst and the last matches that the site shows, by what they are; and the rows of all."""


def choose_matches(board: Standings) -> Choice:
    """What the site shows of a game; nothing while its season is not finished."""
    if board.leaderboard.provisional:
        return {}, []
    results, columns = board.results, board.results.columns
    candidates: list[tuple[int, str, str, int]] = []
    for bot in [row.bot for row in board.leaderboard.leaderboard if row.matches]:
        rows, seats = find_matches_of(results, bot)
        here = np.arange(len(rows))
        scores = np.where(columns.ranks[rows] < 0, _LEAST, columns.scores[rows].astype(float))
        points, scores[here, seats] = scores[here, seats], _LEAST
        order = rows[np.lexsort((scores.max(axis=1) - points, count_places(columns.ranks[rows])[0][here, seats]))]
        last = {"its last match": -1, "its last match but one": -2, "its last match but two": -3}
        picks = {"its best match": order[0], "its worst match": order[-1]}
        picks |= {why: rows[back] for why, back in last.items() if -back <= len(rows)}
        candidates += [(number, bot, why, int(row)) for number, (why, row) in enumerate(picks.items())]
    # first the best of each bot, then the worst of each, and so on
    candidates.sort(key=lambda candidate: candidate[0])
    carried = list(dict.fromkeys(row for *_, row in candidates))[:CARRIED]
    watched: dict[str, dict[str, MatchRow]] = {}
    for _, bot, why, row in candidates:
        if row in carried:
            match = results.match(row)
            summary = make_match_row(match, number=match.number, decisions=match.decisions)
            watched.setdefault(bot, {})[why] = summary
    return watched, carried


def name_pages(board: Standings, rows: Sequence[int]) -> tuple[str, ...]:
    """The names of the pages of matches: the folder of the run and the id of the match."""
    return tuple([f"{board.folder.name}-{board.results.match(row).id}" for row in rows])


def make_public(replay: Replay) -> Replay:
    """The match without what bots have answered in place of picks."""

    def conceal_words(answer: SeatDecision) -> SeatDecision:
        fault = None if answer.fault is None else replace(answer.fault, rule=conceal(answer.fault.rule), line="")
        return replace(answer, fault=fault)

    moves = [replace(move, asked=tuple(map(conceal_words, move.asked))) for move in replay.moves]
    return replace(replay, moves=tuple(moves))


def find_rows(board: Standings, rows: Sequence[int], past: Sequence[PastSeason]) -> dict[str, int | None]:
    """The rows of the matches that the site shows, then of those that it has shown, the latest first.

    By the names of their pages; None where a match does not count any more. ``rows`` are shown now, ``past`` has all
    seasons.
    """
    ever = [season.watch.get(board.leaderboard.game, ()) for season in reversed(past)]
    pages: dict[str, int | None] = dict.fromkeys(chain(name_pages(board, rows), *ever))
    blocks = list[int]()
    for page in pages:
        # a page that the history names and no match has is of none
        with suppress(ValueError):
            blocks.append(block_number_of(page.rpartition("-")[2]))
    rows_of = np.flatnonzero(np.isin(board.results.columns.block, blocks))
    for row, match in zip(rows_of.tolist(), board.results.matches(rows_of), strict=True):
        if (page := f"{board.folder.name}-{match.id}") in pages:
            pages[page] = row
    return pages


def replay_pages(
    board: Standings,
    report: Report,
    pages: Mapping[str, int | None],
    *,
    name: str,
    rules: str,
    present: Collection[str],
) -> Iterator[Page]:
    """The pages of these matches, as of ``find_rows``, of the league ``name``; ``present`` has the files of its site.

    While a season is not finished no page is made: its deals are secret.
    """
    from arena.page import gone_page, replay_page  # noqa: PLC0415 - markup takes long to load

    run = report.provenance.path
    field = [bot.name for bot in report.provenance.bots]
    counted = [] if report.leaderboard.provisional else [page for page, row in pages.items() if row is not None]
    made = {
        page: row
        for number, page in enumerate(counted[:MOST_REPLAYS])
        if (row := pages[page]) is not None and (number < CARRIED or f"{SITE}/replays/{page}.html" not in present)
    }
    for page, replay in zip(made, replays_at(board, [*made.values()]) if made else (), strict=True):
        words = f"arena replay {run} {replay.id}"
        yield f"replays/{page}.html", replay_page(make_public(replay), rules=rules, run=run, command=words, field=field)
    for page in [page for page in pages if page not in made]:
        if page in counted[:MOST_REPLAYS]:
            yield f"replays/{page}.html", None
            continue
        where, _, match = page.rpartition("-")
        text = gone_page(
            name,
            title=f"Match {match} of {where}",
            why="This site no longer shows it. Whoever has the results of the league can watch it:",
            command=f"arena replay {run.rpartition('/')[0]}/{where} {match}",
            where="../seasons/index.html",
            words="All seasons",
        )
        yield f"replays/{page}.html", text


def archive_pages(
    site: "Site", fields: Mapping[str, Sequence[str]], *, runs: Collection[str], present: Collection[str]
) -> Iterator[Page]:
    """The pages of all seasons, and what stands where pages of bots, reports and finals were.

    ``fields`` is as of ``season_page``, and ``runs`` are the finals and play-offs that have a report now.
    """
    from arena.page import gone_page, season_page, seasons_page  # noqa: PLC0415 - markup takes long to load

    yield "seasons/index.html", seasons_page(site)
    for past in site.history:
        number = past.season
        yield f"seasons/{number}.html", season_page(site, past, fields)
        reports = {f"{game}-season-{number}": game for game in past.games} if number != site.season.season else {}
        for final in past.finals:
            reports |= {run: run for run in (final.run, *final.play_offs) if run not in runs}
        recent = number > site.season.season - NIGHTS
        for page, what in reports.items():
            file = f"reports/{page}.html"
            stays = f"{SITE}/{file}" in present and (recent or what == page)
            why = f"This site no longer has the report of {what} after season {number}. Its tables stay:"
            title, words = f"The report of {what}", f"Season {number}"
            where = f"../seasons/{number}.html"
            yield file, None if stays else gone_page(site.name, title=title, why=why, where=where, words=words)
    for bot, last in site.former.items():
        why = f"{bot} has left the league. It last stood in a table after season {last.season}:"
        where = f"../seasons/{last.season}.html"
        yield f"bots/{bot}.html", gone_page(site.name, title=bot, why=why, where=where, words=f"Season {last.season}")


def make_site(
    league: League,
    season: Season,
    past: tuple[PastSeason, ...],
    *,
    reports: dict[str, Report],
    rules: dict[str, str],
    watched: dict[str, dict[str, dict[str, MatchRow]]],
    images: dict[str, str],
) -> "Site":
    """What the pages of a league show; its parts are as there."""
    from arena.page import Deadline, Site  # noqa: PLC0415 - markup takes long to load

    spec, end = league.spec, end_of(league.spec)
    final = moment_of(spec, "final_date")
    deadlines = []
    if end is not None:
        deadlines = [Deadline(before="Entries end", after="Entries ended", moment=end)]
    if final is not None and final != end:
        deadlines += [Deadline(before="The final is played after", after="The final is due since", moment=final)]
    # of what GitHub tells of a workflow, for only it knows where the folder came from
    host, repository = os.environ.get("GITHUB_SERVER_URL", ""), os.environ.get("GITHUB_REPOSITORY", "")
    return Site(
        name=name_league(league),
        description=plain(spec.description or "", 400),
        season=cleaned(season),
        history=past,
        reports=reports,
        rules=rules,
        owners={bot: plain(owner, 64) for bot, owner in list_owners(season).items()},
        watched=watched,
        most=CARRIED,
        images=images,
        deadlines=tuple(deadlines),
        closed=end is not None and league.now >= end,
        now=league.now,
        version=__version__,
        repository=plain(f"{host}/{repository}", 200) if host.startswith("https://") and repository else "",
        asks_by_request=(league.folder / ".github/workflows/check.yml").is_file(),
    )


def name_league(league: League) -> str:
    """What a league is called."""
    return plain(league.spec.title or league.folder.resolve().name, 64)
