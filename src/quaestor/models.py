"""Language models: the public name of ``quaestor.llm.models``."""

from __future__ import annotations

from quaestor.llm.models import *  # noqa: F403
from quaestor.llm.models import __all__  # noqa: F401
