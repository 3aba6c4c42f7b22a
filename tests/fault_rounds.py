"""Rounds of one fault: few in every test run, many with `make faults`; their outcomes are counted and shown.

A test that takes the fixture ``trial`` says so by ``@pytest.mark.fault("what is done", few=6, many=200)`` and becomes
two: one with few rounds, and one with many that bears the marker ``faults``. QUAESTOR_ROUNDS bounds the many, and
QUAESTOR_SEED draws others where a test takes some of many cases by chance.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

_PROPERTY = "fault"
_SHOWN = 20

_Case = TypeVar("_Case")


class Trial:
    """The rounds of one test; one that fails is counted, and the next is gone on with.

    Attributes:
        failures: what went wrong, in which round.
        done: how many rounds there were.
        seed: of what is drawn by chance.
        covered: what the rounds covered of all that there is, for the table; empty where their number says it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.done = 0
        self.seed = int(os.environ.get("QUAESTOR_SEED", "1"))
        self.failures: list[str] = []
        self.covered = ""

    @property
    def most(self) -> int:
        """How many rounds there are to be."""
        return self._most

    def rounds(self) -> Iterator[int]:
        """Yield as many numbers as there are to be rounds; afterwards none may have failed."""
        yield from self.over(range(self._most))

    def over(self, cases: Sequence[_Case]) -> Iterator[_Case]:
        """Yield as many of the cases as there are to be rounds, spread evenly; afterwards none may have failed."""
        count = min(len(cases), self._most)
        for number in range(count):
            yield cases[number * len(cases) // count]
        self.judge()

    @contextmanager
    def counted(self, name: object, rounds: int = 1) -> Iterator[None]:
        """Count the block as a round, or several, and as a failed one if it raises."""
        self.done += rounds
        try:
            yield
        except Exception as error:
            self.failures.append(f"{name}: {type(error).__name__}: {str(error)[:600]}")

    def judge(self) -> None:
        """Assert that no round has failed."""
        assert not self.failures, f"{len(self.failures)} of {self.done} rounds failed:\n" + "\n".join(
            self.failures[:_SHOWN]
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("fault")
    if marker is None:
        return
    most = int(os.environ.get("QUAESTOR_ROUNDS", "0")) or marker.kwargs["many"]
    metafunc.parametrize(
        "trial",
        [
            pytest.param(marker.kwargs["few"], id="few"),
            pytest.param(
                min(most, marker.kwargs["many"]), id="many", marks=[pytest.mark.faults, pytest.mark.timeout(0)]
            ),
        ],
        indirect=True,
    )


@pytest.fixture
def trial(request: pytest.FixtureRequest) -> Iterator[Trial]:
    """Give a test its rounds, and put down what came of them."""
    made, started = Trial(request.param), time.monotonic()
    yield made
    told = {
        "fault": request.node.get_closest_marker("fault").args[0],
        "rounds": made.done,
        "failures": len(made.failures),
        "seconds": round(time.monotonic() - started, 1),
        "covered": made.covered,
        "test": request.node.nodeid,
    }
    request.node.user_properties.append((_PROPERTY, told))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show what came of the faults, and keep it in the file that QUAESTOR_FAULTS names."""
    reports = [
        report for some in terminalreporter.stats.values() for report in some if hasattr(report, "user_properties")
    ]
    rows = {value["test"]: value for report in reports for name, value in report.user_properties if name == _PROPERTY}
    if not rows:
        return
    terminalreporter.section("faults")
    for row in rows.values():
        terminalreporter.write_line(
            f"{row['rounds']:7} rounds {row['failures']:5} failed {row['seconds']:8} s  {row['fault']}  [{row['test']}]"
            + (f"  {row['covered']}" if row["covered"] else "")
        )
    if place := os.environ.get("QUAESTOR_FAULTS"):
        Path(place).write_text("".join(json.dumps(row) + "\n" for row in rows.values()), encoding="utf-8")
