"""The spec of a run: one value for the command line, a league and the library; every default stands here.

Turns texts into the settings of each game. Starts nothing, reads no run and knows no option of a command.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from arena import games
from arena.errors import UsageError
from arena.formats.registry import CHAIN, read_schedule
from arena.formats.until import Until
from arena.game import DECISION_CAP, Game
from arena.players.botfile import FILE, nearest
from arena.players.limits import HOUSE, KEYS, read
from arena.sandbox.sandbox import Level
from arena.tournament.folder import BALANCED, MOST_SEATS, WHOLE, Shard
from arena.tournament.plan import Settings
from arena.wire import Limits

MATCHES = 240
"""How many matches are played by default, ..."""
UNTIL_MATCHES = 4000
"""... and how many at most, where it ends when something is certain."""
MOST_MATCHES = 100_000_000
MOST_FAULTS = 10_000
MOST_LANES = 1024
_LONGEST_SEED = 64 << 10
"""Bytes of a seed's file."""

IsolationChoice: TypeAlias = Literal["auto"] | Level
"""``auto``: the best level that this machine proves; for a run that is not finished, the level that it began with."""

_SEATS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class RunSpec(Struct, frozen=True, kw_only=True):
    """The settings of a run. Times and sizes are texts such as ``400ms``, ``10m`` or ``64KiB``."""

    games: tuple[str, ...] = ()
    """Names of games, or ``all``."""
    bots: tuple[str, ...] = ()
    """Each a shipped bot, a folder with a ``bot.toml``, or ``NAME=COMMAND LINE``; one alone meets the shipped ones."""
    variants: dict[str, str] = {}
    seats: int | str | None = None
    """``4`` or ``3-5``; by default the usual table of the game."""
    schedule: str = BALANCED
    """The format of the tournament and its options, as ``swiss`` or ``knockout,losses=2``."""
    until: str | None = None
    """When the table is decided enough: ``decided``, ``best``, ``top=3`` or ``order``; then ``matches`` is the most."""
    margin: float | None = None
    """For ``decided``: two bots are the same whose mean duel score is between -margin and margin."""
    alpha: float | None = None
    """How often a claim may be wrong."""
    within: str | None = None
    """The time to play in, as ``2h``: a block that would not end in it is not begun. The same run can be resumed."""
    matches: int | None = None
    """Rounded up to whole blocks; by default ``MATCHES``, with ``until`` ``UNTIL_MATCHES``, with ``debug`` a block."""
    seed: str | None = None
    """The text that all chance follows from; by default 32 fresh bytes."""
    secret_file: Path | None = None
    """A file with such a text, which is not revealed before the run is finished."""
    beacon: str | None = None
    """A public text that is mixed into the secret."""
    move_time: str | None = None
    """For each decision; by default that of ``HOUSE``, or as much as ``bank`` can hold."""
    start_time: str = "10s"
    bank: str | None = None
    budget: str = "10m"
    limits: dict[str, str | int] = {}
    """The limits that have no field of their own, as ``arena.players.limits`` reads them."""
    max_faults: int = HOUSE.faults
    """Faults that retire a bot from a match."""
    lanes: int | None = None
    """Matches at once; by default one a core."""
    out: Path | None = None
    """The results folder; by default a new one in ``results``."""
    isolation: IsolationChoice = "auto"
    build_network: bool = False
    readable: tuple[str, ...] = ()
    """What bots may read besides their own files."""
    keep_going: bool = False
    """Whether bots that cannot start are withdrawn; else they end the run."""
    debug: str | None = None
    """The bot that is debugged, its clock off."""
    plan: Path | None = None
    """A run that was planned: ``games``, ``variants``, ``seats``, ``matches`` and limits come from there."""
    shard: str | None = None
    """The part of the run to play, as ``2/5``."""
    executor: str | None = None
    """Workers elsewhere, as ``dask=ADDRESS``."""


DEFAULTS = RunSpec()


def settings(
    spec: RunSpec, game: Game, others: Sequence[Game], *, seed: str | None, entrants: int | None, planning: bool = False
) -> Settings:
    """How a game is to be played.

    Args:
        spec: what is asked for.
        game: the game; ``others`` are those played besides it, with variants of their own.
        others: see ``game``.
        seed: what ``seed_text`` gave for this spec. It is read once for all games, as a pipe must be.
        entrants: how many bots enter, if that is known.
        planning: whether the run is only to be planned, and a beacon only announced.

    Raises:
        UsageError: a value that is none, or out of bounds.
    """
    part = shard_from(spec.shard)
    seconds_within(spec.within)
    seats = seat_counts(None if spec.seats is None else str(spec.seats), game, entrants)
    schedule = schedule_text(spec, seats)
    return Settings(
        game=game.name,
        seats=seats,
        variants=variants(spec.variants, game, others),
        matches=within(spec.matches, most=MOST_MATCHES, option="matches") or _matches(spec, schedule),
        seed=seed,
        limits=limits(spec),
        hidden=spec.secret_file is not None,
        beacon=None if planning else beacon_text(spec.beacon),
        awaits=(beacon_text(spec.beacon) or "") if planning else "",
        shard="" if part == WHOLE else str(part),
        debug=spec.debug or "",
        schedule=schedule,
    )


def _matches(spec: RunSpec, schedule: str) -> int:
    if spec.debug is not None:
        return 1
    return UNTIL_MATCHES if isinstance(read_schedule(schedule), Until) else MATCHES


def seconds_within(text: str | None) -> float | None:
    """The time to play in.

    Raises:
        UsageError: the text is not a time.
    """
    if text is None:
        return None
    try:
        return read("start", text)["start"] / 1000
    except ValueError as error:
        raise UsageError(str(error).replace("400ms, 1s or 10m", "10m or 2h"), option="within") from None


def schedule_text(spec: RunSpec, seats: Sequence[int]) -> str:
    """The format of the run, with its options.

    Raises:
        UsageError: no such format; or it pairs by results, and another option needs a schedule that is drawn whole.
    """
    text = _asked(spec)
    if text != BALANCED:
        try:
            read_schedule(text)
        except (LookupError, ValueError) as error:
            raise UsageError(str(error), option="schedule" if spec.until is None else "until") from None
        for option, got in (
            ("shard", spec.shard),
            ("executor", spec.executor),
            ("seats", None if len(seats) == 1 else f"{seats[0]}-{seats[-1]}"),
        ):
            if got is not None:
                only = "one number of seats" if option == "seats" else f"--schedule {BALANCED}"
                raise UsageError(f"expected {only}, because {text} pairs by results; got {got}", option=option)
    return text


def _asked(spec: RunSpec) -> str:
    """The schedule, with the question that ends it."""
    given = {"until": spec.until, "margin": spec.margin, "alpha": spec.alpha}
    said = [f"{name}={value}" for name, value in given.items() if value is not None]
    if said and spec.until is None:
        name = said[0].partition("=")[0]
        raise UsageError("expected --until beside it, got none", option=name)
    if said and CHAIN in spec.schedule:
        raise UsageError(f"expected a schedule of one stage, got {spec.schedule!r}", option="until")
    return ",".join([spec.schedule, *said])


def only_balanced(spec: RunSpec, what: str) -> None:
    """Check that no schedule is set for ``what``, which has a schedule of its own.

    Raises:
        UsageError: it is asked for with one.
    """
    if spec.schedule != BALANCED:
        raise UsageError(f"expected {BALANCED} for {what}, got {spec.schedule!r}", option="schedule")
    if spec.until is not None:
        raise UsageError(f"expected {what} to end by a rule of its own, got {spec.until!r}", option="until")


def chosen_games(spec: RunSpec, beside: Iterable[object] = ()) -> list[Game]:
    """The games of the run, each once.

    Args:
        spec: the settings of the run.
        beside: what was named as bots: a game among them was meant as the game.

    Raises:
        UsageError: none is named, or one is unknown.
    """
    if not spec.games:
        meant = next((f"; -g {name} names it" for name in beside if name in games.names()), "")
        raise UsageError(f"expected a game of {', '.join(games.names())} or all, got none{meant}", option="games")
    return [find_game(name) for name in (games.names() if "all" in spec.games else dict.fromkeys(spec.games))]


def find_game(name: str) -> Game:
    """The game of this name.

    Raises:
        UsageError: there is none.
    """
    try:
        return games.find(name)
    except LookupError as error:
        raise UsageError(f"{error}{nearest(name, games.names())}") from None


def within(number: int | None, *, most: int, option: str) -> int | None:
    """A number, checked against its bounds.

    Raises:
        UsageError: it is no whole number, less than 1 or more than ``most``.
    """
    if number is not None and not (isinstance(number, int) and 1 <= number <= most):
        raise UsageError(f"expected a whole number from 1 to {most}, got {number!r}", option=option)
    return number


def limits(spec: RunSpec) -> Limits:
    """The limits that the run allows.

    Raises:
        UsageError: a text is no limit or out of bounds, or a limit is unknown.
    """
    known = [key for key, limit in KEYS.items() if limit.option == "--limit"]
    texts: dict[str, str | int | None] = {
        "move": spec.move_time,
        "start": spec.start_time,
        "bank": spec.bank,
        "total": spec.budget,
    }
    for key, value in spec.limits.items():
        if key not in known:
            hint = f"; {KEYS[key].option} sets it" if key in KEYS else nearest(key, known)
            raise UsageError(f"expected a limit of {', '.join(known)}, got {key!r}{hint}", option="limits")
        texts[key] = value
    fields: dict[str, int] = {}
    for key, text in texts.items():
        if text is not None:
            try:
                fields |= read(key, text)
            except ValueError as error:
                option = "limits" if key in known else KEYS[key].option.removeprefix("--").replace("-", "_")
                raise UsageError(str(error), option=option, part=key if key in known else "") from None
    if spec.bank is not None and spec.move_time is None:
        # only the bank limits a decision: it may take as long as a full bank lasts
        fields["move"] = min(fields["total"], fields["bank"] + fields["increment"] * DECISION_CAP)
    faults = within(spec.max_faults, most=MOST_FAULTS, option="max_faults")
    return replace(HOUSE, faults=HOUSE.faults if faults is None else faults, **fields)


def seat_counts(text: str | None, game: Game, entrants: int | None) -> tuple[int, ...]:
    """The seat counts of ``N`` or ``A-B``; by default the usual number of the game.

    The default is at most the number of entrants, but at least what the game needs.

    Raises:
        UsageError: the text is no such count, or the game or arena is not for this number of seats.
    """
    seats = range(game.seats.start, min(game.seats.stop, MOST_SEATS + 1))
    if not seats:
        raise UsageError(
            f"expected a game for {MOST_SEATS} seats or fewer, got {game.name}, for {game.seats.start} or more"
        )
    if text is None:
        usual = min(game.usual_seats, seats[-1], seats[-1] if entrants is None else entrants)
        return (max(usual, seats[0]),)
    found = _SEATS.fullmatch(text)
    first = int(found[1]) if found else 0
    last = int(found[2] or found[1]) if found else 0
    if not found or first > last or first not in seats or last not in seats:
        raise UsageError(
            f"expected N or A-B within {seats[0]}-{seats[-1]} for {game.name}, got {text!r}", option="seats"
        )
    return tuple(range(first, last + 1))


def variants(given: Mapping[str, str], game: Game, others: Sequence[Game] = ()) -> dict[str, str]:
    """Every variant of the game, with its given value or its default; variants of ``others`` are left out.

    Raises:
        UsageError: no such variant or value.
    """
    theirs = {name for other in others for name in other.variants} - game.variants.keys()
    own = {name: value for name, value in given.items() if name not in theirs}
    for name, value in own.items():
        try:
            game.settle({name: value} | dict([game.only_with[name, value]] if (name, value) in game.only_with else []))
        except ValueError as error:
            near = nearest(value, game.variants[name]) if name in game.variants else nearest(name, game.variants)
            raise UsageError(f"{error}{near}", option="variants") from None
    try:
        return game.settle(own)
    except ValueError as error:
        raise UsageError(str(error), option="variants") from None


def seed_text(seed: str | None, file: Path | None) -> str | None:
    """The text from which all chance of a run follows, if one is given.

    Raises:
        UsageError: both are given, the file cannot be read, or the text is empty or not text.
    """
    if seed is not None and file is not None:
        raise UsageError("expected it or --seed, got both", option="secret_file")
    if file is not None:
        try:
            # opened without waiting: a pipe may have no writer
            with open(os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as opened:  # noqa: PTH123 - for its flags
                os.set_blocking(opened.fileno(), True)
                data = opened.read(_LONGEST_SEED + 1)
            text = data.decode("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
            raise UsageError(f"expected a file with a text, got {file}: {reason}", option="secret_file") from None
        if len(data) > _LONGEST_SEED:
            raise UsageError(f"expected at most {_LONGEST_SEED >> 10} KiB, got more in {file}", option="secret_file")
        if not text:
            raise UsageError(f"expected a text, got nothing in {file}", option="secret_file")
        return text
    if not isinstance(seed, str | None):
        raise UsageError(f"expected a text, got {seed!r}", option="seed")
    if seed == "":
        raise UsageError("expected a text, got an empty one", option="seed")
    try:
        (seed or "").encode()
    except UnicodeEncodeError:
        raise UsageError(f"expected a text in UTF-8, got {seed!r}", option="seed") from None
    return seed


def beacon_text(beacon: str | None) -> str | None:
    """The text of a beacon. It may not be empty, because it cannot be removed from a secret again.

    Raises:
        UsageError: it is empty.
    """
    if beacon == "":
        raise UsageError("expected a text, got none", option="beacon")
    return beacon


def shard_from(text: str | None) -> Shard:
    """The shard of ``I/N``; without a text the whole run.

    Raises:
        UsageError: the text names no such part.
    """
    try:
        return WHOLE if text is None else Shard.read(text)
    except ValueError as error:
        raise UsageError(str(error), option="shard") from None


def results_root(out: Path | None, names: Sequence[str]) -> Path:
    """The results folder; with several games, the folder around theirs.

    Raises:
        UsageError: there is a file in its place, or it is a bot's.
    """
    if out is None:
        name = names[0] if len(names) == 1 else "games"
        out = first = Path("results") / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"  # noqa: DTZ005 - local time, for a name that people read
        number = 1
        while out.exists():
            number += 1
            out = first.with_name(f"{first.name}-{number}")
    for path in (out, *out.parents):
        if path.exists() and not path.is_dir():
            raise UsageError(f"expected a folder, got a file: {path}", option="out")
    if (out / FILE).is_file():
        raise UsageError(f"expected a folder for results, got a bot's: {out}", option="out")
    return out
