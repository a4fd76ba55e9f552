"""From texts to how each game is played: games, seats, variants, limits, schedule, seed.

Starts nothing, reads no run and knows no option of a command.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import ROUND_FLOOR, Context
from itertools import chain, count, takewhile
from pathlib import Path

from msgspec.structs import replace

from arena import games
from arena.errors import UsageError, nearest, unmade
from arena.formats.format import ALPHA
from arena.formats.registry import CHAIN, read_schedule
from arena.formats.registry import names as formats
from arena.formats.until import Until
from arena.game import DECISION_CAP, Game
from arena.limits import KEYS, read
from arena.players.botfile import BOT_FILE, is_regular_file
from arena.players.entrants import read_shipped_bots
from arena.tournament.folder import BALANCED, MOST_SEATS, Rules
from arena.tournament.plan import Settings
from arena.tournament.settings import DEFAULT_MATCHES, UNTIL_MATCHES, RunSpec, collect_settings
from arena.tournament.shard import WHOLE_RUN, Shard
from arena.wire import DEFAULT_LIMITS, Limits

_LONGEST_SEED = 64 << 10
"""Bytes of a seed's file."""

_DOWN = Context(prec=4, rounding=ROUND_FLOOR)

_SEATS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def make_settings(
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
    seats = parse_seat_counts(None if spec.seats is None else str(spec.seats), game, entrants)
    schedule = schedule_text(spec, seats, games=len(others))
    shard = WHOLE_RUN if spec.shard is None else Shard.read(spec.shard)
    shard.check(max(seats))
    values = {name: getattr(spec, name) for name in Rules.__struct_fields__ if name in collect_settings()}
    settled = {
        "game": game.name,
        "seats": seats,
        "variants": settle_variants(spec.variants, game, others),
        "limits": limits(spec),
        "schedule": schedule,
        # which level these stand for, a lane finds out
        "isolation": "none" if spec.isolation in ("auto", "sandboxed") else spec.isolation,
        "shard": "" if shard == WHOLE_RUN else str(shard),
        "block": spec.block or "mirrored",
        "network": tuple(sorted({text.partition("=")[0] for text in spec.network})),
        "debug": spec.debug or "",
    }
    return Settings(
        **(values | settled),
        matches=spec.matches or _matches(spec, schedule),
        seed=seed,
        hidden=spec.secret_file is not None,
        beacon=None if planning else spec.beacon,
        awaits=(spec.beacon or "") if planning else "",
    )


def _matches(spec: RunSpec, schedule: str) -> int:
    if spec.debug is not None:
        return 1
    return UNTIL_MATCHES if isinstance(read_schedule(schedule), Until) else DEFAULT_MATCHES


def schedule_text(spec: RunSpec, seats: Sequence[int], *, games: int) -> str:
    """The format of the run, with its options; so many ``games``, whose tables stand on one page, share the error.

    Raises:
        UsageError: no such format; or it pairs by results, and another option needs a schedule that is drawn whole.
    """
    text = _format_schedule(spec, games)
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


def _format_schedule(spec: RunSpec, games: int) -> str:
    """The schedule, with the question that ends it."""
    alpha = spec.alpha
    if spec.until is not None and games > 1 and (alpha or 0) <= ALPHA:
        # rounded down: what this answers, a table with its share of the page says too
        alpha = float(_DOWN.create_decimal(str((ALPHA if alpha is None else alpha) / games)))
    options = {"until": spec.until, "margin": spec.margin, "alpha": alpha}
    words = [f"{name}={value}" for name, value in options.items() if value is not None]
    if words and spec.until is None:
        name = words[0].partition("=")[0]
        raise UsageError("expected --until beside it, got none", option=name)
    if words and CHAIN in spec.schedule:
        raise UsageError(f"expected a schedule of one stage, got {spec.schedule!r}", option="until")
    return ",".join([spec.schedule, *words])


def check_no_schedule(spec: RunSpec, what: str) -> None:
    """Check that no schedule is set for ``what``, which has a schedule of its own.

    Raises:
        UsageError: it is asked for with one.
    """
    if spec.schedule != BALANCED:
        raise UsageError(f"expected {BALANCED} for {what}, got {spec.schedule!r}", option="schedule")
    if spec.until is not None:
        raise UsageError(f"expected {what} to end by a rule of its own, got {spec.until!r}", option="until")


def chosen_games(names: Sequence[str], beside: Iterable[object] = (), *, single: bool = False) -> list[Game]:
    """The games of a command, each once.

    Args:
        names: as they were given.
        beside: the other arguments: one that is nearly a game was meant as one.
        single: whether the command is for one game.

    Raises:
        UsageError: none is named, or too many, or one is unknown.
    """
    catalogue = games.names()
    if not names or (single and (len(names) > 1 or names[0] == "all")):
        suggestion = next((hint for word in beside if (hint := nearest(str(word), catalogue))), "")
        of = f"{'one' if single else 'a'} game of {', '.join(catalogue)}{'' if single else ' or all'}"
        raise UsageError(f"expected {of}, got {', '.join(names) or f'none{suggestion}'}", option="games")
    return [find_game(name) for name in (catalogue if "all" in names else dict.fromkeys(names))]


def names_game(word: str, *, typed: bool) -> bool:
    """Whether an argument names a game and no bot; beside a game that was ``typed`` it may be a bot of any name.

    Raises:
        UsageError: it names both.
    """
    if "=" in word or "/" in word or word not in games.names():
        return False
    folder = is_regular_file(Path(word) / BOT_FILE)
    if folder or any(bot.name == word for bot in read_shipped_bots()):
        if typed:
            return False
        bot = f"./{word}" if folder else f"bot={word}"
        raise UsageError(f"expected a game or a bot, got {word!r}, which is both: -g {word} is the game, {bot} the bot")
    return True


def list_names(kind: str) -> list[str]:
    """The names that games have, or formats."""
    return games.names() if kind == "game" else formats()


def find_game(name: str, *, said_in: str = "") -> Game:
    """The game of this name; ``said_in`` is the file or key, with a colon, that names it.

    Raises:
        UsageError: there is none.
    """
    try:
        return games.find(name)
    except LookupError as error:
        near = nearest(name, games.names()) or "; `arena games` tells of them"
        words = error.expectation if isinstance(error, games.UnknownGame) else str(error)
        raise UsageError(f"{said_in}{words}{near}") from None


def limits(spec: RunSpec) -> Limits:
    """The limits that the run allows.

    Raises:
        UsageError: a text is no limit or out of bounds, or a limit is unknown.
    """
    keys = [key for key, limit in KEYS.items() if limit.option == "--limit"]
    texts = {
        setting.limit: (setting, getattr(spec, name)) for name, setting in collect_settings().items() if setting.limit
    }
    for key, value in spec.limits.items():
        if key not in keys:
            hint = f"; {KEYS[key].option} sets it" if key in KEYS else nearest(key, keys)
            raise UsageError(f"expected a limit of {', '.join(keys)}, got {key!r}{hint}", option="limits")
        texts[key] = collect_settings()["limits"], value
    fields: dict[str, int] = {}
    for key, (setting, value) in texts.items():
        try:
            fields |= {} if value is None else read(key, value) if key in KEYS else {key: value}
        except ValueError as error:
            raise UsageError(str(error), option=setting.name, part=key if key in keys else "") from None
    if spec.bank is not None and spec.move_time is None:
        # only the bank limits a decision: it may take as long as a full bank lasts
        fields["move"] = min(fields["total"], fields["bank"] + fields["increment"] * DECISION_CAP)
    return replace(DEFAULT_LIMITS, **fields)


def parse_seat_counts(text: str | None, game: Game, entrants: int | None) -> tuple[int, ...]:
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
    match = _SEATS.fullmatch(text)
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else 0
    if not match or first > last or first not in seats or last not in seats:
        raise UsageError(
            f"expected N or A-B within {seats[0]}-{seats[-1]} for {game.name}, got {text!r}", option="seats"
        )
    return tuple(range(first, last + 1))


def settle_variants(values: Mapping[str, str], game: Game, others: Sequence[Game] = ()) -> dict[str, str]:
    """Every variant of the game, with its given value or its default; variants of ``others`` are left out.

    Raises:
        UsageError: no such variant or value.
    """
    theirs = {name for other in others for name in other.variants} - game.variants.keys()
    choices = {name: value for name, value in values.items() if name not in theirs}
    for name, value in choices.items():
        try:
            game.resolve_variants(
                {name: value} | dict([game.only_with[name, value]] if (name, value) in game.only_with else [])
            )
        except ValueError as error:
            near = nearest(value, game.variants[name]) if name in game.variants else nearest(name, game.variants)
            raise UsageError(f"{error}{near}", option="variants") from None
    try:
        return game.resolve_variants(choices)
    except ValueError as error:
        raise UsageError(str(error), option="variants") from None


def seed_text(seed: str | None, file: Path | None) -> str | None:
    """The text from which all chance of a run follows, if one is given.

    Raises:
        UsageError: both are given, or the file cannot be read or holds no text.
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
    return seed


def results_root(out: Path | None, names: Sequence[str]) -> Path:
    """The results folder; with several games, the folder around theirs.

    Raises:
        UsageError: there is a file in its place, or it is a bot's.
    """
    if out is None:
        name = names[0] if len(names) == 1 else "games"
        # of several runs that begin in this second, ``claimed`` gives each a folder
        out = Path("results") / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"  # noqa: DTZ005 - local time, for a name that people read
    for path in (out, *out.parents):
        if path.exists() and not path.is_dir():
            raise UsageError(f"expected a folder, got a file: {path}", option="out")
    if (out / BOT_FILE).is_file():
        raise UsageError(f"expected a folder for results, got a bot's: {out}", option="out")
    return out


def claimed(root: Path) -> list[Path]:
    """Make a folder of this name, or with a number behind it, that no other run has.

    Returns:
        It, and those above it that were not there before, the outermost last.

    Raises:
        UsageError: it cannot be made.
    """
    numbered = (root.with_name(f"{root.name}-{number}") for number in count(2))
    for path in chain([root], numbered):
        new = [path, *takewhile(lambda above: not above.exists(), path.parents)]
        try:
            path.mkdir(parents=True)
        except OSError as error:
            if path.exists():
                continue
            raise unmade(path, error, option="out") from error
        break
    return new
