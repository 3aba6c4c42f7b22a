"""What one process of a server does, so that no other begins it meanwhile.

A claim is freed by who took it. Those of a process that died are freed by who watches over the processes; where nobody
does, for they are on several machines, a claim is a lease: it ends by itself unless it is renewed (``Renewal``).
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from quaestor.core.errors import QuaestorError
from quaestor.state.rows import Connection, Shared, SharedFile

_LOG = logging.getLogger("quaestor.server")
_RENEWALS = 4


class Claims:
    """The claims of one server.

    Args:
        shared: where they stand; None: where no other process sees them.
        holder: which process this is, of all that share them.
        lease: seconds after which a claim ends that is not renewed; None: none does.
    """

    def __init__(self, shared: Shared | None = None, holder: str = "", *, lease: float | None = None) -> None:
        self._shared = shared or SharedFile()
        self._holder = holder
        self.lease = lease

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
        with self._shared.step(_joined(name)) as claims:
            claims.execute("update claims set said = ? where name = ?", (text, _joined(name)))

    def said(self, *name: str) -> str:
        """Return what who claims something lets others know; empty if nobody does, or says nothing."""
        return self._row(_joined(name)) or ""

    def free_all(self, holder: str) -> None:
        """Free what a process claimed that has ended."""
        with self._shared.step("") as claims:
            claims.execute("delete from claims where holder = ?", (holder,))

    def renew(self) -> None:
        """Begin the leases of this process anew."""
        with self._shared.step("") as claims:
            claims.execute("update claims set until = ? where holder = ?", (self._end(claims), self._holder))

    def _take(self, name: str) -> bool:
        with self._shared.step(name) as claims:
            claims.execute("delete from claims where name = ? and until < ?", (name, self._shared.now(claims)))
            row = (name, self._holder, "", self._end(claims))
            taken = "insert into claims (name, holder, said, until) values (?, ?, ?, ?) on conflict do nothing"
            return claims.execute(taken, row).rowcount == 1

    def _end(self, claims: Connection) -> float | None:
        return None if self.lease is None else self._shared.now(claims) + self.lease

    def _free(self, name: str) -> None:
        with self._shared.step(name) as claims:
            claims.execute("delete from claims where name = ? and holder = ?", (name, self._holder))

    def _row(self, name: str) -> str | None:
        with self._shared.step(name) as claims:
            row = (name, self._shared.now(claims))
            found = claims.execute(
                "select said from claims where name = ? and (until is null or until >= ?)", row
            ).fetchone()
        return None if found is None else str(found[0])


class Renewal:
    """Renews the leases of a process as long as it runs. Use it as a context; without leases it does nothing.

    Args:
        claims: of the process.
    """

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="leases", daemon=True)

    def __enter__(self) -> Renewal:
        if self._claims.lease is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _renew(self) -> None:
        pause = (self._claims.lease or 0) / _RENEWALS
        while not self._ended.wait(pause):
            try:
                self._claims.renew()
            except QuaestorError as error:
                # There are more tries before the first lease ends.
                _LOG.warning("leases not renewed: %s", error)


def _joined(name: tuple[str, ...]) -> str:
    # As JSON, in which no two names look alike, whatever stands in them.
    return json.dumps(name)
