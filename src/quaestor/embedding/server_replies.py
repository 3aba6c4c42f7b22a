"""Reading what ``/v1/embeddings`` answered: nothing is believed that was not checked. Pure."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.embedding import Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


class NoVectorsError(ValueError):
    """An answer is not what was asked for; says in what."""


def read_vectors(answer: Any, count: int) -> Vectors:
    """Return the unit vectors of an answer in the order of the texts, shape ``(count, dimensions)``.

    Args:
        answer: the JSON as it came.
        count: texts that were sent.

    Raises:
        NoVectorsError: they are too few or too many, out of order, not numbers, not finite, or of several dimensions.
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise NoVectorsError("no list 'data'")
    if len(data) != count:
        raise NoVectorsError(f"{len(data)} vectors for {count} texts")
    rows: list[NDArray[np.float64] | None] = [None] * count
    for position, entry in enumerate(data):
        place = entry.get("index", position) if isinstance(entry, dict) else None
        if not isinstance(place, int) or not 0 <= place < count or rows[place] is not None:
            raise NoVectorsError("vectors that are not numbered from 0 on")
        rows[place] = _row(entry.get("embedding"))
    lengths = {len(row) for row in rows if row is not None}
    if len(lengths) != 1 or 0 in lengths:
        raise NoVectorsError(f"vectors of {' and '.join(map(str, sorted(lengths)))} dimensions")
    return _unit(np.stack([row for row in rows if row is not None]))


def read_tokens(answer: Any) -> int | None:
    """Return the tokens that the server says it read; None if it does not say, or says nothing that can be."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else None


def _row(value: Any) -> NDArray[np.float64]:
    """Return one vector: numbers, or little-endian 32-bit floats in base64."""
    if not isinstance(value, (str, list)):
        raise NoVectorsError("no vector where one should be")
    try:
        if isinstance(value, str):
            row = np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float64)
        else:
            row = np.asarray(value, dtype=np.float64)
    except (binascii.Error, TypeError, ValueError, OverflowError) as error:
        raise NoVectorsError(f"a vector that cannot be read ({error})") from None
    if row.ndim != 1:
        raise NoVectorsError("a vector of vectors, one for each token: the server pools nothing")
    if not np.isfinite(row).all():
        raise NoVectorsError("a vector with values that are no numbers")
    return row


def _unit(rows: NDArray[np.float64]) -> Vectors:
    """Return rows of length 1; rows of zeros stay."""
    # Divided by the largest first, so that no square is beyond what a float holds.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = rows / np.where(largest > 0, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: Vectors = (scaled / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
