"""Answers about errors: an error message or a trace that somebody pastes, or a fault that a question names.

``traces`` reads what was pasted, and ``message_templates`` finds the code that prints it, by how well message and
template agree (``template_agreement``). ``named_faults`` answers when an error is raised and what an exit code means;
``remedies`` finds what documents say about either. The package does not know what happened when the program ran.
Begin with ``explain_error``.
"""

from __future__ import annotations
