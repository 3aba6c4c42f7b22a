"""Numbered passages, and their form for a model.

The words around them are in ``passage.md`` and ``passages.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from quaestor.core.documents import Hit
from quaestor.llm.prompts.loader import load

_CLOSING = re.compile(r"</(?=\s*passage)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered part of a document, as shown to a model.

    Attributes:
        n: its number for citations, from 1.
        path: the document's path.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        text: its lines as they are in the source.
        title: a page's or document's title.
        url: a page's address.
        symbol: the enclosing symbol or heading, qualified.
        language: the document's language.
        author: who wrote the document.
        date: of writing, ISO 8601.
        corpus: the name of its corpus, if there are several; else empty.
    """

    n: int
    path: str
    start_line: int
    end_line: int
    text: str
    title: str | None = None
    url: str | None = None
    symbol: str | None = None
    language: str = "text"
    author: str | None = None
    date: str | None = None
    corpus: str = ""


def number(hits: Iterable[Hit], first: int = 1) -> tuple[Passage, ...]:
    """Return hits as passages, numbered in their order from ``first``."""
    return tuple(
        Passage(
            n=n,
            path=hit.path,
            start_line=hit.start_line,
            end_line=hit.end_line,
            text=hit.text,
            title=hit.document.title,
            url=hit.document.url,
            symbol=hit.symbol,
            language=hit.document.language,
            author=hit.document.author,
            date=hit.document.date,
            corpus=hit.corpus,
        )
        for n, hit in enumerate(hits, first)
    )


def where(passage: Passage) -> str:
    """Return the place of a passage as people and editors write it: ``src/a.py:10-24``."""
    if passage.end_line == passage.start_line:
        return f"{passage.path}:{passage.start_line}"
    return f"{passage.path}:{passage.start_line}-{passage.end_line}"


def show(passage: Passage) -> str:
    """Return one passage in the form for a model; its text cannot close the passage before its end."""
    label = passage.title or passage.symbol
    return load("passage").render(
        n=str(passage.n),
        where=_attribute(where(passage)),
        about="".join(
            f' {name}="{_attribute(value)}"'
            for name, value in (
                ("corpus", passage.corpus),
                ("title", label),
                ("by", passage.author),
                ("date", passage.date),
            )
            if value
        ),
        text=_CLOSING.sub("<\\\\/", passage.text.rstrip("\r\n")),
    )


def show_all(passages: Iterable[Passage]) -> str:
    """Return all passages as they are shown to a model."""
    return load("passages").render(passages="\n".join(map(show, passages)))


def _attribute(value: str) -> str:
    """Return a value that cannot leave the quotes that it is put in."""
    return " ".join(value.split()).replace('"', "'").replace("<", "‹").replace(">", "›")
