"""Choosing a model's tokenizer by its name, and upper bounds for models whose tokenizer is not known.

``ByteBound`` is proven: a byte-level tokenizer never needs more tokens than bytes. It is three to five times too high.

``CalibratedBound`` is measured: the count of cl100k_base, raised by what other tokenizers needed in addition.
It was calibrated on the tokenizers of Llama 2 and 3, Mistral (both kinds), Qwen 2 and 3.5, DeepSeek, Gemma, Command R,
Falcon, GPT-NeoX, StarCoder and o200k_base, over code, prose in nineteen languages, logs, JSON, base64, hashes, emoji,
random characters and long runs of blanks, whole and in short slices; it was never below any of them. It does not hold
for toy vocabularies of a few thousand tokens, nor for GPT-2, which needs a token for every blank of an indentation: for
those, give a ``tokenizer.json``, or count bytes. Llama 3 and Qwen build on cl100k_base's own merges, so a much closer
calibration holds for them.
"""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import Protocol

from quaestor.core.light_imports import NamedTuple
from quaestor.llm.tokens.exact import (
    SEGMENTS,
    CountCache,
    EncodingName,
    ExactTokenizer,
    HuggingFaceTokenizer,
    count_tokens,
    segments,
)

_BASE: EncodingName = "cl100k_base"

_BLANK = re.compile(r"(\s+)")
_DIGITS = re.compile(r"[0-9]{2,}")
_BLANKS = re.compile(r"\s{2,}")
_RUNS = re.compile(r"([!-/:-@\[-`{-~])\1{7,}")
_WIDE_RUNS = re.compile(r"([^\x00-\x7f])\1{7,}")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")

_START = 2


class Calibration(NamedTuple):
    """How many more tokens than cl100k_base a family of tokenizers needs at most.

    Attributes:
        name: the name of the bound.
        plain: the factor for ASCII text.
        wide: the factor for words with characters beyond ASCII.
        underscore: additional tokens for each underscore.
        blanks: whether each line end, each tab and each 16 spaces may need a token.
    """

    name: str
    plain: float
    wide: float
    underscore: float
    blanks: bool


ANY = Calibration("bound", plain=1.45, wide=3.0, underscore=0.4, blanks=True)
HEIRS = Calibration("bound-cl100k-heirs", plain=1.08, wide=1.2, underscore=0.0, blanks=False)
"""The calibration for Llama 3 and later, and Qwen 2 and later."""


class ByteBound:
    """One token per byte of UTF-8: it holds for all byte-level tokenizers, and is far too high."""

    name = "bytes"
    exact = False

    def count(self, text: str) -> int:
        """Return the number of bytes."""
        return len(text.encode("utf-8", "surrogatepass"))


class CalibratedBound:
    """A bound that is not below any of the tokenizers of its calibration, which the module's docstring lists."""

    exact = False

    def __init__(self, calibration: Calibration = ANY) -> None:
        self._calibration = calibration
        self._cached = CountCache(self._count)
        self._segment = CountCache(self._bound_and_bytes, SEGMENTS)

    @property
    def name(self) -> str:
        """The calibration's name."""
        return self._calibration.name

    def count(self, text: str) -> int:
        """Return an upper bound of the number of tokens."""
        return self._cached(text)

    def _count(self, text: str) -> int:
        if not text:
            return 0
        measured = list(map(self._segment, segments(text)))
        bound = math.fsum(bound for bound, _ in measured)
        return min(math.ceil(bound), sum(size for _, size in measured)) + _START

    def _bound_and_bytes(self, text: str) -> tuple[float, int]:
        """Return the bound of a piece of a text, and its number of bytes."""
        plain, wide = (text, "") if text.isascii() else _split_wide_words(text)
        bound = self._calibration.plain * count_tokens(_BASE, plain) + self._surplus(plain) + self._wide(wide)
        return bound, len(text.encode("utf-8", "surrogatepass"))

    def _wide(self, text: str) -> float:
        if not text:
            return 0
        runs = sum(match.end() - match.start() for match in _WIDE_RUNS.finditer(text))
        counted = self._calibration.wide * count_tokens(_BASE, text) + self._surplus(text) + runs
        return min(counted, len(text.encode("utf-8", "surrogatepass")))

    def _surplus(self, text: str) -> float:
        """Return the tokens that others need beyond cl100k_base for digits, blanks, underscores and repeated signs."""
        digits = sum(len(run) - math.ceil(len(run) / 3) for run in _DIGITS.findall(text))
        blanks = sum(map(_blank_surplus, _BLANKS.findall(text))) if self._calibration.blanks else 0
        runs = sum((match.end() - match.start()) / 4 for match in _RUNS.finditer(text))
        underscores = self._calibration.underscore * text.count("_")
        return digits + blanks + runs + underscores + len(_CONTROLS.findall(text))

    def __repr__(self) -> str:
        return f"CalibratedBound({self.name!r})"


def _split_wide_words(text: str) -> tuple[str, str]:
    """Return a text without its words with characters beyond ASCII, and those words."""
    pieces = _BLANK.split(text)
    wide = " ".join(piece for piece in pieces if not piece.isascii())
    return "".join(piece for piece in pieces if piece.isascii()), wide


def _blank_surplus(blank: str) -> float:
    """Return the surplus for a run of blanks: one token for each line end, each tab and each 16 spaces."""
    spaces = blank.count(" ")
    return max(0, len(blank) - spaces - 1) + spaces / 16


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
