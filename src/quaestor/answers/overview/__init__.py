"""Overviews of a corpus within a token budget: for people on their first day, and as a map for models.

``make_overview`` puts it together out of what each other module finds: what the README says (``introduction``), where
it is entered (``entry_points``), its main folders and files, drawn as a tree (``main_parts``; what documents name comes
first, ``named_paths``), what a file says of itself (``described``), how it is built and tested (``build_and_test``); of
documents their titles, dates, authors and languages (``document_statistics``). ``overview_text`` writes it down.
``overview_question`` tells the questions that an overview answers, and ``overview_answer`` answers them. All of it is
read from the index; nothing that a document says is run or fetched. The package does not know who reads an overview.
Begin with ``make_overview``.
"""

from __future__ import annotations
