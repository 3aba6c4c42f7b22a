"""A corpus: everything in one index, kept up to date with the files it was made from.

Begin with ``corpus``, which joins a folder and its index for searching.

Import what only some commands need from its own module: ``line_excerpts``, ``document_tree``.
"""

from __future__ import annotations

from quaestor.corpus.corpus import Corpus
from quaestor.corpus.descriptions import CorpusStats, Freshness
from quaestor.corpus.understood_filters import Understood

__all__ = ["Corpus", "CorpusStats", "Freshness", "Understood"]
