"""Dates and authors over HTTP and on the page's search, over one blog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Running, get, post, serving

from blog import write_blog
from scripted_server import ScriptedServer

ASKED = "where to eat in Oaxaca"


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("served")
    with serving(write_blog(folder / "blog"), home=folder / "home") as server:
        yield server


def found(blog: Running, **asked: object) -> dict[str, object]:
    answer = post(f"{blog.url}/api/search", json={"query": ASKED, "k": 30, **asked}, timeout=600)
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def bylines(answer: dict[str, object]) -> set[tuple[str, str]]:
    hits = answer["hits"]
    assert isinstance(hits, list)
    return {(hit["author"], str(hit["date"])[:4]) for hit in hits}


def test_search_by_date_and_author(blog: Running) -> None:
    assert bylines(found(blog, since="2019", by=["Okri"])) == {("Ben Okri", "2019"), ("Ben Okri", "2020")}
    assert bylines(found(blog, before="March 2015")) == {("Julia Evans", "2015"), ("Ana Núñez", "2015")}
    said = found(blog, query="posts by Julia Evans since 2018 about food")
    assert said["understood"] == ["by Julia Evans", "since 2018"]
    assert {author for author, _ in bylines(said)} == {"Julia Evans"}
    words = found(blog, query="posts by Julia Evans since 2018 about food", filters=False)
    assert (words["understood"], len(bylines(words)) > 2) == ([], True)
    assert found(blog, query="food since 2031")["missed"] == ["since 2031"]


def test_an_answer_from_documents_of_a_date(blog: Running) -> None:
    asked = {"question": f"{ASKED}?", "before": "2016", "by": ["Ana Nunez"]}
    answer = post(f"{blog.url}/api/ask", json=asked, timeout=600).json()
    assert {citation["path"] for citation in answer["citations"]} == {"posts/2015-02-11-tlayudas.md"}


def test_a_turn_of_a_conversation_about_documents_of_an_author(blog: Running) -> None:
    session = post(f"{blog.url}/api/sessions", json={}).json()["id"]
    turns = f"{blog.url}/api/sessions/{session}/turns"
    limited = {"by": ["Ana Nunez"], "before": "2016", "filters": False}
    told = post(turns, json={"question": f"{ASKED} since 2019", **limited}, timeout=600).text
    sources = get(f"{blog.url}/api/sessions/{session}").json()["turns"][0]["sources"]
    assert '"understood":[]' in told
    assert {one["path"] for one in sources} == {"posts/2015-02-11-tlayudas.md"}
    refused = post(turns, json={"question": "food", "since": "soon"})
    assert (refused.status_code, "is not a date" in refused.text) == (400, True)
    # It holds for that turn alone, and what is refused leaves nothing behind.
    post(turns, json={"question": "food"}, timeout=600)
    _, second = get(f"{blog.url}/api/sessions/{session}").json()["turns"]
    assert len({one["path"] for one in second["sources"]}) > 1


def test_a_search_on_the_page_says_which_filter_lets_nothing_through(blog: Running) -> None:
    assert "No document is in &#39;klingon&#39;." in get(f"{blog.url}/search?q=food&language=klingon").text
    assert "No document is dated" in get(f"{blog.url}/search?q=food&since=2031").text
    assert "No document" not in get(f"{blog.url}/search?q=food&since=2015").text


def test_a_conversation_on_the_page_tells_what_it_understood(blog: Running) -> None:
    asked = post(f"{blog.url}/ask", data={"question": "posts by Ana Núñez on food"})
    shown = get(blog.url + asked.headers["location"].partition("#")[0]).text
    assert "Understood as a filter: “by Ana Núñez”. Put it in quotation marks" in shown
    asked = post(f"{blog.url}/ask", data={"question": "food since 2031"})
    shown = get(blog.url + asked.headers["location"].partition("#")[0]).text
    assert "Not used as a filter, because nothing would be left: “since 2031”." in shown


def test_a_date_that_is_none(blog: Running) -> None:
    refused = post(f"{blog.url}/api/search", json={"query": "x", "since": "soon"}, timeout=600)
    assert refused.status_code == 400
    assert "'soon' is not a date" in refused.json()["error"]["message"]


def test_the_page_searches_by_date_and_author_and_tells_what_it_understood(blog: Running) -> None:
    shown = get(f"{blog.url}/search?q=food&since=2019&by=Okri").text
    assert 'name="since" value="2019"' in shown
    assert '<details class="limits" open>' in shown
    assert "Ben Okri · 2020-03-11" in shown
    assert "Julia Evans" not in shown
    said = get(f"{blog.url}/search?q=posts+by+Ana+N%C3%BA%C3%B1ez+on+food").text
    assert "Understood as a filter: “by Ana Núñez”" in said
    assert "nothing would be left: “since 2031”" in get(f"{blog.url}/search?q=food+since+2031").text
    failed = get(f"{blog.url}/search?q=food&since=soon")
    assert failed.status_code == 400
    assert "is not a date" in failed.text


def test_a_model_is_not_asked_where_no_document_passes_the_filter(tmp_path: Path) -> None:
    with (
        ScriptedServer() as model,
        serving(write_blog(tmp_path / "blog"), home=tmp_path / "home", model="tiny", base_url=model.base_url) as server,
    ):
        session = post(f"{server.url}/api/sessions", json={}).json()["id"]
        turns = f"{server.url}/api/sessions/{session}/turns"
        told = post(turns, json={"question": ASKED, "language": ["klingon"]}, timeout=600).text
        assert "No document is in 'klingon'." in told
        assert "No document is in &#39;klingon&#39;." in get(f"{server.url}/sessions/{session}").text
        assert not [one for one in model.requests if one.messages]
        post(turns, json={"question": ASKED, "language": ["markdown"]}, timeout=600)
        assert [one for one in model.requests if one.messages]
