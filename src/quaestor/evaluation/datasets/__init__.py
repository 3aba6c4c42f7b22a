"""Data sets: questions with known answers, and the corpora that they are about, in the layouts that people have.

Three layouts are read: BEIR's, that of the public code-search benchmark, and one question a line in a JSONL file. What
is wrong in one of them costs only itself: it is told in a sentence, and the rest is used.
"""

from quaestor.evaluation.datasets.reading import read_data_set
from quaestor.evaluation.datasets.values import DataSet, Part

__all__ = ["DataSet", "Part", "read_data_set"]
