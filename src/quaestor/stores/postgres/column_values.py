"""Texts and vectors as PostgreSQL's columns hold them.

NUL and halves of surrogate pairs, which PostgreSQL refuses, are escaped. pgvector's half precision holds the numbers
of the stores' int8 rows exactly.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


# A code point that stands for no character in any text; behind it come six hexadecimal digits.
_ESCAPE = "\U0010fffe"
_REFUSED = re.compile(f"[\x00\ud800-\udfff{_ESCAPE}]")
_ESCAPED = re.compile(f"{_ESCAPE}([0-9a-f]{{6}})")

_HEAD = struct.Struct(">hh")  # dimensions, and two bytes that are not used


def escape(text: str) -> str:
    """Return a text as the database can keep it; most texts are as they are."""
    if text.isascii() and "\x00" not in text:
        return text
    return _REFUSED.sub(lambda found: f"{_ESCAPE}{ord(found[0]):06x}", text)


def unescape(text: str) -> str:
    """Return the text that ``escape`` was given."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if _ESCAPE in text else text


def escape_optional(text: str | None) -> str | None:
    """Escape a text; None stays None."""
    return None if text is None else escape(text)


def unescape_optional(text: str | None) -> str | None:
    """Unescape a text; None stays None."""
    return None if text is None else unescape(text)


def to_half_vectors(rows: NDArray[np.int8]) -> Iterator[bytes | None]:
    """Yield each row as ``COPY`` takes a ``halfvec`` in binary form; None for a row without direction.

    Args:
        rows: shape ``(n, dimensions)``.
    """
    head = _HEAD.pack(rows.shape[1], 0)
    directed: list[bool] = np.any(rows, axis=1).tolist()
    for row, given in zip(rows.astype(">f2"), directed, strict=True):
        yield head + row.tobytes() if given else None


def from_half_vector(data: bytes | None, dimensions: int) -> bytes:
    """Return the int8 row that a ``halfvec`` in binary form holds."""
    if data is None:
        return bytes(dimensions)
    return np.frombuffer(data, ">f2", offset=_HEAD.size).astype(np.int8).tobytes()


def vector_literal(vector: NDArray[np.float32]) -> str:
    """Return a vector as pgvector reads it in a query."""
    return f"[{','.join(map(repr, vector.tolist()))}]"
