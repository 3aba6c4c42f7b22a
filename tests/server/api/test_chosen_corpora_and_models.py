"""What a user chooses for a question: several corpora, one of several models, documents of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from native_parts import begin, client, of
from served import serving, write

from scripted_server import Recorded, ScriptedServer
from servers.event_streams import events

GARDEN = {"guide.md": "# Garden guide\n\n## Beans\n\nBeans are sown in May, and watered at dusk.\n"}
BEANS = "When are beans sown, and watered?"


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[tuple[httpx.Client, ScriptedServer]]:
    """A client of a server of two corpora and two models."""
    roots = [write(tmp_path / "kitchen"), write(tmp_path / "garden", GARDEN)]
    with ScriptedServer(lambda _: "It rests.", models=("tiny", "large")) as model:
        chosen = {"model": "tiny", "further_models": "large, tiny", "base_url": model.base_url, "subroutines": "off"}
        with serving(*roots, home=tmp_path / "home", **chosen) as server, client(server.url) as api:
            yield api, model


def asked(api: httpx.Client, session: str, question: str, **more: str) -> list[tuple[str, object]]:
    with api.stream("POST", f"/api/sessions/{session}/turns", json={"question": question, **more}) as answer:
        answer.raise_for_status()
        return list(events(answer.iter_lines()))


def sent(request: Recorded) -> str:
    return " ".join(str(message["content"]) for message in request.messages)


def test_a_session_is_about_several_corpora(chosen: tuple[httpx.Client, ScriptedServer]) -> None:
    api, model = chosen
    session = begin(api, corpora=["*"])
    [passages] = of(asked(api, session, BEANS), "passages")
    assert passages["passages"][0]["path"] == "garden/guide.md"
    assert "garden/guide.md" in sent(model.requests[-1])
    told = api.get(f"/api/sessions/{session}").json()
    assert (told["corpus"], told["corpora"]) == ("", ["kitchen", "garden"])
    for name in ("kitchen", "garden"):
        assert [one["id"] for one in api.get("/api/sessions", params={"corpus": name}).json()["sessions"]] == [session]
    shown = api.get(f"/sessions/{session}/turns/1/sources/0")
    assert "Beans are sown in May" in shown.text


def test_one_of_several_is_as_a_corpus_alone(chosen: tuple[httpx.Client, ScriptedServer]) -> None:
    api, _ = chosen
    session = begin(api, corpora=["garden"])
    [passages] = of(asked(api, session, BEANS), "passages")
    assert passages["passages"][0]["path"] == "guide.md"
    assert api.get(f"/api/sessions/{session}").json()["corpus"] == "garden"


def test_what_cannot_be_chosen_is_refused(chosen: tuple[httpx.Client, ScriptedServer]) -> None:
    api, _ = chosen
    assert api.post("/api/sessions", json={"corpora": ["cellar"]}).status_code == 404
    assert api.post("/api/sessions", json={"corpora": ["garden"], "corpus": "kitchen"}).status_code == 400
    body = {"question": BEANS, "model": "huge"}
    refused = api.post(f"/api/sessions/{begin(api, corpus='garden')}/turns", json=body)
    assert (refused.status_code, "'large'" in refused.json()["error"]["message"]) == (404, True)


def test_a_turn_is_answered_by_the_model_that_is_chosen(chosen: tuple[httpx.Client, ScriptedServer]) -> None:
    api, model = chosen
    session = begin(api, corpus="garden")
    asked(api, session, BEANS, model="large")
    asked(api, session, BEANS)
    assert [request.body["model"] for request in model.requests] == ["large", "tiny"]
    assert [turn["state"] for turn in api.get(f"/api/sessions/{session}").json()["turns"]] == ["done", "done"]


def test_a_question_names_ones_own_documents(chosen: tuple[httpx.Client, ScriptedServer]) -> None:
    api, _ = chosen
    text = "# Oven\n\nThe oven reaches three hundred degrees.\n"
    stored = api.post("/api/documents", json={"name": "the oven.md", "text": text}).json()["name"]
    session = begin(api, corpus="garden")
    question = f'How hot is it? @"my-documents/{stored}"'
    while api.post(f"/api/sessions/{session}/turns", json={"question": question}).status_code == 503:
        pass
    turn = api.get(f"/api/sessions/{session}").json()["turns"][0]
    assert turn["sources"][0]["path"] == f"my-documents/{stored}"
    assert "three hundred degrees" in api.get(f"/sessions/{session}/turns/1/sources/0").text
