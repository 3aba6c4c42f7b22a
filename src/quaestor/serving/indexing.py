"""A first index made in a process of its own.

Threads of one Python take turns, and making an index takes all it can get: whoever asked about another corpus
meanwhile would wait seconds for each word.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

from quaestor.assemble import Index
from quaestor.config import Settings
from quaestor.errors import IndexUnusableError, NotFoundError, QuaestorError
from quaestor.ingest.report import Progress, ProgressState
from quaestor.serving.claims import Claims

_KIND = "index"
_POLL_SECONDS = 0.2
_POLITENESS = 10
_COUNTING = ProgressState(0, 0, 0, 0, 0, "")
_CODE = "from quaestor.serving.indexing import main; main()"


class FirstIndexes:
    """Sees to first indexes; of several processes of a server, one makes it and the others wait until it is there.

    Args:
        claims: of the server.
    """

    def __init__(self, claims: Claims) -> None:
        self._claims = claims

    def make(self, root: Path, settings: Settings, progress: Progress) -> None:
        """Make the first index of a source, or the rest of it, unless it is whole; wait while another process does.

        Args:
            root: real path of the source.
            settings: as it is to be indexed.
            progress: called as the work goes on, whoever does it; what it raises ends the work, or the wait.
        """

        def told(state: ProgressState) -> None:
            self._claims.say(json.dumps(state), _KIND, str(root))
            progress(state)

        while True:
            with self._claims.attempt(_KIND, str(root)) as mine:
                if mine:
                    if not is_indexed(root, settings):
                        make_index(root, settings, told)
                    return
            said = self._claims.said(_KIND, str(root))
            progress(ProgressState(*json.loads(said)) if said else _COUNTING)
            time.sleep(_POLL_SECONDS)


def is_indexed(root: Path, settings: Settings) -> bool:
    """Return whether there is an index of a source that can be opened and was whole once."""
    try:
        with Index.open(root, settings=settings) as index:
            return index.indexer.whole
    except (IndexUnusableError, NotFoundError):
        return False


def make_index(root: Path, settings: Settings, progress: Progress) -> None:
    """Make the first index of a source in another process, which ends with this one.

    Why it could not be made is not told here: opening the index, which must follow, finds the same reason.

    Args:
        root: real path of the source.
        settings: as it is to be indexed.
        progress: called as the work goes on; what it raises ends the work.
    """
    # -P: the current folder, which may be a stranger's repository, is no place to import from.
    command = [sys.executable, "-P", "-c", _CODE]
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}
    ) as child:
        assert child.stdin is not None and child.stdout is not None  # pipes were asked for
        try:
            with child.stdin as job:
                pickle.dump((root, settings), job)
            while state := _received(child.stdout.readline()):
                progress(state)
        except BrokenPipeError:
            pass  # it ended before it had read what to do
        except BaseException:
            child.terminate()
            raise


def main() -> None:
    """Do the job on standard input, and say how far it is on standard output."""
    # Ctrl-C reaches every process of a terminal; the one that started this ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        # Whoever asks meanwhile goes first.
        os.nice(_POLITENESS)
    root, settings = pickle.load(sys.stdin.buffer)
    try:
        Index.ready(root, settings=settings, progress=_send, whole=True).close()
    except (QuaestorError, BrokenPipeError):
        sys.exit(1)


def _send(state: ProgressState) -> None:
    # JSON escapes whatever a file's name may hold, so that each state is one line of plain letters.
    print(json.dumps(state), flush=True)


def _received(line: bytes) -> ProgressState | None:
    return ProgressState(*json.loads(line)) if line.endswith(b"\n") else None
