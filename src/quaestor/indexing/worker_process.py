"""A worker process: reads pickled batches from standard input, answers on standard output.

Started by ``process_start``; not meant to be run by hand.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
from typing import Any, BinaryIO, Protocol

# A batch makes no reference cycles: collecting garbage after every 700 objects would take a tenth of the time.
_OBJECTS_BETWEEN_LOOKS = 100_000

READY = "ready"
"""Sent once, when the job has arrived and everything that it needs is imported."""


class Job(Protocol):
    """The work on a batch."""

    def prepare(self, tasks: Any) -> Any:
        """Return one result for each task."""
        ...


def main() -> None:
    """Read the job, confirm it, and answer batches until the input ends."""
    _answer(None)


def serve(job: Job) -> None:
    """Answer batches until the input ends."""
    _answer(job)


def _answer(job: Job | None) -> None:
    # Ctrl-C reaches the whole process group, but the parent decides when to stop, by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Accidental prints go to standard error, not into the answers.
    os.dup2(2, 1)
    try:
        if job is None:
            job = pickle.load(source)
            _say(sink, READY)
        while True:
            batch = pickle.load(source)
            try:
                answer = job.prepare(batch)
            except Exception as error:
                answer = _portable(error)
            _say(sink, answer)
    except (EOFError, BrokenPipeError):
        # os._exit: nothing is left to flush, and the pipe may be gone.
        os._exit(0)


def _say(sink: BinaryIO, answer: object) -> None:
    pickle.dump(answer, sink, protocol=pickle.HIGHEST_PROTOCOL)
    sink.flush()


def _portable(error: Exception) -> Exception:
    """Return the error itself if it can be pickled, else one with the same message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
