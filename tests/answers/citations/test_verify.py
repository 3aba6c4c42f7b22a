"""Citations are checked against the bytes of the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import quaestor
from quaestor.answers.citations.citation_marks import Passage, parse
from quaestor.answers.citations.quote_match import Match, find
from quaestor.answers.citations.sentences import sentences
from quaestor.answers.citations.verify import _claim, check_quote, verify

RETRY = '''"""Retries."""

import time

MAX_ATTEMPTS = 3


def call_with_retry(action, delay=0.5):
    """Run an action, trying it again when the connection is reset.

    The delay doubles after each attempt; it never exceeds
    thirty seconds.
    """
    for attempt in range(MAX_ATTEMPTS):
        try:
            return action()
        except ConnectionResetError:
            time.sleep(delay * 2**attempt)
    raise TimeoutError("gave up")
'''
GUIDE = """# Guide

The **server** doesn't keep your data. It
deletes logs after seven days.

Nothing is sent elsewhere.
"""
FILES = {"src/retry.py": RETRY.encode(), "guide.md": GUIDE.encode()}
SHOWN = (
    Passage(1, "src/retry.py", 8, 19, "\n".join(RETRY.splitlines()[7:19]), symbol="call_with_retry"),
    Passage(2, "guide.md", 1, 4, "\n".join(GUIDE.splitlines()[:4]), title="Guide"),
)


def check(answer: str) -> list[tuple[str, int, int, str]]:
    found = verify(answer, SHOWN, FILES.get)
    return [(citation.status, citation.start_line, citation.end_line, citation.quote) for citation in found.citations]


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ('[1: "time.sleep(delay * 2**attempt)"]', ("verified", 18, 18, "time.sleep(delay * 2**attempt)")),
        ('[1: "TIME.sleep( delay*2**attempt )"]', ("repaired", 18, 18, "time.sleep(delay * 2**attempt)")),
        ('[1: "raise TimeoutError(“gave up”)"]', ("repaired", 19, 19, 'raise TimeoutError("gave up")')),
        ('[1: "raise TimeoutError("gave up")"]', ("verified", 19, 19, 'raise TimeoutError("gave up")')),
        ('[1: "MAX_ATTEMPTS = 3"]', ("repaired", 5, 5, "MAX_ATTEMPTS = 3")),
        (
            '[1: "it never exceeds thirty seconds."]',
            ("repaired", 11, 12, "it never exceeds\n    thirty seconds."),
        ),
        ('[1: "MAX_ATTEMPTS = 4"]', ("unverified", 8, 19, "MAX_ATTEMPTS = 4")),
        ('[1: "sleep for thirty seconds"]', ("unverified", 8, 19, "sleep for thirty seconds")),
        ('[2: "The server doesn’t keep your data"]', ("repaired", 3, 3, "The **server** doesn't keep your data")),
        ('[2: "Nothing is sent elsewhere."]', ("repaired", 6, 6, "Nothing is sent elsewhere.")),
        ('[2: "The **server** ... after seven days"]', ("repaired", 3, 4, GUIDE[9:80])),
        ('[2: "for attempt in range(MAX_ATTEMPTS)"]', ("repaired", 14, 14, "for attempt in range(MAX_ATTEMPTS)")),
    ],
)
def test_quotes(mark: str, expected: tuple[str, int, int, str]) -> None:
    assert check(f"So it is {mark}.") == [expected]


def test_a_quote_of_another_passage_points_there() -> None:
    [citation] = verify('So [2: "for attempt in range(MAX_ATTEMPTS)"].', SHOWN, FILES.get).citations
    assert (citation.n, citation.path, citation.status) == (2, "src/retry.py", "repaired")


@pytest.mark.parametrize("quote", ["seven", "attempt", "logs", "in range", "seven days"])
def test_a_short_quote_means_nothing_elsewhere(quote: str) -> None:
    """Words of which any text is full are looked for where they point, and nowhere else."""
    here, there = (1, 2) if quote in GUIDE else (2, 1)
    [citation] = verify(f'So it is [{there}: "{quote}"].', SHOWN, FILES.get).citations
    assert citation.status == "verified"
    [citation] = verify(f'So it is [{here}: "{quote}"].', SHOWN, FILES.get).citations
    assert (citation.status, citation.quote) == ("unverified", quote)


def test_a_short_quote_means_nothing_elsewhere_in_its_document() -> None:
    assert check('So it is [1: "TimeoutError"].')[0][0] == "verified"
    [found] = verify('So it is [1: "TimeoutError"].', [Passage(1, "src/retry.py", 1, 5, "")], FILES.get).citations
    assert found.status == "repaired", "a name of twelve letters is found wherever it stands"
    [found] = verify('So it is [1: "attempt"].', [Passage(1, "src/retry.py", 1, 5, "")], FILES.get).citations
    assert found.status == "unverified"


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("The delay doubles after each attempt [1].", "verified"),
        ("`call_with_retry` runs an action and tries it again when the connection is reset [1].", "verified"),
        ("The delay triples after each attempt [1].", "unverified"),
        ("`call_with_backoff` runs an action again when the connection is reset [1].", "unverified"),
        ("It never exceeds 30 minutes of delay after an attempt [1].", "unverified"),
        ("The delay doubles after each attempt up to 5 times [1].", "unverified"),
        ("The server deletes logs after seven days [2].", "verified"),
        ("The server deletes logs after 7 days [2].", "verified"),
        ("The server deletes logs after eight days [2].", "unverified"),
        ("The server doesn't delete logs after seven days [2].", "unverified"),
        ("The server keeps your data [2].", "unverified"),
        ("The weather is fine today in Rome [2].", "unverified"),
    ],
)
def test_claims_without_a_quote(claim: str, status: str) -> None:
    [found] = check(claim)
    assert found[0] == status


def test_a_claims_quote_is_the_sources_own_lines() -> None:
    [citation] = verify("The server deletes logs after seven days [2].", SHOWN, FILES.get).citations
    assert citation.quote in GUIDE
    assert (citation.start_line, citation.end_line) == (3, 4)


def test_sentences_without_support_are_told() -> None:
    answer = (
        'It tries again [1: "for attempt in range(MAX_ATTEMPTS)"]. The moon is made of green cheese.\n\n'
        "- The database is encrypted with a passphrase [1].\n"
        "- The delay doubles after each attempt.\n\n"
        "Shall I go on with the remaining modules?"
    )
    found = verify(answer, SHOWN, FILES.get)
    assert [sentence.text for sentence in found.unsupported] == [
        "The moon is made of green cheese.",
        "The database is encrypted with a passphrase [1].",
    ]
    assert all(answer[sentence.start : sentence.end] == sentence.text for sentence in found.unsupported)


def test_unknown_numbers_are_told() -> None:
    found = verify('So [7: "x y z"], and [3].', SHOWN, FILES.get)
    assert found.unknown == (7, 3)
    assert found.citations == ()


def test_a_refusal_needs_no_support() -> None:
    assert verify("[no answer] The passages say nothing about billing accounts.", SHOWN, FILES.get).unsupported == ()


def test_a_document_that_is_gone() -> None:
    found = verify('So [1: "time.sleep(delay * 2**attempt)"] and again here [2].', SHOWN, lambda path: None)
    assert [citation.status for citation in found.citations] == ["unverified", "unverified"]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"one\r\ntwo words here\r\n", 2),
        (b"\xef\xbb\xbfone\ntwo words here\n", 2),
        ("one\ntwo words here\n".encode("utf-16"), 2),
        (b"one \xff\xfe\ntwo words here", 2),
        (b"one\x0c\ntwo words here", 2),
        (b"\0\0\ntwo words here", 2),
    ],
)
def test_bytes_of_all_kinds(data: bytes, line: int) -> None:
    found = check_quote(Passage(1, "x", 1, 2, ""), "two words here", lambda path: data)
    assert (found.status, found.start_line, found.end_line) == ("verified", line, line)


def test_passage_beyond_a_file_that_shrank() -> None:
    passage = Passage(1, "x", 50, 60, "")
    assert check_quote(passage, "two words here", lambda path: b"one\ntwo words here").status == "repaired"
    assert check_quote(passage, "other words there", lambda path: b"").status == "unverified"


SOURCES = [path.read_bytes() for path in sorted(Path(quaestor.__file__).parent.glob("core/*.py"))]
TEXTS = st.one_of(
    st.sampled_from(SOURCES).map(lambda data: data.decode().replace("\r", "")),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff\0"), min_size=1, max_size=400),
)


@settings(deadline=None, max_examples=2 * settings.default.max_examples)
@given(TEXTS, st.data())
def test_a_quote_taken_from_the_file_verifies(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, min(len(text), start + 300)))
    quote = text[start:end]
    first, last = text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1
    raw = text.encode()
    found = check_quote(Passage(1, "x", first, last, quote), quote, lambda path: raw)
    assert found.status == "verified"
    assert first <= found.start_line <= found.end_line <= last
    # Blank lines before the first word may be left out.
    assert quote.lstrip().startswith(found.quote.lstrip())


@settings(deadline=None, max_examples=2 * settings.default.max_examples)
@given(TEXTS, st.data())
def test_an_altered_quote_never_verifies(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(max(start + 1, min(len(text), start + 60)), min(len(text), start + 300)))
    at = data.draw(st.integers(start, end - 1))
    change = data.draw(st.sampled_from(["drop", "double", "other", "case"]))
    letter = text[at]
    put = {"drop": "", "double": letter * 2, "other": "§", "case": letter.swapcase()}[change]
    quote = text[start:at] + put + text[at + 1 : end]
    assume(quote and quote not in text)
    lines = text.count("\n") + 1
    raw = text.encode()
    found = check_quote(Passage(1, "x", 1, lines, text), quote, lambda path: raw)
    assert found.status != "verified"
    if found.status == "repaired":
        assert found.quote in text


@settings(deadline=None)
@given(st.sampled_from(SOURCES), st.data())
def test_a_quote_with_other_blanks_is_repaired(source: bytes, data: st.DataObject) -> None:
    text = source.decode()
    words = text.split()
    first = data.draw(st.integers(0, len(words) - 12))
    quote = " \n ".join(words[first : first + 12])
    # Longer ones, as in a pattern of this package, are only looked for as they stand.
    assume(quote not in text and len(re.findall(r"\w+|[^\w\s]", quote)) <= 400)
    found = check_quote(Passage(1, "x", 1, text.count("\n") + 1, text), quote, lambda path: source)
    assert found.status == "repaired"
    assert found.quote in text
    # Long quotes are shown shortened, and an ellipsis at the end may be the answer's own.
    assert words[first : first + 12][: len(found.quote.split())] == found.quote.split()
    assert len(found.quote) > 250 or len(found.quote.split()) >= 11


@given(st.text(max_size=300), st.text(max_size=100))
@example("a" * 300, "a" * 50 + "b")
@example("* _" * 100, "x " * 50)
def test_any_answer_is_survived(source: str, answer: str) -> None:
    data = source.encode("utf-8", "replace")
    verify(f'{answer} [1: "{answer}"] {answer} [1].', [Passage(1, "x", 1, 3, source)], lambda path: data)


@pytest.mark.parametrize("quote", ["* _ * _ * _ * x", "# # # # # # y", "- - - - - z", "> > > > ; ; ; a", "a b c d"])
def test_signs_without_end_are_looked_through_once(quote: str) -> None:
    # A search that tried them in every way would not come to its end.
    source = (quote[:-1] * 20_000 + " " * 100_000).encode()
    assert check_quote(Passage(1, "x", 1, 1, ""), quote * 3, lambda path: source).status == "unverified"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(("before", "behind"), [("", ""), ("", "\n"), ("", "\n\n"), ("\n", ""), ("\n\n", "\n")])
def test_a_quote_stands_on_the_lines_of_its_first_and_last_sign(before: str, behind: str, ends: str) -> None:
    code = "void row(void)\n{\n\n    cross();\n}\n\n"
    quote, data = f"{before}    cross();\n}}{behind}", code.replace("\n", ends).encode()
    found = check_quote(Passage(1, "row.c", 1, 6, code), quote, lambda path: data)
    assert (found.status, found.start_line, found.end_line) == ("verified", 4, 5)
    assert found.quote == f"    cross();{ends}}}"


def test_a_quote_of_line_ends_alone_stands_where_they_begin() -> None:
    found = check_quote(Passage(1, "x", 1, 4, "a\n\n\nb"), "\n\n", lambda path: b"a\n\n\nb")
    assert (found.status, found.start_line, found.end_line, found.quote) == ("verified", 1, 1, "")


def test_a_short_quote_is_not_looked_for_elsewhere() -> None:
    """ "seven days" stands in the guide, which is not what it is cited for; so few words may stand anywhere."""
    assert check('Logs go after a week [1: "seven days"].') == [("unverified", 8, 19, "seven days")]
    [(status, *_)] = check('Logs go after a week [1: "deletes logs after seven days"].')
    assert status == "repaired"


def test_a_small_word_is_evidence_only_where_nothing_else_stands() -> None:
    lines = "$ make\nand so make do\n"
    shown = Passage(1, "guide.md", 1, 1, "$ make"), Passage(2, "guide.md", 2, 2, "and so make do")
    found = verify("Build it: “make” [1], “make” [2].", shown, lambda path: lines.encode())
    assert [one.status for one in found.citations] == ["verified", "unverified"]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            "Requests wait in a queue [1], [2] and go on.",
            ["Requests wait in a queue", "Requests wait in a queue ,"],
        ),
        (
            "The ferry carries requests [1]. It waits [2] when requests fail twice.",
            ["The ferry carries requests", "It waits  when requests fail twice."],
        ),
    ],
    ids=["marks in a row", "a clause that says little"],
)
def test_what_a_mark_is_said_to_support(answer: str, claims: list[str]) -> None:
    marks = parse(answer)
    assert [_claim(answer, mark, marks, sentences(answer)).strip() for mark in marks] == claims


def test_what_the_question_names_needs_no_support() -> None:
    answer = 'It sleeps [1: "time.sleep(delay * 2**attempt)"]. Yes, for walruses.'
    assert verify(answer, SHOWN, FILES.get, "Does it sleep for walruses?").unsupported == ()
    assert [one.text.strip() for one in verify(answer, SHOWN, FILES.get).unsupported] == ["Yes, for walruses."]


def test_a_lead_in_to_code_that_no_passage_has_is_supported_by_what_follows() -> None:
    answer = "Here it is:\n\n```python\ntime.sleep(delay * 2**attempt)\n```\n"
    assert verify(answer, SHOWN, FILES.get).unsupported == ()


def test_a_part_before_dots_is_found_to_its_last_sign_and_may_be_one_word() -> None:
    assert find("Ferry sends again. …", "Ferry sends again. And more", 0, 27) == Match(0, 18, exact=False)
    long = " ".join(["ferry"] * 401)  # too long for a tolerant pattern
    assert find(f"{long} …", f"{long} and more", 0, len(long) + 9) == Match(0, len(long), exact=False)
    assert find("Ferry …", "The Ferry sends", 0, 15) == Match(4, 9, exact=False)
