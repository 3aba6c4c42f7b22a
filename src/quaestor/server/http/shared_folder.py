"""The temporary folder in which a server's processes keep what they share; it ends with the last of them.

Whoever uses it holds a lock on it, which the system lets go of however a process ends. So a folder that nobody holds is
left from a server that was killed, and the next one clears it away.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

_PREFIX = "quaestor-serve-"
SHARED = "shared.sqlite"
"""The file of what the processes must know together."""


@contextmanager
def new_folder() -> Iterator[Path]:
    """Give a new folder, held, and clear away those that killed servers of this user left."""
    clear_away(Path(gettempdir()))
    with TemporaryDirectory(prefix=_PREFIX) as name, held(Path(name)):
        yield Path(name)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep others from clearing a folder away: us, and whoever does so with old temporary files (systemd-tmpfiles)."""
    import fcntl  # noqa: PLC0415 - not on Windows

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def clear_away(place: Path) -> None:
    """Remove the folders in ``place`` that killed servers of this user left; what cannot be removed stays."""
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            _clear_away_unless_held(folder)


def _clear_away_unless_held(folder: Path) -> None:
    """Remove a folder of ours that nobody holds.

    Raises:
        OSError: it is a link or no folder, somebody holds it, or it cannot be removed.
    """
    import fcntl  # noqa: PLC0415 - not on Windows

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # One that was made a moment ago is not held yet, and has nothing in it either.
        if os.fstat(descriptor).st_uid == os.getuid() and (folder / SHARED).is_file():
            shutil.rmtree(folder)
    finally:
        os.close(descriptor)
