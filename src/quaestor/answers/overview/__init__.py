"""What a corpus is, at a glance and within a budget: for people on their first day, and as a map for models.

``making`` puts it together out of what each other module finds: what the README says (``introduction``), where it is
entered (``entry_points``), its main folders and files (``parts``, ``tree_lines``; what documents name, ``named_paths``,
comes first), what most files import, how it is built and tested, its languages; of documents their titles, dates and
authors (``listed_documents``). ``showing`` writes it down. ``asking`` tells the questions that an overview answers and
``answering`` answers them. All of it is read from the index; nothing that a document says is run or fetched.
"""

from __future__ import annotations
