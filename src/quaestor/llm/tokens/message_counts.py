"""Counting whole messages and tools, with the servers' overheads.

OpenAI documents the overhead of a message; other servers use a chat template that we cannot see, so their allowances
are generous and the count is an upper bound.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quaestor.core.messages import Message, ToolCall
from quaestor.llm.tokens.known import Tokenizer, tokenizer_for


@dataclass(frozen=True, slots=True)
class Overheads:
    """A server's overheads, in tokens.

    Attributes:
        message: around each message, without its role.
        name: beside a message's name.
        reply: once a request, for starting the reply.
        call: beside each tool call's name and arguments.
        tools: once a request that declares tools.
        tool: beside each declared tool's schema.
        indented: whether schemas are counted as indented JSON, which is how some templates write them.
    """

    message: int
    name: int
    reply: int
    call: int
    tools: int
    tool: int
    indented: bool


OPENAI = Overheads(message=3, name=1, reply=3, call=12, tools=16, tool=12, indented=False)
"""As documented for gpt-3.5, gpt-4 and gpt-4o; tools rounded up, for their rendering is not published."""

TEMPLATE = Overheads(message=8, name=4, reply=96, call=24, tools=320, tool=24, indented=True)
"""Enough for the templates of the Llama, Qwen, Mistral, Gemma, Phi and DeepSeek families.

``reply`` covers the system sentence and date that some of them add unasked; ``tools`` their explanation of calling.
"""


class MessageCounter:
    """Counts the tokens of a request in a model's window.

    Args:
        tokenizer: counts texts.
        overheads: of the server.
    """

    def __init__(self, tokenizer: Tokenizer, overheads: Overheads = TEMPLATE) -> None:
        self.tokenizer = tokenizer
        self.overheads = overheads

    @property
    def exact(self) -> bool:
        """Whether messages without tool calls are counted to the token."""
        return self.tokenizer.exact and self.overheads == OPENAI

    def text(self, text: str) -> int:
        """Return the tokens of bare text."""
        return self.tokenizer.count(text)

    def message(self, message: Message) -> int:
        """Return the tokens of one message, with what surrounds it."""
        count = self.tokenizer.count
        total = self.overheads.message + count(message.role) + count(message.content)
        if message.name is not None:
            total += self.overheads.name + count(message.name)
        if message.tool_call_id is not None:
            total += count(message.tool_call_id)
        if message.tool_calls:
            total += sum(map(self._call, message.tool_calls))
        return total

    def messages(self, messages: Iterable[Message]) -> int:
        """Return the tokens of a conversation, the start of the reply included."""
        return self.overheads.reply + sum(map(self.message, messages))

    def tools(self, tools: Sequence[Mapping[str, object]]) -> int:
        """Return the tokens of declared function schemas; 0 for none."""
        if not tools:
            return 0
        return self.overheads.tools + sum(map(self._tool, tools))

    def request(self, messages: Iterable[Message], tools: Sequence[Mapping[str, object]] = ()) -> int:
        """Return the tokens of everything that is sent."""
        return self.messages(messages) + self.tools(tools)

    def _call(self, call: ToolCall) -> int:
        count = self.tokenizer.count
        written = max(count(call.arguments), count(_respace_json(call.arguments)))
        return self.overheads.call + count(call.id) + count(call.name) + written

    def _tool(self, tool: Mapping[str, object]) -> int:
        indent = 4 if self.overheads.indented else None
        return self.overheads.tool + self.tokenizer.count(json.dumps(tool, indent=indent, ensure_ascii=False))


def counter_for(model: str) -> MessageCounter:
    """Return the counter of a model by its name; see ``tokenizer_for``."""
    tokenizer = tokenizer_for(model)
    # gpt-oss has OpenAI's encoding, but runs behind a chat template.
    openai = tokenizer.exact and not model.endswith(".json") and "gpt-oss" not in model.lower()
    return MessageCounter(tokenizer, OPENAI if openai else TEMPLATE)


def _respace_json(arguments: str) -> str:
    """Return JSON as a template that parses and writes it again would show it; other text as it is."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
