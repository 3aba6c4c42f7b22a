"""What the field knows for certain: a name's definition, the file at a path and words that are quoted come first.

No weight is learned for these. A search engine that shows something else above the one definition of the name that was
asked for is wrong, as ``ctags`` and ``grep`` show, however well that something fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.retrieval.background import is_generated, kinds_asked_for
from quaestor.retrieval.file_features import Files, agreement
from quaestor.retrieval.query import Query
from quaestor.retrieval.traits import Traits

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP = 100.0
"""What a certain place has more than any other, and what background has less; no learned score comes near it."""

_MOST_STANDING = 10
"""Words that stand in more chunks than these point at none of them."""


def steps(query: Query, traits: Sequence[Traits], files: Files) -> NDArray[np.float32]:
    """Return for each candidate ``STEP`` if it is certain, ``-STEP`` if it is background that nobody asked for, else 0.

    Args:
        query: what is asked.
        traits: of the candidates.
        files: the candidates by file.
    """
    certain = _certain(query, traits, files)
    behind = _behind(query, traits, files)
    return np.float32(STEP) * (certain.astype(np.float32) - behind * ~certain)


def _certain(query: Query, traits: Sequence[Traits], files: Files) -> NDArray[np.bool_]:
    found = np.zeros(len(traits), dtype=np.bool_)
    if query.kind == "symbol":
        found |= _definitions(query, traits)
    if not found.any() and query.kind in ("symbol", "path"):
        found |= _pointed_at(query, traits, files)
    for quote in query.quotes:
        found |= _holding(quote, traits)
    return found


def _definitions(query: Query, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Tell which chunks define the name that is the query: as it is written, if that is there, and within its owner."""
    written = re.findall(r"\w+", query.text)
    defining = np.array([written[-1].lower() in known.defined for known in traits], dtype=np.bool_)
    exact = np.array([written[-1] in known.stored.chunk.defines for known in traits], dtype=np.bool_) & defining
    chosen = exact if exact.any() else defining
    if len(written) < 2:
        return chosen
    owner = written[-2].lower()
    return np.array([owner in known.owners for known in traits], dtype=np.bool_) & chosen


def _pointed_at(query: Query, traits: Sequence[Traits], files: Files) -> NDArray[np.bool_]:
    """Tell which chunks are the beginning, or hold the line, of the files that fit the query's path best."""
    found = np.zeros(len(traits), dtype=np.bool_)
    for place in query.places:
        fits = np.array([agreement(place.path, path) for path in files.paths])[files.owner]
        best = fits.max()
        if best < 1 and not ("/" not in place.path and best > 0):
            continue
        for row in np.flatnonzero(fits == best).tolist():
            stored = traits[row].stored
            span = stored.chunk.span
            inside = stored.position == 0 if place.line is None else span.start_line <= place.line <= span.end_line
            found[row] |= inside
    return found


def _holding(quote: str, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Tell which chunks hold words as they are quoted, white space apart, where few do."""
    words = " ".join(quote.split())
    found = np.array([words in " ".join(known.stored.chunk.text.split()) for known in traits], dtype=np.bool_)
    return found if found.sum() <= _MOST_STANDING else np.zeros_like(found)


def _behind(query: Query, traits: Sequence[Traits], files: Files) -> NDArray[np.bool_]:
    """Tell which candidates are background of a kind, or a translation into a language, that was not asked for."""
    asked = kinds_asked_for(query.text) | kinds_asked_for(query.asked) | {""}
    pointed = [any(agreement(place.path, path) == 1 for place in query.places) for path in files.paths]
    by_path = [profile.background not in asked for profile in files.profiles]
    notes = "generated" not in asked
    return np.array(
        [
            (by_path[owner] or (notes and is_generated(known.stored.document.note))) and not pointed[owner]
            for owner, known in zip(files.owner.tolist(), traits, strict=True)
        ],
        dtype=np.bool_,
    )
