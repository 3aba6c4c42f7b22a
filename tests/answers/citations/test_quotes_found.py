"""Where quoted words are found, in what form, and what a citation then shows: every rule at its bound."""

from __future__ import annotations

import pytest

from quaestor.answers.citations.citation_marks import Passage
from quaestor.answers.citations.quote_match import Match, find, find_nearest, is_distinctive
from quaestor.answers.citations.verify import check_quote, verify

TEXT = "one two\nthree four\nfive six\n"


def found(quote: str, text: str, start: int = 0, end: int | None = None) -> tuple[str, bool] | None:
    match = find(quote, text, start, end)
    return None if match is None else (text[match.start : match.end], match.exact)


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("two three", TEXT, ("two\nthree", False)),
        ("two\nthree", TEXT, ("two\nthree", True)),
        ("two\nthree", "two\r\nthree", ("two\r\nthree", True)),
        ("TWO", TEXT, ("two", False)),
        ("wo", "one two", ("wo", True)),
        ("WO", "one two", None),
        ("", TEXT, None),
        ("...", TEXT, None),
        ("a - b", "a — b", ("a — b", False)),
        ("it's", "it’s", ("it’s", False)),
        ('"x"', "«x»", ("«x»", False)),
        ("**bold** words", "bold words", ("bold words", False)),
        ("bold words", "**bold** words", ("bold** words", False)),
        ("`f` calls `g`", "f calls g", ("f calls g", False)),
        ("12 | two\n13 | three", TEXT, ("two\nthree", False)),
        ("one two.", "one two", ("one two", False)),
        ("one two.", "one two .", ("one two .", False)),
        ("a b", "a\n# b", ("a\n# b", False)),
        ("a b", "a\n// b", ("a\n// b", False)),
        ("a b", "ab", None),
        ("f(a,b)", "f( a, b )", ("f( a, b )", False)),
        ("f( a )", "f(a)", ("f(a)", False)),
        ("a b c", "a c b", None),
        ("WORD by word", "word by words", None),
        ("word BY words", "sword by words", None),
        ("A # b", "a # b", ("a # b", False)),
    ],
)
def test_words_with_the_liberties_that_models_take(quote: str, text: str, expected: tuple[str, bool] | None) -> None:
    assert found(quote, text) == expected


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("one two ... five six", TEXT, ("one two\nthree four\nfive six", False)),
        ("one two […] five six", TEXT, ("one two\nthree four\nfive six", False)),
        ("one two [...] FIVE six", TEXT, ("one two\nthree four\nfive six", False)),
        ("five six ... one two", TEXT, None),
        ("one two ... six", TEXT, None),
        ("one two ... nine ten", TEXT, None),
        ("three four ...", TEXT, ("three four", False)),
        ("... three four", TEXT, ("three four", False)),
        ("three ...", TEXT, ("three", False)),
        ("one two ... one two", TEXT, None),
    ],
)
def test_parts_with_dots_between_them(quote: str, text: str, expected: tuple[str, bool] | None) -> None:
    assert found(quote, text) == expected


def test_parts_are_found_where_they_stand_first() -> None:
    text = "one two, three four, one two, three four"
    for quote in ("one two ... three four", "One two ... Three four"):
        assert find(quote, text) == Match(0, 19, exact=False)


@pytest.mark.parametrize(("letters", "near"), [(1988, True), (1989, False)])
def test_parts_far_apart_are_no_quote(letters: int, near: bool) -> None:
    text = f"one two {'x' * letters} three four"
    assert found("one two ... three four", text) == ((text, False) if near else None)


def test_only_between_the_bounds_that_are_given() -> None:
    assert found("two", TEXT, 4, 7) == ("two", True)
    assert found("two", TEXT, 5) is found("two", TEXT, 0, 6) is None
    assert found("TWO", TEXT, 4, 7) == ("two", False)
    assert found("TWO", TEXT, 5) is found("TWO", TEXT, 0, 6) is None
    assert found("one two ... five six", TEXT, 0, 20) is None


def test_the_first_place_counts_and_exact_ones_before_others() -> None:
    assert find("a b", "A B a b a b") == Match(4, 7, exact=True)
    assert find("a B", "A b a b") == Match(0, 3, exact=False)


def test_the_nearest_place_counts_where_words_stand_elsewhere() -> None:
    text = "a b c" + "." * 20 + "X" * 10 + "." * 10 + "a b c"
    start = text.index("X")
    assert find_nearest("a b c", text, start, start + 10) == Match(len(text) - 5, len(text), exact=True)
    assert find_nearest("a b c", text, 6, 10) == Match(0, 5, exact=True)
    assert find_nearest("A b c", text, start, start + 10) == Match(len(text) - 5, len(text), exact=False)
    both = "A B C" + " " * 20 + "XX a b c"
    assert find_nearest("a b c", both, 0, 5) == Match(28, 33, exact=True), "an exact one that lies further away"
    assert find_nearest("nothing there", text, 0, 5) is None
    assert find_nearest("one two ... five six", TEXT, 0, 0) == Match(0, len(TEXT) - 1, exact=False)
    overlapping = "aaa"
    assert find_nearest("aa", overlapping, 3, 3) == Match(1, 3, exact=True)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("abcdefghijkl", True),
        ("abcdefghijk", False),
        ("abcdef ghijk", False),
        ("abcdef ghijkl", True),
        ("a b c d", True),
        ("a b c", False),
        ("a, b. c!", False),
        ("_x_ (y) z w", True),
        ("!!!!!!!!!!!!!!!", False),
    ],
)
def test_quotes_long_enough_to_mean_something_elsewhere(quote: str, expected: bool) -> None:
    assert is_distinctive(quote) == expected


def test_quotes_of_very_many_signs_are_looked_for_as_they_are_only() -> None:
    words = " ".join(["x"] * 401)
    assert found(words, words) == (words, True)
    assert found(words.upper(), words) is None
    assert found(words.upper()[:799], words) == (words[:799], False)


# --- what a citation shows ----------------------------------------------------------------------------------------

LINES = [f"line {number} holds the word w{number}w" for number in range(1, 11)]
DATA = "\n".join(LINES).encode()
FARM_DATA = b"the kayak is painted blue\nzebras sleep at noon\nseven lakes freeze in winter\n"
FARM = Passage(1, "farm.txt", 1, 3, "")
PASSAGE = Passage(3, "a.txt", 4, 6, "", title="Title", symbol="symbol_of_it", url="https://a.example/")


def test_where_words_stand_and_what_is_said_of_them() -> None:
    here = check_quote(PASSAGE, "the word w5w", lambda _: DATA)
    assert (here.n, here.path, here.start_line, here.end_line) == (3, "a.txt", 5, 5)
    assert (here.quote, here.status, here.url) == ("the word w5w", "verified", "https://a.example/")
    over = check_quote(PASSAGE, "w5w\nline 6", lambda _: DATA)
    assert (over.start_line, over.end_line, over.status) == (5, 6, "verified")
    whole_line = check_quote(PASSAGE, "line 5 holds the word w5w\n", lambda _: DATA)
    assert (whole_line.start_line, whole_line.end_line) == (5, 5), "its end belongs to it"
    beyond = check_quote(PASSAGE, "w6w\nline 7 holds", lambda _: DATA)
    assert (beyond.start_line, beyond.end_line, beyond.status) == (6, 7, "repaired")
    before = check_quote(PASSAGE, "holds the word w3w", lambda _: DATA)
    assert (before.start_line, before.status) == (3, "repaired")
    nowhere = check_quote(PASSAGE, "holds the word w11w", lambda _: DATA)
    assert (nowhere.start_line, nowhere.end_line, nowhere.status) == (4, 6, "unverified")
    assert (nowhere.quote, nowhere.url) == ("holds the word w11w", "https://a.example/")


@pytest.mark.parametrize(
    ("first", "last", "verified"), [(4, 4, True), (5, 5, False), (3, 3, False), (4, 99, True), (0, 3, False)]
)
def test_only_the_cited_lines_verify(first: int, last: int, verified: bool) -> None:
    found = check_quote(Passage(1, "a.txt", first, last, ""), "holds the word w4w", lambda _: DATA)
    assert found.status == ("verified" if verified else "repaired")


def test_words_of_another_passage_are_found_there_with_its_address() -> None:
    other = Passage(4, "b.txt", 1, 1, "", url="https://b.example/")
    files = {"a.txt": DATA, "b.txt": b"these words stand in the other file"}
    [citation] = verify('So [3: "words stand in the other file"].', [PASSAGE, other], files.get).citations
    assert (citation.n, citation.path, citation.url) == (3, "b.txt", "https://b.example/")
    assert (citation.status, citation.start_line, citation.end_line) == ("repaired", 1, 1)
    assert citation.quote == "words stand in the other file"


def test_each_document_is_read_once() -> None:
    read: list[str] = []

    def reader(path: str) -> bytes:
        read.append(path)
        return DATA

    passages = [PASSAGE, Passage(4, "a.txt", 1, 2, ""), Passage(5, "b.txt", 1, 2, "")]
    verify('So [3: "w5w"], [4: "w1w"] and line two holds the word w2w [5], [3: "not there at all"].', passages, reader)
    assert read == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("length", "shown"),
    [(400, 400), (401, 398)],
)
def test_long_quotes_are_shown_up_to_a_word(length: int, shown: int) -> None:
    text = ("ab " * 200)[: length - 1] + "c"
    found = check_quote(Passage(1, "x", 1, 1, ""), text, lambda _: text.encode())
    assert (len(found.quote), found.status) == (shown, "verified")
    assert text.startswith(found.quote)


def test_long_quotes_are_shown_up_to_a_line_or_cut() -> None:
    text = "first line here\n" + "second and third words " * 30
    assert check_quote(Passage(1, "x", 1, 2, ""), text, lambda _: text.encode()).quote == "first line here"
    solid = "x" * 500
    assert check_quote(Passage(1, "x", 1, 1, ""), solid, lambda _: solid.encode()).quote == "x" * 400


def test_a_bare_number_after_quoted_words_is_judged_by_its_sentence_where_they_are_missing() -> None:
    """Words in quote marks before a bare number may be a name, or said by somebody."""
    [inside] = verify('The word w5w is held: [3: "nobody says this here"].', [PASSAGE], lambda _: DATA).citations
    assert inside.status == "unverified"
    [before] = verify('Zebras sleep at noon, "so to say" [1].', [FARM], lambda _: FARM_DATA).citations
    assert (before.status, before.quote) == ("verified", "zebras sleep at noon")
    [small] = verify('Zebras sleep at noon [1: "at"].', [FARM], lambda _: FARM_DATA).citations
    assert (small.status, small.quote) == ("verified", "zebras sleep at noon"), "of small words alone nothing is shown"
    [signs] = verify('So it is [3: "=="].', [Passage(3, "a.txt", 1, 1, "")], lambda _: b"a == b").citations
    assert (signs.status, signs.quote) == ("verified", "==")


def test_a_claim_is_the_clause_before_its_mark() -> None:
    answer = "The kayak is painted blue [1], and zebras sleep at noon [1]."
    assert quotes(answer) == [(1, "the kayak is painted blue"), (1, "zebras sleep at noon")]
    # Marks in a row support the same clause.
    assert quotes("Zebras sleep at noon [1], [2].") == [(1, "zebras sleep at noon"), (2, "zebras sleep at noon")]
    # A clause that says little is its whole sentence.
    assert quotes("Zebras sleep at noon [1], too [2].") == [(1, "zebras sleep at noon"), (2, "zebras sleep at noon")]
    assert quotes("[1] Zebras sleep at noon.") == [(1, "zebras sleep at noon")]


def quotes(answer: str) -> list[tuple[int, str]]:
    passages = [FARM, Passage(2, "farm.txt", 2, 3, "")]
    found = verify(answer, passages, lambda _: FARM_DATA).citations
    assert all(one.status == "verified" for one in found)
    return [(one.n, one.quote) for one in found]


def test_what_is_told_once() -> None:
    answer = (
        'So [3: "w5w"]. Again [3: "w5w"]. And [9], [9], [8]. The moon is made of cheese. The moon  is made of cheese.'
    )
    found = verify(answer, [PASSAGE], lambda _: DATA)
    assert len(found.citations) == 1
    assert found.unknown == (9, 8)
    assert len([one for one in found.unsupported if "moon" in one.text]) == 1
    assert verify(answer, [PASSAGE], lambda _: DATA, claims=False).unsupported == ()


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ('- `pyproject.toml`: requires-python = "\\>=3.10,\\<4" [1]', 'requires-python = ">=3.10,<4"'),
        ("- `README.md`: It is quick :) It's written in … [1]", "It is quick :) It's written in pure Python, for you."),
        ("- `Makefile`: t: [1], also `tn`", "t:"),
        ("- `a.h`: `#define f() g()` [1]", "#  define   f() g()"),
    ],
    ids=["escaped markup", "cut within a sentence", "one letter", "other blanks"],
)
def test_words_in_a_row_are_found_in_an_answer_of_quotes(answer: str, line: str) -> None:
    passages = [Passage(1, "a", 1, 1, line)]
    [found] = verify(answer, passages, {"a": f"{line}\n".encode()}.get, claims=False).citations
    assert (found.status, found.quote) == ("verified", line)
    changed = {"a": b"Nothing of this stands here now.\n"}.get
    assert [one.holds for one in verify(answer, [Passage(1, "a", 1, 1, line)], changed, claims=False).citations] == [
        False
    ]
    # A model's words may stand anywhere.
    [found] = verify("No. [1]", [Passage(1, "a", 1, 1, "No boat.")], {"a": b"No boat.\n"}.get).citations
    assert not found.holds


def test_a_claims_lines_are_those_of_the_file_now() -> None:
    passage = Passage(1, "farm.txt", 2, 4, "", url="https://a.example/")
    [citation] = verify("Zebras sleep at noon [1].", [passage], lambda _: b"a new first line\n" + FARM_DATA).citations
    assert (citation.start_line, citation.end_line, citation.quote) == (3, 3, "zebras sleep at noon")
    assert (citation.path, citation.url) == ("farm.txt", "https://a.example/")
    indented = FARM_DATA.replace(b"zebras", b"    zebras")
    [inside] = verify("Zebras sleep at noon [1].", [FARM], lambda _: indented).citations
    assert inside.quote == "    zebras sleep at noon", "blanks before it are the file's own"
    [gone] = verify("Zebras sleep at noon [1].", [passage], lambda _: None).citations
    assert (gone.status, gone.quote, gone.start_line, gone.end_line) == ("unverified", "", 2, 4)
