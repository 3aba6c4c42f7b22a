"""A model's server for ``serve.py``, in a separate process; its replies repeat the question's first word.

    python _serve_upstream.py PIECES PAUSE

It prints its port. It sends ``PIECES`` deltas, ``PAUSE`` seconds apart, the first at once. ``GET /left/WORD`` returns
when the client that asked about a word disconnected during the reply, by a clock that all processes share; or null.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import suppress

LEFT: dict[str, float] = {}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def event(delta: dict[str, str], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if head.startswith(b"get /left/"):
            word = head.split()[1].decode().rpartition("/")[2]
            writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + json.dumps(LEFT.get(word)).encode())
            return
        size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        body = json.loads(await reader.readexactly(size))
        word = str(body["messages"][-1]["content"]).split()[0]
        writer.write(HEAD + event({"role": "assistant", "content": ""}))
        gone = asyncio.ensure_future(_end(reader))
        for number in range(PIECES):
            if number:
                await asyncio.wait((gone,), timeout=PAUSE)
            if gone.done():
                LEFT[word] = time.monotonic()
                return
            writer.write(event({"content": f"{word} "}))
            await writer.drain()
        writer.write(event({}, "stop") + b"data: [DONE]\n\n")
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def _end(reader: asyncio.StreamReader) -> None:
    """Wait until the other side hangs up, in good order or not."""
    with suppress(ConnectionError):
        await reader.read()


async def main() -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    PIECES, PAUSE = int(sys.argv[1]), float(sys.argv[2])
    asyncio.run(main())
