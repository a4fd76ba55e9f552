"""A league: the folder of an ``arena.toml``, who may enter bots there and until when, and the run of each game.

Reads the manifests of the league's runs, because bots that have played there may stay. Starts nothing; knows no option
of a command.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena import games as shelf
from arena.errors import BotError, NotReadyError, UsageError, nearest
from arena.escape import plain
from arena.game import Game
from arena.identity import Identity, bot_of
from arena.leagues.owners import FILE as OWNERS
from arena.leagues.owners import Owners, owners_in
from arena.players import (
    BOT_FILE,
    BotFile,
    digest_bot,
    is_in_closed_folder,
    is_regular_file,
    on_one_line,
    read_entrant,
    read_shipped_bots,
)
from arena.tournament import (
    SETTINGS_FILE,
    Contest,
    Decision,
    Entrant,
    LeagueSettings,
    Manifest,
    Refused,
    Resume,
    RunFolder,
    SettingsMismatch,
    bots_by_name,
    check_no_schedule,
    check_same_bots,
    check_same_settings,
    errors_at_key,
    errors_in_words_of,
    filter_settings,
    find_game,
    make_settings,
    name_in_run,
    read_settings_file,
    resolve_bots,
    seed_text,
)
from arena.words import plural


def moment_of(spec: LeagueSettings, field: str) -> datetime | None:
    """The moment of this setting, if it is set: the end of a day in UTC, or a moment with its offset from UTC.

    Raises:
        UsageError: it is no date.
    """
    text = getattr(spec, field)
    if text is None:
        return None
    try:
        if len(text) == len("2027-01-31"):
            return datetime.combine(date.fromisoformat(text) + timedelta(days=1), time(), UTC)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UsageError(
            "expected a day in UTC such as 2027-01-31, or a time with its offset such as 2027-01-31T18:00:00+01:00, "
            f"got {text!r}",
            option=field,
        )
    return moment


def by_claim(entries: Sequence[tuple[str, BotFile]], manifests: Sequence[Manifest]) -> list[tuple[str, BotFile]]:
    """Bots in the order of their claims to a name: a bot that plays already never loses its name to a new one.

    The bot of a name that played last comes first, known by its folder's name and then by its digest, then folders
    that are called as their bots are.

    Args:
        entries: folders and their bots.
        manifests: the manifests of the league's runs that have begun.
    """
    last = _last(manifests)
    folders = {(bot_of(entrant.name), Path(entrant.entered).name) for entrant in last}
    digests = {(bot_of(entrant.name), entrant.digest) for entrant in last}

    def claim(entry: tuple[str, BotFile]) -> tuple[bool, bool, bool]:
        folder, bot = Path(entry[0]).name, entry[1]
        return (bot.name, folder) not in folders, (bot.name, digest_bot(bot)) not in digests, folder != bot.name

    return sorted(entries, key=claim)


def left_out(
    until: datetime | None,
    per_owner: int | None,
    bots: Mapping[str, BotFile],
    manifests: Sequence[Manifest],
    owners: Owners | None,
) -> dict[str, str]:
    """Why bots may not take part, by their keys in ``bots``; bots that may take part are not listed.

    Args:
        until: when entries end, if they do.
        per_owner: how many bots of one owner take part at most, if there is a limit.
        bots: all that are there, without the anchors, which no rule holds back.
        manifests: the manifests of the league's runs that have begun.
        owners: whose bots they are; None: their files tell.
    """
    excluded = _after_the_end(until, bots, manifests) if until is not None else {}
    rest = {key: bot for key, bot in bots.items() if key not in excluded}
    return excluded | (_too_many(per_owner, rest, manifests, owners) if per_owner is not None else {})


def _after_the_end(until: datetime, bots: Mapping[str, BotFile], manifests: Sequence[Manifest]) -> dict[str, str]:
    if not manifests or datetime.now(UTC) < until:
        return {}
    entered = {(bot_of(entrant.name), entrant.digest) for entrant in _last(manifests)}
    names = {name for name, _ in entered}
    why = f"entries ended at {until.astimezone(UTC):%Y-%m-%d %H:%M} UTC: expected"
    return {
        key: f"{why} {'the bot as it was entered, got another' if bot.name in names else 'no new bot, got one'}"
        for key, bot in bots.items()
        if (bot.name, digest_bot(bot)) not in entered
    }


def _last(manifests: Sequence[Manifest]) -> list[Entrant]:
    """The last version of each bot in each run; and the one that played last, if a later one cannot start."""
    entrants: list[Entrant] = []
    for manifest in manifests:
        entrants += {bot_of(entrant.name): entrant for entrant in manifest.entrants}.values()
        entrants += {bot_of(entrant.name): entrant for entrant in manifest.entrants if not entrant.withdrawn}.values()
    return entrants


def _too_many(
    most: int, bots: Mapping[str, BotFile], manifests: Sequence[Manifest], owners: Owners | None
) -> dict[str, str]:
    """Bots that took part before come first, then the others by the names of their folders.

    A bot that could not start in an earlier season, and is as it was, takes no place of its owners.
    """
    entrants = [entrant for manifest in manifests for entrant in manifest.entrants]
    started = {(bot_of(entrant.name), entrant.digest) for entrant in entrants if not entrant.withdrawn}
    failed = {(bot_of(entrant.name), entrant.digest) for entrant in entrants} - started
    names = {name for name, _ in started}
    excluded: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for key, bot in sorted(bots.items(), key=lambda entry: (entry[1].name not in names, entry[0])):
        if failed and (bot.name, digest_bot(bot)) in failed:
            continue
        accounts = (bot.owner,) if owners is None else owners.of(bot.name) or ("",)
        whose = {" ".join(account.split()).casefold(): account for account in accounts}
        full = next((name for name in whose if counts[name] >= most), None)
        if full is not None:
            of = f"of {whose[full]!r}" if full else "without an owner"
            excluded[key] = f"expected at most {plural(most, 'bot')} {of}, got more"
        else:
            counts.update(list(whose))
    return excluded


class Excluded(Struct, frozen=True, kw_only=True):
    """A bot in the folder that does not play."""

    bot: str
    """Its name, or that of its folder where its file gives none."""
    folder: str
    """From the league's folder, if it is in there."""
    why: str
    holder: str = ""
    """The folder of the bot that has its name, if that is the reason."""


class League(Struct, frozen=True, kw_only=True):
    """A league, as its folder is now. The anchors stand first among the bots; all names differ."""

    folder: Path
    spec: LeagueSettings
    """What its settings ask for of each game; ``out`` is where the runs are, a folder a game."""
    games: tuple[Game, ...]
    bots: tuple[BotFile, ...]
    anchors: tuple[str, ...]
    excluded: tuple[Excluded, ...] = ()
    """Those that could not even be entered."""
    owners: Owners | None = None
    """Whose bots they are; None: their files tell."""

    @property
    def host_bots(self) -> set[str]:
        """The bots out of competition: anchors, and bots that ship with arena."""
        ours = {(bot.name, bot.folder) for bot in read_shipped_bots()}
        return {*self.anchors, *(bot.name for bot in self.bots if (bot.name, bot.folder) in ours)}

    def owner_of(self, bot: str, *, claim: str) -> str:
        """The owners of a bot, by the name that it was entered by: as the league says, or else as the bot claims."""
        return claim if self.owners is None else ", ".join(self.owners.of(bot_of(bot)))

    @property
    def root(self) -> Path:
        """The folder of the runs, which has a folder for each game."""
        return self.spec.out or self.folder / "results"

    @property
    def within(self) -> Path:
        """The folder that no run may leave through a link: the league's own, if the runs are in it."""
        return self.folder if self.root.is_relative_to(self.folder) and ".." not in self.root.parts else self.root


def league_at(
    file: str | None, say: Callable[[str], None], *, trust: bool = False, but: Collection[str] = ()
) -> League:
    """The league with this settings file; by default the one in the current folder.

    A bot that is found by a pattern or in its folder, and whose file or content is not right, is left for later.

    Args:
        file: the settings file.
        say: prints a remark.
        trust: whether to trust the file from now on.
        but: keys whose values are not taken from the file.

    Raises:
        UsageError, BotError: there is no such file, or it is not right, or names a bot or game that is not there, or
            starts or shows something and is not trusted.
    """
    path = Path(SETTINGS_FILE if file is None else file)
    if file == "" or not path.is_file():
        raise UsageError(
            f"expected a league, which is a folder with {SETTINGS_FILE}, got none; `arena new league DIR` begins one"
        )
    counts, folder = filter_settings(read_settings_file(path), path, say, trust=trust, but=but), path.parent
    if not counts.get("games"):
        raise UsageError(f"{path}: games: expected a game of {', '.join(shelf.names())} or all, got none")
    if address := os.environ.get("ARENA_NOTIFY_URL"):
        # where the settings are public, a secret address is not among them
        counts["notify_url"] = address
    with errors_in_words_of(path):
        spec = LeagueSettings(**counts)
        check_no_schedule(spec, "a season")
        ends = [moment_of(spec, "entries_until"), moment_of(spec, "final_date")]
    until = min((moment for moment in ends if moment is not None), default=None)
    names = shelf.names() if "all" in spec.games else dict.fromkeys(spec.games)
    with errors_at_key(f"{path}: games"):
        games = tuple([find_game(name) for name in names])
    with errors_at_key(f"{path}: anchors"):
        anchors = [read_entrant(text) for text in resolve_bots(spec.anchors, folder)]
    league = League(
        folder=folder,
        spec=spec,
        games=games,
        bots=tuple(anchors),
        anchors=tuple([bot.name for bot in anchors]),
        owners=owners_in(folder),
    )
    entries: list[tuple[str, BotFile]] = []
    excluded: list[Excluded] = []
    for text in resolve_bots(spec.bots, folder, may_lack=True):
        try:
            bot = read_entrant(text)
            digest_bot(bot)
        except BotError as error:
            its = Path(text) / BOT_FILE
            if not (is_regular_file(its) or is_in_closed_folder(its)):
                raise UsageError(f"{path}: bots: {error}") from None
            excluded.append(Excluded(bot=_name(text), folder=inside(folder, text), why=str(error)))
        else:
            entries.append((text, bot))
    manifests = _manifests(league)
    with errors_at_key(f"{path}: disqualified"):
        excluded += _disqualified(league, entries, manifests)
    entries = [(text, bot) for text, bot in entries if bot.name not in spec.disqualified]
    if league.owners is not None:
        # what is bound to an account is the name, and what a pull request changes is the folder
        renamed = {text: bot for text, bot in entries if Path(text).is_dir() and Path(text).name != bot.name}
        why = f"expected the name of its folder, because the league has an {OWNERS}, got"
        excluded += [
            Excluded(bot=_name(text), folder=inside(folder, text), why=f"{why} {bot.name!r}")
            for text, bot in renamed.items()
        ]
        entries = [(text, bot) for text, bot in entries if text not in renamed]
    entered, others = _by_name(league, by_claim(entries, manifests))
    late = left_out(until, spec.per_owner, entered, manifests, league.owners)
    excluded += others
    excluded += [Excluded(bot=entered[text].name, folder=inside(folder, text), why=why) for text, why in late.items()]
    playing = [bot for text, bot in entered.items() if text not in late]
    return replace(league, bots=(*anchors, *playing), excluded=tuple(excluded))


def _disqualified(
    league: League, entries: Sequence[tuple[str, BotFile]], manifests: Sequence[Manifest]
) -> list[Excluded]:
    """The bots that are disqualified.

    Raises:
        UsageError: one is an anchor, or neither has a folder nor has played.
    """
    folders = {bot.name: inside(league.folder, text) for text, bot in entries}
    played = {bot_of(entrant.name) for manifest in manifests for entrant in manifest.entrants}
    names = sorted(played.union(folders).difference(league.anchors))
    for name in league.spec.disqualified:
        if name not in names:
            got = f"the anchor {name!r}" if name in league.anchors else f"{name!r}{nearest(name, names)}"
            raise UsageError(f"expected a bot of the league, got {got}")
    return [
        Excluded(bot=name, folder=folders.get(name, ""), why=f"disqualified: {reason}")
        for name, reason in league.spec.disqualified.items()
    ]


def _by_name(league: League, entries: Sequence[tuple[str, BotFile]]) -> tuple[dict[str, BotFile], list[Excluded]]:
    """Of two bots with one name the first, by folder; and those that cannot be entered."""
    registry, names = bots_by_name(league.bots), [game.name for game in league.games]
    entered: dict[str, BotFile] = {}
    excluded: list[Excluded] = []
    for text, bot in entries:
        incumbent = registry.setdefault(bot.name.lower(), bot)
        where = inside(league.folder, text)
        if incumbent.folder != bot.folder or incumbent.command != bot.command:
            holder = "" if incumbent.name in league.anchors else inside(league.folder, incumbent.folder)
            whose = holder or "an anchor"
            has = f"which {whose} has" if incumbent.name == bot.name else f"where {whose} is {incumbent.name!r}"
            why = f"expected a name of its own, got {bot.name!r}, {has}"
            excluded.append(Excluded(bot=_name(text), folder=where, why=why, holder=holder))
        elif bot.games and not set(bot.games).intersection(names):
            theirs = ", ".join(bot.games)
            why = f"expected a bot for {', '.join(names)}, got one for {theirs}"
            excluded.append(Excluded(bot=bot.name, folder=where, why=why))
        elif incumbent is bot:
            entered[text] = bot
    return entered, excluded


def _manifests(league: League) -> list[Manifest]:
    """Those of the runs that have begun."""
    folders = [run_of(league, game) for game in league.games]
    return [folder.manifest() for folder in folders if folder.begun()]


def known_bots(league: League) -> set[str]:
    """The names of all bots that the league has or had, and of their folders."""
    names = {bot_of(entrant.name) for manifest in _manifests(league) for entrant in manifest.entrants}
    names.update(bot.name for bot in league.bots)
    return names.union(*[(out.bot, Path(out.folder).name) for out in league.excluded])


def inside(home: Path, folder: str) -> str:
    """The path of a folder relative to ``home``, if it is in there."""
    path, top = Path(folder).resolve(), home.resolve()
    return path.relative_to(top).as_posix() if path.is_relative_to(top) else str(path)


def _name(text: str) -> str:
    """The name of a bot without a name of its own: made from its folder's name."""
    return plain(on_one_line(Path(text).name), 64)


def run_of(league: League, game: Game) -> RunFolder:
    """The run of a game. When the rules of the game get a new version, a new run is begun beside the old one."""
    folder = RunFolder(league.root / game.name, within=league.within)
    if folder.begun() and folder.manifest().game_version != game.version:
        return RunFolder(league.root / f"{game.name}-version-{game.version}", within=league.within)
    return folder


def contest_of(league: League, game: Game, retry: Sequence[str]) -> Contest:
    """The season of a game with the present settings and bots; the run in the folder is not read yet.

    Raises:
        UsageError: a setting is not within bounds.
    """
    folder = run_of(league, game)
    field = [bot for bot in league.bots if not bot.games or game.name in bot.games]
    config = make_settings(
        league.spec, game, league.games, seed=seed_text(league.spec.seed, league.spec.secret_file), entrants=None
    )
    if league.spec.seats is None and folder.begun():
        config = replace(config, seats=folder.manifest().seats)
    names = [bot.name for bot in field]
    return Contest(
        folder=folder,
        game=game,
        settings=config,
        bots=field,
        padded=names,
        retry=retry,
        fillers=[name for name in league.anchors if name in names] or names,
    )


def decide_season(contest: Contest) -> Decision:
    """What to do for the next season of a game, once none is unfinished.

    Raises:
        SettingsMismatch: the league's settings are no longer those that the run was begun with.
        NotReadyError: there is no bot to play.
    """
    if not contest.folder.begun() and not contest.bots:
        raise NotReadyError(f"expected a bot or an anchor that plays {contest.game.name}, got none", {})
    contest.fill(contest.find_resting())
    decision = contest.weigh()
    if not isinstance(decision, Refused):
        return decision
    raise _explain(contest.folder, decision.why) if isinstance(decision.why, SettingsMismatch) else decision.why


def find_unfinished(contest: Contest) -> tuple[Contest, Resume] | None:
    """The season of a game that has begun and is not finished, with its bots; None if there is none.

    Raises:
        SettingsMismatch: settings or bots are no longer what they were.
    """
    folder = contest.folder
    if not folder.begun() or folder.manifest().finished:
        return None
    manifest = folder.manifest()
    settings = replace(contest.settings, seats=manifest.seats, matches=manifest.matches)
    try:
        check_same_settings(manifest, settings, contest.game)
    except SettingsMismatch as difference:
        raise _explain(folder, difference) from None
    padded = [Identity.of(name).entered for name in manifest.epochs[-1].entrants]
    bots = [bot for bot in contest.bots if bot.name in {bot_of(name) for name in padded}]
    names = {bot.name for bot in bots}
    old = Contest(
        folder=folder,
        game=contest.game,
        settings=settings,
        bots=bots,
        padded=[name for name in padded if bot_of(name) in names],
        retry=contest.retry,
    )
    entrants = old.enter_bots()
    same = {entrant.name for entrant in name_in_run(manifest, entrants)}
    if gone := [name for name in manifest.epochs[-1].entrants if name not in same and Identity.of(name).copy == 1]:
        raise SettingsMismatch(
            f"{folder.path}: expected {', '.join(gone)} as entered, because the season is not finished, got "
            "others or none: put them back, or give the rest of it up with `arena season --give-up`"
        )
    check_same_bots(manifest, entrants)
    return old, Resume(manifest=manifest)


def _explain(folder: RunFolder, difference: UsageError) -> SettingsMismatch:
    return SettingsMismatch(
        f"{folder.path}: {difference}: a league keeps its settings; with another `out` it begins a new run"
    )


def lacking(folder: RunFolder) -> int:
    """How many matches of a run that is set up are missing."""
    manifest = folder.manifest()
    return manifest.matches - sum(1 for _ in folder.outcomes()) + len(folder.unsettled(manifest))
