"""Headings, sentences and the words of links: each asks for the section, paragraph or document that it belongs to."""

from __future__ import annotations

import posixpath
import random
import re
from collections.abc import Container, Iterator

from quaestor.chunking.languages import PROSE
from quaestor.evaluation.made.clean import prose_query, sentence_query, without_sentence
from quaestor.evaluation.made.document_texts import Section, SourceText
from quaestor.evaluation.made.made_question import Asked
from quaestor.evaluation.made.rival_documents import letters

_HEADING_WITHIN = 3  # lines from the start of a section
_FEWEST_WORDS = 3
_ADORNMENT = re.compile(r"^\s*([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_PARAGRAPH = re.compile(r"^[A-Za-z`*\"'(]")
_LINK = re.compile(r"\[([^\]\[]{8,120})\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def of_prose(text: SourceText, paths: Container[str], chance: random.Random) -> Iterator[Asked]:
    """Yield at most one question of each kind of a document of prose.

    Args:
        text: the document.
        paths: every document of the corpus, for links.
        chance: chooses which heading, sentence and link.
    """
    if text.language not in PROSE:
        return
    sections = list(text.sections)
    chance.shuffle(sections)
    paragraphs = list(_paragraphs(text.lines))
    chance.shuffle(paragraphs)
    makers = (
        (_heading(text, section) for section in sections),
        (_sentence(text, *paragraph) for paragraph in paragraphs),
        (_link(text, number, paths) for number in range(len(text.lines))),
    )
    for made in makers:
        if (asked := next(filter(None, made), None)) is not None:
            yield asked


def _heading(text: SourceText, section: Section) -> Asked | None:
    query = prose_query(section.title)
    if query is None or len(query.split()) < _FEWEST_WORDS or section.last - section.first < _HEADING_WITHIN:
        return None
    plain = letters(section.title)
    near = range(section.first, min(section.first + _HEADING_WITHIN, len(text.lines)))
    found = next((number for number in near if plain and plain in letters(text.lines[number])), None)
    if found is None:
        return None
    below = range(found + 1, min(found + 2, len(text.lines)))
    underline = [number for number in below if _ADORNMENT.match(text.lines[number])]
    gone = dict.fromkeys([*range(section.first, found + 1), *underline], "")
    return Asked("heading", query, ((text.path, found + 1, section.last + 1),), text.path, gone)


def _paragraphs(lines: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each paragraph of running text of two lines or more, or one long one."""
    start: int | None = None
    for number, line in enumerate((*lines, "")):
        if line.strip():
            start = number if start is None else start
        elif start is not None:
            if _PARAGRAPH.match(lines[start]):
                yield start, number - 1
            start = None


def _sentence(text: SourceText, first: int, last: int) -> Asked | None:
    """Return the longest sentence of a paragraph as a question for the rest of it (Lee et al. 2019)."""
    paragraph = " ".join(text.lines[first : last + 1])
    asked = sentence_query(paragraph)
    if asked is None:
        return None
    sentence, query = asked
    kept = without_sentence(paragraph, sentence, last - first + 1)
    instead = dict(zip(range(first, last + 1), kept, strict=True))
    return Asked("sentence", query, ((text.path, first + 1, last + 1),), text.path, instead)


def _link(text: SourceText, number: int, paths: Container[str]) -> Asked | None:
    """Return the words of a link to another document of the corpus as a question for that document."""
    for found in _LINK.finditer(text.lines[number]):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(text.path), found[2]))
        query = prose_query(found[1])
        if query is None or path == text.path or path not in paths or len(query.split()) < _FEWEST_WORDS:
            continue
        line = text.lines[number]
        changed = f"{line[: found.start(1)]}here{line[found.end(1) :]}"
        return Asked("link", query, ((path, None, None),), text.path, {number: changed})
    return None
