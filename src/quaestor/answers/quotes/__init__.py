"""Answers made of quotes: what of the found passages is quoted, where a quote begins and ends, and how it is shown.

``passage_order`` orders the passages, ``best_stretches`` chooses what is quoted of them, ``quotable_stretches`` cuts
them: code into definitions and statements (``blocks``), prose into paragraphs and items (``paragraphs``).
``quotes_in_markdown`` writes the quotes, with the markup of other formats as Markdown (``readable_markup``). The
package does not know the corpus, nor what the ways of answering are. Begin with ``pick_quotes``.
"""

from __future__ import annotations
