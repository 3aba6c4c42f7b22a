"""Plain values of indexing: its settings, and what it reports (files found and left out, changes, surveys, counts)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from quaestor.chunking import ChunkSettings
from quaestor.core.errors import QuaestorError
from quaestor.core.light_imports import NamedTuple
from quaestor.files.deny import Reason

__all__ = [
    "BY_SETTING",
    "Changes",
    "CountTokens",
    "FoundFile",
    "IngestSettings",
    "Plan",
    "Progress",
    "ProgressState",
    "SkippedPath",
    "Survey",
    "by_reason",
]

BY_SETTING = "by the setting 'ignore'"
"""The detail for entries that a setting leaves out, and no ignore file."""

_RECIPE = 14
"""Incremented whenever equal bytes and settings give other chunks, terms, vectors, authors or dates than before."""

CountTokens = Callable[[str], int]
"""Counts the tokens of a text."""


class IngestSettings(NamedTuple):
    """Which files are indexed, how they are cut, and with which resources.

    Attributes:
        ignore: patterns as in ``.gitignore``, relative to the root; they win over every ignore file.
        pages: whether the files are pages that a crawl wrote, whose front matter states their address. An address in
            any other file is not trusted.
        max_file_bytes: larger files are left out. Prose may be eight times as large; lock files and minified or
            generated files, which are cut by lines and noted, a quarter as large. Hand-written source is
            hardly ever above 2 MB; larger files are data and logs.
        chunks: how documents are cut, and sizes of chunks.
        embed_path: whether the path is part of the text that is embedded.
        workers: processes that read, cut and embed; None for one for each core, 1 for only the caller's.
        embed_in: where texts are embedded: in ``workers`` if the embedder is cheap to load; in the ``caller``'s process
            if it is heavy or remote; ``auto`` decides by the embedder's kind.
        git_within: folders elsewhere to which the repository's git folder may lead.
        ray: address of a Ray cluster that cuts and embeds instead of local processes; empty for none.
    """

    ignore: tuple[str, ...] = ()
    pages: bool = False
    max_file_bytes: int = 2_000_000
    chunks: ChunkSettings = ChunkSettings()
    embed_path: bool = True
    workers: int | None = None
    embed_in: Literal["auto", "workers", "caller"] = "auto"
    ray: str = ""
    git_within: tuple[str, ...] = ()

    def recipe(self) -> str:
        """Return the settings that decide the chunks, terms and vectors of a file, as a short text."""
        chunks = self.chunks
        chosen = "" if chunks.method == "auto" else f":{chunks.method}:{chunks.lines or ''}"
        return f"{_RECIPE}:{chunks.target}:{chunks.limit}:{int(self.embed_path)}{chosen}"

    def rules(self) -> str:
        """Return the settings that decide which files are indexed, as a short text."""
        text = repr((_RECIPE, self.ignore, self.max_file_bytes))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


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


class SkippedPath(NamedTuple):
    """A file or folder that was left out.

    Attributes:
        path: relative to the root; a folder's ends with ``/``.
        reason: why it was left out.
        detail: the system's message, or the limit that was exceeded; empty if the reason says everything.
    """

    path: str
    reason: Reason
    detail: str = ""


class Plan(NamedTuple):
    """What a refresh would do now.

    Attributes:
        added: files that are not in the index. A file may still prove to be binary when it is read.
        changed: files whose bytes differ from the indexed ones.
        touched: files with a new stamp and the same bytes.
        removed: paths in the index that are gone from disk or no longer wanted.
        unchanged: number of unchanged files.
        skipped: entries that are left out, with the reason.
    """

    added: tuple[FoundFile, ...]
    changed: tuple[FoundFile, ...]
    touched: tuple[FoundFile, ...]
    removed: tuple[str, ...]
    unchanged: int
    skipped: tuple[SkippedPath, ...]


class ProgressState(NamedTuple):
    """The progress of a refresh.

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
"""Called during the work, from the thread that called ``refresh``."""


READ_ANEW = "The index was made by an earlier version or with other settings, so every file is read anew."


class Changes(NamedTuple):
    """What a refresh did.

    Attributes:
        added: paths that are new in the index.
        changed: paths whose new bytes replaced the old.
        touched: paths with a new stamp, which was stored, and the same bytes.
        removed: paths that left the index.
        unchanged: number of unchanged files.
        skipped: entries that were left out, with the reason.
        stale: paths whose present bytes are not in the index, because time ran out or they keep changing.
        chunks: chunks written.
        bytes: bytes read.
        seconds: time taken.
        embedded: texts sent to a remote embedder.
        cut: number of texts that exceed the model's limit, of which only the beginning was embedded.
        spent: the cost of that, in millionths of the currency's unit; models without a price cost 0.
        pending: paths with chunks that are not embedded yet and are found only by words.
        failure: why a remote embedder got no further requests, or None.
        elsewhere: number of files that other processes indexed, which shared the work.
        anew: whether every file is read anew, because an earlier version or other settings made the index.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[SkippedPath, ...] = ()
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
    anew: bool = False

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
            anew=self.anew or later.anew,
        )

    @property
    def any(self) -> bool:
        """Whether search results may have changed."""
        return bool(self.added or self.changed or self.removed)


class Survey(NamedTuple):
    """What indexing would read and produce, without writing anything.

    Attributes:
        documents: files that would be indexed.
        chunks: chunks that they would be cut into.
        words: words per document.
        bytes: bytes of all documents.
        tokens: tokens of all texts that would be embedded; None without a counter.
        languages: documents per language.
        chunkers: documents per chunker.
        notes: documents per fallback or lossy conversion.
        skipped: entries that are left out, with the reason.
    """

    documents: int
    chunks: int
    words: Range
    bytes: int
    tokens: int | None
    languages: Mapping[str, int]
    chunkers: Mapping[str, int]
    notes: Mapping[str, int]
    skipped: tuple[SkippedPath, ...] = ()

    @property
    def skipped_by_reason(self) -> Mapping[str, int]:
        """Entries left out, per reason, most frequent first. A folder counts once."""
        return by_reason(self.skipped)


def by_reason(skipped: tuple[SkippedPath, ...]) -> Mapping[str, int]:
    """Return the number of entries per reason, most frequent first."""
    return dict(Counter(entry.reason for entry in skipped).most_common())


_FIRSTS = (0, 1, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""The first count of each bin; equal steps would put all documents, whose lengths differ vastly, in one bin."""


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of a histogram.

    Attributes:
        first: the least count in it.
        last: the greatest count in it; None for the last bar, which has no upper limit.
        number: how many counts are in it.
    """

    first: int
    last: int | None
    number: int


@dataclass(frozen=True, slots=True)
class Range:
    """The distribution of counts.

    Attributes:
        least: the smallest count.
        mean: their average.
        median: their median.
        most: the largest count.
        total: their sum.
        histogram: the bars, from the first to the last that is not empty.
    """

    least: int = 0
    mean: float = 0.0
    median: float = 0.0
    most: int = 0
    total: int = 0
    histogram: tuple[Bin, ...] = ()

    @classmethod
    def of(cls, counts: Sequence[int]) -> Range:
        """Return the distribution of counts of 0 and above; all zeros if there are none."""
        if not counts:
            return cls()
        ordered, total = sorted(counts), sum(counts)
        # The statistics module takes longer to import than most searches take.
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
        return cls(ordered[0], total / len(counts), middle, ordered[-1], total, histogram(counts))


def histogram(counts: Sequence[int]) -> tuple[Bin, ...]:
    """Return how many counts of 0 and above fall in each of the fixed bins, without empty bins at the ends."""
    numbers = [0] * len(_FIRSTS)
    for count in counts:
        numbers[bisect_right(_FIRSTS, count) - 1] += 1
    filled = [place for place, number in enumerate(numbers) if number]
    lasts = [first - 1 for first in _FIRSTS[1:]] + [None]
    shown = range(filled[0], filled[-1] + 1) if filled else ()
    return tuple(Bin(_FIRSTS[place], lasts[place], numbers[place]) for place in shown)
