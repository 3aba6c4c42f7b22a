"""Allowances for embedding, and searches while the server is down."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.config import Settings
from quaestor.core.errors import BudgetError
from quaestor.embedding.remote import Allowance, ForgivingEmbedder
from servers.embedder import embedder_of
from servers.script import Reply
from servers.scripted import ScriptedServer


@given(st.integers(0, 100), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=20))
def test_an_allowance_is_passed_by_no_request(most: int, requests: list[tuple[int, int]]) -> None:
    allowance = Allowance(most)
    for bound, cost in requests:
        before = allowance.spent
        try:
            allowance.take(bound)
        except BudgetError:
            assert before + bound > most
            assert allowance.spent == before
        else:
            assert allowance.spent == before + bound <= most
            allowance.correct(bound, min(bound, cost))
            assert allowance.spent == before + min(bound, cost)


def test_an_allowance_without_a_bound_takes_what_has_no_price() -> None:
    allowance = Allowance(None)
    allowance.take(None)
    allowance.take(5)
    allowance.correct(None, None)
    assert allowance.spent == 5


def test_while_a_server_is_down_queries_are_like_nothing_and_it_is_left_alone(tmp_path: Path) -> None:
    now = 0.0
    with ScriptedServer() as server:
        forgiving = ForgivingEmbedder(embedder_of(server, tmp_path), clock=lambda: now)
        assert forgiving.encode(["one"]).any()
        assert forgiving.failure is None
        server.embeddings = lambda _: Reply(status=401, error="no such key")
        assert not forgiving.encode(["two"]).any()
        assert forgiving.failure is not None
        assert "no such key" in str(forgiving.failure)
        asked = len(server.requests)
        server.embeddings = lambda _: None
        np.testing.assert_array_equal(forgiving.encode(["three"]), np.zeros((1, 32)))
        assert len(server.requests) == asked
        now = 31.0
        assert forgiving.encode(["three"]).any()
        assert forgiving.failure is None


def test_a_limit_is_no_outage(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        forgiving = ForgivingEmbedder(embedder_of(server, tmp_path, settings=Settings(limit_day_tokens=1)))
        with pytest.raises(BudgetError):
            forgiving.encode(["several words are too many"])
