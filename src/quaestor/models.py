"""Language models: the public name of ``quaestor.llm.models``."""

from __future__ import annotations

from quaestor.llm.models import (
    Delta,
    Finished,
    FinishReason,
    Model,
    Request,
    TextDelta,
)

__all__ = [
    "Delta",
    "FinishReason",
    "Finished",
    "Model",
    "Request",
    "TextDelta",
]
