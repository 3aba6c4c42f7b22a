"""How the process of a command ends."""

from __future__ import annotations

import subprocess
import sys

AT_EXIT = "import atexit, sys, threading; from quaestor.cli import leave; atexit.register(print, 'put away');"


def ended(code: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT + code], capture_output=True, text=True, timeout=600, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_what_is_to_be_done_at_exit_is_done_and_all_output_arrives() -> None:
    said = "print('x' * 100_000, end=';'); sys.stderr.write('told'); leave(3)"
    assert ended(said) == (3, "x" * 100_000 + ";put away\n", "told")


def test_other_threads_end_before_the_process_does() -> None:
    working = "threading.Thread(target=lambda: (sys.stdin.readline(), print('worked'))).start(); leave(4)"
    assert ended(working) == (4, "worked\nput away\n", "")
