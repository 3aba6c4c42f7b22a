"""Exact counts for OpenAI's encodings, from rank files that travel with the package.

tiktoken would download the ranks at first use; here its ``Encoding`` is built from our own copy, so that counting
works offline. See ``ranks/README.md`` for where they come from.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal

from quaestor.llm.tokens.count_cache import SEGMENTS, CountCache, segments

if TYPE_CHECKING:
    import tiktoken

EncodingName = Literal["cl100k_base", "o200k_base"]

_PATTERNS: Mapping[EncodingName, str] = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
        r"|\s+(?!\S)|\s"
    ),
    "o200k_base": "|".join(
        (
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
}
_SPECIAL_TOKENS: Mapping[EncodingName, Mapping[str, int]] = {
    "cl100k_base": {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
    "o200k_base": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
}

# tiktoken's regular expressions give up with a panic on about a million blanks in a row.
_LONGEST_BLANK = 400_000
_BLANK = re.compile(r"\s+")


def read_ranks(name: EncodingName) -> dict[bytes, int]:
    """Return an encoding's tokens with their ranks, from the compressed copy in this package."""
    packed = files("quaestor.llm.tokens").joinpath("ranks", f"{name}.z").read_bytes()
    raw = zlib.decompress(packed)
    number = int.from_bytes(raw[:4], "little")
    ends = accumulate(raw[4 : 4 + number], initial=4 + number)
    return {raw[start:end]: rank for rank, (start, end) in enumerate(pairwise(ends))}


@cache
def load_encoding(name: EncodingName) -> tiktoken.Encoding:
    """Return tiktoken's encoding, built once a process from the ranks in this package.

    Raises:
        ValueError: the encoding is not one that the package carries.
    """
    if name not in _PATTERNS:
        raise ValueError(f"encoding {name!r} is not carried; use one of {', '.join(map(repr, _PATTERNS))}")
    import tiktoken  # noqa: PLC0415 - takes 50 ms

    return tiktoken.Encoding(
        name=name,
        pat_str=_PATTERNS[name],
        mergeable_ranks=read_ranks(name),
        special_tokens=dict(_SPECIAL_TOKENS[name]),
    )


def count_tokens(name: EncodingName, text: str) -> int:
    """Return the number of tokens, nothing remembered; special-token syntax counts as plain text."""
    encoding = load_encoding(name)
    if len(text) <= _LONGEST_BLANK:
        return len(encoding.encode_ordinary(text))
    return sum(len(encoding.encode_ordinary(piece)) for piece in _without_long_blanks(text))


class ExactTokenizer:
    """Counts as OpenAI's servers do.

    One exception: a run of over 400,000 blanks is counted in pieces, which gives a few tokens too many.
    """

    exact = True

    def __init__(self, name: EncodingName) -> None:
        self._name: EncodingName = name
        self._cached = CountCache(self._count)
        self._segment = CountCache(partial(count_tokens, name), SEGMENTS)

    @property
    def name(self) -> str:
        """The encoding's name."""
        return self._name

    def count(self, text: str) -> int:
        """Return the number of tokens; special-token syntax counts as plain text."""
        return self._cached(text)

    def _count(self, text: str) -> int:
        return sum(map(self._segment, segments(text)))

    def __repr__(self) -> str:
        return f"ExactTokenizer({self._name!r})"


def _without_long_blanks(text: str) -> list[str]:
    """Cut ``text`` inside its long runs of blanks; the pieces together are the text."""
    cuts = [
        cut
        for blank in _BLANK.finditer(text)
        if blank.end() - blank.start() > _LONGEST_BLANK
        for cut in range(blank.start() + _LONGEST_BLANK, blank.end(), _LONGEST_BLANK)
    ]
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]
