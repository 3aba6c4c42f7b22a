"""Fixtures and checks for every test."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator

import pytest
from hypothesis import settings

from fault_rounds import pytest_generate_tests, pytest_terminal_summary, trial  # noqa: F401 - hooks and a fixture
from postgres_server import postgres_address, postgres_server  # noqa: F401 - fixtures
from shared_state import database, open_database, open_tables, server_with_tables, state_uri  # noqa: F401 - fixtures

# A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that. The tests of Ctrl-C are
# about programs that a person started.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Containers often say that nothing compiled is to be kept: then each of the hundreds of processes that tests start
# would compile all of Quaestor anew, and each worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# As the command line does: BLAS's threads wait for each other by spinning, which takes a core from the tests beside.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No test says how long anything takes: on a busy machine the first example alone can take longer than the usual bound.
# Few examples show a mistake that has just been made, and the same ones every time, so that a failure is of the change
# and not of the draw; `make slow` draws many new ones.
settings.register_profile("quaestor", deadline=None, max_examples=15, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=400)
settings.load_profile("quaestor")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Never look for garbage in what collecting makes: all of it stays to the end."""
    gc.disable()
    found = yield
    gc.freeze()
    gc.enable()
    return found


def pytest_xdist_auto_num_workers() -> int:
    """Return how many workers ``-n auto`` starts: three for two cores, for much of the time they wait for processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores * 3 // 2
