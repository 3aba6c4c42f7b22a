"""The token-level list: special tokens as objects, text as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypedDict, get_args
from urllib.parse import unquote

from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, Role, ToolCall

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text with lone surrogates, which are not text, replaced."""
    return _SURROGATE.sub("\ufffd", text)


START = "<|im_start|>"
END = "<|im_end|>"

_ROLES: Mapping[str, Role] = {role: role for role in get_args(Role)}
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
    """The text is not ChatML."""


def render(messages: Sequence[Message], *, partial: bool = False, reply: bool = False) -> Rendered:
    """Return the token-level list of a conversation.

    Args:
        messages: in order.
        partial: the last message is left open for the model to continue.
        reply: open an assistant message at the end.

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
    """Return (header, content) of a message's blocks: one, and one more a tool call."""
    header = message.role + _attribute("name", message.name) + _attribute("call", message.tool_call_id)
    calls = [
        (message.role + _attribute("call", call.id) + _attribute("to", call.name), clean(call.arguments))
        for call in message.tool_calls
    ]
    return [(header, clean(message.content)), *calls]


def _attribute(key: str, value: str | None) -> str:
    return "" if value is None else f" {key}={_UNSAFE_IN_ATTRIBUTE.sub(_percent, clean(value))}"


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
