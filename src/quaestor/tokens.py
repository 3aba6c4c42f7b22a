"""Counting tokens: the public name of ``quaestor.llm.tokens``."""

from __future__ import annotations

from quaestor.llm.tokens import (
    ByteBound,
    CalibratedBound,
    ExactTokenizer,
    HuggingFaceTokenizer,
    MessageCounter,
    Overheads,
    Tokenizer,
    counter_for,
    encoding_name_for,
    load_encoding,
    tokenizer_for,
)

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
