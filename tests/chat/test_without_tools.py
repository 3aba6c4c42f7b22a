"""If a server refuses tools, calls are text tags from then on: in this turn, the conversation and its session."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_parts import answer, ask
from loop_parts import WAYS, Runs, of_kind, talking

from quaestor import Conversation, Index
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.events import Called, Retried
from quaestor.core.errors import UpstreamError
from quaestor.llm.endpoints.failures import ToolsRefusedError
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.prompts import load
from quaestor.sessions.transcript import Transcript
from scripted_server import Recorded, Reply, ScriptedServer, StartServer

QUESTION = "how long does the dough rest?"
FOUND = "It is tried three times."
REFUSAL = "registry.example/gemma:2b does not support tools"
TAGGED, _, NATIVE = WAYS


def without_tools(request: Recorded) -> Reply | str:
    """Act a server that knows no tools, and a model that searches by a tag and then answers."""
    if "tools" in request.body:
        return Reply(status=400, error=REFUSAL)
    if "<|/result|>" in request.last:
        return FOUND
    return TAGGED.call("search", {"query": "attempts"})


@pytest.fixture
def server(scripted_server: StartServer) -> ScriptedServer:
    return scripted_server(without_tools, models=("gpt-4o",))


def asked_with_tools(server: ScriptedServer) -> list[bool]:
    return ["tools" in request.body for request in server.requests]


def test_the_turn_goes_on_with_tags(corpus: Index, server: ScriptedServer) -> None:
    runs = Runs(corpus)
    events = ask(talking(corpus, server, NATIVE, runs), QUESTION)
    assert answer(events) == FOUND
    [retried] = of_kind(events, Retried)
    assert retried.tools
    assert REFUSAL in retried.reason
    assert runs.called == [("search", {"query": "attempts"})]
    assert [event.name for event in of_kind(events, Called)] == ["search"]
    assert asked_with_tools(server) == [True, False, False]
    first, second = (request.messages[0]["content"] for request in server.requests[:2])
    tags = load("subroutines_tags").render(tags=runs.registry.tags())
    assert tags in second
    assert tags not in first
    assert second.count(tags) == 1
    assert server.requests[1].body["stop"] == ["|>"]


def test_the_conversation_does_not_ask_again(corpus: Index, server: ScriptedServer) -> None:
    conversation = talking(corpus, server, NATIVE)
    ask(conversation, QUESTION)
    events = ask(conversation, "and how often is it tried?")
    assert answer(events) == FOUND
    assert not of_kind(events, Retried)
    assert asked_with_tools(server) == [True, False, False, False, False]


def test_it_is_on_record_and_a_resumed_session_knows(corpus: Index, server: ScriptedServer, tmp_path: Path) -> None:
    file = tmp_path / "a.session"

    def talking_on(transcript: Transcript) -> Conversation:
        model = OpenAICompatibleModel("gpt-4o", base_url=server.base_url, capabilities=NATIVE.capabilities)
        return Conversation(corpus, model, transcript=transcript, subroutines=Runs(corpus).registry)

    with Transcript.create(file, name="a") as transcript:
        assert not transcript.refused_tools("gpt-4o")
        ask(talking_on(transcript), QUESTION)
        assert transcript.turns()[-1].ending.state == "done"
        assert REFUSAL in str(transcript.dump()["replies"][0]["finish"])
    with Transcript.open(file) as transcript:
        assert transcript.refused_tools("gpt-4o")
        assert not transcript.refused_tools("another")
        ask(talking_on(transcript), QUESTION)
    assert asked_with_tools(server) == [True, False, False, False, False]


def test_the_reply_is_begun_where_the_server_goes_on_with_it(corpus: Index, scripted_server: StartServer) -> None:
    def continuing(request: Recorded) -> Reply | str:
        if "tools" in request.body:
            return Reply(status=500, error="tools param requires --jinja flag")
        return 'x"} depends={"y"} subroutines={[]} edit={false}|>' if request.last.endswith('{"') else FOUND

    server = scripted_server(continuing, models=("gpt-4o",))
    both = Capabilities(native_tools=True, continues_assistant=True)
    model = OpenAICompatibleModel("gpt-4o", base_url=server.base_url, capabilities=both)
    settings = ConversationSettings(premeditation=True)
    events = ask(Conversation(corpus, model, settings=settings, subroutines=Runs(corpus).registry), QUESTION)
    assert answer(events) == FOUND
    assert [request.messages[-1]["role"] for request in server.requests] == ["user", "assistant", "assistant"]
    assert server.requests[1].last.startswith("<|plan")


def test_a_refusal_after_tools_were_taken_fails_the_turn(corpus: Index, scripted_server: StartServer) -> None:
    script = [NATIVE.call("search", {"query": "x"}), Reply(status=400, error=REFUSAL)]
    with pytest.raises(ToolsRefusedError):
        ask(talking(corpus, scripted_server(script, models=("gpt-4o",)), NATIVE), QUESTION)


def test_another_failure_is_no_refusal(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server([Reply(status=400, error="the temperature is too high")], models=("gpt-4o",))
    with pytest.raises(UpstreamError, match="temperature"):
        ask(talking(corpus, server, NATIVE), QUESTION)
    assert len(server.requests) == 1
