"""robots.txt, sitemaps and feeds, and which addresses may be contacted."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.crawl.connections import is_public
from quaestor.crawl.politeness import parse
from quaestor.crawl.sitemaps import ListedPage, is_list, read_list

HOST = "https://a.example"


@pytest.mark.parametrize(
    ("lines", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /a", "/a/b", False),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Quaestor\nDisallow: /x", "/a", True),
        ("User-agent: *\nDisallow: /a\n\nUser-agent: quaestor/1.0\nUser-agent: b\nDisallow: /x", "/x", False),
        ("User-agent: quaestor\nDisallow: /a\n\nUser-agent: quaestor\nDisallow: /b", "/b", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("Disallow: /", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", True),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2c3", False),
        ("User-agent: *\nDisallow: /*?", "/a?x=1", False),
        ("User-agent: *\nDisallow: /%7Ea/%e9", "/~a/%E9", False),
        ("\ufeffUser-agent : * # all\r\nDISALLOW : /a # x", "/a", False),
    ],
)
def test_what_may_be_fetched(lines: str, path: str, allowed: bool) -> None:
    assert parse(lines).allows(HOST + path) is allowed


def test_the_rest_of_a_robots_txt() -> None:
    found = parse("Sitemap: /s.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: https://b.example/t.xml\nCrawl-delay: x")
    assert (found.delay, found.sitemaps) == (2.5, ("/s.xml", "https://b.example/t.xml"))
    assert parse("User-agent: *\nCrawl-delay: 1e9").delay == 300
    assert parse("User-agent: *\nCrawl-delay: nan").delay == 0


@given(st.text(alphabet="UserAgntDisalow:/*$ \n#quaestor%2", max_size=200), st.text(alphabet="/a*b%$", max_size=30))
def test_any_robots_txt_is_read(text: str, path: str) -> None:
    assert parse(text).allows(f"{HOST}/{path}") in (True, False)


def test_patterns_take_no_time_to_match() -> None:
    hostile = "/" + "*a" * 5000 + "$"
    assert parse(f"User-agent: *\nDisallow: {hostile}").allows(f"{HOST}/" + "a" * 1900)


SITEMAP = "<?xml version='1.0'?><urlset xmlns='x'><url><loc> https://a.example/1 </loc><lastmod>2024</lastmod></url>"


def pages(data: bytes, largest: int = 1_000_000) -> tuple[str, ...]:
    return tuple(one.url for one in read_list(data, largest).pages)


def test_sitemaps() -> None:
    assert pages(SITEMAP.encode()) == ("https://a.example/1",)
    assert pages(gzip.compress(SITEMAP.encode())) == ("https://a.example/1",)
    assert pages(gzip.compress(SITEMAP.encode())[:-12]) == ("https://a.example/1",)
    listed = read_list(b"<s:sitemapindex><s:sitemap><s:loc>/x?a=1&amp;b=2</s:loc></s:sitemap></s:sitemapindex>")
    assert (listed.pages, listed.sitemaps) == ((), ("/x?a=1&b=2",))
    assert pages(b"https://a.example/1\nnot one\nhttps://a.example/2") == tuple(
        f"https://a.example/{number}" for number in (1, 2)
    )


def test_feeds() -> None:
    rss = (
        b"<rss><channel><link>/</link><item><link><![CDATA[https://a.example/1]]></link><guid>x</guid></item></channel>"
    )
    assert pages(rss) == ("/", "https://a.example/1")
    atom = b'<feed><link rel="self" href="/f"/><entry><link href="/1"/><link rel="alternate" href="/2"/></entry></feed>'
    assert pages(atom) == ("/1", "/2")


def test_what_a_feed_says_of_its_entries() -> None:
    rss = b"""<rss><channel><link>https://a.example/</link><item><title>T</title><link>/1</link>
        <pubDate>Tue, 10 Jun 2014 04:00:00 GMT</pubDate><dc:creator><![CDATA[Ann Lee]]></dc:creator></item>
        <item><link>/2</link><author>bo@a.example (Bo)</author></item></channel></rss>"""
    assert read_list(rss).pages == (
        ListedPage("https://a.example/"),
        ListedPage("/1", "Tue, 10 Jun 2014 04:00:00 GMT", "Ann Lee"),
        ListedPage("/2", "", "bo@a.example (Bo)"),
    )
    atom = b"""<feed><title>F</title><entry><author><name>Ann</name><uri>/ann</uri></author><link href="/1"/>
        <published>2024-01-02T03:04:05Z</published><updated>2025-01-01</updated></entry></feed>"""
    assert read_list(atom).pages == (ListedPage("/1", "2024-01-02T03:04:05Z", "Ann"),)
    feed = b"""{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/1", "authors": [{"name": "Ann"}],
        "date_published": "2024-01-02T03:04:05Z"}, {"url": 3}, 4]}"""
    assert is_list("application/json", feed)
    assert read_list(feed).pages == (ListedPage("/1", "2024-01-02T03:04:05Z", "Ann"),)


def test_pictures_in_a_sitemap_are_no_pages() -> None:
    sitemap = b"<urlset><url><loc>/a</loc><image:image><image:loc>/a.png</image:loc></image:image></url></urlset>"
    assert pages(sitemap) == ("/a",)


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("application/rss+xml", b"", True),
        ("text/xml", b"<?xml version='1.0'?><rss version='2.0'>", True),
        ("application/xml", b"<s:urlset xmlns:s='x'>", True),
        ("application/xml", b"<note>", False),
        ("text/html", b"<feed>", False),
        ("application/xhtml+xml", b"<html><feed></feed>", False),
        ("application/json", b'{"items": []}', False),
    ],
)
def test_what_is_a_list(kind: str, data: bytes, expected: bool) -> None:
    assert is_list(kind, data) is expected


@given(st.binary(max_size=300))
def test_any_list_is_read(data: bytes) -> None:
    for begins in (b"", b"\x1f\x8b\x08\x00"):
        found = read_list(begins + data)
        assert not found.pages or not found.sitemaps


def test_a_packed_sitemap_is_unpacked_up_to_a_limit() -> None:
    bomb = gzip.compress(b"<urlset>" + bytes(50_000_000))
    assert pages(bomb) == ()


@pytest.mark.parametrize(
    "address",
    [
        *[
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
        ],
        *[
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fe80::1%eth0",
            "fc00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
        ],
        *["64:ff9b::a00:1", "2002:7f00:1::", "::ffff:127.0.0.1", "192.0.2.1", "2001:db8::1", "nonsense", ""],
    ],
)
def test_addresses_that_are_not_on_the_public_internet(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_addresses_that_are(address: str) -> None:
    assert is_public(address)
