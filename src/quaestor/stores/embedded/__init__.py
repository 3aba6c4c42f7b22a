"""The embedded store: one folder, no server.

SQLite holds the truth (``schema``, ``truth``, ``transaction``). Two things are derived from it and can be thrown
away at any time: the lexical index (``lexical``, ``postings``) and the matrix of vectors (``matrix``, ``vectors``).
Each carries the state of the truth that it was made from. A small difference to the truth is laid over it in memory
(``views``); a larger one is written into it (``derive``).
It does not know queries or files. Begin with ``store``.
"""

from __future__ import annotations

from quaestor.stores.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
