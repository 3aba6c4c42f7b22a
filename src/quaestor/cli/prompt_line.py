"""Reading what a person types: several lines as one question, and the history of earlier ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quaestor.cli.output import echo

BLOCK = '"""'
_HISTORY = 1000

ReadLine = Callable[[str], str | None]
"""Returns the next line for a prompt; None at the end."""


def questions(read: ReadLine, prompt: str = "› ", more: str = "… ") -> Iterator[str]:
    """Yield what is typed: a line, lines joined by a backslash at their ends, or a block between triple quotes."""
    while (line := read(prompt)) is not None:
        text = line.strip()
        if text.startswith(BLOCK):
            text = _block(text.removeprefix(BLOCK), read, more)
        else:
            while text.endswith("\\") and (following := read(more)) is not None:
                text = f"{text[:-1].rstrip()}\n{following.strip()}"
            text = text.removesuffix("\\")
        if text.strip():
            yield text.strip()


def _block(text: str, read: ReadLine, more: str) -> str:
    while not text.rstrip().endswith(BLOCK):
        following = read(more)
        if following is None:
            return text
        text = f"{text}\n{following}"
    return text.rstrip().removesuffix(BLOCK)


def lines_of_stdin(_: str) -> str | None:
    """Return the next line of a pipe or a file."""
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def line_of_terminal(prompt: str) -> str | None:
    """Return a line that is typed; Ctrl-D ends, Ctrl-C only begins a new line."""
    while True:
        try:
            return input(prompt)
        except EOFError:
            echo()
            return None
        except KeyboardInterrupt:
            echo("\n(Ctrl-D or /quit ends)")


@contextmanager
def history(place: Path) -> Iterator[None]:
    """Keep what is typed in a terminal for the next time, where Python has ``readline``."""
    try:
        import readline  # noqa: PLC0415 - not everywhere, and it changes how input() works
    except ImportError:
        yield
        return
    with suppress(OSError):
        readline.read_history_file(place)
    readline.set_history_length(_HISTORY)
    try:
        yield
    finally:
        with suppress(OSError):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.touch(mode=0o600)
            readline.write_history_file(place)
