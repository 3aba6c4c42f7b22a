"""Fills templates, and loads the static files that they name.

Every value in a template is cleaned of control characters and escaped, except for HTML that this package made. The
files are a fixed set, read once. Their addresses change with their content, so browsers cache them without asking.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from quaestor.server.web.safe_text import plain, written_words

TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Return the bytes and the ETag of each static file, by name."""
    folder = files("quaestor.server.web") / "static"
    contents = {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.rpartition(".")[2] in TYPES}
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:32]}"') for name, data in contents.items()}


@cache
def version() -> str:
    """Return a hash of all static files."""
    tags = "".join(f"{name}{tag}" for name, (_, tag) in sorted(page_files().items()))
    return hashlib.sha256(tags.encode()).hexdigest()[:16]


def _place() -> str:
    """Return the path below which the present version of the files is."""
    return f"/static/{version()}"


def page(template: str, status_code: int = 200, /, **values: Any) -> HTMLResponse:
    """Return a template filled with values as a response."""
    return HTMLResponse(_TEMPLATES.get_template(template).render(values), status_code)


def _plain_text(value: object) -> object:
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def with_code(text: str) -> Markup:
    """Return a person's words with text in backticks as code; the backticks stay in the text but are not shown."""
    return Markup(_CODE.sub(_CODE_HTML, str(escape(plain(text)))))


_CODE = re.compile(r"(`{1,9})([^`\n]{1,200})\1(?!`)")
_TICKS = r'<span class="tick" aria-hidden="true">\1</span>'
_CODE_HTML = rf"<code>{_TICKS}\2{_TICKS}</code>"

_TEMPLATES = Environment(
    loader=PackageLoader("quaestor.server.web"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_plain_text,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= {"words": written_words, "with_code": with_code}
_TEMPLATES.globals["static"] = _place
