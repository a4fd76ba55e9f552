"""The table over several games."""

import pytest

from arena.report.render import combine, shares
from tests.report.records import record, results_of


def test_a_share_counts_opponents_beaten_and_half_of_those_tied() -> None:
    """Per match (beaten + half of tied) / opponents, then the mean over the bot's matches, whatever their seats."""
    records = [
        record({"a": 0, "b": 1, "c": 1, "d": 3}),
        record({"b": 0, "a": 1}),
        record({"a": 0, "b": 1}, void=True),
    ]
    found = shares(results_of(records, ["a", "b", "c", "d", "idle"]))
    assert found == pytest.approx({"a": (1 + 0) / 2, "b": (1.5 / 3 + 1) / 2, "c": 0.5, "d": 0})


def test_a_standing_is_the_mean_over_the_games_played() -> None:
    """Games that a bot did not play do not count against it; who played none is last; nobody has a place."""
    found = combine({"lure": {"a": 0.75, "b": 0.5}, "dockfight": {"a": 0.25, "c": 0.8}}, ["idle", "c", "b", "a"])
    assert [(s.bot, s.share) for s in found] == [("c", 0.8), ("a", 0.5), ("b", 0.5), ("idle", None)]
    assert found[1].games == {"lure": 0.75, "dockfight": 0.25}


def test_shares_of_a_game_average_a_half() -> None:
    """What one bot gains another loses: over all seats of a match the mean share is a half."""
    found = shares(results_of([record({"a": 0, "b": 0, "c": 2, "d": 3, "e": 3})], "abcde"))
    assert sum(found.values()) / 5 == pytest.approx(0.5)
