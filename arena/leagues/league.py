"""A league: the folder of an ``arena.toml``, who may enter bots there and until when, and the run of each game.

Reads the manifests of the league's runs, because bots that have played there may stay. Starts nothing; knows no option
of a command.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena import games as shelf
from arena.errors import NotReadyError, UsageError, nearest
from arena.game import Game
from arena.identity import Identity, bot_of
from arena.leagues.owners import Owners, owners_in
from arena.players import (
    BotFile,
    is_shipped,
    read_entrant,
    read_shipped_bots,
)
from arena.tournament import (
    MATCHES_PER_BOT,
    SETTINGS_FILE,
    Contest,
    Decision,
    LeagueSettings,
    Manifest,
    Refused,
    Resume,
    RunFolder,
    SettingsMismatch,
    StartFailure,
    bots_by_name,
    check_no_schedule,
    check_same_bots,
    check_same_settings,
    errors_at_key,
    errors_in_words_of,
    filter_settings,
    find_game,
    fit_to_field,
    make_settings,
    name_in_run,
    no_bots,
    read_settings_file,
    resolve_bots,
    seed_text,
)

if TYPE_CHECKING:
    from arena.leagues.entries import Entries


REMOVAL = "removal.json"
"""What of a person is being removed: there only until that is done."""
LONGEST_BUILD = 120.0
"""Seconds of a step of a build: a night waits no longer for a bot that sleeps."""


def clock() -> datetime:
    """What this machine takes for the time, in UTC."""
    return datetime.now(UTC)


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


def end_of(spec: LeagueSettings) -> datetime | None:
    """The moment after which no bot is new or changes, if there is one; raises ``UsageError`` as ``moment_of``."""
    moments = [moment_of(spec, "entries_until"), moment_of(spec, "final_date")]
    return min([moment for moment in moments if moment is not None], default=None)


class Excluded(Struct, frozen=True, kw_only=True):
    """A bot in the folder that does not play, or whose newest version does not."""

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
    disqualified: tuple[Excluded, ...] = ()
    owners: Owners | None = None
    """Whose bots they are; None: their files tell."""
    entries: "Entries | None" = None
    """Which versions play, once that is known."""

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """The bots that could not even be entered, or not in their newest version."""
        return self.list_excluded(public=False)

    def list_excluded(self, *, public: bool) -> tuple[Excluded, ...]:
        """As ``excluded``; for the ``public`` the reasons quote neither bots nor this machine."""
        entries = [*self.entries.by_text.values()] if self.entries is not None else []
        reasons = [
            Excluded(bot=entry.bot, folder=entry.folder, why=entry.reason, holder=entry.holder)
            for entry in ([entry.public for entry in entries] if public else entries)
            if entry.reason and entry.bot not in self.spec.disqualified
        ]
        return (*reasons, *self.disqualified)

    @property
    def outdated(self) -> set[str]:
        """The bots of which an earlier version plays."""
        entries = self.entries.by_text.values() if self.entries is not None else ()
        return {entry.bot for entry in entries if entry.why and entry.plays is not None and not entry.out}

    @property
    def now(self) -> datetime:
        """The time, which no clock that was set back makes earlier than a decision on entries."""
        return self.entries.now if self.entries is not None else clock()

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
    file: str | None,
    say: Callable[[str], None],
    *,
    trust: bool = False,
    but: Collection[str] = (),
    decides: bool = True,
    retry: Sequence[str] = (),
    removes: bool = False,
) -> League:
    """The league with this settings file; by default the one in the current folder.

    A bot that is found by a pattern or in its folder, and whose file or content is not right, is left for later.

    Args:
        file: the settings file.
        say: prints a remark.
        trust: whether to trust the file from now on.
        but: keys whose values are not taken from the file.
        decides: whether to decide now who plays; else the last season's decision counts, if there is one.
        retry: bots whose versions that could not start may be tried again.
        removes: whether data of a person is removed, which may have been stopped in the middle.

    Raises:
        UsageError, BotError: there is no such file, or it is not right, or names a bot or game that is not there, or
            starts or shows something and is not trusted.
    """
    path = Path(SETTINGS_FILE if file is None else file)
    if file == "" or not path.is_file():
        raise UsageError(
            f"expected a league, which is a folder with {SETTINGS_FILE}, got none; `arena new league DIR` begins one"
        )
    if (path.parent / REMOVAL).exists() and not removes:
        cure = "`arena season --forget` with the same name finishes it"
        raise UsageError(f"{path.parent / REMOVAL}: expected no removal that was stopped, got one: {cure}")
    counts, folder = filter_settings(read_settings_file(path), path, say, trust=trust, but=but), path.parent
    if not counts.get("games"):
        raise UsageError(f"{path}: games: expected a game of {', '.join(shelf.names())} or all, got none")
    if address := os.environ.get("ARENA_NOTIFY_URL"):
        # where the settings are public, a secret address is not among them
        counts["notify_url"] = address
    with errors_in_words_of(path):
        spec = LeagueSettings(**counts)
        check_no_schedule(spec, "a season")
        if spec.matches is not None and (spec.matches_per_bot is not None or spec.play_until is not None):
            cure = "matches-per-bot alone, for `matches` is the total of a whole run"
            raise UsageError(f"expected {cure}, got {spec.matches} beside it or until", option="matches")
        until = end_of(spec)
        if until is not None and (day := moment_of(spec, "sources")) is not None and day < until:
            raise UsageError(f"expected a day when entries are over, got {spec.sources!r}", option="sources")
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
    # git and files are asked only where a league is read
    from arena.leagues.claims import by_claim, too_many  # noqa: PLC0415
    from arena.leagues.entries import Entries  # noqa: PLC0415

    manifests = _manifests(league)
    entries = Entries(
        folder,
        until=until,
        owners=league.owners,
        begun=bool(manifests),
        clock=clock(),
        decides=decides,
        private=spec.repositories is not None,
        retry=retry,
        say=say,
    )
    league = replace(league, entries=entries)
    with errors_at_key(f"{path}: bots"):
        found = resolve_bots(spec.bots, folder, may_lack=True)
        for text in entries.list_texts((*found, *filter(entries.knows, no_bots(spec.bots, folder)))):
            entries.enter(text)
    with errors_at_key(f"{path}: disqualified"):
        league = replace(
            league, disqualified=tuple(_disqualified(league, [*entries.bots.items()], manifests, removes=removes))
        )
    playing = [(text, bot) for text, bot in entries.bots.items() if bot.name not in spec.disqualified]
    if entries.decides:
        entered = _by_name(league, entries, by_claim(playing, manifests))
        late = too_many(spec.per_owner, entered, manifests, league.owners) if spec.per_owner is not None else {}
        for text, why in late.items():
            entries.exclude(text, why=why)
    out = [text for text, entry in entries.by_text.items() if entry.out]
    return replace(league, bots=(*anchors, *[bot for text, bot in playing if text not in out]))


def _disqualified(
    league: League, entries: Sequence[tuple[str, BotFile]], manifests: Sequence[Manifest], *, removes: bool
) -> list[Excluded]:
    """The bots that are disqualified; with ``removes`` one may have got another name meanwhile.

    Raises:
        UsageError: one is an anchor, or neither has a folder nor has played.
    """
    folders = {bot.name: inside(league.folder, text) for text, bot in entries}
    played = {bot_of(entrant.name) for manifest in manifests for entrant in manifest.entrants}
    names = sorted(played.union(folders).difference(league.anchors))
    for name in league.spec.disqualified:
        if name not in names and not removes:
            got = f"the anchor {name!r}" if name in league.anchors else f"{name!r}{nearest(name, names)}"
            raise UsageError(f"expected a bot of the league, got {got}")
    return [
        Excluded(bot=name, folder=folders.get(name, ""), why=f"disqualified: {reason}")
        for name, reason in league.spec.disqualified.items()
    ]


def _by_name(league: League, entries: "Entries", playing: Sequence[tuple[str, BotFile]]) -> dict[str, BotFile]:
    """Of two bots with one name the first, by folder; those that cannot be entered are excluded."""
    registry, names = bots_by_name(league.bots), [game.name for game in league.games]
    entered: dict[str, BotFile] = {}
    for text, bot in playing:
        incumbent = registry.setdefault(bot.name.lower(), bot)
        if incumbent.folder != bot.folder or incumbent.command != bot.command:
            place = next((place for place, other in entered.items() if other is incumbent), incumbent.folder)
            holder = "" if incumbent.name in league.anchors else inside(league.folder, place)
            whose = holder or "an anchor"
            has = f"which {whose} has" if incumbent.name == bot.name else f"where {whose} is {incumbent.name!r}"
            why = f"expected a name of its own, got {bot.name!r}, {has}"
            entries.exclude(text, why=why, holder=holder)
        elif bot.games and not set(bot.games).intersection(names):
            theirs = ", ".join(bot.games)
            entries.exclude(text, why=f"expected a bot for {', '.join(names)}, got one for {theirs}")
        elif incumbent is bot:
            entered[text] = bot
    return entered


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


def run_of(league: League, game: Game) -> RunFolder:
    """The run of a game. When the rules of the game get a new version, a new run is begun beside the old one."""
    folder = RunFolder(league.root / game.name, within=league.within)
    if folder.begun() and folder.manifest().game_version != game.version:
        return RunFolder(league.root / f"{game.name}-version-{game.version}", within=league.within)
    return folder


def list_outdated(contest: Contest) -> list[RunFolder]:
    """The runs of a season's game that are not finished and were begun by another version of its rules."""
    root, name = contest.folder.path.parent, contest.game.name
    folders = [RunFolder(path, within=root) for path in (root / name, *sorted(root.glob(f"{name}-version-*")))]
    manifests = [(folder, folder.manifest()) for folder in folders if folder.begun()]
    return [
        folder
        for folder, manifest in manifests
        if not manifest.finished and manifest.game_version != contest.game.version
    ]


def contest_of(league: League, game: Game, retry: Sequence[str]) -> Contest:
    """The season of a game with the present settings and bots; the run in the folder is not read yet.

    Raises:
        UsageError: a setting is not within bounds.
    """
    folder = run_of(league, game)
    field = [bot for bot in league.bots if not bot.games or game.name in bot.games]
    if league.entries is not None:
        entrants = folder.manifest().entrants if folder.begun() else ()
        field = [league.entries.hold(bot, entrants) for bot in field]
    config = make_settings(
        league.spec, game, league.games, seed=seed_text(league.spec.seed, league.spec.secret_file), entrants=None
    )
    if league.spec.seats is None and folder.begun():
        config = replace(config, seats=folder.manifest().seats)
    if league.spec.matches is None:
        per_bot = league.spec.matches_per_bot or MATCHES_PER_BOT
        config = fit_to_field(replace(config, per_bot=per_bot), len(field))
    names = [bot.name for bot in field]
    return Contest(
        folder=folder,
        game=game,
        settings=config,
        bots=field,
        padded=names,
        retry=retry,
        fillers=[name for name in league.anchors if name in names] or names,
        public=True,
        of_build=LONGEST_BUILD,
    )


def decide_season(contest: Contest, failures: Mapping[str, StartFailure] = MappingProxyType({})) -> Decision:
    """What to do for the next season of a game, once none is unfinished, without the bots that fail to start.

    Raises:
        SettingsMismatch: the league's settings are no longer those that the run was begun with.
        NotReadyError: there is no bot to play.
    """
    if not contest.folder.begun() and not contest.bots:
        raise NotReadyError(f"expected a bot or an anchor that plays {contest.game.name}, got none", {})
    contest.fill(contest.find_resting().union(failures))
    decision = contest.weigh(entrants=contest.enter_bots(failures))
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
        public=True,
        of_build=LONGEST_BUILD,
    )
    entrants = old.enter_bots()
    same = {entrant.name for entrant in name_in_run(manifest, entrants)}
    if gone := [name for name in manifest.epochs[-1].entrants if name not in same and Identity.of(name).copy == 1]:
        ours = {bot.name for bot in bots if is_shipped(bot)}.issuperset(map(bot_of, gone))
        cure = "finish it with the arena that began it" if ours else "put them back"
        raise SettingsMismatch(
            f"{folder.path}: expected {', '.join(gone)} as entered, because the season is not finished, got "
            f"others or none: {cure}, or give the rest of it up with `arena season --give-up`"
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
