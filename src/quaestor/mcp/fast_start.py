"""Answers a client's first requests before the SDK is imported, which takes about a second.

An agent cannot begin before the handshake and the list of tools. The requests that are answered here are also passed to
the SDK, so that its session is in the same state; the SDK's own answers to them are dropped. Each answer is constant
data, equal to the SDK's, as a test checks. Any request that is not exactly as expected is left to the SDK. Standard
input and output carry only lines of the protocol from the start.
"""

from __future__ import annotations

import io
import json
import os
import select
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from quaestor import __version__
from quaestor.core.errors import QuaestorError
from quaestor.llm.prompts import load

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from quaestor.mcp.mcp_tools import ServedTool


_PIECE = 1 << 16


class ClientConnection:
    """A client's connection, on file descriptors that nothing else in the process uses.

    Args:
        reading: the descriptor from which the client's lines are read.
        writing: the descriptor to which answers are written.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._buffer = b""

    def next(self, wait: float | None = None) -> bytes | None:
        """Return the client's next line with its line end, or None after the time limit.

        An empty line, or a line without a line end, is the last.

        Args:
            wait: the time limit in seconds; None for no limit.
        """
        while b"\n" not in self._buffer:
            if wait is not None and not select.select([self._reading], [], [], wait)[0]:
                return None
            piece = os.read(self._reading, _PIECE)
            if not piece:
                last, self._buffer = self._buffer, b""
                return last
            self._buffer += piece
        end = self._buffer.index(b"\n") + 1
        line, self._buffer = self._buffer[:end], self._buffer[end:]
        return line

    def write(self, line: bytes) -> None:
        """Send a line to the client."""
        while line:
            line = line[os.write(self._writing, line) :]

    def files(self, again: bytes = b"") -> tuple[TextIO, TextIO]:
        """Return both ends as text files for the SDK.

        Args:
            again: lines that were read already and that the SDK shall read first.
        """
        # At the end a thread may still be waiting for input, so the descriptor stays open, as with the SDK's own files.
        reading = io.BufferedReader(_After(again + self._buffer, self._reading), _PIECE)
        writing = open(self._writing, "wb", closefd=False)  # noqa: SIM115 - a descriptor, which outlives this
        return io.TextIOWrapper(reading, "utf-8", "replace"), io.TextIOWrapper(writing, "utf-8")


@contextmanager
def standard_wire() -> Iterator[ClientConnection]:
    """Reserve standard input and output for a client until the context ends.

    Meanwhile, other readers of standard input find it empty, and other output goes to standard error: if a library
    printed a line to standard output, the connection would break.
    """
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield ClientConnection(reading, writing)
    finally:
        os.dup2(reading, 0)
        os.dup2(writing, 1)


class _After(io.RawIOBase):
    """A stream that begins with given bytes and continues with a descriptor."""

    def __init__(self, first: bytes, descriptor: int) -> None:
        self._first = first
        self._descriptor = descriptor

    def readable(self) -> bool:
        return True

    def readinto(self, into: WriteableBuffer, /) -> int:
        place = memoryview(into)
        piece = self._first[: len(place)] or os.read(self._descriptor, len(place))
        self._first = self._first[len(piece) :]
        place[: len(piece)] = piece
        return len(piece)


NAME = "quaestor"
# In these versions of the protocol, a client opens a session with `initialize` and identifies itself only once.
_HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
# In these versions, it calls `server/discover` and identifies itself with every request.
_ENVELOPES = ("2026-07-28",)
_RESERVED = "io.modelcontextprotocol/"
_FOLDERS_ID = "quaestor-folders"

Object = dict[str, Any]


def folders_of_uris(uris: Iterable[str]) -> tuple[Path, ...]:
    """Return the folders on this machine that ``file:`` URIs name, without duplicates."""
    folders = (folder_of_uri(uri) for uri in uris)
    return tuple(dict.fromkeys(folder for folder in folders if folder is not None))


def folder_of_uri(uri: str) -> Path | None:
    """Return the folder on this machine that a ``file:`` URI names; None if there is no such folder."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = Path(url2pathname(parts.path))
    return path if path.is_absolute() and path.is_dir() else None


# A client that does not continue within this time is left to the SDK.
_FOLLOWS_SECONDS = 0.5


class OpeningExchange:
    """The requests and answers before the SDK takes over.

    Attributes:
        answered: the ids of the requests that were answered.
        tools: the session's tools; None until they are made.
    """

    def __init__(self, wire: ClientConnection) -> None:
        self._again = b""
        self.answered: set[int | str] = set()
        self.tools: Sequence[ServedTool] | None = None
        self._wire = wire
        self._waiting: list[Request] = []

    def converse(self, make: Callable[[Sequence[Path]], Sequence[ServedTool]], *, asking: bool) -> None:
        """Answer the requests that are known here and make the tools; leave everything else to the SDK.

        Args:
            make: makes the tools for the folders that the client names.
            asking: whether to ask the client for its folders.
        """
        first = self._next()
        version = version_opened(first) if first else None
        if first is None or version is None:
            return
        self._answer(first, greeting(version))
        folders = self._folders() if asking and has_folders(first) else ()
        if folders is None:
            return
        try:
            self.tools = make(folders)
        except QuaestorError:
            return  # `ConnectionTools` tries again and reports the error when the client asks for the tools
        self._read_more()
        for request in self._waiting:
            if asks_for_tools(request, version):
                self._answer(request, tool_list(version, self.tools))

    def files(self) -> tuple[TextIO, TextIO]:
        """Return the text files from which the SDK reads and to which it writes."""
        return self._wire.files(self._again)

    def _folders(self) -> Sequence[Path] | None:
        """Ask the client for the folders that it works in; return None if it does not answer at once."""
        line = self._wire.next(_FOLLOWS_SECONDS)
        self._keep(line)
        if not line or read_line(line).get("method") != "notifications/initialized":
            return None
        self._wire.write(folders_request())
        while line := self._wire.next(_FOLLOWS_SECONDS):
            folders = folders_answer(read_line(line))
            if folders is not None:
                return folders_of_uris(folders)
            self._keep(line)
        return None

    def _read_more(self) -> None:
        """Read the lines that have arrived meanwhile."""
        while line := self._wire.next(0):
            self._keep(line)

    def _next(self) -> Request | None:
        self._keep(self._wire.next())
        return self._waiting.pop() if self._waiting else None

    def _keep(self, line: bytes | None) -> None:
        self._again += line or b""
        request = read_request(line) if line else None
        if request is not None:
            self._waiting.append(request)

    def _answer(self, request: Request, result: Object) -> None:
        self._wire.write(answer(request, result))
        self.answered.add(request.id)


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a client.

    Attributes:
        id: repeated in the answer.
        method: the method's name.
        params: the method's parameters.
    """

    id: int | str
    method: str
    params: Object


def read_line(line: bytes) -> Object:
    """Return the message on a line; an empty one if the line is not a JSON-RPC message."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) and message.get("jsonrpc") == "2.0" else {}


def read_request(line: bytes) -> Request | None:
    """Return the request on a line; None if it is something else."""
    message = read_line(line)
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    # In Python a boolean is an integer; in JSON-RPC it is not a valid id.
    if (
        not isinstance(number, (int, str))
        or isinstance(number, bool)
        or not isinstance(method, str)
        or not isinstance(params, dict)
    ):
        return None
    return Request(number, method, params)


def version_opened(request: Request) -> str | None:
    """Return the protocol version with which a request opens a session; None to leave the request to the SDK."""
    if request.method == "initialize":
        version, client, abilities = (
            request.params.get(key) for key in ("protocolVersion", "clientInfo", "capabilities")
        )
        return version if version in _HANDSHAKES and _is_proper(client, abilities) else None
    return _version_sent(request) if request.method == "server/discover" else None


def has_folders(request: Request) -> bool:
    """Return whether the client that sent an opening request can be asked for its folders."""
    return request.method == "initialize" and isinstance(request.params["capabilities"].get("roots"), dict)


def greeting(version: str) -> Object:
    """Return the answer to a request that opens a session in a version of the protocol."""
    result: Object = {
        "capabilities": {"tools": {"listChanged": False}},
        "instructions": load("mcp_instructions").template,
    }
    if version in _ENVELOPES:
        return _reply_object({**result, "supportedVersions": list(_ENVELOPES)})
    return {**result, "protocolVersion": version, "serverInfo": _server()}


def asks_for_tools(request: Request, version: str) -> bool:
    """Return whether a request asks for the list of tools and nothing else."""
    if request.method != "tools/list" or request.params.keys() - {"_meta"}:
        return False
    if version in _ENVELOPES:
        return _version_sent(request) == version
    return not request.params


def tool_list(version: str, tools: Iterable[ServedTool]) -> Object:
    """Return the answer to a request for the list of tools in a version of the protocol."""
    result = {"tools": [tool_object(tool) for tool in tools]}
    return _reply_object(result) if version in _ENVELOPES else result


def tool_object(tool: ServedTool) -> Object:
    """Return the protocol's description of a tool."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.takes,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            # `ask` may send text to a language model, outside this machine; the other tools read only the corpus.
            "openWorldHint": tool.name == "ask",
        },
    }


def answer(request: Request, result: Object) -> bytes:
    """Return the line that answers a request."""
    return _line({"id": request.id, "result": result})


def folders_request() -> bytes:
    """Return the line that asks a client for the folders that it works in."""
    return _line({"id": _FOLDERS_ID, "method": "roots/list"})


def folders_answer(message: Object) -> Sequence[str] | None:
    """Return the folders' URIs in the answer to ``folders_request``; None if a message is something else."""
    if message.get("id") != _FOLDERS_ID or "method" in message:
        return None
    result = message.get("result")
    roots = result.get("roots") if isinstance(result, dict) else None
    return [str(root.get("uri")) for root in roots or () if isinstance(root, dict)] if isinstance(roots, list) else []


def _version_sent(request: Request) -> str | None:
    meta = request.params.get("_meta")
    if not isinstance(meta, dict) or request.params.keys() != {"_meta"}:
        return None
    version, client, abilities = (
        meta.get(_RESERVED + key) for key in ("protocolVersion", "clientInfo", "clientCapabilities")
    )
    return version if version in _ENVELOPES and _is_proper(client, abilities) else None


def _is_proper(client: object, abilities: object) -> bool:
    has_client_info = isinstance(client, dict) and all(isinstance(client.get(key), str) for key in ("name", "version"))
    return (
        has_client_info and isinstance(abilities, dict) and all(isinstance(value, dict) for value in abilities.values())
    )


def _reply_object(result: Mapping[str, Any]) -> Object:
    stamp = {_RESERVED + "serverInfo": _server()}
    return {"cacheScope": "private", "resultType": "complete", "ttlMs": 0, **result, "_meta": stamp}


def _server() -> Object:
    return {"name": NAME, "version": __version__}


def _line(message: Object) -> bytes:
    # ASCII: a lone surrogate in a folder's name cannot be encoded as UTF-8.
    return json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n"
