"""`arena new league --renew`: workflows of an older arena are written anew, and what a host has edited stays."""

from pathlib import Path

import pytest

from arena import games
from arena.leagues.new import CIS, _mark, renew, write
from tests.ci.nights import EXAMPLE
from tests.cli.command import arena, refusal

LEAGUE, CHECK, ACTION = (CIS["github"][name] for name in ("league.yml", "check.yml", "arena.yml"))


def snapshot(folder: Path) -> dict[str, str]:
    """The files of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_workflows_are_renewed(tmp_path: Path) -> None:
    """What an older arena wrote is written anew and shown as a harmless diff; the commit that it runs stays."""
    league = tmp_path / "league"
    write(league, [games.find("dockfight")], ci="github", source=f"anna/arena@{'a' * 40}")
    due = snapshot(league)
    # as an older arena wrote it, but for the commit that the host has put in
    older = due[LEAGUE].rpartition("# what")[0].replace("timeout-minutes: 350", "timeout-minutes: 60")
    (league / CHECK).unlink()
    action = (league / ACTION).read_text().replace("a" * 40, "b" * 40)
    older = f"{older}# \a\n"
    (league / LEAGUE).write_text(older + _mark(LEAGUE, older))
    (league / ACTION).write_text(action)
    told = arena(tmp_path, "new", "league", "league", "--renew").out
    assert "\a" not in told
    assert "-    timeout-minutes: 60\n+    timeout-minutes: 350\n" in told
    assert [line for line in told.splitlines() if ": " in line and line.endswith("written")] == [
        f"{LEAGUE}: written",
        f"{CHECK}: written",
    ]
    assert snapshot(league) == {**due, ACTION: action}
    assert renew(league, overwrite=False) == f"{league}: its workflows are those of this arena"
    assert refusal(tmp_path, "new", "league", "other", "--renew").startswith("expected a league with workflows, got ")


def test_what_a_host_has_edited_stays(tmp_path: Path) -> None:
    """An edited workflow is shown as a diff and stays until the host has it overwritten; other files are the host's."""
    league = tmp_path / "league"
    write(league, [games.find("dockfight")], ci="github")
    due = snapshot(league)
    (league / CHECK).write_text(due[CHECK].replace("name: check", "name: my own check"))
    (league / "owners.toml").write_text('pike = "anna"\n')
    before = snapshot(league)
    told = renew(league, overwrite=False)
    assert "-name: my own check\n+name: check\n" in told
    assert told.endswith(f"\n{CHECK}: edited, so it stays; --overwrite writes it")
    assert snapshot(league) == before
    assert renew(league, overwrite=True).endswith(f"\n{CHECK}: written")
    assert snapshot(league) == {**due, "owners.toml": 'pike = "anna"\n'}


@pytest.mark.parametrize("place", [LEAGUE, CHECK, ACTION])
def test_the_example_is_renewed(place: str) -> None:
    """`arena new league examples/nightly-league --renew --overwrite` writes the example's workflows anew."""
    body, mark, _ = (EXAMPLE / place).read_text().partition("# what `arena new league")
    assert (EXAMPLE / place).read_text() == body + _mark(place, body)
    assert mark
