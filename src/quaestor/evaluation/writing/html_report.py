"""HTML made of parts that cannot be confused: text is escaped, whatever it says; only what ``tag`` made is markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

# What no page shows, and what turns the direction of writing.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_VOID = frozenset({"br", "circle", "col", "line", "meta", "path", "rect"})


class Markup(str):
    """A string that is HTML already; only this module makes some."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
"""Text, markup, nothing, or several of them."""


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """Return an element.

    Args:
        name: of the element.
        children: text, which is escaped, or markup.
        attributes: their values are escaped; an underscore at the end of a name is dropped, others are hyphens; None
            and False leave an attribute out, True gives it no value.
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{join(children)}</{name}>")


def join(children: Child) -> Markup:
    """Return text and markup one after the other."""
    if children is None:
        return Markup()
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return Markup(html.escape(plain(children)))
    return Markup("".join(join(child) for child in children))


def page(title: str, style: str, *body: Child) -> str:
    """Return a whole page that loads nothing and runs nothing.

    Args:
        title: of the page.
        style: a style sheet of our own.
        body: what it shows.
    """
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        ),
        tag("title", title),
        tag("style", Markup(style)),
    )
    return f"<!doctype html>\n{tag('html', head, tag('body', *body), lang='en')}\n"


def plain(text: str) -> str:
    """Return text without what is not seen or turns the direction of writing."""
    return _HIDDEN.sub("\ufffd", text.replace("\r\n", "\n"))


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.removesuffix("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(plain(str(value)))}"'
