"""A worker process: reads pickled batches from standard input, answers on standard output.

Started by ``workers``; not meant to be run by hand.
"""

from __future__ import annotations

import os
import pickle
import signal


def main() -> None:
    """Answer batches until the input ends."""
    # Ctrl-C reaches the whole process group; when to stop is the parent's to say, by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever prints by mistake goes to standard error, not into the answers.
    os.dup2(2, 1)
    try:
        job = pickle.load(source)
        while True:
            pickle.dump(job.prepare(pickle.load(source)), sink, protocol=pickle.HIGHEST_PROTOCOL)
            sink.flush()
    except (EOFError, BrokenPipeError):
        # os._exit: nothing is left to flush, and the pipe may be gone.
        os._exit(0)
