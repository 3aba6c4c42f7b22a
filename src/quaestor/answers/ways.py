"""Choosing how a question is answered, by what it asks for."""

from __future__ import annotations

from collections.abc import Iterable

from quaestor.answers.answer_history import answer_history
from quaestor.answers.ask_back import ask_back
from quaestor.answers.callers import answer_with_callers
from quaestor.answers.explain_error import answer_error
from quaestor.answers.explain_name import explain_name
from quaestor.answers.explain_term import explain_term, holds_documents
from quaestor.answers.names_question import asks_about_a_word
from quaestor.answers.overview.overview_answer import answer_with_build_guide, answer_with_overview
from quaestor.answers.project_facts import tell_project_facts
from quaestor.answers.two_questions import answer_two_questions
from quaestor.answers.way import Question, Way, WayAnswer
from quaestor.answers.within_file import answer_within_file
from quaestor.core.errors import NotFoundError
from quaestor.corpus import Corpus


def _explain_word_of_documents(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what a plain word is where most files are documents: there it is a term before it is a file's name."""
    return explain_term(question, corpus) if asks_about_a_word(question.text) and holds_documents(corpus) else None


WAYS: tuple[Way, ...] = (
    tell_project_facts,
    answer_with_callers,
    answer_history,
    answer_with_overview,
    answer_with_build_guide,
    _explain_word_of_documents,
    explain_name,
    explain_term,
    answer_within_file,
    answer_error,
    ask_back,
)
"""In the order in which they are asked: the narrower a way's questions are, the earlier it stands."""


def answer_by_way(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return the answer of the first way whose question it is, or None where it is to be quoted from what is found."""
    return _first_answer((_answer_two, *WAYS), question, corpus)


def _answer_two(question: Question, corpus: Corpus) -> WayAnswer | None:
    return answer_two_questions(question, corpus, lambda one, corpus: _first_answer(WAYS, one, corpus))


def _first_answer(ways: Iterable[Way], question: Question, corpus: Corpus) -> WayAnswer | None:
    for way in ways:
        try:
            found = way(question, corpus)
        except NotFoundError:
            # A file that was found a moment ago has gone meanwhile: this way has nothing to say of it.
            continue
        if found is not None:
            return found
    return None
