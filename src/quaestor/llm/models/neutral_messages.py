"""Breaking up special tokens in requests and restoring them in replies, for servers that look for them in text.

Special tokens are broken up in every message, whoever wrote it; only our own tags stay whole, because they are not
tokens of any model. The text that is sent is what is counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from quaestor.core.messages import Message, ToolCall
from quaestor.llm import chatml, tags
from quaestor.llm.models import Request
from quaestor.llm.tokens import MessageCounter, Tokenizer
from quaestor.llm.tokens.exact import CountCache

# Escapes of JSON whose letters could be written as they are; a backslash and a quote could not, nor could a surrogate.
_ESCAPED = re.compile(
    r"\\(?:u(?P<code>(?!00[01]|0022|005[cC]|007[fF]|[dD][89a-fA-F])[0-9a-fA-F]{4})|(?P<slash>/)|.)", re.DOTALL
)


def neutral_text(text: str) -> str:
    """Return a text in the form that is sent."""
    return chatml.neutralise(text, tags.OPENINGS)


def neutral_request(request: Request) -> Request:
    """Return a request in whose texts, names and schemas no special token is left."""
    return replace(
        request,
        messages=tuple(map(neutral_message, request.messages)),
        tools=tuple(_neutral_value(tool) for tool in request.tools),
    )


def neutral_message(message: Message) -> Message:
    """Return a message in the form that is sent."""
    return replace(
        message,
        content=neutral_text(message.content),
        name=None if message.name is None else neutral_text(message.name),
        tool_calls=tuple(map(_neutral_call, message.tool_calls)),
        tool_call_id=None if message.tool_call_id is None else neutral_text(message.tool_call_id),
    )


def restored_arguments(arguments: str) -> str:
    """Return the arguments of a call, in JSON, with the special tokens that they had before they were sent.

    If no special token was broken up, they stay exactly as the model wrote them.
    """
    plain = _unescape_json(arguments)
    restored = chatml.restore(plain, tags.OPENINGS)
    return arguments if restored == plain else restored


def neutral_counter(counter: MessageCounter) -> MessageCounter:
    """Return a counter of texts as they are sent."""
    other = copy(counter)
    other.tokenizer = NeutralTokenizer(counter.tokenizer)
    return other


class NeutralTokenizer:
    """Counts texts as they are sent.

    Args:
        tokenizer: counts the neutral text.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.count = CountCache(lambda text: tokenizer.count(neutral_text(text)))

    @property
    def name(self) -> str:
        """The tokenizer's name."""
        return self._tokenizer.name

    @property
    def exact(self) -> bool:
        """Whether the tokenizer is exact."""
        return self._tokenizer.exact


def _neutral_call(call: ToolCall) -> ToolCall:
    return ToolCall(neutral_text(call.id), neutral_text(call.name), neutral_text(_unescape_json(call.arguments)))


def _neutral_value(value: Any) -> Any:
    """Return a JSON value with its strings as they are sent; the names of members are ours."""
    if isinstance(value, str):
        return neutral_text(value)
    if isinstance(value, Mapping):
        return {name: _neutral_value(member) for name, member in value.items()}
    return [*map(_neutral_value, value)] if isinstance(value, list | tuple) else value


def _unescape_json(json_text: str) -> str:
    r"""Return JSON whose letters are written as they are: a template would read ``\u003c`` and write ``<``."""
    return _ESCAPED.sub(_letter, json_text) if "\\" in json_text else json_text


def _letter(escape: re.Match[str]) -> str:
    if escape["code"]:
        return chr(int(escape["code"], 16))
    return "/" if escape["slash"] else escape[0]
