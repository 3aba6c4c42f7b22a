"""Questions made from a corpus itself, whose answers are known without any judge.

A docstring asks for its definition, a heading for its section, a sentence for the paragraph that it was taken from, the
words of a link for the document behind it, a commit's subject for the files that it changed. Lines that would give an
answer away are blanked in a copy of the corpus, so that all other lines keep their numbers.
The package does not know how the questions are used. Begin with ``questions_from_documents``.
"""

from quaestor.evaluation.made_questions.questions_from_documents import (
    KINDS,
    MadeSet,
    SourceText,
    make_questions,
    texts_of,
)

__all__ = ["KINDS", "MadeSet", "SourceText", "make_questions", "texts_of"]
