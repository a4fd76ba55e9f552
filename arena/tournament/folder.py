"""A run's folder: its manifest, journal, secret and logs, and how they are read and replaced. Plays nothing.

``run.json`` is the manifest, ``matches.jsonl`` the journal, ``secret.json`` the seed texts (for its owner's eyes
only, until the run is finished and the manifest reveals them), ``logs/`` what bots wrote to stderr, ``leaderboard.md``
the table of the run as it was last finished.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, Self, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from arena.errors import DamagedError, UsageError, nearest, unmade
from arena.files import decoder, files, inside, kind, make, opened, read, remove, write
from arena.formats.format import PAIRING
from arena.formats.schedule import Audit
from arena.game import LARGEST, Game, Objective, State
from arena.games import find
from arena.record import MatchId, MatchResult, Record, Seconds, match_key
from arena.sandbox import Level
from arena.tournament import journal
from arena.tournament.journal import Journal, Sealed
from arena.tournament.secrets import Secret
from arena.tournament.shard import WHOLE_RUN, Shard
from arena.wire import Limits

FORMAT = 1
CUT = 4
"""How the schedule is cut into units and shards; another cut is a new number."""
MOST_SEATS = 8
"""Of a table: what counts matches and draws line-ups is tried up to here."""
BALANCED = "balanced"
MATCHES = 11_000_000
"""Matches of a run at most, rounded up to whole blocks: more could not be drawn."""
_Number: TypeAlias = Annotated[int, Meta(ge=0, le=MATCHES)]
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}([@#][0-9]{1,9}){0,2}")
"""Of an entrant: a bot's name, which content of that name it is, and which copy."""
Deals: TypeAlias = Literal["mirrored", "single"]
"""Whether the rotations of a block share one deal, or each has a deal of its own."""
VOID_SESSIONS = 3
"""Sessions in which a match may be void; after that many it stays void."""
TOLD_EVERY = 5.0
"""Seconds of playing after which the manifest is written: a kill loses no more."""


class AbsentRun(UsageError):
    """There is no run in this folder."""


class BrokenRun(DamagedError):
    """A file of a run folder is missing or invalid."""


class Entrant(Struct, frozen=True):
    """A bot as it was entered. ``digest`` is the SHA-256 of its files and command."""

    name: str
    digest: str
    command: tuple[str, ...]
    version: str = ""
    owner: str = ""
    language: str = ""
    withdrawn: str = ""
    """Why it was withdrawn before the first match; empty if it plays."""
    limits: Limits | None = None
    """Its own, if it asks for less than the run allows."""
    entered: str = ""
    """How it was named where the run was begun: what to type for BOT."""


class Epoch(Struct, frozen=True, kw_only=True):
    """A part of a run with a secret of its own: the first one, or an extension."""

    number: int
    commitment: str
    matches: _Number
    """Matches of this epoch, in whole blocks."""
    seed: str | None = None
    """The seed text, revealed when the epoch is finished."""
    entrants: Annotated[tuple[str, ...], Meta(min_length=1)]
    """Those that play in it."""
    asked: _Number
    """How many matches were asked for, of the whole run, when it began."""
    owed: dict[str, dict[str, _Number]] = {}
    """For each seat count, how many blocks each entrant lacked that had played less than the others."""
    beacon: str | None = None
    """A public text that is mixed into the secret."""
    awaits: str = ""
    """What was announced as the beacon, before it could be known."""
    given_up: tuple[MatchId, ...] = ()
    """Ids of its matches that are never played: one of their bots has changed, or the question is decided."""
    together: tuple[str, ...] = ()
    """Entrants that sit in every block."""
    schedule: str = ""
    """The format and its options, where a later epoch has others; empty: those of the run."""


class Rules(Struct, frozen=True, kw_only=True):
    """What every match of a run is played by, from settings to manifest to lanes."""

    game: str
    variants: dict[str, str]
    seats: Annotated[tuple[Annotated[int, Meta(ge=1, le=MOST_SEATS)], ...], Meta(min_length=1)]
    """The seat counts played, each with its share of the blocks."""
    limits: Limits
    """Those of the run, in milliseconds and bytes: a bot may ask for lower ones."""
    schedule: str = BALANCED
    """The format and its options. For any but ``BALANCED``, the epochs count the matches of the rounds so far."""
    isolation: Level = "none"
    """What sandbox the bots play within."""
    network: tuple[str, ...] = ()
    """The bots that may reach the network."""
    debug: str = ""
    """The bot that is debugged, with its clock off: such a run is not fair."""
    shard: str = ""
    """Which part of the run is played here, as ``2/5`` or ``2/5,by=rotation``; empty: the whole."""
    block: Deals = "mirrored"
    """Whether the matches of a block share one deal."""

    @property
    def part(self) -> Shard:
        """Which part of the run is played here."""
        return Shard.read(self.shard) if self.shard else WHOLE_RUN

    @property
    def drawn_whole(self) -> bool:
        """Whether all its blocks are known before the first match; else the next round follows from results."""
        return self.schedule == BALANCED


class Manifest(Rules, frozen=True, kw_only=True):
    """The manifest of a run: enough to resume, repeat and check it. Times are in milliseconds."""

    arena: str
    game_version: str
    objective: Objective
    span: int | float | None
    """Where scores decide the rounds, as in ``Terms``."""
    range: int | float | None = None
    """Where the score counts, all that lies between the bounds of a score; None: there are none, or it is not told."""
    least: int | float | UnsetType = UNSET  # the lower bound
    entrants: tuple[Entrant, ...]
    epochs: Annotated[tuple[Epoch, ...], Meta(min_length=1)]
    audits: dict[str, Audit]
    """For each seat count, how even the schedule of all epochs is."""
    created: str
    """UTC, to the second."""
    seed_given: bool = False
    field: tuple[str, ...] = ()
    """The entrants that take part now, if the run has been extended; empty: all entrants."""
    pairing: int  # by which rules rounds follow from results: ``PAIRING``
    cut: int  # how a schedule is cut: ``CUT``
    finished: bool = False
    sealed: Sealed | None = None
    """Of a finished run, what its journal holds."""
    seconds: Seconds = 0.0  # of wall time of playing, over all sessions of the runner
    format: int = FORMAT

    @property
    def matches(self) -> int:
        """The number of matches of all epochs, without those given up."""
        return sum(epoch.matches - len(epoch.given_up) for epoch in self.epochs)

    @property
    def present(self) -> tuple[str, ...]:
        """The names of the entrants that take part now."""
        return self.field or tuple([entrant.name for entrant in self.entrants])

    def revealed(self, secrets: Mapping[int, Secret]) -> Self:
        """The same with the seed text of each epoch."""
        epochs = tuple(msgspec.structs.replace(epoch, seed=secrets[epoch.number].seed_text) for epoch in self.epochs)
        return msgspec.structs.replace(self, epochs=epochs)

    @property
    def given_up(self) -> frozenset[str]:
        """Ids of the matches that are never played."""
        return frozenset(match for epoch in self.epochs for match in epoch.given_up)


_decode = decoder(Manifest)


def _out_of_bounds(manifest: Manifest) -> str | None:
    """The first value that no run of this version can have, as *expected ... got ...*."""
    # the third pairing changed what ends by a bet: the rounds of others are those of the second
    same = manifest.pairing == PAIRING - 1 and not any(end in manifest.schedule for end in ("until=", "race", "knock"))
    for name, due in {"format": FORMAT, "pairing": PAIRING - same, "cut": CUT}.items():
        if (got := getattr(manifest, name)) != due:
            return f"expected {name} {due}, got {got}: another version of arena began this run"
    if manifest.finished and manifest.sealed is None:
        return "sealed: expected what the journal of a finished run holds, got none"
    for entrant in manifest.entrants:
        # arena names files after entrants
        if not _NAME.fullmatch(entrant.name):
            return f"expected a name of a bot, got {entrant.name!r}"
    for limits in {manifest.limits, *[entrant.limits for entrant in manifest.entrants if entrant.limits]}:
        for key, value in msgspec.structs.asdict(limits).items():
            if not 0 <= value <= LARGEST:
                return f"limits: expected {key} from 0 to {LARGEST}, got {value}"
    return f"expected at most {MATCHES} matches, got {manifest.matches}" if manifest.matches > MATCHES else None


_texts = decoder(dict[int, str])


class RunFolder:
    """The files of one run in ``path``. With ``within``, the path must stay below that folder.

    Raises:
        arena.files.Linked: it leaves it by a link; all methods raise this for a file that is a link.
    """

    def __init__(self, path: Path, *, within: Path | None = None) -> None:
        self.path = path
        self._first = ""
        """The commitment of the run that was found here: no other may take its place meanwhile."""
        if within is not None:
            inside(within, str(path.relative_to(within)))

    def make(self) -> None:
        """Make the folder if it does not exist.

        Raises:
            UsageError: it cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unmade(self.path, error, option="out") from error

    @property
    def journal(self) -> Path:
        """The path of the journal."""
        return self.path / "matches.jsonl"

    @property
    def page(self) -> Path:
        """The path of the leaderboard of a finished run."""
        return self.path / "leaderboard.md"

    @property
    def logs(self) -> Path:
        """The folder of the stderr of bots, a file for each."""
        return self.path / "logs"

    def begun(self) -> bool:
        """Whether a run has been set up here.

        Raises:
            BrokenRun: there are matches without a manifest.
        """
        if (self.path / "run.json").exists():
            return True
        if self.journal.is_file() and self.journal.stat().st_size:
            raise BrokenRun(f"{self.path}: expected a run.json beside {self.journal.name}, got none")
        return False

    def manifest(self) -> Manifest:
        """The run manifest.

        Raises:
            AbsentRun: there is no run here.
            BrokenRun: it is missing or damaged, or another run has taken the place of the one that was read before.
        """
        path = self.path / "run.json"
        data = b""
        try:
            data = read(self.path, path.name)
            manifest = _decode(data)
        except (FileNotFoundError, NotADirectoryError):
            self.begun()
            if runs_inside := sorted(manifest_file.parent.name for manifest_file in self.path.glob(f"*/{path.name}")):
                which = f"a folder of runs, such as {str(self.path / runs_inside[-1])!r}"
                raise AbsentRun(f"{self.path}: expected a run folder with a run.json, got {which}") from None
            runs = [*self.path.parent.glob(f"*/{path.name}"), *Path().glob(f"*/*/{path.name}")]
            # it may have come meanwhile
            near = nearest(str(self.path), {str(run.parent) for run in runs} - {str(self.path)})
            got = "none" if self.path.is_dir() else kind(self.path)
            raise AbsentRun(f"{self.path}: expected a run folder with a run.json, got {got}{near}") from None
        except msgspec.DecodeError as error:
            # the decoder names the byte of every error except the end of a truncated file
            where = f", byte {len(data)}" if "truncated" in str(error) else ""
            raise BrokenRun(f"{path}: expected a run manifest, got something else ({error}{where})") from None
        try:
            _ = manifest.part
        except ValueError as error:
            raise BrokenRun(f"{path}: shard: {error}") from None
        if wrong := _out_of_bounds(manifest):
            raise BrokenRun(f"{path}: {wrong}")
        first = manifest.epochs[0].commitment
        if self._first not in {"", first}:
            raise BrokenRun(f"{path}: expected the run that was there a moment ago, got another in its place")
        self._first = first
        return manifest

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the run manifest.

        The leaderboard beside a finished run is that run's: an older one goes first, so that a crash leaves none.
        """
        if manifest.finished:
            remove(self.path, self.page.name)
        else:
            manifest = msgspec.structs.replace(manifest, sealed=None)
        self._first = manifest.epochs[0].commitment
        write(self.path, "run.json", msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")

    def secrets_of(self, manifest: Manifest, further: Mapping[int, str] = MappingProxyType({})) -> dict[int, Secret]:
        """The secrets of a manifest, which need not be written yet; ``further`` holds seed texts from elsewhere.

        Raises:
            BrokenRun: one is missing, or is not what the manifest committed to.
        """
        revealed = {epoch.number: epoch.seed for epoch in manifest.epochs if epoch.seed is not None}
        texts = {**further, **self.kept_secrets(), **revealed}
        secrets = {}
        for epoch in manifest.epochs:
            if epoch.number not in texts:
                where = (
                    "secret.json, got none" if not manifest.shard else f"shard {manifest.shard}, got none: see --plan"
                )
                raise BrokenRun(f"{self.path}: expected the secret of epoch {epoch.number} in {where}")
            secret = Secret.of(texts[epoch.number], beacon=epoch.beacon, mirrored=manifest.block == "mirrored")
            if secret.commitment != epoch.commitment:
                raise BrokenRun(f"{self.path}: expected the secret that epoch {epoch.number} committed to, got another")
            secrets[epoch.number] = secret
        return secrets

    def kept_secrets(self) -> dict[int, str]:
        """The seed texts of ``secret.json``, by epoch; none if it is not there.

        Raises:
            BrokenRun: it is not what it should be.
        """
        try:
            return _texts(read(self.path, "secret.json"))
        except FileNotFoundError:
            return {}
        except msgspec.DecodeError as error:
            raise BrokenRun(f"{self.path / 'secret.json'}: expected seed texts, got something else ({error})") from None

    def untold_seconds(self) -> float:
        """Seconds of play that a killed session did not write down: from its last manifest to its last match.

        By the clock of the files: however that is set, never below 0, nor more than may pass between two manifests.
        """
        with suppress(FileNotFoundError):
            between = self.journal.stat().st_mtime - (self.path / "run.json").stat().st_mtime
            return min(max(between, 0.0), TOLD_EVERY)
        return 0.0

    def write_secrets(self, texts: Mapping[int, str]) -> None:
        """Store the seed texts, readable by the owner only."""
        write(self.path, "secret.json", msgspec.json.encode(texts) + b"\n", 0o600)

    def forget_secrets(self) -> None:
        """Remove the stored seed texts, when the manifest reveals them."""
        remove(self.path, "secret.json")

    def write_page(self, text: str) -> None:
        """Replace the leaderboard."""
        write(self.path, self.page.name, text.encode())

    def read_page(self) -> str | None:
        """The leaderboard as it was written, or None if there is none."""
        with suppress(FileNotFoundError):
            return read(self.path, self.page.name).decode("utf-8", "backslashreplace")
        return None

    def log(self, bot: str, text: bytes, limit: int) -> None:
        """Append stderr of a bot to its log, unless the log has ``limit`` bytes already."""
        make(self.path, self.logs.name)
        descriptor = opened(self.path, f"{self.logs.name}/{bot}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        with open(descriptor, "ab") as log:  # noqa: PTH123 - a descriptor
            if log.tell() < limit:
                log.write(text)

    def read_log(self, bot: str) -> bytes:
        """The stored part of what a bot wrote to stderr; empty if it wrote nothing."""
        with suppress(FileNotFoundError):
            return read(self.path, f"{self.logs.name}/{bot}.log")
        return b""

    def read_logs(self) -> Iterator[tuple[str, bytes]]:
        """The log files of bots: their names and contents."""
        for name in files(self.path, self.logs.name):
            if name.endswith(".log"):
                yield name.removeprefix(f"{self.logs.name}/"), read(self.path, name)

    def sealed(self) -> Sealed | None:
        """The seal of the run's journal, if there is one and the run is finished.

        Raises:
            BrokenRun: its manifest is damaged.
            arena.tournament.journal.Altered: there is no journal.
        """
        if not (self._first or self.begun()) or not (manifest := self.manifest()).finished:
            return None
        if (sealed := manifest.sealed) is not None and sealed.records and not self.journal.exists():
            raise journal.Altered(self.journal, sealed, count=0, end=0)
        return sealed

    def hold(self, *, strict: bool = True) -> Journal:
        """The journal, taken for writing by this process alone; if it is to be ``strict``, it is what it was.

        Raises:
            arena.tournament.journal.Altered: the run is finished, and these are not the records that it had then.
                Fewer of them are no error: they are played again.
            arena.tournament.journal.Locked, arena.tournament.journal.Corrupt, OSError: as ``Journal.open``.
        """
        writer = Journal.open(self.journal)
        try:
            # what is added would be sealed together with what is there
            if strict and (sealed := self.sealed()) is not None:
                writer.check(sealed)
        except BaseException:
            writer.close()
            raise
        return writer

    def records(self, *, strict: bool = True) -> Iterator[Record]:
        """The recorded matches, in the order in which they were finished; also while the run is played.

        Raises:
            arena.tournament.journal.Corrupt: the journal is damaged; or, if it is to be ``strict``, the run is finished
                and its journal is no longer what it was then.
        """
        sealed = self.sealed() if strict else None
        return journal.read(self.journal, sealed) if self.journal.exists() else iter(())

    def check_whole(self) -> None:
        """Check that the journal of a finished run has not changed: for callers that do not read it to its end.

        Raises:
            arena.tournament.journal.Corrupt: it is not, or it is damaged.
        """
        if (sealed := self.sealed()) is not None:
            for _ in journal.lines(self.journal, sealed):
                pass

    def outcomes(self) -> Iterator[MatchResult]:
        """The outcomes of the recorded matches.

        Raises:
            arena.tournament.journal.Corrupt: the journal is damaged.
        """
        return journal.outcomes(self.journal) if self.journal.exists() else iter(())

    def unsettled(self, manifest: Manifest) -> frozenset[str]:
        """The ids of void matches that the next session plays again; none once the run is finished.

        Raises:
            arena.tournament.journal.Corrupt: the journal is damaged.
        """
        if manifest.finished or not any(record.reason == "void" for record in self.outcomes()):
            return frozenset()
        times = journal.voids(self.journal)
        return frozenset(
            record.id for record in self.outcomes() if record.reason == "void" and times[record.id] < VOID_SESSIONS
        )

    def in_order(self) -> Iterator[Record]:
        """The recorded matches in canonical order; only their places in the file are held in memory.

        Raises:
            arena.tournament.journal.Corrupt: the journal is damaged.
        """
        sealed = self.sealed()
        return journal.in_order([self.journal], [sealed]) if self.journal.exists() else iter(())


def deal_again(secrets: dict[int, Secret], record: Record) -> tuple[Game, State]:
    """The game of a record and the state its match began with.

    Raises:
        BrokenRun: the epoch's secret is not known here, or the game is now played otherwise.
    """
    epoch, block, rotation = match_key(record.id)
    game = find(record.game)
    if epoch not in secrets:
        raise BrokenRun(f"match {record.id}: expected an epoch of the run manifest, got {epoch}")
    if game.version != record.version:
        raise BrokenRun(f"match {record.id}: expected {game.name} version {game.version}, got {record.version}")
    if len(record.bots) not in game.seats:
        expected = f"{game.seats[0]} to {game.seats[-1]} seats for {game.name}"
        raise BrokenRun(f"match {record.id}: expected {expected}, got {len(record.bots)}")
    try:
        variants = game.resolve_variants(record.variants)
    except ValueError as error:
        raise BrokenRun(f"match {record.id}: {error}") from None
    return game, game.deal(len(record.bots), secrets[epoch].deal(epoch=epoch, block=block, rotation=rotation), variants)
