"""What an endpoint says of the models that it serves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from quaestor.llm.models.openai_compatible import OpenAICompatibleModel

# Names under which servers say how long their window is; what the model was trained with is not what they serve.
_WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
# Some endpoints list hundreds of models, each with a page of description.
_LARGEST_LIST = 8 << 20


class Listing(NamedTuple):
    """The models of an endpoint.

    Attributes:
        names: of all models; empty where the endpoint does not list any.
        window: of the model that is used, in tokens; None if the endpoint does not say.
    """

    names: tuple[str, ...]
    window: int | None


async def list_models(model: OpenAICompatibleModel) -> Listing:
    """Ask a model's endpoint what it serves.

    Raises:
        UpstreamError: it cannot be reached, refuses, or lists nothing that can be read.
    """
    answer = await model.exchange("/models", largest=_LARGEST_LIST)
    listed = answer.get("data") if isinstance(answer, dict) else None
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    named = [entry for entry in entries if entry.get("id") == model.name] or (entries if len(entries) == 1 else [])
    names = tuple(entry["id"] for entry in entries if isinstance(entry.get("id"), str))
    return Listing(names, _window_in(named[0]) if named else None)


def _window_in(entry: Mapping[str, Any]) -> int | None:
    nested = [value for value in entry.values() if isinstance(value, dict)]
    numbers = [found.get(name) for found in (entry, *nested) for name in _WINDOWS]
    return next((number for number in numbers if isinstance(number, int) and number > 0), None)
