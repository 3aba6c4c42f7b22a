"""Corpora over HTTP: the same JSON as on the command line, and nothing that is not in a corpus."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from native_parts import client
from served import Running, serving, write

from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.corpus.corpus_json import search_object
from tiny_transformer import write_transformer

FILES = {
    "src/retry.py": "MAX_ATTEMPTS = 3\n\n\ndef send_with_retry(request):\n    return request\n",
    "docs/guide.md": "# Guide\n\n## Sourdough\n\nThe dough rests for eighteen hours.\n",
    ".env": "TOKEN=secret\n",
    "empty.md": "",
}


def test_the_list_says_what_each_holds(shared_api: httpx.Client) -> None:
    [corpus] = shared_api.get("/api/corpora").json()["corpora"]
    assert corpus == {
        "name": "kitchen",
        "title": "kitchen",
        "ready": True,
        "done": 0,
        "total": 0,
        "documents": 2,
        "chunks": corpus["chunks"],
        "mine": False,
        "error": None,
    }
    assert corpus["chunks"] > 0


def test_search_is_what_the_command_line_prints(quoting: Running, api: httpx.Client, tmp_path: Path) -> None:
    found = api.post("/api/search", json={"query": "how long does the dough rest?", "k": 1}).json()
    with Index.open(tmp_path / "kitchen", settings=Settings(home=str(tmp_path / "home"))) as index:
        hits = index.search("how long does the dough rest?", 1)
        expected = search_object("how long does the dough rest?", hits, index, 0.0)
    assert found["hits"] == expected["hits"]
    assert found["hits"][0]["path"] == "guide.md"
    assert set(found) == set(expected)
    assert set(found["index"]) == set(expected["index"])


def test_search_within_paths_and_languages(shared_api: httpx.Client) -> None:
    def paths(**more: object) -> set[str]:
        return {
            hit["path"]
            for hit in shared_api.post("/api/search", json={"query": "request dough", **more}).json()["hits"]
        }

    assert paths() == {"retry.py", "guide.md"}
    assert paths(language=["python"]) == paths(path=["*.py"]) == {"retry.py"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"query": 1}',
        b'{"query": "x", "k": 0}',
        b'{"query": "x", "k": 1001}',
        b'{"query": "x", "more": 1}',
        b'{"query": "\\ud800"}',
        b'{"query": "' + b"x" * 200_001 + b'"}',
        b'{"query": "\xff"}',
    ],
)
def test_a_search_that_cannot_be_read(shared_api: httpx.Client, body: bytes) -> None:
    answer = shared_api.post("/api/search", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert set(answer.json()["error"]) == {"code", "message"}


def test_stats_say_what_is_held_and_not_which_files_were_left_out(tmp_path: Path) -> None:
    with serving(write(tmp_path / "kitchen", FILES), home=tmp_path / "home") as server, client(server.url) as api:
        answer = api.get("/api/stats")
        stats = answer.json()
        assert (stats["documents"], stats["index"]["documents"]) == (3, 3)
        assert stats["skipped_by_reason"] == {"secret": 1}
        assert ".env" not in answer.text
        assert stats["coming"] is None


def test_stats_and_searches_tell_of_vectors_that_are_yet_to_come(tmp_path: Path) -> None:
    embedder = f"onnx:{write_transformer(tmp_path / 'model')}"
    folder = write(tmp_path / "kitchen", FILES)
    with serving(folder, home=tmp_path / "home", embedder=embedder) as server, client(server.url) as api:
        coming = {"embedder": embedder, "done": 0, "total": 0, "busy": False}
        assert api.get("/api/stats").json()["coming"] == coming
        assert api.post("/api/search", json={"query": "dough"}).json()["index"]["coming"] == coming


def test_a_passage_is_lines_of_a_document(tmp_path: Path) -> None:
    with serving(write(tmp_path / "kitchen", FILES), home=tmp_path / "home") as server, client(server.url) as api:
        found = api.get("/api/passage", params={"path": "src/retry.py", "start": 4, "end": 4}).json()
        assert (found["start_line"], found["end_line"], found["total_lines"]) == (4, 4, 5)
        assert found["lines"] == ["def send_with_retry(request):"]
        assert (found["language"], found["fresh"]) == ("python", True)
        around = api.get("/api/passage", params={"path": "src/retry.py", "start": 4, "end": 4, "around": 2}).json()
        assert (around["start_line"], around["end_line"], len(around["lines"])) == (2, 5, 4)
        whole = api.get("/api/passage", params={"path": "src/retry.py"}).json()
        assert len(whole["lines"]) == 5
        empty = api.get("/api/passage", params={"path": "empty.md"}).json()
        assert (empty["lines"], empty["end_line"]) == ([], 0)


def test_a_passage_is_confined_to_the_corpus(tmp_path: Path) -> None:
    root = write(tmp_path / "kitchen", FILES)
    (tmp_path / "outside.md").write_text("outside\n", encoding="utf-8")
    (root / "link.md").symlink_to(tmp_path / "outside.md")
    (root / "swapped").mkdir()
    (root / "swapped/a.md").write_text("inside\n", encoding="utf-8")
    with serving(root, home=tmp_path / "home") as server, client(server.url) as api:
        assert api.get("/api/passage", params={"path": "swapped/a.md"}).json()["lines"] == ["inside"]
        (root / "swapped/a.md").unlink()
        (root / "swapped").rmdir()
        (tmp_path / "a.md").write_text("outside\n", encoding="utf-8")
        (root / "swapped").symlink_to(tmp_path)
        for path in (
            ".env",
            "link.md",
            "swapped/a.md",
            "../outside.md",
            "src/../../outside.md",
            str(tmp_path / "outside.md"),
            "/etc/passwd",
            "src",
            "a\0b",
            "gone.md",
        ):
            answer = api.get("/api/passage", params={"path": path})
            assert answer.status_code in (403, 404), (path, answer.text)
            assert "outside\n" not in answer.text


@pytest.mark.parametrize(
    "query", [{}, {"start": 0}, {"start": 2, "end": 1}, {"start": 99}, {"start": "x"}, {"end": -1}, {"around": 2000}]
)
def test_lines_that_there_cannot_be(shared_api: httpx.Client, query: dict[str, object]) -> None:
    path = {"path": "retry.py"} if query else {}
    answer = shared_api.get("/api/passage", params={**path, **query})
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json")


def test_one_of_several_corpora_must_be_named(tmp_path: Path) -> None:
    roots = [write(tmp_path / name) for name in ("one", "two")]
    with serving(*roots, home=tmp_path / "home") as server, client(server.url) as api:
        assert api.post("/api/search", json={"query": "x"}).json()["error"]["message"].startswith("There are several")
        assert api.post("/api/search", json={"query": "dough", "corpus": "two"}).json()["hits"]
        unknown = api.post("/api/search", json={"query": "dough", "corpus": "three"})
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "not_found")
        assert api.get("/api/stats", params={"corpus": "three"}).status_code == 404


def test_ask_quotes_where_there_is_no_model(shared_api: httpx.Client) -> None:
    answer = shared_api.post("/api/ask", json={"question": "how long does the dough rest?"}).json()
    assert "eighteen hours" in answer["answer"]
    assert answer["known"] is True
    assert answer["citations"][0]["status"] == "verified"
    unknown = shared_api.post("/api/ask", json={"question": "who won the world cup of 1954?"}).json()
    assert (unknown["known"], unknown["citations"]) == (False, [])


def test_an_overview_of_a_corpus_and_of_a_folder_of_it(shared_api: httpx.Client) -> None:
    found = shared_api.get("/api/overview", params={"tokens": 200}).json()
    assert found["documents"] == 2
    assert found["tokens"] <= 200
    assert "retry.py" in found["text"]
    told = [line for section in found["sections"] for line in section["lines"] if "path" in line]
    assert {line["path"] for line in told} <= {"retry.py", "guide.md"}
    assert all(line["fresh"] and len(line["sha256"]) == 64 for line in told)
    assert shared_api.get("/api/overview", params={"folder": "nowhere"}).status_code == 404
    assert shared_api.get("/api/overview", params={"tokens": 1}).status_code in (400, 422)
