"""Reading what relatives are asked for: a name, a path, or a place in a file. Pure."""

from __future__ import annotations

import re

from quaestor.chunking.languages import knows_extension
from quaestor.related import Target

_LINE = re.compile(r"^(.+?):(\d{1,9})(?:[-:]\d+)*$")
_SEPARATORS = re.compile(r"::|->|\\|[.#]")
_LONGEST = 500


def split_place(text: str) -> tuple[str, int | None]:
    """Return a path and the line behind it: ``src/a.py:12`` -> src/a.py, 12."""
    found = _LINE.match(text)
    return (found[1], int(found[2])) if found else (text, None)


def looks_like_a_path(text: str) -> bool:
    """Return whether a text is more likely a path than a name."""
    return "/" in text or (knows_extension(text) and not text.endswith("()"))


def read_name(text: str) -> Target:
    """Return a name as a target: ``Client.send``, ``Client::send``, ``send()``."""
    plain = text[:_LONGEST].strip().removesuffix("()").strip()
    # Whatever has no letters to split at is a name as it stands: an operator.
    parts = [part.strip() for part in _SEPARATORS.split(plain)] if re.search(r"\w", plain) else [plain]
    kept = [part for part in parts if part]
    return Target(kept[-1], tuple(kept[:-1])) if kept else Target()
