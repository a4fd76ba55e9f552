"""The files of a league that a season writes: tables, badges, a line of history, and pages in its folder ``site``.

The pages are plain files for any static host. No link in the folder is followed.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.errors import UsageError
from arena.escape import as_json, cleaned
from arena.files import decoder, files, read, remove, write
from arena.games import rules_of
from arena.identity import Identity, bot_of
from arena.leagues.archive import (
    SITE,
    Choice,
    archive_pages,
    choose_matches,
    find_rows,
    make_public,
    make_site,
    name_league,
    name_pages,
    replay_pages,
)
from arena.leagues.cup import explain_cut, finals, moves, season_table
from arena.leagues.league import League
from arena.leagues.news import atom_feed, json_feed, send
from arena.leagues.outlook import note_places
from arena.players import conceal
from arena.report import (
    Leaderboard,
    PastPlace,
    PastSeason,
    Probation,
    Replay,
    Report,
    Ruling,
    Season,
    combine_games,
    headline_of_season,
    leave_out_copies,
    make_badges,
    note_newcomers,
    render_season,
    strip_version,
)
from arena.tournament import (
    BrokenRun,
    Contest,
    Manifest,
    Standings,
    find_runs,
    replays_of,
    report_of,
    write_standings,
)
from arena.words import plural

REPLAYS = 8
_FILE = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""What a bot or game may be called that has a page."""


def write_site(
    league: League,
    season: Season,
    boards: Mapping[str, Standings],
    seasons: Sequence[PastSeason],
    finals: Sequence[Standings] = (),
    *,
    choices: Mapping[str, Choice],
) -> None:
    """Write all pages and feeds again, and remove those of bots and games that never were.

    Args:
        league: whose folder it is.
        season: how it stands.
        boards: by game.
        seasons: all of them, the first one first.
        finals: the tables of finals and play-offs.
        choices: by game what it shows now, as of ``choose_matches``.

    Raises:
        arena.tournament.folder.BrokenRun, arena.tournament.journal.Corrupt: a run or the history is damaged.
        arena.files.Linked: ``site`` or a folder in it is a link.
        OSError: it cannot be written.
    """
    parts = ("bots", "cards", "games", "replays", "reports", "seasons")
    present = {name for part in parts for name in files(league.folder, f"{SITE}/{part}")}
    written = set[str]()
    for name, text in _pages(league, season, boards, seasons, finals, choices=choices, present=present):
        written.add(f"{SITE}/{name}")
        if text is not None:
            write(league.folder, f"{SITE}/{name}", text.encode() if isinstance(text, str) else text)
    for old in present - written:
        if old.endswith((".html", ".json", ".png", ".svg")):
            remove(league.folder, old)


def _pages(
    league: League,
    season: Season,
    boards: Mapping[str, Standings],
    seasons: Sequence[PastSeason],
    finals: Sequence[Standings],
    *,
    choices: Mapping[str, Choice],
    present: Collection[str],
) -> Iterator[tuple[str, str | bytes | None]]:
    """The name and the content of each file; None: it stays as it is. ``present`` has the files of the site."""
    # markup takes long to load, and only a season that is played needs it
    from arena.page import (  # noqa: PLC0415
        MOST_SEASONS,
        bot_page,
        draw_png,
        front_page,
        game_page,
        report_page,
        result_card,
    )

    past = tuple(cleaned(_without_words(season)) for season in seasons)
    reports = {}
    rules = {game.name: rules_of(game) or "" for game in league.games}
    images: dict[str, str] = {}
    fields: dict[str, tuple[str, ...]] = {}
    address = "" if league.spec.address is None else f"{league.spec.address.rstrip('/')}/"
    for game, board in boards.items():
        report = reports[game] = _report(league, board)
        replays = _watch(board, report)
        rule, rows = rules.get(game, ""), choices[game][1]
        rows_of = find_rows(board, rows, past)
        yield from replay_pages(board, report, rows_of, name=name_league(league), rules=rule, present=present)
        fields |= {page: board.results.match(row).bots for page, row in rows_of.items() if row is not None}
        card = result_card(report)
        yield f"cards/{game}.svg", card
        # whoever links to a page shows no SVG; without the extra `cards` there is no other picture
        with suppress(UsageError):
            yield f"cards/{game}.png", draw_png(card)
            if address:
                images[game] = f"{address}cards/{game}.png"
        carried = board.results.columns.number[rows].tolist()
        where, image = f"../replays/{board.folder.name}-{{}}.html", images.get(game, "")
        text = report_page(report, replays, rules=rule, image=image, pages=where, paged=carried)
        yield f"reports/{game}.html", text
        yield f"reports/{game}-season-{season.season}.html", text
    for board in finals:
        report = _report(league, board)
        replays = _watch(board, report)
        rule = rules.get(report.leaderboard.game, "")
        yield f"reports/{board.folder.name}.html", report_page(report, replays, rules=rule)
    watched = {game: of_bots for game, (of_bots, _) in choices.items()}
    site = make_site(league, season, past, reports=reports, rules=rules, watched=watched, images=images)
    yield "index.html", front_page(site)
    for game in reports:
        yield f"games/{game}.html", game_page(site, game)
    file_names = set[str]()
    for bot in site.bots:
        # no two file names differ in case alone
        if _FILE.fullmatch(bot) and bot.lower() not in file_names:
            file_names.add(bot.lower())
            yield f"bots/{bot}.html", bot_page(site, bot)
    yield from archive_pages(site, fields, runs={board.folder.name for board in finals}, present=present)
    yield "standings.json", render_season(season, "json")
    latest = past[-MOST_SEASONS:]
    yield "history.json", as_json(msgspec.to_builtins(latest)) + "\n"
    yield "feed.json", json_feed(site.name, latest, address=address)
    yield "feed.xml", atom_feed(site.name, latest, address=address)


def _without_words(season: PastSeason) -> PastSeason:
    """The season, which may be older than this arena, without what strangers wrote."""
    return replace(season, probation=tuple([replace(entry, why=conceal(entry.why)) for entry in season.probation]))


def _watch(board: Standings, report: Report) -> list[Replay]:
    """The matches in a report: none while a season is played, for one reveals a deal that is still to be played."""
    return [] if report.leaderboard.provisional else list(map(make_public, replays_of(board, report, [], REPLAYS)))


def _report(league: League, board: Standings) -> Report:
    # the page is public; the folder of the league on this machine is not
    report = report_of(board, path=board.folder.relative_to(league.root.parent))
    # nor what a bot has answered in place of picks
    faults = [
        replace(
            row,
            first_rule=conceal(row.first_rule),
            rules=tuple([replace(rule, rule=conceal(rule.rule)) for rule in row.rules]),
        )
        for row in report.survey.faults
    ]
    worth = [replace(match, summary=conceal(match.summary)) for match in report.survey.highlights[:REPLAYS]]
    return replace(report, survey=replace(report.survey, faults=tuple(faults), highlights=tuple(worth)))


BADGES = "badges"
HISTORY = "history.jsonl"
"""A line for each season that changed something."""
_STOOD = [name for name in PastPlace.__struct_fields__ if name != "owner"]
_season = decoder(PastSeason)


def rulings(league: League, new: Ruling | None = None) -> tuple[Ruling, ...]:
    """The last ruling on each match of the runs that are there, and a new one."""
    made = [ruling for season in seasons(league.folder) for ruling in season.rulings] + ([new] if new else [])
    begun = {name: run.manifest().created for name, run in find_runs(league.root).items()}
    return tuple(
        {(verdict.run, verdict.match): verdict for verdict in made if begun.get(verdict.run) == verdict.begun}.values()
    )


def publish(
    league: League, contests: Sequence[Contest], say: Callable[[str], None], *, ruling: Ruling | None = None
) -> Season:
    """Write all files again from the journals; equal journals give equal bytes. A ``ruling`` is added to the history.

    A season that changed something is told to the address that the league names; ``say`` gets why it did not arrive.

    Raises:
        BrokenRun: the history or a run is damaged.
    """
    boards: dict[str, Standings] = {}
    games: dict[str, Any] = {}
    probation: dict[tuple[str, str], tuple[str, ...]] = {
        (excluded.bot, excluded.why): () for excluded in league.list_excluded(public=True)
    }
    ruled = rulings(league, ruling)
    finals_now = list(finals(league, ruled))
    for contest in contests:
        name, folder = contest.game.name, contest.folder
        boards[name] = season_table(league, folder, ruled)
        manifest = folder.manifest()
        if league.spec.ranks is not None:
            leaderboard = note_newcomers(boards[name].leaderboard, _late_entrants(league, manifest), league.spec.ranks)
            boards[name] = replace(boards[name], leaderboard=leaderboard)
        boards[name] = _with_owners(_with_company(boards[name]), league)
        table = boards[name].leaderboard
        settle = note_places(league, contest, boards[name])
        for note in (moves(league, table), explain_cut(league, table), _note_outdated(league, table), settle):
            if note:
                boards[name] = _noted(boards[name], note)
        if missing := len(manifest.epochs[-1].given_up):
            note = f"Not played in the last season, and given up: {plural(missing, 'match')}."
            boards[name] = _noted(boards[name], note)
        if manifest.finished and not folder.page.exists():
            # other bots take part now, or the rest was given up, and nothing was played since
            write_standings(folder)
        field = manifest.field or tuple([entrant.name for entrant in manifest.entrants])
        for entrant in manifest.entrants:
            if entrant.withdrawn and entrant.name in field and bot_of(entrant.name) not in league.spec.disqualified:
                key = strip_version(entrant.name), conceal(entrant.withdrawn)
                probation[key] = (*probation.get(key, ()), name)
        games[name] = _history_entry(manifest, boards[name], owned=league.owners is not None)
    off = tuple([Probation(bot=bot, why=why, games=tried) for (bot, why), tried in probation.items()])
    content = {"games": games, "probation": msgspec.to_builtins(off)}
    content |= {"finals": msgspec.to_builtins([final for final, _ in finals_now])} if finals_now else {}
    content |= {"rulings": [msgspec.to_builtins(ruling)]} if ruling else {}
    tables = {name: board.leaderboard for name, board in boards.items()}
    choices = {name: choose_matches(board) for name, board in boards.items()}
    content |= {
        "headline": headline_of_season(list(tables.values()), [final for final, _ in finals_now]),
        "watch": {name: name_pages(boards[name], rows) for name, (_, rows) in choices.items()},
    }
    now, added = _add(league.folder, f"{league.now:%Y-%m-%d}", content)
    shares = {name: board.shares() for name, board in boards.items()} if len(boards) > 1 else {}
    combined = combine_games(shares, tables)
    season = Season(now.season, now.date, tables, off, combined, tuple([final for final, _ in finals_now]), ruled)
    write(league.folder, "leaderboard.md", render_season(season, "markdown").encode())
    write(league.folder, "leaderboard.json", render_season(season, "json").encode())
    _write_badges(league.folder, {f"{BADGES}/{name}": badge for name, badge in make_badges(season).items()})
    past = seasons(league.folder)
    write_site(league, season, boards, past, [board for _, played in finals_now for board in played], choices=choices)
    if ruled:
        from arena.leagues.appeal import write_missing  # noqa: PLC0415 - few seasons have a ruling

        write_missing(league, ruled)
    if added:
        _notify(league, past, say)
    return season


def _notify(league: League, past: Sequence[PastSeason], say: Callable[[str], None]) -> None:
    """Tell the address that the league names, if it names one, of the last season."""
    if league.spec.notify_url is not None:
        before = past[-2] if len(past) > 1 else None
        why = send(league.spec.notify_url, league=name_league(league), now=past[-1], before=before)
        if why:
            say(why)


def _with_company(board: Standings) -> Standings:
    """The table with a note, if one bot certainly plays better in another's company."""
    from arena.report import note_company  # noqa: PLC0415 - only a table that is published has it

    note = note_company(board.fit.outcomes, {row.bot for row in board.leaderboard.leaderboard})
    return _noted(board, note) if note else board


def _note_outdated(league: League, table: Leaderboard) -> str:
    """A sentence on the bots whose newest change does not play."""
    rows = leave_out_copies(table.leaderboard)
    bots = [bot for row in rows if (bot := strip_version(row.bot)) in league.outdated]
    return f"An earlier version plays of {', '.join(bots)}: see probation." if bots else ""


def _with_owners(board: Standings, league: League) -> Standings:
    """The table with the owners that the league names, if it names any, and not with those that the bots name."""
    table = board.leaderboard
    names = {row.bot: league.owner_of(row.bot, claim=table.owners.get(row.bot, "")) for row in table.leaderboard}
    return replace(board, leaderboard=replace(table, owners={bot: owner for bot, owner in names.items() if owner}))


def _noted(board: Standings, note: str) -> Standings:
    """The table with a further note."""
    table = board.leaderboard
    return replace(board, leaderboard=replace(table, notes=(*table.notes, note)))


def _late_entrants(league: League, manifest: Manifest) -> set[str]:
    """The bots that entered after the first season; anchors and copies do not count."""
    names = {entrant.name for entrant in manifest.entrants} - set(manifest.epochs[0].entrants)
    return {name for name in names if Identity.of(name).copy == 1 and strip_version(name) not in league.anchors}


def _history_entry(manifest: Manifest, board: Standings, *, owned: bool) -> dict[str, Any]:
    """The entry of a game in the history; with ``owned`` the league itself knows whose bots they are."""
    digests = {entrant.name: entrant.digest for entrant in manifest.entrants}
    owners = board.leaderboard.owners if owned else {}
    return {
        "version": manifest.game_version,
        "matches": board.leaderboard.matches,
        "commitments": [epoch.commitment for epoch in manifest.epochs],
        "entrants": [
            {name: digests[row.bot] if name == "digest" else getattr(row, name) for name in _STOOD}
            | ({"owner": owners[row.bot]} if row.bot in owners else {})
            for row in board.leaderboard.leaderboard
        ],
    }


def _write_badges(folder: Path, badges: dict[str, str]) -> None:
    """Write the badges, and remove those of bots that have left."""
    for old in files(folder, BADGES):
        if old.endswith(".json") and old not in badges:
            remove(folder, old)
    for name, badge in badges.items():
        write(folder, name, badge.encode())


def seasons(folder: Path) -> list[PastSeason]:
    """All seasons of a league, the first one first; none before the first.

    Raises:
        BrokenRun: a line is no season, or stands out of order.
        arena.files.Linked, OSError: it cannot be read.
    """
    return _seasons(folder, _lines(folder))


def _seasons(folder: Path, lines: list[bytes]) -> list[PastSeason]:
    past: list[PastSeason] = []
    for number, line in enumerate(lines, 1):
        where = f"{folder / HISTORY}: line {number}"
        try:
            season = _season(line)
        except msgspec.DecodeError as error:
            raise BrokenRun(f"{where}: expected a season, got something else ({error})") from None
        if past and season.season <= past[-1].season:
            raise BrokenRun(f"{where}: expected a season after {past[-1].season}, got {season.season}")
        past.append(season)
    return past


def _add(folder: Path, date: str, content: dict[str, Any]) -> tuple[PastSeason, bool]:
    """The season with this content, and whether it is new, of this date, because the last one has another.

    Raises:
        BrokenRun: as ``seasons``.
        arena.files.Linked, OSError: it cannot be read or written.
    """
    # read once: the lines that are written again are those that were looked at
    lines = _lines(folder)
    before = _seasons(folder, lines)
    number = before[-1].season if before else 0
    now = msgspec.convert({"season": number + 1, "date": date, **content}, PastSeason)
    same = before and all(getattr(before[-1], name) == getattr(now, name) for name in ("games", "probation", "finals"))
    if same and not now.rulings:
        return before[-1], False
    line = msgspec.json.encode({"season": number + 1, "date": date, **content})
    write(folder, HISTORY, b"".join(text + b"\n" for text in (*lines, line)))
    return now, True


def _lines(folder: Path) -> list[bytes]:
    with suppress(FileNotFoundError):
        return read(folder, HISTORY).splitlines()
    return []
