"""A site that closes for a day, or loses its pages, does not delete pages that were fetched before."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from quaestor.core.errors import ForbiddenError, NotFoundError, QuaestorError, UpstreamError
from quaestor.crawl import fetched_sources as sites
from quaestor.crawl.crawl_settings import CrawlReport, CrawlSettings
from quaestor.crawl.crawler import Crawl
from quaestor.crawl.fetch import Fetcher
from quaestor.crawl.site_folder import SECONDS
from servers.site import Answer, SiteServer

LOCAL = CrawlSettings(allow_private=True, delay=0)
COUNT = 20
CHOSEN = {"allow_private": True, "delay": 0.0}
CLOSED = Answer("User-agent: *\nDisallow: /", kind="text/plain")


def text(words: str, *links: str) -> str:
    return f"<main><h1>{words}</h1><p>Words on {words}.</p>{''.join(f'<a href={one}>on</a>' for one in links)}</main>"


def word(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))


class Changing:
    """A site whose answers a test changes; ``every`` answers for all of it."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {f"/p{n}": Answer(text(f"page {word(n)}")) for n in range(COUNT)}
        self.pages["/"] = Answer(text("home", *self.pages))
        self.every: Callable[[str], Answer | None] | None = None

    def __call__(self, path: str, _headers: Mapping[str, str]) -> Answer | None:
        return self.every(path) if self.every else self.pages.get(path)


def state(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every page by its path."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*.md") if one.is_file()}


def crawl(server: SiteServer, folder: Path, settings: CrawlSettings = LOCAL) -> CrawlReport:
    return Crawl(server.url, folder, settings).run()


def gone(_path: str) -> Answer:
    return Answer("no", 404)


CLOSINGS: dict[str, Callable[[Changing], None]] = {
    "404 to everything": lambda site: setattr(site, "every", gone),
    "410 to everything": lambda site: setattr(site, "every", lambda _: Answer("no", 410)),
    "403 to everything": lambda site: setattr(site, "every", lambda _: Answer("no", 403)),
    "robots.txt closed": lambda site: site.pages.update({"/robots.txt": CLOSED}),
    "robots.txt fails": lambda site: site.pages.update({"/robots.txt": Answer("", 503)}),
    "no text": lambda site: setattr(site, "every", lambda _: Answer("<main></main>")),
    "no page but a picture": lambda site: setattr(site, "every", lambda _: Answer(b"\x89PNG", kind="image/png")),
}


@pytest.mark.parametrize("closing", CLOSINGS)
def test_a_site_that_closes_loses_no_page(closing: str, tmp_path: Path) -> None:
    site = Changing()
    with SiteServer(site) as server:
        assert crawl(server, tmp_path / "site").pages == COUNT + 1
        before = state(tmp_path / "site")
        CLOSINGS[closing](site)
        server.asked.clear()
        with pytest.raises((ForbiddenError, UpstreamError), match=f"kept \\({COUNT + 1} pages\\)"):
            crawl(server, tmp_path / "site")
        assert state(tmp_path / "site") == before
        assert not any(path.startswith("/p") for path in server.asked), "the start is judged before anything else"
        site.every = None
        site.pages.pop("/robots.txt", None)
        assert crawl(server, tmp_path / "site").pages == COUNT + 1
    assert state(tmp_path / "site") == before


def test_a_crawl_without_allow_private_loses_no_page(tmp_path: Path) -> None:
    with SiteServer(Changing()) as server:
        crawl(server, tmp_path / "site")
        before = state(tmp_path / "site")
        for drop in (False, True):
            with pytest.raises(ForbiddenError, match="--allow-private"):
                crawl(server, tmp_path / "site", CrawlSettings(delay=0, drop=drop))
            assert state(tmp_path / "site") == before
        assert crawl(server, tmp_path / "site").unchanged == COUNT + 1


@pytest.mark.parametrize("lost", [4, 5])
def test_more_than_a_fifth_is_held(lost: int, tmp_path: Path) -> None:
    site = Changing()
    with SiteServer(site) as server:
        crawl(server, tmp_path / "site")
        before = state(tmp_path / "site")
        for number in range(lost):
            del site.pages[f"/p{number}"]
        held = 5 * lost > COUNT + 1
        for _ in range(2):
            report = crawl(server, tmp_path / "site")
            if held:
                assert (report.held, report.gone, report.pages) == (lost, 0, COUNT + 1)
                assert state(tmp_path / "site") == before
        if not held:
            assert len(state(tmp_path / "site")) == COUNT + 1 - lost
        report = crawl(server, tmp_path / "site", replace(LOCAL, drop=True))
        assert (report.held, report.pages) == (0, COUNT + 1 - lost)


def test_a_start_that_leads_to_a_login_takes_no_page_and_no_scope(tmp_path: Path) -> None:
    site = Changing()
    with SiteServer(site) as server:
        crawl(server, tmp_path / "site")
        before = state(tmp_path / "site")
        login = Answer("", 302, {"Location": "/login"})
        site.every = lambda path: Answer(text("log in")) if path == "/login" else login
        report = crawl(server, tmp_path / "site")
        assert report.held == COUNT + 1
        assert before.items() <= state(tmp_path / "site").items()
        site.every = None
        site.pages["/new"] = Answer(text("news"))
        site.pages["/"] = Answer(text("home", *site.pages))
        report = crawl(server, tmp_path / "site")
        assert (report.new, report.held) == (1, 0)


def test_a_folder_that_leads_to_a_login_elsewhere_stays_the_sites_beginning(tmp_path: Path) -> None:
    site = Changing()
    site.pages |= {f"/docs{path}": Answer(text(f"docs {word(n)}")) for n, path in enumerate(list(site.pages))}
    site.pages["/docs/"] = Answer(text("all docs", *(path for path in site.pages if path.startswith("/docs/"))))
    with SiteServer(site) as server:
        start = f"{server.url}/docs/"
        assert Crawl(start, tmp_path / "site", LOCAL).run().pages == COUNT + 1
        login = Answer("", 302, {"Location": "/login"})
        site.every = lambda path: Answer(text("log in", "/p0")) if path == "/login" else login
        assert Crawl(start, tmp_path / "site", LOCAL).run().held == COUNT + 1
        site.every = None
        site.pages["/docs/"] = Answer(text("all docs again", "/p0", *site.pages))
        server.asked.clear()
        report = Crawl(start, tmp_path / "site", LOCAL).run()
        assert not any(path.startswith("/p") for path in server.asked), "the crawl has left its folder"
        assert report.pages == COUNT + 1


def test_what_an_interrupted_crawl_did_not_find_is_kept_where_the_site_then_closes(tmp_path: Path) -> None:
    site = Changing()
    with SiteServer(site) as server:
        crawl(server, tmp_path / "site")
        before = state(tmp_path / "site")
        lost = {f"/p{number}": site.pages.pop(f"/p{number}") for number in range(10)}

        def interrupt(_: object) -> None:
            if server.asked["/p5"] > 1:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Crawl(server.url, tmp_path / "site", replace(LOCAL, concurrency=1)).run(interrupt)
        site.every = gone
        with pytest.raises(UpstreamError, match=f"kept \\({COUNT + 1} pages\\)"):
            crawl(server, tmp_path / "site")
        site.every = None
        report = crawl(server, tmp_path / "site")
        assert (report.held, report.pages) == (len(lost), COUNT + 1)
        assert state(tmp_path / "site") == before


def test_pages_of_a_host_that_is_private_today_are_kept(tmp_path: Path) -> None:
    """As where its name leads elsewhere for a day, which is no word on its pages: not even a few of them go."""
    old, site = Changing(), Changing()
    with SiteServer(old) as beside, SiteServer(site) as server:
        old.pages["/"] = Answer("", 301, {"Location": f"{server.url}/"})
        site.pages["/"] = Answer(text("home", *site.pages, f"{beside.url}/old"))
        old.pages["/old"] = Answer(text("a page that stayed where it was"))
        both = frozenset({server.host, beside.host})
        for private, kept_as_they_are in ((both, 0), (both - {beside.host}, 1), (both, 0)):
            with closing(Fetcher(private_hosts=private)) as fetcher:
                report = Crawl(beside.url, tmp_path / "site", LOCAL, fetcher=fetcher).run()
            assert (report.pages, report.gone, report.unanswered) == (COUNT + 2, 0, kept_as_they_are)
        assert len(state(tmp_path / "site")) == COUNT + 2


def test_pages_that_moved_are_no_loss(tmp_path: Path) -> None:
    site = Changing()
    with SiteServer(site) as server:
        crawl(server, tmp_path / "site")
        for number in range(COUNT):
            site.pages[f"/q{number}"] = site.pages[f"/p{number}"]
            site.pages[f"/p{number}"] = Answer("", 301, {"Location": f"/q{number}"})
        report = crawl(server, tmp_path / "site")
        assert (report.held, report.gone, report.pages) == (0, COUNT, COUNT + 1)


def test_what_was_dropped_can_be_had_back_for_a_week(tmp_path: Path) -> None:
    site = Changing()
    with SiteServer(site) as server:
        sites.crawl(server.url, tmp_path, CHOSEN)
        pages = sites.pages_of(server.url, tmp_path)
        before = state(pages)
        site.every = gone
        with pytest.raises(NotFoundError):
            sites.put_back(server.url, tmp_path)
        sites.crawl(server.url, tmp_path, {**CHOSEN, "drop": True})
        assert state(pages) == {}
        assert sites.put_back(server.url, tmp_path) == COUNT + 1
        assert state(pages) == before
        site.every = None
        assert sites.crawl(server.url, tmp_path, CHOSEN).pages == COUNT + 1
        del site.pages["/p0"]
        sites.crawl(server.url, tmp_path, CHOSEN)
        [aside] = [one for one in (tmp_path / "sites").rglob("*") if one.name.isdecimal() and any(one.rglob("*.md"))]
        aside.rename(aside.with_name(str(int(time.time()) - SECONDS - 60)))
        with pytest.raises(NotFoundError):
            sites.put_back(server.url, tmp_path)


@pytest.mark.parametrize("private", [False, True])
def test_a_rebuild_that_gets_nothing_loses_nothing(private: bool, tmp_path: Path) -> None:
    site = Changing()
    with SiteServer(site) as server:
        sites.crawl(server.url, tmp_path, CHOSEN)
        pages = sites.pages_of(server.url, tmp_path)
        before = state(pages)
        site.every = gone
        with pytest.raises(QuaestorError):
            sites.crawl(server.url, tmp_path, {"delay": 0.0, "allow_private": private}, rebuild=True)
        assert state(pages) == before
        site.every = None
        assert sites.crawl(server.url, tmp_path, CHOSEN).pages == COUNT + 1


def test_what_a_person_leaves_out_is_dropped_and_kept_aside(tmp_path: Path) -> None:
    with SiteServer(Changing()) as server:
        sites.crawl(server.url, tmp_path, CHOSEN)
        report = sites.crawl(server.url, tmp_path, {**CHOSEN, "exclude": ("/p*",)})
        assert (report.held, report.gone, report.pages) == (0, COUNT, 1)
        assert sites.put_back(server.url, tmp_path) == COUNT


def test_lists_of_dropped_pages_that_are_damaged_are_passed_over(tmp_path: Path) -> None:
    with SiteServer(Changing()) as server:
        sites.crawl(server.url, tmp_path, CHOSEN)
        sites.crawl(server.url, tmp_path, {**CHOSEN, "exclude": ("/p*",)})
        [listed] = (tmp_path / "sites").rglob("pages.json")
        listed.write_text(json.dumps([{"odd": 1}]))
        with pytest.raises(NotFoundError):
            sites.put_back(server.url, tmp_path)


def test_one_page_for_everything_that_is_answered_as_a_page_takes_no_other_pages_place(tmp_path: Path) -> None:
    """Nothing but its sameness tells such a page from a new one: it is taken for the start, and for nothing else."""
    site = Changing()
    with SiteServer(site) as server:
        crawl(server, tmp_path / "site")
        before = state(tmp_path / "site")
        site.every = lambda path: None if path == "/robots.txt" else Answer(text("we are back soon"))
        report = crawl(server, tmp_path / "site")
        during = state(tmp_path / "site")
        assert [path for path in before if during[path] != before[path]] == ["127.0.0.1/index.md"]
        assert (report.held, report.gone) == (COUNT, 0)
        site.every = None
        assert crawl(server, tmp_path / "site").pages == COUNT + 1
    assert state(tmp_path / "site") == before
