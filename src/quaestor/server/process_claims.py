"""What one process of a server does, so that no other begins it meanwhile.

A claim is freed by who took it; those of a process that died are freed by who watches over the processes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from quaestor.accounts.shared import Shared

_TABLE = "claims (name text primary key, process integer not null, said text not null) without rowid"


class Claims:
    """The claims of one server.

    Args:
        shared: where they stand; None: where no other process sees them.
        process: which of the server's processes this is.
    """

    def __init__(self, shared: Shared | None = None, process: int = 0) -> None:
        self._shared = shared or Shared()
        self._process = process
        self._shared.make(_TABLE)

    @contextmanager
    def attempt(self, *name: str) -> Iterator[bool]:
        """Claim something while what is inside runs, if nobody else has; yields whether that is so."""
        taken = self._take(_joined(name))
        try:
            yield taken
        finally:
            if taken:
                self._free(_joined(name))

    def taken(self, *name: str) -> bool:
        """Return whether somebody claims something."""
        return self._row(_joined(name)) is not None

    def say(self, text: str, *name: str) -> None:
        """Let others know something of what this process claims."""
        with self._shared.step() as claims:
            claims.execute("update claims set said = ? where name = ?", (text, _joined(name)))

    def said(self, *name: str) -> str:
        """Return what who claims something lets others know; empty if nobody does, or says nothing."""
        return self._row(_joined(name)) or ""

    def free_all(self, process: int) -> None:
        """Free what a process claimed that has ended."""
        with self._shared.step() as claims:
            claims.execute("delete from claims where process = ?", (process,))

    def _take(self, name: str) -> bool:
        with self._shared.step() as claims:
            row = (name, self._process, "")
            return claims.execute("insert or ignore into claims values (?, ?, ?)", row).rowcount == 1

    def _free(self, name: str) -> None:
        with self._shared.step() as claims:
            claims.execute("delete from claims where name = ? and process = ?", (name, self._process))

    def _row(self, name: str) -> str | None:
        with self._shared.step() as claims:
            found = claims.execute("select said from claims where name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])


def _joined(name: tuple[str, ...]) -> str:
    # As JSON, in which no two names look alike, whatever stands in them.
    return json.dumps(name)
