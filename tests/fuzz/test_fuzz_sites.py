"""What a site says of itself and its addresses: robots.txt, sitemaps and feeds, URLs and the files that they become."""

from __future__ import annotations

import gzip
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from fuzz.parser_properties import fuzzed
from quaestor.crawl.connections import is_public
from quaestor.crawl.politeness import parse
from quaestor.crawl.scope import Scope
from quaestor.crawl.sitemaps import MOST_ADDRESSES, is_list, read_list
from quaestor.crawl.urls import LONGEST, host_of, is_looping, normalise, path_for, shape_of

ROBOTS = [
    *(
        "User-agent: *\n",
        "User-agent: quaestor/1\n",
        "Disallow: /",
        "Allow: /a*b$\n",
        "Crawl-delay: nan\n",
        "Sitemap: x\n",
    ),
    *("*", "$", "%", "%2F", "%zz", "#", ":", "\r", "\ufeff", "\x00", "é", "Disallow:\n", "Crawl-delay: 1e999\n"),
]
LISTS = [
    *(
        "<urlset>",
        "</urlset>",
        "<sitemapindex>",
        "<url><loc>",
        "</loc></url>",
        "<rss>",
        "<item><link>",
        "</link></item>",
    ),
    *(
        '<feed><entry><link href="',
        '"/></entry></feed>',
        "<![CDATA[",
        "]]>",
        "https://x.example/a",
        "<pubDate>",
        "<author><name>",
    ),
    *(
        '{"version":"https://jsonfeed.org/version/1","items":[',
        '{"url":"https://x.example/"}',
        "]}",
        "\x1f\x8b",
        "&lt;",
    ),
]
URLS = [
    *(
        "http://",
        "https://",
        "HTTP://",
        "x.example",
        "X.example.",
        ":80",
        ":99999",
        "/",
        "//",
        "/../",
        "/./",
        "..",
        "?",
        "#",
    ),
    *(
        "a=1",
        "&",
        "utm_source=x",
        "%2e%2e",
        "%00",
        "%",
        "é",
        "@",
        "[::1]",
        "[",
        "]",
        ";jsessionid=1",
        "\\",
        "\n",
        "\t",
        ":",
    ),
    *("CON", ".git", "~", " ", "xn--", "127.1", "a" * 90, ".md"),
]
ADDRESSES = [
    "127.0.0.1",
    "10.",
    "0",
    "::",
    "ffff:",
    "%eth0",
    ".",
    ":",
    "169.254.",
    "64:ff9b::",
    "2002:7f00:1::",
    "a",
    "fe80::",
]


@fuzzed(ROBOTS, ["User-agent: *\nDisallow: /*?a=\nAllow: /$\n"])
def test_a_robots_txt_decides_on_every_address(text: str) -> None:
    robots = parse(text)
    assert 0 <= robots.delay <= 300
    assert len(robots.rules) <= text.count("\n") + text.count("\r") + len(text) + 1
    for url in ("https://x.example/", "https://x.example/a%2Fb?x=*$", "https://x.example/é"):
        assert robots.allows(url) in (True, False)


@fuzzed(LISTS, ["<urlset><url><loc>https://x.example/a</loc></url></urlset>"], raw=True)
def test_a_sitemap_is_a_list_of_addresses(data: bytes) -> None:
    for kind in ("text/xml", "application/json", "application/rss+xml"):
        is_list(kind, data)
    listed = read_list(data)
    assert len(listed.pages) + len(listed.sitemaps) <= MOST_ADDRESSES
    if not data.startswith(b"\x1f\x8b"):  # what is packed twice is unpacked once
        assert read_list(gzip.compress(data), 100) == read_list(data[:100])


@fuzzed(URLS, ["HTTPS://X.example:443/a/../b;jsessionid=1?utm_source=a&b=%7e#c"])
def test_an_address_has_one_form_and_its_file_stays_in_the_folder(text: str) -> None:
    for given in (text, f"https://x.example/{text}"):
        url = normalise(given)
        normalise(given, "https://x.example/base/")
        if url is None:
            continue
        assert normalise(url) == url
        assert len(url) <= LONGEST
        assert urlsplit(url).scheme in ("http", "https")
        is_looping(url)
        shape_of(url)
        path = path_for(url, "x.example")
        assert not PurePosixPath(path).is_absolute()
        assert not {"..", ".", "", ".git"} & set(path.split("/"))
        assert "\x00" not in path
        assert Scope(url, frozenset({host_of(url)})).holds(url)


@fuzzed(ADDRESSES, ["::ffff:127.0.0.1", "2002:7f00:1::", "0177.0.0.1"])
def test_what_is_no_public_address_is_not_one(text: str) -> None:
    public = is_public(text)
    assert not public or not text.startswith(("127.", "10.", "169.254.", "fe80", "::1", "0."))
