"""Printing: JSON on stdout, progress and remarks on stderr, tables, excerpts."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence

import click

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def print_json(value: object) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))


def remark(text: str) -> None:
    """Say something that is not part of the result."""
    click.echo(safe(text), err=True)


def safe(text: str) -> str:
    """Make text from files and models harmless in a terminal: no escape sequences, no direction overrides."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print aligned columns, cut to nothing but what they need."""
    table = [tuple(header), *(tuple(safe(cell) for cell in row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for number, row in enumerate(table):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        click.echo(click.style(line, bold=True) if number == 0 else line)


def amount(number: int, noun: str) -> str:
    """Return ``1 file``, ``2,000 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """Return a number of bytes for people: ``1.4 MB``."""
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
