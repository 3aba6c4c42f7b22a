"""Values that indexing reports: files found and left out, changes, surveys, and how counts are spread."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from quaestor.core.errors import QuaestorError
from quaestor.core.light_imports import NamedTuple
from quaestor.files.deny import Reason

__all__ = [
    "BY_SETTING",
    "Changes",
    "CountTokens",
    "FoundFile",
    "Plan",
    "Progress",
    "ProgressState",
    "Skipped",
    "Survey",
    "by_reason",
]

BY_SETTING = "by the setting 'ignore'"
"""The detail for entries that are left out, though no ignore file says so."""

CountTokens = Callable[[str], int]
"""Counts the tokens of a text."""


class FoundFile(NamedTuple):
    """A file that may be indexed.

    Attributes:
        path: relative to the root, with ``/``; always valid Unicode (see ``consistent_read.storable``).
        size: bytes.
        mtime_ns: modification time, nanoseconds since the epoch; 0 if it was not read.
        stamp: see ``consistent_read.stamp_of``.
    """

    path: str
    size: int
    mtime_ns: int = 0
    stamp: int = 0


class Skipped(NamedTuple):
    """A file or folder that was left out.

    Attributes:
        path: relative to the root; a folder's ends with ``/``.
        reason: why.
        detail: what the system said, or the limit that was passed; empty where the reason says all.
    """

    path: str
    reason: Reason
    detail: str = ""


class Plan(NamedTuple):
    """What a refresh would do now.

    Attributes:
        added: files that are not in the index. One may still turn out to be binary when it is read.
        changed: files whose bytes differ from the indexed ones.
        touched: files with a new stamp and the same bytes.
        removed: paths that are in the index and gone, or no longer wanted, on disk.
        unchanged: number of files that need nothing.
        skipped: what is left out, with the reason.
    """

    added: tuple[FoundFile, ...]
    changed: tuple[FoundFile, ...]
    touched: tuple[FoundFile, ...]
    removed: tuple[str, ...]
    unchanged: int
    skipped: tuple[Skipped, ...]


class ProgressState(NamedTuple):
    """How far a refresh is.

    Attributes:
        done: files that were read.
        total: files to read.
        chunks: chunks made so far.
        bytes_done: bytes read so far.
        bytes_total: bytes to read.
        path: the file that was read last.
        doing: ``indexing``; ``embedding`` where texts are counted instead of files, ``taking in`` where documents are.
    """

    done: int
    total: int
    chunks: int
    bytes_done: int = 0
    bytes_total: int = 0
    path: str = ""
    doing: str = "indexing"


Progress = Callable[[ProgressState], None]
"""Called as the work goes on, from the thread that called ``refresh``."""


class Changes(NamedTuple):
    """What a refresh did.

    Attributes:
        added: paths that are new in the index.
        changed: paths whose new bytes replaced the old.
        touched: paths whose bytes are unchanged and whose stamp was noted.
        removed: paths that left the index.
        unchanged: number of files that needed nothing.
        skipped: what was left out, with the reason.
        stale: paths whose present bytes are not in the index, because the time was up or they keep changing.
        chunks: chunks written.
        bytes: bytes read.
        seconds: time taken.
        embedded: texts sent to a remote embedder.
        cut: number of texts longer than the model reads, of which only the beginning was embedded.
        spent: its cost, in millionths of the currency's unit; models without a price cost 0.
        pending: paths with chunks that are not embedded yet, and are found by words alone.
        failure: why a remote embedder was not asked any more; None if it was.
        elsewhere: number of files that other processes indexed, which shared the work.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[Skipped, ...] = ()
    stale: tuple[str, ...] = ()
    chunks: int = 0
    bytes: int = 0
    seconds: float = 0.0
    embedded: int = 0
    cut: int = 0
    spent: int = 0
    pending: tuple[str, ...] = ()
    failure: QuaestorError | None = None
    elsewhere: int = 0

    def followed_by(self, later: Changes) -> Changes:
        """Return the changes of this refresh and a later one together."""
        return later._replace(
            added=self.added + later.added,
            changed=self.changed + later.changed,
            touched=self.touched + later.touched,
            removed=self.removed + later.removed,
            unchanged=self.unchanged,
            chunks=self.chunks + later.chunks,
            bytes=self.bytes + later.bytes,
            seconds=self.seconds + later.seconds,
            embedded=self.embedded + later.embedded,
            cut=self.cut + later.cut,
            spent=self.spent + later.spent,
            pending=tuple(dict.fromkeys(self.pending + later.pending)),
            failure=later.failure or self.failure,
            elsewhere=self.elsewhere,
        )

    @property
    def any(self) -> bool:
        """Whether search results may have changed."""
        return bool(self.added or self.changed or self.removed)


class Survey(NamedTuple):
    """What indexing would read and make, without writing anything.

    Attributes:
        documents: files that would be indexed.
        chunks: chunks that they would be cut into.
        words: words per document.
        bytes: bytes of all documents.
        tokens: tokens of all texts that would be embedded; None without a counter.
        languages: documents per language.
        chunkers: documents per method of cutting.
        notes: documents per fallback or lossy reading.
        skipped: what is left out, with the reason.
    """

    documents: int
    chunks: int
    words: Range
    bytes: int
    tokens: int | None
    languages: Mapping[str, int]
    chunkers: Mapping[str, int]
    notes: Mapping[str, int]
    skipped: tuple[Skipped, ...] = ()

    @property
    def skipped_by_reason(self) -> Mapping[str, int]:
        """Entries left out, per reason, most frequent first. A folder counts once."""
        return by_reason(self.skipped)


def by_reason(skipped: tuple[Skipped, ...]) -> Mapping[str, int]:
    """Return the number of entries per reason, most frequent first."""
    return dict(Counter(entry.reason for entry in skipped).most_common())


_FIRSTS = (0, 1, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Where bins begin. Lengths of documents are spread over orders of magnitude, so that even steps would show one bar."""


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of a histogram.

    Attributes:
        first: the least count in it.
        last: the greatest count in it; None for the last bar, which has no end.
        number: of the counts in it.
    """

    first: int
    last: int | None
    number: int


@dataclass(frozen=True, slots=True)
class Range:
    """How counts are spread.

    Attributes:
        least: the smallest.
        mean: the average.
        median: the middle one.
        most: the largest.
        total: the sum.
        histogram: the bars, from the first to the last that are not empty.
    """

    least: int = 0
    mean: float = 0.0
    median: float = 0.0
    most: int = 0
    total: int = 0
    histogram: tuple[Bin, ...] = ()

    @classmethod
    def of(cls, counts: Sequence[int]) -> Range:
        """Return how counts of 0 and above are spread; zeros throughout where there are none."""
        if not counts:
            return cls()
        ordered, total = sorted(counts), sum(counts)
        # Not of the statistics module, which takes longer to import than most searches take.
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
        return cls(ordered[0], total / len(counts), middle, ordered[-1], total, histogram(counts))


def histogram(counts: Sequence[int]) -> tuple[Bin, ...]:
    """Return the number of ``counts``, each 0 or above, in each of the fixed bins, without empty bins at the ends."""
    numbers = [0] * len(_FIRSTS)
    for count in counts:
        numbers[bisect_right(_FIRSTS, count) - 1] += 1
    held = [place for place, number in enumerate(numbers) if number]
    lasts = [first - 1 for first in _FIRSTS[1:]] + [None]
    shown = range(held[0], held[-1] + 1) if held else ()
    return tuple(Bin(_FIRSTS[place], lasts[place], numbers[place]) for place in shown)
