"""The model of one conversation: who its requests are charged to, and what it can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from quaestor.corpus.asked_corpus import Asked
from quaestor.llm.models import Model
from quaestor.llm.models.capabilities import Capabilities
from quaestor.sessions.transcript import Transcript


def charged_to(model: Model | None, index: Asked, transcript: Transcript) -> Model | None:
    """Return the model with its requests charged to a conversation, if a ledger keeps them."""
    charged: Callable[..., Model] | None = getattr(model, "charged", None)
    if charged is None:
        return model
    return charged(source=index.source, session=transcript.id if transcript.saved else "")


def known_capabilities(model: Model | None, transcript: Transcript) -> Capabilities:
    """Return the capabilities of a model, without those that its server refused earlier in this session."""
    if model is None:
        return Capabilities()
    known = model.capabilities
    return replace(known, native_tools=False) if transcript.refused_tools(model.name) else known
