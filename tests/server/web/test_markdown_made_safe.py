"""Answers as HTML: what a model writes is shown and never obeyed."""

from __future__ import annotations

import pytest
from html_parts import seen
from hypothesis import given
from hypothesis import strategies as st

from quaestor.server.web.answer_html import LinkedCitation, render, render_part

CITED = (
    LinkedCitation(1, "src/a.py:1-3", "decisive words", "verified", "/sessions/s/turns/1/citations/0"),
    LinkedCitation(2, "<b>.md:4", "", "repaired", "/sessions/s/turns/1/citations/1"),
)
HOSTILE = [
    "<script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "<svg/onload=window.ran=1>",
    "[click](javascript:window.ran=1)",
    "[click](JaVaScRiPt&colon;window.ran=1)",
    "[click](java\tscript:window.ran=1)",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](vbscript:x)",
    "<javascript:window.ran=1>",
    "[click](//elsewhere.example)",
    "[click](/log-out)",
    "[nowhere]()",
    "[nowhere](<>)",
    "![picture](https://elsewhere.example/a.png)",
    "![p](data:image/svg+xml;base64,PHN2Zy8+)",
    "[a]: javascript:window.ran=1\n\n[a]",
    '[a](https://e.example/" onmouseover="window.ran=1)',
    "```html onload=x\n</code></pre><script>window.ran=1</script>\n```",
    '```"><script>window.ran=1</script>\nx\n```',
    "| <script>x</script> |\n|:-:|\n| <i style='color:red'>y</i> |",
    "\ue0000\ue001 \ue0029\ue003",
    "<a href='https://e.example' style='position:fixed'>x</a>",
    "<form action='/log-out' method='post'><button>x</button></form>",
    "&lt;script&gt;window.ran=1&lt;/script&gt;",
    '[1: "<img src=x onerror=window.ran=1>"]',
]
ALLOWED = set(
    "a blockquote br code del em h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul".split()
)


def assert_safe(html: str) -> None:
    found = seen(html)
    assert found.tags <= ALLOWED
    assert found.attributes <= {
        "href",
        "rel",
        "target",
        "class",
        "title",
        "aria-label",
        "data-cite",
        "data-place",
        "start",
        "scope",
        "tabindex",
    }
    for href in found.values("href"):
        assert href.startswith(("https://", "http://", "mailto:", "/sessions/s/turns/1/citations/"))
    for tag, attributes in found.elements:
        assert tag != "a" or "noopener" in (attributes["rel"] or "")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_hostile_answer_is_obeyed(text: str) -> None:
    assert_safe(render(text, CITED, [text]))
    assert_safe(render(f"- quoted\n\n  > {text}\n\n{text}", CITED))
    assert_safe(render_part(text))


@given(st.text(alphabet=st.sampled_from(list("<>[](){}!\"'`:/\\#*_~|-=&; \n\t1a\ue000\ue001\ue002\ue003\u202e\x00"))))
def test_no_letters_make_what_is_not_allowed(text: str) -> None:
    assert_safe(render(text, CITED, [text, text[:5]]))


@given(st.lists(st.sampled_from([*HOSTILE, "[1]", "[2]", "**", "\n\n", "- ", "> ", "```\n", "    ", "one two three."])))
def test_no_mixture_makes_what_is_not_allowed(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert_safe(render(text, CITED, pieces))


def test_the_usual_markdown_is_rendered() -> None:
    found = seen(render("## Head\n\n- *one*\n- **two**\n\n| a | b |\n|--|-:|\n| 1 | 2 |\n\n~~gone~~ `code`\n\n> said"))
    assert {"h4", "ul", "li", "em", "strong", "table", "th", "td", "s", "code", "blockquote"} <= found.tags
    assert "right" in found.values("class")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("So $a_1*b_2*c$ holds.", "So a1*b2*c holds."),
        (r"So \(a_1*b_2*c\) holds.", "So a1*b2*c holds."),
        ("$$\nx^2\n= *y*\n$$", "x2=*y*"),
        (r"\[ x_i = y_i \]", "xi=yi"),
        (r"$\text{<b>}$", "<b>"),
    ],
)
def test_a_formula_is_drawn_and_nothing_in_it_is_markdown(written: str, shown: str) -> None:
    found = seen(render(written))
    assert found.text.strip() == shown
    assert "math" in found.tags
    assert not {"em", "b", "code"} & set(found.tags)


def test_a_formula_that_is_not_understood_is_shown_as_it_is_written() -> None:
    found = seen(render(r"So $\unknown{*a*}$ holds."))
    assert r"\unknown{*a*}" in found.text
    assert "code" in found.tags
    assert "em" not in found.tags


def test_amounts_of_money_are_no_formula() -> None:
    assert not {"code", "math"} & set(seen(render("It costs $5, or *even* $6 and US$7.")).tags)


def test_marks_become_links_to_their_passages() -> None:
    found = seen(render('It retries [1: "decisive words"], always [2][1].', CITED))
    assert found.values("href") == [CITED[0].href, CITED[1].href, CITED[0].href]
    assert found.values("class") == ["cite verified", "cite repaired", "cite verified"]
    assert found.values("aria-label")[0] == "Passage 1: src/a.py:1-3, found there"
    assert found.text.strip() == "It retries 1, always 21."


def test_a_place_that_was_found_leads_there() -> None:
    found = [("a b.py:1-2", "/sessions/x/turns/1/sources/3"), ("a.py:3", "/sessions/x/turns/1/sources/4")]
    shown = render("- `a b.py:1-2` (`f`)\n- `a.py:30`\n\n```\na.py:3\n```\n", found=found)
    assert "<code>a b.py:1-2</code></a> (<code>f</code>)" in shown
    links = [attributes for tag, attributes in seen(shown).elements if tag == "a"]
    assert [(link["href"], "data-panel" in link) for link in links] == [(found[0][1], True)]


def test_a_mark_in_code_is_code_and_one_of_no_passage_is_text() -> None:
    found = seen(render("`a[1]` and [7]\n\n```python\nx[1]\n```\n\n    y[1]", CITED))
    assert not found.values("href")
    assert "a[1] and [7]" in found.text
    assert "x[1]" in found.text


def test_a_mark_with_a_quote_leads_to_the_citation_of_these_words() -> None:
    cited = [
        LinkedCitation(1, "a.py:1", "first words", "verified", "/a"),
        LinkedCitation(1, "a.py:9", "other words", "unverified", "/b"),
    ]
    found = seen(render('One [1: "other words"]. Two [1: "first words"].', cited))
    assert found.values("href") == ["/b", "/a"]


def test_sentences_without_support_are_marked_where_they_stand() -> None:
    weak = "Nothing supports **this sentence** at all [7]."
    found = seen(render(f"It holds [1]. {weak} It ends.", CITED, [weak]))
    assert found.values("title") == ["No passage supports this sentence"]
    assert found.text.strip() == "It holds 1. Nothing supports this sentence at all [7]. It ends."


def test_links_open_in_a_tab_of_their_own() -> None:
    html = render("[site](https://e.example/?a=b&c=d) <https://f.example>")
    found = seen(html)
    assert found.values("href") == ["https://e.example/?a=b&c=d", "https://f.example"]
    assert found.values("target") == ["_blank", "_blank"]


def test_pictures_are_named_and_not_fetched() -> None:
    found = seen(render("See ![a diagram](https://e.example/a.png)"))
    assert "[picture: a diagram]" in found.text
    assert not found.values("src")


def test_what_is_still_written_shows_its_marks_as_numbers() -> None:
    found = seen(render_part('It retries [1: "decisive words"].'))
    assert found.values("class") == ["cite pending"]
    assert found.text.strip() == "It retries 1."


def test_a_long_answer_is_rendered_in_its_order() -> None:
    text = "\n\n".join(f"Paragraph {number} says so [1]." for number in range(300))
    assert seen(render(text, CITED)).text.split("\n")[299] == "Paragraph 299 says so 1."


@pytest.mark.parametrize(
    "piece", ["[", "![", "*a _b ", "`x ", "> ", "|a", "<!-- ", "&", "[1] ", "[x](", "<https://a", "~~a "]
)
def test_an_answer_that_repeats_itself_without_end_is_rendered_in_time(piece: str) -> None:
    # What takes a time that grows with the square of the length would not come back before the test's time is up.
    assert_safe(render(piece * 5_000, CITED))


def test_boxes_of_tasks_are_drawn() -> None:
    made = str(render("- [x] mix\n- [ ] wait\n- [xy] no box\n", unsupported=["[x] mix"]))
    assert [text in made for text in ("☑ mix", "☐ wait", "[xy] no box")] == [True, True, True]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("See [the guide](docs/a.md).", 'See <span title="docs/a.md">the guide</span>.'),
        ("| a |\n|---|\n| [Success (UUID)](#success) |", '<span title="#success">Success (UUID)</span>'),
        ("[b](javascript:x)", "[b](javascript:x)"),
        ("`[a](b.md)`", "<code>[a](b.md)</code>"),
    ],
)
def test_a_link_to_another_place_of_the_documents_is_its_label(markdown: str, html: str) -> None:
    """It would lead nowhere from the page; its address is told where the pointer rests on it."""
    assert html in render(markdown)
