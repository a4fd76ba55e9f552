"""What the house does between two rotations, so that the next process of a bot reads little off the machine itself."""

import os
import sys
import time

import pytest

from arena.sandbox.copies import NUMBERS, PAUSE, jitter


def number_of_a_pipe() -> int:
    """The number of a new pipe."""
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


@pytest.mark.skipif(sys.platform != "linux", reason="expected Linux, which counts pipes")
def test_amounts_are_drawn() -> None:
    """Each time other amounts of time pass and other amounts of pipes are counted, none beyond the bounds."""
    home = os.sched_getaffinity(0)
    # the kernel counts for each core by itself
    os.sched_setaffinity(0, {min(home)})
    try:
        steps, waits = [], []
        for _ in range(20):
            before, began = number_of_a_pipe(), time.thread_time()
            jitter()
            waits.append(time.thread_time() - began)
            steps.append(number_of_a_pipe() - before)
    finally:
        os.sched_setaffinity(0, home)
    assert len(set(steps)) > 15
    assert len(set(waits)) > 15
    # others on this core count too
    assert sorted(steps)[len(steps) // 2] < 2 * NUMBERS
    assert PAUSE < 0.05
