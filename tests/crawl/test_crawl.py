"""What a crawl does where a site is odd, broken, or stops in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import quaestor
from quaestor.core.errors import ForbiddenError, IndexUnusableError, UpstreamError, UsageError
from quaestor.crawl.connections import FetchError
from quaestor.crawl.crawl_settings import CrawlReport, CrawlSettings
from quaestor.crawl.crawler import Crawl
from quaestor.crawl.fetch import Fetcher
from quaestor.crawl.politeness import Clock
from quaestor.stores.embedded.lock import WriteLock
from servers.site import Answer, SiteServer
from servers.trapped_site import trickle

LOCAL = CrawlSettings(allow_private=True, delay=0, seconds=60, tries=2)


def site(pages: dict[str, Answer | str]) -> Callable[[str, object], Answer | None]:
    def answer(path: str, _headers: object) -> Answer | None:
        found = pages.get(path)
        return Answer(found) if isinstance(found, str) else found

    return answer


def crawl(server: SiteServer, folder: Path, start: str = "/", settings: CrawlSettings = LOCAL) -> CrawlReport:
    return Crawl(server.url + start, folder, settings).run()


def names(folder: Path) -> set[str]:
    return {file.relative_to(folder / "127.0.0.1").as_posix() for file in folder.rglob("*.md")}


class Hours:
    """A clock that is wound on by whoever sleeps."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def clock(self) -> Clock:
        return Clock(lambda: sum(self.waits), self.sleep)


def text(word: str, *links: str) -> str:
    return f"<h1>{word}</h1><p>All about {word}.</p>" + "".join(f'<a href="{one}">x</a>' for one in links)


def test_what_is_no_address(tmp_path: Path) -> None:
    for url in ("file:///etc/passwd", "ftp://a.example/", "http://"):
        with pytest.raises(UsageError):
            Crawl(url, tmp_path, LOCAL)


def test_a_private_host_is_not_asked_unless_that_is_allowed(tmp_path: Path) -> None:
    with SiteServer(site({"/": text("home")})) as server:
        with pytest.raises(ForbiddenError, match="--allow-private"):
            Crawl(server.url, tmp_path / "a", CrawlSettings(delay=0)).run()
        assert not server.asked
        assert crawl(server, tmp_path / "a").pages == 1


def test_addresses_that_redirect_to_each_other_are_told_of(tmp_path: Path) -> None:
    def to(where: str) -> Answer:
        return Answer("", 301, {"location": where})

    pages = {"/": text("home", "/a", "/self"), "/a": to("/b"), "/b": to("/a"), "/self": to("/self")}
    with SiteServer(site(pages)) as server:
        report = crawl(server, tmp_path / "site")
        assert (report.pages, report.skipped) == (1, {"redirects without end": 2})
        with pytest.raises(UpstreamError, match="redirects without end"):
            crawl(server, tmp_path / "loop", "/a")


def test_the_address_that_was_judged_is_the_one_that_is_connected_to() -> None:
    answers = iter([["127.0.0.1", "10.0.0.1"], ["127.0.0.1"]])

    def rebinding(_host: str, _port: int) -> Sequence[str]:
        return next(answers)

    with SiteServer(site({"/": "home"})) as server:
        port = server.host.rpartition(":")[2]
        with pytest.raises(FetchError) as caught:
            Fetcher(resolve=rebinding).fetch(f"http://public.example:{port}/")
        assert caught.value.reason == "private address"
        assert not server.asked
        with closing(Fetcher(resolve=rebinding, private_hosts=frozenset({f"public.example:{port}"}))) as allowed:
            assert allowed.fetch(f"http://public.example:{port}/").body == b"home"


def test_another_port_of_an_allowed_host_is_not_allowed(tmp_path: Path) -> None:
    with SiteServer(site({"/": "secret"})) as other:
        pages = {"/robots.txt": Answer(f"Sitemap: {other.url}/", kind="text/plain"), "/": text("home", other.url)}
        with SiteServer(site(pages)) as server:
            report = crawl(server, tmp_path)
        assert (report.pages, report.skipped) == (1, {"private address": 1})
        assert not other.asked


def test_a_site_that_is_down_or_refuses(tmp_path: Path) -> None:
    with SiteServer(site({})) as server:
        url = server.url
        with pytest.raises(UpstreamError, match="not found"):
            crawl(server, tmp_path / "a")
    with pytest.raises(UpstreamError, match="unreachable"):
        Crawl(url, tmp_path / "b", LOCAL, clock=Hours().clock()).run()
    with SiteServer(site({"/": Answer("no", 403)})) as server, pytest.raises(UpstreamError, match="refused"):
        crawl(server, tmp_path / "c")
    robots = Answer("User-agent: *\nDisallow: /", kind="text/plain")
    with SiteServer(site({"/": text("home"), "/robots.txt": robots})) as server:
        with pytest.raises(ForbiddenError, match=r"robots\.txt"):
            crawl(server, tmp_path / "d")
        assert not server.asked["/"]
    with SiteServer(site({"/": text("home"), "/robots.txt": Answer("", 503)})) as server:
        with pytest.raises(UpstreamError):
            crawl(server, tmp_path / "e")
        assert not server.asked["/"]


def test_a_site_that_comes_back_is_asked_again(tmp_path: Path) -> None:
    pages: dict[str, Answer | str] = {}
    with SiteServer(site(pages)) as server:
        with pytest.raises(UpstreamError):
            crawl(server, tmp_path)
        pages["/"] = text("home")
        assert crawl(server, tmp_path).pages == 1


def test_a_start_that_leads_to_another_host_of_its_own(tmp_path: Path) -> None:
    with SiteServer(site({"/docs/": text("docs", "b"), "/docs/b": text("bee"), "/other": text("other")})) as target:
        moved = Answer(status=301, headers={"Location": f"{target.url}/docs/"})
        with SiteServer(site({"/": moved})) as server:
            fetcher = Fetcher(private_hosts=frozenset({server.host, target.host}))
            report = Crawl(server.url, tmp_path, LOCAL, fetcher=fetcher).run()
            assert report.pages == 2
            again = Crawl(server.url, tmp_path, LOCAL, fetcher=fetcher).run()
        assert (again.pages, again.new, again.gone, again.unchanged) == (2, 0, 0, 2)


def test_a_start_that_leads_into_a_private_network_is_refused(tmp_path: Path) -> None:
    with SiteServer(site({"/": "secret"})) as inside:
        leading = site({"/": Answer(status=302, headers={"Location": inside.url})})
        with SiteServer(leading) as server, pytest.raises(ForbiddenError, match="private network"):
            crawl(server, tmp_path)
        assert not inside.asked


def test_a_page_that_fails_for_now_keeps_its_earlier_text(tmp_path: Path) -> None:
    pages: dict[str, Answer | str] = {"/": text("home", "/a", "/b"), "/a": text("ay"), "/b": text("bee")}
    with SiteServer(site(pages)) as server:
        crawl(server, tmp_path)
        pages["/a"] = Answer("", 500)
        pages["/b"] = Answer("", 410)
        report = Crawl(server.url, tmp_path, replace(LOCAL, drop=True), clock=Hours().clock()).run()
        assert names(tmp_path) == {"index.md", "a.md"}
        assert report.gone == 1
        pages["/a"] = text("new")
        assert crawl(server, tmp_path).changed == 1


def test_the_scope_of_a_later_run_counts(tmp_path: Path) -> None:
    pages: dict[str, Answer | str] = {"/": text("home", "/a", "/b/c"), "/a": text("ay"), "/b/c": text("see")}
    with SiteServer(site(pages)) as server:
        crawl(server, tmp_path)
        assert names(tmp_path) == {"index.md", "a.md", "b/c.md"}
        report = crawl(server, tmp_path, settings=CrawlSettings(exclude=("/b/*",), allow_private=True, delay=0))
        assert names(tmp_path) == {"index.md", "a.md"}
        assert (report.gone, report.pages) == (1, 2)


def test_a_site_without_an_end_stops_at_the_limit(tmp_path: Path) -> None:
    def spawning(path: str, _headers: object) -> Answer | None:
        if path.endswith((".txt", ".xml")):
            return None
        word = "".join(chr(ord("a") + int(digit)) for digit in path.strip("/x") or "0")
        number = int(path.strip("/x") or 0)
        return Answer(text(f"page {word}", f"/x{2 * number + 1}", f"/x{2 * number + 2}"))

    with SiteServer(spawning) as server:
        settings = CrawlSettings(max_pages=30, allow_private=True, delay=0, concurrency=1)
        assert crawl(server, tmp_path, settings=settings).pages == 30
        report = crawl(server, tmp_path, settings=settings)
        assert (report.pages, report.unchanged, report.new) == (30, 30, 0)


def test_a_page_is_as_near_as_the_nearest_page_that_names_it(tmp_path: Path) -> None:
    copy = "<link rel=canonical href=/far>" + text("near")
    pages: dict[str, Answer | str] = {
        "/": text("home", "/a", "/b"),
        "/a": text("ay", "/far"),
        "/b": copy,
        "/far": text("far", "/further"),
        "/further": text("further"),
    }
    with SiteServer(site(pages)) as server:
        settings = CrawlSettings(allow_private=True, delay=0, depth=1, concurrency=1)
        report = crawl(server, tmp_path, settings=settings)
    assert names(tmp_path) == {"index.md", "a.md", "far.md"}
    assert report.skipped == {"another address is canonical": 1, "too deep": 1}


def test_a_canonical_address_without_a_page_is_not_believed(tmp_path: Path) -> None:
    pages: dict[str, Answer | str] = {
        "/": text("home", "/a"),
        "/a": "<link rel=canonical href=/nowhere>" + text("ay"),
    }
    with SiteServer(site(pages)) as server:
        assert crawl(server, tmp_path).pages == 2
        again = crawl(server, tmp_path)
        assert (again.pages, again.new, again.gone) == (2, 0, 0)
        pages["/nowhere"] = text("ay")
        crawl(server, tmp_path)
        crawl(server, tmp_path)
    assert names(tmp_path) == {"index.md", "nowhere.md"}


def test_a_host_is_asked_no_more_often_than_it_wishes(tmp_path: Path) -> None:
    robots = Answer("User-agent: *\nCrawl-delay: 7", kind="text/plain")
    pages: dict[str, Answer | str] = {"/robots.txt": robots, "/": text("home", "/a"), "/a": text("ay")}
    hours = Hours()
    with SiteServer(site(pages)) as server:
        Crawl(server.url, tmp_path, LOCAL, clock=hours.clock()).run()
    assert hours.waits == [7, 7]  # before each answer but the first


def test_retry_after_is_heeded(tmp_path: Path) -> None:
    answers = iter([Answer("", 429, {"Retry-After": "9"}), Answer(text("home"))])
    hours = Hours()

    def busy(path: str, _headers: object) -> Answer | None:
        return next(answers) if path == "/" else None

    with SiteServer(busy) as server:
        Crawl(server.url, tmp_path, LOCAL, clock=hours.clock()).run()
    assert hours.waits == [9]


def test_two_crawls_of_one_site_take_turns(tmp_path: Path) -> None:
    tmp_path.mkdir(exist_ok=True)
    with (
        SiteServer(site({"/": text("home")})) as server,
        WriteLock(tmp_path).hold(1),
        pytest.raises(IndexUnusableError),
    ):
        crawl(server, tmp_path)


_AGAIN = 500
"""Pieces of a page between one interrupt and the next: ten seconds."""


def test_an_interrupted_crawl_waits_for_no_page(tmp_path: Path) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def interrupting(path: str, _headers: object) -> Answer | None:
        if path != "/":
            return None

        def body() -> Iterator[bytes]:
            yield b"<p>begun"
            # Python drops an interrupt that comes while it runs a finaliser or a callback: people press again.
            for number, piece in enumerate(trickle()):
                if number % _AGAIN == 0:
                    started[0].send_signal(signal.SIGINT)
                yield piece

        return Answer(body())

    with SiteServer(interrupting) as server:
        # The page may take an hour; the test's own limit is what tells that nobody waits for it.
        settings = "CrawlSettings(allow_private=True, delay=0, seconds=3600)"
        started.append(run_apart(server, tmp_path, settings))
        assert started[0].wait() in (1, 130, -signal.SIGINT)


def run_apart(server: SiteServer, folder: Path, settings: str) -> subprocess.Popen[bytes]:
    """Crawl in a process of its own."""
    program = (
        "import sys; from pathlib import Path; from quaestor.crawl.crawler import Crawl;"
        "from quaestor.crawl.crawl_settings import CrawlSettings;"
        f"Crawl(sys.argv[1], Path(sys.argv[2]), {settings}).run()"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(quaestor.__file__).parent.parent)}
    return subprocess.Popen(
        [sys.executable, "-c", program, server.url, str(folder)], env=environment, stderr=subprocess.DEVNULL
    )


def test_a_crawl_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    pages: dict[str, Answer | str] = {f"/p{n}": text(f"page {chr(97 + n)}", f"/p{n + 1}") for n in range(20)}
    pages["/"] = text("home", "/p0")
    killed: list[subprocess.Popen[bytes]] = []

    def killing(path: str, _headers: object) -> Answer | None:
        if path == "/p9" and killed and killed[0].poll() is None:
            os.kill(killed[0].pid, signal.SIGKILL)
            killed[0].wait()
        found = pages.get(path)
        return found if isinstance(found, Answer) or found is None else Answer(found)

    with SiteServer(killing) as server:
        started = run_apart(server, tmp_path, "CrawlSettings(allow_private=True, delay=0)")
        killed.append(started)
        assert started.wait() == -signal.SIGKILL
        assert len(names(tmp_path)) == 10
        server.asked.clear()
        report = crawl(server, tmp_path)
        assert (report.pages, report.new) == (21, 11)
        assert not any(server.asked[f"/p{number}"] for number in range(9))
        assert server.asked["/p9"] == 1
