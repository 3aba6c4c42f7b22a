"""Title, author and date, wherever a page states them."""

from __future__ import annotations

import pytest

from quaestor.convert.html_tree import parse
from quaestor.convert.page_metadata import read_metadata


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Retries | Site</title><h1>Retries</h1>", "Retries"),
        ("<title>Retries | Site</title><h1>Site</h1>", "Retries"),
        ("<title>Retries</title><meta property=og:title content='Retries - Site'><h1>Retries</h1>", "Retries"),
        (
            "<meta property=og:title content='Retries – Site'><meta property=og:site_name content=Site><h2>x</h2>",
            "Retries",
        ),
        ("<h1>Site</h1><article><h1>Retries</h1></article>", "Retries"),
        ("<p>Nothing", None),
    ],
)
def test_titles(html: str, title: str | None) -> None:
    assert read_metadata(parse(html)).title == title


@pytest.mark.parametrize(
    ("html", "author"),
    [
        ("<meta name=author content='Ann Lee'>", "Ann Lee"),
        ("<meta property=article:author content='https://social.example/ann'><a rel=author>Ann Lee</a>", "Ann Lee"),
        ("<b itemprop=author itemscope><a href=/ann><span itemprop=name>Ann Lee</span></a> (staff)</b>", "Ann Lee"),
        ("<p class=byline>Written by <a rel=author href=/ann>Ann Lee</a> · 3 May 2020</p>", "Ann Lee"),
        ("<p class='post-byline'>By Ann Lee on May 3, 2020</p>", "Ann Lee"),
        ("<body class='home single-author'><p>Words of a page.</p>" + "<p>More words.</p>" * 50, None),
        ("<article><p>Words.</p></article><aside><p class=author>Bo</p></aside>", None),
        (
            '<script type="application/ld+json">{"@graph": [{"@type": "Person", "@id": "#a", "name": "Ann Lee"}, '
            '{"@type": "Article", "author": {"@id": "#a"}, "datePublished": "2020-05-03"}]}</script>',
            "Ann Lee",
        ),
    ],
)
def test_authors(html: str, author: str | None) -> None:
    assert read_metadata(parse(html)).author == author


_MAY = "<time datetime=2020-05-03></time>"
_LATER = "<time datetime=2021-04-03></time>"


@pytest.mark.parametrize(
    ("html", "date"),
    [
        ("<meta property=article:published_time content='2020-05-03T10:00:00+02:00'>", "2020-05-03"),
        ("<meta name=date content='3 May 2020'>", "2020-05-03"),
        ("<article><time datetime='2020-05-03T10:00Z'>yesterday</time></article>", "2020-05-03"),
        ("<time datetime='article.date.isoformat()'>Sun 03 May 2020</time>", "2020-05-03"),
        ("<time class=updated datetime=2021-01-01></time><time datetime=2020-05-03></time>", "2020-05-03"),
        ("<meta itemprop=datePublished content=2020-05-03>", "2020-05-03"),
        ("<div class=post-meta>May 3, 2020 · 5 min read</div>", "2020-05-03"),
        ("<p>Posted on May 3, 2020</p><p>Long ago, in May 2019", "2020-05-03"),
        ("<p>All about the year 2019.</p>", None),
        (f"<aside>{_MAY}</aside>", None),
        (f"<article><p>Text</p><footer>{_MAY}</footer></article>", "2020-05-03"),
        (f"<article><h2>a</h2>{_MAY}</article><article><h2>b</h2>{_LATER}</article>", None),
        (f"<article><h1>a</h1>{_MAY}</article><article><h2>b</h2>{_LATER}</article>", "2020-05-03"),
    ],
)
def test_dates(html: str, date: str | None) -> None:
    assert read_metadata(parse(html)).date == date


def test_an_address_tells_a_date_where_the_page_does_not() -> None:
    assert read_metadata(parse("<h1>x</h1>"), "https://a.example/2020/05/03/x/").date == "2020-05-03"
    assert read_metadata(parse("<time>2 May 2020</time>"), "https://a.example/2020/05/03/x/").date == "2020-05-02"
