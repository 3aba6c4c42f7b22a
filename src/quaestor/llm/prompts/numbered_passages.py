"""Numbered passages, and their format for a model, which is in ``passage.md`` and ``passages.md``."""

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
        start_line: the first line, from 1.
        end_line: the last line, inclusive.
        text: its lines as in the source.
        title: the document's title.
        url: the page's address on the web.
        symbol: the qualified name of the enclosing definition or heading.
        language: the document's language.
        author: the document's author.
        date: when the document was written, in ISO 8601.
        corpus: the name of its corpus if there are several; else empty.
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
    """Return one passage in the format for a model; its text cannot end the passage prematurely."""
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
    """Return all passages in the format for a model."""
    return load("passages").render(passages="\n".join(map(show, passages)))


def _attribute(value: str) -> str:
    """Return a value escaped for use within quotes."""
    return " ".join(value.split()).replace('"', "'").replace("<", "‹").replace(">", "›")
