from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quaestor.crawl.scope import Scope
from quaestor.crawl.urls import LONGEST, is_looping, normalise, path_for, shape_of

HOSTS = st.sampled_from(
    ["a.example", "A.Example", "a.example:80", "a.example:8080", "[::1]", "bücher.example", "1.2.3.4"]
)
PATHS = st.text(alphabet="abAB/.%2fFe~_-;=:@ é?&#+", max_size=40)
ADDRESSES = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https", "HTTP"]), HOSTS, PATHS)


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("HTTP://A.Example:80", "http://a.example/"),
        ("https://a.example:443/x#y", "https://a.example/x"),
        ("https://a.example:8443/", "https://a.example:8443/"),
        ("http://a.example/a/./b/../c/%7euser/%c3%a9", "http://a.example/a/c/~user/%C3%A9"),
        ("http://a.example/é x?q=ü&utm_source=n&b=1", "http://a.example/%C3%A9%20x?q=%C3%BC&b=1"),
        ("http://a.example/../../x", "http://a.example/x"),
        ("http://a.example/x;jsessionid=AB12?PHPSESSID=1&sid=2", "http://a.example/x"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://a.example/100%", "http://a.example/100%25"),
        ("http://a.example./", "http://a.example/"),
        ("http://[::1]:80/", "http://[::1]/"),
    ],
)
def test_one_form_for_each_page(given: str, normal: str) -> None:
    assert normalise(given) == normal


@pytest.mark.parametrize(
    "given",
    [
        *["", "ftp://a.example/", "file:///etc/passwd", "javascript:alert(1)", "mailto:a@b.example", "//", "http://"],
        *[
            "http://user:word@a.example/",
            "http://a b/",
            "http://[x",
            "http://a.example:99999/",
            "http://..",
            "a.example",
        ],
        *["http://-", "data:text/html,x", f"http://a.example/{'x' * LONGEST}", "http://a.example\\@b.example/"],
    ],
)
def test_what_is_no_page(given: str) -> None:
    assert normalise(given) is None


def test_links_are_relative_to_their_page() -> None:
    assert normalise("../x?y#z", "https://a.example/b/c/d") == "https://a.example/b/x?y"
    assert normalise("//b.example", "https://a.example/") == "https://b.example/"


@given(ADDRESSES)
@example("http://a.example/%%34%31")
@example("http://a.example/%2e%2e/x")
def test_normalising_twice_changes_nothing(url: str) -> None:
    normal = normalise(url)
    if normal is not None:
        assert normalise(normal) == normal
        assert normal.isascii()
        assert "#" not in normal


@given(ADDRESSES, st.sampled_from(["http://a.example/", "http://a.example/docs/", "http://a.example/docs/index.html"]))
def test_nothing_out_of_its_host_or_below_another_folder_is_in_scope(url: str, start: str) -> None:
    normal = normalise(url)
    if normal is None:
        return
    scope = Scope(start, frozenset({"a.example"}))
    if scope.holds(normal):
        assert normal == start or normal.split("/")[2] == "a.example"
        assert normal == start or "/docs" not in start or normal.split("a.example")[1].startswith("/docs")


def test_scope() -> None:
    scope = Scope("https://a.example/docs", frozenset({"a.example"}))
    assert [scope.holds(f"https://a.example{path}") for path in ("/docs", "/docs/x", "/docs2", "/", "/Docs/x")] == [
        *[True, True],
        *[False, False, False],
    ]
    assert not scope.holds("https://a.example.evil.example/docs/x")
    chosen = Scope("https://a.example/", frozenset({"a.example"}), ("/docs/*", "/blog/*"), ("*/draft/*",))
    assert [chosen.holds(f"https://a.example{path}") for path in ("/", "/docs/x", "/blog/draft/x", "/x")] == [
        *[True, True],
        *[False, False],
    ]


@given(ADDRESSES)
def test_every_page_lies_inside_its_folder(url: str) -> None:
    normal = normalise(url)
    if normal is None:
        return
    path = path_for(normal, "a.example")
    parts = path.split("/")
    assert path.endswith(".md")
    assert not path.startswith("/")
    assert all(part not in ("", ".", "..") and len(part.encode()) < 250 for part in parts)
    assert "\\" not in path
    assert not any(part.endswith(".md") for part in parts[:-1])


@given(ADDRESSES, ADDRESSES)
@example("http://a.example/a/", "http://a.example/a/index")
@example("http://a.example/", "http://a.example//")
def test_two_pages_hardly_ever_share_a_file(one: str, other: str) -> None:
    first, second = normalise(one), normalise(other)
    if first and second and path_for(first, "a.example") == path_for(second, "a.example"):
        # `/a/` and `/a/index` are one file, and so is a page under two schemes or under two ports of none.
        assert first.split("://")[1].removesuffix("index") == second.split("://")[1].removesuffix("index")


def test_names_that_would_not_be_indexed_or_found_again() -> None:
    assert path_for("http://a.example/", "a.example") == "index.md"
    assert path_for("http://a.example/guide/", "a.example") == "guide/index.md"
    assert path_for("http://a.example/guide.html", "a.example") == "guide.html.md"
    assert path_for("http://a.example/node_modules/x", "a.example") == "node_modules_/x.md"
    assert path_for("http://b.example/x", "a.example") == "b.example/x.md"
    assert path_for("http://a.example/x?y=1", "a.example").startswith("x~y=1")


def test_loops_and_shapes() -> None:
    assert is_looping("http://a.example/a/b/a/b/a/b/a/b")
    assert is_looping("http://a.example" + "/x1" * 40)
    assert not is_looping("http://a.example/2024/05/05/a")
    assert shape_of("http://a.example/2024/05?month=3&x=1") == "a.example/0/0?month&x"
