"""Tests that need a program of the machine: left out where it is missing, but not in CI, which has them all."""

import os
from typing import Never

import pytest


def leave_out(missing: str) -> Never:
    """Skip this test for want of a program; fail it where ``ARENA_TEST_TOOLCHAINS=all`` says that none is wanting."""
    if os.environ.get("ARENA_TEST_TOOLCHAINS") == "all":
        pytest.fail(missing)
    pytest.skip(missing)
