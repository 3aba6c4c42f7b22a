"""The served corpora by name, each opened and brought up to date in a background thread.

A server answers requests from its first second; while a first index is being made, it reports the progress. Corpora
with which a server starts are shared by all users; one that is added later belongs to one user, and others do not see
it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError, NotFoundError, QuaestorError, UsageError
from quaestor.corpus import Corpus
from quaestor.corpus.several_corpora import SeveralCorpora, short_names
from quaestor.files.indexing_values import ProgressState
from quaestor.server.index_process import BackgroundVectors, FirstIndexes
from quaestor.server.process_claims import Claims

# Reading must have taken this long before its speed is used for an estimate.
_SPEED_SECONDS = 1.0

ALL = "*"
"""The name that means all corpora that a user may see."""


class StillIndexingError(IndexUnusableError):
    """A corpus is requested before its first index is complete; try again later."""


class _StoppedError(Exception):
    """Raised to end indexing that was cancelled."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a corpus.

    Attributes:
        name: its name.
        root: the path of its folder.
        ready: whether it can be searched.
        done: files read so far for its first index.
        total: files to read; 0 while they are being counted.
        share: the share of bytes that have been read, from 0 to 1.
        seconds_left: an estimate from the speed so far; None if unknown.
        owned: whether it belongs to one user.
        failed: why it cannot be indexed; "" if it can.
        stored: if its files are on other machines, a remark on how current its answers are; else "".
    """

    name: str
    root: str
    ready: bool
    done: int = 0
    total: int = 0
    share: float = 0.0
    seconds_left: int | None = None
    owned: bool = False
    failed: str = ""
    stored: str = ""


class Corpora:
    """Corpora by name, as a context: indexing begins when it is entered and ends when it is left.

    Args:
        roots: the real paths of folders, at least one.
        settings: returns the settings for a folder; called once for each.
        in_processes: whether to make first indexes and missing vectors in separate processes, so that they do not delay
            answers.
        claims: decide which of several processes makes a first index; None for a single process.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        settings: Callable[[Path], Settings],
        *,
        in_processes: bool = False,
        claims: Claims | None = None,
    ) -> None:
        if not roots:
            raise UsageError("There is no corpus to serve. Give the path of at least one folder.")
        # Cached: reading settings reads files, and every request needs them.
        self._settings = cache(settings)
        self._claims = claims or Claims()
        self._first = FirstIndexes(self._claims) if in_processes else None
        self._stopping = threading.Event()
        self._adding = threading.Lock()
        self._opening = {name: _OpeningCorpus(root) for name, root in short_names(roots).items()}
        self._owned: dict[str, dict[str, _OpeningCorpus]] = {}
        # Dropped corpora stay open until the end, because requests under way may use them.
        self._dropped: list[_OpeningCorpus] = []

    def __enter__(self) -> Corpora:
        for name, opening in self._opening.items():
            self._begin(name, opening)
        return self

    def __exit__(self, *_: object) -> None:
        with self._adding:
            self._stopping.set()
        owned = (one for mine in self._owned.values() for one in mine.values())
        for opening in (*self._opening.values(), *owned, *self._dropped):
            if opening.thread is not None:
                opening.thread.join()
            if opening.vectors is not None:
                opening.vectors.__exit__()
            if opening.index.done() and opening.index.exception() is None:
                opening.index.result().close()

    def add(self, name: str, root: Path, *, owner: str) -> None:
        """Begin to serve a corpus of one user; do nothing if it is served already.

        Args:
            name: its name for its owner; it hides a shared corpus of the same name from the owner.
            root: the folder's real path.
            owner: the user's id.
        """
        with self._adding:
            mine = self._owned.get(owner, {})
            if name in mine or self._stopping.is_set():
                return
            opening = _OpeningCorpus(root, owned=True)
            # A new dictionary, because other threads may be iterating over the present one.
            self._owned[owner] = {**mine, name: opening}
            self._begin(name, opening)

    def add_folder(self, root: Path, *, owner: str) -> None:
        """Begin to serve a folder of one user under a name not yet in use; do nothing if it is served already.

        Args:
            root: the folder's real path.
            owner: the user's id.
        """
        seen = self._visible(owner)
        if all(one.root != root for one in seen.values()):
            self.add(_free_name(root, seen), root, owner=owner)

    def drop(self, root: Path, *, owner: str) -> None:
        """Stop serving a user's folder; requests under way may finish."""
        with self._adding:
            mine = self._owned.get(owner, {})
            self._owned[owner] = {name: one for name, one in mine.items() if one.root != root}
            self._dropped += [one for one in mine.values() if one.root == root]

    def settings_of(self, root: Path) -> Settings:
        """Return the settings with which a folder is, or would be, served."""
        return self._settings(root)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the shared corpora, in the order in which they were given."""
        return tuple(self._opening)

    def settings(self, name: str = "", *, user: str | None = None) -> Settings:
        """Return a corpus's settings.

        Args:
            name: the corpus's name, as for ``get``.
            user: the user's id, as for ``get``.

        Raises:
            NotFoundError: there is no corpus of that name that the user may see.
        """
        return self._settings(self._find(name, user).root)

    def states(self, user: str | None = None) -> tuple[State, ...]:
        """Return the state of each corpus that a user may see; without a user, of each shared corpus."""
        return tuple(_state(name, opening) for name, opening in self._visible(user).items())

    def get(self, name: str = "", *, user: str | None = None, wait: float = 0.0) -> Index:
        """Return a corpus that can be searched.

        Args:
            name: a name from ``states``, or the path of a shared corpus; may be empty if there is only one of those.
            user: the user's id; None for shared corpora only.
            wait: seconds to wait for the first index.

        Raises:
            NotFoundError: there is no corpus of that name that the user may see.
            StillIndexingError: the corpus's first index is not complete.
            QuaestorError: the corpus cannot be indexed.
        """
        opening = self._find(name, user)
        try:
            return opening.index.result(wait)
        except NotYet:
            progress = first_index_progress(_state(name, opening))
            raise StillIndexingError(
                f"The first index of {opening.root.name!r} is still being made: {progress}."
            ) from None

    def several(
        self, names: Sequence[str], *, user: str | None = None, wait: float = 0.0
    ) -> tuple[SeveralCorpora, Mapping[str, Exception]]:
        """Return corpora that are searched as one, and the errors of those that cannot be searched.

        Args:
            names: names as for ``get``; empty, or with ``ALL`` in it, for every corpus that the user may see.
            user: the user's id, as for ``get``.
            wait: seconds to wait for all first indexes together.

        Raises:
            NotFoundError: there is no corpus of one of the names that the user may see.
            QuaestorError: none of them can be searched; the error is that of the first.
        """
        chosen = list(self._visible(user)) if not names or ALL in names else list(dict.fromkeys(names))
        for name in chosen:
            self._find(name, user)
        until = time.monotonic() + wait
        corpora: dict[str, Corpus] = {}
        failures: dict[str, Exception] = {}
        for name in chosen:
            try:
                corpora[name] = self.get(name, user=user, wait=max(until - time.monotonic(), 0.0))
            except (QuaestorError, OSError) as error:
                failures[name] = error
        if not corpora:
            raise next(iter(failures.values()))
        return SeveralCorpora(corpora), failures

    def _visible(self, user: str | None) -> dict[str, _OpeningCorpus]:
        return self._opening if user is None else {**self._opening, **self._owned.get(user, {})}

    def _find(self, name: str, user: str | None) -> _OpeningCorpus:
        if not name and len(self._opening) == 1:
            return next(iter(self._opening.values()))
        seen = self._visible(user)
        known = ", ".join(map(repr, seen))
        if not name:
            raise UsageError(f"There are several corpora; name one as 'corpus': {known}.")
        named_corpus = seen.get(name) or next(
            (opening for opening in self._opening.values() if str(opening.root) == os.path.normpath(name)), None
        )
        if named_corpus is None:
            raise NotFoundError(f"There is no corpus {name!r} here. Name one of {known}.")
        return named_corpus

    def _begin(self, name: str, opening: _OpeningCorpus) -> None:
        opening.thread = threading.Thread(target=self._open, args=(opening,), name=f"index {name}")
        opening.thread.start()

    def _open(self, opening: _OpeningCorpus) -> None:
        def progress(state: ProgressState) -> None:
            if self._stopping.is_set():
                raise _StoppedError
            opening.progress = state
            if opening.reading_since is None and state.total:
                opening.reading_since = (time.monotonic(), state.bytes_done)

        try:
            settings = self._settings(opening.root)
            if self._first is not None:
                self._first.make(opening.root, settings, progress)
            index = Index.ready(opening.root, settings=settings, progress=progress, whole=True)
            if self._first is not None and index.meaning.vector_progress is not None:
                opening.vectors = BackgroundVectors(opening.root, settings, self._claims).__enter__()
            opening.index.set_result(index)
        except BaseException as error:  # raised by `get`
            opening.index.set_exception(error)


class _OpeningCorpus:
    def __init__(self, root: Path, *, owned: bool = False) -> None:
        self.root = root
        self.owned = owned
        self.index: Future[Index] = Future()
        self.progress: ProgressState | None = None
        self.thread: threading.Thread | None = None
        self.vectors: BackgroundVectors | None = None
        # When files began to be read, and how many bytes had been read by then.
        self.reading_since: tuple[float, int] | None = None


def _free_name(root: Path, used_names: Container[str]) -> str:
    """Return a folder's name, with as many of its parents as make it unique among the taken names."""
    names = (Path(*root.parts[-length:]).as_posix() for length in range(1, len(root.parts) + 1))
    return next((name for name in names if name not in used_names), str(root))


def first_index_progress(state: State) -> str:
    """Return the progress of a first index as text for people."""
    if not state.total:
        return "its files are being counted"
    time_left = "" if state.seconds_left is None else f", about {_written_seconds(state.seconds_left)} left"
    return f"{state.share:.0%}{time_left}"


def _written_seconds(seconds: int) -> str:
    return f"{max(seconds, 1)} s" if seconds < 90 else f"{round(seconds / 60)} min"


def _state(name: str, opening: _OpeningCorpus) -> State:
    error = opening.index.exception() if opening.index.done() else None
    ready = opening.index.done() and error is None
    progress = opening.progress
    if ready or progress is None:
        stored = opening.index.result().freshness.remark if ready else ""
        return State(name, str(opening.root), ready, owned=opening.owned, failed=str(error or ""), stored=stored)
    return State(
        name,
        str(opening.root),
        ready,
        progress.done,
        progress.total,
        share=_share(progress),
        seconds_left=_seconds_left(opening, progress),
        owned=opening.owned,
        failed=str(error or ""),
    )


def _share(progress: ProgressState) -> float:
    if progress.bytes_total:
        return min(1.0, progress.bytes_done / progress.bytes_total)
    return progress.done / progress.total if progress.total else 0.0


def _seconds_left(opening: _OpeningCorpus, progress: ProgressState) -> int | None:
    """Return the seconds left at the speed so far; None if the speed is unknown."""
    if opening.reading_since is None:
        return None
    since, before = opening.reading_since
    seconds, read = time.monotonic() - since, progress.bytes_done - before
    if seconds < _SPEED_SECONDS or read <= 0:
        return None
    return round((progress.bytes_total - progress.bytes_done) * seconds / read)
