"""Text made plain, and code in colours."""

from __future__ import annotations

import re

import pytest
from html_parts import seen
from hypothesis import given
from hypothesis import strategies as st

from quaestor.chunking.languages import PROSE
from quaestor.server.web.safe_text import plain, plain_line
from quaestor.server.web.source_lines import COLOURS, highlight, numbered_lines


@given(st.text())
def test_plain_text_steers_nothing(text: str) -> None:
    shown = plain(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    shown.encode("utf-8")
    assert plain(shown) == shown
    assert "\n" not in plain_line(text)


def test_plain_text_keeps_what_people_write() -> None:
    text = "Grüße, שלום, 你好 👩‍💻\tx\ny"
    assert plain(text) == text
    assert plain("\ud800 a\u202eb\r\n") == "\ufffd a\ufffdb\n"


@given(
    st.lists(st.text(alphabet=st.characters(exclude_characters="\n"))),
    st.sampled_from(["python", "javascript", "html", "markdown", "bash", "json", "csharp", "no such language", ""]),
)
def test_each_line_keeps_its_text_and_its_place(lines: list[str], language: str) -> None:
    found = highlight(lines, language)
    assert [seen(html).text for html in found] == [plain(line).replace("\n", "\ufffd") for line in lines]
    for html in found:
        assert seen(html).tags <= {"span"}
        assert all(name.removeprefix("t-") in COLOURS for name in seen(html).values("class"))


def test_code_is_coloured_across_lines() -> None:
    found = highlight(['def f():  # "x"', '    """one', '    two"""', "    return 3"], "python")
    assert '<span class="t-keyword">def</span>' in found[0]
    assert found[2] == '<span class="t-string">    two&#34;&#34;&#34;</span>'
    assert '<span class="t-number">3</span>' in found[3]


def test_the_name_of_a_file_tells_the_language() -> None:
    assert "t-keyword" in highlight(["fn main() {}"], "", "src/main.rs")[0]
    assert highlight(["fn main() {}"], "", "\x00odd/../name") == ["fn main() {}"]


@pytest.mark.parametrize("language", sorted(PROSE))
def test_prose_needs_no_colours(language: str) -> None:
    assert seen(highlight(["<b>plain</b> words"], language)[0]).text == "<b>plain</b> words"


@pytest.mark.parametrize(("language", "prose"), [("html", False), ("jinja", False), ("markdown", True), ("pdf", True)])
def test_a_template_is_shown_as_code_and_a_document_as_prose(language: str, prose: bool) -> None:
    """What is read as HTML is a program's template; a page is read as Markdown."""
    assert numbered_lines("a", ["<p>{{ order }}</p>"], 1, language).prose is prose


def test_what_is_very_long_stays_plain() -> None:
    assert highlight(["x = 1 " * 1000], "python") == ["x = 1 " * 1000]


def test_what_there_is_no_time_for_stays_plain() -> None:
    """Pygments takes the longer for each of these words the more of them stand in a line: some ten seconds."""
    found = highlight(["int x = '<';", *["a " * 245] * 80, "int y = '<';"], "java")
    assert '<span class="t-keyword">int</span>' in found[0]
    assert found[-1] == "int y = &#39;&lt;&#39;;"
