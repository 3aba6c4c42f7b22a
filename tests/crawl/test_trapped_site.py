"""A site full of traps, crawled over a real socket: which pages are kept, missed, and wrongly kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from quaestor.crawl.crawl_settings import CrawlReport, CrawlSettings
from quaestor.crawl.crawler import Crawl
from servers.site import SiteServer
from servers.trapped_site import CHAIN, TrappedSite, word

# Two thousand pages, and one that never ends, which is waited for: two minutes.
pytestmark = pytest.mark.slow

DEPTH = 16
# However slow the machine is, no page but that one takes so long.
SETTINGS = CrawlSettings(
    exclude=("/drafts/*",), depth=DEPTH, delay=0, seconds=60, page_bytes=3_000_000, allow_private=True, tries=2
)
BEYOND = {word("chain", number) for number in range(DEPTH + 1, CHAIN + 1)}
_WORD = re.compile(r"[\w]*word\w*|" + "|".join(["grün", "schön", "привет", "日本語", "漢字", "größe", "naïve"]))


@pytest.fixture(scope="module")
def site() -> TrappedSite:
    return TrappedSite()


@pytest.fixture(scope="module")
def server(site: TrappedSite) -> Iterator[SiteServer]:
    with SiteServer(site) as server:
        yield server


@pytest.fixture(scope="module")
def crawled(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CrawlReport]:
    folder = tmp_path_factory.mktemp("sites") / "one"
    return folder, Crawl(server.url, folder, SETTINGS).run()


def pages(folder: Path) -> dict[str, str]:
    """Return the pages on disk: their text by the path of their address."""
    found = {}
    for file in folder.rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        address = re.search(r'^url: "(.*)"$', text, re.MULTILINE)
        assert address is not None
        parts = urlsplit(address[1])
        found[parts.path + (f"?{parts.query}" if parts.query else "")] = text
    return found


def test_every_page_worth_having_is_there_and_hardly_another(
    site: TrappedSite, crawled: tuple[Path, CrawlReport]
) -> None:
    folder, report = crawled
    kept = pages(folder)
    wanted = {unquote(path) for key, path in site.expected.items() if key not in BEYOND}
    assert len(site.expected) == 2000
    assert wanted - {unquote(path) for path in kept} == set()
    wrong = {path for path in kept if unquote(path) not in wanted}
    # A calendar is told by its pages, so some of them are kept: ten links far in both directions, and one more.
    assert {path.rpartition("/")[0] for path in wrong} == {"/calendar"}
    assert len(wrong) in (20, 21)
    assert report.pages == len(kept) == report.new
    assert not report.unfinished


def test_every_page_holds_its_own_word_in_its_own_letters(site: TrappedSite, crawled: tuple[Path, CrawlReport]) -> None:
    kept = {unquote(path): text for path, text in pages(crawled[0]).items()}
    for key, path in site.expected.items():
        if key not in BEYOND:
            assert key in kept[unquote(path)], path
    texts = "\n".join(text for path, text in kept.items() if not path.startswith("/calendar/"))
    assert "wrongword" not in texts
    assert "Footwords" not in texts


def test_what_must_not_be_asked_for_was_not(server: SiteServer, crawled: tuple[Path, CrawlReport]) -> None:
    asked = set(server.asked)
    for path in ("/private/page", "/private/listed", "/run.cgi", "/drafts/one", "/unfollowed", "/etc/passwd"):
        assert path not in asked
    assert not any("sid=" in path or "utm_" in path for path in asked)
    assert sum(path.startswith("/shop?") for path in asked) <= DEPTH
    assert sum(path.startswith("/loop/") for path in asked) <= 4
    assert sum(path.startswith("/endless/") for path in asked) == 11
    assert sum(path.startswith("/round/") for path in asked) == 2
    assert server.asked["/slow"] == server.asked["/failing"] == SETTINGS.tries


def test_every_trap_has_its_reason(crawled: tuple[Path, CrawlReport]) -> None:
    reasons = {urlsplit(url).path: (reason, detail) for url, reason, detail in crawled[1].examples}
    for path, reason in {
        "/private/page": "robots.txt",
        "/run.cgi": "robots.txt",
        "/noindex": "not to be indexed",
        "/noindex-header": "not to be indexed",
        "/same-again-under-another-name": "duplicate",
        "/canonical-copy": "another address is canonical",
        "/binary": "not a page",
        "/picture.png": "not a page",
        "/empty": "no text",
        "/refresh": "no text",
        "/broken-pdf.pdf": None,
        "/gone": "not found",
        "/missing": "not found",
        "/refused": "refused",
        "/failing": "answer 500",
        "/teapot": "answer 418",
        "/lying-length": "broken answer",
        "/huge": "too large",
        "/huge-unannounced": "too large",
        "/bomb": "too large",
        "/deep-elements": "too large",
        "/hostile": "no text",
        "/packed-oddly": "broken answer",
        "/to-private": "leads elsewhere",
        "/to-metadata": "leads elsewhere",
        "/to-file": "leads elsewhere",
        "/slow": "too slow",
        "/elsewhere.xml": "private address",
    }.items():
        assert path in reasons, path
        assert reason is None or reasons[path][0] == reason, (path, reasons[path])


def test_an_update_fetches_all_and_writes_only_what_changed(
    site: TrappedSite, server: SiteServer, crawled: tuple[Path, CrawlReport]
) -> None:
    folder, before = crawled
    times = {file: file.stat().st_mtime_ns for file in folder.rglob("*.md")}
    site.changed["/docs/s0/a0"] = "Newwords stand here."
    del site.fixed["/docs/s0/a1"]
    site.changed["/slow"] = "It ends this time, so that it is not waited for again."
    report = Crawl(server.url, folder, SETTINGS).run()
    assert (report.new, report.changed, report.gone) == (1, 2, 1)
    assert report.pages == before.pages
    written = {file.name for file in folder.rglob("*.md") if file.stat().st_mtime_ns != times.get(file)}
    assert written == {"a0.md", "shop.md", "slow.md"}  # the shop's page links to another visit each time
    assert "Newwords" in pages(folder)["/docs/s0/a0"]
    assert "/docs/s0/a1" not in pages(folder)
