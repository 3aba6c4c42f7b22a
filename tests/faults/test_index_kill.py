"""``kill -9`` at any moment of indexing: each file is in the index as it was or as it is, and building again is as good
as building once.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from test_any_sequence import QUERIES, content

from fault_rounds import Trial
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError

INDEXER = Path(__file__).with_name("pooled_indexer.py")


def write_version(root: Path, version: int) -> None:
    """Write 60 files; from one version to the next a third is the same, a third changes, some come and some go."""
    shutil.rmtree(root, ignore_errors=True)
    for number in range(10 * version, 60 + 10 * version):
        draw = random.Random(f"{number} {version if number % 3 else ''}")
        words = [f"word{draw.randrange(60)}" for _ in range(draw.randrange(60, 300))]
        place = root / f"d{number % 5}" / f"{number}.{'md' if number % 2 else 'py'}"
        place.parent.mkdir(parents=True, exist_ok=True)
        if number % 2:
            text = "\n\n".join(f"# Part {at}\n\n{' '.join(words[at : at + 40])}" for at in range(0, len(words), 40))
        else:
            text = "\n\n".join(f"def {word}_{number}_{at}():\n    return {word!r}" for at, word in enumerate(words))
        place.write_text(text, encoding="utf-8")


def run(root: Path, home: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(INDEXER), str(root), str(home)]
    return subprocess.Popen(command, env=environment, start_new_session=True)


def texts(root: Path, home: Path) -> Mapping[str, list[str]]:
    with Index.open(root, settings=Settings(home=str(home))) as index:
        return {path: [one.chunk.text for one in index.store.chunks_of(path)] for path in index.store.documents()}


def kill(root: Path, home: Path, seconds: float) -> None:
    """Index for so many seconds at most; the workers are left to end by themselves."""
    with run(root, home) as process, suppress(subprocess.TimeoutExpired):
        try:
            process.wait(seconds)
        finally:
            process.send_signal(signal.SIGKILL)


@pytest.mark.fault("kill -9 at a random moment of indexing with worker processes", few=2, many=200)
def test_killed_at_a_random_moment(trial: Trial, tmp_path: Path) -> None:
    assert len(QUERIES) > 2
    root, home = tmp_path / "corpus", tmp_path / "home"
    versions, expected = [], []
    for version in range(2):
        write_version(root, version)
        began = time.monotonic()
        assert run(root, tmp_path / str(version)).wait() == 0
        took = time.monotonic() - began
        versions.append(texts(root, tmp_path / str(version)))
        with Index.open(root, settings=Settings(home=str(tmp_path / str(version)))) as index:
            expected.append(content(index))
    draw, landed = random.Random(7), 0
    for number in trial.rounds():
        first = number % 2 == 0
        with trial.counted(f"round {number}"):
            shutil.rmtree(home, ignore_errors=True)
            if not first:
                shutil.copytree(tmp_path / "0", home)
            kill(root, home, draw.uniform(0.2, 1.0) * took)  # before that, Python is not even up
            held = held_of(root, home)
            landed += held not in ({}, versions[0], versions[1])
            for path, one in held.items():
                assert one in (versions[0].get(path), versions[1].get(path)), f"{path} is neither old nor new"
            with Index.build(root, settings=Settings(home=str(home))) as index:
                documents, found = content(index)
            assert documents == expected[1][0]
            for own, other in zip(found, expected[1][1], strict=True):
                assert own == pytest.approx(other, abs=1e-3)
    assert landed or trial.most < 20, "no kill ever landed while documents were committed"


def held_of(root: Path, home: Path) -> Mapping[str, list[str]]:
    try:
        return texts(root, home)
    except IndexUnusableError as error:
        assert "There is no index" in str(error), error
        return {}
