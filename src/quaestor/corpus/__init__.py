"""A corpus: everything in one index, kept in step with the files it was made from.

What only some commands need is imported from the modules of its name: ``excerpts``, ``tree``.
"""

from __future__ import annotations

from quaestor.corpus.corpus import Corpus
from quaestor.corpus.understanding import Understood
from quaestor.corpus.values import CorpusStats, Freshness

__all__ = ["Corpus", "CorpusStats", "Freshness", "Understood"]
