"""A session's first second: what a client asks before the SDK is imported, which takes that long.

A client sees the server, and then its tools, when it is told, and an agent waits for both. The lines that are
answered here are given to the SDK as well, so that its session stands as if it had answered them; its own answers to
them are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from quaestor.core.errors import QuaestorError
from quaestor.mcp import first_replies as replies
from quaestor.mcp.first_replies import Request
from quaestor.mcp.stdio import Wire

if TYPE_CHECKING:
    from quaestor.mcp.mcp_tools import Tool


def folders_of_uris(uris: Iterable[str]) -> tuple[Path, ...]:
    """Return the folders that ``file:`` addresses name, each once; what names none of this machine is left out."""
    folders = (folder_of_uri(uri) for uri in uris)
    return tuple(dict.fromkeys(folder for folder in folders if folder is not None))


def folder_of_uri(uri: str) -> Path | None:
    """Return the folder that a ``file:`` address names; None if it names none of this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = Path(url2pathname(parts.path))
    return path if path.is_absolute() and path.is_dir() else None


# A client that does not go on at once is left to the SDK.
_FOLLOWS_SECONDS = 0.5


class Opening:
    """What was said before the SDK takes over.

    Attributes:
        answered: ids of the requests that the client has its answers to.
        tools: what the session offers, if it was made already.
    """

    def __init__(self, wire: Wire) -> None:
        self._again = b""
        self.answered: set[int | str] = set()
        self.tools: Sequence[Tool] | None = None
        self._wire = wire
        self._waiting: list[Request] = []

    def converse(self, make: Callable[[Sequence[Path]], Sequence[Tool]], *, asking: bool) -> None:
        """Answer what can be answered, and begin to make what is offered; leave all else to the SDK.

        Args:
            make: makes the tools of the folders that a client names.
            asking: whether the client is asked for its folders.
        """
        first = self._next()
        version = replies.version_opened(first) if first else None
        if first is None or version is None:
            return
        self._answer(first, replies.greeting(version))
        folders = self._folders() if asking and replies.has_folders(first) else ()
        if folders is None:
            return
        try:
            self.tools = make(folders)
        except QuaestorError:
            return  # made again, and explained, where the client asks for them
        self._read_more()
        for request in self._waiting:
            if replies.asks_for_tools(request, version):
                self._answer(request, replies.listing(version, self.tools))

    def files(self) -> tuple[TextIO, TextIO]:
        """Return what the SDK is to read, and where it is to write."""
        return self._wire.files(self._again)

    def _folders(self) -> Sequence[Path] | None:
        """Return the folders that the client works in; None if it does not say so at once."""
        line = self._wire.next(_FOLLOWS_SECONDS)
        self._keep(line)
        if not line or replies.read_line(line).get("method") != "notifications/initialized":
            return None
        self._wire.write(replies.folders_request())
        while line := self._wire.next(_FOLLOWS_SECONDS):
            named = replies.folders_answer(replies.read_line(line))
            if named is not None:
                return folders_of_uris(named)
            self._keep(line)
        return None

    def _read_more(self) -> None:
        """Read what has come meanwhile."""
        while line := self._wire.next(0):
            self._keep(line)

    def _next(self) -> Request | None:
        self._keep(self._wire.next())
        return self._waiting.pop() if self._waiting else None

    def _keep(self, line: bytes | None) -> None:
        self._again += line or b""
        request = replies.read_request(line) if line else None
        if request is not None:
            self._waiting.append(request)

    def _answer(self, request: Request, result: replies.Object) -> None:
        self._wire.write(replies.answer(request, result))
        self.answered.add(request.id)
