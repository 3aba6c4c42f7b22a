"""Ways to answer, over a small repository in several languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shop_repository import checked_answer, open_repository, places, text_of

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way, may_ask_history


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with open_repository(tmp_path_factory.mktemp("ways")) as index:
        yield index


def test_callers_are_counted_quoted_and_tests_stand_behind(index: Index) -> None:
    answer = checked_answer(index, "who calls send_with_retry?")
    assert answer.way == "callers"
    assert places(answer) == [
        ("shop/orders.py", 6),
        ("shop/orders.py", 9),
        ("shop/retry.py", 23),
        ("tests/test_retry.py", 5),
        ("shop/retry.py", 8),
    ]
    assert "is used at 3 places in 2 files and at 1 place in 1 file in tests" in text_of(answer)
    assert "(`Client.fetch`)" in text_of(answer)


def test_tests_come_first_where_they_are_asked_for(index: Index) -> None:
    assert places(checked_answer(index, "which tests cover send_with_retry?"))[0] == ("tests/test_retry.py", 5)
    assert all(
        not path.startswith("tests/")
        for path, _ in places(checked_answer(index, "who uses send_with_retry outside tests?"))
    )


def test_what_a_file_is_used_by_and_what_a_function_calls(index: Index) -> None:
    assert ("shop/orders.py", 1) in places(checked_answer(index, "what depends on shop/retry.py?"))
    assert "`seconds_of` (`shop/clock.py:4`)" in text_of(checked_answer(index, "what does send_with_retry call?"))


def test_a_name_with_a_slip_is_taken_for_the_nearest(index: Index) -> None:
    answer = checked_answer(index, "who calls send_with_rertry?")
    assert "`send_with_rertry` occurs nowhere here; this is about `send_with_retry`" in text_of(answer)


def test_a_name_that_only_a_changelog_knows_is_quoted_from_there(tmp_path: Path) -> None:
    files = {
        "CHANGELOG.md": "# Changes\n\n## 2.0\n\n- `_concatValue()` is called `_collectValue()` now\n- other things\n",
        "lib/command.js": "class Command {\n  _collectValue(value) {\n    return [value];\n  }\n}\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        answer = checked_answer(index, "who calls _concatValue?")
    assert answer.known
    assert text_of(answer).startswith("No code in this corpus uses or defines `_concatValue`. It is mentioned here:")
    assert places(answer) == [("CHANGELOG.md", 5)]


def test_a_name_that_stands_nowhere_is_said_to(index: Index) -> None:
    answer = checked_answer(index, "who calls reticulate_splines?")
    assert not answer.known
    assert "occurs nowhere" in text_of(answer)


def test_a_plain_word_that_is_no_name_here_is_searched_for(index: Index) -> None:
    assert answer_by_way(Question("who calls sourdough?"), index) is None


def test_what_uses_a_name_in_a_test_beside_it_stands_behind(tmp_path: Path) -> None:
    """In Rust a test needs no module of its own."""
    code = "pub fn plane(board: u8) -> u8 {\n    board\n}\n\n#[test]\nfn boards_are_planed() {\n    plane(1);\n}\n"
    files = {"src/plane.rs": code, "src/deck.rs": "use crate::plane::plane;\n\nfn deck() {\n    plane(2);\n}\n"}
    with index_of(tmp_path / "yard", files) as index:
        answer = checked_answer(index, "who calls plane?")
        assert places(answer) == [("src/deck.rs", 4), ("src/plane.rs", 7), ("src/plane.rs", 1)]
        assert "and at 1 place in 1 file in tests" in text_of(answer)


def test_what_a_file_or_a_name_is(index: Index) -> None:
    answer = checked_answer(index, "what does /opt/venv/site-packages/shop/queues.py do?")
    assert answer.way == "names"
    assert places(answer) == [("shop/queues.py", 1)]
    assert "`find` (8)" in text_of(answer)
    answer = checked_answer(index, "what is QueueNotFound?")
    assert places(answer) == [("shop/queues.py", 4)]
    answer = checked_answer(index, "docs/trouble.md")
    assert places(answer) == [("docs/trouble.md", 5)]
    assert "`Queues` (3)" in text_of(answer)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("queueNotFound", "QueueNotFound"),
        ("queue_not_found", "QueueNotFound"),
        ("what is QUEUE_NOT_FOUND?", "QueueNotFound"),
        ("QueueNotFuond", "QueueNotFound"),
        ("where is SendWithRetry defined?", "send_with_retry"),
    ],
)
def test_a_name_in_another_style_or_with_a_slip_is_said_to_be_and_explained(
    index: Index, asked: str, name: str
) -> None:
    answer = checked_answer(index, asked)
    assert f"is defined nowhere here; the nearest name is `{name}`." in text_of(answer)
    assert answer.hits[0].symbol == name


def test_a_question_about_one_file_is_answered_from_it(index: Index) -> None:
    answer = checked_answer(index, "shop/queues.py: when is an error raised?")
    assert {hit.path for hit in answer.hits} == {"shop/queues.py"}


@pytest.mark.parametrize(
    "text",
    ["what is missing.py?", "what is QueueLost?", "explain sourdough", "how long does the dough rest?", "/etc/passwd"],
)
def test_what_is_not_here_is_searched_for(index: Index, text: str) -> None:
    assert answer_by_way(Question(text), index) is None


def test_asking_back_at_the_beginning_only(index: Index) -> None:
    answer = checked_answer(index, "and how do I turn that off?")
    assert not answer.known
    assert answer_by_way(Question("and how do I turn that off?", ("what sends again?",)), index) is None


def test_only_the_beginning_of_a_question_tells_whether_it_is_about_history() -> None:
    assert may_ask_history("x" * 396 + "gone")
    assert not may_ask_history("x" * 397 + "gone")


def test_an_answer_says_by_which_way_it_was_found(index: Index) -> None:
    questions = {"who calls send_with_retry?": "callers", "what is send_with_retry?": "names"}
    for question, way in questions.items():
        answer = answer_by_way(Question(question), index)
        assert answer is not None and answer.way == way
