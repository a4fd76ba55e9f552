"""``arena.toml`` as it is read: every key in its type, patterns of bots, and whatever else a file may hold."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.tournament.config import FILE, bots, read
from arena.tournament.settings import LeagueSettings, keys
from tests.cli.test_config import LIMIT_KEYS, TABLES, enter, settle

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
_COUNTS = st.integers(-(2**70), 2**70)
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "seats": _COUNTS | _TEXT,
    "build-network": st.booleans(),
    **dict.fromkeys(("variants", "disqualified"), st.dictionaries(_TEXT, _TEXT, max_size=2)),
    "clocks": st.fixed_dictionaries({}, optional=dict.fromkeys(TABLES["clocks"], _TEXT)),
    "entries": st.fixed_dictionaries({}, optional={"per-owner": _COUNTS, "until": _TEXT, "ranks": _COUNTS}),
    "limits": st.dictionaries(st.sampled_from(LIMIT_KEYS), _COUNTS | _TEXT, max_size=2),
    **dict.fromkeys(("matches", "lanes", "max-faults"), _COUNTS),
    **dict.fromkeys(("schedule", "seed", "out", "isolation"), _TEXT),
    **dict.fromkeys(("games", "bots", "anchors", "readable", "stages"), st.lists(_TEXT, max_size=3)),
}
_TABLES = st.fixed_dictionaries({}, optional=_VALUES).map(
    lambda table: {key: value for key, value in table.items() if key != "schedule" or not table.get("stages")}
)


def test_patterns(tmp_path: Path) -> None:
    """A pattern stands for the folders with a bot file, sorted; names and command lines stay, nobody comes twice.

    A star and a number after a bot are copies.
    """
    enter(tmp_path, "bots/b", "bots/a", "more/c=d", "here", "v*1")
    (tmp_path / "bots" / "empty").mkdir()
    texts = ["bots/a", "greedy", "bots/*", "here", "m=python3 *.py", "more/*"]
    wanted = ["bots/a", None, "bots/b", "here", None, "more/c=d"]
    kept = ["greedy", "m=python3 *.py"]
    found = bots(texts, tmp_path)
    assert [os.path.relpath(text, tmp_path) if text not in kept else None for text in found] == wanted
    assert [text for text in found if text in kept] == kept
    folder = f"{tmp_path}/here"
    texts = ["greedy*2", "here*2", "old=here", "old*2=./bots/a", "r=random*2", "m=sh here"]
    wanted = ["greedy*2", f"{folder}*2", f"old={folder}", f"old*2={tmp_path}/./bots/a", "r=random*2", "m=sh here"]
    assert bots(texts, tmp_path) == wanted
    assert bots(["v*1"], tmp_path) == [f"{tmp_path}/v*1"]
    with pytest.raises(UsageError, match=r"expected folders with a bot.toml, got none for 'bots/e\*'"):
        bots(["bots/e*"], tmp_path)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to write settings into, again and again."""
    return tmp_path_factory.mktemp("desk")


@given(table=_TABLES)
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_read(desk: Path, table: dict[str, Any]) -> None:
    """Whatever stands in a file under known keys in the right types is read as it stands; the rest is left out."""
    assert set(_VALUES) == set(TABLES[""])
    flat = {key: value for key, value in table.items() if key not in ("clocks", "entries")}
    flat |= {f"{name}.{key}": each for name in ("clocks", "entries") for key, each in table.get(name, {}).items()}
    wanted = {name: flat[key] for name, key in keys(LeagueSettings).items() if flat.get(key) not in (None, [], {})}
    forms: dict[str, Callable[[Any], Any]] = {
        "seats": str,
        "out": lambda out: desk / out,
        "readable": lambda paths: [str(desk / path) for path in paths],
    }
    wanted |= {name: forms[name](wanted[name]) for name in forms if name in wanted}
    if "stages" in wanted:
        wanted["schedule"] = "+".join(wanted["stages"])
    got = read(settle(desk, table))
    assert {name: list(value) if isinstance(value, tuple) else value for name, value in got.items()} == wanted
    assert got == read(settle(desk, dict(reversed(table.items()))))


@given(table=_TABLES, where=st.sampled_from([*TABLES, "limits"]), key=_TEXT)
@settings(max_examples=50, deadline=None)
def test_no_unknown_key_is_passed_over(desk: Path, table: dict[str, Any], where: str, key: str) -> None:
    """One unknown key, in whichever table, is refused with its name, whatever else stands there."""
    known = TABLES | {"limits": LIMIT_KEYS}
    assume(key not in known[where])
    table = {**table, where: {**table.get(where, {}), key: 1}} if where else {**table, key: 1}
    with pytest.raises(UsageError) as caught:
        read(settle(desk, table))
    prefix = f"{where}: " if where else ""
    assert str(caught.value).startswith(f"{desk / FILE}: {prefix}expected a known key, got {key!r}")


@pytest.mark.long
@given(st.text(max_size=40) | st.text("[]{}=\".,'a1\n#-", max_size=40))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused(desk: Path, text: str) -> None:
    """Whatever the file holds, it is read or refused as one that is wrong: nothing else comes of it."""
    (desk / FILE).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    wrong = ""
    try:
        read(desk / FILE)
    except UsageError as error:
        wrong = str(error)
    assert not wrong or wrong.startswith(f"{desk / FILE}: ")
