"""Reads the citations in an answer, and checks them against the sources' own bytes.

The package does not know who wrote the answer: a model's answer and one made of quotes are checked alike.
Begin with ``verify``; ``citation_marks`` finds the marks, and ``judged_sentences`` judges what cites nothing.
"""

from __future__ import annotations
