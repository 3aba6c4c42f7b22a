"""Answers made without a language model: by quoting, or in the way that suits the kind of question.

Begin with ``ways``: it asks each way in turn whether a question is of its kind (``way`` says what a way is, and
``drafts`` builds its answer). The ways are in a package for each kind: ``overview``, ``history``, ``errors``,
``settings``, ``names``, ``project``. If none answers, ``quotes`` picks what to quote from the passages that were found.
``ask_back`` asks back where a question refers to nothing, and ``citations`` checks what an answer cites. The package
knows the corpus; it does not know conversations, transcripts or models.
"""
