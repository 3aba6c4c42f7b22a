"""Two users, every route, every object id: nothing of one is seen, changed or even known of by the other."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts
from matrix import NOBODYS, ROWS, Ids, Key, Try
from native_parts import begin, client, joined, of, turn
from served import Running, serving, write

from quaestor.accounts.rates import Guesses
from quaestor.server.http.app import create_app

ANNAS = ("heron", "annas-title")
"""Words that only Anna ever wrote."""


@dataclass(frozen=True)
class Both:
    """A server with Anna, who has a session and a document, and Ben, who has none."""

    server: Running
    anna: httpx.Client
    ben: httpx.Client
    ids: Ids


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("matrix")
    # A minute passes with each guess, so that all of them are looked at.
    guesses = Guesses(clock=itertools.count(0.0, 60.0).__next__)
    with serving(write(folder / "kitchen"), home=folder / "home", guesses=guesses) as server:
        (user, anna), (_, ben) = joined(server, "anna"), joined(server, "ben")
        with anna, ben:
            stored = anna.post("/api/documents", json={"name": "diary.md", "text": "I saw a heron today."}).json()
            session = begin(anna, corpus="kitchen", title="annas-title")
            assert of(turn(anna, session, "what did the heron do?"), "done")
            server.served.corpora.get("my-documents", user=user.id, wait=600)
            yield Both(server, anna, ben, Ids(session, stored["id"]))


def routes(server: Running) -> set[Key]:
    """Return every route, as a method and a path."""
    found = set()
    for route in iter_route_contexts(create_app(server.served).routes):
        methods = getattr(route, "methods", None) or {"GET"}
        found |= {(method, str(route.path)) for method in methods - {"HEAD"}}
    return found


def test_every_route_has_a_row(both: Both) -> None:
    assert routes(both.server) == set(ROWS)


@pytest.mark.parametrize("key", ROWS, ids=" ".join)
def test_what_is_anothers_is_as_what_is_nobodys(both: Both, key: Key) -> None:
    for one in ROWS[key]:
        before = seen_by(both.anna, both.ids)
        tried = send(both.ben, key[0], one, both.ids)
        unknown = send(both.ben, key[0], one, NOBODYS)
        assert tried.status_code == one.status, tried.text
        assert unknown.status_code == one.status, unknown.text
        for word in ANNAS:
            assert word not in without_what_was_sent(tried, one, both.ids)
        if one.status == 404:
            assert told(tried, both.ids) == told(unknown, NOBODYS)
        assert seen_by(both.anna, both.ids) == before


@pytest.mark.parametrize("key", ROWS, ids=" ".join)
@pytest.mark.parametrize("token", ["", "wrong"])
def test_nobody_gets_nothing(both: Both, key: Key, token: str) -> None:
    with client(both.server.url, token) as nobody:
        for one in ROWS[key]:
            for ids in (both.ids, NOBODYS):
                answer = send(nobody, key[0], one, ids)
                assert answer.status_code == one.without, answer.text
                assert not any(word in answer.text for word in ANNAS)


def test_somebody_who_is_known_reaches_what_is_theirs(both: Both) -> None:
    ids = both.ids
    assert both.anna.get(f"/api/sessions/{ids.session}").json()["title"] == "annas-title"
    assert both.anna.get(f"/api/sessions/{ids.session}/window").status_code == 200
    assert both.anna.get(f"/api/sessions/{ids.session}/export").text.startswith("## 1. what did the heron do?")
    found = both.anna.post("/api/search", json={"query": "heron", "corpus": ids.corpus}).json()
    assert [hit["path"] for hit in found["hits"]] == ["diary.md"]
    assert [one["id"] for one in both.anna.get("/api/documents").json()["documents"]] == [ids.document]
    assert [one["name"] for one in both.anna.get("/api/corpora").json()["corpora"]] == ["kitchen", "my-documents"]


def test_the_same_names_are_each_ones_own(tmp_path: Path) -> None:
    """What both may have under one name is never mixed up: documents, their corpus, turns that are under way."""
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        words = {"anna": "heron", "ben": "kingfisher"}
        people = {name: joined(server, name) for name in words}
        for name, (user, api) in people.items():
            api.post("/api/documents", json={"name": "diary.md", "text": f"I saw a {words[name]} today."})
            server.served.corpora.get("my-documents", user=user.id, wait=600)
        for name, (_, api) in people.items():
            [other] = set(words.values()) - {words[name]}
            for query in ("heron", "kingfisher", "diary today"):
                found = api.post("/api/search", json={"query": query, "corpus": "my-documents"}).json()
                assert other not in json.dumps(found["hits"])
            params = {"path": "diary.md", "corpus": "my-documents"}
            assert api.get("/api/passage", params=params).json()["lines"] == [f"I saw a {words[name]} today."]
            api.close()


def send(api: httpx.Client, method: str, one: Try, ids: Ids) -> httpx.Response:
    return api.request(method, one.path(ids), **one.send(ids))


def seen_by(api: httpx.Client, ids: Ids) -> list[Any]:
    """Return everything of somebody's."""
    session = api.get(f"/api/sessions/{ids.session}").json()
    documents = api.get("/api/documents").json()
    corpora = [(one["name"], one["documents"]) for one in api.get("/api/corpora").json()["corpora"]]
    return [session, documents, corpora, api.get("/api/sessions").json()]


def told(answer: httpx.Response, ids: Ids) -> str:
    """Return what an answer says, but for the names that were asked for."""
    text = answer.text
    for name in (ids.session, ids.document, ids.corpus, ids.path):
        text = text.replace(name, "…")
    return text


def without_what_was_sent(answer: httpx.Response, one: Try, ids: Ids) -> str:
    """Return what an answer says, but for the question that it answers."""
    sent = one.send(ids).get("json")
    text = answer.text
    for value in sent.values() if isinstance(sent, dict) else ():
        text = text.replace(json.dumps(value), "…")
    # Words of the question that stand nowhere are told to who asked it.
    return re.sub(r'\{"word":"\w+","nearest":\[\]\}', "…", text)
