"""Embeddings for tests: a function of the words only."""

from __future__ import annotations

import base64
import math
import struct
from typing import Any
from zlib import crc32

DIMENSIONS = 32


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Return a unit vector of hashed words; a text without words gives zeros."""
    vector = [0.0] * dimensions
    for word in text.lower().split():
        digest = crc32(word.encode())
        vector[digest % dimensions] += 1.0 if digest & 0x100 else -1.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length else vector


def embeddings_object(body: dict[str, Any], tokens: int, dimensions: int = DIMENSIONS) -> dict[str, Any]:
    """Return the answer of ``/v1/embeddings``, as numbers or in base64 as the request says."""
    given = body["input"]
    texts = [given] if isinstance(given, str) else list(given)
    packed = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _packed(vector) if packed else vector}
        for index, vector in enumerate(embed(str(text), dimensions) for text in texts)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body.get("model", ""), "usage": usage}


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
