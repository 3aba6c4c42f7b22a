"""Which lines of a document are headings and paragraphs, and which are its decoration."""

from __future__ import annotations

import pytest

from quaestor.answers.overview.prose_lines import headings, paragraphs, parts_of, plain

SAYS = "The ferry carries letters."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n\n## Two ##\n\n### C#\n", [(1, "One"), (3, "Two"), (5, "C#")]),
        ("= One\n\n== Two ==\n\n===Three===\n", [(1, "One"), (3, "Two"), (5, "Three")]),
        ("== One ===\n\n====\n\n======= Seven =======\n", [(1, "One =")]),
        ("One\n===\n\nTwo\n---\n", [(1, "One"), (4, "Two")]),
        ("A long title\n-------\n", []),
        ("A long title\n--------\n", [(1, "A long title")]),
        ("  One\n---\n", []),
        ("*One* [two](a.md)\n======\n", []),
        ("*One* [two](a.md)\n===========\n", [(1, "One two")]),
        ("---\ntitle: x\n# No\n---\n\n# One\n", [(6, "One")]),
        ("+++\n# No\n+++\n# One\n", [(4, "One")]),
        ("---\n# One\n", [(2, "One")]),
        ("```\n# No\n```\n# One\n", [(4, "One")]),
        ("~~~sh\n# No\n```\n# No\n~~~\n# One\n", [(6, "One")]),
        ("```\n# No\n~~~\n# No\n", []),
        ("<!--\n# No\n-->\n# One\n", [(4, "One")]),
        ("<!-- no --> # no\n# One\n", [(2, "One")]),
        ("<!--\n# No\n# No -->\n# One\n", [(4, "One")]),
        ("----\n# No\n----\n# One\n", [(4, "One")]),
        ("....\n# No\n----\n# No\n....\n# One\n", [(6, "One")]),
        ("----\n# One\n", [(2, "One")]),
        ("-----\n\n# One\n\n-----\n", [(3, "One")]),
        ("Four\n----\n# Two\n\nFive\n----\n", [(1, "Four"), (3, "Two"), (5, "Five")]),
    ],
)
def test_headings(text: str, expected: list[tuple[int, str]]) -> None:
    assert list(headings(text.split("\n"))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{SAYS}\nAnd parcels.\n\n{SAYS}\n", [(1, 2, ""), (4, 4, "")]),
        (f"# One\n{SAYS}\n## Two\n{SAYS}", [(2, 2, "One"), (4, 4, "Two")]),
        (f"One\n===\n{SAYS}\n", [(3, 3, "One")]),
        (f"- {SAYS}\n  {SAYS}\n\n  {SAYS}\n\n{SAYS}\n", [(6, 6, "")]),
        (f"1. {SAYS}\n{SAYS}\n", [(2, 2, "")]),
        (f".. note::\n   {SAYS}\n\n{SAYS}\n", [(4, 4, "")]),
        (f"    {SAYS}\n\t{SAYS}\n   {SAYS}\n", [(3, 3, "")]),
        (f"<div>\n    {SAYS}\n</div>\n", [(2, 2, "")]),
        (f"| {SAYS} |\n[a]: {SAYS}\n:a: {SAYS}\nimport {SAYS} from 'a'\n", []),
        (f'<img src="a"\n  alt="b">{SAYS}\n', [(2, 2, "")]),
        (f'<img src="a"\n{SAYS}\n\n{SAYS}\n', [(4, 4, "")]),
        ("<a\n" + f"{SAYS}\n" * 8 + f"{SAYS}\n", [(10, 10, "")]),
        (f"```\n{SAYS}\n```\n{SAYS}\n<!-- no\n{SAYS}\n-->\n{SAYS}\n", [(4, 4, ""), (8, 8, "")]),
        ("Only three words.\n\nNow there are four.\n", [(3, 3, "")]),
        ("![a](b.png) [c](d)\n", []),
    ],
)
def test_paragraphs(text: str, expected: list[tuple[int, int, str]]) -> None:
    found = list(paragraphs(text.split("\n")))
    assert [(one.start_line, one.end_line, one.heading) for one in found] == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("**One**  `two`\n_three_", "One two three"),
        ("![logo](a.png) One ![b][c]", "One"),
        ('[One](a.md "title") and [two][b]', "One and two"),
        ("`One <a.html>`_ and :doc:`two <b>`, :class:`~three`", "One and two, three"),
        ("link:a.html[One] and https://e.org[two]", "One and two"),
        ("<b>slide</b>s and <i>one</i> <br/>two<!-- no -->", "slides and one two"),
        ("<https://e.org/a> is&nbsp;it", "https://e.org/a is it"),
        ("**f**\\ riendly", "friendly"),
        ("a_name is 2*3*4", "a_name is 2*3*4"),
        (" One |", "One"),
        ("x" * 4001, "x" * 4000),
    ],
)
def test_words_without_markup(text: str, words: str) -> None:
    assert plain(text) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# One\nA.\n\n## Two\n\nB.\n\n---\n\n# Three\nC.",
            [("One", 2, 6, ()), ("Two", 5, 6, ("One",)), ("Three", 11, 11, ())],
        ),
        ("One\n===\nA.\n\nTwo\n---\nB.\n", [("One", 3, 7, ()), ("Two", 7, 7, ("One",))]),
        ("# One\nA.\nXX\n", [("One", 2, 3, ())]),
        ("== One\nA.\n=== Two\n", [("One", 2, 3, ()), ("Two", 4, 3, ("One",))]),
    ],
)
def test_sections_with_those_around_them(text: str, expected: list[tuple[str, int, int, tuple[str, ...]]]) -> None:
    assert list(parts_of(text.split("\n"))) == expected
