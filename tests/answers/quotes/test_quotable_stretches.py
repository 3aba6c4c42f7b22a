"""Cutting passages into quotable stretches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.quotes.best_stretches import _shown_of
from quaestor.answers.quotes.blocks import Block, blocks_of
from quaestor.answers.quotes.paragraphs import pieces_of
from quaestor.answers.quotes.quotable_stretches import MOST_CHARACTERS, MOST_LINES, Stretch, stretches_of, whole_passage
from quaestor.llm.prompts.numbered_passages import Passage

SHARING = """# Sharing a vault

You have shared a vault with a colleague who has left. Can it be taken back? It cannot: what was copied stays copied.
Change every secret that was in it.

Costs
-----

Sharing is free of charge.
"""
STEPS = "".join(f"    step_{number}()\n" for number in range(40))
LONG = f'''# How a queue is emptied.
def drain(queue):
    """Empty a queue."""
{STEPS}    for one in queue:
        one.flush()
        one.close(
            forever=True,
        )
'''


def of(text: str, language: str = "markdown", found: tuple[int, int] | None = None) -> list[Stretch]:
    passage = Passage(1, "a", 1, 1 + text.count("\n"), text, language=language)
    return stretches_of(passage, found)


def texts(text: str, language: str = "markdown") -> list[str]:
    return [stretch.text for stretch in of(text, language)]


def test_what_repeats_a_question_is_quoted_with_what_answers_it() -> None:
    first = texts(SHARING)[0]
    assert first.startswith("You have shared a vault")
    assert first.endswith("Change every secret that was in it.")


def test_a_stretch_ends_with_its_section_and_is_named_for_it() -> None:
    assert [stretch.section for stretch in of(SHARING)] == ["Sharing a vault", "Costs"]
    assert texts(SHARING)[1] == "Sharing is free of charge."


ITEMS = st.lists(st.integers(5, 60), min_size=2, max_size=14)


@given(ITEMS, st.sampled_from(["These are not allowed:", "**Not allowed:**", "It rains."]))
def test_items_of_a_list_are_quoted_with_what_leads_to_it(lengths: list[int], lead: str) -> None:
    items = "\n".join(f"- Item {number}: {'word ' * length}" for number, length in enumerate(lengths))
    text = f"# Rules\n\n{lead}\n\n{items}\n\n# Others\n\n- Item of its own.\n"
    found = of(text)
    assert {stretch.section for stretch in found} == {"Rules", "Others"}
    for stretch in found:
        shown = [text[start:end] for start, end in stretch.parts]
        if stretch.section == "Rules" and lead.strip("*").endswith(":"):
            assert shown[0].startswith(lead)
        else:
            assert lead == "It rains." or not any(lead in one for one in shown)
            assert stretch.head is None


@given(st.lists(st.integers(5, 40), min_size=1, max_size=20))
def test_rows_of_a_table_are_quoted_with_its_head(lengths: list[int]) -> None:
    rows = "\n".join(f"| {number} | {'word ' * length}|" for number, length in enumerate(lengths))
    text = f"Prices rise.\n\n| Boat | Price |\n| :--- | ---: |\n{rows}\n\n| no head |\n| at all |\n"
    found = of(text)
    assert all(any(row in stretch.text for stretch in found) for row in rows.split("\n"))
    for stretch in found:
        shown = "\n".join(text[start:end] for start, end in stretch.parts)
        if "word" in shown:
            assert "| Boat | Price |\n| :--- | ---: |" in shown
        assert stretch.head is None or text[slice(*stretch.head)] == "| Boat | Price |\n| :--- | ---: |"


@given(st.integers(0, 39), st.sampled_from(["markdown", "csv"]))
def test_of_a_long_table_the_row_is_quoted_that_tells_most(wanted: int, language: str) -> None:
    rows = [
        f"| boat{n:02} | {n * 3} euros |" if language == "markdown" else f"boat{n:02},{n * 3} euros" for n in range(40)
    ]
    head = "| boat | price |\n| --- | --- |\n" if language == "markdown" else "boat,price\n"
    text = head + "\n".join(rows)
    passage = Passage(1, "a", 1, 42, text, language=language)
    found = whole_passage(passage, (1, 42), lambda part: float(f"boat{wanted:02}" in part))
    assert found is not None
    shown = "\n".join(text[start:end] for start, end in found.parts)
    assert shown == (rows[wanted] if language == "csv" else f"{head}{rows[wanted]}")
    # A question about all of them is answered with all.
    every = whole_passage(passage, (1, 42), lambda part: float("euros" in part))
    assert every is not None and every.text.endswith(rows[-1]) and rows[0] in every.text


def test_an_item_within_an_item_is_led_by_that() -> None:
    long = "word " * 190
    text = f"Choose:\n\n- Boats are:\n  - red {long}\n  - blue {long}\n- Oars are long.\n"
    parts = [[text[start:end] for start, end in stretch.parts] for stretch in of(text)]
    assert parts[1] == ["- Boats are:", f"- blue {long}\n- Oars are long."]


def test_short_sections_that_were_found_together_are_quoted_together() -> None:
    first = of(SHARING, found=(1, 10))[0]
    assert first.section == "Sharing a vault"
    assert first.text.endswith("Sharing is free of charge.")


@pytest.mark.parametrize(
    "line",
    [
        "[ATX]: https://spec.commonmark.org/current/#atx-headings",
        "{{% quick-reference section=functions %}}",
        "{{< include file.md >}}",
        "{% include nav.html %}",
        "{: .note }",
        "<!-- Keep the permalink. -->",
        '<a id="sharing"></a>',
        '<a id="what"></a> <!-- Keep the old link. --> <br>',
        "[[mining]]",
        "include::gates.adoc[tag=winter]",
        '((("gate, the (old)","in winter")))((("winter")))',
        ":::",
        '<div\n  class="usa-box"\n  aria-labelledby="key">',
        "===Sharing a vault===",
        "== Sharing ==",
    ],
)
def test_what_only_machinery_reads_neither_begins_nor_ends_a_quote(line: str) -> None:
    text = f"{line}\n\nIt cannot be taken back.\n\n{line}\n"
    assert texts(text) == ["It cannot be taken back."]
    passage = Passage(1, "a", 1, 5, text, language="markdown")
    stretch = whole_passage(passage, (1, 5), nothing_told)
    assert stretch is not None
    assert stretch.text == "It cannot be taken back."
    assert whole_passage(Passage(1, "a", 1, 1, line, language="markdown"), (1, 1), nothing_told) is None


def nothing_told(_text: str) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what happens at the rate limit", "You are told to wait."),
        ("how many accounts", "Ten accounts.\n\nFive an hour."),
        (
            "the bread",
            "Bread is baked.\n\n# Limits\n\nYou are told to wait.\n\n# Accounts\n\nTen accounts.\n\nFive an hour.",
        ),
    ],
)
def test_sections_at_the_edges_that_tell_little_of_the_question_are_not_quoted(question: str, expected: str) -> None:
    text = "Bread is baked.\n\n# Limits\n\nYou are told to wait.\n\n# Accounts\n\nTen accounts.\n\nFive an hour.\n"
    weights = {"rate limit": {"limit": 1.0}, "accounts": {"account": 1.0}, "bread": {}}
    held = next(words for name, words in weights.items() if name in question)
    stretch = whole_passage(
        Passage(1, "a.md", 1, 11, text, language="markdown"),
        (1, 11),
        lambda part: sum(weight for word, weight in held.items() if word in part.casefold()),
    )
    assert stretch is not None and stretch.text == expected


def test_a_footnote_is_said_to_readers() -> None:
    assert texts("[^1]: It was so once.") == ["[^1]: It was so once."]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentences = [f"Sentence {number} says that the queue is emptied before the process ends." for number in range(30)]
    cut = texts(" ".join(sentences))
    assert len(cut) > 1
    for one in cut:
        assert len(one) <= MOST_CHARACTERS
        assert one.startswith("Sentence ")
        assert one.endswith("ends.")


WITHIN = {
    "of flour is weighed. The rest is water.": "The rest is water.",
    "  what is left over. The rest is water.\n\n- It is cold.": "The rest is water.\n\n- It is cold.",
    "and the flour\n\nThe rest is water.": "The rest is water.",
    "and nothing else": "and nothing else",
    "npm weighs the flour. The rest is water.": "npm weighs the flour. The rest is water.",
    "Flour is weighed. The rest is water.": "Flour is weighed. The rest is water.",
}


@pytest.mark.parametrize(("text", "quoted"), WITHIN.items())
def test_a_quote_does_not_begin_amid_a_sentence(text: str, quoted: str) -> None:
    passage = Passage(1, "guide.md", 40, 40 + text.count("\n"), text, language="markdown")
    found = whole_passage(passage, (40, 44), lambda text: 1.0)
    assert found is not None
    assert found.text == quoted == max((one.text for one in stretches_of(passage)), key=len)
    first = whole_passage(replace(passage, start_line=1), (1, 4), lambda text: 1.0)
    assert first is not None
    assert first.text == text


def test_an_item_of_a_list_keeps_its_mark() -> None:
    assert texts("Pack:\n\n- bread\n- wine\n")[0] == "Pack:\n\n- bread\n- wine"
    assert texts("| Who | What |\n|---|---|\n| Ana | bread |\n")[0].startswith("| Who |")


LISTING = """== Sending a bundle

Then commit three times:

[source,console]
----
$ git log --oneline
b1ec324 First commit
----

It is sent by mail.
"""


def test_a_listing_of_asciidoc_is_no_heading() -> None:
    [stretch] = of(LISTING, "asciidoc")
    assert stretch.section == "Sending a bundle"
    assert stretch.text.startswith("Then commit")
    assert stretch.text.endswith("b1ec324 First commit\n----\n\nIt is sent by mail.")


@pytest.mark.parametrize("mark", ["====", "****", "____", "++++", "--------"])
def test_a_block_of_asciidoc_is_no_heading(mark: str) -> None:
    note = f"[TIP]\n{mark}\nEach partner keeps a reserve\nof a hundredth.\n{mark}\n\nA partner who cheats loses it.\n"
    assert {one.section for one in of(note, "asciidoc")} == {""}
    passage = Passage(1, "a", 1, 1 + note.count("\n"), note, language="asciidoc")
    quoted = whole_passage(passage, (1, 1), lambda text: float("cheats" in text))
    assert quoted is not None
    assert "Each partner" in quoted.text


def test_a_title_of_asciidoc_may_be_underlined() -> None:
    assert [one.section for one in of("Sending\n-------\n\nBy mail.\n", "asciidoc")] == ["Sending"]


def test_a_fenced_block_keeps_its_fences() -> None:
    text = "Open the vault once:\n\n```python\nopen_vault()\n```\n\nIt stays open until the process ends.\n"
    assert texts(text)[0] == text.strip()


def test_a_short_definition_is_whole_with_the_comment_above_it() -> None:
    text = (
        "import queue\n\n\n# Empties it.\n@once\ndef drain(queue):\n    queue.clear()\n\n\ndef fill(queue):\n    pass\n"
    )
    assert "# Empties it.\n@once\ndef drain(queue):\n    queue.clear()" in texts(text, "python")


def test_of_a_long_definition_whole_statements_are_quoted_beneath_its_head() -> None:
    last = of(LONG, "python")[-1]
    assert last.text.endswith("        )")
    assert last.head is not None
    assert LONG[slice(*last.head)] == '# How a queue is emptied.\ndef drain(queue):\n    """Empty a queue."""'
    for stretch in of(LONG, "python"):
        assert "forever=True" not in stretch.text or "one.close(" in stretch.text


def test_without_a_grammar_indentation_tells_where_a_statement_ends() -> None:
    text = "start {\n    wait 5\n}\n" + "".join(f"rule {number} {{\n    keep {number}\n}}\n" for number in range(20))
    found = texts(text, "nginx")
    assert any("rule 19" in one for one in found)
    assert all(one.count("{") == one.count("}") > 0 for one in found)


@given(
    st.lists(
        st.sampled_from(["A word here.", "Why so?", "\n\n", "\n# Head\n\n", "- item one\n", "`x` is set. ", "\n```\n"]),
        max_size=30,
    )
)
def test_no_stretch_of_prose_is_longer_than_a_person_reads(parts: list[str]) -> None:
    text = "".join(parts) + " And so it goes on." * 40
    for one in texts(text):
        assert one in text
        assert one == one.strip()
        assert len(one) <= MOST_CHARACTERS


@given(
    st.lists(
        st.sampled_from(
            ["def a():", "    b()", "        c(", "        )", "", "    # why", "}", "if x {", '"""', "\t"]
        ),
        max_size=60,
    ),
    st.sampled_from(["python", "javascript", "ruby", "c", "unknown"]),
)
def test_stretches_of_code_are_whole_lines(lines: list[str], language: str) -> None:
    text = "\n".join(lines)
    for stretch in of(text, language):
        for start, end in stretch.parts:
            assert text[:start] == "" or text[start - 1] == "\n"
            assert text[end : end + 1] in ("", "\n")
        first, last = stretch.lines_of(stretch.start, stretch.end)
        assert last - first < MOST_LINES + 12
    if text.strip():
        assert of(text, language)


def test_a_heading_is_told_without_its_markup() -> None:
    [piece] = pieces_of("## How *fast* should [it](a.md) be? {#fast}\n\nFast.\n", begins=True)
    assert piece.heading == "How fast should it be?"


def test_numbered_items_of_mediawiki_are_no_headings() -> None:
    text = "==Steps==\n\n# Collect the key.\n# Compare it.\n"
    found = pieces_of(text, begins=False, language="mediawiki")
    assert [(text[one.start : one.end], one.heading) for one in found] == [
        ("# Collect the key.", "Steps"),
        ("# Compare it.", "Steps"),
    ]


def test_what_restructuredtext_says_of_the_page_is_no_words_of_it() -> None:
    text = ".. _limits:\n\n.. only:: html\n\n.. index:: limit\n\nReads stop.\n\n+------+\n| 1 GB |\n+======+\n"
    assert [text[one.start : one.end] for one in pieces_of(text, begins=False)] == ["Reads stop.", "| 1 GB |"]


@pytest.mark.parametrize(
    "block",
    [
        ".. sectionauthor::\n   Ana <ana@example.org>",
        ".. figure:: ../gate.png\n   :align: center\n\n   The gate",
        ".. TODO: Uncomment this.\n  .. figure:: ../gate.png",
        ".. todo:: Take a better picture.\n\n   Of the gate.",
        ".. title: The gate",
    ],
)
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_block_of_restructuredtext_about_the_page_is_no_words_of_it(block: str, indent: str) -> None:
    block = "\n".join(f"{indent}{line}" if line else "" for line in block.split("\n"))
    text = f"{block}\n\n{indent}The gate is closed.\n\n{block}\n\nIt is opened at seven.\n\n.. note:: Not in winter.\n"
    found = [text[one.start : one.end].strip() for one in pieces_of(text, begins=False)]
    assert found == ["The gate is closed.", "It is opened at seven.", ".. note:: Not in winter."]


def test_an_article_of_a_law_is_a_section_with_its_number_in_it() -> None:
    text = (
        "ARTÍCULO 1° — Objeto. La ley rige.\n\nSe aplica.\n\nARTÍCULO 2° — Plazos. Quince días.\n\nSection 2 says so."
    )
    found = [(text[one.start : one.end], one.section, one.heading) for one in pieces_of(text, begins=False)]
    assert found == [
        ("ARTÍCULO 1° — Objeto. La ley rige.", 1, "ARTÍCULO 1° Objeto"),
        ("Se aplica.", 1, "ARTÍCULO 1° Objeto"),
        ("ARTÍCULO 2° — Plazos. Quince días.", 2, "ARTÍCULO 2° Plazos"),
        ("Section 2 says so.", 2, "ARTÍCULO 2° Plazos"),
    ]


@pytest.mark.parametrize(
    ("language", "imports"),
    [
        ("go", 'package sea\n\nimport (\n\t"errors"\n\t"log"\n)\n\n'),
        ("python", "from __future__ import annotations\n\nimport log\nfrom boats import (\n    Ferry,\n)\n\n"),
        ("java", "package org.sea;\n\nimport java.util.Log;\nimport static org.boats.Ferry.of;\n\n"),
        ("rust", "use std::io::{\n    self,\n    Log,\n};\nuse boats::Ferry;\n\n"),
        ("c", '#include <log.h>\n#include "boats.h"\n\n'),
        ("go", "// Copyright 2016 The Harbour\n//\n// You may not use this file without a log.\n\npackage sea\n\n"),
        ("c", "/* SPDX-License-Identifier: MIT */\n#include <log.h>\n\n"),
        ("typescript", "import {Log} from './log';\nimport {\n\tFerry,\n} from 'boats';\n\n"),
        ("csharp", "using System.Log;\nusing Boats;\n\n"),
    ],
)
def test_what_a_file_imports_is_read_past_but_where_it_is_asked_for(language: str, imports: str) -> None:
    passage = Passage(1, "a", 1, 9, f"{imports}sail = 3\nrow = sail\n", language=language)
    found = whole_passage(passage, (1, 9), lambda text: float("sail" in text))
    assert found is not None and found.text == "sail = 3\nrow = sail"
    asked = whole_passage(passage, (1, 9), lambda text: float("log" in text.lower()))
    assert asked is not None and asked.text.startswith(imports[:4])
    alone = whole_passage(replace(passage, text=imports), (1, 9), lambda text: 0.0)
    assert alone is not None and alone.text == imports.rstrip()


SHORT = [
    "def haul(net):\n    return net.up()",
    "# The catch is sold.\ndef sell(fish):\n    ask(fish)",
    "LIMITS = [\n    3,\n]",
]


@given(st.permutations(SHORT), st.sampled_from(["net", "fish", "LIMITS", "absent"]))
def test_of_short_definitions_found_together_the_outer_ones_that_tell_nothing_are_left_out(
    definitions: list[str], word: str
) -> None:
    passage = Passage(1, "a", 1, 12, "import sea\n\n" + "\n\n\n".join(definitions) + "\n", language="python")
    found = whole_passage(passage, (1, 12), lambda text: float(word in text))
    telling = [one for one in definitions if word in one]
    assert found is not None and found.text == (telling[0] if telling else "\n\n\n".join(definitions))
    # Parts that were found one by one are joined because they belong together.
    joined = whole_passage(passage, (1, 5), lambda text: float(word in text))
    assert joined is not None and joined.text == "\n\n\n".join(definitions)


def test_a_constant_is_quoted_with_the_definition_below_it() -> None:
    text = "def haul(net):\n    return net.up()\n\n\nLIMIT = 3\n\n\ndef sell(fish):\n    ask(fish, LIMIT)"
    found = whole_passage(Passage(1, "a", 1, 9, text, language="python"), (1, 9), lambda text: float("fish" in text))
    assert found is not None and found.text == text[text.index("LIMIT") :]


OPTIONS = """.Sh OPTIONS
.Bl -tag -width Ds
.It Ic history\\-limit Ar lines
Keeps so many lines.
.Pp
More are dropped.
.It Ic repeat\\-time Ar time
Allows keys without the prefix.
.El
"""


@pytest.mark.parametrize(
    ("text", "language", "sections"),
    [
        (OPTIONS, "roff", {"history-limit lines": "Keeps", "repeat-time time": "Allows"}),
        (
            "=over\n\n=item B<limit>\n\nKeeps.\n\n=item C<time>\n\nAllows.\n\n=back\n",
            "pod",
            {"limit": "Keeps", "time": "Allows"},
        ),
        ("limit::\nKeeps so many.\n\ntime::\nAllows keys.\n", "asciidoc", {"limit": "Keeps", "time": "Allows"}),
        ("* Limit\nKeeps.\n* Time\nAllows.\n", "org", {"Limit": "Keeps", "Time": "Allows"}),
    ],
)
def test_each_option_of_a_manual_is_a_section(text: str, language: str, sections: dict[str, str]) -> None:
    pieces = pieces_of(text, begins=True, language=language)
    held = {
        one.heading: " ".join(text[two.start : two.end] for two in pieces if two.section == one.section)
        for one in pieces
    }
    assert held.keys() == sections.keys()
    assert all(word in held[heading] for heading, word in sections.items())
    assert not any(mark in said for said in held.values() for mark in (".El", ".Pp", ".Bl", "=over", "=back"))


def lines_of(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    return [(one.first, one.last) for one in blocks]


def test_an_annotation_beside_a_head_is_no_comment_of_the_first_statement() -> None:
    [of_class] = blocks_of("class A {\n  @Override public int f() {\n    int a = 1;\n    return a;\n  }\n}\n", "java")
    [method] = of_class.inner
    assert lines_of(method.inner) == [(2, 2), (3, 3)]


def test_a_comment_at_the_end_of_a_body_is_a_block() -> None:
    text = "def f():\n    if a:\n        b()\n        # at the end\n    else:\n        c()\n"
    [function] = blocks_of(text, "python")
    [condition] = function.inner
    assert condition.inner
    assert all(0 <= one.first <= one.last < 6 for one in condition.inner)
    [line, comment] = blocks_of("a = 1\n# at the end", "python")
    assert (lines_of([line]), lines_of([comment])) == ([(0, 0)], [(1, 1)])


def test_what_is_nested_deeper_than_code_is_not_cut() -> None:
    def depth(blocks: Sequence[Block]) -> int:
        return max((1 + depth(one.inner) for one in blocks), default=0)

    assert depth(blocks_of("\n".join(" " * number + "x" for number in range(60)), "")) == 31


def test_the_share_of_what_was_found_counts_its_last_line() -> None:
    passage = Passage(1, "a.md", 11, 14, "one\ntwo\nthree\nfour")
    two = Stretch(passage, 4, 13, code=False)  # lines 12 and 13
    assert [_shown_of(two, found) for found in ((12, 13), (13, 14), (13, 13), (14, 14))] == [1.0, 0.5, 1.0, 0.0]
