"""Overviews of a corpus within a token budget: for people on their first day, and as a map for models.

``make_overview`` joins the results of the other modules: the README's words (``introduction``), the entry points
(``entry_points``), a tree of the main folders and files (``main_parts``; those that documents name come first,
``named_paths``), the description of each file in its own words (``path_descriptions``), the commands that build and
test the project (``build_and_test``) and the sections of guides that tell it (``guide_sections``), and the titles,
dates, authors and languages of documents (``document_statistics``). ``overview_text`` writes an overview as text.
``overview_question`` recognises the questions that an overview answers, and ``overview_answer`` answers them.
Everything is read from the index; nothing that a document says is run or fetched. The package does not know who reads
an overview. Begin with ``make_overview``.
"""

from __future__ import annotations
