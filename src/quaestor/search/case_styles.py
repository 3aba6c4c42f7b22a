"""One name in the styles of several languages: ``sendAll``, ``SendAll``, ``send_all``, ``SEND_ALL``, ``send-all``.

Who knows a name from a document, a log or a binding writes it in that style. Pure.
"""

from __future__ import annotations

import re

from quaestor.core.terms import split_identifier

_STYLED = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


def styles_of(name: str) -> tuple[str, ...]:
    """Return how a name of several words is written in each style, in lower case; nothing for any other text."""
    if not _STYLED.fullmatch(name):
        return ()
    words = split_identifier(name)
    return tuple(mark.join(words) for mark in ("", "_", "-")) if len(words) > 1 else ()


def same_in_any_style(one: str, other: str) -> bool:
    """Return whether two names are made of the same words."""
    return split_identifier(one) == split_identifier(other)
