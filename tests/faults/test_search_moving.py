"""Searching a folder while its files are replaced and deleted: each hit is of the bytes whose hash it carries."""

from __future__ import annotations

import hashlib
import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quaestor import Index
from quaestor.core.config import Settings

SEARCHES = 40


class Folder:
    """Files that a thread replaces whole and deletes; every text that ever stood there is known by its hash."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._chance = random.Random(4)
        self._stop = threading.Event()
        self.texts: dict[str, str] = {}
        root.mkdir()
        for number in range(20):
            self._replace(root / f"m{number}.py")

    def _replace(self, file: Path) -> None:
        number = self._chance.randrange(10**6)
        text = "".join(
            f"def heron_{number}_{part}(pond):\n    return pond.fish({part})\n\n\n"
            for part in range(self._chance.randrange(1, 12))
        )
        self.texts[hashlib.sha256(text.encode()).hexdigest()] = text
        # In another folder, so that it is never seen half-written.
        new = self._root.with_name("new")
        new.write_text(text)
        new.replace(file)

    def _disturb(self) -> None:
        while not self._stop.wait(0.002):
            file = self._root / f"m{self._chance.randrange(20)}.py"
            if self._chance.random() < 0.3:
                with suppress(FileNotFoundError):
                    os.unlink(file)  # noqa: PTH108
            else:
                self._replace(file)

    @contextmanager
    def disturbed(self) -> Iterator[None]:
        thread = threading.Thread(target=self._disturb)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()


def test_hits_are_of_the_bytes_whose_hash_they_carry(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "root")
    with Index.build(tmp_path / "root", settings=Settings(home=str(tmp_path / "home"))) as index:
        seen = 0
        with folder.disturbed():
            for number in range(SEARCHES):
                for hit in index.search(f"heron fish pond {number}", 10):
                    text = folder.texts[hit.document.sha256]
                    assert hit.text == "".join(text.splitlines(keepends=True)[hit.start_line - 1 : hit.end_line])
                    seen += 1
        assert seen > SEARCHES
        for hit in index.search("heron fish pond", 20):
            assert hit.fresh
            assert hashlib.sha256((tmp_path / "root" / hit.path).read_bytes()).hexdigest() == hit.document.sha256
