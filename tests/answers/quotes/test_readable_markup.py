"""What the markup of documents looks like in an answer: Markdown, line for line, which is checked as it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.citations.verify import verify
from quaestor.answers.quotes.readable_markup import as_shown, lines_shown, readable
from quaestor.llm.prompts.numbered_passages import Passage

SHOWN = {
    "restructuredtext": {
        "See :ref:`the oven <oven>` and :doc:`dough`.": "See the oven and dough.",
        "Call :py:func:`~bread.oven.heat`, or :kbd:`Ctrl-C`.": "Call `heat`, or `Ctrl-C`.",
        "By :rfc:`7231#section-6.5.4` it is gone.": "By RFC 7231 it is gone.",
        "Read `the book\n<https://a.example/b>`_, then bake.": "Read [the book](https://a.example/b),\n then bake.",
        "Ask `the miller`_ about ``:role:`x```.": "Ask the miller about ``:role:`x```.",
        "It rises [1]_ twice::\n\n    wait": "It rises (1) twice:\n\n    wait",
        ".. [1] Not in winter.": "(1) Not in winter.",
        ".. _oven:\n\nOven\n~~~~\n\nHot.": "\n\n### Oven\n\n\nHot.",
        ".. warning:: Hot.": "**Warning:** Hot.",
        ".. code-block:: sh\n   :linenos:\n\n   bake": "\n\n\n   bake",
    },
    "org": {
        "** Oven\n:PROPERTIES:\n:ID:  5fa8\n:END:\nHot.": "## Oven\n\n\n\nHot.",
        "[[id:5fa8][The oven]] and [[https://a.example][a mill]].": "The oven and [a mill](https://a.example).",
        "Press [[kbd:][SPC]] for [[var:doom-font]].": "Press `SPC` for doom-font.",
        "Set ~x~ to =y=; a = b.": "Set `x` to `y`; a = b.",
        "#+begin_src sh :tangle no\nbake ~now~\n#+end_src": "```sh\nbake ~now~\n```",
        "It is /never/ in /etc/hosts or a/b/c.": "It is *never* in /etc/hosts or a/b/c.",
        "By [[https://a.example\n][a mill]].": "By [a mill](https://a.example).\n",
        "See [[doom-module::lang org]].": "See :lang org.",
        "#+begin_quote\nHot.\n#+end_quote": "\nHot.\n",
        "- oven :: Where it is hot.": "- **oven**: Where it is hot.",
    },
    "asciidoc": {
        "== Oven\n\n:heat: 9\n[[oven]]\nHot.": "## Oven\n\n\n\nHot.",
        "[source,java]\n----\nbake(<<x>>);\n----": "\n```java\nbake(<<x>>);\n```",
        "See <<oven,the oven>> and <<dough>>.": "See the oven and dough.",
        "At https://a.example/b[the mill], xref:x.adoc[here].": "At [the mill](https://a.example/b), here.",
        "NOTE: Hot.": "**Note:** Hot.",
        ".Steps\n. Knead.\n** Twice.": "**Steps**\n1. Knead.\n  * Twice.",
        "carrier::\n  What takes a letter.": "carrier:\n  What takes a letter.",
    },
    "roff": {
        ".TP\n.B \\-R, \\-\\-rye=<num>\nBake \\fInum\\fR loaves.": "\n**-R, --rye=<num>**\nBake num loaves.",
        "\\fB--hide\\fP\nhide it\\&.": "**--hide**\nhide it.",
        '.SH OPTIONS\n.\\" no words\n.PP\nHot.': "### OPTIONS\n\n\nHot.",
        '.BR bake (1)\n.BI "-f " file': "bake(1)\n-f file",
        '.IP \\(bu 3\nOld\\.\n.IP "--rye" 4': "\nOld.\n**--rye**",
        ".It Fl f Ar file Ns ,\nThe file.": "-f file,\nThe file.",
        "It\\(aqs \\fBhot\\fR \\(em \\e": "It's **hot** — \\",
    },
    "mediawiki": {
        "== Oven ==\n'''Hot''' and ''old''.": "## Oven\n**Hot** and *old*.",
        "[[Oven|The oven]], [https://a.example a mill].": "The oven, [a mill](https://a.example).",
        "# Knead.<ref>As ever.</ref>": "1. Knead.",
    },
    "markdown": {
        "Hot &mdash; old&#33; &lt;b&gt;": "Hot — old! &lt;b&gt;",
        "Hot. <!-- TODO\nmore --> Old.": "Hot. \n Old.",
        '<span style="x">Hot</span> <a href="https://a.example">mill</a>.': "Hot [mill](https://a.example).",
        "## Oven\n{: .note }\nHot.": "## Oven\n\nHot.",
        "<table>\n  <tr>\n    <td>Rye</td>\n    <td><b>Hot</b></td>\n  </tr>\n</table>": "\nRye | Hot\n\n\n\n",
        '!!! warning "Too hot"\n\n    Wait.\n    - Long.\n\nBake.': "**Warning: Too hot**\n\nWait.\n- Long.\n\nBake.",
        '=== "Rye"\n    Hot.': "**Rye**\nHot.",
        '<aside markdown="1"><img src="x.png" alt="y">\nHot.\n</aside>': "\nHot.\n",
        "> {: .note }\r\n> Hot.": ">\n> Hot.",
        "1. TOC\n{:toc}\n\nHot.": "\n\n\nHot.",
        "`<b>` and List<String>": "`<b>` and List<String>",
        "```html\n<p>x</p>\n{: .note }\n```": "```html\n<p>x</p>\n{: .note }\n```",
    },
}
EXAMPLES = [(language, text, shown) for language, each in SHOWN.items() for text, shown in each.items()]


@pytest.mark.parametrize(("language", "text", "shown"), EXAMPLES)
def test_markup_reads_as_markdown(language: str, text: str, shown: str) -> None:
    assert readable(text, language) == shown


@pytest.mark.parametrize("language", ["text", "python", ""])
def test_a_language_without_rules_stays_as_it_is(language: str) -> None:
    assert readable(":ref:`x` [[id:1][y]] <b>", language) == ":ref:`x` [[id:1][y]] <b>"


pieces = st.sampled_from(
    [text for _, text, _ in EXAMPLES] + ["----", "```", "#+end_src", "=", "~", "[[", "<!--", "word"]
)
texts = st.lists(pieces | st.text(max_size=12), max_size=8).map("\n".join)


@given(texts, st.sampled_from([*SHOWN]))
def test_every_line_stays_in_its_place(text: str, language: str) -> None:
    assert readable(text, language).count("\n") == text.count("\n")


@given(texts, st.sampled_from([*SHOWN]), st.integers(0, 60), st.integers(0, 60))
def test_what_is_shown_of_a_part_is_shown_of_the_whole(text: str, language: str, start: int, size: int) -> None:
    part = text[start : start + size]
    shown = as_shown(part, text, language)
    assert shown == part or lines_shown(shown, text, language) is not None


def test_of_several_empty_lines_one_is_shown() -> None:
    text = "Hot.\n\n{: .note }\n{: .old }\n\nOld.\n\nCold."
    assert as_shown(text, text, "markdown") == "Hot.\n\nOld.\n\nCold."
    assert lines_shown("Old.\n\nCold.", text, "markdown") == (5, 7)
    assert as_shown("a\n\n\nb", "a\n\n\nb", "text") == "a\n\n\nb"


def test_what_is_quoted_as_it_is_shown_is_verified_at_its_lines() -> None:
    text = "Bread\n=====\n\nHow :ref:`dough <dough>` rests\n\n* Knead it with :cmd:`knead`.\n* Wait `twice\n  <https://a.example>`_.\n"
    passage = Passage(1, "bread.rst", 4, 8, "\n".join(text.split("\n")[3:8]), language="restructuredtext")

    def cited(answer: str) -> tuple[str, int, int]:
        [citation] = verify(answer, [passage], {"bread.rst": text.encode()}.get, claims=False).citations
        return citation.status, citation.start_line, citation.end_line

    assert cited("> How dough rests\n\n[1]") == ("verified", 4, 4)
    assert cited("> * Knead it with `knead`.\n> * Wait [twice](https://a.example).\n\n[1]") == ("verified", 6, 7)
    assert cited("> * Knead it with `yeast`, twice a day.\n\n[1]")[0] == "unverified"


def test_a_quote_with_fewer_empty_lines_is_not_a_repaired_one() -> None:
    passage = Passage(1, "bread.md", 1, 4, "Hot.\n\n\nOld.", language="markdown")
    answer = "> Hot.\n> \n> Old.\n\n[1]"
    [citation] = verify(answer, [passage], {"bread.md": b"Hot.\n\n\nOld.\n"}.get, claims=False).citations
    assert (citation.status, citation.start_line, citation.end_line) == ("verified", 1, 4)
