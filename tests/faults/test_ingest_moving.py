"""A folder that changes while it is indexed: nothing fails, what is stored matches its hash, the end is right."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from ingest_parts import make_indexer, open_store, write

from quaestor.indexing import intake


def overwrite(path: Path, text: str) -> None:
    """Write in place, as an editor might, but never through a link nor into a pipe."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(path, flags, 0o644), "w", encoding="utf-8") as file:
        file.write(text)


def disturb(root: Path, outside: Path, chooser: random.Random) -> None:
    """Do one thing to the folder that its users might do."""
    path = root / f"d{chooser.randrange(4)}" / f"{chooser.randrange(8)}.py"
    deed = chooser.randrange(7)
    with suppress(OSError):
        if deed <= 2:
            path.parent.mkdir(exist_ok=True)
            overwrite(path, f"x = {chooser.random()}\n" * chooser.randrange(1, 400))
        elif deed == 3:
            path.unlink()
        elif deed == 4:
            shutil.rmtree(path.parent)
        elif deed == 5:
            path.unlink()
            os.mkfifo(path)
        else:
            path.unlink()
            path.symlink_to(outside)


@contextmanager
def disturbed(root: Path, outside: Path, seed: int) -> Iterator[None]:
    stop = threading.Event()

    def run() -> None:
        chooser = random.Random(seed)
        while not stop.is_set():
            disturb(root, outside, chooser)
            stop.wait(0.001)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_moving_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr(intake, "TASK_FILES", 4)
    monkeypatch.setattr(intake, "POOL_BYTES", 0)
    root, outside = tmp_path / "root", tmp_path / "outside.py"
    outside.write_text("not to be indexed\n")
    write(root, {f"d{n % 4}/{n // 4}.py": f"x = {n}\n" for n in range(32)}, age=False)
    store = open_store(tmp_path / "index")
    index = make_indexer(root, store, workers=workers, embed_in="workers")
    with disturbed(root, outside, seed=workers):
        for _ in range(3 if workers > 1 else 15):
            index.refresh()
            for path, document in store.documents().items():
                text = "".join(stored.chunk.text for stored in store.chunks_of(path))
                assert document.sha256 == hashlib.sha256(text.encode()).hexdigest()
                assert "not to be indexed" not in text
    index.refresh()
    assert outside.read_text() == "not to be indexed\n"
    on_disk = {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    assert {path: document.sha256 for path, document in store.documents().items()} == on_disk
    store.close()


def test_two_processes_worth_of_indexers_neither_corrupt_nor_double(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {f"{n}.py": f"def f{n}():\n    return {n}\n" * 10 for n in range(40)})
    stores = [open_store(tmp_path / "index") for _ in range(2)]
    failures: list[BaseException] = []

    def run(at: int) -> None:
        try:
            make_indexer(root, stores[at]).refresh()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(at,)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for store in stores:
        assert len(store.documents()) == 40
        assert store.stats().chunks == sum(len(store.chunks_of(path)) for path in store.documents())
        assert make_indexer(root, store).refresh().unchanged == 40
        store.close()
