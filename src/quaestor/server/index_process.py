"""Makes first indexes and a transformer's vectors in separate processes.

Python runs one thread at a time, and indexing is CPU-bound: in a thread, it would delay every word of other corpora's
answers by seconds.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from quaestor.assemble import Index
from quaestor.assemble.transformer_upgrade import upgrade_state
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError, NotFoundError, QuaestorError
from quaestor.files.indexing_values import Progress, ProgressState
from quaestor.server.process_claims import Claims

_KIND = "index"
_VECTORS = "vectors"
_POLL_SECONDS = 0.2
_POLITENESS = 10
_COUNTING = ProgressState(0, 0, 0, 0, 0, "")
_CODE = "from quaestor.server.index_process import main; main()"


class FirstIndexes:
    """Makes first indexes; one of a server's processes makes an index, and the other processes wait for it.

    Args:
        claims: the claims that the server's processes share.
    """

    def __init__(self, claims: Claims) -> None:
        self._claims = claims

    def make(self, root: Path, settings: Settings, progress: Progress) -> None:
        """Make or complete the first index of a source, unless it is complete; wait while another process does.

        Args:
            root: the source's real path.
            settings: how the source is indexed.
            progress: called during the work, or during the wait; an exception from it ends either.
        """

        def report(state: ProgressState) -> None:
            self._claims.publish(json.dumps(state), _KIND, str(root))
            progress(state)

        while True:
            with self._claims.attempt(_KIND, str(root)) as mine:
                if mine:
                    if not is_indexed(root, settings):
                        make_index(root, settings, report)
                    return
            text = self._claims.published_text(_KIND, str(root))
            progress(ProgressState(*json.loads(text)) if text else _COUNTING)
            time.sleep(_POLL_SECONDS)


def is_indexed(root: Path, settings: Settings) -> bool:
    """Return whether a source has an index that can be opened and was complete once."""
    try:
        with Index.open(root, settings=settings) as index:
            return index.indexer.is_complete
    except (IndexUnusableError, NotFoundError):
        return False


def make_index(root: Path, settings: Settings, progress: Progress) -> None:
    """Make the first index of a source in another process, which ends with this one.

    Errors of that process are not reported here: opening the index, which must follow, raises the same error.

    Args:
        root: the source's real path.
        settings: how the source is indexed.
        progress: called during the work; an exception from it ends the work.
    """
    with _child() as child:
        try:
            _follow(child, _KIND, root, settings, progress)
        except BaseException:
            child.terminate()
            raise


class BackgroundVectors:
    """A context in which a background process makes the missing vectors of an index, if there are any.

    An open index switches to them by itself once they are complete. The process may be ended at any time: finished
    vectors are kept.

    Args:
        root: the real path of a source that has an index.
        settings: name the transformer.
        claims: the claims of a server with several processes, one of which makes the vectors; None for one process.
    """

    def __init__(self, root: Path, settings: Settings, claims: Claims | None = None) -> None:
        self._root = root
        self._settings = settings
        self._claims = claims or Claims()
        self._ended = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._make, name=f"vectors {root.name}")

    def __enter__(self) -> BackgroundVectors:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended.set()
            if self._child is not None:
                self._child.terminate()
        self._thread.join()

    def wait(self) -> None:
        """Wait until all vectors are made, or making them failed."""
        self._thread.join()

    def _make(self) -> None:
        while not self._ended.is_set() and upgrade_state(self._root, self._settings) is not None:
            with self._claims.attempt(_VECTORS, str(self._root)) as mine:
                if mine:
                    return self._run()
            self._ended.wait(_POLL_SECONDS)
        return None

    def _run(self) -> None:
        with _child() as child:
            with self._lock:
                self._child = child
                if self._ended.is_set():
                    child.terminate()
            _follow(child, _VECTORS, self._root, self._settings, lambda _: None)


@contextmanager
def _child() -> Iterator[subprocess.Popen[bytes]]:
    """Start a Python process that waits for a job on its standard input."""
    # -P: do not import from the current folder, which may be a stranger's repository.
    command = [sys.executable, "-P", "-c", _CODE]
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    # If the process ended before it read its job, closing the pipe fails again.
    with (
        suppress(BrokenPipeError),
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as child,
    ):
        yield child


def _follow(child: subprocess.Popen[bytes], job: str, root: Path, settings: Settings, progress: Progress) -> None:
    """Send a child its job, and report its progress until it ends."""
    assert child.stdin is not None and child.stdout is not None  # pipes were asked for
    try:
        pickle.dump((job, root, settings), child.stdin)
        # The pipe stays open: its end tells the child that this process has ended.
        child.stdin.flush()
        while state := _read_progress(child.stdout.readline()):
            progress(state)
    except BrokenPipeError:
        pass  # the child ended before it read its job


def main() -> None:
    """Do the job on standard input, and write its progress to standard output."""
    # Ctrl-C reaches every process of a terminal; this one is ended by its parent alone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        # Answering questions has priority.
        os.nice(_POLITENESS)
    job, root, settings = pickle.load(sys.stdin.buffer)
    if job == _VECTORS:
        # It writes nothing for seconds, so a thread must notice the parent's end. (A first index notices it when it
        # writes its progress, and it forks, which needs a process without threads.)
        threading.Thread(target=_end_with_parent, daemon=True).start()
    make = Index.build if job == _VECTORS else partial(Index.ready, whole=True)
    try:
        make(root, settings=settings, progress=_send).close()
    except (QuaestorError, BrokenPipeError):
        sys.exit(1)


def _end_with_parent() -> None:
    """End this process when its parent ends; finished vectors are kept."""
    sys.stdin.buffer.read()
    os._exit(1)


def _send(state: ProgressState) -> None:
    # JSON escapes any characters of a file's name, so that each state is one line of ASCII.
    print(json.dumps(state), flush=True)


def _read_progress(line: bytes) -> ProgressState | None:
    return ProgressState(*json.loads(line)) if line.endswith(b"\n") else None
