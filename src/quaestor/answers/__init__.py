"""Answers made without a language model: by quoting, or in the way that suits the kind of question.

Begin with ``ways``: it asks each way in turn whether a question is of its kind (``way`` says what a way is). If none
answers, ``quotes`` picks what to quote from the passages that were found (``quotable_stretches`` cuts them). The
package knows the corpus; it does not know conversations, transcripts or models.
"""
