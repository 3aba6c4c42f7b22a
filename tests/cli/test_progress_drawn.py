"""How far indexing is, as it is drawn on a terminal."""

from __future__ import annotations

import re
import subprocess
import sys

from cli_parts import in_terminal

CODE = """
import time
from quaestor.cli.progress import indexing_progress
from quaestor.files.indexing_values import ProgressState
draw = indexing_progress()
draw(ProgressState(1, 100, 2, bytes_done=3, bytes_total=1000))
time.sleep(0.6)
draw(ProgressState(90, 100, 7, bytes_done=250, bytes_total=1000))
draw(ProgressState(100, 100, 9, bytes_done=900, bytes_total=1000))
"""


def bar(said: str) -> tuple[int, int]:
    """Return how long the green and the dim part of the bar are."""
    [(green, dim)] = re.findall(r"\x1b\[32m(━*)\x1b\[0m\x1b\[2m(━*)\x1b\[0m", said)
    return len(green), len(dim)


def test_the_bar_goes_by_the_bytes_that_are_read_once_the_work_has_taken_a_while() -> None:
    code, shown = in_terminal([sys.executable, "-c", CODE])
    nothing, amid, end = shown.split("\r\x1b[K")
    assert code == 0
    assert nothing == ""
    assert bar(amid) == (7, 21)
    assert "90/100 files, 7 chunks" in amid
    assert bar(end) == (28, 0)


LOOKING = """
import sys, time
from quaestor.cli.progress import looking_for_files
with looking_for_files():
    time.sleep(float(sys.argv[1]))
print("done")
"""


def test_that_files_are_looked_for_is_said_after_a_moment_and_taken_back() -> None:
    _, shown = in_terminal([sys.executable, "-c", LOOKING, "2"])
    nothing, said, end = shown.split("\r\x1b[K")
    assert nothing == ""
    assert "looking for files" in said
    assert end.strip() == "done"
    assert in_terminal([sys.executable, "-c", LOOKING, "0"])[1].rpartition("\r\x1b[K")[2].strip() == "done"
    piped = subprocess.run([sys.executable, "-c", LOOKING, "1"], capture_output=True, check=True)
    assert (piped.stdout.strip(), piped.stderr) == (b"done", b"")
