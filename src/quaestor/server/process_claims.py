"""Claims on work: one process of a server does it, and no other begins it meanwhile.

A claim is freed by the process that took it. Claims of a dead process are freed by its supervisor; for processes on
several machines, a claim is a lease, which ends by itself unless it is renewed (``Renewal``).
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
        shared: holds them; None keeps them in this process.
        holder: name of this process.
        lease: seconds after which a claim ends unless it is renewed, or None.
    """

    def __init__(self, shared: Shared | None = None, holder: str = "", *, lease: float | None = None) -> None:
        self._shared = shared or SharedFile()
        self._holder = holder
        self.lease = lease

    @contextmanager
    def attempt(self, *name: str) -> Iterator[bool]:
        """Claim something for the length of the block, if it is free; yield whether it was."""
        taken = self._take(_claim_key(name))
        try:
            yield taken
        finally:
            if taken:
                self._free(_claim_key(name))

    def is_claimed(self, *name: str) -> bool:
        """Return whether something is claimed."""
        return self._row(_claim_key(name)) is not None

    def publish(self, text: str, *name: str) -> None:
        """Let others know something of what this process claims."""
        with self._shared.step(_claim_key(name)) as claims:
            claims.execute("update claims set said = ? where name = ?", (text, _claim_key(name)))

    def published_text(self, *name: str) -> str:
        """Return the message that a claim's holder has published, or ""."""
        return self._row(_claim_key(name)) or ""

    def free_all(self, holder: str) -> None:
        """Free the claims of a process that has ended."""
        with self._shared.step("") as claims:
            claims.execute("delete from claims where holder = ?", (holder,))

    def renew(self) -> None:
        """Renew the leases of this process."""
        with self._shared.step("") as claims:
            claims.execute("update claims set until = ? where holder = ?", (self._lease_end(claims), self._holder))

    def _take(self, name: str) -> bool:
        with self._shared.step(name) as claims:
            claims.execute("delete from claims where name = ? and until < ?", (name, self._shared.now(claims)))
            row = (name, self._holder, "", self._lease_end(claims))
            taken = "insert into claims (name, holder, said, until) values (?, ?, ?, ?) on conflict do nothing"
            return claims.execute(taken, row).rowcount == 1

    def _lease_end(self, claims: Connection) -> float | None:
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


def _claim_key(name: tuple[str, ...]) -> str:
    # As JSON, in which no two names look alike, whatever stands in them.
    return json.dumps(name)
