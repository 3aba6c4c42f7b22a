"""Translates a question in another language to English, as far as a small glossary allows.

The glossary is data (``*.txt``, one line per notion: English, German, French, Spanish, Chinese, Japanese) and is read
for the first such question. Nothing here is imported for a question in English.
The package does not know the hits of a search. Begin with ``translated_query``.
"""

from quaestor.search.translation.translated_query import meanings, translate_query

__all__ = ["meanings", "translate_query"]
