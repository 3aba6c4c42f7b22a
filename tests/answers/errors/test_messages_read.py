"""How a pasted message and a trace are read, and which lines of code and of documents they are compared with."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from quaestor.answers.errors.explain_error import _count_common_names, _is_of_its_package, _parts
from quaestor.answers.errors.message_templates import (
    Message,
    _holds_verbatim,
    _is_most_of_it,
    _is_sure,
    _stretches,
    is_pasted,
    stands_behind,
)
from quaestor.answers.errors.template_agreement import Agreement, lines_with, words_of_line
from quaestor.answers.errors.traces import Frame, Trace, read_trace
from quaestor.core.documents import Document
from quaestor.related.stored_files import IndexedFile


def file_of(path: str, language: str, lines: Sequence[str]) -> IndexedFile:
    return IndexedFile(Document(path, "", 1, 0, language), (), "\n".join(lines), [*lines])


def test_lines_that_hold_a_word_are_found_in_any_case_and_anywhere() -> None:
    assert lines_with(["ab", "z"], "xx\nAB ab\nab\n\nz") == {1, 2, 4}
    assert lines_with(["q"], "a") == lines_with([], "a") == frozenset()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('x = "cannot open it"', ("cannot", "open", "it")),
        ('x = "cannot"', ("cannot",)),
        ("cannot open it", ("cannot", "open", "it")),
        ("  ValueError: if it is gone", ()),
        ("# a comment here", ()),
        ('#include "sea/wide-open.h"', ()),
        ("from 'sea/wide-open.js'", ()),
        ("ab " * 333 + "a", ("ab",) * 333 + ("a",)),
        ("ab " * 333 + "ab", ()),
    ],
)
def test_a_line_may_print_its_literals_or_all_of_its_words(line: str, words: tuple[str, ...]) -> None:
    assert words_of_line(line) == words


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("2026-11-02T08:14:55Z ERROR [pool-1] the rope slipped", ["pool-1] the rope slipped"]),
        ("WARN  no wind", ["no wind"]),
        (
            '"type": "bad rope", "detail": "too short"',
            ['type": "bad rope", "detail": "too short', "bad rope", "too short", '"bad rope", "detail": "too short"'],
        ),
        ("plain", []),
        ("it's 'quite a long part' here", ["quite a long part"]),
        (
            'Error: no "big boats here" at /srv/x/y: gone',
            [
                'Error: no "big boats here" at  : gone',
                "big boats here",
                'no "big boats here" at /srv/x/y: gone',
            ],
        ),
    ],
)
def test_parts_of_a_line_may_be_the_whole_message(line: str, parts: Sequence[str]) -> None:
    assert [*_stretches([line])] == [line, *parts]


def test_what_prints_nothing_of_its_own_is_known_by_its_path() -> None:
    behind = [
        "tests/a.py",
        "a/Tests/b.swift",
        "a/FooTests/b.swift",
        "a/TestFoo/x.swift",
        "vendor/x/a.c",
        "CHANGELOG.md",
    ]
    assert [stands_behind(path) for path in behind] == [True] * 6
    assert [stands_behind(path) for path in ("src/a.c", "src/testing.c", "contest/a.c")] == [False] * 3


@pytest.mark.parametrize(
    ("text", "pasted"),
    [
        ("a\nb", True),
        ("why is it?", False),
        ('why does it say "cannot open it"', True),
        ('how come "all is well"', True),
        ("how come: one two three fails", True),
        ("how come: one two three", False),
        ("it fails", True),
        ("see boat.py", False),
        ("x: a b c", True),
        ("plain words?", False),
        ("The rope is gone. Did you cut it?", True),
        ("Could not moor the boat", True),
        ("Does not float", True),
        ("could it float", False),
        ("in @sea/boat nothing floats", True),
        ("plain words", True),
        ("look at /srv/boat.py", True),
        ("look at _boat.py", True),
    ],
)
def test_what_may_be_a_message(text: str, *, pasted: bool) -> None:
    assert is_pasted(text) == pasted


@pytest.mark.parametrize(
    ("text", "path", "names", "of_it"),
    [
        ("package org.sea;\nclass Boat {}", "Boat.java", ("org", "sea", "Boat", "row"), True),
        ("package org.sea;", "Boat.java", ("org", "air", "Boat", "row"), False),
        ("package sea;", "Boat.java", ("sea", "Boat", "row"), True),
        ("package org.sea", "Boat.java", ("sea", "Boat", "row"), True),
        ("class Boat {}", "Boat.java", ("org", "sea", "Boat", "row"), None),
        ("package org.sea;", "Boat.java", ("Boat", "row"), None),
        ("package org.sea;", "src/Boat.java", ("sea", "Boat", "row"), None),
        ("package org.sea;", "", ("sea", "Boat", "row"), None),
    ],
)
def test_a_frame_without_a_folder_is_of_its_package(
    text: str, path: str, names: tuple[str, ...], of_it: bool | None
) -> None:
    assert _is_of_its_package(file_of("src/Boat.java", "java", text.split("\n")), Frame(path, 3, names)) == of_it


def test_a_script_is_the_same_whatever_its_ending() -> None:
    paths = ["a/b.ts", "b.js", "/a/b.py", "A/B.C", "a/b"]
    assert [_parts(path) for path in paths] == [["a", "b"], ["b"], ["a", "b.py"], ["a", "b.c"], ["a", "b"]]
    pairs = [("a/b.ts", "x/a/b.js"), ("a/b.py", "b.py"), ("c/b.py", "a/b.py"), ("a/b.py", "a/c.py")]
    assert [_count_common_names(*pair) for pair in pairs] == [2, 1, 1, 0]


TRACES = {
    '  File "a/b.py", line 3, in go\n    go()\nValueError: no': Trace(
        (Frame("a/b.py", 3, ("go",), "go()"),), ("ValueError: no",)
    ),
    "Error: x\n    at Boat.row (src/boat.js:3:5)\n    at async sail (sea.js:9:1)": Trace(
        (Frame("src/boat.js", 3, ("Boat", "row")), Frame("sea.js", 9, ("sail",))), ("Error: x",)
    ),
    "boat.c:12: cannot row": Trace((Frame("boat.c", 12, ()),), (": cannot row",)),
    "#1 Boat.row()\n#2 0x0 in Sea.sail": Trace(
        (Frame("", None, ("Boat", "row")), Frame("", None, ("Sea", "sail"))), ()
    ),
    "main.row(0x1)\n\t/src/boat.go:7 +0x2": Trace((Frame("/src/boat.go", 7, ("main", "row")),), ()),
    "==7== at 0x1: row (boat.c:4)": Trace((Frame("boat.c", 4, ("row",)),), ()),
    "thread 'main' panicked at 'no', src/a.rs:2:5": Trace(
        (Frame("src/a.rs", 2, ()),), ("thread 'main' panicked at 'no', :5",)
    ),
    '#0 row (why=0x1 "it is so far") at boat.c:4\n~~^^': Trace((Frame("boat.c", 4, ("row",)),), ("it is so far",)),
    r"C:\boats\row.py:3: gone": Trace((Frame("C:/boats/row.py", 3, ()),), (": gone",)),
    "plain words\n\n  more": Trace((), ("plain words", "more")),
}


@pytest.mark.parametrize("text", TRACES)
def test_traces_of_many_languages(text: str) -> None:
    assert read_trace(text) == TRACES[text]


def test_only_both_ends_of_a_long_trace_are_read() -> None:
    read = [read_trace("\n".join(f"line {n}" for n in range(most))).messages for most in (600, 601)]
    assert [len(one) for one in read] == [600, 600]
    assert (read[1][0], read[1][299], read[1][300], read[1][-1]) == ("line 0", "line 299", "line 301", "line 600")
    assert [len(read_trace("x" * more).messages[0]) for more in (600, 601)] == [600, 600]
    assert len(read_trace(f"  at {' '.join(['a.b'] * 40)} (c.js:1:1)").frames[0].names) == 30


def message_of(text: str, *, sentence: bool, marked: bool) -> Message:
    words = tuple(text.split())
    return Message(words, (words,), dict.fromkeys(words, 1.0), {}, sentence, marked)


PLAIN, FAULTY = "letters of the ferry are wet", "letters of the ferry are missing"


@pytest.mark.parametrize(
    ("text", "sentence", "marked", "by_frame", "words", "of_template", "of_message", "of_span", "most"),
    [
        # Code that no frame points at.
        (PLAIN, True, True, False, 9, 1.0, 0.6, 1.0, True),
        (PLAIN, True, True, False, 9, 1.0, 0.59, 1.0, False),
        # A sentence that tells of no fault and quotes nothing must be nearly all of it.
        (PLAIN, True, False, True, 4, 0.75, 0.9, 0.0, True),
        (PLAIN, True, False, True, 4, 0.75, 0.89, 1.0, False),
        (FAULTY, True, False, True, 4, 0.75, 0.5, 0.0, True),
        (FAULTY, True, False, True, 3, 1.0, 1.0, 1.0, False),
        (FAULTY, True, False, True, 4, 0.74, 1.0, 1.0, False),
        # One that quotes something, half of it; or all of a template within half of a stretch.
        (PLAIN, True, True, True, 3, 0.1, 0.5, 0.0, True),
        (PLAIN, True, True, True, 3, 0.75, 0.1, 0.5, True),
        (PLAIN, True, True, True, 3, 0.74, 0.49, 1.0, False),
        (PLAIN, True, True, True, 3, 1.0, 0.49, 0.49, False),
        # A log of several lines, less of it, or half of its heaviest line.
        (PLAIN, False, False, True, 1, 0.0, 0.3, 0.0, True),
        (PLAIN, False, False, True, 1, 0.0, 0.29, 0.0, False),
    ],
)
def test_so_much_of_a_message_is_no_chance(
    text: str,
    *,
    sentence: bool,
    marked: bool,
    by_frame: bool,
    words: int,
    of_template: float,
    of_message: float,
    of_span: float,
    most: bool,
) -> None:
    agreed = Agreement(0.0, words, of_template, of_message, of_span)
    assert _is_most_of_it(message_of(text, sentence=sentence, marked=marked), agreed, by_frame=by_frame) == most


def test_half_of_the_heaviest_line_of_a_log_is_no_chance() -> None:
    log = message_of(PLAIN, sentence=False, marked=False)
    for weight, most in ((3.0, True), (2.9, False)):
        assert _is_most_of_it(log, Agreement(weight, 1, 0.0, 0.0, 0.0), by_frame=True) == most


@pytest.mark.parametrize(
    ("words", "of_template", "line", "marked", "sure"),
    [
        (3, 0.55, (9, 0.5, 1.0), False, True),
        (2, 1.0, (9, 1.0, 1.0), True, False),
        (3, 0.54, (9, 1.0, 1.0), True, False),
        # All fixed words in order, of a message that is mostly values.
        (3, 0.55, (5, 1.0, 0.0), True, True),
        (3, 0.55, (5, 1.0, 0.0), False, False),
        (3, 0.55, (4, 1.0, 0.0), True, False),
        (3, 0.55, (5, 0.99, 0.0), True, False),
    ],
)
def test_a_template_agrees_surely(
    words: int, of_template: float, line: tuple[int, float, float], *, marked: bool, sure: bool
) -> None:
    message = message_of(PLAIN, sentence=False, marked=marked)
    agreed, by_line = Agreement(0.0, words, of_template, 0.0, 0.0), Agreement(0.0, *line, 0.0)
    assert _is_sure(message, agreed, by_line, by_frame=True) == sure


def test_a_template_holds_five_words_in_a_row() -> None:
    line = ("the", "ferry", "is", "full", "now")
    assert _holds_verbatim(("so", *line, "and"), line)
    assert not _holds_verbatim(line[:4], line[:4])
    assert not _holds_verbatim(("the", "ferry", "is", "quite", "full", "now"), line)
    assert not _holds_verbatim(("lathe", *line[1:]), line)
