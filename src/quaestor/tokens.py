"""Counting tokens: the public name of ``quaestor.llm.tokens``."""

from __future__ import annotations

from quaestor.llm.tokens import *  # noqa: F403
from quaestor.llm.tokens import __all__  # noqa: F401
