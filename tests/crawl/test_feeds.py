"""Blogs whose pages only feeds list, and metadata that only feeds hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quaestor.crawl.crawl_settings import CrawlReport, CrawlSettings
from quaestor.crawl.crawler import Crawl
from servers.site import Answer, SiteServer

LOCAL = CrawlSettings(allow_private=True, delay=0, seconds=60, tries=1)


def blog(feed_path: str, kind: str, home: str = "/") -> dict[str, Answer]:
    """A blog whose pages link to nothing but its home."""
    items = "".join(
        f"<item><link>{home}2024/01/{name}/</link><pubDate>Tue, 0{number} Jan 2024 04:00:00 GMT</pubDate>"
        f"<dc:creator>Ann Lee</dc:creator></item>"
        for number, name in enumerate(("one", "two"), start=1)
    )
    posts = {f"{home}2024/01/{name}/": Answer(f"<h1>{name}</h1><p>All of {name}.") for name in ("one", "two")}
    feed = f"<?xml version='1.0'?><rss><channel><link>{home}</link>{items}</channel></rss>"
    return {feed_path: Answer(feed, kind=kind), home: Answer("<h1>Home</h1><p>Welcome to it."), **posts}


def crawled(pages: dict[str, Answer], start: str, folder: Path) -> CrawlReport:
    with SiteServer(lambda path, _headers: pages.get(path)) as server:
        return Crawl(server.url + start, folder, LOCAL).run()


def post(folder: Path, name: str) -> str:
    return next(file for file in folder.rglob("index.md") if file.parent.name == name).read_text()


@pytest.mark.parametrize(
    ("start", "kind", "home"),
    [
        ("/feed/", "application/rss+xml; charset=UTF-8", "/"),
        ("/rss.xml", "text/xml", "/"),
        ("/~ann/feed/", "application/xml", "/~ann/"),
    ],
)
def test_a_feed_as_the_start(start: str, kind: str, home: str, tmp_path: Path) -> None:
    assert crawled(blog(start, kind, home), start, tmp_path).pages == 3
    text = post(tmp_path, "one")
    assert 'date: "2024-01-01"' in text
    assert 'author: "Ann Lee"' in text


def test_a_feed_as_the_start_is_read_again_the_next_time(tmp_path: Path) -> None:
    pages = blog("/feed/", "application/rss+xml")
    with SiteServer(lambda path, _headers: pages.get(path)) as server:
        assert Crawl(f"{server.url}/feed/", tmp_path, LOCAL).run().pages == 3
        feed = pages["/feed/"].body
        assert isinstance(feed, str)
        pages["/feed/"] = Answer(feed.replace("01/two", "01/three"), kind="application/rss+xml")
        pages["/2024/01/three/"] = Answer("<h1>three</h1><p>All of three.")
        del pages["/2024/01/two/"]
        report = Crawl(f"{server.url}/feed/", tmp_path, replace(LOCAL, drop=True)).run()
    assert (report.pages, report.new, report.gone) == (3, 1, 1)


def test_a_feed_that_a_page_names(tmp_path: Path) -> None:
    pages = blog("/posts.xml", "application/rss+xml")
    pages["/"] = Answer("<link rel=alternate type='application/rss+xml' href=/posts.xml><h1>Home</h1><p>Welcome.")
    assert crawled(pages, "/", tmp_path).pages == 3


def test_what_a_page_says_of_itself_wins_over_its_feed(tmp_path: Path) -> None:
    pages = blog("/feed/", "application/rss+xml")
    pages["/2024/01/one/"] = Answer("<meta name=author content=Bo><h1>one</h1><time>3 May 2020</time><p>All of one.")
    crawled(pages, "/feed/", tmp_path)
    assert 'author: "Bo"\ndate: "2020-05-03"' in post(tmp_path, "one")
