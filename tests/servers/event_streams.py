"""Server-sent events as a client of our own API reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Yield the name and the object of each event of a stream."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
