"""The tokenizer protocol, and choosing a model's tokenizer by its name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Protocol

from quaestor.llm.tokens.bound import ANY, HEIRS, CalibratedBound, Calibration
from quaestor.llm.tokens.exact import EncodingName, ExactTokenizer, HuggingFaceTokenizer


class Tokenizer(Protocol):
    """Anything that counts the tokens of a text."""

    @property
    def name(self) -> str:
        """The encoding's name, or the name of the bound."""
        ...

    @property
    def exact(self) -> bool:
        """Whether ``count`` is exact; otherwise it is an upper bound."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text`` as plain text: special-token syntax counts as its characters."""
        ...


# gpt-4o, gpt-4.1, gpt-4.5, gpt-5 and later, gpt-oss, o1, o3, o4 and so on, perhaps followed by dates and sizes.
_O200K = re.compile(r"(?:chatgpt-4o|gpt-4o|gpt-4\.\d|gpt-(?:[5-9]|[12]\d)|gpt-oss|o[1-9]\d?)(?![a-z])")
_HEIRS = re.compile(r"(?:meta-)?llama-?(?:3|4)|qwen|qwq")
_CL100K = re.compile(r"(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-3|text-embedding-ada-002)(?![a-z0-9])")


def encoding_name_for(model: str) -> EncodingName | None:
    """Return the encoding of an OpenAI model; None if the model is not known.

    Prefixes of providers (``openai/gpt-4o``) and fine-tuned names (``ft:gpt-4o:acme``) are understood.
    """
    name = model.strip().lower().removeprefix("ft:").rsplit("/", 1)[-1]
    if _O200K.match(name):
        return "o200k_base"
    return "cl100k_base" if _CL100K.match(name) else None


def tokenizer_for(model: str) -> Tokenizer:
    """Return the tokenizer of a model: exact if its encoding is known, otherwise an upper bound.

    Args:
        model: a model's name, or the path of a Hugging Face ``tokenizer.json``.

    Raises:
        NotFoundError: the path of a ``.json`` file was given, which does not exist.
        UsageError: the file is not a tokenizer, or the ``tokenizers`` package is missing.
    """
    if model.endswith(".json"):
        return HuggingFaceTokenizer(Path(model))
    name = model.strip().lower().rsplit("/", 1)[-1]
    return _tokenizer(encoding_name_for(model) or (HEIRS if _HEIRS.match(name) else ANY))


@cache
def _tokenizer(kind: EncodingName | Calibration) -> Tokenizer:
    # One tokenizer per kind, so that all callers share its cache of counts.
    return CalibratedBound(kind) if isinstance(kind, Calibration) else ExactTokenizer(kind)
