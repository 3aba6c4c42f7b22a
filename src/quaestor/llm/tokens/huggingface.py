"""Exact counts from a Hugging Face ``tokenizer.json``, where the optional ``tokenizers`` package is installed.

The added tokens of a tokenizer (``<|im_end|>``, ``<tool_call>``) may be looked for in a text or not: chat templates
are tokenized with all of them (Hugging Face, vLLM, llama.cpp), token ids are made by us with none, and llama.cpp's
plain text knows those that are not special. A text that holds one is counted in every way; the highest count is taken.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.llm.tokens.count_cache import CountCache


class HuggingFaceTokenizer:
    """Counts with the tokenizer that a model was published with; never too few for text that holds added tokens.

    Raises:
        NotFoundError: there is no such file.
        UsageError: the ``tokenizers`` package is missing, or the file is not a tokenizer.
    """

    exact = True

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._readings = _readings(_read(self._path))
        self._added = _pattern(self._readings[-1])
        self._cached = CountCache(self._count)

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self._path)

    def count(self, text: str) -> int:
        """Return the number of tokens; special-token syntax counts as plain text where that takes more."""
        return self._cached(text)

    def _count(self, text: str) -> int:
        # The Rust side cannot take lone surrogates.
        clean = text.encode("utf-8", "replace").decode("utf-8")
        readings = self._readings if self._added.search(clean) else self._readings[:1]
        return max(len(reading.encode(clean, add_special_tokens=False).ids) for reading in readings)

    def __repr__(self) -> str:
        return f"HuggingFaceTokenizer({str(self._path)!r})"


def _read(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - optional
    except ImportError:
        raise UsageError(
            f"counting with {str(path)!r} needs the `tokenizers` package; install it with"
            " `pip install 'quaestor[tokenizers]'`"
        ) from None
    if not path.is_file():
        raise NotFoundError(f"there is no tokenizer file {str(path)!r}; give the path of a tokenizer.json")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise UsageError(
            f"{str(path)!r} is not a tokenizer ({str(error)[:120]}); give the tokenizer.json of the model"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _readings(tokenizer: Any) -> list[Any]:
    """Return the tokenizer as it reads text with no added tokens, with those that are not special, and with all."""
    description = tokenizer.to_str()
    tokenizers = type(tokenizer)
    plain = tokenizers.from_str(json.dumps({**json.loads(description), "added_tokens": []}))
    ordinary = tokenizers.from_str(description)
    ordinary.encode_special_tokens = True
    return [plain, ordinary, tokenizer]


def _pattern(tokenizer: Any) -> re.Pattern[str]:
    """Return what finds a tokenizer's added tokens, in capitals or not, as normalizers may change them."""
    contents = {added.content for added in tokenizer.get_added_tokens_decoder().values() if added.content}
    return re.compile("|".join(map(re.escape, sorted(contents))) or "(?!)", re.IGNORECASE)
