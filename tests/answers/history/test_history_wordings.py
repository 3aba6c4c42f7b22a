"""Commits that speak of something in other words than the question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from history_repository import Repository
from quaestor import Index
from quaestor.answers.history.find_subject import best_of
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
    assert best_of("Python 2 support", texts, "drop") == [1]
    assert best_of("Python 2 support", texts[2:], "drop") == [0]
    assert best_of("Python 3.7 support", texts, "drop") == [0]


def test_what_says_most_of_it_comes_first() -> None:
    texts = ["Rework the layout of orders", "Add an umbrella layout of orders", "Fix a typo"]
    assert best_of("umbrella layout of orders", texts, "add")[0] == 1
    assert best_of("of the", texts, "add") == []


def test_what_has_all_of_the_words_and_the_verb_comes_before_what_is_shorter() -> None:
    texts = ["Add the ferry bell", "Take away the ferry bell, for nobody hears it among so many gulls"]
    assert best_of("ferry bell", texts, "take away")[0] == 1
    assert best_of("ferry bell", texts, "add")[0] == 0


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When was bell.sh renamed?", "`bell.sh` went with"),
        ("When was new.py renamed?", "`new.py` was renamed by"),
        ("When was old.py renamed?", "`old.py` was renamed to `new.py` by"),
        ("What happened to old.py?", "`old.py` was renamed to `new.py` by"),
        ("Where did bell.sh go?", "`bell.sh` went with"),
        ("Is bell.sh gone?", "`bell.sh` went with"),
        ("What happened to tea.sh?", None),
        ("Where did tea.sh go?", None),
        ("When was README.md renamed?", None),
        ("When was README.md removed?", None),
    ],
)
def test_only_what_was_renamed_was_renamed(tmp_path: Path, question: str, told: str | None) -> None:
    made = Repository(tmp_path / "shop")
    made.commit(
        "Begin", {"bell.sh": "ring\n", "README.md": "# Shop\n", "old.py": "def order():\n    return 1\n"}, "2020-01-01"
    )
    (tmp_path / "shop" / "bell.sh").unlink()
    made.commit("Drop the bell", {}, "2020-02-01")
    (tmp_path / "shop" / "old.py").rename(tmp_path / "shop" / "new.py")
    made.commit("Move orders", {}, "2020-03-01")
    with Index.build(tmp_path / "shop") as index:
        answer = answer_history(Question(question), index)
        assert (told is None) == (answer is None)
        assert answer is None or told is None or told in answer.text([1, 2, 3])


def test_a_file_came_when_it_was_added_whatever_else_names_it(tmp_path: Path) -> None:
    made = Repository(tmp_path / "shop")
    made.commit("Begin", {"Makefile": "all:\n", "ui/BellTower.kt": "fun ring() = 1\n"}, "2020-01-01", "Ana")
    made.commit("Pour tea", {"tea.c": "int tea;\n", "quay.c": "int quay;\n"}, "2020-02-01", "Fred")
    made.commit("Build all", {"Makefile": "all: tea.c quay.c\n"}, "2020-03-01", "Rita")
    made.commit("Speak of tea.c", {"quay.c": "int quay; /* tea.c */\n"}, "2020-04-01", "Rita")
    with Index.build(tmp_path / "shop") as index:
        for question, told in (
            ("When was tea.c added and why?", "2020-02-01"),
            ("When was BellTower added?", "2020-01-01"),
        ):
            answer = answer_history(Question(question), index)
            assert answer is not None and f"of {told}" in answer.text([1, 2, 3]), question


def test_a_version_may_be_that_of_one_package(tmp_path: Path) -> None:
    made = Repository(tmp_path / "shop")
    log = "# Changes\n\n## 2.0.0\n\n- {0} leak no more.\n- {0} are longer.\n\n## 1.0.0\n\n- First.\n"
    made.commit(
        "Begin",
        {
            "packages/oar/CHANGELOG.md": log.format("Oars"),
            "packages/sail/CHANGELOG.md": log.format("Sails") + "- More.\n",
        },
        "2020-01-01",
    )
    with Index.build(tmp_path / "shop") as index:
        for asked, told in (("@shop/oar", "Oars"), ("sail", "Sails"), ("shop", "")):
            answer = answer_history(Question(f"What changed in {asked} 2.0.0?"), index)
            assert answer is not None and f"{told} leak no more" in answer.text([1, 2, 3]), asked
        assert answer_history(Question("What changed in Python 2.0.0?"), index) is None
