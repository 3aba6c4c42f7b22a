"""Counts tokens: exactly if the encoding is known, and otherwise by an upper bound.

``tokenizer_for`` returns a model's tokenizer by its name; ``MessageCounter`` counts whole messages and tools, including
the tokens that servers add around them. The rank files are part of the package.

It does not know the network or the servers for which it counts. Begin with ``bound``.
"""

from __future__ import annotations

from quaestor.llm.tokens.bound import ByteBound, CalibratedBound, Tokenizer, encoding_name_for, tokenizer_for
from quaestor.llm.tokens.exact import ExactTokenizer, HuggingFaceTokenizer, load_encoding
from quaestor.llm.tokens.message_counts import MessageCounter, Overheads, counter_for

__all__ = [
    "ByteBound",
    "CalibratedBound",
    "ExactTokenizer",
    "HuggingFaceTokenizer",
    "MessageCounter",
    "Overheads",
    "Tokenizer",
    "counter_for",
    "encoding_name_for",
    "load_encoding",
    "tokenizer_for",
]
