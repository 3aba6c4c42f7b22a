"""A question in another language, carried over into English as far as a small glossary goes.

The glossary is data (``*.txt``, one line a notion: English, German, French, Spanish, Chinese, Japanese) and is read for
the first such question. Nothing here is imported for a question in English.
The package does not know what is found. Begin with ``translated_query``.
"""

from quaestor.search.translation.translated_query import translate_query

__all__ = ["translate_query"]
