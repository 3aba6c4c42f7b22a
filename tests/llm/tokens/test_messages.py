"""Messages and tools with what servers add."""

from __future__ import annotations

import json

import tiktoken

from moments import calls_of
from quaestor.core.messages import Message, ToolCall
from quaestor.llm.tokens import MessageCounter, counter_for
from quaestor.llm.tokens.exact import ExactTokenizer

# From OpenAI's cookbook, "How to count tokens with tiktoken": the API reported 129 for gpt-4 and 124 for gpt-4o.
COOKBOOK = [
    (
        "system",
        None,
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    ),
    ("system", "example_user", "New synergies will help drive top-line growth."),
    ("system", "example_assistant", "Things working well together will increase revenue."),
    (
        "system",
        "example_user",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    ),
    ("system", "example_assistant", "Let's talk later when we're less busy about how to do better."),
    ("user", None, "This late pivot means we don't have time to boil the ocean for the client deliverable."),
]
TOOL: dict[str, object] = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search the corpus.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


def test_openais_own_example() -> None:
    messages = [Message(role, content, name) for role, name, content in COOKBOOK]  # type: ignore[arg-type]
    assert counter_for("gpt-4").messages(messages) == 129
    assert counter_for("gpt-4o").messages(messages) == 124
    assert counter_for("gpt-4o").exact
    assert counter_for("tiny").messages(messages) > 129
    assert not counter_for("tiny").exact
    assert not counter_for("gpt-oss-20b").exact


def test_parts_add_up() -> None:
    counter = counter_for("gpt-4o")
    first, second = Message("user", "one"), Message("assistant", "two", name="x")
    assert counter.messages([first, second]) == counter.message(first) + counter.message(second) + 3
    assert counter.messages([]) == 3
    assert counter.tools(()) == 0
    assert counter.request([first], [TOOL]) == counter.messages([first]) + counter.tools([TOOL])


def test_tool_calls_and_schemas_cost_at_least_their_text() -> None:
    for model in ("gpt-4o", "gpt-4", "tiny", "qwen3"):
        counter = counter_for(model)
        arguments = '{"query":"login","limit":5}'
        call = Message("assistant", "", tool_calls=(ToolCall("call_1", "search", arguments),))
        assert counter.message(call) >= counter.text("search") + counter.text(json.dumps(json.loads(arguments))) + 3
        assert counter.tools([TOOL]) >= counter.text(json.dumps(TOOL))
        result = Message("tool", "found", tool_call_id="call_1")
        assert counter.message(result) > counter.message(Message("tool", "found"))


def test_arguments_that_are_no_json_are_counted_as_text() -> None:
    counter = counter_for("gpt-4o")
    for arguments in ("{oops", "[" * 100_000, ""):
        assert counter.message(Message("assistant", "", tool_calls=(ToolCall("a", "b", arguments),))) > 3


def test_ten_thousand_messages_are_counted_once() -> None:
    counter = MessageCounter(ExactTokenizer("o200k_base"))
    messages = [
        Message("user", f"message {number} about the parser and its {number % 7} states") for number in range(10_000)
    ]
    with calls_of(tiktoken.Encoding.encode_ordinary) as encoded:
        first = counter.messages(messages)
        once = len(encoded)
        assert once >= len(messages)
        assert counter.messages(messages) == first
        assert len(encoded) == once


def test_any_tokenizer_will_do() -> None:
    class Words:
        name = "words"
        exact = False

        def count(self, text: str) -> int:
            return len(text.split())

    assert MessageCounter(Words()).message(Message("user", "one two")) == 8 + 1 + 2
