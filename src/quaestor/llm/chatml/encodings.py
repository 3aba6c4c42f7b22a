"""Encoding a token-level list as token ids, by tiktoken's or Hugging Face's tokenizers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

from quaestor.core.errors import UsageError
from quaestor.core.messages import Message
from quaestor.llm.chatml.tokenlist import END, START, Rendered, SpecialToken, clean, parse, render, special_token


class Encoding(Protocol):
    """A token encoding that keeps special tokens and text apart."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text`` read as plain text; no id is that of a special token."""
        ...

    def special(self, token: str) -> int:
        """Return the id of a special token; raises ``UsageError`` if the encoding has none."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids that ``encode_ordinary`` gave."""
        ...


class TiktokenEncoding:
    """A ``tiktoken.Encoding``, with the ids of special tokens that it does not name.

    Args:
        encoding: the encoding; only its ordinary tokens are ever used for text.
        special_tokens: ids beside the encoding's own, such as ``CL100K_CHATML``.
    """

    def __init__(self, encoding: Any, special_tokens: Mapping[str, int] | None = None) -> None:
        self._encoding = encoding
        self._special = {token: encoding.encode_single_token(token) for token in encoding.special_tokens_set}
        self._special |= special_tokens or {}

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``."""
        ids: list[int] = self._encoding.encode_ordinary(clean(text))
        return ids

    def special(self, token: str) -> int:
        """Return the id of a special token."""
        return _look_up(token, self._special)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids."""
        text: str = self._encoding.decode(list(ids))
        return text


CL100K_CHATML: Mapping[str, int] = {START: 100264, END: 100265}
"""ChatML's ids in OpenAI's ``cl100k_base``, as tiktoken's README gives them."""


class HuggingFaceEncoding:
    """A Hugging Face fast tokenizer whose special tokens are out of the reach of text.

    The library looks for every added token, special or not, inside of any text that it encodes. Text is
    therefore encoded by a copy without added tokens. Where a model's own vocabulary holds such a token
    (Unigram models list ``</s>``) and it comes out nevertheless, the text is cut behind the token's first
    letter and encoded in two parts.

    Args:
        tokenizer: a ``tokenizers.Tokenizer``, or a fast tokenizer of ``transformers``.
    """

    def __init__(self, tokenizer: Any) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - optional, and only needed with such a tokenizer

        self._tokenizer = getattr(tokenizer, "backend_tokenizer", tokenizer)
        description = json.loads(self._tokenizer.to_str())
        self._special = {added["content"]: added["id"] for added in description["added_tokens"]}
        self._added_ids = frozenset(self._special.values())
        self._unknown = _unknown_id(description["model"], self._tokenizer)
        self._plain = Tokenizer.from_str(json.dumps({**description, "added_tokens": []}))
        self._plain.no_truncation()
        self._plain.no_padding()

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``; none of them is an added token's.

        Raises:
            UsageError: the vocabulary has no other way to write the text.
        """
        text = clean(text)
        encoded = self._plain.encode(text, add_special_tokens=False)
        ids: list[int] = encoded.ids
        for place, one in enumerate(ids):
            # An unknown letter is honestly unknown; it opens and closes nothing.
            if one in self._added_ids and one != self._unknown:
                start, end = encoded.offsets[place]
                if end - start < 2:
                    raise UsageError(f"{text[start:end]!r} can only be written as a special token of this tokenizer")
                return self.encode_ordinary(text[: start + 1]) + self.encode_ordinary(text[start + 1 :])
        return ids

    def special(self, token: str) -> int:
        """Return the id of an added token."""
        return _look_up(token, self._special)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids."""
        text: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
        return text


def _unknown_id(model: Mapping[str, Any], tokenizer: Any) -> int | None:
    token = model.get("unk_token")
    unknown: int | None = model.get("unk_id") if token is None else tokenizer.token_to_id(token)
    return unknown


def _look_up(token: str, special: Mapping[str, int]) -> int:
    if token not in special:
        raise UsageError(
            f"the encoding has no token {token!r}; use a model that was trained on ChatML, or give the token's id"
        )
    return special[token]


def encode(messages: Sequence[Message], encoding: Encoding, *, partial: bool = False, reply: bool = False) -> list[int]:
    """Return the ids of a conversation; text can never become a special token.

    Raises:
        PartialMessageError: as ``render``.
        UsageError: the encoding has no ChatML tokens.
    """
    return encode_rendered(render(messages, partial=partial, reply=reply), encoding)


def encode_rendered(rendered: Sequence[str | SpecialToken], encoding: Encoding) -> list[int]:
    """Return the ids of a token-level list."""
    ids: list[int] = []
    for item in rendered:
        ids += encoding.encode_ordinary(item) if isinstance(item, str) else [encoding.special(item["token"])]
    return ids


def decode(ids: Sequence[int], encoding: Encoding) -> Rendered:
    """Return the token-level list of ids: the inverse of ``encode_rendered``."""
    special = {encoding.special(token): token for token in (START, END)}
    cuts = [-1, *(place for place, one in enumerate(ids) if one in special), len(ids)]
    rendered: Rendered = []
    for before, after in pairwise(cuts):
        if before >= 0:
            rendered.append(special_token(special[ids[before]]))
        if after > before + 1:
            rendered.append(encoding.decode(ids[before + 1 : after]))
    return rendered


def parse_ids(ids: Sequence[int], encoding: Encoding) -> list[Message]:
    """Return the messages of ids: the inverse of ``encode``.

    Exact wherever the encoding itself is: byte-level encodings give every text back; encodings that normalise
    (NFC, lower case, blanks) give the normalised text.

    Raises:
        MalformedError: the ids are not ChatML, or the encoding loses the line break behind the role (WordPiece does).
    """
    return parse(decode(ids, encoding))
