"""A search of several corpora over HTTP: what is found, and what is nobody else's to find."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from native_parts import client, joined
from served import FILES, Running, serving, write

GARDEN = {
    "retry.py": "def sow_again(bed):\n    return bed\n",
    "guide.md": "# Garden guide\n\n## Beans\n\nBeans are sown in May, and watered at dusk.\n",
}


@dataclass(frozen=True)
class Two:
    """A server of two corpora that everybody may see, and a client of nobody."""

    server: Running
    api: httpx.Client


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder = tmp_path_factory.mktemp("two")
    roots = write(folder / "kitchen"), write(folder / "garden", GARDEN)
    with serving(*roots, home=folder / "home") as server, client(server.url) as api:
        yield Two(server, api)


def places(found: Any) -> set[tuple[str, str]]:
    return {(hit["corpus"], hit["path"]) for hit in found["hits"]}


@pytest.mark.parametrize("corpora", [["kitchen", "garden"], ["*"], ["*", "kitchen"], ["garden", "kitchen", "garden"]])
def test_hits_of_all_come_in_one_ranking(two: Two, corpora: list[str]) -> None:
    found = two.api.post("/api/search", json={"query": "guide", "corpora": corpora}).json()
    assert {("kitchen", "guide.md"), ("garden", "guide.md")} <= places(found)
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert {one["name"]: (one["documents"], one["error"]) for one in found["corpora"]} == {
        "kitchen": (2, None),
        "garden": (2, None),
    }
    assert found["index"]["documents"] == 4
    assert found["index"]["fresh"] is True
    for hit in found["hits"]:
        asked = {"path": hit["path"], "corpus": hit["corpus"], "start": hit["start_line"], "end": hit["end_line"]}
        passage = two.api.get("/api/passage", params=asked).json()
        assert "\n".join(passage["lines"]).strip() == hit["text"].strip()


def test_filters_hold_in_each(two: Two) -> None:
    asked = {"query": "sow dough send", "corpora": ["*"], "path": ["*.py"]}
    assert places(two.api.post("/api/search", json=asked).json()) == {("kitchen", "retry.py"), ("garden", "retry.py")}
    found = two.api.post("/api/search", json={"query": "beans", "corpora": ["*"], "k": 1}).json()
    assert places(found) == {("garden", "guide.md")}


def test_one_corpus_is_as_ever(two: Two) -> None:
    found = two.api.post("/api/search", json={"query": "beans", "corpus": "garden"}).json()
    assert "corpora" not in found
    assert {hit["corpus"] for hit in found["hits"]} == {"garden"}
    alone = two.api.post("/api/search", json={"query": "beans", "corpora": ["garden"]}).json()
    assert alone["hits"] == found["hits"]
    assert [one["name"] for one in alone["corpora"]] == ["garden"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"corpora": ["kitchen", "nowhere"]}, 404),
        ({"corpora": ["kitchen"], "corpus": "garden"}, 400),
        ({"corpora": "kitchen"}, 400),
        ({"corpora": [1]}, 400),
        ({"corpora": ["x"] * 1001}, 400),
    ],
)
def test_what_cannot_be_asked(two: Two, body: dict[str, Any], status: int) -> None:
    answer = two.api.post("/api/search", json={"query": "beans", **body})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


def test_nobody_finds_what_is_anothers(tmp_path: Path) -> None:
    with serving(write(tmp_path / "kitchen"), write(tmp_path / "garden", GARDEN), home=tmp_path / "home") as server:
        (user, anna), (_, ben) = joined(server, "anna"), joined(server, "ben")
        with anna, ben:
            anna.post("/api/documents", json={"name": "diary.md", "text": "I saw a heron today."})
            anna.get("/api/corpora")
            server.served.corpora.get("my-documents", user=user.id, wait=600)
            asked = {"query": "heron", "corpora": ["*"]}
            mine = anna.post("/api/search", json=asked).json()
            assert mine["hits"][0]["corpus"] == "my-documents"
            others = ben.post("/api/search", json=asked)
            assert "heron today" not in others.text
            assert [one["name"] for one in others.json()["corpora"]] == ["kitchen", "garden"]
            named = ben.post("/api/search", json={**asked, "corpora": ["kitchen", "my-documents"]})
            unknown = ben.post("/api/search", json={**asked, "corpora": ["kitchen", "no-documents"]})
            assert (named.status_code, unknown.status_code) == (404, 404)
            assert named.text.replace("my-documents", "no-documents") == unknown.text


def test_a_corpus_that_fails_costs_only_itself(tmp_path: Path) -> None:
    roots = write(tmp_path / "kitchen", dict(FILES)), write(tmp_path / "garden", GARDEN)
    with serving(*roots, home=tmp_path / "home") as server, client(server.url) as api:
        garden = server.served.corpora.get("garden")
        with garden.store.writing() as writer:
            writer.set_embedder("another", 3)
        found = api.post("/api/search", json={"query": "dough", "corpora": ["*"]}).json()
        assert {hit["corpus"] for hit in found["hits"]} == {"kitchen"}
        assert {one["name"]: one["error"] is None for one in found["corpora"]} == {"kitchen": True, "garden": False}
        answer = api.post("/api/search", json={"query": "beans", "corpora": ["garden"]})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "index")


def test_a_conversation_about_several_is_not_answered_from_what_is_left_of_them(tmp_path: Path) -> None:
    kitchen, garden = write(tmp_path / "kitchen"), write(tmp_path / "garden", GARDEN)
    question = {"question": "How long does the dough rest?"}
    with serving(kitchen, garden, home=tmp_path / "home") as server, client(server.url) as api:
        session = api.post("/api/sessions", json={"corpora": ["kitchen", "garden"]}).json()["id"]
        assert "eighteen hours" in api.post(f"/api/sessions/{session}/turns", json=question).text
    with serving(kitchen, home=tmp_path / "home") as server, client(server.url) as api:
        refused = api.post(f"/api/sessions/{session}/turns", json=question)
        assert "also about 'garden', which is not served now" in refused.text
        assert "eighteen hours" not in refused.text
