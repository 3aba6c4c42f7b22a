"""Claims on work, so that only one of a server's processes does it at a time.

A claim is released by the process that took it. Claims of a dead process are released by its supervisor; among
processes on several machines, a claim is a lease, which expires unless it is renewed (``Renewal``).
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
        shared: the database that holds them; None to keep them in this process.
        holder: this process's name.
        lease: seconds after which a claim expires unless it is renewed; None for claims that never expire.
    """

    def __init__(self, shared: Shared | None = None, holder: str = "", *, lease: float | None = None) -> None:
        self._shared = shared or SharedFile()
        self._holder = holder
        self.lease = lease

    @contextmanager
    def attempt(self, *name: str) -> Iterator[bool]:
        """Claim a piece of work for the duration of the block, if it is free; yield whether it was.

        Args:
            name: the parts of the work's name, such as its kind and a path.
        """
        is_ours = self._take(_claim_key(name))
        try:
            yield is_ours
        finally:
            if is_ours:
                self._free(_claim_key(name))

    def is_claimed(self, *name: str) -> bool:
        """Return whether any process claims the work of that name."""
        return self._row(_claim_key(name)) is not None

    def publish(self, text: str, *name: str) -> None:
        """Publish a message about work that this process claims, for other processes."""
        with self._shared.step(_claim_key(name)) as claims:
            claims.execute("update claims set said = ? where name = ?", (text, _claim_key(name)))

    def published_text(self, *name: str) -> str:
        """Return the message that the holder of a claim published, or ""."""
        return self._row(_claim_key(name)) or ""

    def free_all(self, holder: str) -> None:
        """Release the claims of a process that has ended."""
        with self._shared.step("") as claims:
            claims.execute("delete from claims where holder = ?", (holder,))

    def renew(self) -> None:
        """Extend the leases of this process to their full length."""
        with self._shared.step("") as claims:
            claims.execute("update claims set until = ? where holder = ?", (self._lease_end(claims), self._holder))

    def _take(self, name: str) -> bool:
        with self._shared.step(name) as claims:
            claims.execute("delete from claims where name = ? and until < ?", (name, self._shared.now(claims)))
            row = (name, self._holder, "", self._lease_end(claims))
            statement = "insert into claims (name, holder, said, until) values (?, ?, ?, ?) on conflict do nothing"
            return claims.execute(statement, row).rowcount == 1

    def _lease_end(self, claims: Connection) -> float | None:
        return None if self.lease is None else self._shared.now(claims) + self.lease

    def _free(self, name: str) -> None:
        with self._shared.step(name) as claims:
            claims.execute("delete from claims where name = ? and holder = ?", (name, self._holder))

    def _row(self, name: str) -> str | None:
        with self._shared.step(name) as claims:
            row = (name, self._shared.now(claims))
            held_row = claims.execute(
                "select said from claims where name = ? and (until is null or until >= ?)", row
            ).fetchone()
        return None if held_row is None else str(held_row[0])


class Renewal:
    """A context in which the leases of a process are renewed; without leases it does nothing.

    Args:
        claims: the process's claims.
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
                # It is tried again before the first lease expires.
                _LOG.warning("leases not renewed: %s", error)


def _claim_key(name: tuple[str, ...]) -> str:
    # JSON, because joined parts of different names could be equal.
    return json.dumps(name)
