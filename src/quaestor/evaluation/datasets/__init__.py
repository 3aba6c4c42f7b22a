"""Data sets: questions with known answers and the corpora that they are about, read from the layouts that people have.

Three layouts are read: BEIR's, that of the public code-search benchmark, and one question a line in a JSONL file. What
is wrong in one of them costs only itself: it is reported in a sentence, and the rest is used.
The package does not know how questions are asked. Begin with ``dataset``.
"""

from quaestor.evaluation.datasets.dataset import DataSet, Part
from quaestor.evaluation.datasets.dataset_layout import read_data_set

__all__ = ["DataSet", "Part", "read_data_set"]
