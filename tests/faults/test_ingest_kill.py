"""kill -9 in the middle of indexing, at many moments; a second run completes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PARTS = Path(__file__).parents[1] / "indexing"
from ingest_parts import HashedWords, make_indexer, open_store, write  # noqa: E402

from quaestor.files.consistent_read import check  # noqa: E402

SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from ingest_parts import make_indexer, open_store
from quaestor.indexing import commit, intake
intake.POOL_BYTES = 0
intake.TASK_FILES = 2
commit.COMMIT_CHUNKS = 20
def tell(state):
    print(state.done, flush=True)
    if state.done == 100 and "wait" in sys.argv:
        sys.stdin.read()
print("begins", flush=True)
make_indexer(Path(sys.argv[2]), open_store(Path(sys.argv[3])), workers=2, embed_in="workers").refresh(progress=tell)
print("ends", flush=True)
"""


def sources(count: int) -> dict[str, str | bytes]:
    return {f"d{n % 7}/{n}.py": f"def function_{n}():\n    return {n}\n" * 20 for n in range(count)}


def workers_of(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


@pytest.mark.parametrize("moment", [0, 1, 10, 30])
def test_a_killed_run_is_completed_by_the_next(tmp_path: Path, moment: int) -> None:
    root, index = tmp_path / "root", tmp_path / "index"
    write(root, sources(120))
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(PARTS), str(root), str(index)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(moment + 1):
            process.stdout.readline()
        workers = workers_of(process.pid)
        process.send_signal(signal.SIGKILL)
    store = open_store(index)
    held = store.documents()
    assert all(state == "fresh" for state in check(root, held.values()).values())
    assert all(store.chunks_of(path) for path in held)
    assert not make_indexer(root, store).is_complete
    changes = make_indexer(root, store).refresh()
    assert len(changes.added) == 120 - len(held)
    assert not changes.changed, "what was committed is not made anew"
    assert make_indexer(root, store).is_complete
    assert len(store.documents()) == 120
    names = [stored.chunk.text for path in store.documents() for stored in store.chunks_of(path)]
    assert "function_119" in "".join(names)
    query = HashedWords().encode(["function_7"])[0]
    assert len(store.dense(query, 10)) == 10
    store.close()
    until_ended(workers)  # none outlives a parent that was killed


def until_ended(processes: list[int]) -> None:
    """Wait for processes; the test's own time limit is the only one."""
    while any(is_alive(process) for process in processes):
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_ctrl_c_leaves_what_was_committed(tmp_path: Path) -> None:
    root, index = tmp_path / "root", tmp_path / "index"
    write(root, sources(200))
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(PARTS), str(root), str(index), "wait"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "100\n":
            pass
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=600)
    assert process.returncode != 0
    assert errors.strip().splitlines()[-1] == "KeyboardInterrupt"
    store = open_store(index)
    assert len(store.documents()) >= 80
    assert set(check(root, store.documents().values()).values()) == {"fresh"}
    make_indexer(root, store).refresh()
    assert len(store.documents()) == 200
    store.close()
