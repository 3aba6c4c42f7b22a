"""Exact counts from a Hugging Face ``tokenizer.json``, where the optional ``tokenizers`` package is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quaestor.errors import NotFoundError, UsageError
from quaestor.tokens.cache import CountCache


class HuggingFaceTokenizer:
    """Counts with the tokenizer that a model was published with.

    Raises:
        NotFoundError: there is no such file.
        UsageError: the ``tokenizers`` package is missing, or the file is not a tokenizer.
    """

    exact = True

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._tokenizer = _read(self._path)
        self._cached = CountCache(self._count)

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self._path)

    def count(self, text: str) -> int:
        """Return the number of tokens; special-token syntax counts as plain text."""
        return self._cached(text)

    def _count(self, text: str) -> int:
        # The Rust side cannot take lone surrogates.
        clean = text.encode("utf-8", "replace").decode("utf-8")
        return len(self._tokenizer.encode(clean, add_special_tokens=False).ids)

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
    tokenizer.encode_special_tokens = True
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
