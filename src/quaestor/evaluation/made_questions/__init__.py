"""Questions made from a corpus itself, whose answers are known without any judge.

A docstring asks for its definition, a heading for its section, a sentence for the paragraph that it was taken from, the
words of a link for the document behind it, a commit's subject for the files that it changed. What would give an answer
away is taken out of a copy of the corpus, line for line, so that places stay where they were.
The package does not know what is done with the questions. Begin with ``choose_questions``.
"""

from quaestor.evaluation.made_questions.choose_questions import KINDS, MadeSet, SourceText, make_questions, texts_of

__all__ = ["KINDS", "MadeSet", "SourceText", "make_questions", "texts_of"]
