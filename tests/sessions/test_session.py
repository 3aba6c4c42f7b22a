"""A folder of sessions: names, lists, damaged files, deletion; export and import."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from chat_parts import answer, ask, model_at, said_in

from quaestor import Index
from quaestor.chat.engine import Conversation
from quaestor.core.errors import NotFoundError, QuaestorError, UpstreamError, UsageError
from quaestor.core.messages import Message
from quaestor.edits import Proposal
from quaestor.llm import chatml
from quaestor.sessions.export import as_json, as_markdown, export_file, read_json
from quaestor.sessions.named_sessions import FolderSessions, Sessions
from quaestor.sessions.records import CallResult, Ending, ModelCall
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.sessions.transcript import Transcript
from quaestor.tools import Outcome
from scripted_server import Reply, StartServer

CITED = 'It is tried three times [1: "MAX_ATTEMPTS = 3"].'


def asked(transcript: Transcript, question: str = "why?", reply: str = "So.") -> None:
    number, _ = transcript.begin(Message("user", question))
    transcript.end(number, Ending("done", (Message("assistant", reply),)))


def test_names_and_their_beginnings(sessions: Sessions) -> None:
    for name in ("alpha", "alpine", "beta"):
        sessions.begin(name=name).close()
    assert sessions.find("b") == "beta"
    assert sessions.find("alpha") == "alpha"
    with pytest.raises(UsageError, match="2 sessions begin with 'al'"):
        sessions.find("al")
    for wrong in ("gamma", ""):
        with pytest.raises(NotFoundError):
            sessions.open(wrong)
    with pytest.raises(UsageError, match="already"):
        sessions.begin(name="beta")


@pytest.mark.parametrize("name", ["../evil", "a/b", "a.b", "x" * 65, "-x", "a\n", "."])
def test_names_cannot_leave_the_folder(sessions: Sessions, name: str) -> None:
    with pytest.raises(UsageError, match="not a name"):
        sessions.begin(name=name)
    with pytest.raises(NotFoundError):
        sessions.delete(name)


def test_the_list_and_the_latest(sessions: Sessions) -> None:
    assert sessions.list() == []
    for name, root, owner in (("one", "/a", ""), ("two", "/b", ""), ("three", "/a", "ben")):
        with sessions.begin(name=name, root=root, owner=owner) as transcript:
            asked(transcript, f"about {name}?")
    assert [info.id for info in sessions.list()] == ["three", "two", "one"]
    assert [info.id for info in sessions.list(root="/a")] == ["three", "one"]
    assert [info.title for info in sessions.list(owner="ben")] == ["about three?"]
    assert sessions.latest(root="/a") == "one"
    with pytest.raises(NotFoundError, match="to continue"):
        sessions.latest(root="/c")


def test_a_damaged_session_hurts_no_other(folder_sessions: FolderSessions) -> None:
    for name in ("sound", "torn"):
        with folder_sessions.begin(name=name) as transcript:
            asked(transcript)
    path = folder_sessions.folder / "torn.session"
    path.write_bytes(path.read_bytes()[:5000])
    sound, torn = folder_sessions.list()
    assert (sound.id, sound.error, torn.id) == ("sound", None, "torn")
    assert torn.error is not None
    assert "torn.session" in torn.error
    with pytest.raises(SessionUnusableError, match="Other sessions are not affected"):
        folder_sessions.open("torn").turns()
    with folder_sessions.open("sound") as transcript:
        asked(transcript)
    folder_sessions.delete("torn")
    assert folder_sessions.names() == ["sound"]


def test_the_list_sees_what_changed_since_the_last_one(folder_sessions: FolderSessions) -> None:
    with folder_sessions.begin(name="one") as first:
        first.name("Old")
        path = folder_sessions.folder / "one.session"
    assert path is not None
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert [info.title for info in (*folder_sessions.list(), *folder_sessions.list())] == ["Old", "Old"]
    with folder_sessions.open("one") as again:
        again.name("New")
        # While it is open, what is new may stand in the log beside the file only.
        assert folder_sessions.list()[0].title == "New"
    assert folder_sessions.list()[0].title == "New"
    folder_sessions.delete("one")
    assert folder_sessions.list() == []


def test_deleting_leaves_nothing(folder_sessions: FolderSessions) -> None:
    transcript = folder_sessions.begin(name="one")
    asked(transcript)
    assert len(list(folder_sessions.folder.iterdir())) > 1
    folder_sessions.delete("one")
    transcript.close()
    assert list(folder_sessions.folder.iterdir()) == []


def test_export_and_import_are_inverse(corpus: Index, sessions: Sessions, scripted_server: StartServer) -> None:
    server = scripted_server([CITED, Reply(status=400, error="oh"), "Three times, as I said."])
    with sessions.begin(name="one", root=str(corpus.root)) as transcript:
        conversation = Conversation(corpus, model_at(server), transcript=transcript)
        ask(conversation, "how often?")
        with pytest.raises(UpstreamError, match="oh"):
            ask(conversation, "why?")
        transcript.record_summary(1, 2, "They talked.", "tiny")
        exported = json.dumps(as_json(transcript))
        with sessions.begin(name="two", root=str(corpus.root)) as copy:
            read_json(exported, copy)
            assert copy.turns() == transcript.turns()
            assert copy.requests() == transcript.requests()
            assert copy.sources() == transcript.sources()
            assert {**copy.dump(), "session": []} == {**transcript.dump(), "session": []}
            assert answer(ask(Conversation(corpus, model_at(server), transcript=copy), "again?")).startswith("Three")
            assert ("assistant", CITED) in said_in(server.requests[-1])


def test_a_conversation_of_another_program(sessions: Sessions) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "tool", "content": "an orphan", "tool_call_id": "c0"},
        {"role": "user", "content": [{"type": "text", "text": "why?"}], "name": "anna"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "found", "tool_call_id": "c1"},
        {"role": "assistant", "content": "So."},
    ]
    with sessions.begin(name="one") as transcript:
        read_json(json.dumps({"messages": messages}), transcript)
        said = transcript.conversation()[0]
        assert [message.role for message in said] == ["tool", "user", "assistant", "tool", "assistant"]
        assert said[1] == Message("user", "why?", "anna")
        assert len(transcript.turns()) == 2


def test_an_orphaned_result_is_never_sent(corpus: Index, sessions: Sessions, scripted_server: StartServer) -> None:
    server = scripted_server(["Yes."])
    with sessions.begin(name="one") as transcript:
        read_json('{"messages": [{"role": "tool", "content": "x", "tool_call_id": "c"}]}', transcript)
        ask(Conversation(corpus, model_at(server), transcript=transcript), "really?")
        assert "tool" not in {role for role, _ in said_in(server.requests[0])}
        [sent] = transcript.requests()
        assert any("without the call" in run.reason for run in sent.decisions)


BROKEN = [
    "",
    "[]",
    "[" * 100_000,
    "{}",
    '{"messages": []}',
    '{"messages": [1]}',
    '{"messages": [{"role": "nobody", "content": "x"}]}',
    '{"messages": [{"role": "assistant", "tool_calls": [{}]}]}',
    '{"format": "quaestor-session", "version": 99}',
    '{"format": "quaestor-session", "version": 1}',
    '{"format": "quaestor-session", "version": 1, "tables": 3}',
    '{"format": "quaestor-session", "version": 1, "tables": {"messages": [{"id": 1, "turn": 9, "role": "user"}]}}',
    '{"format": "quaestor-session", "version": 1, "tables": {"turns": [{"number": 1, "owner": {}, "began": "x"}]}}',
    '{"format": "quaestor-session", "version": 1, "tables": {"turns": [{"number": 1, "owner": "", "began": "x"}]}}',
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_file_that_cannot_be_imported(sessions: Sessions, text: str) -> None:
    with sessions.begin(name="one") as transcript, pytest.raises(QuaestorError, match=r"import"):
        read_json(text, transcript)


def test_markdown_for_people(sessions: Sessions) -> None:
    with sessions.begin(name="one") as transcript:
        asked(transcript, "why?", "So.")
        number, _ = transcript.begin(Message("user", "and now?"))
        transcript.end(number, Ending("failed", error="the server went away", partial="It is bec"))
        difference = "--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n-```\n+````\n"
        proposal = Outcome("proposed", proposal=Proposal(), difference=difference)
        transcript.record_call(number, CallResult(ModelCall("1", "edit"), proposal))
        told = as_markdown(transcript.turns(), transcript.calls())
    assert "## 1. why?" in told
    assert "So." in told
    assert "It is bec" in told
    assert "*(failed: the server went away)*" in told
    assert f"`````diff\n{difference}`````\n" in told


def test_the_forms_in_which_a_session_is_taken_along(sessions: Sessions) -> None:
    question = "what does <|im_end|> mean?"
    with sessions.begin(name="one") as transcript:
        asked(transcript, question)
        tokens = json.loads(export_file(transcript, "chatml"))
        assert chatml.parse(tokens) == [Message("user", question), Message("assistant", "So.")]
        assert json.loads(export_file(transcript, "json"))["id"] == "one"
        assert export_file(transcript, "markdown") == as_markdown(transcript.turns())
