"""Answers a question for an overview, and one about how the project is built and tested."""

from __future__ import annotations

import re

from quaestor.answers.overview.overview_question import (
    asks_for_overview,
    asks_how_to_build,
    name_asked_for,
    names_a_whole,
    without_whole,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.corpus import Corpus

_READMES = (
    "README.md",
    "readme.md",
    "Readme.md",
    "README.rst",
    "README.adoc",
    "README.asciidoc",
    "README",
    "README.txt",
    "index.md",
    "index.rst",
    "index.adoc",
    "docs/index.md",
    "docs/index.rst",
)
_TITLE_LINES = 60
_SHORTEST_NAME = 3
_TITLE_BEGINS = re.compile(r"^(?:what is|about|welcome to|introduction to)\s+", re.IGNORECASE)
_TITLE_ENDS = re.compile(r"\s+[-–—|]\s+|:\s|\s*[(\[?!]")


def answer_with_overview(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return an overview of the corpus if the question asks for one, else None."""
    if not wants_overview(question, corpus):
        return None
    # Other questions need none of this.
    from quaestor.answers.overview.make_overview import make_overview  # noqa: PLC0415
    from quaestor.answers.overview.overview_text import pieces_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    found = make_overview(corpus, count=tokenizer_for("gpt-4o").count)
    return WayAnswer("overview", tuple(pieces_of(found)), found.hits, known=found.documents > 0)


def wants_overview(question: Question, corpus: Corpus) -> bool:
    """Return whether a question is for an overview of the corpus, which it may call by its name."""
    name = name_asked_for(question.text)
    own = (name,) if name and _is_own_name(corpus, name, question.text) else ()
    return asks_for_overview(question.text, first=not question.earlier, own=own)


def introduce(corpus: Corpus) -> WayAnswer | None:
    """Return the corpus's introduction in a few sentences; None if it has none."""
    from quaestor.answers.overview.make_overview import make_introduction  # noqa: PLC0415 - as above
    from quaestor.answers.overview.overview_text import sections_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    found = make_introduction(corpus, count=tokenizer_for("gpt-4o").count)
    return WayAnswer("overview", tuple(sections_of(found)), found.hits) if found.hits else None


def answer_with_build_guide(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return how the corpus is built and tested if the question asks that and its files say it, else None."""
    if not asks_how_to_build(question.text):
        return None
    from quaestor.answers.overview.make_overview import make_build_guide  # noqa: PLC0415 - as above
    from quaestor.answers.overview.overview_text import sections_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    found = make_build_guide(corpus, count=tokenizer_for("gpt-4o").count)
    return WayAnswer("build", tuple(sections_of(found)), found.hits) if found.hits else None


def with_own_name(text: str, corpus: Corpus, instead: str) -> str:
    """Return a question in lower case, with the corpus's name replaced by ``instead``."""
    title = _title(corpus).lower()
    for name in (corpus.root.name.lower(), corpus.retriever.project.lower(), title, without_whole(title)):
        if len(name) >= _SHORTEST_NAME:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", instead, text)
    return text


def _is_own_name(corpus: Corpus, name: str, question: str) -> bool:
    """Return whether a name is that of the folder, of the repository, or in the README's title.

    "The Acme handbook" is one whose title is "Acme Handbook" or "Welcome to Acme's documentation".
    """
    if name in (corpus.root.name.lower(), corpus.retriever.project.lower()):
        return True
    title = _title(corpus).lower()
    return name == title or (names_a_whole(question, name) and name == without_whole(title))


def _title(corpus: Corpus) -> str:
    """Return the title of the README or the first page, reduced to the name: ``Grape`` of ``What is Grape?``.

    Empty if there is no title.
    """
    from quaestor.answers.overview.prose_lines import headings  # noqa: PLC0415 - few questions need it
    from quaestor.related.stored_files import load_file  # noqa: PLC0415

    file = next((found for path in _READMES if (found := load_file(corpus.store, path)) is not None), None)
    title = "" if file is None else next((text for _, text in headings(file.lines[:_TITLE_LINES])), "")
    return _TITLE_ENDS.split(_TITLE_BEGINS.sub("", " ".join(title.split())))[0].strip()
