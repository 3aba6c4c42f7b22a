"""Filling templates, and the page's own style sheets, scripts and pictures that they name.

Every value that goes into a template is made plain and escaped, unless we made HTML of it ourselves. The files are a
fixed set, read once. A page names them by a place that changes with their content, so browsers keep them and need not
ask.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quaestor.server.web.safe_text import plain, written_words

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


def _place() -> str:
    """Return where the files lie as they are now."""
    return f"/static/{version()}"


def page(template: str, status_code: int = 200, /, **values: Any) -> HTMLResponse:
    """Return a template filled with values, as an answer."""
    return HTMLResponse(_TEMPLATES.get_template(template).render(values), status_code)


def _finalized(value: object) -> object:
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_TEMPLATES = Environment(
    loader=PackageLoader("quaestor.server.web"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_finalized,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["words"] = written_words
_TEMPLATES.globals["static"] = _place
