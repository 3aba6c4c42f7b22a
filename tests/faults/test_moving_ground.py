"""Files that change, vanish or become folders while several processes index them: all processes end and agree."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from test_any_sequence import content
from test_index_kill import INDEXER, write_version

from fault_rounds import Trial
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.stores import Where

CROWD = 4


class Mover(threading.Thread):
    """Changes files of a folder until it is stopped."""

    def __init__(self, root: Path, seed: int) -> None:
        super().__init__()
        self._root = root
        self._draw = random.Random(seed)
        self._over = threading.Event()

    def stop(self) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        while not self._over.wait(0.001):
            with suppress(OSError):
                self._move()

    def _move(self) -> None:
        draw = self._draw
        place = self._root / f"d{draw.randrange(5)}" / f"{draw.randrange(70)}.{draw.choice(['md', 'py'])}"
        way = draw.randrange(6)
        if place.is_dir():
            shutil.rmtree(place)
        elif way == 0:
            place.unlink()
        elif way == 1:
            place.unlink()
            place.mkdir()
            (place / "inner.md").write_text(f"# Inner word{draw.randrange(60)}\n", encoding="utf-8")
        elif way == 2:
            before = place.stat()
            data = bytearray(place.read_bytes())
            data[len(data) // 2] = ord("z")
            place.write_bytes(data)
            os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
        elif way == 3:
            place.rename(place.with_name(f"{draw.randrange(70)}.md"))
        else:
            words = [f"word{draw.randrange(60)}" for _ in range(draw.randrange(5, 80))]
            place.write_text(f"# Report {draw.randrange(9)}\n\n{' '.join(words)}\n", encoding="utf-8")


@contextmanager
def moving(root: Path, seed: int) -> Iterator[None]:
    mover = Mover(root, seed)
    mover.start()
    try:
        yield
    finally:
        mover.stop()


@pytest.mark.fault("a crowd indexing one folder whose files change, vanish and become folders", few=1, many=40)
def test_a_crowd_on_moving_ground(trial: Trial, tmp_path: Path) -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    for number in trial.rounds():
        root, home = tmp_path / f"{number}/corpus", tmp_path / f"{number}/home"
        write_version(root, 0)
        with trial.counted(number):
            command = [sys.executable, str(INDEXER), str(root), str(home)]
            with moving(root, number):
                crowd = [
                    subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(CROWD)
                ]
                said = [process.communicate()[1] for process in crowd]
            assert [process.returncode for process in crowd] == [0] * CROWD, said
            check_equals_clean(root, home, tmp_path / f"{number}/clean")
        shutil.rmtree(tmp_path / str(number))


@pytest.mark.fault("refreshes and searches while files change, vanish and become folders", few=1, many=60)
def test_refreshes_on_moving_ground(trial: Trial, tmp_path: Path) -> None:
    for number in trial.rounds():
        root, home = tmp_path / f"{number}/corpus", tmp_path / f"{number}/home"
        write_version(root, 0)
        with trial.counted(number), Index.build(root, settings=Settings(home=str(home))) as index:
            with moving(root, 1000 + number):
                for _ in range(10):
                    index.refresh()
                    for hit in index.search("word3 word40 word51", 5, where=Where(paths=("**/*.md",))):
                        assert hit.path.endswith(".md")
            index.refresh()
            check_equals_clean(root, home, tmp_path / f"{number}/clean")
        shutil.rmtree(tmp_path / str(number))


def check_equals_clean(root: Path, home: Path, clean: Path) -> None:
    with Index.build(root, settings=Settings(home=str(home))) as index:
        held, found = content(index)
    with Index.build(root, settings=Settings(home=str(clean))) as index:
        expected, scores = content(index)
    assert held == expected
    for own, other in zip(found, scores, strict=True):
        assert own == pytest.approx(other, abs=1e-3)
