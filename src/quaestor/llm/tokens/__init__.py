"""Counting tokens: exactly where the encoding is known, and otherwise never too few.

``tokenizer_for`` gives the tokenizer of a model by its name; ``MessageCounter`` counts whole messages and tools with
what servers add around them. The rank files travel with the package.
It does not know the network or the servers that it counts for. Begin with ``known``.
"""

from __future__ import annotations

from quaestor.llm.tokens.bound import ByteBound, CalibratedBound
from quaestor.llm.tokens.exact import ExactTokenizer, HuggingFaceTokenizer, load_encoding
from quaestor.llm.tokens.known import Tokenizer, encoding_name_for, tokenizer_for
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
