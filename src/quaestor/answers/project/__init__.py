"""Answers about a project as a whole, and about a part of its documents that a question points at.

``facts`` are its licence, dependencies, language version and maintainers; ``guides`` tell how it is installed and how
one contributes; ``listings`` lists what it declares of one kind. ``document_parts`` answers with a section or a page,
``answer_from_file`` from a file that is named, and ``starters`` suggests questions. The package does not know what a
project is for: an overview says that. Begin with ``facts``.
"""

from __future__ import annotations
