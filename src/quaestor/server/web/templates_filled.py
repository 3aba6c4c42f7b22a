"""Filling templates. Every value that goes into one is made plain and escaped, unless we made HTML of it ourselves."""

from __future__ import annotations

from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quaestor.server.web.page_files import place
from quaestor.server.web.safe_text import plain, written_words


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
_TEMPLATES.globals["static"] = place
