"""Shared by the tests of the command line: running commands, and small repositories."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from index_of_files import write_files as write  # noqa: F401 - for the tests of commands

RETRY = '''"""Sending again."""

import time
from collections.abc import Callable

MAX_ATTEMPTS = 3


def send_with_retry(request, send):
    """Send a request, and send it again while the server is busy."""
    for attempt in range(MAX_ATTEMPTS):
        answer = send(request)
        if answer.status != 503:
            return answer
        time.sleep(2**attempt)
    raise TimeoutError("the server stays busy")
'''

CART = """package shop

// Cart holds what a customer is about to buy.
type Cart struct {
	items []Item
}

// Total adds up the prices of all items, without shipping.
func (c *Cart) Total() int {
	sum := 0
	for _, item := range c.items {
		sum += item.Price
	}
	return sum
}
"""

GUIDE = """# Kitchen guide

## Sourdough

Feed the starter twice a day. The dough rests for eighteen hours in the refrigerator.

## Pancakes

Rest the batter for half an hour, then fry it in butter.
"""

FILES = {"src/retry.py": RETRY, "shop/cart.go": CART, "docs/guide.md": GUIDE}

HIT_KEYS = {
    "also",
    "path",
    "start_line",
    "end_line",
    "score",
    "symbol",
    "language",
    "text",
    "title",
    "url",
    "author",
    "date",
    "sha256",
    "fresh",
    "corpus",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout."""
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """The one error on stderr, which must be a single line and no traceback."""
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        assert self.err.splitlines()[-1] == lines[0], self.err
        return lines[0].removeprefix("error: ")


Run = Callable[..., Outcome]
"""Runs the command line in this process, given its arguments and, as ``typed``, the lines of its standard input."""


@contextmanager
def standard_input(lines: Sequence[str]) -> Iterator[None]:
    """Let a file with these lines be this process's standard input; what pytest puts there refuses to be read."""
    with tempfile.TemporaryFile() as file, os.fdopen(os.dup(0), "rb") as former:
        file.write("".join(f"{line}\n" for line in lines).encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)
        refusing, sys.stdin = sys.stdin, open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor
        try:
            yield
        finally:
            sys.stdin = refusing
            os.dup2(former.fileno(), 0)


def aged(root: Path) -> Path:
    """Set every file's time back an hour: what was written just now is never taken to be unchanged by its time."""
    then = time.time() - 3600
    for place in root.rglob("*"):
        os.utime(place, (then, then))
    return root


def shell(*arguments: str | bytes, cwd: Path | None = None, **environment: str) -> Outcome:
    """Run the command line as a process of its own."""
    command = [sys.executable, "-m", "quaestor", *arguments]
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, check=False, timeout=600
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def lines_in_terminal(columns: int, *arguments: str | Path) -> list[str]:
    """Return the lines that a command prints in a terminal of some width, without styles."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    command = [sys.executable, "-m", "quaestor", *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment):
        os.close(theirs)
        printed = rest_of(ours)
        os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed.decode()).replace("\r\n", "\n").split("\n")


def in_terminal(command: Sequence[str], answer: str | None = None, **environment: str) -> tuple[int, str]:
    """Run a program in a terminal and return its exit code and what it shows; ``answer`` is typed at ``[y/N]``."""
    import pty  # noqa: PLC0415 - not everywhere

    ours, theirs = pty.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with os.fdopen(ours, "rb+", buffering=0) as terminal:
        with subprocess.Popen(command, env={**os.environ, **environment}, **streams) as process:  # type: ignore[call-overload]
            os.close(theirs)
            shown = b""
            while answer is not None and b"[y/N]" not in shown:
                shown += terminal.read(4096)
            terminal.write((answer or "").encode())
            shown += rest_of(ours)
        return process.returncode, shown.decode()


def rest_of(terminal: int) -> bytes:
    """Return what comes until the other side is closed, as Linux says with an error and others with nothing."""
    shown = b""
    with suppress(OSError):
        while select.select([terminal], [], [], 600)[0] and (piece := os.read(terminal, 1 << 16)):
            shown += piece
    return shown


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {str(place.relative_to(folder)): place.read_bytes() for place in folder.rglob("*") if place.is_file()}
