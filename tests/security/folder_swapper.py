"""Puts a link to another folder in a folder's place and takes it away, again and again, until it is killed.

Run as a program, so that it is at work while others are in the middle of a call: FOLDER, where it is kept meanwhile,
and what the link leads to.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def swapping(folder: Path, kept: Path, outside: Path) -> Iterator[None]:
    """Swap all the time; the folder itself is in its place in the end."""
    command = [sys.executable, __file__, str(folder), str(kept), str(outside)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as swapper:
        try:
            assert swapper.stdout is not None
            assert swapper.stdout.read(1) == b"!"
            yield
        finally:
            swapper.communicate(b"!")


def swap(folder: Path, kept: Path, outside: Path) -> None:
    """Swap once, and back."""
    folder.rename(kept)
    folder.symlink_to(outside)
    time.sleep(0)
    folder.unlink()
    kept.rename(folder)
    time.sleep(0)


if __name__ == "__main__":
    places = tuple(map(Path, sys.argv[1:]))
    os.set_blocking(0, False)
    swap(*places)
    sys.stdout.write("!")
    sys.stdout.flush()
    told = None
    while told is None:
        swap(*places)
        with suppress(BlockingIOError):
            told = os.read(0, 1)
