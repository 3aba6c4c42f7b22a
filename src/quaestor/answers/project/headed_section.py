"""Answers with the section whose heading is the question: "How do I add a tag?" with *Adding tags*."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.overview.build_question import asks_how_to_build
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, parts_of
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import searched_terms
from quaestor.corpus import Corpus
from quaestor.search.certain_hits import FEWEST_OF_HEADING
from quaestor.search.query import read_query

_THAT = lazy_regex(r"\b(?:it|this|that|these|those|them)\b", re.IGNORECASE)
_ASKS = lazy_regex(r"\s*(?:how\s+(?:do|can|could|should|would|must|to)|can|could|may|must|should)\b", re.IGNORECASE)
_LONGEST = 120
_HITS = 10
"""The hits of a search among which sections are sought: the best is the first, unless something is certain."""
_MOST_QUOTED = 2
_MOST_EXTRA = 2
"""The most words of a heading that the question lacks, if the search has it first: *Add a tag to a note*."""
_MOST_LINES = 24


def answer_with_headed_section(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the section, or two of different documents, whose heading is the question; None if there is none.

    How the project is built is told by more than one section.
    """
    text = question.text
    if len(text) > _LONGEST or not _ASKS.match(text) or _THAT.search(text) or asks_how_to_build(text):
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _quote_sections(text, corpus))


def _quote_sections(text: str, corpus: Corpus) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    wanted = read_query(text).terms
    # Of its own project a corpus tells more than once: how it is installed, how one gets started with it.
    telling = {*wanted}.difference(searched_terms(" ".join(own_names(corpus))))
    for rank, hit in enumerate(corpus.search(text, _HITS) if len(telling) >= FEWEST_OF_HEADING else ()):
        section = _section_headed(wanted, hit, lines, _MOST_EXTRA if rank == 0 else 0)
        if section is not None and section.path not in {one.path for one in draft.hits}:
            draft.quote(section)
        if len(draft.hits) == _MOST_QUOTED:
            break
    return draft.finish("section") if draft.hits else None


def _section_headed(wanted: Sequence[str], hit: Hit, lines: CorpusLines, most_extra: int) -> Hit | None:
    """Return the section at a hit whose heading has the wanted terms, best in their order; None if none has.

    Its heading has at most ``most_extra`` other terms. Of a long section only the beginning is returned.
    """
    file = lines.file(hit.path)
    if file is None or file.document.language.lower() not in PROSE:
        return None
    headed: dict[Part, tuple[int, bool]] = {}
    for part in parts_of(file.lines):
        terms = searched_terms(part.title)
        if part.first - 1 <= hit.end_line and hit.start_line <= part.last and {*wanted} <= {*terms}:
            headed[part] = len({*terms}.difference(wanted)), terms != [*wanted]
    best = min(headed, key=headed.__getitem__, default=None)
    if best is None or headed[best][0] > most_extra:
        return None
    end = end_of_blocks(file.lines, best.first, min(best.last, best.first + _MOST_LINES), best.last)
    return lines.hit(hit.path, best.first, end, best.title)
