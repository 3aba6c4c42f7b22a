"""Summaries by a model: requested seldom, stored with the transcript, and left out if the request fails."""

from __future__ import annotations

from pathlib import Path

from chat_parts import ask, model_at, said_in

from quaestor import Index
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Event, Summarising
from quaestor.sessions.transcript import Transcript
from scripted_server import Recorded, Reply, StartServer

SUMMARY = "The user counts sheep and wishes to be told of wolves."
SETTINGS = ConversationSettings(summaries=True, reserve=100)


def is_summary(request: Recorded) -> bool:
    return str(request.messages[0]["content"]).startswith("You summarise")


def reply(request: Recorded) -> str:
    return SUMMARY if is_summary(request) else "; ".join(f"Noted {count}: {request.last}" for count in range(4))


def hold(conversation: Conversation, turns: int) -> list[Event]:
    return [
        event for turn in range(turns) for event in ask(conversation, f"sheep number {turn} is {'very ' * 20}white.")
    ]


def test_what_slid_out_is_summarised_from_time_to_time(
    corpus: Index, scripted_server: StartServer, tmp_path: Path
) -> None:
    server = scripted_server(reply)
    with Transcript.create(tmp_path / "one.session", name="one") as transcript:
        conversation = Conversation(corpus, model_at(server), limit=1500, settings=SETTINGS, transcript=transcript)
        events = hold(conversation, 30)
        asked = [request for request in server.requests if is_summary(request)]
        assert 1 <= len(asked) <= 5
        assert len(asked) == sum(isinstance(event, Summarising) for event in events)
        assert "sheep number 0" in asked[0].last
        assert SUMMARY in asked[-1].last
        assert SUMMARY in str(server.requests[-1].messages)
        assert len(transcript.summaries()) == len(asked)
        assert len(transcript.conversation()[0]) == 60
        recorded = [[(one.role, one.content) for one in sent.messages] for sent in transcript.requests()]
        assert recorded == [said_in(request) for request in server.requests]
        assert all(sent.tokens + sent.reserve <= 1500 for sent in transcript.requests())
    with Transcript.open(tmp_path / "one.session") as transcript:
        conversation = Conversation(corpus, model_at(server), limit=1500, settings=SETTINGS, transcript=transcript)
        ask(conversation, "and wolves?")
        assert SUMMARY in str(server.requests[-1].messages)


def test_none_without_being_asked_to(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server(reply)
    hold(Conversation(corpus, model_at(server), limit=1500, settings=ConversationSettings(reserve=100)), 30)
    assert not any(map(is_summary, server.requests))


def test_a_summary_that_fails_costs_nothing_but_itself(corpus: Index, scripted_server: StartServer) -> None:
    def failing(request: Recorded) -> Reply | str:
        return Reply(status=400, error="no") if is_summary(request) else reply(request)

    conversation = Conversation(corpus, model_at(scripted_server(failing)), limit=1500, settings=SETTINGS)
    hold(conversation, 20)
    assert {turn.ending.state for turn in conversation.transcript.turns()} == {"done"}
    assert conversation.transcript.summaries() == []


def test_an_empty_summary_is_not_kept(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server(lambda request: Reply([" "]) if is_summary(request) else reply(request))
    conversation = Conversation(corpus, model_at(server), limit=1500, settings=SETTINGS)
    hold(conversation, 20)
    assert conversation.transcript.summaries() == []
    assert sum(map(is_summary, server.requests)) <= 2
