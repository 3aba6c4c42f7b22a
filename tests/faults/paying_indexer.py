"""Indexes a folder with a remote embedder, to be killed at it: ROOT HOME ADDRESS."""

from __future__ import annotations

import math
import sys

from quaestor import Index
from quaestor.core.config import Settings

_, root, home, address = sys.argv
settings = Settings(home=home, embedder="openai:m", embedder_base_url=address, embedder_price=1.0)
Index.build(root, settings=settings, max_cost=math.inf).close()
