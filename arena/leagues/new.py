"""A new league: its settings, a first bot and, if wanted, workflows that play it, which it also renews.

The texts lie here as files. Knows starters and games; starts nothing.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from shlex import quote

from arena import files
from arena.errors import UsageError
from arena.game import Game
from arena.leagues.owners import FILE as OWNERS
from arena.starters import suggest_bot_name, write_bot, write_new_files
from arena.tournament import FORGE, SETTINGS_FILE
from arena.words import plural

CIS = {
    "github": {
        "league.yml": ".github/workflows/league.yml",
        "check.yml": ".github/workflows/check.yml",
        "comment.yml": ".github/workflows/comment.yml",
        "arena.yml": ".github/actions/arena/action.yml",
        "owners.toml": "owners.toml",
        "gitignore": ".gitignore",
    }
}
"""For each place that plays a league every night: which of its files goes where."""
BOT = "minnow"
CLASSES = (10, 30)
"""So many bots may come."""
RISKS = {"entries.repositories": FORGE}
"""What the settings of a new private league ask for, and whoever makes it trusts."""
_ENTER = (
    "- To enter: a private repository of your own, which the host may read; `arena new bot .` begins a bot in it.\n"
)
_LEAVE = f"- To leave: the host takes its line out of {OWNERS}. What was played stays in results/ and history.jsonl.\n"
_OF_PULL_REQUESTS = ("check.yml", "comment.yml")
_ADD_SOURCES = "            if [ -d sources ]; then git add --force --ignore-removal -- sources; fi\n"
_HERE = Path(__file__).parent
_SOURCE = "OWNER/arena@0000000000000000000000000000000000000000"
"""What stands for the action of arena where nobody knows where it came from."""
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_USES = re.compile(r"(?<=uses: )\S+/\S+@\S+")
_MARK = "# what `arena new league --renew` knows this file by: "
_FILES = {"arena.toml": "arena.toml", "README.md": "README.md", "gitignore": ".gitignore"}


def installed_from() -> str | None:
    """The repository and commit on GitHub that this arena was installed from, as ``owner/name@commit``, if it was."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - takes long to load

    try:
        origin = json.loads(distribution("fish-arena").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    repository = _GITHUB.fullmatch(str(origin.get("url")))
    commit = origin.get("vcs_info", {}).get("commit_id")
    return f"{repository[1]}@{commit}" if repository and commit else None


def write(
    folder: Path, games: Sequence[Game], *, ci: str | None = None, source: str | None = None, private: bool = False
) -> None:
    """Write a league of these games with one bot into a folder, which is made if it is not there.

    Workflows run the arena of ``source``, as ``installed_from`` gives it. If its bots are ``private``, none lies in it.

    Raises:
        KeyError: there is no such ``ci``.
        OSError: the folder cannot be written to, or one of the files is there already.
    """
    names = [game.name for game in games]
    filled = {
        "GAMES": {"arena.toml": ", ".join(f'"{name}"' for name in names), "README.md": ", ".join(names)},
        "NAME": {"README.md": suggest_bot_name(Path(os.path.realpath(folder)).name)},
    }
    texts: dict[str, str] = {}
    for file, place in _FILES.items():
        text = (_HERE / file).read_text("utf-8")
        for word, by_file in filled.items():
            text = text.replace(word, by_file.get(file, word))
        texts[place] = text
    texts |= _fill_files(ci, source or _SOURCE, private=private) if ci else {}
    write_new_files(folder, _make_private(texts) if private else texts)
    if not private:
        write_bot(folder / "bots" / BOT, "python", games[0] if len(games) == 1 else None)


def describe(
    folder: Path, games: Sequence[Game], *, ci: str | None = None, source: str | None = None, private: bool = False
) -> Iterator[str]:
    """What its host may do with a league that was written, how many nights it plays, and what they cost."""
    # no other new folder needs what ratings need
    from arena.leagues.outlook import MATCH, describe_cost  # noqa: PLC0415
    from arena.tournament import MATCHES_PER_BOT, assume_settlement, parse_seat_counts  # noqa: PLC0415

    yield f"{folder}: a league of {', '.join(game.name for game in games)}"
    yield f"play a season: cd {quote(str(folder))} && arena season"
    enter = f"put its line into {OWNERS} and `arena season --pull`" if private else "arena new bot bots/mine"
    yield f"enter a bot: {enter}"
    seats = max(parse_seat_counts(None, game, None)[0] for game in games)
    share, foreseen = 1 / len(games), []
    for bots in CLASSES:
        settlement = assume_settlement(bots, seats=seats, per_bot=MATCHES_PER_BOT, share=share, places=1)
        foreseen.append(f"of {plural(bots, 'bot')} {settlement}")
    yield f"a season: {MATCHES_PER_BOT} matches a bot, until places settle: {', '.join(foreseen)}"
    if ci is not None:
        matches = CLASSES[-1] * MATCHES_PER_BOT / seats * len(games)
        yield f"a night of {plural(CLASSES[-1], 'bot')} that answer at once: {describe_cost(seats, matches * MATCH)}"
        where = CIS[ci]["arena.yml"]
        words = f"it plays at night with {source}, see" if source else "before it plays at night: put a commit into"
        yield f"{words} {where}"


def _make_private(texts: dict[str, str]) -> dict[str, str]:
    """The files of a league whose bots lie elsewhere."""
    made = {OWNERS: (_HERE / "github" / OWNERS).read_text("utf-8"), **texts}
    made[SETTINGS_FILE] += (
        f'\n[entries]\n# Where each bot lies, by its name and its first owner.\nrepositories = "{FORGE}"\n'
    )
    lines = made["README.md"].splitlines(keepends=True)
    others = {"- To enter:": _ENTER, "- To leave:": _LEAVE}
    made["README.md"] = "".join([others.get(line[:11], line) for line in lines])
    return made


def _fill_files(ci: str, source: str, *, private: bool) -> dict[str, str]:
    """The files for a place that plays a league, by where they go; workflows end with a mark of their content.

    In a ``private`` one no pull request enters a bot: the night pulls them, and passes no sources on before their day.
    """
    texts = {
        place: (_HERE / ci / file).read_text("utf-8").replace(_SOURCE, source)
        for file, place in CIS[ci].items()
        if not private or file not in _OF_PULL_REQUESTS
    }
    if private:
        nightly, pull = CIS[ci]["league.yml"], (_HERE / ci / "private.yml").read_text("utf-8")
        for words, others in (
            ("      - name: Plan\n", f"{pull}      - name: Plan\n"),
            ("      # silence ", f"{pull}      # silence "),
            ("roster.json\n            entries\n", "roster.json\n            sources\n"),
            ("roster.json entries anchors", "roster.json sources anchors"),
            ('            tree="$(git write-tree)"\n', f'{_ADD_SOURCES}            tree="$(git write-tree)"\n'),
        ):
            texts[nightly] = texts[nightly].replace(words, others)
    return {place: text + _mark(place, text) if place.endswith(".yml") else text for place, text in texts.items()}


def _mark(place: str, text: str) -> str:
    """The last line of a workflow, by which an edited one is told; which arena it runs does not count."""
    text = _USES.sub(_SOURCE, text) if place.endswith("action.yml") else text
    return f"{_MARK}{sha256(text.encode()).hexdigest()[:16]}\n"


def renew(folder: Path, *, overwrite: bool) -> str:
    """Write the workflows of a league as this arena has them, with the commit that they run; what changes, as diffs.

    One that somebody has edited since arena wrote it stays as it is, unless it is to be overwritten.

    Raises:
        UsageError: the league has no workflows, or one is not in UTF-8.
        OSError: they cannot be read or written.
    """
    ci = next((ci for ci, places in CIS.items() if (folder / places["league.yml"]).is_file()), None)
    if ci is None:
        raise UsageError(
            f"expected a league with workflows, got none in {folder}; `arena new league DIR --ci` has them"
        )
    try:
        texts = {place: (folder / place).read_text("utf-8") for place in CIS[ci].values() if (folder / place).is_file()}
    except UnicodeDecodeError as error:
        raise UsageError(f"{folder}: expected workflows in UTF-8, got other bytes ({error})") from None
    # only here a new folder needs what settings need
    from arena.tournament import read_settings_file  # noqa: PLC0415

    private = "repositories" in read_settings_file(folder / SETTINGS_FILE)
    source = _USES.search(texts.get(CIS[ci]["arena.yml"], ""))
    parts = []
    for place, new in _fill_files(ci, source[0] if source else _SOURCE, private=private).items():
        old = texts.get(place, "")
        if old == new or not place.endswith(".yml"):
            continue
        body, _, mark = old.rpartition(_MARK)
        stays = bool(old) and not overwrite and _MARK + mark != _mark(place, body)
        lines = unified_diff(old.splitlines(), new.splitlines(), place, f"{place} of this arena", lineterm="")
        parts += [*lines, f"{place}: edited, so it stays; --overwrite writes it" if stays else f"{place}: written"]
        if not stays:
            files.write(folder, place, new.encode())
    return "\n".join(parts or [f"{folder}: its workflows are those of this arena"])
