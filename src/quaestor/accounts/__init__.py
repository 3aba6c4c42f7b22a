"""Users and their spending: access tokens, the ledger of requests to models, prices, spending limits, rate limits.

Users and ledger share one SQLite file, ``accounts.sqlite`` in the data folder, which several processes use at once;
with PostgreSQL, they are in that database.
The package does not know HTTP or the command line. Begin with ``metered_model``, through which every request to a
model goes.
"""

from __future__ import annotations

from dataclasses import dataclass

FILE = "accounts.sqlite"
"""The file's name in the data folder."""


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
