"""Shows lines of documents and code on the page: numbered, coloured, and some of them marked.

Colours are classes of ``static/code.css``, because the page allows no style attributes. A PDF is converted with one
section per page, so the page of a line is known.
"""

from __future__ import annotations

import re
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Token
from pygments.util import ClassNotFound

from quaestor.assemble import Index
from quaestor.chunking.languages import PROSE
from quaestor.core.terms import content_terms
from quaestor.server.web.safe_text import plain

_PROSE = PROSE | {"pdf", "docx", "xlsx", "pptx", "epub"}

_PAGE = re.compile(r"Page (\d+)(?::|$)")

# Pygments's lexers come from many authors, and some take seconds for a long text: longer ones are not coloured.
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
"""Names of CSS classes, without ``t-``."""

# Pygments's names for languages that the corpus names differently.
_ALIASES = {"csharp": "c#", "starlark": "python", "hcl": "terraform", "restructuredtext": "rst", "batch": "bat"}

# Names for people of languages that Pygments lacks or names differently.
_KINDS = {
    **{"text": "plain text", "docx": "Word", "xlsx": "Excel", "pptx": "PowerPoint", "pdf": "PDF", "epub": "EPUB"},
    **{"csv": "CSV", "r": "R", "latex": "LaTeX", "starlark": "Starlark", "hcl": "HCL", "dockerfile": "Dockerfile"},
}


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """Numbered lines.

    Attributes:
        path: the document's path.
        lines: each line's number, its HTML, and whether it is marked.
        prose: whether they are prose, whose lines may wrap.
    """

    path: str
    lines: tuple[tuple[int, Markup, bool], ...]
    prose: bool = False

    @property
    def first(self) -> int:
        """The first line's number; 0 if there are none."""
        return self.lines[0][0] if self.lines else 0

    @property
    def last(self) -> int:
        """The last line's number; 0 if there are none."""
        return self.lines[-1][0] if self.lines else 0


def lines_with_words(lines: Sequence[str], start: int, query: str) -> frozenset[int]:
    """Return the numbers of the lines with most of a query's words; none if no line has any."""
    wanted = content_terms(query)
    count_by_line = {number: len(wanted & content_terms(line)) for number, line in enumerate(lines, start)}
    most = max(count_by_line.values(), default=0)
    return frozenset(number for number, count in count_by_line.items() if most and count == most)


def numbered_lines(
    path: str, lines: Sequence[str], start: int, language: str, marked: Container[int] = ()
) -> NumberedLines:
    """Return lines for display.

    Args:
        path: the document's path.
        lines: the lines without line ends.
        start: the number of the first line.
        language: the language's name in the corpus.
        marked: the numbers of the lines to mark.
    """
    html = highlight(lines, language, path)
    numbered = tuple((number, line, number in marked) for number, line in enumerate(html, start))
    return NumberedLines(path, numbered, prose=language in _PROSE)


def page_at(corpus: Index | None, path: str, line: int) -> int:
    """Return the page of a line, from 1; 0 if the document has no pages, or ``corpus`` is None."""
    if corpus is None or not path.lower().endswith(".pdf"):
        return 0
    number = 0
    for stored in corpus.store.chunks_of(path):
        if stored.chunk.span.start_line > line:
            break
        for name in (*stored.chunk.scope, stored.chunk.symbol or ""):
            if page := _PAGE.match(name):
                number = int(page[1])
    return number


def highlight(lines: Sequence[str], language: str = "", path: str = "") -> list[Markup]:
    """Return the HTML of each line, coloured by Pygments.

    Args:
        lines: the lines without line ends.
        language: the language's name in the corpus; may be empty.
        path: the file's path, which decides if there is no language.
    """
    shown = [plain(line).replace("\n", "\ufffd") for line in lines]
    lexer = _lexer(language, path)
    if lexer is None or sum(map(len, shown)) > _LONGEST_TEXT or max(map(len, shown), default=0) > _LONGEST_LINE:
        return [escape(line) for line in shown]
    coloured = list(_colour_lines(lexer, "\n".join(shown), time.monotonic() + _SECONDS))
    # Lines that were not reached within the time limit are not coloured.
    rest = [escape(line) for line in shown[len(coloured) :]]
    return [*coloured, *rest] if len(coloured) <= len(shown) else [escape(line) for line in shown]


def kind_of(language: str) -> str:
    """Return a language's name for people: ``C++`` for ``cpp``."""
    if language in _KINDS:
        return _KINDS[language]
    lexer = _lexer(language, "")
    return language.capitalize() if lexer is None else lexer.name


def _lexer(language: str, path: str) -> Lexer | None:
    try:
        if language and language != "text":
            return get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False)
        return get_lexer_for_filename(path, stripnl=False, ensurenl=False) if path else None
    except (ClassNotFound, UnicodeError, ValueError):
        return None


def _colour_lines(lexer: Lexer, text: str, until: float) -> Iterator[Markup]:
    """Yield the coloured lines of a text until ``until``, a time of ``time.monotonic``."""
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
