"""Runs that were begun under earlier rules of pairing keep to them: recorded by arena as it was then, without picks."""

from pathlib import Path

import msgspec
import pytest

from arena.formats.format import PAIRING
from arena.record import MatchResult
from arena.tournament.folder import Broken, Manifest
from arena.tournament.rounds import Rounds, derived
from arena.tournament.secrets import Secret

OLD = Path(__file__).parent / "old"


def recorded(name: str) -> tuple[Manifest, list[MatchResult]]:
    """The manifest and the outcomes of a run: a Swiss of eight rounds, or a race that ended without a test."""
    manifest = msgspec.json.decode((OLD / f"{name}.json").read_bytes(), type=Manifest)
    lines = (OLD / f"{name}.jsonl").read_bytes().splitlines()
    return manifest, [msgspec.json.decode(line, type=MatchResult) for line in lines]


def rounds_of(manifest: Manifest, outcomes: list[MatchResult]) -> Rounds:
    """The rounds that follow from these."""
    secrets = {epoch.number: Secret.of(str(epoch.seed)) for epoch in manifest.epochs}
    return derived(manifest, secrets, outcomes)


@pytest.mark.parametrize("name", ["swiss", "race"])
def test_an_old_run_holds(name: str) -> None:
    """All its rounds are derived as they were played, and it is over where it was; by today's rules it would not be."""
    manifest, outcomes = recorded(name)
    assert manifest.pairing == 1
    rounds = rounds_of(manifest, outcomes)
    assert rounds.round is None
    assert rounds.strange() == []
    assert sum(len(finished.played) for finished in rounds.finished) * 2 == len(outcomes)
    today = rounds_of(msgspec.structs.replace(manifest, pairing=PAIRING), outcomes)
    assert today.round is not None


def test_a_stopped_old_run_goes_on_as_it_was() -> None:
    """After each match of an old Swiss the round to be played is the one that was played next."""
    manifest, outcomes = recorded("swiss")
    for known in range(0, len(outcomes), 8):
        rounds = rounds_of(manifest, outcomes[:known])
        assert rounds.round is not None
        assert {bots for block in rounds.blocks[-4:] for bots in [block.seating]} == {
            each.bots for each in outcomes[known : known + 8] if each.id.endswith("r0")
        }


def test_a_run_of_later_rules_is_refused() -> None:
    """What a later arena began cannot be derived."""
    manifest, outcomes = recorded("swiss")
    later = msgspec.structs.replace(manifest, pairing=PAIRING + 1)
    with pytest.raises(Broken, match=f"expected pairing 1 to {PAIRING}, got {PAIRING + 1}"):
        rounds_of(later, outcomes)
