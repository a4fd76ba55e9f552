"""A match played on from a decision: the recorded part is exact, and what follows is true or imagined."""

from msgspec import json

from arena import games
from arena.retelling import retell
from arena.tournament.playing_on import PlayedOn, state_before
from tests.tournament.test_answers import Taped, played, sat


def test_the_table_before_a_decision() -> None:
    """The table is that at which the decision was asked, and it saves and loads."""
    match = sat("lure", 3)
    record = played(match, [Taped() for _ in range(3)])
    game = games.find("lure")

    state = game.deal(3, match.deal, match.variants)
    befores = [state.copy()]
    firsts = []
    for step in retell(record, state):
        firsts.append((step.first, len(step.pending.seats)))
        befores.append(state.copy())
    for before, (first, count) in zip(befores, firsts, strict=False):
        for decision in range(first, first + count):
            found = state_before(record, game.deal(3, match.deal, match.variants), decision)
            assert found == before
    assert json.decode(json.encode(found), type=game.state) == found


def test_how_it_is_told() -> None:
    """Both ends and the means are told, each mean with its 95 %; a single fresh match has no interval."""
    ends = PlayedOn(recorded=(3, 7.0), same=(1, 12.5), fresh=[(1, 10.0), (2, 8.0), (1, 12.0)])
    assert list(ends.lines()) == [
        "recorded: place 3, score 7",
        "as the cards lay: place 1, score 12.5",
        "in 3 fresh matches from there: mean place 1.33 +-1.49, mean score 10.00 +-5.17",
    ]
    assert len(list(PlayedOn(recorded=(3, 7.0), same=(1, 12.5), fresh=[(1, 10.0)]).lines())) == 2
