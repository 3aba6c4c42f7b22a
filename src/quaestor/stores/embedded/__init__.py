"""The embedded store: one folder, no server.

SQLite holds the truth (``schema``, ``truth``, ``transaction``). Two things are derived from it and can be
thrown away at any time: the lexical index (``lexical``, ``postings``) and the matrix of vectors
(``matrix``, ``vectors``). Each carries the state of the truth that it was made from. What the truth has gained or lost
since is laid over it in memory while that is little (``views``, ``recent``), and written into it when it is
more (``derive``).
"""

from __future__ import annotations

from quaestor.stores.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
