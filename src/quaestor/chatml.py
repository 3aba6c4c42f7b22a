"""ChatML as structured data: the public name of ``quaestor.llm.chatml``."""

from __future__ import annotations

from quaestor.llm.chatml import *  # noqa: F403
from quaestor.llm.chatml import __all__  # noqa: F401
