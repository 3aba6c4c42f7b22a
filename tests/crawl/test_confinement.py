"""Which addresses a crawl requests: the rules at their boundaries, with a server that is a table of responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from quaestor.crawl.connections import FetchError, is_public, resolve
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.fetch import FetchResponse
from quaestor.crawl.frontier import Entry, Frontier
from quaestor.crawl.scope import Scope, SiteRules
from quaestor.crawl.urls import LONGEST, host_of, is_looping, normalise, path_for, shape_of

HOST = "a.example"
START = f"https://{HOST}/docs/"
ROBOTS = f"https://{HOST}/robots.txt"

Answers = Mapping[str, FetchResponse | FetchError]


class Told:
    """A fetcher that is a function of its input; it notes what it was asked."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.asked: list[tuple[str, int | None]] = []

    def fetch(self, url: str, headers: Mapping[str, str] | None = None, largest: int | None = None) -> FetchResponse:
        self.asked.append((url, largest))
        answer = self.answers.get(url, FetchResponse(404, {}))
        if isinstance(answer, FetchError):
            raise answer
        return answer


def allowing(text: str) -> FetchResponse:
    return FetchResponse(200, {"content-type": "text/plain"}, text.encode())


@pytest.fixture
def frontier(tmp_path: Path) -> Iterator[Frontier]:
    with closing(Frontier(tmp_path)) as frontier:
        yield frontier


def rules(frontier: Frontier, answers: Answers | None = None, **settings: int) -> tuple[SiteRules, Told]:
    fetcher = Told(answers or {})
    scope = Scope(START, frozenset({HOST}), exclude=("*/old/*",))
    return SiteRules(scope, CrawlSettings(**settings), frontier, fetcher), fetcher  # type: ignore[arg-type]


def page(path: str, depth: int = 1, kept: str | None = None) -> Entry:
    return Entry(f"https://{HOST}{path}", "page", "waiting", depth, path=kept)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/docs/", None),
        ("/docs/x", None),
        ("/docs", "out of scope"),
        ("/docs/old/x", "out of scope"),
        ("/elsewhere", "out of scope"),
        ("/docs/secret/x", "robots.txt"),
    ],
)
def test_pages_out_of_scope_or_forbidden_are_not_asked_for(frontier: Frontier, path: str, expected: str | None) -> None:
    site, _ = rules(frontier, {ROBOTS: allowing("User-agent: *\nDisallow: /docs/secret/")})
    found = site.objection(page(path))
    assert (found and found[0]) == expected


def test_another_host_is_out_of_scope_until_the_start_leads_there(frontier: Frontier) -> None:
    other = f"https://b.{HOST}/docs/"
    site, _ = rules(frontier)
    entry = Entry(f"{other}x", "page", "waiting", 1)
    assert site.objection(entry) == ("out of scope", "")
    site.widen(other)
    assert site.objection(entry) is None
    assert (site.scope.start, site.scope.hosts) == (other, {HOST, f"b.{HOST}"})
    assert site.scope.exclude == ("*/old/*",)
    assert site.objection(Entry(f"{other}old/x", "page", "waiting", 1)) == ("out of scope", "")


def test_lists_of_pages_may_lie_out_of_scope_but_not_beyond_robots(frontier: Frontier) -> None:
    site, _ = rules(frontier, {ROBOTS: allowing("User-agent: *\nDisallow: /no/")})
    assert site.objection(Entry(f"https://{HOST}/sitemap.xml", "sitemap", "waiting", 1)) is None
    assert site.objection(Entry(f"https://{HOST}/no/sitemap.xml", "sitemap", "waiting", 1)) == ("robots.txt", "")


def test_depth_is_bounded_but_for_pages_that_are_kept(frontier: Frontier) -> None:
    site, _ = rules(frontier, depth=3)
    assert site.objection(page("/docs/x", depth=3)) is None
    assert site.objection(page("/docs/x", depth=4)) == ("too deep", "4 links from the start")
    assert site.objection(page("/docs/x", depth=4, kept="x.md")) is None
    looping = "/docs" + "/a/b" * 4
    assert site.objection(page(looping)) == ("loop", "the address repeats itself")
    assert site.objection(page(looping, depth=0)) is None


def read(frontier: Frontier, shape: str, *, pages: int, distinct: int, duplicates: int = 0, depth: int = 1) -> None:
    """Have pages of one shape been read."""
    for number in range(pages):
        url = f"https://{HOST}/docs/{shape}{number}"
        frontier.add([url], "page", depth, 0, {url: shape})
        reason = "duplicate" if number < duplicates else None
        frontier.set(url, "kept", likeness=str(min(number, distinct - 1)), reason=reason)


def known(frontier: Frontier, shape: str, depth: int) -> Entry:
    """Return a page of that shape that was not asked for yet."""
    url = f"https://{HOST}/docs/{shape}/new"
    frontier.add([url], "page", depth, 0, {url: shape})
    return Entry(url, "page", "waiting", depth)


@pytest.mark.parametrize(
    ("pages", "duplicates", "expected"), [(39, 20, True), (40, 20, False), (38, 19, False), (30, 20, True)]
)
def test_pages_with_the_text_of_others_end_it(frontier: Frontier, pages: int, duplicates: int, expected: bool) -> None:
    site, _ = rules(frontier)
    read(frontier, "day", pages=pages, distinct=pages, duplicates=duplicates)
    found = site.objection(known(frontier, "day", 2))
    assert found == (("alike", f"{duplicates} pages like it have the text of another") if expected else None)


@pytest.mark.parametrize(
    ("pages", "distinct", "depth", "expected"),
    [
        (20, 4, 11, True),
        (20, 4, 10, False),
        (19, 4, 11, False),
        (20, 5, 11, False),
        (40, 9, 12, True),
        (40, 10, 12, False),
    ],
)
def test_pages_that_differ_in_numbers_only_end_it_far_from_the_first(
    frontier: Frontier, pages: int, distinct: int, depth: int, expected: bool
) -> None:
    site, _ = rules(frontier)
    read(frontier, "day", pages=pages, distinct=distinct)
    found = site.objection(known(frontier, "day", depth))
    assert found == (("alike", f"{pages} pages like it differ only in numbers") if expected else None)
    assert site.objection(page("/docs/other", depth=depth)) is None, "of another shape"


def test_the_number_of_pages_is_bounded(frontier: Frontier) -> None:
    site, _ = rules(frontier, max_pages=2)
    read(frontier, "x", pages=2, distinct=2)
    frontier.set(f"https://{HOST}/docs/x0", "kept", path="x0.md")
    assert not site.is_full(page("/docs/new"))
    frontier.set(f"https://{HOST}/docs/x1", "kept", path="x1.md")
    assert site.is_full(page("/docs/new"))
    assert not site.is_full(page("/docs/x0", kept="x0.md"))
    assert not site.is_full(Entry(START, "sitemap", "waiting", 1))


def test_answers_are_bounded_by_what_they_are(frontier: Frontier) -> None:
    site, _ = rules(frontier, page_bytes=100)
    for name, most in (("x", 100), ("x.html", 100), ("x.pdf?y", 600), ("X.PDF", 600), ("xpdf", 100)):
        assert site.largest(page(f"/docs/{name}")) == most
    for kind in ("epub", "docx", "xlsx", "pptx", "odt", "ods", "odp"):
        assert site.largest(page(f"/docs/x.{kind}")) == 600
    assert site.largest(Entry(f"{START}x.pdf", "feed", "waiting", 1)) == 50_000_000


# --- robots.txt ---------------------------------------------------------------------------------------------------


def test_robots_are_asked_for_once_a_host_and_their_wishes_kept(frontier: Frontier) -> None:
    site, fetcher = rules(frontier, {ROBOTS: allowing("User-agent: *\nCrawl-delay: 3\nDisallow: /docs/no")})
    assert not site.robots(f"{START}no").allows(f"{START}no")
    assert site.delay(f"{START}y") == 3.0
    assert site.delay(f"http://{HOST}:8080/") == 0.0
    assert fetcher.asked == [(ROBOTS, 4 * 512_000), (f"http://{HOST}:8080/robots.txt", 4 * 512_000)]


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        (FetchResponse(404, {}), True),
        (FetchResponse(403, {}), True),
        (FetchResponse(428, {}), True),
        (FetchResponse(429, {}), False),
        (FetchResponse(430, {}), True),
        (FetchResponse(499, {}), True),
        (FetchResponse(500, {}), False),
        (FetchResponse(503, {}), False),
        (FetchResponse(299, {}), True),
        (FetchResponse(300, {"location": "javascript:x"}), True),
        (FetchResponse(302, {}), True),
        (FetchError("private address"), True),
        (FetchError("unreachable"), True),
        (FetchError("too large"), False),
        (FetchError("too slow"), False),
        (allowing("User-agent: *\nDisallow: /"), False),
    ],
)
def test_a_site_that_cannot_tell_is_let_alone(
    frontier: Frontier, answer: FetchResponse | FetchError, allowed: bool
) -> None:
    site, _ = rules(frontier, {ROBOTS: answer})
    assert site.robots(START).allows(f"{START}x") == allowed


@pytest.mark.parametrize(("hops", "allowed"), [(1, False), (4, False), (5, True)])
def test_a_robots_that_moved_is_followed_some_hops(frontier: Frontier, hops: int, allowed: bool) -> None:
    places = [ROBOTS, *(f"https://b.example/{number}" for number in range(hops))]
    moved = {
        place: FetchResponse(301 + number, {"location": places[number + 1]}) for number, place in enumerate(places[:-1])
    }
    site, fetcher = rules(frontier, {**moved, places[-1]: allowing("User-agent: *\nDisallow: /")})
    assert site.robots(START).allows(START) == allowed
    assert [url for url, _ in fetcher.asked] == places[:5]


def test_a_robots_that_moved_nobody_knows_where(frontier: Frontier) -> None:
    site, fetcher = rules(frontier, {ROBOTS: FetchResponse(302, {})})
    assert site.robots(START).allows(START)
    assert {url for url, _ in fetcher.asked} == {ROBOTS}


def test_a_robots_that_moved_within_its_site(frontier: Frontier) -> None:
    moved = {
        ROBOTS: FetchResponse(399, {"location": "/r.txt"}),
        f"https://{HOST}/r.txt": allowing("User-agent: *\nDisallow: /"),
    }
    assert not rules(frontier, moved)[0].robots(START).allows(START)


def test_only_the_beginning_of_a_robots_counts(frontier: Frontier) -> None:
    filler = "User-agent: *\n" + "#" * (512_000 - 14 - 12)
    kept, cut = (allowing(f"{filler}{more}\nDisallow: /") for more in ("", "#"))
    assert not rules(frontier, {ROBOTS: kept})[0].robots(START).allows(START)
    assert rules(frontier, {ROBOTS: cut})[0].robots(START).allows(START)


def test_sitemaps_are_those_that_are_named_or_where_they_usually_lie(frontier: Frontier) -> None:
    named = "Sitemap: /one.xml\nSitemap: mailto:x@y\nSitemap: https://b.example/two.xml"
    site, _ = rules(frontier, {ROBOTS: allowing(named)})
    assert site.sitemaps() == [f"https://{HOST}/one.xml", "https://b.example/two.xml"]
    assert rules(frontier)[0].sitemaps() == [f"https://{HOST}/sitemap.xml"]


# --- addresses ----------------------------------------------------------------------------------------------------


def test_an_address_within_another_is_judged_as_itself() -> None:
    for inside in ("::ffff:{}", "64:ff9b::{}", "2606:4700::5efe:{}", "2606:4700::200:5efe:{}"):
        assert is_public(inside.format("1.1.1.1"))
        assert not is_public(inside.format("10.0.0.1"))
    assert is_public("2002:101:101::1")
    assert is_public("2606:4700::1111"), "no address of IPv4 within it"
    assert not is_public("2002:a00:1::1")
    # Nobody's, whatever the version of Python thinks.
    for address in ("192.0.0.192", "192.88.99.1", "168.63.129.16", "64:ff9b:1::1", "fec0::1", "3fff::1", "5f00::1"):
        assert not is_public(address)


def test_names_are_resolved_once_for_each_address() -> None:
    assert resolve("127.0.0.1", 80) == ["127.0.0.1"]
    assert resolve("::1", 80) == ["::1"]


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        (" http://a.example/x ", "http://a.example/x"),
        ("http://a.example", "http://a.example/"),
        ("http://a.example:443/", "http://a.example:443/"),
        ("https://a.example:80/", "https://a.example:80/"),
        ("http://a.example:0/", "http://a.example:0/"),
        ("http://a.example/a/..", "http://a.example/"),
        ("http://a.example/a/b/..", "http://a.example/a/"),
        ("http://a.example/a/.", "http://a.example/a/"),
        ("http://a.example/a//b", "http://a.example/a//b"),
        ("http://a.example/a//x/..", "http://a.example/a/"),
        ("http://a.example/a;SID=3/b;x=1", "http://a.example/a/b;x=1"),
        ("http://a.example/?a=1&&b=2&", "http://a.example/?a=1&b=2"),
        ("http://a.example/?UTM_Source=1&xutm_a=2&sid2=3&sessid", "http://a.example/?xutm_a=2&sid2=3"),
        ("http://a.example/?a=%2f&b=c?d/e", "http://a.example/?a=%2F&b=c?d/e"),
        ("http://a.example/%41%2d%2F%e9", "http://a.example/A-%2F%E9"),
        ("http://a.example/:@!$&'()*+,;=", "http://a.example/:@!$&'()*+,;="),
        ('http://a.example/"<>', "http://a.example/%22%3C%3E"),
        ("http://a.example/\ud800", "http://a.example/%3F"),
        ("http://A_b.example../", "http://a_b.example/"),
        ("http://a/", "http://a/"),
        ("http://[2001:DB8::1.2.3.4]/", "http://[2001:db8::1.2.3.4]/"),
    ],
)
def test_one_form_for_each_address(given: str, normal: str) -> None:
    assert normalise(given) == normal


@pytest.mark.parametrize(
    "given",
    [
        *["http://a..example/", "http://a-/", "http://-a/", "http://[::1%25eth0]/", "http://@a.example/"],
        *[f"http://{'a' * 254}/", "http://a.example:x/", "//a.example/", f"http://{'é' * 300}.example/"],
    ],
)
def test_what_is_no_address_of_a_page(given: str) -> None:
    assert normalise(given) is None


def test_the_longest_address() -> None:
    whole = f"http://{HOST}/"
    longest = whole + "x" * (LONGEST - len(whole))
    assert normalise(longest) == longest
    assert normalise(f"{longest}x") is None
    assert normalise(f"http://{'a' * 253}/") == f"http://{'a' * 253}/"


def test_what_loops() -> None:
    assert not is_looping(f"http://{HOST}" + "/a/b" * 3)
    assert is_looping(f"http://{HOST}" + "/a/b" * 3 + "/a")
    numbered = "".join(f"/{number}" for number in range(30))
    assert not is_looping(f"http://{HOST}{numbered}/")
    assert is_looping(f"http://{HOST}{numbered}/x")
    assert host_of("http://a.example:8080/x") == "a.example:8080"


def test_pages_of_one_shape() -> None:
    assert (
        shape_of("http://a.example/7/x12?b=1&a=22")
        == shape_of("https://a.example/123/x4?a=1&b=3")
        == "a.example/0/x0?a&b"
    )
    assert len({shape_of(f"http://{url}") for url in ("a/1", "b/1", "a/x", "a/1?y=1", "a/1/1")}) == 5


def test_where_a_scope_begins() -> None:
    hosts = frozenset({HOST})
    for start, prefix in (
        ("/", "/"),
        ("/docs", "/docs"),
        ("/docs/x.html", "/docs/"),
        ("/x.html", "/"),
        ("/v1.2/", "/v1.2/"),
    ):
        assert Scope(f"http://{HOST}{start}", hosts).prefix == prefix
    scope = Scope(f"http://{HOST}/docs/x.html", hosts)
    assert [
        scope.holds(f"http://{HOST}{path}") for path in ("/docs/", "/docs/y", "/docs", "/docsy", "/docs/x.html")
    ] == [
        *[True, True],
        *[False, False, True],
    ]
    assert scope.on_site(f"https://{HOST}/elsewhere")
    assert not scope.on_site(f"http://{HOST}:8080/")


def test_what_is_left_out_by_choice() -> None:
    chosen = Scope(START, frozenset({HOST}), ("/docs/*", "/é/*"), ("*/old/*",))
    for path, left_out in (
        ("/docs/x", False),
        ("/x", True),
        ("/docs/old/x", True),
        ("/%C3%A9/x", False),
        ("/docs/", False),
    ):
        assert chosen.is_left_out_by_choice(f"https://{HOST}{path}") == left_out
        assert chosen.holds(f"https://{HOST}{path}") != left_out
    plain = Scope(START, frozenset({HOST}), exclude=("/docs/",))
    assert not plain.is_left_out_by_choice(START), "the start itself was asked for"
    assert plain.holds(START)
    assert not plain.is_left_out_by_choice(f"https://{HOST}/x"), "that lies elsewhere, which nobody chose"
    assert not plain.holds(f"https://{HOST}/x")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/a/b", "a/b.md"),
        ("/a/", "a/index.md"),
        ("/", "index.md"),
        ("/Xanadu", "Xanadu.md"),
        ("/a/x?y=%2F1", None),
        ("/.git/x", None),
        ("/a.md/x", None),
        ("/x.md", "x.md.md"),
        ("/a%3Ab", None),
        ("/.env", None),
    ],
)
def test_where_a_page_lies(url: str, path: str | None) -> None:
    """A name that is not the address's own, or that would never be indexed, has a hash: two pages share none."""
    found = path_for(f"http://{HOST}{url}", HOST)
    if path is not None:
        assert found == path
    else:
        stem, dash, rest = found.rpartition("-")
        assert (stem != "", dash, len(rest)) == (True, "-", len("0123abcd.md")), found
        assert found != path_for(f"http://{HOST}{url}x", HOST)


def test_names_of_files_have_no_signs_and_are_short() -> None:
    found = path_for(f"http://{HOST}/" + "y" * 200, HOST)
    assert found.startswith("y" * 80 + "-")
    assert len(found) == 80 + len("-0123abcd.md")
    assert path_for(f"http://{HOST}/%20./x", HOST).startswith("_/x-")
    assert path_for(f"http://{HOST}/a%22%3Cb%00/x", HOST).startswith("a--b-/x-")
    assert path_for("http://b.example:8080/x", HOST).startswith("b.example-8080/x-")
    assert path_for(f"http://{HOST}/a%3Ab", HOST) != path_for(f"http://{HOST}/a%3Cb", HOST)


def test_a_folder_is_not_called_like_a_page_or_like_what_is_never_indexed() -> None:
    assert path_for(f"http://{HOST}/a.md/x", HOST).startswith("a.md_/x-")
    assert path_for(f"http://{HOST}/node_modules/x", HOST) == "node_modules_/x.md"
