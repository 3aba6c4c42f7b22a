"""Documents over HTTP: uploaded or pasted, found by their owner, gone when they are deleted."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from native_parts import begin, client, of, turn
from served import Running, serving, write

OWN = "my-documents"


def searched(api: httpx.Client, query: str) -> list[str]:
    """Return the paths that a search of the caller's own corpus finds, once its first index is there."""
    while True:
        answer = api.post("/api/search", json={"query": query, "corpus": OWN})
        if answer.status_code != 503:
            return [hit["path"] for hit in answer.json()["hits"]]
        threading.Event().wait(0.02)


def names(api: httpx.Client) -> list[str]:
    return [one["name"] for one in api.get("/api/corpora").json()["corpora"]]


def test_a_pasted_text_becomes_a_corpus_of_ones_own(quoting: Running, api: httpx.Client, tmp_path: Path) -> None:
    assert api.get("/api/documents").json() == {"corpus": OWN, "documents": []}
    assert names(api) == ["kitchen"]
    answer = api.post("/api/documents", json={"name": "tides.md", "text": "# Tides\n\nThe flood begins at noon.\n"})
    assert answer.status_code == 201
    stored = answer.json()
    assert (stored["name"], stored["path"], stored["corpus"], stored["bytes"]) == ("tides.md", "tides.md", OWN, 35)
    assert api.get("/api/documents").json()["documents"] == [stored]
    assert names(api) == ["kitchen", OWN]
    assert searched(api, "when does the flood begin?") == ["tides.md"]
    session = begin(api, corpus=OWN)
    assert "at noon" in of(turn(api, session, "when does the flood begin?"), "done")[0]["answer"]
    passage = api.get("/api/passage", params={"corpus": OWN, "path": "tides.md", "start": 3, "end": 3}).json()
    assert passage["lines"] == ["The flood begins at noon."]
    assert list((tmp_path / "home/documents/local").iterdir()) == [tmp_path / "home/documents/local/tides.md"]


def test_an_uploaded_file(api: httpx.Client) -> None:
    file = {"file": ("../../Ebb & flow.txt", "Die Straße ist naß.".encode("cp1252"), "text/plain")}
    answer = api.post("/api/documents", files=file)
    assert (answer.status_code, answer.json()["name"]) == (201, "Ebb - flow.txt")
    assert searched(api, "Straße") == ["Ebb - flow.txt"]


def test_what_is_added_later_is_found_and_what_is_deleted_is_not(api: httpx.Client) -> None:
    first = api.post("/api/documents", json={"name": "a.md", "text": "the heron stands"}).json()
    assert searched(api, "heron") == ["a.md"]
    api.post("/api/documents", json={"name": "b.md", "text": "the kingfisher dives"})
    assert searched(api, "kingfisher")[0] == "b.md"
    assert api.delete(f"/api/documents/{first['id']}").status_code == 204
    assert searched(api, "heron stands") == []
    assert api.delete(f"/api/documents/{first['id']}").status_code == 404
    assert [one["name"] for one in api.get("/api/documents").json()["documents"]] == ["b.md"]


@pytest.mark.parametrize(
    ("send", "status", "said"),
    [
        ({"json": {"name": "a.md"}}, 400, "text"),
        ({"json": {"name": "a.md", "text": ""}}, 400, "empty"),
        ({"json": {"name": "a.md", "text": 1}}, 400, "text"),
        ({"json": {"name": "a.md", "text": "x", "more": 1}}, 400, "more"),
        ({"json": ["x"]}, 400, "body"),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400, "JSON"),
        ({"json": {"name": "id_rsa.txt", "text": "x"}}, 400, "never indexed"),
        ({"json": {"name": "a.md", "text": "-----BEGIN RSA PRIVATE KEY-----"}}, 400, "private key"),
        ({"json": {"name": "a.md", "text": "x", "corpus": "kitchen"}}, 403, "my-documents"),
        ({"json": {"name": "a.py", "text": "x = 1\n" * 400_000}}, 413, "allowed"),
        ({"json": {"name": "a.py", "text": "x = 1\n" * 2_000_000}}, 413, "12,000,000 bytes"),
        ({"json": {"name": "a.png", "text": "x"}}, 415, "is not text"),
        ({"json": {"name": "a.md", "text": "x\0y"}}, 415, "is not text"),
        ({"files": {"file": ("a.bin.md", b"\x89PNG\r\n\x1a\n\0\0")}}, 415, "is not text"),
        ({"files": {"other": ("a.md", b"x")}}, 400, "file"),
        ({"data": {"file": "x"}, "files": {"other": ("a.md", b"x")}}, 400, "file"),
        ({"files": [("file", ("a.md", b"x")), ("file", ("b.md", b"x"))]}, 400, "files"),
        ({"content": b"x", "headers": {"content-type": "text/plain"}}, 415, "text/plain"),
        ({"content": b"x"}, 415, "not supported"),
        ({"content": b"x", "headers": {"content-type": "multipart/form-data"}}, 400, "oundary"),
        ({"content": b"--x\r\n", "headers": {"content-type": "multipart/form-data; boundary=x"}}, 400, ""),
    ],
)
def test_what_is_no_document(shared_api: httpx.Client, send: dict[str, Any], status: int, said: str) -> None:
    answer = shared_api.post("/api/documents", **send)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json"), answer.text
    assert said in answer.json()["error"]["message"]
    assert shared_api.get("/api/documents").json()["documents"] == []


def test_a_document_is_found_after_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server, client(server.url) as api:
            if not api.get("/api/documents").json()["documents"]:
                api.post("/api/documents", json={"name": "a.md", "text": "the heron stands"})
            assert searched(api, "heron") == ["a.md"]
