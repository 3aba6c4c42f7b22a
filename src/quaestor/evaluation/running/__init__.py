"""Running a grid: an index for each way of indexing, an answer for each question, kept so that a second run goes on.

All of it lies in one folder below the data folder: ``indexes`` (one for each corpus, embedder and chunker, with what
it cost), ``answers`` (a file of lines for each index and way of searching) and ``copies`` (corpora that are not files).
It does not know metrics. Begin with ``run``.
"""

from quaestor.evaluation.running.run import Cell, Outcome, Place, Run, Watcher
from quaestor.evaluation.running.stored_run import Answer, Built, Found

__all__ = ["Answer", "Built", "Cell", "Found", "Outcome", "Place", "Run", "Watcher"]
