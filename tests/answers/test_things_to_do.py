"""What somebody wants to do, said without a question: "run the tests" is answered as "How do I run the tests?" is."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

FILES = {
    "README.md": "# Shop\n\nSells bread.\n\n## Creating a new stall\n\nRun `shop new` and wait for the baker.\n\n"
    "## Tests\n\n    make check\n",
    "Makefile": "check:\n\ttrue\n",
    "CHANGES": "## 1.2\n\nBread is sold.\n",
    "shop.toml.example": "till_size = 3\n",
    "shop.py": "def sell():\n    return 'bread'\n",
}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("run the tests", "How do I run the tests?"),
        ("Please run test suite", "how do I run the test suite"),
        ("create a new stall", "How do I create a new stall?"),
        ("test command", "How do I run the tests?"),
        ("what is the test command", "How do I run the tests?"),
        ("Changelog", "Is there a changelog?"),
        ("default till size", "What is the default till size?"),
        ("latest version", "What is the latest version?"),
    ],
)
def test_it_is_answered_as_the_question_how(tmp_path: Path, said: str, asked: str) -> None:
    with index_of(tmp_path / "shop", FILES) as index:
        answer, same = (answer_by_way(Question(text), index) for text in (said, asked))
    assert answer is not None and same is not None
    assert (answer.way, answer.pieces) == (same.way, same.pieces)


@pytest.mark.parametrize(
    "said",
    [
        "run",
        "run by sell",
        "sell the tests",
        "create a new stall\nand a cart",
        "roadmap",
        "default hat",
        "create a new stall in the market of the town where all of us live now",
    ],
)
def test_other_words_are_left_to_a_search(tmp_path: Path, said: str) -> None:
    with index_of(tmp_path / "shop", FILES) as index:
        assert answer_by_way(Question(said), index) is None
