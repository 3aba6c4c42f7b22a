"""Asking the kernel (inotify) whether anything in some folders changed, which saves walking them.

Linux only, and only on file systems on which every change passes through this kernel. The only answer that counts is
"nothing happened": any event leads to a walk, and so does any uncertainty (an overflowed queue, a limit on watches,
another process after a fork, a file system mounted meanwhile).
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import select
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import Struct

# From <sys/inotify.h>: written, attributes, closed after writing, moved out, in, created, deleted, itself gone, moved.
_EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
# About a folder, itself gone or moved, unmounted, queue overflowed, watch removed.
_MOVES_FOLDERS = 0x40000000 | 0x400 | 0x800 | 0x2000 | 0x4000 | 0x8000
_ONLY_FOLDERS, _NO_LINKS = 0x01000000, 0x02000000
_EVENT = Struct("=iIII")  # watch, events, cookie, length of the name that follows
_READ_BYTES = 1 << 16
_MOST_FOLDERS = 20_000
_SHARE = 4
"""At most one in this many of a user's watches is used: editors need them, too."""

# Not among them: file systems shared over a network or with another machine, or that can be rolled back while mounted.
_LOCAL = frozenset("btrfs ext2 ext3 ext4 f2fs overlay tmpfs xfs".split())
_MOUNTS = "/proc/self/mountinfo"
_LIMIT = "/proc/sys/fs/inotify/max_user_watches"


class InotifyWatch:
    """Watches folders; closes itself permanently if it cannot."""

    def __init__(self, root: Path) -> None:
        self._libc: ctypes.CDLL | None = None
        self._descriptor = self._mounts = -1
        self._process = os.getpid()
        self._most = 0
        self._folders: set[str] = set()
        if sys.platform == "linux":
            self._open(root)

    @property
    def usable(self) -> bool:
        """Whether it still reports events."""
        return self._descriptor >= 0

    def watch(self, folders: Iterable[str]) -> bool:
        """Watch further folders; return whether all of them were watched already."""
        new = [folder for folder in folders if folder not in self._folders]
        if len(self._folders) + len(new) > self._most:
            self.close()
        for folder in new:
            if not self.usable:
                return False
            self._add(folder)
        return self.usable and not new

    def silent(self) -> bool:
        """Return whether nothing happened since the last call; False if that is not known."""
        if not self.usable:
            return False
        if self._process != os.getpid() or self._mounts_changed():
            # After a fork only one process gets each event; folders below a new mount are not watched.
            self.close()
            return False
        heard = 0
        try:
            while True:
                heard |= _event_bits(os.read(self._descriptor, _READ_BYTES))
        except BlockingIOError:
            if heard & _MOVES_FOLDERS:
                # A folder, and its watch, may be gone, and another folder may be in its place.
                self._folders.clear()
            return not heard
        except OSError:
            self.close()
            return False

    def close(self) -> None:
        """Stop watching."""
        self._folders.clear()
        descriptors = (self._descriptor, self._mounts)
        self._descriptor = self._mounts = -1
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)

    def __del__(self) -> None:
        self.close()

    def _open(self, root: Path) -> None:
        try:
            # Opened before mounts are read, so that a mount made in between is noticed later.
            self._mounts = os.open(_MOUNTS, os.O_RDONLY | os.O_CLOEXEC)
            if _file_system(root) not in _LOCAL:
                self.close()
                return
            self._most = min(_MOST_FOLDERS, int(Path(_LIMIT).read_text("ascii")) // _SHARE)
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, AttributeError, ValueError):
            self.close()

    def _add(self, folder: str) -> None:
        assert self._libc is not None
        mask = _EVENTS | _ONLY_FOLDERS | _NO_LINKS
        if self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), mask) >= 0:
            self._folders.add(folder)
        elif ctypes.get_errno() not in (errno.ENOENT, errno.ENOTDIR):
            self.close()  # no more watches are available, or the folder may not be read

    def _mounts_changed(self) -> bool:
        """Return whether anything was mounted or unmounted (proc(5): the file then has an urgent event)."""
        poll = select.poll()
        poll.register(self._mounts, select.POLLPRI)
        return bool(poll.poll(0))


def _event_bits(events: bytes) -> int:
    """Return the bits of all events together."""
    bits = at = 0
    while at < len(events):
        _, what, _, length = _EVENT.unpack_from(events, at)
        bits |= what
        at += _EVENT.size + length
    return bits


def _file_system(root: Path) -> str:
    """Return the type of the file system of ``root``; ``mixed`` if others are mounted below it."""
    place, kind, longest = str(root), "", -1
    for point, mounted in _mounts():
        if point.startswith(f"{place.rstrip('/')}/"):
            return "mixed"
        around = place == point or place.startswith(f"{point.rstrip('/')}/")
        if around and len(point) >= longest:  # of two mounts at one place, the later hides the earlier
            kind, longest = mounted, len(point)
    return kind


def _mounts() -> Iterator[tuple[str, str]]:
    """Yield the mount point and type of each file system."""
    for line in Path(_MOUNTS).read_text("utf-8", "surrogateescape").splitlines():
        before, _, after = line.partition(" - ")
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), before.split(" ")[4])
        yield point, after.split(" ")[0]
