"""Data sets: questions with known answers, and the corpora that they are about, in the layouts that people have.

Three layouts are read: BEIR's, that of the public code-search benchmark, and one question a line in a JSONL file. What
is wrong in one of them costs only itself: it is told in a sentence, and the rest is used.
"""

from quaestor.evaluation.datasets.dataset import DataSet, Part
from quaestor.evaluation.datasets.dataset_layout import read_data_set

__all__ = ["DataSet", "Part", "read_data_set"]
