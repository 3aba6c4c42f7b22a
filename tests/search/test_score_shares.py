"""The shares of a score are computed on demand, and add up to the score."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from quaestor.search.features import FEATURES
from quaestor.search.ranker import Ranker, Shares


def test_shares_add_up_to_the_score() -> None:
    features = np.linspace(0, 1, len(FEATURES), dtype=np.float32)
    shares = Shares(Ranker.bundled(), features, 100.0, 102.5)
    assert sum(shares.values()) == pytest.approx(102.5, abs=1e-4)
    assert list(shares) == [*FEATURES, "certain", "further_of_file"]
    assert shares["certain"] == 100
    assert len(shares) == len(FEATURES) + 2


def test_shares_are_equal_by_what_they_hold_and_can_be_sent() -> None:
    shares = Shares(Ranker.bundled(), np.ones(len(FEATURES), np.float32), 0.0, 1.0)
    assert pickle.loads(pickle.dumps(shares)) == shares == dict(shares)
