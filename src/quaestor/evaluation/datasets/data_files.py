"""Reading what data sets are written in (JSON, JSON lines, tables), and saying once a kind what is wrong with it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quaestor.core.errors import NotFoundError, UsageError

_SHOWN = 3


class Problems:
    """Collects what is left out, by reason."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = defaultdict(list)

    def add(self, reason: str, place: str) -> None:
        """Note one thing that is left out.

        Args:
            reason: why, as the beginning of a sentence; the same words for the same reason.
            place: what, or where it is written.
        """
        self._places[reason].append(place)

    def sentences(self) -> tuple[str, ...]:
        """Return a sentence a reason, with the number and the first places."""
        return tuple(_sentence(reason, places) for reason, places in self._places.items())


def _sentence(reason: str, places: list[str]) -> str:
    more = len(places) - _SHOWN
    return f"{reason}: {', '.join(places[:_SHOWN])}{f', and {more:,} more' if more > 0 else ''}."


def read_json(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it cannot be read.
    """
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{str(path)!r} is not JSON: {error}. Mend it or give another data set.") from None
    except OSError as error:
        raise _unread(path, error) from None


def read_objects(path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the object of each line of a JSONL file; other lines are reported as problems.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it cannot be read.
    """
    for number, line in _numbered(path):
        place = f"{path.name}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield place, value
        else:
            problems.add("Lines that are not a JSON object are left out", place)


def read_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each line's place and fields of a table with tabs; raises as ``read_objects``."""
    for number, line in _numbered(path):
        yield f"{path.name}:{number}", line.decode("utf-8", "replace").rstrip("\r\n").split("\t")


def text_of(value: object) -> str:
    """Return a JSON value as text: a number is what it looks like; empty for what is neither text nor number."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                plain = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if plain.strip():
                    yield number, plain
    except OSError as error:
        raise _unread(path, error) from None


def _unread(path: Path, error: OSError) -> UsageError:
    if isinstance(error, FileNotFoundError):
        return NotFoundError(f"{str(path)!r} does not exist, and the data set needs it.")
    return UsageError(f"{str(path)!r} cannot be read ({error.strerror}). Mend that and run again.")
