"""Training which part of a source file is shown: lists of one file's chunks, of which some hold the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.retrieval.features import FEATURES
from quaestor.retrieval.ranker import TEXTS
from quaestor.training.judged import Search
from quaestor.training.listnet import listnet

Array = NDArray[np.float64]

_PROSE = FEATURES.index("prose")
_FEWEST = 2


def fit_within(searches: Sequence[Search]) -> Array:
    """Return weights by which the chunks of one source file are put in order, shape ``(len(FEATURES),)``.

    Args:
        searches: with answers of some lines each; those of whole files teach nothing here.

    Raises:
        ValueError: no file of source code has both chunks that answer and others.
    """
    lists = [one for search in searches if search.group in TEXTS for one in lists_of_files(search)]
    if not lists:
        raise ValueError("no search is answered by a part of a source file")
    return listnet([features for features, _ in lists], [judged / judged.sum() for _, judged in lists])


def lists_of_files(search: Search) -> Iterator[tuple[Array, Array]]:
    """Yield features and judgements of the candidates of each source file that holds an answer in some of them."""
    paths = np.array(search.paths)
    code = search.features[:, _PROSE] <= 0
    for path in dict.fromkeys(paths[search.judged & code].tolist()):
        rows = (paths == path) & code
        judged = search.judged[rows]
        if len(judged) >= _FEWEST and not judged.all():
            yield search.features[rows].astype(np.float64), judged.astype(np.float64)
