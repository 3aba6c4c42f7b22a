"""Endpoints that take no function schemas: how their refusals read, and what is made of them."""

from __future__ import annotations

import pytest
from wire_parts import Start, ask, model_for

from quaestor.core.messages import Message
from quaestor.llm.endpoints.failures import ToolsRefusedError, refuses_tools
from quaestor.llm.models import Request
from scripted_server import Reply

REFUSALS = {
    "llama-server": "tools param requires --jinja flag",
    "vLLM": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "Ollama": "registry.ollama.ai/library/gemma:2b does not support tools",
    "OpenRouter": "No endpoints found that support tool use. To learn more about provider routing, visit: https://…",
    "Groq": "`tool calling` is not supported with this model",
    "DeepSeek": "deepseek-reasoner does not support Function Calling",
    "OpenAI": "Unsupported parameter: 'tools' is not supported with this model.",
    "an old proxy": "Unrecognized request argument supplied: tools",
    "pydantic": '[{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]',
}
OTHERS = (
    "Unsupported parameter: 'temperature' is not supported with this model.",
    "The model `gemma` does not exist",
    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    "Invalid schema for function 'search': 'strin' is not valid",
    "This model's maximum context length is 4096 tokens. However, your tools resulted in 5000 tokens.",
    "System role not supported",
    "Internal Server Error",
    "",
)
SCHEMA = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}
ASK = Request((Message("user", "Where?"),), tools=(SCHEMA,))


@pytest.mark.parametrize("sentence", REFUSALS.values(), ids=REFUSALS)
def test_refusals(sentence: str) -> None:
    assert refuses_tools(sentence)


@pytest.mark.parametrize("sentence", OTHERS)
def test_other_refusals(sentence: str) -> None:
    assert not refuses_tools(sentence)


@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_a_refusal_is_not_tried_again(scripted_server: Start, status: int) -> None:
    server = scripted_server([Reply(status=status, error="gemma does not support tools")])
    found = ask(model_for(server), ASK)
    assert isinstance(found.error, ToolsRefusedError)
    assert not found.error.retryable
    assert "set `tools` to 'text'" in str(found.error)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 429])
def test_a_key_or_a_limit_is_no_refusal_of_tools(scripted_server: Start, status: int) -> None:
    server = scripted_server([Reply(status=status, error="your plan does not support tools")])
    assert not isinstance(ask(model_for(server), ASK).error, ToolsRefusedError)
