"""Token ids: what a server that takes them is sent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quaestor.core.messages import Message
from quaestor.llm.chatml.encodings import Encoding
from quaestor.llm.chatml.tokenlist import END, START, Rendered, SpecialToken, parse, render, special_token


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
