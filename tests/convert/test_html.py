from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.convert import ConversionError
from quaestor.convert.html import from_html, page_text, reads_as_page
from quaestor.convert.html_tree import DEEPEST, MOST_ELEMENTS, EndTag, StartTag, decode_page, parse, tokens
from quaestor.convert.page_metadata import outgoing_links, read_metadata

FILLER = "<p>" + "Words that make this the text of the page. " * 10 + "</p>"


def body(html: str, base: str = "") -> str:
    """Return what becomes of an article that holds this, without the filler around it."""
    text = page_text(parse(f"<main>{FILLER}{html}</main>"), base).text
    return text.partition("\n\n")[2].removesuffix("\n")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Title <em>of</em> it</h2>", "## Title *of* it"),
        ("<p>a <b>b </b>c<i> d</i></p>", "a **b** c *d*"),
        ("<p>x <code>a`b</code> <kbd>Ctrl</kbd></p>", "x ``a`b`` `Ctrl`"),
        ('<p><a href="/x y?a=(1)">go</a></p>', "[go](/x%20y?a=%281%29)"),
        ('<p><a href="javascript:alert(1)">go</a> <a href="data:x">d</a></p>', "go d"),
        ('<p><a href="/x"><img src="/i.png" alt="An i"></a><img src=/j.png></p>', "[![An i](/i.png)](/x)"),
        ("<p>one<br>two</p>", "one  \ntwo"),
        (
            "<p>1. one</p><p># two</p><p>- three</p><p>``` four</p>",
            "1\\. one\n\n\\# two\n\n\\- three\n\n\\`\\`\\` four",
        ),
        ("<p>a &lt;script&gt; b &amp; c&nbsp;d</p>", "a \\<script> b & c\xa0d"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol start=9><li>a<li><p>b</p><p>c</p></ol>", "9. a\n10. b\n\n    c"),
        ("<ul><li><input type=checkbox checked> done</li></ul>", "- [x] done"),
        ("<blockquote><p>a</p><ul><li>b</ul></blockquote>", "> a\n>\n> - b"),
        ("<pre><code class='language-python'>a\n  b\n</code></pre>", "```python\na\n  b\n```"),
        ("<div class='highlight-rust'><pre><span>let</span> x;</pre></div>", "```\nlet x;\n```"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        ("<pre>a\0b</pre><p>c\0d</p>", "```\nab\n```\n\ncd"),
        ("<table><tr><th>a<th>b<tr><td>1|2<td>3</table>", "| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"),
        (
            "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d</table>",
            "|  |  |\n| --- | --- |\n| a | b |\n| a | c |\n| d |  |",
        ),
        ("<table><tr><td><h3>Layout</h3><td><p>text</p></table>", "### Layout\n\ntext"),
        ("<dl><dt>T</dt><dd>M</dd></dl>", "- **T**\n\n  M"),
        ("<details><summary>More</summary><p>x</p></details>", "**More**\n\nx"),
        ("<a href=/x><div><img src=i.png><h3>T</h3><p>b</p></div></a>", "### [T](/x)\n\nb"),
        ("<a href=/x><div><p>b</p><p>c</p></div></a>", "[b](/x)\n\nc"),
        ("<pre><span class=hljs-comment># a</span>\n<b class=nav>b</b><i class=lineno>1</i></pre>", "```\n# a\nb\n```"),
        ("<p>a</p><hr><p>b</p>", "a\n\n* * *\n\nb"),
        ("<p>a<script>b</script><style>c</style><!-- d --><noscript>e</noscript></p>", "a"),
        ("<h3>T<a class=headerlink href='#t'>¶</a></h3>", "### T"),
        ("<p>H<sub>2</sub>O <del>x</del></p>", "H2O ~~x~~"),
        (
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>",
            "`x^2`",
        ),
    ],
)
def test_what_becomes_of_each_element(html: str, markdown: str) -> None:
    assert body(html) == markdown


def test_links_become_absolute_where_the_address_is_known() -> None:
    assert body('<a href="../b#c">x</a>', "https://a.example/d/e/f") == "[x](https://a.example/d/b#c)"
    page = parse(f'<base href="https://b.example/x/"><main>{FILLER}<p><a href=y>x</a></p></main>')
    assert "[x](https://b.example/x/y)" in page_text(page, "https://a.example/").text


def test_the_site_around_a_text_is_left_out() -> None:
    text = page_text(
        parse(
            f"""<title>T | Site</title><header><a href=/>Home</a></header><nav><a href=/a>A</a></nav>
            <div class="sidebar"><p>Aside words</p></div><article><h1>T</h1>{FILLER}
            <div class="share-buttons share">Share this</div><aside><p>Note: kept words.</p></aside></article>
            <div id="comments"><p>First!</p></div><footer>Copyright</footer>"""
        ),
        "",
    ).text
    assert text.startswith("# T\n\nWords that")
    assert "kept words" in text
    assert not [word for word in ("Home", "Aside", "Share", "First!", "Copyright") if word in text]


def test_a_page_without_any_mark_of_its_content_is_taken_whole() -> None:
    assert page_text(parse("<title>A b</title><div><p>Some words.</p></div>"), "").text == "# A b\n\nSome words.\n"


def test_a_content_that_looks_like_furniture_is_kept_if_it_is_most_of_the_page() -> None:
    assert "Words that make" in page_text(parse(f"<body><div class='comments'>{FILLER}</div>"), "").text


def test_of_several_articles_none_is_lost() -> None:
    articles = "".join(f"<article><h2>Post {number}</h2>{FILLER}</article>" for number in range(4))
    text = page_text(parse(f"<nav><a href=/>Home</a></nav><div>{articles}</div><footer>Footwords</footer>"), "").text
    assert [f"## Post {number}" in text for number in range(4)] == [True] * 4
    assert "Footwords" not in text


@pytest.mark.parametrize("names", ["wrap has-sidebar", "entry share", "site no-comments with-ads ads"])
def test_a_wrapper_that_is_named_after_furniture_is_none(names: str) -> None:
    posts = "".join(f"<article><h2>Post {number}</h2>{FILLER}</article>" for number in range(3))
    for inside in (posts, f"<div class=entry-inner>{FILLER}</div><div class='author-bio'>Ann likes Bo</div>"):
        text = page_text(parse(f"<body><header>The site of Ann</header><div class='{names}'>{inside}</div>"), "").text
        assert "Words that make" in text
        assert "Ann likes Bo" not in text


def test_comments_are_left_out_however_many_there_are() -> None:
    comments = "".join(f"<article class=comment-body><p>I say {number} times no.</p></article>" for number in range(99))
    page = f"<main><article><h1>T</h1>{FILLER}</article><div id=comments>{comments}</div></main>"
    assert "times no" not in page_text(parse(page), "").text


def test_a_section_about_cookies_is_no_furniture() -> None:
    sections = "".join(
        f"<section id='{name}'><h2 id='{name}'>{name}</h2><p>On {name}.</p></section>"
        for name in ("cookies", "comments")
    )
    text = page_text(
        parse(f"<main>{FILLER}{sections}<div class='section' id='footer'><h2>footer</h2></div></main>"), ""
    ).text
    assert all(f"## {name}" in text for name in ("cookies", "comments", "footer"))


def test_a_short_page_is_told_from_a_long_sidebar() -> None:
    sidebar = "".join(f"<li><a href='/{number}'>Release {number}</a>" for number in range(200))
    article = "<article><h1>1.2</h1><p>Fixed some bugs in it.</p></article>"
    page = parse(f"<body><aside class='sidebar-drawer'><ul>{sidebar}</ul></aside>{article}")
    assert page_text(page, "").text == "# 1.2\n\nFixed some bugs in it.\n"


def test_what_a_page_says_about_itself() -> None:
    page = parse(
        """<html lang=de><title>T – Site</title><meta property="og:title" content=" T\n "><link rel=canonical href=/t>
        <script type="application/ld+json">{"@graph": [{"author": [{"name": "Ann"}, "Bo"],
        "datePublished": "2023-04-05T01:00:00Z"}]}</script>"""
    )
    told = read_metadata(page, "https://a.example/t?x=1")
    assert (told.title, told.author, told.date) == ("T", "Ann, Bo", "2023-04-05")
    assert told.canonical == "https://a.example/t"


def test_where_a_page_leads() -> None:
    page = parse(
        """<a href="b">1</a><a href="/c" rel="nofollow">2</a><area href="d"><link rel=alternate href=feed.xml
        type="application/atom+xml"><link rel=next href="?page=2"><meta http-equiv=refresh content="0; url=/e">
        <a href="http://[broken">x</a>"""
    )
    led = outgoing_links(page, "https://a.example/x/y")
    assert led.links == tuple(f"https://a.example{path}" for path in ("/x/b", "/x/d", "/x/y?page=2", "/e"))
    assert led.feeds == ("https://a.example/x/feed.xml",)
    assert led.index and led.follow
    assert not outgoing_links(parse("<meta name=robots content='noindex, nofollow'>"), "https://a.example/").index


@pytest.mark.parametrize(
    ("data", "declared", "text"),
    [
        ("é".encode(), "iso-8859-1", "é"),
        ("é".encode("cp1252"), "utf-8", "é"),
        ("“é”".encode("cp1252"), "iso-8859-1", "“é”"),
        ("é".encode("utf-16"), None, "é"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("日本".encode("iso2022_jp"), "iso-2022-jp", "日本"),
        (b'<meta charset="windows-1251">' + "привет".encode("cp1251"), None, '<meta charset="windows-1251">привет'),
        ("привет мир".encode() + b"\xff", None, "привет мир\ufffd"),
        (b"\xe9", "no-such-charset", "é"),
        (b"\xe9", "base64", "é"),
        *((b"\xe9", name, "é") for name in ("idna", "punycode", "undefined", "unicode_escape", "raw-unicode-escape")),
    ],
)
def test_character_sets_as_they_are_and_not_as_they_are_declared(data: bytes, declared: str | None, text: str) -> None:
    assert decode_page(data, declared) == text


def test_templates_and_frames_of_applications_are_no_pages() -> None:
    words = b"word " * 60
    assert reads_as_page(b"<p>" + words)
    assert not reads_as_page(b"<p>{{ name }}" + words)
    assert reads_as_page(b"{% include 'head' %}<p>" + words * 3 + b"{% endif %}")
    assert not reads_as_page(b"<div id=root></div><script>" + words + b"</script>")


@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@given(st.text(alphabet="<>/=\"'!-ab \n&;pdivtable", max_size=300))
def test_tokens_never_fail_and_give_back_the_text(text: str) -> None:
    for token in tokens(text):
        assert isinstance(token, (str, StartTag, EndTag))
    parse(text)


_TAGS = st.sampled_from("p div ul li ol table tr td th b i a pre code blockquote dl dt dd h1 h2 br hr section".split())
_PARTS = st.one_of(_TAGS.map("<{}>".format), _TAGS.map("</{}>".format), st.sampled_from(["word ", "wörd ", "x "]))


@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@given(st.lists(_PARTS, max_size=60).map("".join))
def test_no_word_of_a_page_is_lost_whatever_its_tags(html: str) -> None:
    text = from_html(html.encode()).text
    for word in ("word", "wörd"):
        assert text.count(word) >= html.count(word)


@pytest.mark.parametrize("unit", ["<!--", "<a ", "<a b='", "</p>", "<div>", "<b>", "<i>a</i>", "&#", "<script>"])
def test_hostile_pages_end_in_a_text(unit: str) -> None:
    text = from_html((unit * 20_000).encode()).text
    assert text.count("a") == (20_000 if unit == "<i>a</i>" else 0)


def test_depth_and_number_of_elements_are_bounded() -> None:
    assert parse("<div>" * 5000 + "deep").text() == "deep"
    element = parse("<div>" * 5000)
    depth = 0
    while element.children:
        element = next(child for child in element.children if not isinstance(child, str))
        depth += 1
    assert depth == DEEPEST
    with pytest.raises(ConversionError) as caught:
        parse("<b>" * (MOST_ELEMENTS + 1))
    assert caught.value.reason == "too large"
