"""Which questions ask for what is in a file."""

from __future__ import annotations

import pytest

from quaestor.answers.project.named_documents import read_file_question


def test_a_question_about_a_file_is_one_line() -> None:
    assert read_file_question("What does src/a.py say of keys?") is not None
    assert read_file_question("What does src/a.py say\nof keys?") is None


def test_a_trace_is_no_question_about_its_file() -> None:
    assert read_file_question('File "ferry/boat.py", line 3, in carry') is None


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("what does src/a.py say of keys?", ("src/a.py", "what does say of keys")),
        ("src/a.py: which keys are there?", ("src/a.py", "which keys are there")),
        ("`boat.py` - which keys are there?", ("boat.py", "which keys are there")),
        ("how does boat.py change the keys?", None),
        ("what is src/a.py", None),
        ("what does v1.2/config say of keys?", None),
        ("src/a.py and src/b.py and keys", None),
    ],
)
def test_a_question_about_what_is_in_a_file(text: str, asked: tuple[str, str] | None) -> None:
    assert read_file_question(text) == asked


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("`desk.py` - what does it import?", ("desk.py", "what does it import")),
        ("Xray.py: where is it read?", ("Xray.py", "where is it read")),
        ("Where in `desk.py` is the port read?", None),
    ],
)
def test_a_question_may_begin_with_a_file(text: str, read: tuple[str, str] | None) -> None:
    assert read_file_question(text) == read
