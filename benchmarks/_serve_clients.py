"""Minimal HTTP clients for ``serve.py``, so that the server is measured and not the clients."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Streamed:
    """One streamed reply.

    Attributes:
        first: seconds from before the connection to the first word.
        retrieval: seconds of it that the search for passages took; 0 where nothing was searched.
        whole: whether every piece came, and the end.
        mixed: whether a piece was another client's.
        error: what the server said went wrong; empty for nothing.
    """

    first: float
    retrieval: float
    whole: bool
    mixed: bool
    error: str = ""


async def post(port: int, path: str, body: dict[str, Any]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a request and return the connection, with the head of the answer read."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
    answer = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in answer.split(b"\r\n")[0]:
        raise RuntimeError(answer.decode() + (await reader.read()).decode())
    return reader, writer


async def stream(port: int, body: dict[str, Any], word: str, pieces: int) -> Streamed:
    """Ask for a stream in which every piece is ``word``."""
    began = time.perf_counter()
    first, retrieval, text, ended = 0.0, 0.0, "", False
    reader, writer = await post(port, "/v1/chat/completions", {**body, "stream": True})
    async for line in reader:
        if not line.startswith(b"data: "):
            continue
        if line.startswith(b"data: [DONE]"):
            ended = True
            break
        chunk = json.loads(line[6:])
        if "error" in chunk:
            return Streamed(first, retrieval, whole=False, mixed=False, error=chunk["error"]["message"])
        retrieval = chunk.get("quaestor", {}).get("retrieval_seconds", retrieval)
        content = chunk["choices"][0]["delta"].get("content") if chunk["choices"] else ""
        first = first or (time.perf_counter() - began if content else 0.0)
        text += content or ""
    writer.close()
    words = text.split()
    return Streamed(first, retrieval, ended and len(words) == pieces, any(one != word for one in words))


async def hang_up(port: int, model_port: int, body: dict[str, Any], word: str, patience: float) -> float | None:
    """Hang up behind the first word; return the seconds after which the model's server is rid of the request.

    None if it is not within ``patience`` seconds.
    """
    reader, writer = await post(port, "/v1/chat/completions", {**body, "stream": True})
    async for line in reader:
        if word.encode() in line:
            break
    writer.close()
    began = time.monotonic()
    while time.monotonic() < began + patience:
        left = await _left(model_port, word)
        if left is not None:
            return left - began
        await asyncio.sleep(0.01)
    return None


async def _left(model_port: int, word: str) -> float | None:
    reader, writer = await asyncio.open_connection("127.0.0.1", model_port)
    writer.write(f"GET /left/{word} HTTP/1.1\r\n\r\n".encode())
    answer = (await reader.read()).rpartition(b"\r\n\r\n")[2]
    writer.close()
    return None if answer == b"null" else float(answer)


async def searches(port: int, clients: int, seconds: float, body: dict[str, Any]) -> list[float]:
    """Search with so many clients at once, and return the seconds of each search."""
    end = time.perf_counter() + seconds
    taken: list[float] = []

    async def client() -> None:
        while (began := time.perf_counter()) < end:
            reader, writer = await post(port, "/api/search", body)
            await reader.read()
            writer.close()
            taken.append(time.perf_counter() - began)

    await asyncio.gather(*(client() for _ in range(clients)))
    return taken
