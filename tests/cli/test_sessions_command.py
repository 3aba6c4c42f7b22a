"""`quaestor sessions`: list, show, resume, export, import, delete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_parts import Run

from quaestor.assemble import make_sessions
from quaestor.core.config import Settings
from quaestor.core.messages import Message
from quaestor.corpus.joint_corpus import joint_source
from scripted_server import Reply, StartServer

QUESTION = "how long does the dough rest?"


@pytest.fixture
def session(quaestor: Run, repository: Path) -> str:
    """The name of a session of one turn, answered with quotes."""
    assert quaestor("chat", repository, typed=[QUESTION]).code == 0
    [found] = quaestor("sessions", "list", "--json").json["sessions"]
    return str(found["id"])


def test_list(quaestor: Run, session: str, repository: Path, tmp_path: Path) -> None:
    done = quaestor("sessions", "list")
    assert session in done.out
    assert QUESTION in done.out
    (tmp_path / "other").mkdir()
    assert quaestor("sessions", "list", tmp_path / "other", "--json").json == {"sessions": []}
    assert len(quaestor("sessions", "list", repository, "--json").json["sessions"]) == 1


def test_the_sources_of_a_session_about_several_are_listed_in_one_line(quaestor: Run, home: Path) -> None:
    with make_sessions(Settings(home=str(home))).begin(root=joint_source(["/src/client", "/src/server"])) as transcript:
        transcript.begin(Message("user", QUESTION))
    listed = quaestor("sessions", "list").out
    assert "/src/client, /src/server" in listed
    assert "\N{REPLACEMENT CHARACTER}" not in listed


def test_an_empty_list(quaestor: Run) -> None:
    done = quaestor("sessions", "list")
    assert (done.code, done.out) == (0, "")
    assert "no sessions yet" in done.err


def test_show(quaestor: Run, session: str) -> None:
    done = quaestor("sessions", "show", session[:20])
    assert f"1. {QUESTION}" in done.out
    assert "eighteen hours" in done.out
    shown = quaestor("sessions", "show", session, "--json").json
    assert shown["turns"][0]["ending"]["state"] == "done"
    assert quaestor("sessions", "show", session, "--turn", "2").code == 2


def test_show_what_a_turn_sent(quaestor: Run, repository: Path, scripted_server: StartServer) -> None:
    server = scripted_server(["Eighteen hours.", Reply(status=400, error="no")])
    quaestor("chat", repository, "--model", "tiny", "--base-url", server.base_url, typed=[QUESTION, "why?"])
    [session] = quaestor("sessions", "list", "--json").json["sessions"]
    done = quaestor("sessions", "show", session["id"], "--turn", "1")
    assert "--- system" in done.out
    assert "always kept" in done.out
    [sent] = quaestor("sessions", "show", session["id"], "--turn", "1", "--json").json["requests"]
    assert [message["content"] for message in sent["messages"]] == [
        message["content"] for message in server.requests[0].messages
    ]
    assert "(failed: " in quaestor("sessions", "show", session["id"], "--turn", "2").out


def test_resume(quaestor: Run, session: str) -> None:
    assert quaestor("sessions", "resume", session, typed=["and the batter?"]).err == ""
    assert quaestor("sessions", "list", "--json").json["sessions"][0]["turns"] == 2


def test_export_and_import(quaestor: Run, session: str, tmp_path: Path) -> None:
    file = tmp_path / "taken along.json"
    assert quaestor("sessions", "export", session, "-o", file).code == 0
    assert json.loads(file.read_text(encoding="utf-8")) == quaestor("sessions", "export", session).json
    assert "eighteen hours" in quaestor("sessions", "export", session, "--markdown").out
    again = quaestor("sessions", "export", session, "-o", file)
    assert again.code == 2
    assert "exists" in again.sentence
    copy = quaestor("sessions", "import", file, "--json").json
    assert copy["turns"] == 1
    shown = [quaestor("sessions", "show", name, "--json").json["turns"] for name in (session, copy["id"])]
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe", "bad.json' is not text in UTF-8"),
        (b"{}", "has no `messages`"),
        (b"[1]", "holds no JSON object"),
    ],
)
def test_a_failed_import_leaves_nothing(quaestor: Run, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    done = quaestor("sessions", "import", tmp_path / "bad.json")
    assert done.code == 2
    assert words in done.sentence
    assert quaestor("sessions", "list", "--json").json == {"sessions": []}


def test_delete(quaestor: Run, session: str, home: Path) -> None:
    assert quaestor("sessions", "delete", "nothing").code == 2
    assert quaestor("sessions", "delete", session, "--json").json == {"deleted": [session]}
    assert not list((home / "sessions").glob("*.session*"))


def test_a_damaged_session_is_told_and_can_be_deleted(quaestor: Run, session: str, home: Path) -> None:
    torn = home / "sessions" / "torn.session"
    torn.write_bytes(b"not a session at all")
    done = quaestor("sessions", "list")
    assert done.code == 0
    assert session in done.out
    assert "torn.session" in done.err
    assert "damaged" in quaestor("sessions", "show", "torn").sentence
    assert quaestor("sessions", "delete", "torn").code == 0
    assert not torn.exists()
