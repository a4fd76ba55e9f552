"""What is to be played: settings and entrants to epochs, blocks and jobs. Pure; starts nothing and writes nothing."""

from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from arena import __version__
from arena.game import Game
from arena.players.launch import Launch
from arena.players.limits import HOUSE, KEYS, setting
from arena.referee import Match
from arena.sandbox.box import Level
from arena.tournament.folder import Entrant, Epoch, Manifest
from arena.tournament.jobs import Play, Sitting
from arena.tournament.schedule import (
    Audit,
    Block,
    Chunk,
    Fixture,
    audit,
    blocks_for,
    chunks,
    draw,
    match_key,
    remaining,
)
from arena.tournament.secrets import Secret
from arena.wire import Limits

_ROTATIONS = 8
"""At most so many rotations has a block: one a seat."""


class Settings(Struct, frozen=True):
    """How a game is to be played. ``limits`` are those of the house: a bot may ask for lower ones."""

    game: str
    seats: tuple[int, ...]
    variants: dict[str, str]
    matches: int = 240
    seed: str | None = None
    limits: Limits = HOUSE
    isolation: Level = "none"


class Mismatch(ValueError):
    """The folder holds a run with other settings; the text names the first difference."""


def blocks_of(matches: int, seats: Sequence[int]) -> dict[int, int]:
    """The fewest whole blocks that hold at least ``matches`` matches, evenly shared among the seat counts.

    For the number of matches in these blocks it gives the same blocks again.
    """
    # the share of each seat count; a smaller one often does, since blocks are rounded up for each
    share = -(-matches // len(seats))
    while _in_blocks(share - 1, seats) >= matches > 0:
        share -= 1
    return {count: blocks_for(share, count) for count in seats}


def _in_blocks(share: int, seats: Sequence[int]) -> int:
    return sum(count * blocks_for(share, count) for count in seats)


def rounded(matches: int, seats: Sequence[int]) -> int:
    """The number of matches in whole blocks."""
    return sum(count * blocks for count, blocks in blocks_of(matches, seats).items())


def schedule(manifest: Manifest, epoch: Epoch, secret: Secret) -> list[Block]:
    """All blocks of an epoch, those of each seat count after one another."""
    names = [entrant.name for entrant in manifest.entrants if not entrant.withdrawn]
    blocks: list[Block] = []
    for seats, count in blocks_of(epoch.matches, manifest.seats).items():
        blocks += draw(names, seats, count, secret.schedule(epoch.number), epoch=epoch.number, first=len(blocks))
    return blocks


def audits(manifest: Manifest, blocks: Sequence[Block]) -> dict[str, Audit]:
    """For each seat count, how even these blocks are."""
    names = [entrant.name for entrant in manifest.entrants if not entrant.withdrawn]
    return {
        str(seats): audit([block for block in blocks if len(block.seating) == seats], names) for seats in manifest.seats
    }


def first_manifest(settings: Settings, game: Game, entrants: Sequence[Entrant], secret: Secret) -> Manifest:
    """The manifest of a new run; its audits are filled in when its schedule is drawn."""
    return Manifest(
        arena=__version__,
        game=game.name,
        game_version=game.version,
        variants=settings.variants,
        seats=settings.seats,
        limits=settings.limits,
        isolation=settings.isolation,
        entrants=tuple(entrants),
        epochs=(Epoch(0, secret.commitment, rounded(settings.matches, settings.seats)),),
        audits={},
        created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seed_given=settings.seed is not None,
    )


def epoch_seed(seed: str, number: int) -> str:
    """The seed text of an epoch of a run whose seed was given."""
    return seed if number == 0 else f"{seed}, epoch {number}"


def continued(manifest: Manifest, settings: Settings, game: Game, entrants: Sequence[Entrant]) -> Manifest | Secret:
    """The manifest to go on with; or the secret of a new epoch, if a finished run is to be extended.

    Raises:
        Mismatch: the run in the folder has other settings.
    """
    for what, was, now in (
        ("--game", manifest.game, game.name),
        ("game version", manifest.game_version, game.version),
        ("--variant", _pairs(manifest.variants), _pairs(settings.variants)),
        ("--seats", _range(manifest.seats), _range(settings.seats)),
        *[(*setting(manifest.limits, key), setting(settings.limits, key)[1]) for key in KEYS],
        ("--max-faults", manifest.limits.faults, settings.limits.faults),
        ("--isolation", manifest.isolation, settings.isolation),
        ("bots", _names(manifest.entrants), _names(entrants)),
    ):
        if was != now:
            raise Mismatch(f"expected {what} {was}, got {now}")
    entered = {entrant.name: entrant.digest for entrant in manifest.entrants}
    for entrant in entrants:
        if entered[entrant.name] != entrant.digest:
            raise Mismatch(f"expected bot {entrant.name!r} as it was entered, got other files or another command")
    if settings.seed is not None and Secret.of(settings.seed).commitment != manifest.epochs[0].commitment:
        raise Mismatch(f"expected the --seed that it began with, got {settings.seed!r}")
    before = manifest.matches - manifest.epochs[-1].matches
    if rounded(settings.matches - before, settings.seats) == manifest.epochs[-1].matches:
        return manifest
    if settings.matches < manifest.matches or not manifest.finished:
        more = " (finish it, then ask for more)" if settings.matches > manifest.matches else ""
        raise Mismatch(f"expected {manifest.matches} matches, got {settings.matches}{more}")
    if settings.seed is not None:
        return Secret.of(epoch_seed(settings.seed, len(manifest.epochs)))
    return Secret.fresh()


def _pairs(variants: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(variants.items())) or "none"


def _range(seats: Sequence[int]) -> str:
    return str(seats[0]) if len(seats) == 1 else f"{seats[0]}-{seats[-1]}"


def _names(entrants: Sequence[Entrant]) -> str:
    return ", ".join(sorted(entrant.name for entrant in entrants))


def extended(manifest: Manifest, settings: Settings, secret: Secret) -> Manifest:
    """A finished run with a further epoch for the matches it still lacks."""
    lacking = rounded(settings.matches - manifest.matches, settings.seats)
    epoch = Epoch(len(manifest.epochs), secret.commitment, lacking)
    return msgspec.structs.replace(manifest, epochs=(*manifest.epochs, epoch), finished=False)


class Recorded:
    """The ids of matches that are recorded, as one byte a match, so that a long run does not grow."""

    def __init__(self) -> None:
        self._flags: dict[int, bytearray] = {}
        self._count = 0

    def add(self, match: str) -> None:
        """Take in the id of a recorded match."""
        if match in self:
            return
        epoch, block, rotation = match_key(match)
        flags = self._flags.setdefault(epoch, bytearray())
        at = block * _ROTATIONS + rotation
        if at >= len(flags):
            flags.extend(bytes(max(at + 1 - len(flags), len(flags))))
        flags[at] = 1
        self._count += 1

    def __contains__(self, match: object) -> bool:
        epoch, block, rotation = match_key(str(match))
        flags = self._flags.get(epoch, b"")
        at = block * _ROTATIONS + rotation
        return at < len(flags) and flags[at] == 1

    def __len__(self) -> int:
        return self._count


class Jobs:
    """The chunks of a schedule as jobs for lanes, each cut down to what is not recorded yet."""

    def __init__(
        self, manifest: Manifest, secrets: Mapping[int, Secret], bots: Mapping[str, Launch], recorded: Container[str]
    ) -> None:
        """``recorded`` holds the ids of recorded matches and is looked at anew each time a job is made."""
        self._manifest = manifest
        self._limits = {entrant.name: entrant.limits or manifest.limits for entrant in manifest.entrants}
        self._secrets = secrets
        self._bots = bots
        self._recorded = recorded
        self._chunks: list[Chunk] = []
        self.blocks: list[Block] = []
        for epoch in manifest.epochs:
            blocks = schedule(manifest, epoch, secrets[epoch.number])
            self.blocks += blocks
            first = len(self._chunks)
            self._chunks += [msgspec.structs.replace(chunk, number=first + chunk.number) for chunk in chunks(blocks)]
        self.retired: dict[str, frozenset[str]] = {}
        """For each recorded match in which entrants were retired, their names."""

    def __iter__(self) -> Iterator[Play]:
        for chunk in self._chunks:
            job = self.rest(chunk.number)
            if job is not None:
                yield job

    def rest(self, number: int) -> Play | None:
        """What is left of a chunk, or None if nothing is."""
        chunk = self._chunks[number]
        left = remaining(chunk, self._recorded)
        if not left:
            return None
        sittings = tuple(self._sitting(match) for match in left)
        seated = {name for match in left for name in match.bots}
        bots = {name: self._bots[name] for name in sorted(seated)}
        return Play(number, sittings, bots, self._retirements(chunk))

    def _retirements(self, chunk: Chunk) -> dict[str, int]:
        """For each entrant, in how many of its last recorded matches of the chunk on end it was retired."""
        runs: dict[str, int] = {}
        for match in remaining(chunk):
            if match.id in self._recorded:
                for name in match.bots:
                    runs[name] = runs.get(name, 0) + 1 if name in self.retired.get(match.id, ()) else 0
        return runs

    def _sitting(self, fixture: Fixture) -> Sitting:
        manifest, secret = self._manifest, self._secrets[fixture.block.epoch]
        match = Match(
            id=fixture.id,
            label=secret.label(fixture.id),
            game=manifest.game,
            version=manifest.game_version,
            bots=fixture.bots,
            variants=manifest.variants,
            ids=secret.ids(fixture.id),
            order=secret.order(fixture.id),
            seeds=tuple(secret.bot_seed(fixture.id, seat) for seat in range(len(fixture.bots))),
            limits=tuple(self._limits[name] for name in fixture.bots),
        )
        return Sitting(match, secret.deal(fixture.block.epoch, fixture.block.number), fixture.rotation)
