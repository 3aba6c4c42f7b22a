"""Sessions over HTTP: begun, listed, named, read, exported, deleted; on record whatever becomes of the server."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from native_parts import begin, client, of, turn
from served import Running, serving, write

from quaestor.llm import chatml
from quaestor.sessions.named_sessions import Sessions

QUESTION = "how long does the dough rest?"


def test_a_session_from_beginning_to_end(api: httpx.Client) -> None:
    assert api.get("/api/sessions").json() == {"sessions": []}
    made = api.post("/api/sessions", json={"corpus": "kitchen", "title": "Baking"})
    assert made.status_code == 201
    session = made.json()["id"]
    found = turn(api, session, QUESTION)
    assert of(found, "done")[0]["known"] is True
    [line] = api.get("/api/sessions").json()["sessions"]
    assert (line["id"], line["title"], line["corpus"], line["turns"]) == (session, "Baking", "kitchen", 1)
    assert line["created"] < line["changed"]
    whole = api.get(f"/api/sessions/{session}").json()
    [told] = whole["turns"]
    assert (told["number"], told["question"], told["state"], told["known"]) == (1, QUESTION, "done", True)
    assert told["answer"] == of(found, "done")[0]["answer"]
    assert told["citations"] == of(found, "citations")[0]["citations"]
    assert [one["n"] for one in told["sources"]] == [one["n"] for one in of(found, "passages")[0]["passages"]]
    assert any(one["cited"] for one in told["sources"])
    assert whole["running"] is False
    assert api.delete(f"/api/sessions/{session}").status_code == 204
    assert api.get("/api/sessions").json() == {"sessions": []}
    assert api.get(f"/api/sessions/{session}").status_code == 404


def test_a_title_is_the_first_question_until_it_is_given(api: httpx.Client) -> None:
    session = begin(api)
    assert api.get(f"/api/sessions/{session}").json()["title"] == ""
    turn(api, session, QUESTION)
    assert api.get(f"/api/sessions/{session}").json()["title"] == QUESTION
    named = api.patch(f"/api/sessions/{session}", json={"title": " Bread\nand <b>butter</b> "})
    assert named.json()["title"] == "Bread and <b>butter</b>"
    for wrong in ({}, {"title": ""}, {"title": " "}, {"title": "x" * 201}, {"title": 1}, {"name": "x"}):
        assert api.patch(f"/api/sessions/{session}", json=wrong).status_code == 400
    assert api.get("/api/sessions").json()["sessions"][0]["title"] == "Bread and <b>butter</b>"


def test_sessions_outlast_the_server(tmp_path: Path) -> None:
    root = write(tmp_path / "kitchen")
    with serving(root, home=tmp_path / "home") as server, client(server.url) as api:
        session = begin(api)
        turn(api, session, QUESTION)
        api.patch(f"/api/sessions/{session}", json={"title": "Baking"})
        before = api.get(f"/api/sessions/{session}").json()
    with serving(root, home=tmp_path / "home") as server, client(server.url) as api:
        assert api.get(f"/api/sessions/{session}").json() == before
        assert of(turn(api, session, "and where does it rest?"), "done")
        assert len(api.get(f"/api/sessions/{session}").json()["turns"]) == 2


def test_the_forms_of_an_export(api: httpx.Client) -> None:
    session = begin(api)
    turn(api, session, QUESTION)
    exports = {
        form: api.get(f"/api/sessions/{session}/export?format={form}") for form in ("markdown", "json", "chatml")
    }
    assert {form: answer.headers["content-type"] for form, answer in exports.items()} == {
        "markdown": "text/markdown; charset=utf-8",
        "json": "application/json",
        "chatml": "application/json",
    }
    for answer in exports.values():
        assert answer.headers["content-disposition"].startswith(f'attachment; filename="quaestor-{session}.')
    assert exports["markdown"].text.startswith(f"## 1. {QUESTION}")
    assert json.loads(exports["json"].text)["format"] == "quaestor-session"
    assert chatml.parse(json.loads(exports["chatml"].text))[0].content == QUESTION
    assert api.get(f"/api/sessions/{session}/export?format=pdf").status_code == 400


def test_only_sessions_about_one_corpus(tmp_path: Path) -> None:
    roots = [write(tmp_path / name) for name in ("one", "two")]
    with serving(*roots, home=tmp_path / "home") as server, client(server.url) as api:
        one, two = (begin(api, corpus=name) for name in ("one", "two"))
        for name, session in (("one", one), ("two", two)):
            found = api.get("/api/sessions", params={"corpus": name}).json()["sessions"]
            assert [line["id"] for line in found] == [session]
        assert api.get("/api/sessions", params={"corpus": "three"}).status_code == 404
        assert api.post("/api/sessions", json={}).status_code == 400
        assert api.post("/api/sessions", json={"corpus": "three"}).status_code == 404


def test_a_session_about_what_is_served_no_longer(tmp_path: Path) -> None:
    with serving(write(tmp_path / "one"), home=tmp_path / "home") as server, client(server.url) as api:
        session = begin(api)
        turn(api, session, QUESTION)
    with serving(write(tmp_path / "two"), home=tmp_path / "home") as server, client(server.url) as api:
        assert api.get("/api/sessions").json()["sessions"][0]["corpus"] == ""
        assert api.get(f"/api/sessions/{session}").json()["turns"][0]["question"] == QUESTION
        refused = api.post(f"/api/sessions/{session}/turns", json={"question": "x"})
        assert (refused.status_code, refused.headers["content-type"]) == (404, "application/json")
        assert len(api.get(f"/api/sessions/{session}").json()["turns"]) == 1


def test_a_damaged_session_hurts_no_other_and_can_be_deleted(quoting: Running, api: httpx.Client) -> None:
    sound, torn = begin(api), begin(api)
    sessions: Sessions = quoting.served.sessions
    (sessions.folder / f"{torn}.session").write_bytes(b"garbage" * 1000)
    lines = {line["id"]: line for line in api.get("/api/sessions").json()["sessions"]}
    assert lines[sound]["error"] is None
    assert "damaged" in lines[torn]["error"]
    assert api.get(f"/api/sessions/{torn}").status_code == 400
    assert api.delete(f"/api/sessions/{torn}").status_code == 204
    assert [line["id"] for line in api.get("/api/sessions").json()["sessions"]] == [sound]


@pytest.mark.parametrize("name", ["", "..", "%2e%2e", "..%2f..%2fetc", "nothing", "a" * 300, "%00", "*", "%ff"])
def test_names_that_mean_no_session(shared: Running, name: str) -> None:
    with client(shared.url) as api:
        session = begin(api)
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/window"), ("GET", "/export")):
            answer = api.request(method, f"{shared.url}/api/sessions/{name}{path}")
            assert answer.status_code in (307, 400, 404, 405) or (method, name) == ("GET", ""), answer.text
        # The beginning of a name is not a name here.
        assert api.get(f"/api/sessions/{session[:-1]}").status_code == 404
        assert api.get(f"/api/sessions/{session}").status_code == 200
