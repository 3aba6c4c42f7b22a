"""Answers made without a language model: quotes, and a way of its own for each kind of question.

Begin with ``ways``: it asks each way in turn whether a question is of its kind (``way`` says what a way is), and where
none is, ``quotes`` picks the stretches of the passages found (``stretches`` cuts them). The package knows the corpus;
it does not know conversations, transcripts or models.
"""
