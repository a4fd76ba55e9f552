"""Who enters late gets what it lacks, and meets everybody."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.schedule import draw_owed
from arena.tournament.audit import audit

KEY = bytes(range(32))


@settings(max_examples=60)
@given(st.integers(2, 20), st.integers(2, 8), st.data())
def test_everybody_gets_what_it_is_owed(bots: int, seats: int, data: st.DataObject) -> None:
    """Each entrant sits at least as often as it is owed, equally often in each seat, in no more blocks than that."""
    seats = min(seats, bots)
    names = [f"bot{n}" for n in range(bots)]
    owed = data.draw(st.dictionaries(st.sampled_from(names), st.integers(0, 12)))
    blocks = list(draw_owed(names, seats, owed, KEY, epoch=3, first=5))
    counted = audit(blocks, names)
    assert all(counted.bots[name] >= owed.get(name, 0) * seats for name in names)
    assert all(len(set(places)) <= 1 for places in counted.seats.values())
    assert [block.number for block in blocks] == list(range(5, 5 + len(blocks)))
    assert len(blocks) <= sum(owed.values())
    assert list(draw_owed(names[::-1], seats, owed, KEY, epoch=3, first=5)) == blocks


def test_one_newcomer_sits_in_every_block() -> None:
    """One that is owed 40 blocks gets 40, and meets each of five others in 24 of them."""
    counted = audit(draw_owed([f"bot{n}" for n in range(6)], 4, {"bot5": 40}, KEY))
    assert counted.blocks == 40
    assert counted.bots["bot5"] == 160
    assert counted.meetings
    assert set(counted.meetings["bot5"].values()) == {96}


def test_newcomers_do_not_stay_among_themselves() -> None:
    """Four newcomers among eight, in four seats, meet each of the old as often as each other, within two blocks."""
    names = [f"bot{n}" for n in range(8)]
    counted = audit(draw_owed(names, 4, dict.fromkeys(names[:4], 40), KEY))
    assert counted.meetings
    for new in names[:4]:
        assert max(counted.meetings[new].values()) - min(counted.meetings[new].values()) <= 2 * 4


def test_who_is_owed_must_be_there() -> None:
    """Blocks owed to nobody that takes part are refused."""
    with pytest.raises(ValueError, match="expected blocks to be owed to entrants, got 'c'"):
        draw_owed(["a", "b"], 2, {"c": 1}, KEY)
