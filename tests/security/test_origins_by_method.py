"""A page elsewhere cannot use somebody's browser to change anything here: method by method, route by route.

``tests/server/http/test_guard.py`` tries the forms that a Host or an Origin can have.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from matrix import ROWS, Ids, Key
from native_parts import begin, client, joined
from served import Running, serving, write

READING = {"GET", "HEAD"}
METHODS = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "QUERY", "post", "PoSt", "X"]
FOREIGN = {
    "another site": {"origin": "https://evil.example"},
    "no site": {"origin": "null"},
    "another port": {"origin": "http://127.0.0.1:1"},
    "another scheme": {"origin": "ftp://127.0.0.1"},
    "a name that begins alike": {"origin": "http://127.0.0.1.evil.example"},
    "a name within": {"origin": "http://evil.127.0.0.1"},
    "a user of that name": {"origin": "http://127.0.0.1@evil.example"},
    "by its site": {"sec-fetch-site": "cross-site"},
    "by a kindred site": {"sec-fetch-site": "same-site"},
}
CHANGING = [key for key in ROWS if key[0] not in READING]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("origins")
    with serving(write(folder / "kitchen"), home=folder / "home") as server:
        yield server


@pytest.fixture(scope="module")
def anna(server: Running) -> Iterator[tuple[httpx.Client, Ids]]:
    """Somebody with a session and a document, whose token her browser sends wherever a page sends it."""
    _, api = joined(server, "anna")
    document = api.post("/api/documents", json={"name": "diary.md", "text": "I saw a heron."}).json()["id"]
    yield api, Ids(begin(api, title="mine"), document)
    api.close()


def kept(api: httpx.Client, ids: Ids) -> list[object]:
    return [api.get(f"/api/sessions/{ids.session}").json()["title"], api.get("/api/documents").json()["documents"]]


@pytest.mark.parametrize("key", CHANGING, ids=" ".join)
def test_no_route_changes_anything_for_a_foreign_page(anna: tuple[httpx.Client, Ids], key: Key) -> None:
    api, ids = anna
    before = kept(api, ids)
    for headers in FOREIGN.values():
        for one in ROWS[key]:
            answer = api.request(key[0], one.path(ids), **{**one.send(ids), "headers": headers})
            assert answer.status_code == 403, answer.text
            assert not any(name.startswith("access-control") for name in answer.headers)
            assert "set-cookie" not in answer.headers
    assert kept(api, ids) == before


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", ["/", "/api/sessions", "/v1/chat/completions", "/static/base.css", "/no-such-path"])
def test_every_method_but_reading_needs_a_page_of_ours(server: Running, method: str, path: str) -> None:
    with client(server.url) as browser:
        for headers in FOREIGN.values():
            answer = browser.request(method, path, headers=headers)
            assert answer.status_code == 403
            assert "foreign_origin" in answer.text or "text/html" in answer.headers["content-type"]


@pytest.mark.parametrize("method", ["GET", "HEAD", *METHODS])
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "10.0.0.1", "localhost.evil.example"])
def test_every_method_needs_a_name_of_ours(server: Running, method: str, host: str) -> None:
    with client(server.url) as browser:
        for path in ("/", "/healthz", "/api/corpora", "/no-such-path"):
            assert browser.request(method, path, headers={"host": host}).status_code == 421


def test_reading_changes_nothing(anna: tuple[httpx.Client, Ids]) -> None:
    """Reading is let through from anywhere, so none of it may change anything: a picture's address is read, too."""
    api, ids = anna
    before = kept(api, ids)
    for (method, _), tries in ROWS.items():
        for one in tries if method in READING else ():
            api.request(method, one.path(ids), **one.send(ids), headers=FOREIGN["by its site"])
    assert kept(api, ids) == before


def test_nobody_is_told_that_other_sites_may_read(server: Running) -> None:
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    with client(server.url) as browser:
        for method in ("OPTIONS", "GET", "HEAD"):
            for path in ("/", "/api/corpora", "/v1/models"):
                answer = browser.request(method, path, headers=asked)
                assert not any(name.startswith("access-control") for name in answer.headers)
                assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("way", ["header", "cookie"])
def test_a_page_of_ours_is_let_through_by_every_method(server: Running, way: str) -> None:
    _, token = server.served.users.add(f"ben-{way}")
    with client(server.url) as browser:
        if way == "header":
            browser.headers["authorization"] = f"Bearer {token}"
        else:
            browser.cookies.set("quaestor_token", token)
        own = {"origin": server.url, "sec-fetch-site": "same-origin"}
        session = browser.post("/api/sessions", json={"corpus": "kitchen"}, headers=own).json()["id"]
        assert browser.patch(f"/api/sessions/{session}", json={"title": "x"}, headers=own).status_code == 200
        assert browser.delete(f"/api/sessions/{session}", headers=own).status_code in (200, 204)
