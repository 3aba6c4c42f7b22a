"""The token-level list, in which special tokens are objects and text is text, and its encoding as token ids."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypedDict, get_args
from urllib.parse import unquote

from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, Role, ToolCall, without_surrogates

START = "<|im_start|>"
END = "<|im_end|>"

_ROLES: Mapping[str, Role] = {role: role for role in get_args(Role)}
# Characters that an attribute in a header holds only percent-encoded: blanks, and those of special-token syntax.
_UNSAFE_IN_ATTRIBUTE = re.compile(r"[^\w.:/@+-]", re.ASCII)


class SpecialToken(TypedDict):
    """A special token in the token-level list."""

    token: str


Rendered = list[str | SpecialToken]
"""A token-level list: special tokens as objects, text as strings."""


class PartialMessageError(UsageError):
    """A message that only its author may complete was marked as partial."""


class MalformedError(UsageError):
    """The text is not ChatML."""


def render(messages: Sequence[Message], *, partial: bool = False, reply: bool = False) -> Rendered:
    """Return the token-level list of a conversation.

    Args:
        messages: the messages in order.
        partial: whether the last message is left open for the model to continue.
        reply: whether to open an assistant message at the end.

    Raises:
        PartialMessageError: the partial message is not the assistant's, or makes tool calls.
    """
    if partial:
        _check_partial(messages)
    blocks = [block for message in messages for block in _blocks(message)]
    rendered: Rendered = []
    for header, content in blocks:
        rendered += [special_token(START), f"{header}\n{content}", special_token(END), "\n"]
    if partial:
        del rendered[-2:]
    elif reply:
        rendered += [special_token(START), "assistant\n"]
    return rendered


def parse(rendered: Sequence[str | SpecialToken]) -> list[Message]:
    """Return the messages of a token-level list: the inverse of ``render``.

    An assistant message that was only opened for the reply is left out.

    Raises:
        MalformedError: there is text outside a block, an unknown role, or a call without its message.
    """
    messages: list[Message] = []
    for text, closed in _closed_blocks(rendered):
        if not closed and text == "assistant\n":
            continue
        header, newline, content = text.partition("\n")
        if not newline:
            raise MalformedError(f"the block {text[:60]!r} has no line for its role; put `role\\n` before the content")
        _add(messages, header, content)
    return messages


def is_partial(rendered: Sequence[str | SpecialToken]) -> bool:
    """Return whether the last block is left open for the model."""
    tokens = [item["token"] for item in rendered if not isinstance(item, str)]
    return bool(tokens) and tokens[-1] == START


def special_token(token: str) -> SpecialToken:
    """Return a special token as an object."""
    return {"token": token}


def _check_partial(messages: Sequence[Message]) -> None:
    if not messages:
        raise PartialMessageError("there is no message to complete; add one, or ask for a reply")
    last = messages[-1]
    if last.role == "user":
        raise PartialMessageError(
            "a partial user message cannot be completed: the model would write the person's words;"
            " close it and ask for a reply"
        )
    if last.role != "assistant" or last.tool_calls:
        raise PartialMessageError(
            f"only an assistant message without tool calls can be partial, not a {last.role!r} message;"
            " close it and ask for a reply"
        )


def _blocks(message: Message) -> list[tuple[str, str]]:
    """Return the header and content of a message's blocks: one for the message, and one per tool call."""
    header = message.role + _attribute("name", message.name) + _attribute("call", message.tool_call_id)
    calls = [
        (message.role + _attribute("call", call.id) + _attribute("to", call.name), without_surrogates(call.arguments))
        for call in message.tool_calls
    ]
    return [(header, without_surrogates(message.content)), *calls]


def _attribute(key: str, value: str | None) -> str:
    return "" if value is None else f" {key}={_UNSAFE_IN_ATTRIBUTE.sub(_percent, without_surrogates(value))}"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8"))


def _closed_blocks(rendered: Sequence[str | SpecialToken]) -> list[tuple[str, bool]]:
    """Return each block's text and whether it was closed."""
    blocks: list[tuple[str, bool]] = []
    open_block: list[str] | None = None
    for item in rendered:
        if isinstance(item, str):
            if open_block is not None:
                open_block.append(item)
            elif item.strip():
                raise MalformedError(f"text outside of a message: {item[:60]!r}; put it after a {START} token")
        elif item["token"] == START and open_block is None:
            open_block = []
        elif item["token"] == END and open_block is not None:
            blocks.append(("".join(open_block), True))
            open_block = None
        else:
            raise MalformedError(f"the token {item['token']!r} does not belong here; blocks open, then close")
    if open_block is not None:
        blocks.append(("".join(open_block), False))
    return blocks


def _add(messages: list[Message], header: str, content: str) -> None:
    """Append the message of one block, or add its tool call to the last message."""
    role_name, *attributes = header.split(" ")
    role = _ROLES.get(role_name)
    if role is None:
        raise MalformedError(f"unknown role {role_name!r}; use one of {', '.join(map(repr, _ROLES))}")
    values = {key: unquote(value) for key, _, value in (item.partition("=") for item in attributes)}
    if "to" not in values:
        messages.append(Message(role, content, values.get("name"), (), values.get("call")))
        return
    if not messages or messages[-1].role != role:
        raise MalformedError(f"the tool call {values.get('call')!r} follows no {role} message; put it behind its own")
    owner = messages[-1]
    call = ToolCall(values.get("call", ""), values["to"], content)
    messages[-1] = Message(owner.role, owner.content, owner.name, (*owner.tool_calls, call), owner.tool_call_id)


class Encoding(Protocol):
    """A token encoding that keeps special tokens and text apart."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text`` as plain text, without ids of special tokens."""
        ...

    def special(self, token: str) -> int:
        """Return the id of a special token; raise ``UsageError`` if the encoding does not have it."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids from ``encode_ordinary``."""
        ...


class TiktokenEncoding:
    """A ``tiktoken.Encoding``, with the ids of special tokens that it does not name.

    Args:
        encoding: the encoding; only its ordinary tokens are used for text.
        special_tokens: ids in addition to the encoding's own, such as ``CL100K_CHATML``.
    """

    def __init__(self, encoding: Any, special_tokens: Mapping[str, int] | None = None) -> None:
        self._encoding = encoding
        self._special = {token: encoding.encode_single_token(token) for token in encoding.special_tokens_set}
        self._special |= special_tokens or {}

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``."""
        ids: list[int] = self._encoding.encode_ordinary(without_surrogates(text))
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
    """A Hugging Face fast tokenizer in which text can never become a special token.

    The library looks for every added token, special or not, in any text that it encodes. Text is therefore encoded by
    a copy without added tokens. If a model's own vocabulary holds such a token (Unigram models list ``</s>``) and it is
    produced nevertheless, the text is cut after the token's first character and encoded in two parts.

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
        self._plain_tokenizer = Tokenizer.from_str(json.dumps({**description, "added_tokens": []}))
        self._plain_tokenizer.no_truncation()
        self._plain_tokenizer.no_padding()

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``; none of them is an added token's.

        Raises:
            UsageError: the vocabulary has no other way to write the text.
        """
        text = without_surrogates(text)
        encoded = self._plain_tokenizer.encode(text, add_special_tokens=False)
        ids: list[int] = encoded.ids
        for place, one in enumerate(ids):
            # The id for unknown characters is harmless: it opens and closes nothing.
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

    It is as exact as the encoding: byte-level encodings return every text unchanged; encodings that normalise (NFC,
    lower case, blanks) return the normalised text.

    Raises:
        MalformedError: the ids are not ChatML, or the encoding loses the line break after the role, as WordPiece does.
    """
    return parse(decode(ids, encoding))
