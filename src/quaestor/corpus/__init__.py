"""A corpus: everything in one index, kept in step with the files it was made from.

What only some commands need is imported from the modules of its name: ``line_excerpts``, ``document_tree``.
"""

from __future__ import annotations

from quaestor.corpus.corpus import Corpus
from quaestor.corpus.descriptions import CorpusStats, Freshness
from quaestor.corpus.understood_filters import Understood

__all__ = ["Corpus", "CorpusStats", "Freshness", "Understood"]
