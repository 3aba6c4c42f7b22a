"""Answers about a project as a whole, and about a part of its documents that a question points at.

``facts`` are its licence, dependencies, language version and maintainers; ``guides`` tell how it is installed and how
one contributes; ``own_sections`` answers what such guides have a section on; ``listings`` lists what it declares of one
kind. ``headed_section`` answers with any section whose heading is the question, ``named_documents`` from a document
that a question points at, ``document_parts`` with a section, a page or a list of one, and ``starters`` suggests
questions. The package does not know what a project is for: an overview says that. Begin with ``facts``.
"""

from __future__ import annotations
