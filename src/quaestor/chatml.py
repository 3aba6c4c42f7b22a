"""The ChatML codec: one conversation as dicts, as a list with special tokens as objects, as token ids.

A document is a row of blocks, ``<|im_start|>header newline content<|im_end|>newline``. The header is the
role, then attributes whose values are percent-encoded: ``name=`` for a speaker (``system name=example_user``
for few-shot examples), ``call=`` and ``to=`` for tool calls and their results::

    <|im_start|>assistant\\nLet me look.<|im_end|>
    <|im_start|>assistant call=call_1 to=search\\n{"query": "retry"}<|im_end|>
    <|im_start|>tool call=call_1\\nsrc/http.py:10<|im_end|>

In the first three forms a special token is an object or an id and text is text, so text that looks like a
special token stays text. A raw string cannot promise that: ``unsafe_string`` says so in its name, and
``neutral_string`` breaks up whatever looks like a special token of any family.

After OpenAI's ChatML document of 2023 (openai-python, chatml.md); calls as blocks of their own are ours. This
module does not know how tokens are counted or sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypedDict, get_args
from urllib.parse import unquote

from quaestor.errors import UsageError
from quaestor.messages import Message, Role, ToolCall

START = "<|im_start|>"
END = "<|im_end|>"

_ROLES: Mapping[str, Role] = {role: role for role in get_args(Role)}
_SURROGATE = re.compile("[\ud800-\udfff]")
# What a header's attribute cannot hold as it is: blanks and anything that special-token syntax is made of.
_UNSAFE_IN_ATTRIBUTE = re.compile(r"[^\w.:/@+-]", re.ASCII)


class SpecialToken(TypedDict):
    """A special token in the token-level list."""

    token: str


Rendered = list[str | SpecialToken]
"""Special tokens as objects, text as text."""


class PartialMessageError(UsageError):
    """A message that only its author may complete was marked as partial."""


class MalformedError(UsageError):
    """What was to be parsed is not ChatML."""


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


# --- the token-level list -----------------------------------------------------------------------------------


def render(messages: Sequence[Message], *, partial: bool = False, reply: bool = False) -> Rendered:
    """Return the token-level list of a conversation.

    Args:
        messages: in order.
        partial: the last message is unfinished: the model is to go on with it, so it is not closed.
        reply: end by opening an assistant message.

    Raises:
        PartialMessageError: the partial message is not the assistant's, or makes tool calls.
    """
    if partial:
        _check_partial(messages)
    blocks = [block for message in messages for block in _blocks(message)]
    rendered: Rendered = []
    for header, content in blocks:
        rendered += [_token(START), f"{header}\n{content}", _token(END), "\n"]
    if partial:
        del rendered[-2:]
    elif reply:
        rendered += [_token(START), "assistant\n"]
    return rendered


def parse(rendered: Sequence[str | SpecialToken]) -> list[Message]:
    """Return the messages of a token-level list: the inverse of ``render``.

    An assistant message that was only opened, for the reply, is not a message yet and is left out.

    Raises:
        MalformedError: text outside of a block, an unknown role, a call without its message.
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


def _token(token: str) -> SpecialToken:
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
    """Return (header, content) of a message's blocks: one, and one more a tool call."""
    header = message.role + _attribute("name", message.name) + _attribute("call", message.tool_call_id)
    calls = [
        (message.role + _attribute("call", call.id) + _attribute("to", call.name), _clean(call.arguments))
        for call in message.tool_calls
    ]
    return [(header, _clean(message.content)), *calls]


def _attribute(key: str, value: str | None) -> str:
    return "" if value is None else f" {key}={_UNSAFE_IN_ATTRIBUTE.sub(_percent, _clean(value))}"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8"))


def _clean(text: str) -> str:
    # Lone surrogates are not text; no encoding can hold them.
    return _SURROGATE.sub("\ufffd", text)


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
    """Append the message of one block, or its tool call to the message before."""
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


# --- token ids ----------------------------------------------------------------------------------------------


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
            rendered.append(_token(special[ids[before]]))
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
        ids: list[int] = self._encoding.encode_ordinary(_clean(text))
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
        text = _clean(text)
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


# --- raw strings --------------------------------------------------------------------------------------------

# <|...  <｜...  <<...  <name>  </name>  <name|>  [INST]  [/TOOL_CALLS]  [gMASK]  [unused1]  [|Human|]
_OPENS = (
    r"<(?= {%s}(?:[|｜<]|/?[\w▁:.-]{1,64}[|｜]?>))"
    r"|\[(?= {%s}(?:[|｜]|/?(?:[a-z]?[A-Z][A-Z_]\w*|unused\d+)\]))"
)
_LOOKS_SPECIAL = re.compile(_OPENS.replace("%s", "0,"))
_LOOKS_NEUTRAL = re.compile(f"(?:{_OPENS.replace('%s', '1,')}) ")


def unsafe_string(messages: Sequence[Message], *, partial: bool = False, reply: bool = False) -> str:
    """Return the conversation as one raw string. **Unsafe**: text in it can become special tokens.

    Only for conversations of which every word is trusted, and for showing to people.
    """
    return _joined(render(messages, partial=partial, reply=reply))


def neutral_string(
    messages: Sequence[Message], *, partial: bool = False, reply: bool = False, keep: Collection[str] = ()
) -> str:
    """Return the conversation as one raw string in which only our own special tokens are whole.

    For servers that take nothing but a string and look for special tokens in it. See ``neutralise`` for what
    it promises; prefer ``encode`` wherever a server takes token ids. ``keep`` is for the system's and the
    assistant's words only: what others wrote is broken up whatever it is.
    """
    rendered = render(messages, partial=partial, reply=reply)
    return _joined([item if not isinstance(item, str) else neutralise(item, _kept(item, keep)) for item in rendered])


def neutralise(text: str, keep: Collection[str] = ()) -> str:
    """Return ``text`` with one blank more behind every ``<`` or ``[`` that might open a special token.

    It covers every token written as ``<|...``, ``<｜...``, ``<<...``, ``<name>``, ``</name>``, ``<name|>``, ``[NAME]``
    or ``[|...``, which are the forms of all families known to us; ordinary markup (``<div>``) gets the blank as well. A
    visible blank, for tokenizers normalise zero-width ones away. A tokenizer with special tokens of another form is
    **not** covered. ``restore`` gives the exact text back. What begins like one of ``keep`` stays as it is.
    """
    kept = tuple(keep)
    return _LOOKS_SPECIAL.sub(lambda at: at[0] if kept and text.startswith(kept, at.start()) else f"{at[0]} ", text)


def restore(text: str) -> str:
    """Return the text that ``neutralise`` was given."""
    return _LOOKS_NEUTRAL.sub(lambda found: found[0][0], text)


def _kept(block: str, keep: Collection[str]) -> Collection[str]:
    return keep if block.startswith(("system", "assistant")) else ()


def _joined(rendered: Iterable[str | SpecialToken]) -> str:
    return "".join(item if isinstance(item, str) else item["token"] for item in rendered)
