"""What is left of a schedule, as jobs for lanes."""

from collections import Counter, deque
from collections.abc import Iterator
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.games import find
from arena.players.launch import Launch
from arena.tournament.folder import Entrant
from arena.tournament.lane_messages import PlayUnit
from arena.tournament.plan import first_manifest
from arena.tournament.remaining import Remaining
from arena.tournament.secrets import Secret
from arena.tournament.shard import WHOLE_RUN, Shard
from tests.tournament.playing import settings_for

SECRET = Secret.of("remaining")


BOTS = dict.fromkeys("abcdef", Launch(argv=("true",), env={}, folder="/"))


def rest(recorded: set[str], shard: Shard = WHOLE_RUN) -> Remaining:
    """What is left of 60 blocks of four: four chunks in four rotations."""
    asked = settings_for(find("cash-a-catch"), seats=(4,))
    manifest = first_manifest(asked, find("cash-a-catch"), [Entrant(name, "", ()) for name in BOTS], SECRET)
    return Remaining(manifest, {0: SECRET}, BOTS, recorded, shard)


def test_a_lane_goes_on_with_a_chunk_that_nobody_plays() -> None:
    """Two tables have the same deals at once only when all chunks are begun; blocks are finished chunk by chunk."""
    recorded: set[str] = set()
    jobs = iter(rest(recorded))
    given = [next(jobs), next(jobs)]
    for _ in range(14):
        # the first lane is done, the second has one more match to play
        for match in given[-2].matches + given[-1].matches[:-1]:
            recorded.add(match.id)
        given.append(next(jobs))
        for match in given[-2].matches:
            recorded.add(match.id)
    assert next(jobs, None) is None
    assert [job.unit for job in given] == [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]
    alone = [job.unit for job in rest(set())]
    assert alone[:4] == [0, 4, 8, 12]
    assert sorted(alone) == list(range(16))


def longest(run: Remaining, lanes: int) -> tuple[list[int], int]:
    """The units played, and how many the busiest lane plays, all of them as long; never two of a chunk at once."""
    playing: list[PlayUnit] = []
    jobs = run.jobs(lanes=lanes, playing=lambda: {job.unit for job in playing})
    played: list[int] = []
    rounds = 0
    while job := next(jobs, None):
        rounds += 1
        playing.append(job)
        while len(playing) < lanes and (job := next(jobs, None)):
            playing.append(job)
        assert len({job.unit // 4 for job in playing}) == len(playing)
        played += [job.unit for job in playing]
        playing.clear()
    return sorted(played), rounds


@pytest.mark.parametrize(
    ("chunks", "lanes", "rounds"), [(4, 1, 16), (4, 2, 8), (3, 2, 6), (4, 3, 6), (5, 4, 5), (7, 5, 6), (4, 8, 4)]
)
def test_no_deal_on_two_tables_at_once(chunks: int, lanes: int, rounds: int) -> None:
    """Where deals are kept apart, lanes still have work to the end as long as there are as many chunks as lanes."""
    run = rest(set())
    first = list(run._units())[:4]
    cut = [replace(first[n % 4], number=n, chunk=n // 4) for n in range(4 * chunks)]
    with patch.object(Remaining, "_units", lambda *_: iter(cut)):
        played, most = longest(run, lanes)
    assert played == list(range(4 * chunks))
    assert most == rounds == max(4, -(-4 * chunks // lanes))


@given(st.randoms(use_true_random=False), st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_whatever_takes_how_long_deals_stay_apart(dice: Random, lanes: int) -> None:
    """Whichever unit ends first, a chunk is never on two tables, every unit is played, and somebody always plays."""
    playing: list[PlayUnit] = []
    jobs = rest(set()).jobs(lanes=lanes, playing=lambda: {job.unit for job in playing})
    played = []
    more = True
    while more or playing:
        while more and len(playing) < lanes:
            try:
                job = next(jobs)
            except StopIteration:
                more = False
                break
            if job is None:
                assert playing
                break
            playing.append(job)
        assert len({job.unit // 4 for job in playing}) == len(playing)
        if playing:
            played.append(playing.pop(dice.randrange(len(playing))).unit)
    assert sorted(played) == list(range(16))


@pytest.mark.parametrize(("seconds", "first"), [(5.0, 7), (0.01, 46)])
def test_there_is_soon_something_to_watch(seconds: float, first: int) -> None:
    """A new run of slow matches plays two blocks to their end first; every match once, no process a deal twice."""
    recorded = set[str]()
    jobs = rest(recorded).jobs(lanes=1, playing=lambda: (), longest=lambda: seconds if recorded else 0.0)
    order = []
    for job in filter(None, jobs):
        assert len({match.id.rpartition("r")[2] for match in job.matches}) == 1
        order += [match.id for match in job.matches]
        recorded.update(order)
    assert sorted(order) == sorted(rest(set()).ids())
    ends = {match.partition("r")[0]: number for number, match in enumerate(order, 1)}
    assert min(ends.values()) == first
    # a resumed run goes on as it was
    assert [len(job.matches) for job in rest({"e0b0r0"}).jobs(lanes=1, longest=lambda: 9.0) if job][:2] == [14, 15]


def test_what_is_recorded_is_passed_over() -> None:
    """Units that are over make no job, and others hold what is left of them."""
    recorded: set[str] = set()
    for block, rotation in [(block, 0) for block in range(60)] + [(3, 1)]:
        recorded.add(f"e0b{block}r{rotation}")
    jobs = list(rest(recorded))
    assert [len(job.matches) for job in jobs if job.unit == 1] == [14]
    assert {job.unit for job in jobs} == set(range(16)) - {0, 4, 8, 12}


@pytest.mark.parametrize(("of", "blocks"), [(1, {60}), (2, {30}), (3, {15, 30}), (5, {7, 8, 15}), (16, {3, 4})])
def test_shards_share_the_blocks(of: int, blocks: set[int]) -> None:
    """Each shard of a run of 240 matches has whole blocks and about its share, also of 16; together they have all."""
    parts = [list(rest(set(), Shard(number=number, of=of)).ids()) for number in range(1, of + 1)]
    assert {len(part) // 4 for part in parts} == blocks
    for part in parts:
        assert set(Counter(match.partition("r")[0] for match in part).values()) == {4}
    assert sorted(match for part in parts for match in part) == sorted(rest(set()).ids())


@pytest.mark.parametrize(("of", "matches"), [(4, {60}), (5, {45, 60}), (16, {14, 15, 16})])
def test_no_deal_twice_in_a_part_by_rotation(of: int, matches: set[int]) -> None:
    """Of each block a part by rotation has one match at most, and about its share of all; together they have all."""
    parts = [list(rest(set(), Shard(number=number, of=of, by_rotation=True)).ids()) for number in range(1, of + 1)]
    assert {len(part) for part in parts} <= matches
    for part in parts:
        assert max(Counter(match.partition("r")[0] for match in part).values()) == 1
    assert sorted(match for part in parts for match in part) == sorted(rest(set()).ids())


@given(st.lists(st.integers(0, 70), max_size=12), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_blocks_that_there_is_room_for(rooms: list[int], lanes: int) -> None:
    """However little room there is each time, blocks are played whole, no match twice, and the others later."""
    recorded, times = set[str](), Counter[str]()
    left = iter(rooms)

    def play(jobs: Iterator[PlayUnit]) -> None:
        playing: deque[PlayUnit] = deque()
        for job in jobs:
            playing.append(job)
            if len(playing) == lanes:
                end(playing.popleft())
        for job in playing:
            end(job)

    def end(job: PlayUnit) -> None:
        for match in job.matches:
            times[match.id] += 1
            recorded.add(match.id)

    play(filter(None, rest(recorded).jobs(room=lambda _: next(left, 0))))
    assert all(f"{match.partition('r')[0]}r{rotation}" in times for match in times for rotation in range(4))
    play(iter(rest(recorded)))
    assert sorted(times) == sorted(rest(set()).ids())
    assert set(times.values()) == {1}
