"""``/v1/embeddings``: embeds texts with a corpus's own embedder."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import numpy as np
from fastapi import APIRouter
from fastapi.responses import JSONResponse

from quaestor.embedding import Embedder
from quaestor.llm.tokens import load_encoding
from quaestor.server.http.caller import Who
from quaestor.server.http.error_responses import RequestRefusedError, blame_request
from quaestor.server.http.served_state import ServedHere
from quaestor.server.openai.model_names import index_to_embed_with
from quaestor.server.openai.openai_schemas import EmbeddingRequest, Embeddings

router = APIRouter()


@router.post("/embeddings", response_model=Embeddings)
async def embed(body: EmbeddingRequest, served: ServedHere, who: Who) -> JSONResponse:
    """Return a vector for each text, made by the corpus's own embedder."""
    embedder = index_to_embed_with(body.model, served, who).embedder
    if body.dimensions not in (None, embedder.dimensions):
        raise RequestRefusedError(
            f"This embedder always gives {embedder.dimensions} dimensions. Leave 'dimensions' out.",
            param="dimensions",
        )
    with blame_request(body):
        return JSONResponse(await asyncio.to_thread(_embedding_reply, body, embedder))


def _embedding_reply(body: EmbeddingRequest, embedder: Embedder) -> dict[str, Any]:
    texts = _texts(body)
    packed = body.encoding_format == "base64"
    vectors = embedder.encode(texts)
    data = [
        {
            "object": "embedding",
            "index": number,
            "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode() if packed else row.tolist(),
        }
        for number, row in enumerate(np.asarray(vectors))
    ]
    encoding = load_encoding("cl100k_base")
    tokens = sum(len(encoding.encode_ordinary(text)) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body.model, "usage": usage}


def _texts(body: EmbeddingRequest) -> list[str]:
    """Return a request's texts; lists of tokens are decoded.

    Raises:
        RequestRefusedError: a number is not a token.
    """
    texts = body.input
    if isinstance(texts, str):
        return [texts]
    if isinstance(texts[0], str):
        return texts
    lists = [texts] if isinstance(texts[0], int) else texts
    return [_decode(tokens) for tokens in lists]


def _decode(tokens: list[int]) -> str:
    try:
        return load_encoding("cl100k_base").decode(tokens)
    except (KeyError, OverflowError):
        raise RequestRefusedError(
            "The input holds numbers that are not tokens of 'cl100k_base'. Send text instead.", param="input"
        ) from None
