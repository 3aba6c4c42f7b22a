"""No page, name server or redirect leads a crawl to a machine that is not on the public internet.

The names are resolved by the tests themselves; nothing outside of this machine is asked. That a name is resolved once,
and what was judged is what is connected to, is shown in ``tests/crawl/test_crawl.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path

import pytest

from quaestor.crawl.connections import FetchError, is_public
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.crawler import Crawl
from quaestor.crawl.fetch import Fetcher
from quaestor.crawl.urls import normalise
from servers.site import Answer, SiteServer

PRIVATE = {
    "this machine": ["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::"],
    "its network": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fc00::1", "fd12:3456::1", "fec0::1"],
    "its link": ["169.254.0.1", "fe80::1", "fe80::1%eth0"],
    "metadata of clouds": [
        *["169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"]
    ],
    "carriers and relays": ["100.64.0.1", "192.0.0.8", "192.88.99.1", "198.18.0.1", "198.19.255.255"],
    "nobody's": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "240.0.0.1", "255.255.255.255", "2001:db8::1", "3fff::1"],
    "everybody": ["224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"],
    "IPv4 within IPv6": [
        *["::ffff:127.0.0.1", "::ffff:a00:1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1"],
        *["64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::1", "2002:a9fe:a9fe::1", "2001:0:7f00:1::1"],
        *["2001:0:101:101:0:0:80ff:fffe", "2606:4700::5efe:127.0.0.1", "2606:4700::200:5efe:10.0.0.1"],
    ],
    "other ways to write one": ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "[::1]", " ::1", ""],
}


@pytest.mark.parametrize("address", list(chain(*PRIVATE.values())))
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "192.0.1.1", "168.63.129.17", "2606:4700::1111", "2a00::5efe:1.1.1.1"])
def test_addresses_that_are(address: str) -> None:
    assert is_public(address)


def resolver(*answers: Sequence[str]) -> Callable[[str, int], Sequence[str]]:
    """Return a resolver that gives each answer once, and the last one from then on."""
    given = chain(answers, repeat(answers[-1]))
    return lambda _host, _port: next(given)


@pytest.mark.parametrize("address", list(chain(*PRIVATE.values())))
def test_no_name_leads_to_one(address: str) -> None:
    with closing(Fetcher(resolve=resolver([address]), seconds=5)) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.fetch("http://innocent.example/")
    assert caught.value.reason == "private address"


@pytest.mark.parametrize(
    "address",
    [
        *["http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://[::ffff:7f00:1]/"],
        *["http://localhost/", "http://localhost./", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/"],
    ],
)
def test_no_way_to_write_this_machine_leads_to_it(address: str) -> None:
    """These go to the system's own resolver, which knows this machine without asking anybody."""
    plain = normalise(address)
    assert plain is not None
    with closing(Fetcher(seconds=5)) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.fetch(plain)
    assert caught.value.reason == "private address"


HOPS = 3


def leading(to: str, way: str) -> Mapping[str, Answer]:
    """Return the pages of a site that leads elsewhere in some way, all but the first behind some hops of its own."""
    if way == "redirect":
        return {"/away": Answer(status=302, headers={"Location": to})}
    if way == "hops":
        hops = {f"/hop{n}": Answer(status=307, headers={"Location": f"/hop{n + 1}"}) for n in range(HOPS)}
        return {
            **hops,
            "/away": Answer(status=301, headers={"Location": "/hop0"}),
            f"/hop{HOPS}": Answer(status=308, headers={"Location": to}),
        }
    body = {
        "link": f'<p>All about leaving.</p><a href="{to}">x</a>',
        "base": f'<base href="{to}"><p>All about leaving.</p><a href="x">x</a>',
        "canonical": f'<link rel="canonical" href="{to}"><p>All about leaving.</p>',
        "refresh": f'<meta http-equiv="refresh" content="0;url={to}"><p>All about leaving.</p>',
        "frame": f'<p>All about leaving.</p><iframe src="{to}"></iframe><img src="{to}">',
        "feed": f'<link rel="alternate" type="application/rss+xml" href="{to}"><p>All about leaving.</p>',
    }[way]
    return {"/away": Answer(f"<h1>away</h1>{body}")}


@pytest.mark.parametrize("way", ["redirect", "hops", "link", "base", "canonical", "refresh", "frame", "feed"])
@pytest.mark.parametrize("named", ["address", "name", "user"])
def test_no_page_leads_inside(tmp_path: Path, way: str, named: str) -> None:
    with SiteServer(lambda _path, _headers: Answer("<h1>secret</h1>")) as inside:
        port = inside.host.rpartition(":")[2]
        to = {
            "address": f"{inside.url}/",
            "name": f"http://inside.example:{port}/",
            # The host is what follows the at sign.
            "user": f"http://public.example@127.0.0.1:{port}/",
        }[named]
        pages = {"/": Answer('<h1>home</h1><p>All about home.</p><a href="/away">x</a>'), **leading(to, way)}
        with SiteServer(lambda path, _headers: pages.get(path)) as site:
            fetcher = Fetcher(resolve=resolver(["127.0.0.1"]), private_hosts=frozenset({site.host}), seconds=5)
            report = Crawl(site.url, tmp_path, CrawlSettings(delay=0, tries=1), fetcher=fetcher).run()
            assert site.asked["/away"]
        assert report.pages >= 1
        assert not inside.asked
        assert not any("secret" in file.read_text("utf-8") for file in tmp_path.rglob("*.md"))


def test_robots_and_sitemaps_lead_nowhere_else(tmp_path: Path) -> None:
    with SiteServer(lambda _path, _headers: Answer("<urlset><url><loc>/x</loc></url></urlset>")) as inside:
        robots = f"User-agent: *\nSitemap: {inside.url}/sitemap.xml\nSitemap: /own.xml"
        own = f"<sitemapindex><sitemap><loc>{inside.url}/deep.xml</loc></sitemap></sitemapindex>"
        pages = {
            "/": Answer("<h1>home</h1><p>All about home.</p>"),
            "/robots.txt": Answer(robots, kind="text/plain"),
            "/own.xml": Answer(own, kind="application/xml"),
        }
        with SiteServer(lambda path, _headers: pages.get(path)) as site:
            Crawl(site.url, tmp_path, CrawlSettings(allow_private=True, delay=0, tries=1)).run()
            assert site.asked["/own.xml"]
        assert not inside.asked


def test_the_environments_proxy_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would resolve names itself, where nobody judges what they stand for."""
    with SiteServer(lambda _path, _headers: Answer("of the proxy")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        with (
            SiteServer(lambda _path, _headers: Answer("of the site")) as site,
            closing(Fetcher(private_hosts=frozenset({site.host}), seconds=5)) as fetcher,
        ):
            assert fetcher.fetch(f"{site.url}/").body == b"of the site"
        assert not proxy.asked
