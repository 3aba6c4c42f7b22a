"""Choosing how a question is answered, by what it asks for."""

from __future__ import annotations

from quaestor.answers.asking_back import asking_back
from quaestor.answers.callers import callers
from quaestor.answers.errors import errors
from quaestor.answers.history import answer_history
from quaestor.answers.names import names
from quaestor.answers.overview.answering import answer_with_overview
from quaestor.answers.way import Question, Way, WayAnswer
from quaestor.answers.within_file import within_file
from quaestor.corpus import Corpus

WAYS: tuple[Way, ...] = (callers, answer_history, answer_with_overview, names, within_file, errors, asking_back)
"""In the order in which they are asked: the narrower a way's questions are, the earlier it stands."""


def answer_by_way(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the answer of the first way whose question it is, or None where it is to be quoted from what is found."""
    for way in WAYS:
        found = way(question, corpus)
        if found is not None:
            return found
    return None
