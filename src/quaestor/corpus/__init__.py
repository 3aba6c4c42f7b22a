"""A corpus: everything in one index, kept in step with the files it was made from."""

from __future__ import annotations

from quaestor.corpus.corpus import Corpus, CorpusStats, Freshness
from quaestor.corpus.excerpts import Excerpt
from quaestor.corpus.tree import Folder

__all__ = ["Corpus", "CorpusStats", "Excerpt", "Folder", "Freshness"]
