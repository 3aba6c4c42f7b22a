"""The user and the purpose of a request to a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Purpose:
    """The user and the purpose of a request.

    Attributes:
        user: the user's id; empty on a machine without users.
        kind: ``ask``, ``chat``, ``edit``, ``mcp``, ``serve`` or ``python``; for embedders, ``index`` or ``search``.
        source: the corpus.
        session: the name of the session; empty outside one.
        request: the id under which a server logs the request; empty elsewhere.
    """

    user: str = ""
    kind: str = "python"
    source: str = ""
    session: str = ""
    request: str = ""
