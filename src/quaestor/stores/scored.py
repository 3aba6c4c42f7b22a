"""Chunks with their scores, as pairs to iterate over or as arrays to compute with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Scored(Sequence["tuple[int, float]"]):
    """Identifiers of chunks with scores, best first; equal to any sequence of the same pairs.

    A search asks for some nine hundred of them and reads most only through the arrays.

    Attributes:
        ids: the chunks, none twice; shape ``(n,)``.
        scores: theirs; shape ``(n,)``.
    """

    __slots__ = ("ids", "scores")

    def __init__(self, ids: NDArray[np.int64], scores: NDArray[np.floating]) -> None:
        self.ids = ids
        self.scores = scores

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, float]]) -> Scored:
        """Return some pairs, best first."""
        ids, scores = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(np.array(ids, dtype=np.int64), np.array(scores, dtype=np.float64))

    def best(self, count: int) -> list[int]:
        """Return the first ``count`` chunks."""
        found: list[int] = self.ids[:count].tolist()
        return found

    def of_chunks(self, chunks: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of some chunks, 0 for those that are not here."""
        if not len(self.ids):
            return np.zeros(len(chunks), dtype=np.float32)
        order = self.ids.argsort()
        places = order.take(self.ids.searchsorted(chunks, sorter=order), mode="clip")
        return np.where(self.ids[places] == chunks, self.scores[places], 0).astype(np.float32)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.ids.tolist(), self.scores.tolist(), strict=True)

    @overload
    def __getitem__(self, place: int) -> tuple[int, float]: ...

    @overload
    def __getitem__(self, place: slice) -> Scored: ...

    def __getitem__(self, place: int | slice) -> tuple[int, float] | Scored:
        if isinstance(place, slice):
            return Scored(self.ids[place], self.scores[place])
        return int(self.ids[place]), float(self.scores[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as lists have none

    def __repr__(self) -> str:
        return repr(list(self))
