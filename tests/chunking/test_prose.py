"""Headings, front matter, and how long sections are divided."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.chunking import ChunkSettings, CutDocument, cut
from quaestor.chunking.headings import article_title, numbered_articles

SMALL = ChunkSettings(target=60, limit=120)


def sections(made: CutDocument) -> list[tuple[int, int, str | None, tuple[str, ...]]]:
    return [(one.span.start_line, one.span.end_line, one.symbol, one.scope) for one in made.chunks]


MARKDOWN = b"""---
title: "A day: in Oaxaca"
author: Ana
date: 2024-05-01
---
Intro that stands before any heading at all.

# Where to eat

The market is the best place for breakfast, by far.

## Tacos [here](x) `now` #

```sh
# not a heading
```

The other stand closes at noon, so come early in the day.

Setext title
------------

Underlined with dashes, this is a second level heading.

<!--
# hidden
-->
"""


def test_markdown() -> None:
    made = cut(MARKDOWN, "day.md", SMALL)
    assert (made.language, made.chunker) == ("markdown", "headings")
    assert (made.title, made.author, made.date) == ("A day: in Oaxaca", "Ana", "2024-05-01")
    assert [(symbol, scope) for _, _, symbol, scope in sections(made) if symbol][:1] == [("Where to eat", ())]
    named = {symbol: scope for _, _, symbol, scope in sections(made) if symbol}
    assert named == {
        "Where to eat": (),
        "Tacos here now": ("Where to eat",),
        "Setext title": ("Where to eat",),
    }
    assert {one.kind for one in made.chunks if one.symbol} == {"section"}
    assert all(one.defines == () for one in made.chunks)


def test_a_thematic_break_and_a_list_are_no_headings() -> None:
    made = cut(b"# A\n\ntext\n\n---\n\n- item\n---\n\n| a |\n|---|\n", "a.md", SMALL)
    assert {one.symbol for one in made.chunks} == {"A"}


def test_a_fence_closes_only_with_its_own_kind() -> None:
    data = b"# A\n\n````md\n```\n# no\n```\n````\n\n~~~\n# no\n```\n~~~\n\n# B\n\n" + b"words " * 12
    assert {one.symbol for one in cut(data, "a.md", SMALL).chunks} == {"A", "B"}


RST = b"""=====
Title
=====

:Author: Ana

The introduction has a sentence that is long enough here.

Part one
========

.. code::

   Not a title
   ===========

A paragraph with a sentence that is also long enough here.

Deeper
------

And the last paragraph of the page, which is long enough too.

Part two
========

Short.
"""


def test_restructuredtext() -> None:
    made = cut(RST, "a.rst", SMALL)
    assert (made.language, made.title, made.author) == ("restructuredtext", "Title", "Ana")
    assert dict.fromkeys((symbol, scope) for _, _, symbol, scope in sections(made)) == dict.fromkeys(
        [
            ("Title", ()),
            ("Part one", ("Title",)),
            ("Deeper", ("Title", "Part one")),
            ("Part two", ("Title",)),
        ]
    )
    assert made.chunks[0].span.start_line == 1


ASCIIDOC = b"""= Manual
:author: Ana

What it is, at some length, for the reader of it.

== Install

----
== no
----

Run this, then run that, and then wait for the end.
"""


def test_asciidoc() -> None:
    made = cut(ASCIIDOC, "a.adoc", SMALL)
    assert (made.title, made.author) == ("Manual", "Ana")
    assert [one.symbol for one in made.chunks][-1] == "Install"
    assert {one.scope for one in made.chunks} == {(), ("Manual",)}


MANUAL = b"""git-rest(1)
===========

NAME
----
git-rest - Put work aside

OPTIONS
-------
These are the options, each of which is told about at length.

----
OPTION
------
----

[[force]]
-f::
--force::
	Go on where some other command would rather stop, and tell nobody that it was done.
+
A paragraph that belongs to the item goes on for some while, as does this one here.

--expire <time>::
	Forget what is older than a time that you give in one of the usual ways, or in days.

A paragraph that ends the list, with more words about all the options above it.
"""


def test_a_manual_page_in_asciidoc() -> None:
    made = cut(MANUAL, "git-rest.adoc", ChunkSettings(100, 400))
    title = "git-rest - Put work aside"
    assert made.title == title
    assert dict.fromkeys((one.symbol, one.scope) for one in made.chunks) == dict.fromkeys(
        [
            (title, ()),
            ("NAME", (title,)),
            ("OPTIONS", (title,)),
            ("-f, --force", (title, "OPTIONS")),
            ("--expire time", (title, "OPTIONS")),
        ]
    )
    assert "".join(one.text for one in made.chunks) == MANUAL.decode()
    by_start = {one.text.split("\n")[0]: one.symbol for one in made.chunks}
    assert by_start["[[force]]"] == "-f, --force"
    assert by_start["A paragraph that ends the list, with more words about all the options above it."] == "OPTIONS"


def test_a_list_of_terms_gives_no_title() -> None:
    made = cut(b"core.pager::\n\tShows pages.\n\ncore.editor::\n\tEdits.\n", "core.adoc")
    assert (made.title, made.chunks[0].symbol) == (None, "core.pager")


def test_a_header_of_fields_gives_title_author_and_date() -> None:
    header = b"PEP: 313\nTitle: Roman Numerals\nAuthor: Ana <ana@example.org>,\n  Ben\nCreated: 01-Apr-2003\n"
    data = header + b"\nAbstract\n====\n\nWords.\n"
    made = cut(data, "pep-0313.rst")
    assert (made.title, made.author, made.date) == ("Roman Numerals", "Ana, Ben", "2003-04-01")
    assert made.chunks[0].span.start_line == 1


def test_one_line_with_a_colon_is_no_header() -> None:
    assert cut(b"Title: no\n\nWords\n=====\n\nHere.\n", "a.rst").title == "Words"


MEDIAWIKI = b"""<pre>
  BIP: 7
  Title: Compact relay
  Authors: Ann Bell <ann@a.example>
           Bob Carr
  Created: 2016-04-27
</pre>

==Abstract==

Blocks are sent in a short form, as a way to save bandwidth.

== '''Wire''' format ==

# Collect the key from its owner, and whatever else there is.
# Compare a == b, for nothing is sent where they are the same.

===Fields===

Each field is described where it is first named in the text.
"""


def test_mediawiki() -> None:
    made = cut(MEDIAWIKI, "bip-7.mediawiki", SMALL)
    assert (made.title, made.author, made.date) == ("Compact relay", "Ann Bell, Bob Carr", "2016-04-27")
    assert {(one.symbol, one.scope) for one in made.chunks if one.symbol} == {
        ("Abstract", ()),
        ("Wire format", ()),
        ("Fields", ("Wire format",)),
    }


def test_a_page_in_mediawiki_is_not_called_what_its_first_section_is() -> None:
    assert cut(b"==Abstract==\n\nText.\n", "a.wiki", SMALL).title is None


def test_pages_that_git_fetches_from_a_wiki_are_cut_by_their_headings() -> None:
    made = cut(b"Words.\n\n=== boot.img ===\n\nHolds the kernel.\n", "Glossary.mw", SMALL)
    assert "boot.img" in [one.symbol for one in made.chunks]


def test_plain_text_with_underlined_titles() -> None:
    made = cut(b"NOTES\n=====\n\nSome words.\n", "NOTES.txt")
    assert (made.chunker, made.title, made.chunks[0].symbol) == ("headings", "NOTES", "NOTES")


def test_plain_text_without_titles_is_cut_at_paragraphs() -> None:
    data = b"One paragraph of words that stands here.\n\nAnother paragraph of words that stands.\n"
    made = cut(data, "a.txt", SMALL)
    assert (made.chunker, made.title) == ("lines", None)
    assert [one.text.strip()[:3] for one in made.chunks] == ["One", "Ano"]


@given(
    st.sampled_from(["ARTÍCULO {}. — ", "Art. {}. ", "**Article {}** – ", "§ {} (1) ", "Section {}. ", "第{}条　"]),
    st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=6), min_size=4, max_size=20),
    st.sampled_from(["", "# The law\n\n", "Given by the assembly.\n\n"]),
    st.sampled_from(["a.md", "a.txt"]),
)
def test_no_chunk_holds_the_end_of_one_article_and_the_beginning_of_the_next(
    mark: str, articles: list[list[int]], head: str, path: str
) -> None:
    texts = [
        mark.format(number) + "\n\n".join("They meet and vote. " * length for length in lengths)
        for number, lengths in enumerate(articles, 1)
    ]
    data = (head + "\n\n".join(texts) + "\n").encode()
    begins = [data.index(text.encode()) for text in texts]
    for chunk in cut(data, path, ChunkSettings(target=200, limit=400)).chunks:
        within = [begin for begin in begins if chunk.span.start < begin < chunk.span.end]
        # Short ones stand together, each of them whole; nothing stands before them but what leads the first.
        assert not within or chunk.span.start in (0, *begins)


def test_articles_are_named_by_number_and_title() -> None:
    law = "# The law\n\n" + "".join(f"Art. {n}. — Term {n}. {'It lasts. ' * 12}\n\n" for n in range(1, 6))
    made = cut(law.encode(), "law.md", SMALL)
    assert made.title == "The law"
    assert ("Art. 3 Term 3", ("The law",)) in [(one.symbol, one.scope) for one in made.chunks]
    # A document without any heading has no title: its first article is not taken for one.
    assert cut(law.encode().partition(b"\n\n")[2], "law.md", SMALL).title is None


@given(st.integers(1, 60), st.sampled_from(["", "They differ.\n\n"]), st.sampled_from(["\n", "\r\n"]))
def test_what_begins_amid_a_table_is_named_for_its_columns(rows: int, before: str, end: str) -> None:
    table = "| Boat | *Price* |\n| --- | ---: |\n" + "".join(f"| Boat {n} | {n} euros |\n" for n in range(rows))
    text = f"# Prices\n\n{before}{table}\n# Oars\n\n| Oar | Length |\n|---|---|\n| red | 2 |\n"
    for chunk in cut(text.replace("\n", end).encode(), "a.md", SMALL).chunks:
        amid = chunk.text.startswith("| Boat ") and "| --- |" not in chunk.text
        assert (chunk.symbol == "Boat, Price") == amid
        assert not amid or chunk.scope == ("Prices",)


def test_tables_of_values_are_named_for_their_columns_if_their_head_names_any() -> None:
    rows = "".join(f"Ada {n},{n},Oaxaca\n" for n in range(40))
    first, *rest = cut(f"name,phone,city\n{rows}".encode(), "a.csv", SMALL).chunks
    assert first.symbol is None
    assert {chunk.symbol for chunk in rest} == {"name, phone, city"}
    assert {chunk.symbol for chunk in cut(rows.encode(), "a.csv", SMALL).chunks} == {None}


def test_text_about_articles_has_none() -> None:
    assert article_title("Section 5 describes how it is done.") is None
    assert article_title("Section 2.1 Scope") is None
    assert article_title("Particles 3. and 4.") is None
    few = b"Art. 1. One.\n\nArt. 2. Two.\n\nArt. 3. Three.\n"
    assert numbered_articles(few, 0) == []
    assert numbered_articles(b"Art. 9. Nine.\n\nArt. 5. Five.\n\nArt. 2. Two.\n\nArt. 1. One.\n", 0) == []
    fenced = b"# T\n\n```\n" + b"".join(b"Art. %d. Code.\n\n" % n for n in range(9)) + b"```\n"
    assert {one.symbol for one in cut(fenced, "a.md", SMALL).chunks} == {"T"}


def test_small_sections_under_one_heading_merge() -> None:
    made = cut(b"# T\n\n## A\n\na\n\n## B\n\nb\n", "a.md")
    assert [(one.symbol, one.scope) for one in made.chunks] == [("T", ())]


def test_a_long_paragraph_is_cut_after_sentences() -> None:
    data = b"# T\n\n" + b"This sentence is about forty bytes long. " * 40
    texts = [one.text for one in cut(data, "a.md", ChunkSettings(200, 400)).chunks]
    assert len(texts) > 5
    assert all(text.rstrip().endswith(".") for text in texts[1:])


def test_a_long_list_is_cut_between_its_items() -> None:
    data = b"# T\n\n" + b"".join(b"- item %d with some words\n  that go on\n" % n for n in range(40))
    made = cut(data, "a.md", ChunkSettings(200, 400))
    assert len(made.chunks) > 5
    assert all(one.text.startswith("- item") for one in made.chunks[1:])
    assert {one.symbol for one in made.chunks} == {"T"}


@pytest.mark.parametrize(
    ("front", "title"),
    [
        (b'+++\ntitle = "In TOML"\n+++\n', "In TOML"),
        (b"---\nname: x\n---\n", "Heading"),
        (b"---\ntitle: Plain # comment\nauthors:\n  - name: B\n---\n", "Plain"),
        (b"", "Heading"),
    ],
)
def test_titles(front: bytes, title: str) -> None:
    assert cut(front + b"## Low\n\n# Heading\n", "a.md").title == title


def test_windows_line_ends() -> None:
    made = cut(MARKDOWN.replace(b"\n", b"\r\n"), "day.md", SMALL)
    assert made.title == "A day: in Oaxaca"
    assert {one.symbol for one in made.chunks} == {None, "Where to eat", "Tacos here now", "Setext title"}


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("Ferry [![Build](https://x/b.svg)](https://x/runs)[![Docs][badge]][docs]", "Ferry"),
        (
            "Ferry<sup>&nbsp;It's fast.</sup><br>&#40;river &amp; sea&#x29; &c; R&D",
            "Ferry It's fast. (river & sea) &c; R&D",
        ),
        ("![Ferry](logo.png)", "Ferry"),
        ("[![Ferry](logo.png)](https://ferry.example)", "Ferry"),
        ("Crossing ![the river](river.png) at night", "Crossing at night"),
        ("Ferry ![a badge](https://x/" + "a" * 1000 + ")", "Ferry"),
        ("The `vec![0]` macro", "The vec![0] macro"),
        ("Stop! [Here](here.md)", "Stop! Here"),
    ],
)
def test_pictures_are_no_part_of_a_title_unless_it_is_a_picture(heading: str, title: str) -> None:
    [chunk] = cut(f"# {heading}\n\nIt leaves at noon, and once more in the evening.\n".encode(), "a.md").chunks
    assert chunk.symbol == title


def test_a_role_of_a_domain_is_no_part_of_a_title() -> None:
    made = cut(b":c:type:`uv_timer_t` --- Timer handle\n=====================================\n\nIt rings.\n", "a.rst")
    assert made.chunks[0].symbol == "uv_timer_t --- Timer handle"
