"""Conversations that a client keeps: its messages, its tools, its stop sequences."""

from __future__ import annotations

from chat_parts import answer, ask, model_at

from quaestor import Index
from quaestor.chat.call_protocols import CallerTools
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.conversation_state import numbers_cited
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Done, Event, Passages, Stopped, Text
from quaestor.core.messages import Message, ToolCall
from quaestor.server.openai.chat_turn import transcript_of_client
from scripted_server import Call, Reply, StartServer

QUESTION = "how often is a request sent?"
WEATHER: dict[str, object] = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def done(events: list[Event]) -> Done:
    last = events[-1]
    assert isinstance(last, Done)
    return last


def shown(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


def test_what_was_said_elsewhere_is_sent(corpus: Index, scripted_server: StartServer) -> None:
    past = (
        Message("system", "Answer in rhymes."),
        Message("user", "is there a kitchen guide?"),
        Message("assistant", "There is one."),
    )
    server = scripted_server(["Three times."])
    ask(Conversation(corpus, model_at(server), transcript=transcript_of_client(past)), QUESTION)
    sent = [message["content"] for message in server.requests[0].messages]
    assert [sent.index(message.content) for message in past] == sorted(sent.index(message.content) for message in past)
    assert sent[-1] == QUESTION
    roles = [message["role"] for message in server.requests[0].messages]
    assert roles[:2] == ["system", "system"]


def test_nothing_was_said_elsewhere(corpus: Index, scripted_server: StartServer) -> None:
    conversation = Conversation(corpus, model_at(scripted_server(["Three."])), transcript=transcript_of_client(()))
    assert answer(ask(conversation, QUESTION)) == "Three."


def test_numbers_of_answers_given_elsewhere_mean_nothing_else(corpus: Index) -> None:
    past = (Message("user", "what is first?"), Message("assistant", 'The guide [1], and [2: "dough"], not x[40].'))
    assert numbers_cited(past) == {1, 2, 40}
    events = ask(Conversation(corpus, transcript=transcript_of_client(past)), QUESTION)
    [passages] = [event for event in events if isinstance(event, Passages)]
    assert set(passages.numbers).isdisjoint({1, 2, 40})


def test_the_callers_tools_are_declared_and_their_calls_come_back(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server([Reply(calls=[Call("weather", ['{"city": ', '"Graz"}'], "call_7")])])
    settings = ConversationSettings(parameters={"tool_choice": "auto", "seed": 7})
    conversation = Conversation(corpus, model_at(server), settings=settings, caller_tools=CallerTools((WEATHER,)))
    last = done(ask(conversation, "how is the weather?"))
    assert (last.finish, last.calls) == ("tool_calls", (ToolCall("call_7", "weather", '{"city": "Graz"}'),))
    assert len(server.requests) == 1
    sent = server.requests[0].body
    assert (sent["tools"], sent["tool_choice"], sent["seed"]) == ([WEATHER], "auto", 7)


def test_what_the_callers_tools_said_is_sent_behind_the_question(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server(["It rains."])
    call = ToolCall("call_7", "weather", "{}")
    after = (Message("assistant", "", tool_calls=(call,)), Message("tool", "rain", tool_call_id="call_7"))
    conversation = Conversation(corpus, model_at(server), caller_tools=CallerTools((WEATHER,), after))
    assert answer(ask(conversation, "how is the weather?")) == "It rains."
    assert [message["role"] for message in server.requests[0].messages[-3:]] == ["user", "assistant", "tool"]


def test_a_stop_sequence_ends_what_is_visible(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server([Reply(pieces=["One. Tw", "o. STO", "P Three."])])
    conversation = Conversation(corpus, model_at(server), settings=ConversationSettings(stop=("STOP", "never")))
    events = ask(conversation, QUESTION)
    assert shown(events) == answer(events) == "One. Two. "
    assert done(events).finish == "stop"
    assert done(events).usage.prompt_tokens > 0


def test_the_beginning_of_a_stop_sequence_is_shown_at_last(corpus: Index, scripted_server: StartServer) -> None:
    model = model_at(scripted_server(["It is STO"]))
    events = ask(Conversation(corpus, model, settings=ConversationSettings(stop=("STOP",))), QUESTION)
    assert shown(events) == "It is STO"


def test_why_a_reply_ended_is_told(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server(["It is sent three times and then never again."])
    settings = ConversationSettings(reserve=3)
    conversation = Conversation(corpus, model_at(server), settings=settings)
    events = ask(conversation, QUESTION)
    assert done(events).finish == "length"
    # What lacks its end does not look whole, neither now nor later.
    [reason] = [event.reason for event in events if isinstance(event, Stopped)]
    assert "cut off" in reason
    assert conversation.transcript.turns()[0].ending.error == reason


def test_a_whole_reply_is_not_called_cut_off(corpus: Index, scripted_server: StartServer) -> None:
    events = ask(Conversation(corpus, model_at(scripted_server(["It is sent again."]))), QUESTION)
    assert done(events).finish == "stop"
    assert not any(isinstance(event, Stopped) for event in events)


def test_an_answer_of_quotes_is_cut_as_well(corpus: Index) -> None:
    whole = answer(ask(Conversation(corpus), QUESTION))
    stop = whole[10:14]
    cut = answer(ask(Conversation(corpus, settings=ConversationSettings(stop=(stop,))), QUESTION))
    assert cut == whole[: whole.index(stop)]
