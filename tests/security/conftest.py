"""Fixtures of other tests that attacks are built from."""

from __future__ import annotations

import sys
from pathlib import Path

_SERVED = Path(__file__).parents[1] / "server"
sys.path[:0] = [str(Path(__file__).parent), str(_SERVED), str(_SERVED / "api")]
