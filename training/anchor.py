"""Moves everyday words back towards their start, because training on code bends their meaning.

Averaging a table with its start (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models") gives up as much of
what was learned for `mutex` as for `hobby`. Here each row goes back by how much of its use is in everyday language.
Only its direction does: the lengths, which say how much a word counts, stay as they were learned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quaestor.tuning.text_bags import Bags, PairedBags

Floats = NDArray[np.float32]
_LEAST = 1e-7  # of all uses: a row that hardly occurs belongs to neither side


def everyday_shares(pairs: PairedBags, rows: int, sources: str) -> Floats:
    """Return for each row how much more it is used in everyday language than elsewhere, shape ``(rows,)``, 0 to 1.

    Everyday language is what comes of repositories whose names begin with ``sources``. Unseen rows get .5.
    """
    everyday = np.array([name.startswith(sources) for name in pairs.names])[pairs.source]
    inside, outside = (_uses(pairs, chosen, rows) for chosen in (everyday, ~everyday))
    shares: Floats = ((inside + _LEAST) / (inside + outside + 2 * _LEAST)).astype(np.float32)
    return shares


def pull_back(table: Floats, start: Floats, shares: Floats) -> Floats:
    """Mix into each row of ``table`` its ``shares`` of the start's direction at the row's own length."""
    lengths, before = (np.linalg.norm(rows, axis=1, keepdims=True) for rows in (table, start))
    mixed: Floats = (1 - shares[:, None]) * table + shares[:, None] * (start * (lengths / np.maximum(before, 1e-12)))
    return mixed


def _uses(pairs: PairedBags, chosen: NDArray[np.bool_], rows: int) -> NDArray[np.float64]:
    """Return the share of the chosen pairs' entries that each row makes up."""
    uses = np.zeros(rows)
    for bags in (pairs.queries, pairs.texts):
        uses += np.bincount(_entries(bags, chosen), minlength=rows)
    uses /= max(1.0, float(uses.sum()))
    return uses


def _entries(bags: Bags, chosen: NDArray[np.bool_]) -> NDArray[np.uint16]:
    return bags.rows[np.repeat(chosen, np.diff(bags.offsets))]
