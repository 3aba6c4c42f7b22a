"""Code in colours, line by line. Colours are classes of ``static/code.css``; nothing here needs a style attribute."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Token
from pygments.util import ClassNotFound

from quaestor.server.web.safe_text import plain

# Lexers are regular expressions of many authors: what is long enough for one of them to take seconds stays plain.
_LONGEST_LINE = 500
_LONGEST_TEXT = 40_000
_SECONDS = 0.5

_CLASSES = {
    Token.Comment: "comment",
    Token.Comment.Preproc: "keyword",
    Token.Generic.Deleted: "deleted",
    Token.Generic.Emph: "emphasis",
    Token.Generic.Heading: "heading",
    Token.Generic.Inserted: "inserted",
    Token.Generic.Strong: "strong",
    Token.Generic.Subheading: "heading",
    Token.Keyword: "keyword",
    Token.Keyword.Constant: "constant",
    Token.Literal.Number: "number",
    Token.Literal.String: "string",
    Token.Literal.String.Escape: "escape",
    Token.Literal.String.Interpol: "escape",
    Token.Name.Attribute: "attribute",
    Token.Name.Builtin: "builtin",
    Token.Name.Class: "type",
    Token.Name.Decorator: "decorator",
    Token.Name.Exception: "type",
    Token.Name.Function: "function",
    Token.Name.Tag: "keyword",
    Token.Operator.Word: "keyword",
}
COLOURS = frozenset(_CLASSES.values())
"""Names of classes, which stand after ``t-``."""

# Names that the corpus uses and Pygments does not.
_ALIASES = {"csharp": "c#", "starlark": "python", "hcl": "terraform", "restructuredtext": "rst", "batch": "bat"}


def highlight(lines: Sequence[str], language: str = "", path: str = "") -> list[Markup]:
    """Return one piece of HTML for each line, in the same order.

    Args:
        lines: without their ends.
        language: as the corpus names it; may be unknown or empty.
        path: a file's name, which is asked where the language says nothing.
    """
    shown = [plain(line).replace("\n", "\ufffd") for line in lines]
    lexer = _lexer(language, path)
    if lexer is None or sum(map(len, shown)) > _LONGEST_TEXT or max(map(len, shown), default=0) > _LONGEST_LINE:
        return [escape(line) for line in shown]
    found = list(_coloured(lexer, "\n".join(shown), time.monotonic() + _SECONDS))
    # What there was no time for stays plain.
    rest = [escape(line) for line in shown[len(found) :]]
    return [*found, *rest] if len(found) <= len(shown) else [escape(line) for line in shown]


def _lexer(language: str, path: str) -> Lexer | None:
    try:
        if language and language != "text":
            return get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False)
        return get_lexer_for_filename(path, stripnl=False, ensurenl=False) if path else None
    except (ClassNotFound, UnicodeError, ValueError):
        return None


def _coloured(lexer: Lexer, text: str, until: float) -> Iterator[Markup]:
    """Yield the lines of a text, until a moment has come."""
    line = Markup("")
    for kind, value in lexer.get_tokens(text):
        if time.monotonic() > until:
            return
        first, *rest = value.split("\n")
        line += _span(kind, first)
        for piece in rest:
            yield line
            line = _span(kind, piece)
    yield line


def _span(kind: object, text: str) -> Markup:
    name = _class(kind)
    if not text or not name:
        return escape(text)
    return Markup('<span class="t-{}">{}</span>').format(name, text)


def _class(kind: object) -> str:
    while kind is not None:
        if kind in _CLASSES:
            return _CLASSES[kind]
        kind = getattr(kind, "parent", None)
    return ""
