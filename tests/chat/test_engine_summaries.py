"""Summaries by a model: requested seldom, stored with the transcript, and left out if the request fails."""

from __future__ import annotations

from pathlib import Path

from chat_parts import Scripted, ask

from quaestor import Index
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Event, Summarising
from quaestor.core.errors import UpstreamError
from quaestor.llm.models import Request
from quaestor.sessions.transcript import Transcript

SUMMARY = "The user counts sheep and wishes to be told of wolves."
SETTINGS = ConversationSettings(summaries=True, reserve=100)


def is_summary(request: Request) -> bool:
    return request.messages[0].content.startswith("You summarise")


def reply(request: Request) -> str:
    return SUMMARY if is_summary(request) else f"Noted: {request.messages[-1].content} " * 4


def hold(conversation: Conversation, turns: int) -> list[Event]:
    return [
        event for turn in range(turns) for event in ask(conversation, f"sheep number {turn} is {'very ' * 20}white.")
    ]


def test_what_slid_out_is_summarised_from_time_to_time(corpus: Index, tmp_path: Path) -> None:
    model = Scripted(reply)
    with Transcript.create(tmp_path / "one.session", name="one") as transcript:
        conversation = Conversation(corpus, model, limit=1500, settings=SETTINGS, transcript=transcript)
        events = hold(conversation, 30)
        asked = [request for request in model.requests if is_summary(request)]
        assert 1 <= len(asked) <= 5
        assert len(asked) == sum(isinstance(event, Summarising) for event in events)
        assert "sheep number 0" in asked[0].messages[-1].content
        assert SUMMARY in asked[-1].messages[-1].content
        assert any(SUMMARY in message.content for message in model.requests[-1].messages)
        assert len(transcript.summaries()) == len(asked)
        assert len(transcript.conversation()[0]) == 60
        assert [sent.messages for sent in transcript.requests()] == [tuple(one.messages) for one in model.requests]
        assert all(sent.tokens + sent.reserve <= 1500 for sent in transcript.requests())
    with Transcript.open(tmp_path / "one.session") as transcript:
        conversation = Conversation(corpus, model, limit=1500, settings=SETTINGS, transcript=transcript)
        ask(conversation, "and wolves?")
        assert any(SUMMARY in message.content for message in model.requests[-1].messages)


def test_none_without_being_asked_to(corpus: Index) -> None:
    model = Scripted(reply)
    hold(Conversation(corpus, model, limit=1500, settings=ConversationSettings(reserve=100)), 30)
    assert not any(map(is_summary, model.requests))


def test_a_summary_that_fails_costs_nothing_but_itself(corpus: Index) -> None:
    def failing(request: Request) -> str:
        if is_summary(request):
            raise UpstreamError("the server is tired")
        return reply(request)

    conversation = Conversation(corpus, Scripted(failing), limit=1500, settings=SETTINGS)
    hold(conversation, 20)
    assert {turn.ending.state for turn in conversation.transcript.turns()} == {"done"}
    assert conversation.transcript.summaries() == []


def test_an_empty_summary_is_not_kept(corpus: Index) -> None:
    model = Scripted(lambda request: " " if is_summary(request) else reply(request))
    conversation = Conversation(corpus, model, limit=1500, settings=SETTINGS)
    hold(conversation, 20)
    assert conversation.transcript.summaries() == []
    assert sum(map(is_summary, model.requests)) <= 2
