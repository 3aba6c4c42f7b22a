"""Random conversations with the faults of imported transcripts, and messages that cost one token a letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from quaestor.core.messages import Message, ToolCall

WORDS = ("retry", "timeout", "the", "client", "waits", "für", "日本", "x_1", "\n", "Anna", "budget", "🙂", "of", "lake")

texts = st.builds(
    lambda words, times: " ".join(words * times), st.lists(st.sampled_from(WORDS), max_size=12), st.integers(0, 40)
)
names = st.sampled_from([None, None, "anna", "ben"])


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """A tool call with all of its results, or with faults."""
    number = draw(st.integers(1, 3))
    calls = tuple(ToolCall(f"call_{n}", "search", '{"query": "retry"}') for n in range(number))
    results = [Message("tool", draw(texts), tool_call_id=call.id) for call in calls]
    fault = draw(st.sampled_from(["none", "none", "none", "lost", "orphan", "twice"]))
    if fault == "lost":
        results.pop(draw(st.integers(0, number - 1)))
    if fault == "orphan":
        return results
    if fault == "twice":
        results.append(results[0])
    return [Message("assistant", draw(texts), tool_calls=calls), *results]


plain = st.builds(Message, st.sampled_from(["user", "assistant", "assistant", "user", "system"]), texts, names)
pieces = st.one_of(plain.map(lambda message: [message]), plain.map(lambda message: [message]), exchanges())


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """A whole conversation, mostly with a question at its end."""
    head = [Message("system", draw(texts)) for _ in range(draw(st.integers(0, 2)))]
    for _ in range(draw(st.integers(0, 2))):
        head.append(Message("system", draw(texts), name="example_user"))
        head.append(Message("system", draw(texts), name="example_assistant"))
    history = [message for piece in draw(st.lists(pieces, max_size=25)) for message in piece]
    question = [Message("user", draw(texts))] if draw(st.integers(0, 9)) else []
    turn = [message for piece in draw(st.lists(exchanges(), max_size=2)) for message in piece]
    opened = [Message("assistant", "<think>")] if draw(st.booleans()) else []
    return [*head, *history, *question, *turn, *opened]


class Letters:
    """A counter that is a function of its input."""

    def text(self, text: str) -> int:
        return len(text)

    def message(self, message: Message) -> int:
        return 1 + len(message.content) + sum(len(call.arguments) for call in message.tool_calls)

    def messages(self, messages: Sequence[Message]) -> int:
        return 3 + sum(map(self.message, messages))

    def tools(self, tools: Sequence[Mapping[str, object]]) -> int:
        return 10 * len(tools)


def system(text: str, name: str | None = None) -> Message:
    return Message("system", text, name=name)


def user(text: str, name: str | None = None) -> Message:
    return Message("user", text, name=name)


def assistant(text: str, *calls: str) -> Message:
    return Message("assistant", text, tool_calls=tuple(ToolCall(call, "search", "{}") for call in calls))


def tool(text: str, call: str) -> Message:
    return Message("tool", text, tool_call_id=call)
