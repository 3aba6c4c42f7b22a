"""What documents say of a fault: the section that has the message, the error's name, the code or the status."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shop_repository import checked_answer, text_of

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.errors.remedies import Fault, _lines_telling, _section_at, _shown, names_of_faults
from quaestor.answers.overview.prose_lines import parts_of
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way
from quaestor.core.documents import Chunk, Document, Span
from quaestor.related.stored_files import IndexedFile
from quaestor.stores import StoredChunk

QUAY = '''class QuayShutError(Exception):
    """The quay is shut at night."""


def enter(quay, hour):
    if quay.shut(hour):
        raise QuayShutError(f"Quay {quay.name!r} is shut to boats until {hour}")


def carry(boat):
    if boat.torn:
        raise RuntimeError(f"Sail {boat.sail} was torn in two by the gale")


def refuse(request, response):
    if request.size > 9:
        response.status(413)
    if response.code == 413:
        return None
    response.status(503)
    return response
'''
FAQ = """# Questions

- [Quay 'west' is shut to boats until 9](#quay-west-is-shut-to-boats-until-9)

## Quay 'west' is shut to boats until 9

See [the guide](guide.md#at-night).

## Sails and sheets

A sail lasts for years, and it wants to be dried after each journey in the rain.

1. Dry it.
2. Fold it.

## The harbour refuses a large boat

It answers with status 413 where a boat is too large. Take a smaller one.

## I am seeing `MoorageLostFault` in the log

The rope was too thin. Replace it.

## Fog all over

Wait until noon.

## Bells

Codes of the bell are B17 and B18. This is no question of errors.
"""
GUIDE = """# Guide

## At night

In the evening you may see an error like `Quay 'north' is shut to boats until 6`, because the gates are closed
from ten on. Ask the warden to open the gate, or enter the quay by day.

## Sail 12 was torn in two by the gale

### Problem

Gales tear sails.

### Solution

Take the storm sail, which is made of canvas, and furl it in time. It is kept below the deck beside the ropes, where it
stays dry and whole for years to come.
"""
LONG = f"""# Log of the tide

The tide table says: "Moon and sun disagree about Tuesday".

{chr(10).join(f"{number}. entry of the log, as it was written by hand on that day" for number in range(1, 40))}

To fix this, set the clock by the stars of the northern sky and start the table again.
"""
TERMS = """Ropes
=====

******************
 Knots and splices
******************

Why is *the bowline slipped from its post* said?
    The knot was tied the wrong way round. You should tie it anew, with the end on the inside, and pull it tight
    before the boat is let go.

Why is *the splice has opened under load* said?
    It is too short by far. Make it five tucks long, and whip its end.
"""
MANUAL = """.TH FERRY 1
.SH NAME
ferry \\- carry boats
.SH DIAGNOSTICS
.PP
If it says "the ferry ran aground on a sandbank", wait for the tide, and use a lighter boat instead.
.SH FILES
.PP
None is read.
"""
CODES = """# Codes

| Code | What to do |
|---|---|
| `FERRY_ERR_FULL` | Take the next ferry, or a smaller load. |
| `ENOSPC` | Make room on the deck before the next journey. |
"""
FERRY = """class TideTurned(Exception):
    pass


def board(ferry):
    if ferry.tide:
        raise TideTurned(ferry)
    if ferry.load > 9:
        fail("FERRY_ERR_FULL")
"""
CHANGES = """# Changelog

## 0.2

- The lamp is lit again after `wick drowned in its own oil`, as you should expect.
- `MoorageLostFault` is raised less often.
"""
FILES = {
    "src/quay.py": QUAY,
    "docs/faq.md": FAQ,
    "docs/guide.md": GUIDE,
    "docs/tides.md": LONG,
    "docs/ropes.rst": TERMS,
    "docs/ferry.1": MANUAL,
    "docs/codes.md": CODES,
    "src/ferry.py": FERRY,
    "docs/keel.md": "---\ntitle: Keel broke on a rock\n---\n\nUse a longer keel, or sail around the rock.\n",
    "examples/keel.md": "# Try it\n\nIt says `mast broke in a storm of sand`.\n",
    "docs/words.md": "# Words\n\nSailors have problems such as a `RiggingError` in bad weather: tie all knots twice.\n",
    "app/Locale/fr_FR/translations.php": "<?php\nreturn [\n    'You may not moor here' => 'Vous n\\'avez pas le droit"
    " d\\'amarrer ici',\n];\n",
    "CHANGELOG.md": CHANGES,
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("remedies") / "quay", FILES) as index:
        yield index


def told(answer: WayAnswer) -> list[tuple[str, int, int]]:
    """Return the places in documents that an answer quotes."""
    return [(hit.path, hit.start_line, hit.end_line) for hit in answer.hits if not hit.path.endswith(".py")]


def test_the_section_that_explains_a_message_follows_the_place_that_raises_it(index: Index) -> None:
    answer = checked_answer(index, "QuayShutError: Quay 'east' is shut to boats until 7")
    assert answer.hits[0].path == "src/quay.py"
    # Not the heading of the same words, which only refers to the guide, nor the table of contents.
    assert told(answer) == [("docs/guide.md", 5, 6)]
    assert "The documents say of it:" in text_of(answer)


@pytest.mark.parametrize(
    "text", ["Why do I get \"Quay 'south' is shut to boats until 5\"?", "Quay 3 is shut to boats until 2"]
)
def test_a_message_in_a_question_is_told_of_as_well(index: Index, text: str) -> None:
    assert told(checked_answer(index, text)) == [("docs/guide.md", 5, 6)]


def test_a_section_that_only_leads_to_others_is_quoted_with_them(index: Index) -> None:
    answer = checked_answer(index, "RuntimeError: Sail 4 was torn in two by the gale")
    assert told(answer) == [("docs/guide.md", 10, 17)]


def test_of_a_long_section_the_remedy_is_quoted_beside_the_message(index: Index) -> None:
    answer = checked_answer(index, 'error: "Moon and sun disagree about Tuesday"')
    assert "No code here was found to print this. The documents say of it:" in text_of(answer)
    (_, first, _), (_, remedy, last) = told(answer)
    assert (first, remedy <= 45 <= last) == (3, True)


def test_a_question_in_a_list_of_terms_is_quoted_alone(index: Index) -> None:
    answer = checked_answer(index, "ERROR the bowline slipped from its post")
    assert told(answer) == [("docs/ropes.rst", 8, 10)]
    assert answer.hits[0].symbol == "Ropes > Knots and splices"


def test_a_changelog_tells_only_of_what_it_has_word_for_word(index: Index) -> None:
    assert told(checked_answer(index, "error: wick drowned in its own oil"))[0][0] == "CHANGELOG.md"
    assert told(checked_answer(index, "How do I fix MoorageLostFault?")) == [("docs/faq.md", 22, 22)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Why do I get a 413?", [("docs/faq.md", 18, 18)]),
        ("How do I fix a 413 from the harbour?", [("docs/faq.md", 18, 18)]),
        ("Why do I get fog all over?", [("docs/faq.md", 26, 26)]),
        ("What causes a 503?", []),
    ],
)
def test_what_a_question_says_that_somebody_gets_is_told_of(
    index: Index, text: str, places: list[tuple[str, int, int]]
) -> None:
    answer = checked_answer(index, text)
    assert (answer.way, told(answer)) == ("errors", places)


def test_a_section_of_a_manual_page_ends_with_the_next(index: Index) -> None:
    assert told(checked_answer(index, "error: the ferry ran aground on a sandbank")) == [("docs/ferry.1", 5, 6)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("FerryError [FERRY_ERR_FULL]: no boat fits beside the 3 others", 5),
        ("OSError: [Errno 28] ENOSPC: write failed at once", 6),
        ("Why do I get ENOSPC?", 6),
    ],
)
def test_a_code_is_told_of_by_its_row(index: Index, text: str, line: int) -> None:
    assert told(checked_answer(index, text)) == [("docs/codes.md", line, line)]


def test_a_title_above_a_page_is_its_heading(index: Index) -> None:
    assert told(checked_answer(index, "error: keel broke on a rock")) == [("docs/keel.md", 5, 5)]


def test_an_error_is_told_of_where_a_sentence_says_what_goes_wrong(index: Index) -> None:
    assert told(checked_answer(index, "What causes RiggingError?")) == [("docs/words.md", 3, 3)]


def test_a_text_in_a_catalogue_of_php_is_found_with_its_quotes(index: Index) -> None:
    answer = checked_answer(index, "Erreur: Vous n'avez pas le droit d'amarrer ici")
    assert answer.hits[0].path == "app/Locale/fr_FR/translations.php"


def test_a_class_that_is_not_called_after_a_fault_is_one_if_it_is_raised(index: Index) -> None:
    answer = checked_answer(index, "Why do I get TideTurned?")
    assert [(hit.path, hit.start_line) for hit in answer.hits] == [("src/ferry.py", 6), ("src/ferry.py", 1)]


def test_a_status_is_given_where_code_sets_it_and_not_where_it_is_compared(index: Index) -> None:
    answer = checked_answer(index, "Why do I get a 413?")
    assert "Code gives the status `413` at 1 place:" in text_of(answer)
    assert [(hit.path, hit.start_line) for hit in answer.hits[1:]] == [("src/quay.py", 16)]


@pytest.mark.parametrize(
    "text",
    [
        "Why do I get a 404?",
        "How do I fix sails?",
        "What does B17 mean?",
        "dry the sail after each journey",
        "sail years journey rain",
    ],
)
def test_what_no_document_tells_of_as_a_fault_is_left_to_the_search(index: Index, text: str) -> None:
    assert answer_by_way(Question(text), index) is None


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("shop.QuayError: no place", ("QuayError",)),
        ("Quay::Error: no place", ("Quay::Error",)),
        ("connect ECONNREFUSED 10.0.0.1:80", ("ECONNREFUSED",)),
        ("ERROR failed with ERR_QUAY_SHUT", ("ERR_QUAY_SHUT",)),
        ("warning TS2304: x", ("TS2304",)),
        ("Error: RuntimeError", ()),
        ("MoorageLost", ("MoorageLost",)),
        ("all went well", ()),
        ("", ()),
    ],
)
def test_the_names_of_errors_in_a_message(message: str, names: tuple[str, ...]) -> None:
    assert names_of_faults(message) == names


WORDS = st.text(alphabet=string.ascii_lowercase, min_size=4, max_size=9)
SECTIONS = st.lists(st.lists(WORDS, min_size=3, max_size=30), min_size=1, max_size=6)


@given(
    SECTIONS, st.integers(0, 5), st.sampled_from(["{}", "> {}", "```\n{}\n```", "* {}", "You see `{}` there."]), WORDS
)
def test_a_message_that_stands_in_one_section_is_told_of_by_lines_of_it(
    sections: list[list[str]], place: int, form: str, value: str
) -> None:
    message = f"unable to moor {value} beside the lighthouse keeper"
    place %= len(sections)
    bodies = [f"## Part {number}\n\n{' '.join(words)}\n" for number, words in enumerate(sections)]
    bodies[place] += f"\n{form.format(message.replace(value, 'bertha'))}\n\nTake another berth instead.\n"
    lines = "\n".join(["# Notes\n", *bodies]).split("\n")
    said = tuple(message.replace(value, "bertha").split())
    fault = Fault((said,), dict.fromkeys(said, 1.0))
    chunk = Chunk(Span(0, 0, 1, len(lines)), "\n".join(lines))
    stored = StoredChunk(1, Document("notes.md", "", 1, 0, "markdown"), chunk, 0)
    file = IndexedFile(stored.document, (stored,), chunk.text, lines)
    found = [_section_at(file, [*parts_of(lines)], *one, fault) for one in _lines_telling(stored, fault)]
    at = next(number for number, line in enumerate(lines, 1) if "lighthouse" in line)
    shown = _shown(lines, min(found), fault.words)
    assert any(first <= at <= last for first, last in shown)
    assert {one.title for one in found} == {f"Notes > Part {place}"}
    assert "instead" in "\n".join(line for first, last in shown for line in lines[first - 1 : last])


def test_a_short_message_that_code_has_word_for_word_is_not_said_to_be_printed_nowhere(tmp_path: Path) -> None:
    files = {
        "client.c": 'char *say(int why)\n{\n\tif (why)\n\t\treturn ("server exited unexpectedly");\n\treturn 0;\n}\n',
        "manual.1": ".Sh MESSAGES\n.It server exited unexpectedly\nThe server crashed without telling the reason.\n",
        "other.c": "int x;\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        answer = answer_by_way(Question("server exited unexpectedly"), index)
        assert answer is None or answer.hits[0].path == "client.c"
        assert index.search("server exited unexpectedly", 3)[0].path == "client.c"
