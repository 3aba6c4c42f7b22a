"""As of when, and of which commit, a shared index is: for those who search it where the files are not."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from quaestor.core.light_imports import NamedTuple
from quaestor.stores import Store

TAKEN_IN_KEY = "ingest.taken_in"
"""The metadata under which a shared store keeps when files were last taken in, and what was checked out then."""


class TakenIn(NamedTuple):
    """When files were last taken in.

    Attributes:
        at: the time, ISO 8601 in UTC; empty if nobody said.
        commit: the hash of the commit that was checked out; empty outside of a repository.
    """

    at: str = ""
    commit: str = ""

    @classmethod
    def now(cls, commit: str) -> TakenIn:
        """Return that files were taken in just now."""
        return cls(datetime.now(UTC).isoformat("T", "seconds"), commit)

    @classmethod
    def of(cls, store: Store) -> TakenIn:
        """Return what a store keeps; nothing where that is missing or not understood."""
        try:
            at, commit = json.loads(store.metadata(TAKEN_IN_KEY) or "")
        except (ValueError, TypeError):
            return cls()
        return cls(str(at), str(commit))

    def to_text(self) -> str:
        """Return what is to be kept."""
        return json.dumps(list(self))
