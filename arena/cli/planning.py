"""Plans and shards: a run that is set up in one place and played in others."""

import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from arena.cli import field as fields
from arena.cli.config import FILE as SETTINGS
from arena.cli.contest import Contest, Plan, make
from arena.cli.failure import Usage
from arena.cli.options import find_game, remark
from arena.players.botfile import FILE, BotFile
from arena.players.entrants import entrant, said_again, shipped
from arena.tournament.continuing import Mismatch, named
from arena.tournament.folder import Manifest, RunFolder
from arena.tournament.outstanding import WHOLE, Shard
from arena.tournament.part import part_of
from arena.tournament.plan import Settings, playing
from arena.tournament.run import set_up
from arena.tournament.schedule import pad

_SHARD = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


def shard_from(text: str | None) -> Shard:
    """The part that ``--shard I/N`` asks for; without it the whole.

    Raises:
        Usage: it is no such part.
    """
    if text is None:
        return WHOLE
    found = _SHARD.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise Usage(f"--shard: expected I/N such as 2/5, I from 1 to N, got {text!r}")
    return Shard(int(found[1]), int(found[2]))


def seed_text(seed: str | None, file: Path | None) -> str | None:
    """The text that all chance of a run follows from, if one is given.

    Raises:
        Usage: both are given, the file cannot be read, or the text is empty or no text.
    """
    if seed is not None and file is not None:
        raise Usage("--secret-file: expected it or --seed, got both")
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
            raise Usage(f"--secret-file: expected a file with a text, got {file}: {reason}") from None
        if not text:
            raise Usage(f"--secret-file: expected a text, got nothing in {file}")
        return text
    if seed == "":
        raise Usage("--seed: expected a text, got an empty one")
    try:
        (seed or "").encode()
    except UnicodeEncodeError:
        raise Usage(f"--seed: expected a text in UTF-8, got {seed!r}") from None
    return seed


def results_root(out: Path | None, games: Sequence[str]) -> Path:
    """The results folder, or the folder around those of several games.

    Raises:
        Usage: there is a file in its place, or it is a bot's.
    """
    if out is None:
        name = games[0] if len(games) == 1 else "games"
        out = first = Path("results") / f"{name}-{datetime.now():%Y%m%d-%H%M%S}"  # noqa: DTZ005 - a name for people here
        number = 1
        while out.exists():
            number += 1
            out = first.with_name(f"{first.name}-{number}")
    for path in (out, *out.parents):
        if path.exists() and not path.is_dir():
            raise Usage(f"--out: expected a folder, got a file: {path}")
    if (out / FILE).is_file():
        raise Usage(f"--out: expected a folder for results, got a bot's: {out}")
    return out


def runs_in(path: Path) -> dict[str, RunFolder]:
    """The run in a folder, under no name, or those in the folders within it, by theirs.

    Raises:
        arena.tournament.folder.Absent: there is none.
    """
    if not (path / "run.json").is_file():
        found = sorted(each.parent for each in path.glob("*/run.json"))
        if found:
            return {each.name: RunFolder(each, path) for each in found}
    RunFolder(path).manifest()
    return {"": RunFolder(path)}


def planned(
    where: Path,
    shard: Shard,
    *,
    beacon: str | None,
    seed: str | None,
    bots: Sequence[str],
    known: Sequence[str],
    out: Path | None,
) -> tuple[Path, list[Contest]]:
    """The results folder, and the contests of a plan.

    A plan may be anybody's: what it says of how to start a bot is never followed. Its bots are those ``bots`` that are
    typed, else those of the settings, who are ``known``, and those that ship with arena.

    Raises:
        Usage, BotError: a bot is not there.
        Mismatch: a bot or a game is not what was planned.
    """
    runs = runs_in(where)
    root = results_root(out, [folder.manifest().game for folder in runs.values()])
    if any(root.resolve() == folder.path.resolve() for folder in runs.values()):
        raise Usage(f"--out: expected a folder beside the plan's, got {root}")
    contests = []
    said = {bot.name: bot for bot in map(entrant, bots or known)}
    strange = set(said if bots else ()).difference(*[_planned(folder.manifest()) for folder in runs.values()])
    for name, folder in runs.items():
        manifest = folder.manifest()
        if manifest.finished:
            continue
        part_of(manifest, shard, beacon)
        game = find_game(manifest.game)
        if game.version != manifest.game_version:
            raise Mismatch(f"{folder.path}: expected {game.name} version {manifest.game_version}, got {game.version}")
        settings = Settings(
            game=game.name,
            seats=manifest.seats,
            variants=manifest.variants,
            matches=manifest.epochs[-1].asked or manifest.matches,
            limits=manifest.limits,
            isolation=manifest.isolation,
        )
        field = [*_field(folder, manifest, said), *[said[bot] for bot in sorted(strange)]]
        padded = _padded(manifest, [bot.name for bot in field])
        contest = Contest(game, settings, field, padded, RunFolder(root / name, root))
        contest.plan = Plan(folder, shard, beacon, seed)
        entrants = fields.entrants(field, padded, settings.limits, {})
        contest.was = named(manifest, entrants)
        contests.append(contest)
    if not contests:
        raise Mismatch(f"{where}: expected a plan that is not played yet, got a finished run")
    return root, contests


def _padded(manifest: Manifest, field: Sequence[str]) -> list[str]:
    """Who plays in the last epoch by the names of the bots, copies included; if others are named, these."""
    names = [name.partition("@")[0] for name in manifest.epochs[-1].entrants]
    known = {fields.original(name, field) for name in names} == set(field)
    return names if known else pad(list(field), max(manifest.seats))


def _planned(manifest: Manifest) -> dict[str, str]:
    """The bots that play in the last epoch, copies left out: what was typed for each."""
    names = manifest.epochs[-1].entrants or playing(manifest.entrants)
    return {
        each.name.partition("@")[0].partition("#")[0]: each.entered for each in manifest.entrants if each.name in names
    }


def _field(folder: RunFolder, manifest: Manifest, said: Mapping[str, BotFile]) -> list[BotFile]:
    """The bots of a plan, as they were said again."""
    found = {name: said_again(entered, name, said) for name, entered in _planned(manifest).items()}
    if lacking := [shlex.quote(_planned(manifest)[name] or name) for name, bot in found.items() if bot is None]:
        raise Usage(
            f"{folder.path}: expected all BOTs of the plan that do not ship with arena on the command line or in "
            f"{SETTINGS}, got not these: {' '.join(lacking)}"
        )
    return [bot for bot in found.values() if bot is not None]


def write_plan(contest: Contest, *, quiet: bool) -> None:
    """Set the run up without playing it, and say how to go on."""
    make(contest.folder)
    manifest = set_up(contest.folder, contest.settings, contest.game, contest.entrants, contest.retry)
    where = shlex.quote(str(contest.folder.path))
    epoch = manifest.epochs[-1]
    beacon = " --beacon TEXT" if epoch.awaits else ""
    ours = {bot.name for bot in shipped()}
    again = "".join(f" {shlex.quote(text)}" for text in _planned(manifest).values() if text not in ours)
    if manifest.finished:
        remark(f"arena: {where}: nothing is lacking", quiet=quiet)
        return
    remark(
        f"plan: {where}, {epoch.matches} matches to play\ncommitment: {epoch.commitment}\n"
        f"play a part: arena run --plan {where}{beacon} --shard 1/4 -o part-1{again}\n"
        f"until all is played, keep {where}/secret.json from everyone who enters a bot",
        quiet=quiet,
    )
