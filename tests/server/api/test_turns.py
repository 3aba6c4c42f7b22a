"""Turns over HTTP with a model: streamed, one at a time, cancelled, resumed, and never lost."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from native_parts import begin, client, of, turn
from served import serving, write

from quaestor.llm import tags
from scripted_server import Recorded, Reply, ScriptedServer, StartServer, endless
from servers.event_streams import events

QUESTION = "how long does the dough rest?"
CHAT = {"model": "quaestor", "messages": [{"role": "user", "content": QUESTION}]}
CITED = 'It rests for eighteen hours [1: "rests for eighteen hours"].'


@contextmanager
def talking(tmp_path: Path, model: ScriptedServer, **settings: object) -> Iterator[httpx.Client]:
    """Serve a corpus with a model."""
    chosen = {"base_url": model.base_url, "model": "tiny", "premeditation": "off", "subroutines": "off", **settings}
    with (
        serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **chosen) as server,
        client(server.url) as api,
    ):
        yield api


def state(api: httpx.Client, session: str) -> str:
    """Return what became of the last turn."""
    return str(api.get(f"/api/sessions/{session}").json()["turns"][-1]["state"])


def until(said: Callable[[], bool]) -> None:
    """Ask until something is so; the test's own time limit ends what never is."""
    while not said():
        threading.Event().wait(0.02)


def test_a_turn_is_streamed_step_by_step(tmp_path: Path, scripted_server: StartServer) -> None:
    with talking(tmp_path, scripted_server([CITED])) as api:
        session = begin(api)
        found = turn(api, session, QUESTION)
        names = list(dict.fromkeys(name for name, _ in found))
        assert names == ["searching", "passages", "composed", "text", "citations", "done"]
        [passages], [composed], [done] = (of(found, name) for name in ("passages", "composed", "done"))
        assert passages["passages"][0]["path"] == "guide.md"
        assert "eighteen hours" in passages["passages"][0]["text"]
        assert composed["model"] == "tiny"
        assert 0 < composed["tokens"] <= composed["limit"]
        assert "".join(one["text"] for one in of(found, "text")) == done["answer"] == CITED
        [citation] = of(found, "citations")[0]["citations"]
        assert (citation["path"], citation["status"]) == ("guide.md", "verified")
        assert done["usage"]["reported"] is True
        assert done["usage"]["prompt_tokens"] > 0


def test_a_turn_remembers_the_ones_before(tmp_path: Path, scripted_server: StartServer) -> None:
    model = scripted_server([CITED, "In the refrigerator [1]."])
    with talking(tmp_path, model) as api:
        session = begin(api)
        turn(api, session, QUESTION)
        turn(api, session, "and where?")
        assert CITED in [message["content"] for message in model.requests[-1].messages]
        window = api.get(f"/api/sessions/{session}/window").json()
        assert window["turn"] == 2
        [sent] = window["requests"]
        assert [one["content"] for one in sent["messages"]] == [one["content"] for one in model.requests[-1].messages]
        assert all(one["tokens"] > 0 for one in sent["messages"])
        assert sum(sent["sections"].values()) == sent["tokens"] <= sent["limit"] - sent["reserve"]
        about = {decision["about"] for decision in sent["decisions"]}
        assert {f"user “{QUESTION}”", "user “and where?”"} <= about
        assert any(one.startswith("[1] guide.md:") for one in about)
        assert sent["usage"]["reported"] is True
        first = api.get(f"/api/sessions/{session}/window?turn=1").json()["requests"][0]
        assert f"user “{QUESTION}”" in {decision["about"] for decision in first["decisions"]}
        assert api.get(f"/api/sessions/{session}/window?turn=3").status_code == 404
        assert api.get(f"/api/sessions/{session}/window?turn=0").status_code == 400


def leave(api: httpx.Client, session: str) -> None:
    """Ask, and go away while the answer is made."""
    with api.stream("POST", f"/api/sessions/{session}/turns", json={"question": QUESTION}) as answer:
        assert next(data for name, data in events(answer.iter_lines()) if name == "composed")
        assert api.get(f"/api/sessions/{session}").json()["running"] is True


def test_a_turn_goes_on_when_its_client_goes_away_and_can_be_followed(
    tmp_path: Path, scripted_server: StartServer
) -> None:
    may_end = threading.Event()

    def script(_: Recorded) -> Reply:
        assert may_end.wait(600)
        return Reply([CITED])

    with talking(tmp_path, scripted_server(script)) as api:
        session = begin(api)
        leave(api, session)
        running = f"/api/sessions/{session}/turns/running"
        with api.stream("GET", running) as first, api.stream("GET", running) as second:
            # Both who come back read it from its first event.
            found = [events(answer.iter_lines()) for answer in (first, second)]
            assert [next(one)[0] for one in found] == ["searching", "searching"]
            may_end.set()
            for one in found:
                name, done = list(one)[-1]
                assert (name, done["answer"]) == ("done", CITED)
        assert api.get(f"/api/sessions/{session}").json()["running"] is False
        for method in ("GET", "DELETE"):
            assert api.request(method, running).status_code == 204


def test_a_turn_is_stopped(tmp_path: Path, scripted_server: StartServer) -> None:
    model = scripted_server([endless("It rests and rests "), CITED])
    with talking(tmp_path, model) as api:
        session = begin(api)
        leave(api, session)
        with api.stream("GET", f"/api/sessions/{session}/turns/running") as answer:
            assert next(data for name, data in events(answer.iter_lines()) if name == "text")
        assert api.delete(f"/api/sessions/{session}/turns/running").status_code == 204
        # A model's server that never ends would be waited for if the request were not closed.
        until(lambda: state(api, session) == "cancelled")
        [told] = api.get(f"/api/sessions/{session}").json()["turns"]
        assert told["partial"].startswith("It rests")
        assert told["answer"] == ""
        until(lambda: not api.get(f"/api/sessions/{session}").json()["running"])
        assert of(turn(api, session), "done")[0]["answer"] == CITED
        turns = api.get(f"/api/sessions/{session}").json()["turns"]
        assert [(one["state"], one["question"], one["resumes"]) for one in turns] == [
            ("cancelled", QUESTION, None),
            ("done", QUESTION, 1),
        ]


def test_one_turn_at_a_time(tmp_path: Path, scripted_server: StartServer) -> None:
    may_end = threading.Event()

    def script(request: Recorded) -> Reply:
        if "first" in request.last:
            assert may_end.wait(600)
        return Reply(["So."])

    with talking(tmp_path, scripted_server(script)) as api:
        session, other = begin(api), begin(api)
        with api.stream("POST", f"/api/sessions/{session}/turns", json={"question": "first?"}) as answer:
            found = events(answer.iter_lines())
            assert next(found)[0] == "searching"
            for body in ({"question": "second?"}, {"resume": True}):
                refused = api.post(f"/api/sessions/{session}/turns", json=body)
                assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
            assert api.delete(f"/api/sessions/{session}").status_code == 409
            assert of(turn(api, other, "third?"), "done")
            may_end.set()
            assert [name for name, _ in found][-1] == "done"
        assert of(turn(api, session, "fourth?"), "done")
        questions = [one["question"] for one in api.get(f"/api/sessions/{session}").json()["turns"]]
        assert questions == ["first?", "fourth?"]


@pytest.mark.parametrize(
    ("reply", "code", "shown"),
    [
        (Reply(status=503, error="overloaded"), "upstream", ""),
        (Reply(["It ", "rests"], cut_after=2), "stream_cut", "It rests"),
        (Reply(["It ", "rests"], cut_after=2, reset=True), "stream_cut", "It rests"),
    ],
    ids=["refused", "cut", "reset"],
)
def test_a_model_that_fails_is_an_event_and_on_record(
    tmp_path: Path, scripted_server: StartServer, reply: Reply, code: str, shown: str
) -> None:
    broken = True

    def script(_: Recorded) -> Reply:
        return reply if broken else Reply([CITED])

    with talking(tmp_path, scripted_server(script)) as api:
        session = begin(api)
        found = turn(api, session, QUESTION)
        name, failed = found[-1]
        assert (name, failed["code"], failed["retryable"]) == ("error", code, True)
        [told] = api.get(f"/api/sessions/{session}").json()["turns"]
        assert (told["state"], told["error"], told["partial"]) == ("failed", failed["message"], shown)
        broken = False
        assert of(turn(api, session), "done")[0]["answer"] == CITED


def test_until_a_model_is_there_answers_are_quotes(tmp_path: Path, scripted_server: StartServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with talking(tmp_path, scripted_server(), base_url=f"http://127.0.0.1:{port}/v1") as api:
        session = begin(api)
        assert of(turn(api, session, QUESTION), "done")[0]["model"] == "extractive"
        assert api.post("/api/ask", json={"question": QUESTION}).json()["model"] == "extractive"
        with ScriptedServer([CITED], port=port):
            assert of(turn(api, session, QUESTION), "done")[0]["answer"] == CITED
        # It was there, so that it is not any more is a failure, which can be tried again.
        assert turn(api, session, QUESTION)[-1][0] == "error"
        assert state(api, session) == "failed"
        answer = api.post("/api/ask", json={"question": QUESTION})
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream")


def test_an_answer_that_cites_nothing_is_told_with_quotes(tmp_path: Path, scripted_server: StartServer) -> None:
    with talking(tmp_path, scripted_server(["No, it doesn't."])) as api:
        session = begin(api)
        found = turn(api, session, QUESTION)
        [checked], [done] = of(found, "citations"), of(found, "done")
        assert (checked["citations"], checked["unsupported"]) == ([], ["No, it doesn't."])
        assert "eighteen hours" in checked["quotes"][0]["quote"]
        assert (done["known"], done["unchecked"], done["answer"]) == (False, True, "No, it doesn't.")
        [told] = api.get(f"/api/sessions/{session}").json()["turns"]
        assert (told["known"], told["unchecked"], told["quotes"]) == (False, True, checked["quotes"])
        asked = api.post("/api/ask", json={"question": QUESTION}).json()
        assert (asked["known"], asked["unchecked"], asked["quotes"]) == (False, True, checked["quotes"])
        page = api.get(f"/sessions/{session}").text
        assert "Not checked: nothing that the model cites is in the documents" in page
        assert "No answer to this was found" not in page
        [link] = re.findall(r'href="(/sessions/[^"]*/citations/0)"', page)
        assert "eighteen hours" in api.get(link).text


def test_what_was_sent_is_what_is_shown(tmp_path: Path, scripted_server: StartServer) -> None:
    """A question that fills the window leaves no room for passages, and says so."""
    write(
        tmp_path / "kitchen",
        {f"dough{n}.md": f"# Dough {n}\n\n{f'The dough of loaf {n} rests. ' * 60}\n" for n in range(9)},
    )
    with talking(tmp_path, scripted_server([CITED]), window=1024) as api:
        for question, least in ((QUESTION, 1), (f"{QUESTION} {'please ' * 320}", 0)):
            session = begin(api)
            found = turn(api, session, question)
            sent, number = of(found, "composed")[0]["sent"], len(of(found, "passages")[0]["passages"])
            assert (sent > 0) == (least > 0)
            assert sent < number
            assert f"{sent} of {number} read" in api.get(f"/sessions/{session}").text


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("/api/ask", {"question": QUESTION}),
        ("/v1/chat/completions", {**CHAT, "stream": False}),
        ("/v1/chat/completions", {**CHAT, "stream": True}),
        ("/v1/responses", {"model": "quaestor", "input": QUESTION, "stream": True}),
        ("/v1/completions", {"model": "quaestor", "prompt": QUESTION}),
    ],
    ids=["ask", "chat", "chat streamed", "response streamed", "completion"],
)
def test_whoever_asks_without_a_session_and_goes_away_closes_the_request_to_the_model(
    tmp_path: Path, scripted_server: StartServer, place: str, body: dict[str, object]
) -> None:
    with Endless() as model, talking(tmp_path, scripted_server(), base_url=model.base_url) as api:
        host, port, data = api.base_url.host, api.base_url.port or 80, json.dumps(body)
        with socket.create_connection((host, port)) as asking:
            head = f"POST {place} HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type: application/json\r\n"
            asking.sendall(f"{head}content-length: {len(data)}\r\n\r\n{data}".encode())
            assert model.asked.wait(600)
        assert model.closed.wait(600)


def test_what_cannot_be_asked_is_an_ordinary_answer(tmp_path: Path, scripted_server: StartServer) -> None:
    with talking(tmp_path, scripted_server([CITED])) as api:
        session = begin(api)
        bodies = ({}, {"question": ""}, {"question": " \n"}, {"question": "x", "resume": True}, {"resume": True}, [])
        for body in bodies:
            answer = api.post(f"/api/sessions/{session}/turns", json=body)
            assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json"), body
        assert api.get(f"/api/sessions/{session}").json()["turns"] == []
        assert of(turn(api, session, QUESTION), "done")
        refused = api.post(f"/api/sessions/{session}/turns", json={"resume": True})
        assert (refused.status_code, len(api.get(f"/api/sessions/{session}").json()["turns"])) == (400, 1)


def test_a_model_calls_and_proposes(tmp_path: Path, scripted_server: StartServer) -> None:
    change = {"path": "retry.py", "search": "MAX_ATTEMPTS = 3", "replace": "MAX_ATTEMPTS = 5"}
    looks, proposes = f"I look. {tags.render('search', {'query': 'retry'})}", tags.render("edit", change)
    model = scripted_server([looks, proposes, "That is all."])
    with talking(tmp_path, model, subroutines="on", tools="text") as api:
        session = begin(api)
        found = turn(api, session, "try five times instead")
        assert of(found, "called")[0] == {"name": "search", "arguments": {"query": "retry"}}
        assert of(found, "called")[1] == {"name": "edit", "arguments": change}
        assert [one["failed"] for one in of(found, "returned")] == [False, False]
        assert of(found, "returned")[0]["passages"]
        [proposed] = of(found, "proposed")
        assert (proposed["paths"], proposed["refusals"]) == (["retry.py"], [])
        assert "-MAX_ATTEMPTS = 3\n+MAX_ATTEMPTS = 5" in proposed["diff"]
        assert found[-1][0] == "done"
        [recorded] = api.get(f"/api/sessions/{session}").json()["turns"]
        assert recorded["proposed"] == [proposed["diff"]]
        exported = api.get(f"/api/sessions/{session}/export").text
        assert f"```diff\n{proposed['diff']}```\n" in exported
        assert "MAX_ATTEMPTS = 3" in (tmp_path / "kitchen/retry.py").read_text(encoding="utf-8")


class Endless:
    """A model's server that begins to answer, says nothing more, and notices when it is hung up on."""

    def __init__(self) -> None:
        self.asked, self.closed = threading.Event(), threading.Event()
        self._at = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._at.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Endless:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._at.close()
        self._thread.join()

    def _serve(self) -> None:
        connection, _ = self._at.accept()
        with connection:
            connection.recv(1 << 20)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
            self.asked.set()
            while connection.recv(1 << 20):
                pass
            self.closed.set()


def test_what_all_of_it_is_may_be_asked_after_something_else(tmp_path: Path) -> None:
    """Without a model; and where nothing answers, the page says so once, and that nothing was quoted."""
    files = {
        "README.md": "# Crossing\n\nCrossing is a ferry that carries letters.\n\n## Timetable\n\nIt leaves at noon.\n",
        **{f"crossing{number}.md": f"# Deck {number}\n\nThe deck is swept at {number}.\n" for number in range(12)},
    }
    with (
        serving(write(tmp_path / "crossing", files), home=tmp_path / "home") as server,
        client(server.url) as api,
    ):
        session = begin(api)
        turn(api, session, "When does the ferry leave?")
        [told] = of(turn(api, session, "What is this about?"), "done")
        assert told["known"]
        assert "**Overview: 13 documents**" in told["answer"]
        other = begin(api)
        [told] = of(turn(api, other, "Which company insures the deck against a storm?"), "done")
        assert not told["known"]
        page = api.get(f"/sessions/{other}").text
        assert page.count("The closest passages are under Sources.") == 1
        assert "No answer to this was found" not in page
        assert "Quoted from the documents" not in page
