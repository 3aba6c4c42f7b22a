"""Exact counts, cached by text: for OpenAI's encodings, and from a ``tokenizer.json``.

The rank files of OpenAI's encodings are part of the package; a ``tokenizer.json`` is read if the optional
``tokenizers`` package is installed. Texts are cut where no token can span the cut, so that a long conversation is
counted once, and of a growing text only the new part.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from hashlib import blake2b
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from quaestor.core.errors import NotFoundError, UsageError

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

# tiktoken's regular expressions panic on about a million consecutive blanks.
_LONGEST_BLANK = 400_000
_BLANK = re.compile(r"\s+")

_BOUNDARY = re.compile(r"\n(?![/\r\n])(?=[^\S\r\n]*\S)")
# For shorter texts, a look-up takes longer than counting.
_LEAST = 200


def read_ranks(name: EncodingName) -> dict[bytes, int]:
    """Return an encoding's tokens with their ranks, from the compressed file in this package."""
    packed = Path(__file__).with_name("ranks").joinpath(f"{name}.z").read_bytes()
    raw = zlib.decompress(packed)
    number = int.from_bytes(raw[:4], "little")
    ends = accumulate(raw[4 : 4 + number], initial=4 + number)
    return {raw[start:end]: rank for rank, (start, end) in enumerate(pairwise(ends))}


@cache
def load_encoding(name: EncodingName) -> tiktoken.Encoding:
    """Return tiktoken's encoding, built once per process from the ranks in this package.

    Raises:
        ValueError: the package does not include the encoding.
    """
    if name not in _PATTERNS:
        raise ValueError(f"encoding {name!r} is not included; use one of {', '.join(map(repr, _PATTERNS))}")
    import tiktoken  # noqa: PLC0415 - takes 50 ms

    return tiktoken.Encoding(
        name=name,
        pat_str=_PATTERNS[name],
        mergeable_ranks=read_ranks(name),
        special_tokens=dict(_SPECIAL_TOKENS[name]),
    )


def count_tokens(name: EncodingName, text: str) -> int:
    """Return the number of tokens without caching it; special-token syntax counts as plain text."""
    encoding = load_encoding(name)
    if len(text) <= _LONGEST_BLANK:
        return len(encoding.encode_ordinary(text))
    return sum(len(encoding.encode_ordinary(piece)) for piece in _without_long_blanks(text))


class ExactTokenizer:
    """Counts tokens as OpenAI's servers do.

    The only exception: a run of over 400,000 blanks is counted in pieces, which gives a few tokens too many.
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
    """Cut ``text`` within its long runs of blanks; the joined pieces equal the text."""
    cuts = [
        cut
        for blank in _BLANK.finditer(text)
        if blank.end() - blank.start() > _LONGEST_BLANK
        for cut in range(blank.start() + _LONGEST_BLANK, blank.end(), _LONGEST_BLANK)
    ]
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]


class HuggingFaceTokenizer:
    """Counts with the tokenizer that was published with a model; never too few, even for text with added tokens.

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
        """Return the number of tokens; special-token syntax counts as plain text if that needs more."""
        return self._cached(text)

    def _count(self, text: str) -> int:
        # The library, written in Rust, does not accept lone surrogates.
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
    """Return the tokenizer without added tokens, with those that are not special, and with all of them."""
    description = tokenizer.to_str()
    tokenizers = type(tokenizer)
    plain = tokenizers.from_str(json.dumps({**json.loads(description), "added_tokens": []}))
    ordinary = tokenizers.from_str(description)
    ordinary.encode_special_tokens = True
    return [plain, ordinary, tokenizer]


def _pattern(tokenizer: Any) -> re.Pattern[str]:
    """Return a pattern for a tokenizer's added tokens, case-insensitive because normalizers may change the case."""
    contents = {added.content for added in tokenizer.get_added_tokens_decoder().values() if added.content}
    return re.compile("|".join(map(re.escape, sorted(contents))) or "(?!)", re.IGNORECASE)


def segments(text: str) -> Iterator[str]:
    """Yield pieces of a text whose counts in OpenAI's encodings add up; appended text changes only the last one."""
    start = 0
    while match := _BOUNDARY.search(text, start + _LEAST):
        yield text[start : match.end()]
        start = match.end()
    yield text[start:]


_SHORT = 256
_ENTRIES = 1 << 16

SEGMENTS = 1 << 13
"""The size of the cache for pieces of texts: enough to compose one window."""

CountT = TypeVar("CountT")


class CountCache(Generic[CountT]):
    """A cache of counts by text, which drops the oldest first.

    Long texts are keyed by their digest, so that a tool result of 10 MB does not stay in memory because it was counted.
    """

    def __init__(self, count: Callable[[str], CountT], entries: int = _ENTRIES) -> None:
        self._count = count
        self._entries = entries
        self._known: dict[str | bytes, CountT] = {}

    def __call__(self, text: str) -> CountT:
        """Return the count of ``text``, counting it if it is new."""
        key = text if len(text) <= _SHORT else _digest(text)
        known = self._known.get(key)
        if known is None:
            known = self._count(text)
            if len(self._known) >= self._entries:
                # Another thread may have dropped the same entry already.
                self._known.pop(next(iter(self._known)), None)
            self._known[key] = known
        return known


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
