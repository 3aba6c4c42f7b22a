"""Answers about what a question names: a function, a class, a file, or a term of the documents.

``explain_name`` explains a definition or a file, ``callers`` answers what uses it and what it uses, and
``resolved_names`` says which definition or file a name means. ``explain_term`` explains a term by the place that
defines it, which ``term_definitions`` recognises. The package does not know options and settings, except by the
sections about them. Begin with ``explain_name``.
"""

from __future__ import annotations
