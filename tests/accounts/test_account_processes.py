"""Several processes share one ledger: together they never exceed a limit, and a killed one damages nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from account_parts import ASK, REPLY, Speaker, accounts_at, heard, metered

from fault_rounds import Trial
from quaestor.accounts.ledger import Ledger
from quaestor.core.errors import BudgetError
from quaestor.llm.tokens import counter_for
from quaestor.state.rows import Database

SPENDER = Path(__file__).with_name("spender.py")
BOUND = counter_for("gpt-4o").request(ASK.messages) + 50


@pytest.fixture
def accounts(place: str) -> Iterator[Database]:
    with accounts_at(place) as found:
        yield found


def spender(place: str, limit: int, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(SPENDER), place, str(limit), how], stdout=subprocess.PIPE, text=True)


def asked(accounts: Database, *questions: str) -> list[Any]:
    """Return the one value that each of several statements gives."""
    with accounts.reading() as connection:
        assert connection is not None
        return [connection.execute(question).fetchone()[0] for question in questions]


BY_ROWS = "select cast(sum(prompt_tokens) as bigint) from requests"
BY_TOTALS = "select cast(sum(tokens) as bigint) from totals where length(period) = 10"


def test_processes_that_spend_at_once_stay_within_the_limit(place: str, accounts: Database) -> None:
    limit = 1000
    racing = [spender(place, limit, "race") for _ in range(4)]
    taken = [int(process.communicate()[0]) for process in racing]
    assert {process.returncode for process in racing} == {0}
    requests, spent, total = asked(accounts, "select count(*) from requests", BY_ROWS, BY_TOTALS)
    assert requests == sum(taken)
    assert limit - 5 < spent == total <= limit


def test_what_a_killed_process_reserved_stays_counted_at_its_bound(place: str, accounts: Database) -> None:
    process = spender(place, 10_000, "hang")
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    [row] = Ledger(accounts).usage("user")
    assert (row.prompt_tokens + row.completion_tokens, row.reserved, row.lapsed) == (BOUND, 1, 0)
    with pytest.raises(BudgetError, match=f"{BOUND} tokens are used or reserved"):
        heard(metered(Speaker(*REPLY), Ledger(accounts), limit_day_tokens=2 * BOUND - 1))
    heard(metered(Speaker(*REPLY), Ledger(accounts), limit_day_tokens=2 * BOUND))
    later = Ledger(accounts, clock=lambda: time.time() + 3601)
    assert sum(row.lapsed for row in later.usage("day")) == 1


def test_interrupting_settles(place: str, accounts: Database) -> None:
    process = spender(place, 10_000, "hang")
    assert process.stdout is not None
    assert process.stdout.readline() == "under way\n"
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert asked(accounts, "select state from requests", "select count(*) from requests") == ["cancelled", 1]


@pytest.mark.fault("kill -9 of who reserves and settles", few=2, many=10)
def test_a_killed_writer_leaves_every_row_with_its_totals(trial: Trial, place: str, accounts: Database) -> None:
    """Killed at any moment while it reserves and settles: the totals are the sum of the rows."""
    for _ in trial.rounds():
        trial.done += 1
        process = spender(place, 10**9, "race")
        begun = _rows(accounts)
        while _rows(accounts) < begun + 20:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        by_rows, by_totals = asked(accounts, BY_ROWS, BY_TOTALS)
        assert by_rows == by_totals
        if not place.startswith("postgresql:"):
            assert asked(accounts, "pragma integrity_check") == ["ok"]


def _rows(accounts: Database) -> int:
    return sum(row.requests for row in Ledger(accounts).usage("day"))
