"""A model's calls in the terminal: one line for each call, its plan, its proposals, and its support."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cli_parts import Outcome, Run

from quaestor.llm import tags
from scripted_server import ScriptedServer, StartServer

QUESTION = "how many attempts are made to send a request?"
PLAN = tags.render("plan", {"asked": "how many", "depends": "retry", "subroutines": ["search"], "edit": False})
Chat = Callable[..., Outcome]


@pytest.fixture
def chat(quaestor: Run, repository: Path) -> Chat:
    def call(lines: Sequence[str], *arguments: object) -> Outcome:
        return quaestor("chat", repository, *arguments, typed=lines)

    return call


def at(server: ScriptedServer) -> list[str]:
    return ["--model", "tiny", "--base-url", server.base_url]


def found(done: Outcome, kind: str) -> list[dict[str, Any]]:
    return [event for line in done.out.splitlines() if (event := json.loads(line))["event"] == kind]


def script() -> list[str]:
    return [PLAN, f"Let me look.\n{tags.render('search', {'query': 'attempts'})}", "It is tried three times."]


def test_a_call_is_one_line_and_why_tells_the_plan(chat: Chat, scripted_server: StartServer) -> None:
    done = chat([QUESTION, "/why", "/citations"], *at(scripted_server(script())))
    assert '→ search "attempts" (' in done.err
    assert "<|" not in done.out
    assert "Let me look.\n\nIt is tried three times." in done.out
    for words in ("asked       how many", "depends on  retry", "would call  search", 'called      search {"query"'):
        assert words in done.out
    assert "1 answered, 0 without an answer in the corpus, 1 uncited" in done.out
    assert "how many" not in done.out.partition("asked")[0]


def test_events_of_calls(chat: Chat, scripted_server: StartServer) -> None:
    done = chat([QUESTION, "/why", "/citations"], *at(scripted_server(script())), "--json")
    [premeditated] = found(done, "premeditated")
    assert premeditated["plan"]["asked"] == "how many"
    assert found(done, "called") == [{"event": "called", "name": "search", "arguments": {"query": "attempts"}}]
    [returned] = found(done, "returned")
    assert not returned["failed"]
    assert {"n", "path", "start_line", "end_line"} == returned["passages"][0].keys()
    [why] = found(done, "why")
    assert [call["name"] for call in why["calls"]] == ["search"]
    assert found(done, "support")[0]["answers"] == 1


def test_a_session_shows_its_calls_and_its_support(chat: Chat, quaestor: Run, scripted_server: StartServer) -> None:
    done = chat([QUESTION], *at(scripted_server(script())), "--json")
    [session] = found(done, "session")
    shown = quaestor("sessions", "show", session["id"], "--turn", "1", "--json").json
    assert shown["plan"]["depends"] == "retry"
    assert shown["calls"][0]["name"] == "search"
    assert shown["support"]["answers"] == 1
    assert "called      search" in quaestor("sessions", "show", session["id"], "--turn", "1").out


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_proposed_change_is_shown_and_nothing_is_written(
    chat: Chat, scripted_server: StartServer, repository: Path, options: tuple[str, ...]
) -> None:
    file = repository / "src" / "retry.py"
    before = file.read_text(encoding="utf-8")
    edit = {"path": "src/retry.py", "search": "MAX_ATTEMPTS = 3", "replace": "MAX_ATTEMPTS = 5"}
    server = scripted_server([f"I raise it.\n{tags.render('edit', edit)}"])
    # Whoever says /apply is asked once more, and nobody is there to answer.
    done = chat(["raise the attempts to five", "/apply"], *at(server), *options)
    assert "MAX_ATTEMPTS = 5" in done.out
    assert done.code == 0
    assert file.read_text(encoding="utf-8") == before


def test_ask_shows_and_tells_its_calls(quaestor: Run, scripted_server: StartServer, repository: Path) -> None:
    options = [*at(scripted_server(script())), QUESTION, repository]
    done = quaestor("ask", *options)
    assert '→ search "attempts" (' in done.err
    assert "Let me look.\n\nIt is tried three times." in done.out
    done = quaestor("ask", "--json", *at(scripted_server(script())), QUESTION, repository)
    assert done.json["calls"] == [{"name": "search", "arguments": {"query": "attempts"}}]
    assert done.json["answer"] == "Let me look.\n\nIt is tried three times."


@pytest.mark.parametrize(("setting", "asked"), [("off", False), ("on", True)])
def test_subroutines_can_be_turned_off(
    quaestor: Run,
    scripted_server: StartServer,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    asked: bool,
) -> None:
    monkeypatch.setenv("QUAESTOR_SUBROUTINES", setting)
    server = scripted_server(["Three times."])
    quaestor("ask", *at(server), QUESTION, repository)
    assert ("<|search" in str(server.requests[0].body)) == asked
    assert ("<|plan" in str(server.requests[0].body)) == asked
    monkeypatch.setenv("QUAESTOR_PREMEDITATION", "off")
    quaestor("ask", *at(server), QUESTION, repository)
    assert "<|plan" not in str(server.requests[-1].body)


@pytest.mark.parametrize("name", ["SUBROUTINES", "PREMEDITATION", "EXAMPLES"])
def test_other_words_are_refused(
    quaestor: Run, scripted_server: StartServer, repository: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(f"QUAESTOR_{name}", "perhaps")
    done = quaestor("ask", *at(scripted_server()), QUESTION, repository)
    assert (done.code, "'perhaps'" in done.err) == (2, True)
