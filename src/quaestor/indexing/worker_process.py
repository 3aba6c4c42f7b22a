"""A worker process: reads pickled batches from standard input, answers on standard output.

Started by ``process_start``; not meant to be run by hand.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
from typing import Any, BinaryIO, Protocol

# What a batch makes holds no circles and is let go of with it: looking for them every 700 objects takes a tenth of all.
_OBJECTS_BETWEEN_LOOKS = 100_000

READY = "ready"
"""Said once, when the job is there and everything that it needs is imported."""


class Job(Protocol):
    """The work on a batch."""

    def prepare(self, tasks: Any) -> Any:
        """Return one result a task."""
        ...


def main() -> None:
    """Read the job, confirm it, and answer batches until the input ends."""
    _answer(None)


def serve(job: Job) -> None:
    """Answer batches until the input ends."""
    _answer(job)


def _answer(job: Job | None) -> None:
    # Ctrl-C reaches the whole process group; when to stop is the parent's to say, by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever prints by mistake goes to standard error, not into the answers.
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
    """Return the error itself if it survives being pickled, else one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
