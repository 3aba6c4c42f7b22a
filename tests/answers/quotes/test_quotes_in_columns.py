"""Lines that are set in columns, or stand in a block of code, are quoted as they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.quotes.quotes_in_markdown import Quote, text_of_quotes

OPTIONS = """\
Options:

    --wait SECONDS    Number of seconds to wait
                      between two tries
    --tries COUNT     how often a message is sent
    --quiet           print nothing
"""
FENCED = "First install it.\n\n```sh\napt install tea\nexport TEA_HOME=/srv/tea\ntea check\n```\n\nThen wait.\n"
PROSE = "Tea is brown.  It is drunk\nhot.  Milk is added\nbefore the tea.\n"
LIST = "Do this:\n\n-   boil the water\n    -   in a kettle\n    -   or in a pot\n"
TABLE = "| tea    | minutes |\n|--------|---------|\n| black  | 4       |\n| green  | 2       |\n"


def lines_of(passage: str, quoted: str) -> list[str]:
    """Return the lines below the quote's place, without the marks of a quote."""
    quote = Quote(1, "guide.md", 1, 9, quoted, code=False, language="markdown", passage=passage)
    return [line[2:] for line in text_of_quotes([quote]).split("\n") if line.startswith("> ")]


@pytest.mark.parametrize(
    ("passage", "first", "last"),
    [(OPTIONS, "--wait", "nothing"), (OPTIONS, "--wait", "sent"), (FENCED, "apt", "check")],
)
def test_a_block_keeps_its_lines_and_columns(passage: str, first: str, last: str) -> None:
    quoted = passage[passage.index(first) : passage.index(last) + len(last)]
    shown = lines_of(passage, quoted)
    around = [line for line in passage.split("\n") if line.strip() and line.strip() in quoted]
    least = min(len(line) - len(line.lstrip()) for line in around)
    assert shown == [f"    {line[least:]}" for line in around]


@pytest.mark.parametrize(
    ("passage", "first", "last"),
    [
        (PROSE, "Tea", "tea."),
        (LIST, "-   boil", "pot"),
        (LIST, "-   in a", "pot"),
        (TABLE, "| tea", "2       |"),
        (FENCED, "Then", "wait."),
    ],
)
def test_what_is_no_block_stays_markdown(passage: str, first: str, last: str) -> None:
    quoted = passage[passage.index(first) : passage.rindex(last) + len(last)]
    assert lines_of(passage, quoted) == quoted.split("\n")


def test_a_quote_that_shows_nothing_is_no_error() -> None:
    assert lines_of("```\n \n```\n", " ") == [""]


@given(st.text(alphabet="ab -|`~>#*.\t\n", min_size=1, max_size=60), st.data())
def test_the_words_stay_whatever_is_quoted(passage: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(passage) - 1))
    quoted = passage[start : data.draw(st.integers(start + 1, len(passage)))].strip()
    shown = lines_of(passage, quoted or "a")
    assert " ".join((quoted or "a").split()) in " ".join(" ".join(shown).split())
