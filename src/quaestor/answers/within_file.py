"""Answering a question about one file, named by its path, with what that file says.

Every file that mentions the question's words would stand beside it otherwise, and the file itself seldom first.
"""

from __future__ import annotations

import re

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.quotes import answer
from quaestor.answers.resolved_names import resolve_path
from quaestor.answers.way import Question, WayAnswer
from quaestor.core.stems import content_terms
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.asked_names import looks_like_a_file, names_of_code
from quaestor.search.query import read_query
from quaestor.stores import Where

_PASSAGES = 8
_LONGEST = 500
_GLOB = re.compile(r"[*?\[\]!\\]")


def answer_within_file(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question that names one file of this corpus and asks for something in it; None for any other."""
    asked = read_file_question(question.text)
    if asked is None:
        return None
    corpus.take_in()
    path = corpus.following(lambda: resolve_path(corpus, asked[0]))
    return None if path is None or _GLOB.search(path) else _quoted(corpus, path, asked[1])


def read_file_question(text: str) -> tuple[str, str] | None:
    """Return the only file that a question names, and what else it says; None where it is no question about one file.

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


def _quoted(corpus: Corpus, path: str, asked: str) -> WayAnswer | None:
    hits = corpus.search(asked, _PASSAGES, where=Where(paths=(f"/{path}",)))
    found = answer(asked, number(hits), corpus.meaning.near.encode, refused=False, hits=hits)
    if not found.quotes:
        return None
    lines, draft = CorpusLines(corpus), Draft()
    symbols = dict(enumerate((hit.symbol for hit in hits), 1))
    for quote in found.quotes:
        draft.quote(lines.hit(quote.path, quote.start_line, quote.end_line, symbols.get(quote.n)))
    return draft.finished("file")
