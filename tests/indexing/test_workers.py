from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.errors import IndexUnusableError
from quaestor.embedding.static import StaticEmbedder
from quaestor.files.indexing_values import IngestSettings, SkippedPath
from quaestor.indexing import worker_pool as workers
from quaestor.indexing.batches import in_batches, shrinking_batches, task_bytes
from quaestor.indexing.prepare import Outcome, Preparer, ReadyDocument, RefusedFile, Task
from quaestor.indexing.process_start import can_copy
from quaestor.indexing.worker_pool import Pool, run_here
from quaestor.stores.embedded.packing import pack
from quaestor.stores.shared_store import keep

pytestmark = pytest.mark.usefixtures("kind")


class Double:
    """Doubles numbers; some of them are its end."""

    def prepare(self, tasks: Sequence[int]) -> list[int]:
        print("noise that must not reach the answers")
        if 13 in tasks:
            os._exit(1)
        if 99 in tasks:
            raise IndexUnusableError("broken: run `quaestor index --rebuild`")
        return [2 * task for task in tasks]


class Unhurried:
    """Doubles numbers, and takes the longer for them the smaller they are."""

    def prepare(self, tasks: Sequence[int]) -> list[int]:
        time.sleep(max(0.0, 0.2 - tasks[0] / 20))
        return [2 * task for task in tasks]


class Spelt:
    """Gives as many letters as it is asked for."""

    def prepare(self, tasks: Sequence[int]) -> list[str]:
        return ["x" * task for task in tasks]


class Unloadable:
    """Cannot be loaded anywhere but here."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (exec, (f"import os\nif os.getpid() != {os.getpid()}: os._exit(1)",))

    def prepare(self, tasks: Sequence[int]) -> list[int]:
        return [2 * task for task in tasks]


def lost(task: int) -> int:
    return -task


both_kinds = pytest.mark.parametrize("kind", ["copies", "fresh"], indirect=True)


@pytest.fixture(params=["copies", pytest.param("fresh", marks=pytest.mark.slow)])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to start a worker; here copies are made beside whatever threads other tests have left."""
    copies = request.param == "copies" and sys.platform == "linux"
    # What takes a dead worker's place is started by a thread, where no copy is ever made.
    monkeypatch.setattr(workers, "can_copy", lambda: copies and threading.current_thread() is threading.main_thread())
    return str(request.param)


def results(job: object, batches: list[list[int]]) -> list[Any]:
    with Pool[int, Any](job, 2, lost) as pool:  # type: ignore[arg-type]
        return sorted(result for batch in pool.run(batches) for result in batch)


@both_kinds
def test_the_same_here_and_there() -> None:
    batches = [[1, 2], [3], [4, 5, 6]]
    here = sorted(result for batch in run_here(Double(), batches) for result in batch)
    assert results(Double(), batches) == here == [2, 4, 6, 8, 10, 12]


@pytest.mark.parametrize("ahead", [1, 2, 12])
def test_results_come_in_the_order_of_the_batches(ahead: int) -> None:
    """What is stored first decides between hits that fit equally; an index must not depend on who was quicker."""
    with Pool[int, Any](Unhurried(), 2, lost) as pool:
        found = list(pool.run([[task] for task in range(6)], ahead))
    assert found == [[0], [2], [4], [6], [8], [10]]


def test_a_document_comes_back_whole_with_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("# Bread\n\nCrème.\n\n\n".encode("latin-1"))
    os.utime(tmp_path / "a.md", (10**9, 10**9))  # a file that was written just now may change its stamp
    for embedder in (None, StaticEmbedder.bundled()):
        preparer = Preparer(str(tmp_path), IngestSettings(), "static", pack, embedder, keeps=True)
        [here] = preparer.prepare([Task("a.md")])
        with Pool[Task, Outcome](preparer, 2, lambda task: RefusedFile(SkippedPath(task.path, "failed"))) as pool:
            [[there]] = pool.run(iter([[Task("a.md")]]), 1)
        kept = there.packed.kept if isinstance(there, ReadyDocument) else there.kept  # type: ignore[union-attr]
        assert there == here
        assert kept == keep((tmp_path / "a.md").read_bytes())


@both_kinds
def test_a_task_that_kills_its_worker_costs_only_itself() -> None:
    assert results(Double(), [[1, 2], [3, 13, 4], [5, 6], [13]]) == [-13, -13, 2, 4, 6, 8, 10, 12]


def test_batches_behind_one_that_kills_their_worker_are_done() -> None:
    batches = [[13 if number % 20 == 7 else 100 + number, 200 + number] for number in range(40)]
    expected = [lost(task) if task == 13 else 2 * task for batch in batches for task in batch]
    assert results(Double(), batches) == sorted(expected)


def test_answers_larger_than_a_pipe_get_through() -> None:
    batches = [[1 << 22, 1 << number] for number in range(20)]
    assert results(Spelt(), batches) == sorted("x" * size for batch in batches for size in batch)


def test_an_error_reaches_the_caller() -> None:
    with pytest.raises(IndexUnusableError, match="rebuild"):
        results(Double(), [[1], [99], [2]])


def test_where_no_worker_can_start_the_work_is_done_here() -> None:
    assert results(Unloadable(), [[1, 2], [3]]) == [2, 4, 6]


def test_batches_are_taken_as_the_work_goes_on() -> None:
    taken = 0

    def batches() -> Iterator[list[int]]:
        nonlocal taken
        for number in range(100):
            taken += 1
            yield [number + 100]

    with Pool[int, int](Double(), 2, lost) as pool:
        next(iter(pool.run(batches(), ahead=3)))
        assert taken <= 2 * 3


def test_leaving_early_ends_the_workers() -> None:
    taken = 0

    def batches() -> Iterator[list[int]]:
        nonlocal taken
        for number in range(100, 10_000):
            taken += 1
            yield [number]

    with pytest.raises(KeyboardInterrupt), Pool[int, int](Double(), 2, lost) as pool:
        for _ in pool.run(batches()):
            raise KeyboardInterrupt
    assert taken < 1_000
    assert all(worker._process.poll() is not None for worker in pool._all)


IN_A_STRANGERS_FOLDER = """
import os, sys, threading
import numpy
from job import Where
from quaestor.indexing.worker_pool import Pool
threading.Thread(target=threading.Event().wait, daemon=True).start()  # so that a worker is no copy
os.chdir(sys.argv[1])
with Pool(Where(), 1, None) as pool:
    [[(process, place)]] = pool.run([[1]])
print(process != os.getpid(), place == numpy.__file__)
"""


def test_workers_do_not_import_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(
        "import os\n\nclass Where:\n    def prepare(self, tasks):\n        import numpy\n"
        "        return [(os.getpid(), numpy.__file__) for _ in tasks]\n"
    )
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "numpy.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    command = [sys.executable, "-c", IN_A_STRANGERS_FOLDER, str(stranger)]
    assert subprocess.check_output(command, env=environment, text=True, timeout=600) == "True True\n"


INTERRUPTED_AT_A_FORK = """
import os, signal
from quaestor.indexing.process_start import Copy
os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    Copy(lambda: None)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is copied")
def test_ctrl_c_at_the_moment_of_a_fork_is_not_swallowed() -> None:
    command = [sys.executable, "-c", INTERRUPTED_AT_A_FORK]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_workers_end_with_their_original(tmp_path: Path) -> None:
    """Two copies hold each other's pipes unless they let go of them."""
    script = tmp_path / "original.py"
    script.write_text(
        "import os, sys\n"
        "from quaestor.indexing.worker_pool import Pool\n"
        "class Job:\n"
        "    def prepare(self, tasks): return [os.getpid() for _ in tasks]\n"
        "with Pool(Job(), 3, None) as pool:\n"
        "    print(*[worker._process.pid for worker in pool._all], flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, str(script)]
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=alone) as original:
        # The copies share its standard error, which therefore ends when the last of them has.
        said, errors = original.communicate(timeout=600)
    assert len(said.split()) == 3, errors


def test_a_process_of_several_threads_is_not_copied() -> None:
    release = threading.Event()
    thread = threading.Thread(target=release.wait)
    thread.start()
    assert not can_copy()
    release.set()
    thread.join()


@given(st.lists(st.integers(0, 400_000), max_size=300), st.integers(1, 8))
def test_batches_that_are_shared_become_smaller(sizes: list[int], workers: int) -> None:
    found = list(shrinking_batches(list(enumerate(sizes)), workers, 64))
    assert [item for batch in found for item in batch] == list(range(len(sizes)))
    left = sum(sizes)
    for batch in found:
        held = sum(sizes[item] for item in batch)
        assert len(batch) == 1 or (held <= task_bytes(left, workers) and len(batch) <= 64)
        left -= held


def test_batched_by_bytes_and_items() -> None:
    sized = [("a", 5), ("b", 5), ("c", 50), ("d", 1), ("e", 1), ("f", 1)]
    assert list(in_batches(sized, 10, 2)) == [["a", "b"], ["c"], ["d", "e"], ["f"]]
    assert list(in_batches([], 10, 2)) == []
