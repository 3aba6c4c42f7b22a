"""Commits that speak of something in other words than the question."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from history_repository import Repository
from quaestor import Index
from quaestor.answers.history_subjects import best_of
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_history


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("wordings")
    made = Repository(folder / "shop")
    made.commit("Start", {"shop.py": "ORDERS = {}\n"}, "2020-01-01")
    made.commit("Fix custom directories in the layout of orders", {"shop.py": "ORDERS = {}  # 1\n"}, "2020-02-01")
    made.commit("Fix request marshal and unMarshal of headers", {"shop.py": "ORDERS = {}  # 2\n"}, "2020-03-01")
    for number in range(1):
        made.commit(f"Tidy umbrella apps, part {number}", {"shop.py": f"ORDERS = {{}}  # t{number}\n"}, "2020-04-01")
    made.commit("Migrate to an umbrella structure", {"shop.py": "ORDERS = {}  # 3\n"}, "2021-05-06", "Fred")
    made.commit("Add map unmarshal", {"shop.py": "ORDERS = {}  # 4\n"}, "2022-07-08", "Rita")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(folder / "shop") as index:
            yield index


@pytest.mark.parametrize(
    ("question", "day", "author"),
    [
        ("When did they move to an umbrella layout?", "2021-05-06", "Fred"),
        ("Who added unmarshalling into maps, and when?", "2022-07-08", "Rita"),
    ],
)
def test_a_commit_that_means_the_same_is_found(index: Index, question: str, day: str, author: str) -> None:
    answer = answer_history(Question(question), index)
    assert answer is not None
    assert day in answer.text([1, 2, 3])
    assert author in answer.text([1, 2, 3])


@pytest.mark.parametrize("question", ["Who added quantum teleportation?", "When did they move to a paper office?"])
def test_a_matter_of_which_no_commit_speaks_is_not_told(index: Index, question: str) -> None:
    assert answer_history(Question(question), index) is None


def test_a_stem_that_is_a_beginning_of_another_is_the_same_word() -> None:
    assert best_of("unmarshalling into maps", ["Add map unmarshal", "Fix a typo"], "add") == [0]


def test_a_number_is_that_number() -> None:
    texts = ["Drop Python 3.7 support", "Drop Python 2 support", "Drop Python 2.6 support"]
    assert best_of("Python 2 support", texts, "drop") == [1, 2]
    assert best_of("Python 3.7 support", texts, "drop") == [0]


def test_what_says_most_of_it_comes_first() -> None:
    texts = ["Rework the layout of orders", "Add an umbrella layout of orders", "Fix a typo"]
    assert best_of("umbrella layout of orders", texts, "add")[0] == 1
    assert best_of("of the", texts, "add") == []
