"""A model's server for ``serve.py``, in a process of its own: its replies repeat the question's first word.

    python _serve_upstream.py PIECES PAUSE

It prints its port. ``PIECES`` deltas are sent, ``PAUSE`` seconds apart, the first at once.
"""

from __future__ import annotations

import asyncio
import json
import sys

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def event(delta: dict[str, str], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        body = json.loads(await reader.readexactly(size))
        word = str(body["messages"][-1]["content"]).split()[0]
        writer.write(HEAD + event({"role": "assistant", "content": ""}))
        for number in range(PIECES):
            if number:
                await asyncio.sleep(PAUSE)
            writer.write(event({"content": f"{word} "}))
            await writer.drain()
        writer.write(event({}, "stop") + b"data: [DONE]\n\n")
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    PIECES, PAUSE = int(sys.argv[1]), float(sys.argv[2])
    asyncio.run(main())
