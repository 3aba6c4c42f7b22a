"""A worker that is there and does nothing is replaced; what a killed server left lying about is cleared away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from served import write
from worker_parts import THREAD, Serving, is_there, serving, until

from quaestor.server.http.server_process import SHARED, lock_folder, new_folder, remove_leftovers
from servers.threads import free_port

# What a fault of ours would be: the thread of the event loop never comes back.
STUCK_LATER = "import signal, time\n\nsignal.signal(signal.SIGUSR1, lambda *_: time.sleep(3600))\n"
# The first worker to begin takes the file and waits for ever, before it has done anything of ours.
STUCK = """
import os, signal, sys
from contextlib import suppress

def wait_if_first():
    with suppress(FileNotFoundError):
        os.rename("PLACE/stuck", f"PLACE/{os.getpid()}.was-stuck")
        while True:
            signal.pause()

os.register_at_fork(after_in_child=wait_if_first)
if "server.http.server_process import" in " ".join(sys.orig_argv):
    wait_if_first()
"""
IMPATIENT = """
import sys
from pathlib import Path
from quaestor.core.config import Settings
from quaestor.server.http.server_process import Job
from quaestor.server.http.json_log import log_as_json
from quaestor.server.http.server_pool import serve_with
from quaestor.server.free_port import listen_at

root, home, port = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
settings = Settings(home=home, refresh_seconds=1.0)
log_as_json(requests=True)
with listen_at("127.0.0.1", port) as at:
    serve_with(2, Job({root: settings}, settings, {}, False, (), True), at, silence=4)
"""


@contextmanager
def impatient(folder: Path, custom: str) -> Iterator[Serving]:
    """Start a server of two workers that waits a few seconds for signs of life; every Python begins with ``custom``."""
    (folder / "sitecustomize.py").write_text(custom, "utf-8")
    paths = os.pathsep.join((str(folder), *(path for path in sys.path if path)))
    port, log = free_port(), folder / "log"
    command = [sys.executable, "-c", IMPATIENT, str(write(folder / "kitchen")), str(folder / "home"), str(port)]
    with log.open("wb") as said, subprocess.Popen(command, stderr=said, env={**os.environ, "PYTHONPATH": paths}) as run:
        try:
            yield Serving(f"http://127.0.0.1:{port}", run, folder / "home", log)
        finally:
            run.send_signal(signal.SIGTERM)
            run.wait(600)


def hanging(server: Serving) -> set[int]:
    """Return the numbers of the processes that are said to hang."""
    return {entry["pid"] for entry in server.entries() if entry["event"] == "worker hangs"}


kinds = pytest.mark.parametrize("kind", ["", pytest.param(THREAD, marks=pytest.mark.slow)], ids=["copies", "fresh"])


@kinds
def test_workers_that_hang_are_replaced(tmp_path: Path, kind: str) -> None:
    with impatient(tmp_path, STUCK_LATER + kind) as server:
        for worker in (1, 2):
            with server.client(worker):
                pass
        hung = server.pids()
        os.kill(hung[1], signal.SIGSTOP)
        os.kill(hung[2], signal.SIGUSR1)
        for worker in (1, 2):
            until(lambda pid=hung[worker]: pid in hanging(server))
            until(lambda worker=worker: server.pids()[worker] != hung[worker])
            with server.client(worker) as again:
                assert again.get("/healthz").status_code == 200
        assert {one["event"] for one in server.entries() if one["level"] == "error"} == {"worker hangs", "worker ended"}


@pytest.mark.slow
@kinds
def test_a_worker_that_hangs_before_it_serves_is_replaced(tmp_path: Path, kind: str) -> None:
    (tmp_path / "stuck").touch()
    with impatient(tmp_path, STUCK.replace("PLACE", str(tmp_path)) + kind) as server:
        for worker in (1, 2):
            with server.client(worker) as one:
                assert one.get("/healthz").status_code == 200
        [stuck] = tmp_path.glob("*.was-stuck")
        pid = int(stuck.name.partition(".")[0])
        # On a busy machine one that is only slow to begin is replaced as well.
        assert pid in hanging(server)
        assert not is_there(pid)


@pytest.mark.slow
def test_what_a_killed_server_left_is_cleared_away_by_the_next(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kitchen = write(tmp_path / "kitchen")
    with serving(kitchen, tmp_path / "home", TMPDIR=str(temporary)) as server:
        for worker in (1, 2):
            with server.client(worker):
                pass
        [left] = temporary.iterdir()
        server.process.kill()
        until(lambda: not any(map(is_there, server.pids().values())))
    assert (left / SHARED).exists()
    with serving(kitchen, tmp_path / "home", TMPDIR=str(temporary)) as server:
        until(lambda: [one for one in server.entries() if one["event"] == "worker started"])
        assert left not in list(temporary.iterdir())
    assert not list(temporary.iterdir())


def test_only_what_is_ours_and_nobody_holds_is_cleared_away(tmp_path: Path) -> None:
    def folder(name: str) -> Path:
        (tmp_path / name).mkdir()
        (tmp_path / name / SHARED).touch()
        return tmp_path / name

    left, in_use, other = folder("quaestor-serve-left"), folder("quaestor-serve-used"), folder("elsewhere")
    (tmp_path / "quaestor-serve-new").mkdir()
    (tmp_path / "quaestor-serve-link").symlink_to(other)
    (left / "link").symlink_to(other)
    (tmp_path / "quaestor-serve-file").touch()
    with lock_folder(in_use):
        remove_leftovers(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"elsewhere", *(f"quaestor-serve-{one}" for one in ("used", "new", "link", "file"))}
    assert (other / SHARED).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_is_somebody_elses_stays(tmp_path: Path) -> None:
    foreign = tmp_path / "quaestor-serve-foreign"
    foreign.mkdir()
    (foreign / SHARED).touch()
    os.chown(foreign, 12345, 12345)
    remove_leftovers(tmp_path)
    assert (foreign / SHARED).exists()


def test_a_folder_ends_with_who_uses_it() -> None:
    with new_folder() as folder:
        (folder / SHARED).touch()
        with new_folder() as other:
            assert folder.exists() and other.exists() and other != folder
        assert folder.exists() and not other.exists()
    assert not folder.exists()
