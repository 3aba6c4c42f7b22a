"""Sites that are added on the page: said first, fetched with consent alone, looked at, added; of allowed hosts only."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest
from html_parts import seen
from served import Running, serving, write

from quaestor.assemble import make_users
from quaestor.core.config import Settings
from quaestor.server.http.served_state import Served
from servers.public_address import public  # noqa: F401 - a fixture
from servers.site import Answer, SiteServer

PAGES = {
    "/": '<h1>Garden</h1><p>All about the garden.</p><a href="/beans">beans</a><a href="/moved">more</a>',
    "/beans": "<h1>Beans</h1><p>Beans are sown in May, and watered at dusk.</p>",
}


@pytest.fixture
def site() -> Iterator[SiteServer]:
    def answer(path: str, _headers: Mapping[str, str]) -> Answer | None:
        if path == "/moved":
            return Answer("", 302, {"location": f"http://localhost:{found.port}/beans"})
        return Answer(PAGES[path]) if path in PAGES else None

    with SiteServer(answer) as found:
        yield found


def served(tmp_path: Path, *hosts: str) -> object:
    folder = write(tmp_path / "kitchen")
    return serving(folder, home=tmp_path / "home", add_sites=hosts or ("127.0.0.1,docs.example.org",))


def client(server: Running) -> httpx.Client:
    return httpx.Client(base_url=server.url, timeout=600, verify=False)


def fetched(served: Served) -> None:
    """Wait until nothing is fetched any more."""
    pause = threading.Event()
    while any(served.sites.fetch_progress(one.address) is not None for one in served.sites.list()):
        pause.wait(0.01)


def names(browser: httpx.Client) -> list[str]:
    return [one["name"] for one in browser.get("/api/corpora").json()["corpora"]]


@pytest.mark.usefixtures("public")
def test_a_site_is_said_fetched_looked_at_added_asked_about_and_removed(tmp_path: Path, site: SiteServer) -> None:
    address = {"address": f"{site.url}/"}
    with served(tmp_path) as server, client(server) as browser:
        assert "Nothing has been fetched yet" in seen(browser.post("/sites/look", data=address).text).text
        assert browser.post("/sites", data=address).status_code == 404
        assert not site.asked
        assert browser.post("/sites/fetch", data={**address, "pages": 50}).headers["location"] == "/folders"
        fetched(server.served)
        # Fetching adds nothing.
        assert "Fetched, not added yet" in seen(browser.get("/folders").text).text
        assert names(browser) == ["kitchen"]
        looked = seen(browser.post("/sites/held", data=address).text).text
        assert "Documents2" in looked
        assert "Costnothing" in looked
        assert browser.post("/sites", data=address).status_code == 303
        assert names(browser) == ["kitchen", "127.0.0.1"]
        body = {"query": "When are beans sown?", "corpus": "127.0.0.1"}
        while (found := browser.post("/api/search", json=body)).status_code == 503:
            pass
        assert "sown in May" in found.text
        # A citation opens the page at the words that were quoted.
        asked = browser.post("/ask", data={"question": body["query"], "corpus": body["corpus"]})
        shown = seen(browser.get(asked.headers["location"].partition("#")[0]).text)
        [cited] = [href for href in shown.values("href") if "/citations/" in href]
        opened = seen(browser.get(cited).text).values("href")
        assert any(href.startswith(f"{site.url}/beans#:~:text=Beans%20are%20sown%20in%20May") for href in opened)
    # What was added is served again, and fetched only when that is asked for.
    asked = dict(site.asked)
    with served(tmp_path) as server, client(server) as browser:
        assert names(browser) == ["kitchen", "127.0.0.1"]
        assert browser.post("/sites/remove", data=address).status_code == 303
        assert names(browser) == ["kitchen"]
        assert asked == site.asked


@pytest.mark.usefixtures("public")
def test_a_redirect_leads_to_no_host_that_is_not_allowed(tmp_path: Path, site: SiteServer) -> None:
    with served(tmp_path) as server, client(server) as browser:
        browser.post("/sites/fetch", data={"address": f"{site.url}/moved"})
        fetched(server.served)
        shown = seen(browser.get("/folders").text).text
        assert "localhost is not among the sites that may be fetched" in shown
    assert not site.asked["/beans"]


def test_this_machine_is_never_asked(tmp_path: Path, site: SiteServer) -> None:
    for host in ("127.0.0.1", "*"):
        with served(tmp_path, host) as server, client(server) as browser:
            for address in (f"{site.url}/", f"{site.url}/garden.git"):
                for route in ("/sites/look", "/sites/fetch"):
                    refused = browser.post(route, data={"address": address})
                    assert refused.status_code == 403
                    assert "on this machine or its network" in seen(refused.text).text
    # What a name leads to is known only once it is asked for.
    named = f"{socket.gethostname()}:{site.port}"
    with served(tmp_path, "*") as server, client(server) as browser:
        for address in (f"http://{named}/", f"http://{named}/garden.git"):
            assert browser.post("/sites/look", data={"address": address}).status_code == 200
            browser.post("/sites/fetch", data={"address": address})
            fetched(server.served)
            shown = seen(browser.get("/folders").text).text
            assert "in a private network" in shown
            assert "--" not in shown.replace("--add-within", "")
        assert browser.post("/sites/look", data={"address": f"http://localhost:{site.port}/"}).status_code == 403
    assert not site.asked


@pytest.mark.usefixtures("public")
def test_only_allowed_hosts_are_added(tmp_path: Path, site: SiteServer) -> None:
    elsewhere = (
        *(f"http://localhost:{site.port}/", "https://evil.org/", "https://docs.example.org.evil.org/"),
        *("https://evil.org@x/", "file:///etc/passwd", "ssh://127.0.0.1/x.git", "git@127.0.0.1:x", "http://", "a b"),
        *(
            "ftp://127.0.0.1/",
            "https://docs.example.org:pw@evil.org/",
            "http://[::1]/",
            "https://user:pw@127.0.0.1/x.git",
        ),
    )
    with served(tmp_path) as server, client(server) as browser:
        for address in elsewhere:
            for route in ("/sites/look", "/sites/fetch", "/sites/held", "/sites", "/sites/remove"):
                assert browser.post(route, data={"address": address}).status_code in (400, 403), address
        assert server.served.sites.list() == ()
    assert not site.asked


def test_without_leave_there_is_no_field_and_no_user_with_a_token_has_one(tmp_path: Path) -> None:
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server, client(server) as browser:
        assert "--add-sites" in browser.get("/folders").text
        assert browser.post("/sites/fetch", data={"address": "https://docs.example.org/"}).status_code == 403
    _, token = make_users(Settings(home=str(tmp_path / "home"))).add("ada")
    with served(tmp_path) as server, client(server) as browser:
        browser.headers["authorization"] = f"Bearer {token}"
        assert 'action="/sites' not in browser.get("/folders").text
        for route in ("/sites/look", "/sites/fetch", "/sites/held", "/sites", "/sites/remove"):
            assert browser.post(route, data={"address": "https://docs.example.org/"}).status_code == 403


@pytest.mark.usefixtures("public")
def test_fetching_ends_once_nobody_wants_it(tmp_path: Path, site: SiteServer) -> None:
    going, ended = threading.Event(), threading.Event()

    def slow(path: str, _headers: Mapping[str, str]) -> Answer | None:
        if path in ("/robots.txt", "/sitemap.xml"):
            return None
        going.wait(600)
        links = "".join(f'<a href="/{number}">x</a>' for number in range(400))
        return Answer(f"<h1>{path}</h1><p>All about {path}.</p>{links}")

    site.site = slow
    address = {"address": f"{site.url}/"}
    with served(tmp_path) as server, client(server) as browser:
        browser.post("/sites/fetch", data=address)
        shown = browser.get("/folders").text
        assert "Fetching" in seen(shown).text
        assert "Stop" in seen(shown).text
        # Asked for again, it is fetched once.
        browser.post("/sites/fetch", data=address)
        assert browser.post("/sites/remove", data=address).status_code == 303
        going.set()
        while server.served.sites.fetch_progress(address["address"]) is not None:
            ended.wait(0.01)
        assert server.served.sites.list() == ()
    assert site.asked["/"] <= 1
    assert sum(site.asked.values()) < 400


def test_a_list_that_was_damaged_is_no_list(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    for text in ("", "{}", "[1, null, {}]", '[{"address": "https://evil.org/"}]', '[{"address": 7}]'):
        (tmp_path / "home/added-sites.json").write_text(text)
        with served(tmp_path) as server, client(server) as browser:
            assert names(browser) == ["kitchen"]
            assert server.served.sites.list() == ()
