"""Prints JSON, tables and text on stdout, and remarks on stderr."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Container, Iterable, Iterator, Sequence

# Control characters, unusual line ends, and characters that change the writing direction.
_HARMFUL = (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F))
_CONTROL = dict.fromkeys((*_HARMFUL, *range(0x2066, 0x206A)), "\ufffd")
# The JSON encoder itself escapes those below U+0020.
_IN_JSON = {code: f"\\u{code:04x}" for code in _CONTROL}
_LINE_END = dict.fromkeys(map(ord, "\t\n"), "\ufffd")
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_ITEM = re.compile(r"[ ]*(?:[-*] )?")
_WIDTH = 100
"""Columns of running text at most: longer lines are hard to read."""
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "magenta": 35, "cyan": 36}


def prepare_streams() -> None:
    """Make stdout and stderr replace characters that the terminal's encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def forget_output() -> None:
    """Drop unwritten output after the reader has closed the pipe; otherwise Python prints an error at exit."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def style(text: str, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """Return text in a colour or a weight.

    Raises:
        KeyError: the colour is unknown.
    """
    codes = [*([] if fg is None else [_COLOURS[fg]]), *([1] if bold else []), *([2] if dim else [])]
    return "".join(f"\x1b[{code}m" for code in codes) + f"{text}\x1b[0m"


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Write text and flush it; styles are kept only in a terminal and without ``NO_COLOR``.

    ``click.echo`` does the same, but a plain search does not import click, which takes too long.
    """
    stream = sys.stderr if err else sys.stdout
    if os.environ.get("NO_COLOR") or not stream.isatty():
        text = _ESCAPES.sub("", text)
    stream.write(f"{text}\n" if nl else text)
    stream.flush()


def print_json(value: object) -> None:
    """Print one JSON object; control characters in strings are escaped, which does not change their values."""
    indent = 2 if sys.stdout.isatty() else None
    text = json.dumps(value, ensure_ascii=False, indent=indent).translate(_IN_JSON)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent)
    echo(text)


def remark(text: str, *, dim: bool = False) -> None:
    """Print a remark on stderr, which is not part of the result; a terminal gets it wrapped between words."""
    for line in wrapped(safe(text), err=True):
        echo(style(line, dim=True) if dim else line, err=True)


def print_remarks(remarks: Iterable[str]) -> None:
    """Print the remarks on a search."""
    for text in remarks:
        remark(text)


def safe(text: str) -> str:
    """Return text that is harmless in a terminal, without escape sequences and direction overrides."""
    return text.replace("\r\n", "\n").translate(_CONTROL)


def one_line(text: str) -> str:
    """Return text that is harmless in a terminal, on one line."""
    return safe(text).translate(_LINE_END)


def wrapped(text: str, *, err: bool = False) -> Iterator[str]:
    """Yield the lines of a text as wide as the terminal at most, cut between words; in a pipe, as they are.

    What continues an item of a list stands below its words.
    """
    stream = sys.stderr if err else sys.stdout
    width = min(_WIDTH, shutil.get_terminal_size().columns) if stream.isatty() else 0
    for line in text.split("\n"):
        if not 0 < width < len(line):
            yield line
            continue
        import textwrap  # noqa: PLC0415 - a plain search wraps nothing

        mark = _ITEM.match(line)
        below = " " * len(mark[0]) if mark else ""
        yield from textwrap.wrap(line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Container[int] = ()) -> None:
    """Print a table with columns as wide as their contents; the columns in ``right`` are right-aligned."""
    table = [tuple(header), *(tuple(one_line(cell) for cell in row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for number, row in enumerate(table):
        cells = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        line = "  ".join(cells).rstrip()
        echo(style(line, bold=True) if number == 0 else line)


def size(count: int) -> str:
    """Return a number of bytes for people: ``1.4 MB``."""
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def fill_lines(places: Iterable[str], indent: str = "") -> Iterator[str]:
    """Yield lines with as many places as fit into the terminal, or into a hundred characters."""
    line, width = "", min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)
    for place in places:
        if line and len(line) + len(place) + 2 > width:
            yield line
            line = ""
        line = f"{line}  {place}" if line else f"{indent}{place}"
    if line:
        yield line
