"""Which passages are quoted, and where a quote begins and ends, at the limits of both."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from quote_parts import hit

from quaestor.answers.errors.template_agreement import agreement, template_words
from quaestor.answers.quotes.best_stretches import MOST_OF_UNSURE
from quaestor.answers.quotes.blocks import blocks_of
from quaestor.answers.quotes.paragraphs import is_list_of_links, pieces_of
from quaestor.answers.quotes.passage_order import _numbers_of, without_restated
from quaestor.answers.quotes.pick_quotes import ExtractiveModel, answer
from quaestor.answers.quotes.quotable_stretches import Stretch, stretches_of, whole_passage
from quaestor.answers.quotes.quotes_in_markdown import FURTHER, Quote, text_of_quotes
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.core.messages import Usage
from quaestor.llm.models import Finished, Request, TextDelta
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.joined_passages import DEFINITION, LARGEST

QUESTION = "What is the default?"


def passage(n: int, text: str, language: str = "markdown", start: int = 1) -> Passage:
    return Passage(n, f"{n}.x", start, start + text.count("\n"), text, language=language)


def quoted(passages: Sequence[Passage], scores: Sequence[float], most: int = 3) -> list[int]:
    hits = [hit(one, score) for one, score in zip(passages, scores, strict=True)]
    return [quote.n for quote in answer(QUESTION, passages, alike, most, refused=False, hits=hits).quotes]


def alike(texts: Sequence[str]) -> NDArray[np.float32]:
    rows = [[1.0, 0.0] if "usual" in text or text == QUESTION else [0.0, 1.0] for text in texts]
    return np.array(rows, dtype=np.float32)


def of(text: str, language: str, found: tuple[int, int] | None = None) -> list[Stretch]:
    return stretches_of(passage(1, text, language), found)


def nothing_told(_text: str) -> float:
    return 0.0


def test_a_passage_a_fifteenth_as_likely_is_quoted_and_none_beyond() -> None:
    passages = [passage(n, f"The default is {n}.", "python") for n in (1, 2)]
    assert quoted(passages, [math.log(15), 0.0]) == [1, 2]
    assert quoted(passages, [math.log(15) + 0.001, 0.0]) == [1]


def test_how_far_others_are_behind_counts_from_the_one_that_is_quoted_first() -> None:
    links = passage(1, "- [Default](a.md)\n- [Others](b.md)\n")
    passages = [links, passage(2, "The default is two."), passage(3, "The default is three.")]
    assert quoted(passages, [9.0, 7.5, 6.0]) == [2, 3]


def test_of_passages_with_the_same_words_the_one_more_alike_is_quoted() -> None:
    passages = [
        passage(n, text, "python")
        for n, text in enumerate(["The default: one.", "The default: two.", "Default: usual."], 1)
    ]
    assert quoted(passages, [9.0, 9.0, 9.0], most=2) == [1, 3]


def test_only_the_first_eight_passages_are_quoted_from() -> None:
    passages = [
        passage(1, "The default is one.", "python"),
        *(passage(n, f"Bread {n}.", "python") for n in range(2, 10)),
    ]
    told = passage(9, "The default is nine.", "python")
    assert quoted([*passages[:8], told], [9.0] * 9) == [1]
    assert quoted([*passages[:7], told], [9.0] * 8) == [1, 9]


def test_a_name_that_stands_nowhere_is_said_to_be_missing() -> None:
    found = answer("What is FooBar?", [passage(1, "The default is one.")], missing=("FooBar", "Baz"))
    assert found.text == "No language model is configured, and nothing here mentions 'FooBar' or 'Baz'."


def test_a_model_of_quotes_asks_its_embedder_and_streams_the_answer() -> None:
    passages = [passage(1, "Bread is usual.")]

    async def run() -> list[object]:
        return [delta async for delta in ExtractiveModel(QUESTION, passages, alike).stream(Request(()))]

    *texts, end = asyncio.run(run())
    joined = "".join(delta.text for delta in texts if isinstance(delta, TextDelta))
    assert "> Bread is usual." in joined
    assert joined == answer(QUESTION, passages, alike).text
    assert len(texts) > 1
    assert isinstance(end, Finished)
    assert end == Finished(reason="stop", usage=Usage(0, 0, reported=False), model="extractive")


def test_a_sentence_too_long_to_be_checked_ends_with_a_word() -> None:
    [first, *_] = of("seventy " * 400, "markdown")
    assert len(first.text) <= 1900
    assert set(first.text.split(" ")) == {"seventy"}


def test_front_matter_is_left_out_where_the_document_begins() -> None:
    text = "---\ntitle: Ferry\n---\n\nIt lands at noon.\n"
    stretch = whole_passage(passage(1, text), (1, 5), nothing_told)
    assert stretch is not None and stretch.text == "It lands at noon."


@pytest.mark.parametrize(("line", "section"), [(11, "One"), (12, "One"), (16, "Two"), (17, "Two")])
def test_a_whole_passage_is_named_for_the_section_that_was_found(line: int, section: str) -> None:
    stretch = whole_passage(passage(1, "# One\n\nA.\n\n# Two\n\nB.\n", start=10), (line, line), nothing_told)
    assert stretch is not None and stretch.section == section


def test_sections_that_were_found_together_from_their_first_word_on_are_one() -> None:
    text = "A queue.\n\n# Two\n\nA vault."
    assert [one.text for one in of(text, "markdown", (1, 5))] == [text]
    assert [one.text for one in of(text, "markdown", (2, 5))] == ["A queue.", "A vault."]


def test_after_a_long_definition_the_next_is_quoted_too() -> None:
    long = "def drain():\n" + "".join(f"    step_{number}()\n" for number in range(40))
    assert "def fill():\n    pour()" in [one.text for one in of(f"{long}\n\ndef fill():\n    pour()\n", "python")]


def test_a_long_text_within_code_is_quoted_in_pieces_that_overlap() -> None:
    text = 'HELP = """\n' + "".join(f"line {number}\n" for number in range(68)) + '"""\n'
    spans = [one.lines_of(one.start, one.end) for one in of(text, "python")]
    assert spans == [(1, 30), (16, 45), (31, 60), (46, 70)]


def test_a_quote_does_not_begin_amid_the_head_of_its_definition() -> None:
    long = 'def drain():\n    """Empty a queue."""\n' + "".join(f"    step_{number}()\n" for number in range(40))
    assert [one.text for one in of(long, "python") if one.text.startswith('    """')] == ['    """Empty a queue."""']


def signature(arguments: int) -> str:
    return "def drain(\n" + "".join(f"    a{number},\n" for number in range(arguments)) + "):\n"


@pytest.mark.parametrize(("arguments", "lines"), [(9, 11), (10, 12), (11, 0), (12, 0)])
def test_a_head_of_more_than_twelve_lines_is_left_out(arguments: int, lines: int) -> None:
    text = signature(arguments) + "".join(f"    step_{number}()\n" for number in range(40))
    head = of(text, "python")[-1].head
    assert (0 if head is None else text[slice(*head)].count("\n") + 1) == lines


def test_of_a_head_with_a_long_docstring_the_signature_is_quoted() -> None:
    text = 'def drain():\n    """Empty.\n\n' + "    Long.\n" * 12 + '    """\n' + "    step()\n" * 40
    head = of(text, "python")[-1].head
    assert head is not None and text[slice(*head)] == "def drain():"


def test_code_that_does_not_parse_is_cut_by_its_indentation() -> None:
    [first, _] = blocks_of("x = (\n  1,\nclass A:\n  def g(self):\n    pass\n", "python")
    assert [(block.first, block.last) for block in first.inner] == [(1, 1)]


def test_what_is_exported_has_its_members_within() -> None:
    [exported] = blocks_of("export class A {\n  f() {\n    x()\n  }\n}\n", "javascript")
    assert [(block.first, block.last) for block in exported.inner] == [(1, 3)]


def test_shares_of_what_a_message_and_a_template_say() -> None:
    found = agreement(("lock", "was", "held", "here"), ("lock", "held", "by", "none", "x"), {"lock": 3.0})
    assert (found.weight, found.words) == (4.0, 2)
    assert (found.of_template, found.of_message, found.of_span) == (4 / 7, 4 / 6, 4 / 5)


def test_an_empty_literal_has_no_words() -> None:
    assert template_words('join("", "two words")') == ("two", "words")


def test_a_word_that_few_passages_hold_tells_more() -> None:
    passages = [passage(1, "A zebra."), *(passage(n, "The default.") for n in (2, 3, 4))]
    found = answer("default zebra", passages, most=1)
    assert found.quotes[0].n == 1
    assert found.coverage == pytest.approx(0.623, abs=0.001)


def test_a_first_passage_that_says_nothing_of_the_question_is_no_answer() -> None:
    bread = passage(1, "Bread is baked.")
    assert not answer("How do I knit a scarf?", [bread], hits=[hit(bread, 9.0)]).known


def test_no_more_than_two_quotes_still_leaves_out_what_was_found_far_behind() -> None:
    passages = [passage(n, f"The default is {n}.") for n in (1, 2)]
    assert quoted(passages, [9.0, 0.0], most=2) == [1]


def test_where_more_quotes_are_wanted_there_is_more_room_for_them() -> None:
    passages = [passage(n, f"The default is {n}.\n" + f"step_{n}()\n" * 110, "python") for n in range(1, 7)]
    assert quoted(passages, [9.0] * 6) == [1, 2, 3]
    assert quoted(passages, [9.0] * 6, most=MOST_OF_UNSURE) == [1, 2, 3, 4, 5]


def test_what_says_it_comes_before_any_number_of_lists_of_links() -> None:
    links = [passage(n, "- [Default](a.md)\n- [Others](b.md)\n") for n in range(1, 6)]
    assert quoted([*links, passage(6, "The default is six.")], [9.0] * 6)[0] == 6


def test_a_passage_is_quoted_whole_up_to_its_greatest_length() -> None:
    most = max(LARGEST, DEFINITION)
    for length, whole_ in ((most, True), (most + 1, False)):
        text = ("default " * most)[: length - 1] + "."
        [quote, *_] = answer(QUESTION, [passage(1, text)], refused=False, hits=[hit(passage(1, text), 9.0)]).quotes
        assert (quote.text == text) == whole_


def test_documents_are_quoted_for_several_things_until_there_is_enough_to_read() -> None:
    passages = [passage(n, f"The default of {n} is kept. " + "It is so for all. " * 48) for n in range(1, 7)]
    found = answer("list all defaults that are kept", passages, hits=[hit(one, 9.0) for one in passages])
    assert [quote.n for quote in found.quotes] == [1, 2, 3, 4]


def test_a_line_that_was_found_is_what_is_quoted() -> None:
    filler = " ".join(["The vault is opened once and is kept open until the process ends."] * 12)
    one = passage(1, f"## One\n\nA queue. {filler}\n\n## Two\n\nA queue. {filler}\n")
    for line, label in ((3, "One"), (7, "Two")):
        document, ranked = Document("1.x", "", 0, 0, "markdown"), Span(0, 1, line, line)
        found = Hit(document, Chunk(Span(0, 1, 1, 7), one.text), 1.0, ranked_span=ranked)
        [quote] = answer("queue", [one], hits=[found]).quotes
        assert quote.label == label


def test_a_quote_is_headed_by_its_place() -> None:
    assert "`1.x:7-8`:" in answer("wait", [passage(1, "wait()\nwait()", "python", 7)], refused=False).text


def test_code_stands_between_three_backticks() -> None:
    assert "\n```python\nwait()\n```\n" in answer("wait", [passage(1, "wait()", "python")], refused=False).text


@pytest.mark.parametrize(
    ("title", "symbol", "label"),
    [
        ("Ferry", "One > Two > Three", "Ferry > Three"),
        ("Ferry", None, "Ferry"),
        ("F" * 100, None, "F" * 90 + "…"),
        ("F" * 90, None, "F" * 90),
    ],
)
def test_the_label_of_prose(title: str, symbol: str | None, label: str) -> None:
    one = Passage(1, "a.md", 1, 1, "The default is one.", title=title, symbol=symbol, language="markdown")
    assert answer(QUESTION, [one], refused=False).quotes[0].label == label


def test_code_beside_what_was_found_has_not_its_name() -> None:
    text = "def drain():\n" + "".join(f"    step_{n}()\n" for n in range(40)) + "\n\ndef default():\n    return 5\n"
    code = Passage(2, "a.py", 1, 45, text, symbol="drain", language="python")
    document, ranked = Document("a.py", "", 0, 0, "python"), Span(0, 1, 1, 41)
    found = Hit(document, Chunk(Span(0, 1, 1, 45), text), 9.0, ranked_span=ranked)
    first = passage(1, "The default is one.")
    quotes = answer(QUESTION, [first, code], refused=False, hits=[hit(first, 9.0), found]).quotes
    assert [(quote.n, quote.start_line, quote.label) for quote in quotes] == [(1, 1, ""), (2, 44, "")]


def test_a_head_right_before_its_statements_is_one_quote_with_them() -> None:
    text = "def drain():\n" + "".join(f"    step_{number}()\n" for number in range(40))
    assert [one.parts for one in of(text, "python") if one.text.startswith("def drain():\n    step_0()\n")]


def test_statements_that_share_a_line_are_one_block() -> None:
    assert [(one.first, one.last) for one in blocks_of("a = [\n 1]; b = [\n 2]\n", "python")] == [(0, 2)]


def test_half_of_the_lines_make_a_list_of_questions() -> None:
    asked = ["Where does the ferry land?", "Who may cross at night?", "What does a letter cost?"]
    told = hit(passage(1, "It lands at noon.", "python"), 1.0)
    for others, is_list in ((3, True), (4, False)):
        text = "\n".join([*(f'"{one}",' for one in asked), *("land(ferry)" for _ in range(others))])
        listed = hit(passage(2, text, "python"), 1.0)
        assert without_restated("Where does a ferry land at noon?", [listed, told]) == (
            (told,) if is_list else (listed, told)
        )


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("# About X\n\nIt lands.\n", [("It lands.", "About X")]),
        ("It lands.\n\n----\n\nIt leaves.\n", [("It lands.", ""), ("It leaves.", "")]),
    ],
)
def test_headings_and_rules_of_markdown(text: str, pieces: list[tuple[str, str]]) -> None:
    assert [(text[one.start : one.end], one.heading) for one in pieces_of(text, begins=True)] == pieces


def test_imports_and_components_of_mdx_are_no_words() -> None:
    text = "import { Steps } from '@site/components'\n\nTake these steps.\n\n<Steps>\n\n1. Add a file.\n\n</Steps>\n"
    pieces = pieces_of(text, begins=True, language="markdown")
    assert [text[one.start : one.end] for one in pieces] == ["Take these steps.", "1. Add a file."]
    assert pieces_of("Import it from 'here' first.", begins=True) != []


SEVERAL = """\
def price():
    return 3


def usual():
    default = 5
    return default


def colour():
    return 7
"""


def test_a_further_quote_of_code_leaves_out_definitions_that_tell_nothing() -> None:
    first, further = passage(1, "default = 1", "python"), passage(2, SEVERAL, "python")
    hits = [hit(first, 9.0), hit(further, 9.0)]
    quotes = answer(QUESTION, [first, further], alike, refused=False, hits=hits).quotes
    assert [(one.n, one.start_line, one.end_line) for one in quotes] == [(1, 1, 1), (2, 5, 7)]
    assert quotes[1].text == "def usual():\n    default = 5\n    return default"


def test_a_further_quote_keeps_what_stands_between_definitions_that_tell() -> None:
    text = f"{SEVERAL}\n\ndef other():\n    return default\n"
    first, further = passage(1, "default = 1", "python"), passage(2, text, "python")
    quotes = answer(QUESTION, [first, further], alike, refused=False, hits=[hit(first, 9.0), hit(further, 9.0)]).quotes
    assert [(one.start_line, one.end_line) for one in quotes] == [(1, 1), (5, 15)]


def test_of_several_things_asked_for_twice_as_many_documents_are_quoted() -> None:
    passages = [passage(n, f"The default of {n} is kept.") for n in range(1, 9)]
    found = answer("list all defaults that are kept", passages, hits=[hit(one, 9.0) for one in passages])
    assert [quote.n for quote in found.quotes] == [1, 2, 3, 4, 5, 6]


def test_short_sections_that_were_found_are_a_further_quote_together() -> None:
    first = passage(1, "The default is one.")
    further = passage(2, "# One\n\nThe default of one.\n\n# Two\n\nThe default of two.")
    quotes = answer(QUESTION, [first, further], refused=False, hits=[hit(first, 9.0), hit(further, 9.0)]).quotes
    assert [(one.n, one.start_line, one.end_line) for one in quotes] == [(1, 1, 1), (2, 3, 7)]


def test_an_item_as_long_as_a_quote_is_one_quote_with_what_leads_to_it() -> None:
    text = f"Pack:\n\n- {'word ' * 198}\n- bread"
    assert [[text[slice(*part)][:5] for part in one.parts] for one in of(text, "markdown")][1] == ["Pack:"]


def test_a_long_paragraph_ends_where_the_next_section_begins() -> None:
    sentences = " ".join(f"Sentence {number} says that the queue is emptied." for number in range(30))
    text = f"# One\n\n{sentences}\n\n# Two\n\nIt waits. It ends."
    assert [one.text for one in of(text, "markdown") if one.section == "Two"] == ["It waits. It ends."]
    assert not any("# Two" in one.text for one in of(text, "markdown"))


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("# why\na = 1\n\nb = 2", [(0, 1), (3, 3)]),
        ("# apart\n\na = 1\nb = 2", [(0, 0), (2, 2), (3, 3)]),
    ],
)
def test_a_comment_belongs_to_what_stands_right_below_it(text: str, blocks: list[tuple[int, int]]) -> None:
    assert [(one.first, one.last) for one in blocks_of(text, "python")] == blocks


@pytest.mark.parametrize(
    ("items", "is_list"),
    [
        (["[A](#a)", "[B](#b)", "C"], True),
        (["[A](#a)", "[B](#b)", "C", "D"], False),
        (["[A](a.md)", "[B](b.md)"], True),
        (["[A](a.md)", "B"], False),
        (["[A](a.md)"], False),
    ],
)
def test_more_than_half_of_the_items_make_a_table_of_contents(items: list[str], is_list: bool) -> None:
    assert is_list_of_links("\n".join(f"- {item}" for item in items)) == is_list


def test_the_numbers_of_a_passage_stand_in_its_headings_too() -> None:
    one = Passage(1, "a.md", 1, 1, "Since v3 it is 4.", title="Release 2.1", symbol="Fixed in 7")
    assert _numbers_of(one) == {"2.1", "7", "3", "4"}


def test_a_heading_that_is_no_utf_8_is_a_heading() -> None:
    [piece] = pieces_of("# A \ud800 letter\n\nIt lands.", begins=True)
    assert piece.heading == "A ? letter"


def test_front_matter_is_no_text_where_the_document_begins_and_only_there() -> None:
    text = "+++\nIt lands.\n\n+++\n\nIt leaves.\n"
    assert [text[one.start : one.end] for one in pieces_of(text, begins=True)] == ["It leaves."]
    found = [whole_passage(passage(1, text, start=start), (start, start + 5), nothing_told) for start in (1, 2)]
    assert [one and one.text.startswith("It leaves.") for one in found] == [True, False]
    assert not is_list_of_links("+++\nIt lands.\n\n+++\n\n- [A](a.md)\n- [B](b.md)")


def test_of_several_things_asked_for_a_document_is_quoted_that_is_as_near_as_may_be() -> None:
    passages = [passage(n, f"The default of {n} is kept.") for n in (1, 2, 3)]
    hits = [hit(one, score) for one, score in zip(passages, (9.0, 6.0, 5.9), strict=True)]
    found = answer("list all defaults that are kept", passages, hits=hits)
    assert [quote.n for quote in found.quotes] == [1, 2]


def test_imports_are_read_past_whatever_their_letters() -> None:
    code = passage(1, "from X import XX\nimport log\n\nsail = 3", "python")
    found = whole_passage(code, (1, 4), lambda text: float("sail" in text))
    assert found is not None and found.text == "sail = 3"


def test_without_a_grammar_a_comment_belongs_to_the_line_below_it() -> None:
    assert [(one.first, one.last) for one in blocks_of("# why\none\ntwo\n", "")] == [(0, 1), (2, 2)]


def test_a_manual_that_is_no_utf_8_is_read() -> None:
    assert [one.heading for one in pieces_of(".SH \ud800 ONE\nIt lands.", begins=True, language="roff")] != []


def test_whole_fences_are_quoted_as_they_are_and_open_ones_closed() -> None:
    texts = ["A:\n\n```sh\nland\n```\n\nB.", "A:\n\n```sh\nland"]
    shown = [
        answer("land", [passage(1, text)], refused=False, hits=[hit(passage(1, text), 9.0)]).text for text in texts
    ]
    assert [one.count("> ```") for one in shown] == [2, 2]


def test_of_two_guides_the_one_is_quoted_whose_headings_say_more_of_the_question() -> None:
    code = Passage(1, "a.py", 1, 1, "def open_vault(): ...", language="python")
    guides = [
        Passage(n, f"{n}.md", 1, 1, "Turn the key of it.", symbol=heading, language="markdown")
        for n, heading in ((2, "Vault"), (3, "Open a vault"))
    ]
    passages = [code, *guides]
    hits = [hit(one, 9.0 - rank) for rank, one in enumerate(passages)]
    quotes = answer("How do I open a vault?", passages, refused=False, hits=hits).quotes
    assert quotes[0].path == "3.md"


def test_quotes_that_are_all_less_likely_are_not_set_apart() -> None:
    quotes = [Quote(n, "a.md", n, n, f"Tea {n}.", code=False, language="markdown", further=True) for n in (1, 2)]
    assert FURTHER not in text_of_quotes(quotes)
