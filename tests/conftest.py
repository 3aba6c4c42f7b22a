"""What holds for every test."""

from __future__ import annotations

import signal

from hypothesis import settings

from fault_rounds import pytest_generate_tests, pytest_terminal_summary, trial  # noqa: F401 - hooks and a fixture
from postgres_server import postgres_address, postgres_server  # noqa: F401 - fixtures
from shared_state import database, open_database, open_tables, server_with_tables, state_uri  # noqa: F401 - fixtures

# A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that. The tests of Ctrl-C are
# about programs that a person started.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test says how long anything takes: on a busy machine the first example alone can take longer than the usual bound.
settings.register_profile("quaestor", deadline=None)
settings.load_profile("quaestor")
