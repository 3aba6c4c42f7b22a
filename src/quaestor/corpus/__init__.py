"""A corpus: everything in one index, kept up to date with the files that it was made from.

The package joins search, files and history: it finds, reads, lists and describes documents. It does not know answers,
conversations or how an index is chosen. Begin with ``corpus``; ``several_corpora`` does the same for several at once.

Import what only some commands need from its own module: ``find_relatives``.
"""

from __future__ import annotations

from quaestor.corpus.corpus import Corpus
from quaestor.corpus.descriptions import CorpusStats, Freshness
from quaestor.corpus.understood_filters import UnderstoodQuestion

__all__ = ["Corpus", "CorpusStats", "Freshness", "UnderstoodQuestion"]
