"""Answers from git's history and the changelogs: what changed and when, who did it, and why.

``history_questions`` reads the question. What it is about is found by ``find_subject`` and answered by
``subject_history``; a version or a period, by ``version_changes``. ``history_draft`` builds the answer and cites
commits, tags and changelog sections. The package does not know how git is run:
``quaestor.history`` does. Begin with ``history_answer``.
"""

from __future__ import annotations
