"""The embedded store: one folder, no server.

A database of SQLite holds all data (``schema``, ``sqlite_rows``, ``transaction``). Two things are derived from it and
can be deleted at any time: the lexical index (``lexical``, ``postings``) and the matrix of vectors (``matrix``,
``vectors``). Each records the state of the database from which it was made. A small difference from the database is
overlaid in memory (``views``); a larger one is written into the derived files (``derive``).
It does not know queries or files. Begin with ``store``.
"""

from __future__ import annotations

from quaestor.stores.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
