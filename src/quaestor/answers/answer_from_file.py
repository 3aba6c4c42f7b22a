"""Answers a question about one file, named by its path, from that file.

A search would rank other files with the question's words above it.
"""

from __future__ import annotations

import re

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.overview.prose_lines import headings
from quaestor.answers.quotes import answer
from quaestor.answers.resolved_names import resolve_numbered, resolve_path
from quaestor.answers.way import Question, WayAnswer
from quaestor.core.terms import content_terms
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.names_in_question import looks_like_a_file, names_of_code
from quaestor.search.query import read_query
from quaestor.stores import Where

_PASSAGES = 8
_LONGEST = 500
_NUMBERED = re.compile(r"(?<![\w.-])[A-Za-z]{2,12}[ _-]?\d{1,6}(?![\w.]\w)")
"""A series and a number, as ``RFC 2904``."""
_MOST_NUMBERED = 3
_WHO = r"(?:authors?|editors?|champions?|sponsors?|owners?|maintainers?|contributors?)"
_OF_HEAD = re.compile(
    rf"^\W*(?:who\s+(?:wrote|authored|proposed|created|made|published|(?:is|are|was|were)\s+(?:the\s+)?{_WHO})"
    r"|when\s+(?:was|were)\s+(?:it\s+)?(?:\w+ed|written|made)"
    rf"|(?:what(?:'s|\s+is|\s+was)\s+)?(?:the\s+)?(?:status|state|title|date|{_WHO})\b)",
    re.IGNORECASE,
)
"""What the head of such a document tells."""
_LONGEST_HEAD = 24
_TITLE = 5
"""Lines within which the first heading is a document's title."""
_GLOB = re.compile(r"[*?\[\]!\\]")


def answer_within_file(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question that names one file of this corpus and asks about its content; None for any other.

    A document of a series may be named by its number: "who wrote proposal 0002?"
    """
    read = read_file_question(question.text)
    if read is None:
        return _in_numbered(question.text, corpus)
    corpus.try_refresh()
    path = corpus.retry_reopened(lambda: resolve_path(corpus, read[0]))
    return None if path is None or _GLOB.search(path) else _quote(corpus, path, read[1])


def _in_numbered(text: str, corpus: Corpus) -> WayAnswer | None:
    short = len(text) <= _LONGEST and "\n" not in text.strip()
    names = list(dict.fromkeys(_NUMBERED.findall(text))) if short and read_query(text).kind == "text" else []
    if not 0 < len(names) <= _MOST_NUMBERED:
        return None
    corpus.try_refresh()
    by_name = corpus.retry_reopened(lambda: {name: resolve_numbered(corpus, name, closely=True) for name in names})
    paths = {path for path in by_name.values() if path is not None}
    rest = " ".join(_NUMBERED.sub(" ", text).split())
    if len(paths) != 1 or not content_terms(rest):
        return None
    path = paths.pop()
    return _head(corpus, path) if _OF_HEAD.search(rest) else _quote(corpus, path, rest)


def _head(corpus: Corpus, path: str) -> WayAnswer | None:
    """Quote what a document says of itself before its first section: its title, who wrote it, its status."""
    lines, draft = CorpusLines(corpus), Draft()
    file = lines.file(path)
    if file is None:
        return None
    begins = (line for line, _ in headings(file.lines[:_LONGEST_HEAD]) if line > _TITLE)
    draft.quote(lines.hit(path, 1, min(next(begins, _LONGEST_HEAD + 1) - 1, len(file.lines), _LONGEST_HEAD)))
    return draft.finish("file")


def read_file_question(text: str) -> tuple[str, str] | None:
    """Return the only file that a question names, and the rest of the question; None if it is not about one file.

    Pure. A file's name alone that begins the question is enough; elsewhere a folder must be named as well, for
    "how does pyproject.toml change the build" asks about the build.
    """
    if len(text) > _LONGEST or "\n" in text.strip() or read_query(text).kind == "trace":
        return None
    files = [name for name in names_of_code(text) if looks_like_a_file(name) and "." in name.rpartition("/")[2]]
    if len(files) != 1:
        return None
    [file] = files
    rest = " ".join(text.replace(file, " ").split())
    begins = text.strip().lstrip("`").startswith(file)
    return (file, rest.strip(" -–—:,?`")) if (begins or "/" in file) and content_terms(rest) else None


def _quote(corpus: Corpus, path: str, question: str) -> WayAnswer | None:
    hits = corpus.search(question, _PASSAGES, where=Where(paths=(f"/{path}",)))
    quotes = answer(question, number(hits), corpus.meaning.local_embedder.encode, refused=False, hits=hits)
    if not quotes.quotes:
        return None
    lines, draft = CorpusLines(corpus), Draft()
    symbols = dict(enumerate((hit.symbol for hit in hits), 1))
    for quote in quotes.quotes:
        draft.quote(lines.hit(quote.path, quote.start_line, quote.end_line, symbols.get(quote.n)))
    return draft.finish("file")
