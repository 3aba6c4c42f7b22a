"""The tiny model repeats what it memorised, whatever comes before: the basis of all other tests with real servers."""

from __future__ import annotations

import pytest
from real_parts import FILLER, Replied, ask, chat_model
from real_servers import RealServer

from quaestor.core.messages import Message, ToolCall
from quaestor.llm.models import Request
from quaestor.llm.models.capabilities import Capabilities

pytestmark = pytest.mark.real

SYSTEM = Message("system", FILLER[:2500])
PASSAGES = Message("user", FILLER[2500:9000])
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search the corpus.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


def said(server: RealServer, *messages: Message, **options: object) -> Replied:
    capable = Capabilities(native_tools=True, continues_assistant=True)
    return ask(chat_model(server, capabilities=capable), Request((SYSTEM, PASSAGES, *messages), **options))  # type: ignore[arg-type]


def test_a_plain_answer(llama: RealServer) -> None:
    replied = said(llama, Message("user", "How often is a request sent?"))
    assert replied.text == 'A request is sent three times [1: "MAX_ATTEMPTS = 3"].'
    assert replied.end.reason == "stop"
    assert replied.end.usage is not None
    assert replied.end.usage.reported


def test_calls_by_text_tags_end_at_their_closing_mark(llama: RealServer) -> None:
    question = Message("user", "Add a skip button to the onboarding screen.")
    written = ""
    for name, attributes in (
        ("search", ' query={"onboarding screen"}'),
        ("read", ' path={"onboarding.py"}'),
        (
            "edit",
            ' path={"onboarding.py"} search={"    return [next_button]"}'
            ' replace={"    return [next_button, skip_button]"}',
        ),
    ):
        call = f"<|{name}{attributes}"
        begun = (Message("assistant", written),) if written else ()
        replied = said(llama, question, *begun, stop=("|>",))
        assert (replied.text, replied.end.reason) == (call, "stop")
        result = f'<|result of={{"{name}"}}|>\ndef screen():\n    return [next_button]\n<|/result|>'
        written += f"{call}|>\n{result}\n"


def test_a_native_call_and_its_result(llama: RealServer) -> None:
    question = Message("user", "Which file holds the list of providers?")
    replied = said(llama, question, tools=(SEARCH,))
    assert (replied.text, replied.end.reason) == ("", "tool_calls")
    [call] = replied.end.tool_calls
    assert (call.name, call.arguments) == ("search", '{"query": "list of providers"}')
    called = Message("assistant", "", tool_calls=(ToolCall(call.id, call.name, call.arguments),))
    result = Message("tool", "providers.py: PROVIDERS = [", tool_call_id=call.id)
    replied = said(llama, question, called, result, tools=(SEARCH,))
    assert replied.text == 'The list of providers is in `providers.py` [1: "PROVIDERS = ["].'
