"""A process that indexes, searches, pays, talks and edits on a disk that is nearly full, and looks what is left.

    python small_disk.py DISK STASH FREE...

DISK is the folder where a small file system of our own is mounted, STASH lies elsewhere. FREE is how many bytes the
disk has left, a round for each. Prints a line of JSON for each round: what it did, and what was wrong, if anything.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import disk_work
from test_injected_failures import check_each_is_whole, everything, made_root, state, write_corpus

from quaestor import Index
from quaestor.accounts.ledger import Ledger
from quaestor.core.errors import QuaestorError
from quaestor.edits import Journal, recover
from quaestor.sessions.named_sessions import FolderSessions

PARTS = 12


def main() -> None:
    disk, stash, sizes = Path(sys.argv[1]), Path(sys.argv[2]), [int(size) for size in sys.argv[3:]]
    place = disk / "work"
    write_corpus(place / "corpus", 0, PARTS)
    made_root(place)
    disk_work.index(place)
    disk_work.spend(place)
    shutil.copytree(place, stash / "start")
    write_corpus(place / "corpus", 2, PARTS)
    shutil.rmtree(place / "home")
    disk_work.index(place)
    expected = everything(place)
    for size in sizes:
        shutil.rmtree(place)
        shutil.copytree(stash / "start", place)
        write_corpus(place / "corpus", 2, PARTS)
        try:
            print(json.dumps({"free": size, "did": one_round(disk, place, size, expected), "wrong": ""}), flush=True)
        except Exception:
            (disk / "filler").unlink(missing_ok=True)
            print(json.dumps({"free": size, "did": {}, "wrong": traceback.format_exc()}), flush=True)


def one_round(disk: Path, place: Path, size: int, expected: object) -> dict[str, str]:
    """Do everything on a disk with so many bytes left, then make room, and do it again."""
    before = state(place / "root")
    fill(disk, size)
    did = {work.__name__: tried(work, place) for work in WORKS}
    with Index.open(place / "corpus", settings=disk_work.settings_in(place)) as index:
        assert index.search("word1", 3), "nothing is found on a full disk"
        check_each_is_whole(index, PARTS)
    assert shutil.disk_usage(disk).free <= size, "there was room after all"
    (disk / "filler").unlink()
    recover(Journal(place / "journal"))
    assert state(place / "root") == before or did["edit"] == "done", "an edit that was refused is there"
    infos = FolderSessions(place / "sessions").list() if (place / "sessions").exists() else []
    assert [info.error for info in infos if info.error] == [], "a session cannot be read"
    Ledger.open(place / "accounts.sqlite").usage("day")
    for work in WORKS:
        if work is not disk_work.edit or did["edit"] != "done":  # that is done once
            work(place)
    assert everything(place) == expected, "other than a clean build"
    return did


WORKS: tuple[Callable[[Path], None], ...] = (
    disk_work.index,
    disk_work.search,
    disk_work.spend,
    disk_work.talk,
    disk_work.edit,
)


def tried(work: Callable[[Path], None], place: Path) -> str:
    """Return how a piece of work ended: ``done``, ``refused`` in words for people, or ``failed`` as the system said."""
    try:
        work(place)
    except QuaestorError:
        return "refused"
    except OSError:
        return "failed"
    return "done"


def fill(disk: Path, free: int) -> None:
    """Leave at most so many bytes."""
    with (disk / "filler").open("wb") as file, suppress(OSError):
        os.posix_fallocate(file.fileno(), 0, max(shutil.disk_usage(disk).free - free, 1))
        while shutil.disk_usage(disk).free > free:
            file.seek(0, os.SEEK_END)
            file.write(bytes(4096))
            file.flush()


if __name__ == "__main__":
    main()
