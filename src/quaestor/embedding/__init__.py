"""Turning text into vectors: the protocol, and the embedders that follow it.

The bundled ``static``, a local ``transformer``, and any endpoint over ``http``. The package does not know chunks,
stores or search: texts go in, unit vectors come out. Begin with ``static``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Embedder", "Vectors"]

Vectors: TypeAlias = "NDArray[np.float32]"


class Embedder(Protocol):
    """Anything that maps texts to unit vectors.

    Attributes:
        name: identifies the weights, not only the architecture; an index stores it and refuses another.
        dimensions: length of each vector.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def dimensions(self) -> int: ...  # noqa: D102

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised row per text, shape ``(len(texts), dimensions)``.

        A text without any known word gives a row of zeros.
        """
        ...
