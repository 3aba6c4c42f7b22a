"""Evaluating an embedder behind an endpoint: nothing is paid that was not allowed, and nothing is paid twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from quaestor.core.config import Settings
from quaestor.core.errors import BudgetError
from quaestor.embedding.remote import Allowance
from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.grid import grid
from quaestor.evaluation.metrics import Question, Target
from quaestor.evaluation.run import Outcome, Place, Run
from servers.embedder import MODEL, sent
from servers.scripted import ScriptedServer

REMOTE = f"openai:{MODEL}"
GRID = grid(["static", REMOTE], ["auto"], ["dense"], [True])


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running
    assert not running.failures


class Paid:
    """Runs a grid of two embedders, one of them behind a server where a token costs a millionth."""

    def __init__(self, server: ScriptedServer, tmp_path: Path) -> None:
        self.settings = Settings(
            home=str(tmp_path / "home"), embedder_base_url=server.base_url, embedder_price=1.0, refresh_cost=0.0
        )
        self.place = Place(tmp_path / "evaluations")
        root = tmp_path / "notes"
        root.mkdir()
        for number in range(20):
            text = f"# Village {number}\n\n{f'its harbour has room for {number} boats ' * 12}\n"
            (root / f"{number:02}.md").write_text(text, "utf-8")
        questions = tuple(
            Question(str(number), f"boats in village {number}", (Target(f"{number:02}.md"),)) for number in range(5)
        )
        self.data_set = DataSet("villages", "jsonl", "documents", (Part("notes", root, questions),))

    def run(self, allowance: Allowance | None) -> Outcome:
        return Run(self.place, lambda part: self.settings, allowance=allowance).of(self.data_set, GRID)


@pytest.fixture
def paid(server: ScriptedServer, tmp_path: Path) -> Paid:
    return Paid(server, tmp_path)


def test_nothing_is_paid_that_nobody_allowed(paid: Paid, server: ScriptedServer) -> None:
    with pytest.raises(BudgetError):
        paid.run(None)
    assert not any("harbour" in text for text in sent(server))


def test_what_was_paid_for_is_kept_when_the_money_ends(paid: Paid, server: ScriptedServer) -> None:
    with pytest.raises(BudgetError):
        paid.run(Allowance(1500))
    outcome = paid.run(Allowance(None))
    documents = Counter(text for text in sent(server) if "harbour" in text)
    assert len(documents) == 20
    assert set(documents.values()) == {1}
    static, remote = outcome.cells
    assert static.built.seconds is not None
    assert remote.built.seconds is None, "it was gone on with, so its time is not that of a whole build"
    assert len(remote.answers) == 5


def test_a_second_run_sends_nothing(paid: Paid, server: ScriptedServer) -> None:
    before = paid.run(Allowance(None))
    assert before.cells[1].built.seconds is not None
    asked = len(server.requests)
    assert paid.run(None) == before
    assert len(server.requests) == asked
