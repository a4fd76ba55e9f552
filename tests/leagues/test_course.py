"""A course: a list of students makes owners and starters, and tells how each of them stands."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.leagues.course import enter_students, read_students
from arena.leagues.league import league_at
from arena.leagues.owners import Owners, bind, owners_in
from tests.cli.command import arena, refusal
from tests.leagues.test_season import enter, season

COLUMNS = "expected the columns account and, if wanted, name, group and language"
LIST = "name,account,group\nAnna Berg,mine,\n=1+1,eve,pair\nBen,ben,pair\nCyd,cyd,\nDan,dan,\n"


@pytest.mark.parametrize(
    "data",
    [
        b"name,account,group,language\nBerg,anna,,\nB,ben,Team 1,shell\n",
        # as spreadsheets write it
        b'\xef\xbb\xbfName;Account;Group;Language;\r\n"Berg";@anna;;;\r\n;;;\r\n B ;ben;Team  1;shell\r\n',
        b"account\tlanguage\tname\tgroup\n\nanna\t\tBerg\t\nben\tshell\tB\tTeam 1\n",
    ],
)
def test_a_list_of_students(tmp_path: Path, data: bytes) -> None:
    """A list is read with commas, semicolons or tabs, its columns in any order; a bot is called as group or account."""
    (tmp_path / "list.csv").write_bytes(data)
    students = read_students(tmp_path / "list.csv")
    assert [(one.name, one.account, one.bot, one.language) for one in students] == [
        ("Berg", "anna", "anna", "python"),
        ("B", "ben", "Team-1", "shell"),
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "expected a line for each student below the names of the columns, got none"),
        (b"account\n", "expected a line for each student below the names of the columns, got none"),
        (b"name,group\n", f"{COLUMNS}, got 'name' and 'group' in line 1"),
        (b"account,acount\n", f"{COLUMNS}, got 'account' and 'acount' in line 1"),
        (b"account,account\n", f"{COLUMNS}, got 'account' and 'account' in line 1"),
        (b"name,account\nA,\n", "expected an account of letters, digits, `.`, `_` and `-`, got '' in line 2"),
        (b"account\n../up\n", "expected an account of letters, digits, `.`, `_` and `-`, got '../up' in line 2"),
        (b"name,account\nA,a\n\nB\n", "expected 2 cells, got 1 in line 4"),
        (b"name,account\nA,a,b\n", "expected 2 cells, got 3 in line 2"),
        (b"account\nanna\nben\nANNA\n", "expected each account once, got ANNA of line 2 again in line 4"),
        (b"account,group\na,one\nb,One\n", "expected a bot that is not that of line 2, got One in line 3"),
        (b"account,group\na,one\none,\n", "expected a bot that is not that of line 2, got one in line 3"),
        (b"account\nanna\nJ\xf6rg\n", "expected UTF-8, got another encoding in line 3"),
        (b'account\n"anna\n', "expected separated values, got unexpected end of data in line 2"),
    ],
)  # fmt: skip
def test_a_list_that_is_not_right(tmp_path: Path, data: bytes, why: str) -> None:
    """A mistake is named with the file and its line, and nobody is entered."""
    (tmp_path / "list.csv").write_bytes(data)
    with pytest.raises(UsageError) as error:
        read_students(tmp_path / "list.csv")
    assert str(error.value) == f"{tmp_path / 'list.csv'}: {why}"


def test_a_language_that_is_not_there(tmp_path: Path) -> None:
    """A starter is written in a language that has one, and a file that is not there is named."""
    with pytest.raises(UsageError, match="expected a list of students, got: No such file"):
        read_students(tmp_path / "list.csv")
    (tmp_path / "list.csv").write_text("account,language\nanna,cobol\n")
    with pytest.raises(UsageError, match=r"expected a language of c, .* got 'cobol' in line 2"):
        read_students(tmp_path / "list.csv")


def test_students_join(tmp_path: Path) -> None:
    """Who joins later is added, also to a group; what is there, by a student or by hand, stays as it is."""
    (tmp_path / "arena.toml").write_text('games = ["dockfight"]\nbots = ["bots/*"]\n')
    (tmp_path / "owners.toml").write_text('# by hand\n"ADA" = "ada" # the first\n')
    (tmp_path / "list.csv").write_text("account,group\nada,\nben,crew\n")

    def run() -> list[str]:
        return enter_students(league_at(str(tmp_path / "arena.toml"), print), read_students(tmp_path / "list.csv"))

    news = run()
    assert [line.partition(": ")[0] for line in news] == [
        "ada begins as a bot in python",
        "crew belongs to ben",
        "crew begins as a bot in python",
    ]
    assert (tmp_path / "owners.toml").read_text() == '# by hand\n"ADA" = "ada" # the first\ncrew = "ben"\n'
    (tmp_path / "bots/crew/bot.py").write_text("# ours\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert run() == []
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    (tmp_path / "list.csv").write_text("account,group\nada,\nben,crew\ncyd,crew\n")
    assert run() == ["crew belongs to ben and cyd"]
    assert owners_in(tmp_path) == Owners({"ADA": ("ada",), "crew": ("ben", "cyd")})
    assert (tmp_path / "bots/crew/bot.py").read_text() == "# ours\n"
    # a name that is somebody's stays somebody's
    (tmp_path / "list.csv").write_text("account,group\neve,crew\n")
    with pytest.raises(UsageError, match="crew: expected eve, as line 2 of the list has it, got ben and cyd"):
        run()


def test_a_line_that_cannot_be_changed(tmp_path: Path) -> None:
    """A file that binds a bot in several lines is left as it is: what to write is told."""
    text = 'pike = [\n  "anna",\n]\n'
    (tmp_path / "owners.toml").write_text(text)
    with pytest.raises(UsageError, match=r'pike: expected one line.*write: pike = \["anna", "ben"\]'):
        bind(tmp_path, "pike", accounts=["anna", "ben"])
    assert (tmp_path / "owners.toml").read_text() == text


@pytest.mark.long
def test_grades(league: Path) -> None:
    """The table says who has handed in what, where it stands, how many rules it keeps; a name is no formula there."""
    (league / "list.csv").write_text(LIST)
    said = arena(league, "season", "--course", "list.csv", "--json")
    assert "arena: pair belongs to eve and ben" in said.err
    assert {row["entry"] for row in json.loads(said.out)[1:]} == {"not handed in"}
    # cyd hands in, dan's bot cannot start and a change of mine cannot be read
    enter(league, "cyd", "slip.py")
    enter(league, "dan", "crash.py")
    season(league)
    (league / "bots/mine/bot.toml").write_text("name = \n")
    (league / "starters.json").chmod(0o444)
    said = arena(league, "season", "--course", "list.csv", "--format", "csv", "-q")
    assert said.err == ""
    rows = {row["account"]: row for row in csv.DictReader(StringIO(said.out))}
    assert rows["eve"]["name"] == "'=1+1"
    assert {name: row["entry"] for name, row in rows.items()} == {
        "mine": "an earlier version plays",
        "eve": "not handed in",
        "ben": "not handed in",
        "cyd": "plays",
        "dan": "refused",
    }
    assert [row["bot"] for row in rows.values()] == ["mine", "pair", "pair", "cyd", "dan"]
    table = json.loads((league / "leaderboard.json").read_bytes())["games"]["dockfight"]["leaderboard"]
    ranks = {row["bot"]: str(row["rank"]) for row in table}
    assert {row["bot"]: row["place"] for row in rows.values() if row["place"]} == ranks
    assert rows["mine"]["rules"] == rows["mine"]["of"] == rows["cyd"]["of"]
    assert 0 < int(rows["cyd"]["rules"]) < int(rows["cyd"]["of"])
    assert 0 <= float(rows["mine"]["points"]) <= 100
    assert (rows["dan"]["rules"], rows["dan"]["points"]) == ("0", "")
    assert rows["dan"]["why"].startswith("rule 1: boom: no model file")
    assert rows["cyd"]["why"].startswith("rule 7: ")
    assert rows["mine"]["why"].startswith("bots/mine/bot.toml: line 1: expected TOML, got something else")
    assert rows["mine"]["last good"]
    # no name of a student stands in a file of the league, but for the list itself
    (league / "list.csv").unlink()
    assert not [path for path in league.rglob("*") if path.is_file() and b"Anna Berg" in path.read_bytes()]


def test_what_stands_beside_a_list(league: Path) -> None:
    """A list that is not there ends the command before anything is entered."""
    assert refusal(league, "season", "--course", "no.csv", "-q").startswith("no.csv: expected a list of students")
    assert not (league / "owners.toml").exists()
