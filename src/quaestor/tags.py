"""Text tags in replies: the public name of ``quaestor.llm.tags``."""

from __future__ import annotations

from quaestor.llm.tags import *  # noqa: F403
from quaestor.llm.tags import __all__  # noqa: F401
