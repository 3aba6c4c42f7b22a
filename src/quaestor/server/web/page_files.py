"""The page's own style sheets, scripts and pictures: a fixed set, read once.

A page names them by a place that is another one with every change of them, so that browsers keep them and need not ask.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Return the bytes of each file, with what tells them from others."""
    folder = files("quaestor.server.web") / "static"
    found = {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.rpartition(".")[2] in TYPES}
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:32]}"') for name, data in found.items()}


@cache
def version() -> str:
    """Return what tells the files as they are now from those of any other version."""
    tags = "".join(f"{name}{tag}" for name, (_, tag) in sorted(page_files().items()))
    return hashlib.sha256(tags.encode()).hexdigest()[:16]


def place() -> str:
    """Return where the files lie as they are now."""
    return f"/static/{version()}"
