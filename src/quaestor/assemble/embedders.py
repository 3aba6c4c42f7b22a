"""From the name of an embedder to the embedder: the only place that knows these names.

A name is what the setting ``embedder`` and the option ``--embedder`` say. What an index stores is the embedder's own
name (``Embedder.name``), which tells its weights as well; ``spec_of`` leads back from there.
"""

from __future__ import annotations

from typing import NamedTuple

from quaestor.config import Settings
from quaestor.embedding import Embedder
from quaestor.errors import UsageError

STATIC = "static"
_NAMES = "'auto', 'static'"


class Made(NamedTuple):
    """What an index was made with.

    Attributes:
        name: the embedder's own name.
        dimensions: length of its vectors.
    """

    name: str
    dimensions: int


def make_embedder(settings: Settings, made: Made | None = None) -> Embedder:
    """Return the embedder that the settings name.

    Args:
        settings: its name. ``auto`` means that of the index, and the bundled one for a new index.
        made: what the index was made with; None: there is none yet.

    Raises:
        UsageError: there is no embedder of that name.
    """
    name = settings.embedder
    if name == "auto":
        name = STATIC if made is None else spec_of(made.name)
    if name in (STATIC, "bundled"):
        from quaestor.embedding.static import StaticEmbedder  # noqa: PLC0415 - reads the weights

        return StaticEmbedder.bundled()
    raise UsageError(f"There is no embedder {settings.embedder!r}. Use one of {_NAMES}.")


def spec_of(name: str) -> str:
    """Return the setting that gives the embedder of this name of its own."""
    return STATIC
