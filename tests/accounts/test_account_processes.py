"""Several processes and one ledger: no two pass a limit together, and none that is killed takes it along."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from account_parts import ASK, REPLY, Speaker, heard, metered

from quaestor.accounts.ledger import Ledger
from quaestor.core.errors import BudgetError
from quaestor.llm.tokens import counter_for

SPENDER = Path(__file__).with_name("spender.py")
BOUND = counter_for("gpt-4o").request(ASK.messages) + 50


def spender(file: Path, limit: int, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SPENDER), str(file), str(limit), how], stdout=subprocess.PIPE, text=True
    )


def test_processes_that_spend_at_once_stay_within_the_limit(file: Path) -> None:
    limit = 1000
    racing = [spender(file, limit, "race") for _ in range(6)]
    taken = [int(process.communicate()[0]) for process in racing]
    assert {process.returncode for process in racing} == {0}
    with sqlite3.connect(file) as connection:
        [(requests, spent)] = connection.execute("select count(*), sum(prompt_tokens) from requests")
        [(total,)] = connection.execute("select sum(tokens) from totals where length(period) = 10")
    connection.close()
    assert requests == sum(taken)
    assert limit - 5 < spent == total <= limit


def test_what_a_killed_process_reserved_stays_counted_at_its_bound(file: Path) -> None:
    process = spender(file, 10_000, "hang")
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    [row] = Ledger.open(file).usage("user")
    assert (row.prompt_tokens + row.completion_tokens, row.reserved, row.lapsed) == (BOUND, 1, 0)
    with pytest.raises(BudgetError, match=f"{BOUND} tokens are used or reserved"):
        heard(metered(Speaker(*REPLY), Ledger.open(file), limit_day_tokens=2 * BOUND - 1))
    heard(metered(Speaker(*REPLY), Ledger.open(file), limit_day_tokens=2 * BOUND))
    later = Ledger.open(file, clock=lambda: time.time() + 3601)
    assert sum(row.lapsed for row in later.usage("day")) == 1


def test_interrupting_settles(file: Path) -> None:
    process = spender(file, 10_000, "hang")
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    process.send_signal(signal.SIGINT)
    process.communicate()
    with sqlite3.connect(file) as connection:
        assert connection.execute("select state from requests").fetchall() == [("cancelled",)]
    connection.close()


def test_a_killed_writer_leaves_every_row_with_its_totals(file: Path) -> None:
    """Killed at any moment while it reserves and settles: the totals are the sum of the rows."""
    for _ in range(5):
        process = spender(file, 10**9, "race")
        Ledger.open(file).usage("day")
        while not _rows(file):
            os.sched_yield()
        begun = _rows(file)
        while _rows(file) < begun + 20:
            os.sched_yield()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with sqlite3.connect(file) as connection:
            by_rows = connection.execute("select sum(prompt_tokens) from requests").fetchone()
            totals = connection.execute("select sum(tokens) from totals where length(period) = 10").fetchone()
            assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        connection.close()
        assert by_rows == totals


def _rows(file: Path) -> int:
    return sum(row.requests for row in Ledger.open(file).usage("day"))
