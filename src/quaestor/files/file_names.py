r"""File names as text that can be stored, printed and sent, whatever bytes they are made of.

A name that is not valid UTF-8 has its odd bytes written as ``\xNN``, which ``on_disk`` turns back.
"""

from __future__ import annotations

import os
import re

_ESCAPE = re.compile(r"\\x([89a-f][0-9a-f])")


def storable(name: str) -> str:
    r"""Return a name or path from the file system with undecodable bytes as ``\xNN``."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return name


def on_disk(root: str, path: str) -> str:
    """Return where a document's path lies on disk under ``root``."""
    place = os.path.join(root, path)  # noqa: PTH118 - hot, and pathlib would normalise
    if "\\x" not in path or os.path.lexists(place):
        return place
    raw = _ESCAPE.sub(lambda found: chr(0xDC00 + int(found[1], 16)), path)
    return os.path.join(root, raw)  # noqa: PTH118
