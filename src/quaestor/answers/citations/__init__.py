"""Citations: parsed out of an answer, and checked against the sources' own bytes.

The package does not know who wrote the answer: a model's and one made of quotes are checked alike.
Begin with ``verify``; ``citation_marks`` finds the marks, and ``judged_sentences`` judges what cites nothing.
"""

from __future__ import annotations
