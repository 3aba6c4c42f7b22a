"""A message that one literal prints whole is found by that, however short; what raises it, and frames of traces."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_of_files import index_of
from quaestor.answers.errors.explain_error import answer_error
from quaestor.answers.errors.message_templates import statement_to
from quaestor.answers.errors.template_agreement import prints
from quaestor.answers.errors.traces import read_trace
from quaestor.answers.way import Question

words = st.sampled_from("harbour vessel lantern mooring captain anchor".split())
values = st.text("abcXYZ09 ./:_-", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(
    fixed=st.lists(words, min_size=2, max_size=5),
    value=values,
    at=st.integers(0, 5),
    style=st.sampled_from(["{x}", "%s", "#{x.y}", "${x}"]),
)
def test_a_literal_prints_what_it_is_with_any_value(fixed: list[str], value: str, at: int, style: str) -> None:
    parts = [*fixed[:at], "\0", *fixed[at:]]
    line = 'raise Gone("' + " ".join(parts).replace("\0", style) + '")'
    assert prints(line, " ".join(parts).replace("\0", value)) > 0
    assert prints(line, " ".join(parts).replace("\0", value) + " besides") == 0 or at >= len(fixed)


@pytest.mark.parametrize(
    ("line", "message", "printed"),
    [
        ('fail "no boat"', "no boat", True),
        ('fail "no boat"', "no boat there", False),
        ('cerr << "Invalid margin: " << margin', "Invalid margin: 5", True),
        ('cerr << "Invalid margin " << margin', "Invalid margin 5", True),
        ('cerr << "Invalid margin: " << margin', "Invalid margins: 5", False),
        ('x = "{a} and {b}"', "tea and cake", False),
        ('x = "harbour closed"', "Harbour closed", False),
        ("'Anchor %s lost' % name", "Anchor  lost", False),
        ("'Anchor %s lost' % name", "Anchor a lost", True),
        ("boat", "boat", False),
    ],
)
def test_a_literal_prints_all_of_a_message_or_nothing(line: str, message: str, printed: bool) -> None:
    assert bool(prints(line, message)) is printed


def test_a_short_message_is_found_beside_many_that_share_its_words(tmp_path: Path) -> None:
    many = "".join(f"def boat{n}(kind):\n    return kind_of_boat(kind, unknown={n})\n\n\n" for n in range(200))
    files = {"many.py": many, "quay.py": "def moor(kind):\n    raise ValueError(f'Unknown kind: {kind}')\n"}
    with index_of(tmp_path / "a", files) as index:
        for text in (
            "I get this error: Unknown kind: raft",
            "[2024-03-01 12:00:01] ERROR app.main - Unknown kind: raft",
            "Shop::QuayError (Unknown kind: raft)",
            "$ moor raft\nfatal: Unknown kind: raft\nexit status 1",
        ):
            answer = answer_error(Question(text), index)
            assert answer is not None and answer.hits[0].path == "quay.py"
        assert answer_error(Question("Error: Unknown sort: raft"), index) is None


@pytest.mark.parametrize(
    ("lines", "line", "statement"),
    [
        (["raise Gone(", '  "no boat"', ")"], 2, 'raise Gone(\n  "no boat"'),
        (["raise Gone()", '"no boat"'], 2, '"no boat"'),
        (["a(", "b,", "c"], 3, "a(\nb,\nc"),
        (["one"], 1, "one"),
        (["x +"] * 20, 20, "\n".join(["x +"] * 5)),
    ],
)
def test_a_statement_begins_where_it_is_opened(lines: list[str], line: int, statement: str) -> None:
    assert statement_to(lines, line) == statement


def test_what_raises_its_message_in_several_lines_raises_it(tmp_path: Path) -> None:
    error = (
        "class BoatError(Exception):\n    def told(self):\n        if not self.boats:\n            raise TypeError(\n"
        '                "cannot tell boats when the harbour is closed for winter"\n            )\n        return 1\n'
    )
    files = {"error.py": error, "use.py": "from error import BoatError\n\n\ndef use():\n    return BoatError('a b')\n"}
    with index_of(tmp_path / "a", files) as index:
        answer = answer_error(Question("TypeError: cannot tell boats when the harbour is closed for winter"), index)
    assert answer is not None and answer.hits[0].path == "error.py"
    assert not any("It is raised here" in piece for piece in answer.pieces if isinstance(piece, str))


def test_a_method_may_be_called_as_a_word_of_traces_is() -> None:
    [java] = read_trace("\tat org.shop.Quay.from(Quay.java:86)").frames
    assert java.names[-2:] == ("Quay", "from")
    [ruby] = read_trace("\tfrom /srv/quay.rb:4:in `moor'").frames
    assert ruby.names == ("moor",)


def test_a_class_of_the_same_name_is_that_of_the_package_in_the_trace(tmp_path: Path) -> None:
    body = "public class Quay {\n  public int moor() {\n    return 1;\n  }\n}\n"
    files = {
        "a/src/org/shop/fast/harbour/Quay.java": f"package org.shop.fast.harbour;\n\n{body}",
        "b/src/org/shop/harbour/Quay.java": f"package org.shop.harbour;\n\n{body}",
    }
    with index_of(tmp_path / "a", files) as index:
        trace = "Exception: no\n\tat org.shop.harbour.Quay.moor(Quay.java:5)\n\tat org.Main.main(Main.java:9)"
        answer = answer_error(Question(trace), index)
    assert answer is not None and answer.hits[0].path == "b/src/org/shop/harbour/Quay.java"
