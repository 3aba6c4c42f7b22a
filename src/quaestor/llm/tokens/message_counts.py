"""Counts the tokens of whole messages and tools, including the overhead that servers add.

OpenAI documents the overhead of a message. Other servers use a chat template that we cannot see; for them, the overhead
is set generously, and the count is an upper bound.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from quaestor.core.light_imports import NamedTuple
from quaestor.core.messages import Message, ToolCall
from quaestor.llm.tokens.bound import Tokenizer, tokenizer_for


class Overheads(NamedTuple):
    """A server's overheads, in tokens.

    Attributes:
        message: for each message, without its role.
        name: for a message's name, in addition to the name itself.
        reply: once per request, for the start of the reply.
        call: for each tool call, in addition to its name and arguments.
        tools: once per request that declares tools.
        tool: for each declared tool, in addition to its schema.
        indented: whether schemas are counted as indented JSON, as some templates write them.
    """

    message: int
    name: int
    reply: int
    call: int
    tools: int
    tool: int
    indented: bool


OPENAI = Overheads(message=3, name=1, reply=3, call=12, tools=16, tool=12, indented=False)
"""As documented for gpt-3.5, gpt-4 and gpt-4o; the values for tools, whose form is unpublished, are rounded up."""

TEMPLATE = Overheads(message=8, name=4, reply=96, call=24, tools=320, tool=24, indented=True)
"""Enough for the templates of the Llama, Qwen, Mistral, Gemma, Phi and DeepSeek families.

``reply`` covers the system prompt and date that some of them add by themselves; ``tools`` covers their instructions.
"""


class MessageCounter:
    """Counts the tokens of a request in a model's window.

    Args:
        tokenizer: counts texts.
        overheads: the server's overheads.
    """

    def __init__(self, tokenizer: Tokenizer, overheads: Overheads = TEMPLATE) -> None:
        self.tokenizer = tokenizer
        self.overheads = overheads

    @property
    def exact(self) -> bool:
        """Whether messages without tool calls are counted to the token."""
        return self.tokenizer.exact and self.overheads == OPENAI

    def text(self, text: str) -> int:
        """Return the tokens of text without overhead."""
        return self.tokenizer.count(text)

    def message(self, message: Message) -> int:
        """Return the tokens of one message, including its overhead."""
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
        """Return the tokens of a conversation, including the start of the reply."""
        return self.overheads.reply + sum(map(self.message, messages))

    def tools(self, tools: Sequence[Mapping[str, object]]) -> int:
        """Return the tokens of declared function schemas; 0 for none."""
        if not tools:
            return 0
        return self.overheads.tools + sum(map(self._tool, tools))

    def request(self, messages: Iterable[Message], tools: Sequence[Mapping[str, object]] = ()) -> int:
        """Return the tokens of a whole request."""
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
    # gpt-oss has OpenAI's encoding, but its servers use a chat template.
    openai = tokenizer.exact and not model.endswith(".json") and "gpt-oss" not in model.lower()
    return MessageCounter(tokenizer, OPENAI if openai else TEMPLATE)


def _respace_json(arguments: str) -> str:
    """Return JSON as a template that parses and serialises it again would write it; other text unchanged."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
