"""What went and what was noted: last traces, notes without a commit that says so, and the parts of a version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from history_repository import Repository
from quaestor import Index
from quaestor.answers.history.history_answer import history_of
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_history

CHANGES = """# Changelog

## 2.0.0

### Breaking changes

- The ferry needs a ticket.

### Fixes

- Ropes hold.

## 1.1.0

- Removed the undocumented gull horn, its tests, and
  the dependency on brass.
- `slack_rope` mode has been renamed to `loose`.
- Add lantern light (#42)
- Deprecate the oars.

## 1.0.0

- Deprecate the sails.
- Add `tow_line()`.
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("gone")
    made = Repository(folder / "ferry")
    both = "def run(slack_rope):\n    return slack_rope\n\n\n"
    made.commit("Begin", {"ferry.py": f"{both}def horn():\n    pass\n", "README.md": "# Ferry\n"}, "2020-01-01", "Ana")
    tow = f"{both}def tow_line(rope):\n    return rope\n"
    made.commit("Rope work", {"ferry.py": tow}, "2020-02-01", "Bea")
    made.git("tag", "1.0.0")
    made.commit("Tidy", {"ferry.py": "def run(loose):\n    return loose\n"}, "2020-03-01", "Cy")
    made.commit("test: light of lanterns", {"test_light.py": "LIGHT = 1\n"}, "2020-03-02", "Dee")
    made.commit("See more at night\n\nFixes: #42", {"light.py": "LIGHT = 2\n"}, "2020-03-03", "Eve")
    made.commit("Write down what happened", {"CHANGELOG.md": CHANGES}, "2020-04-01", "Flo")
    made.git("tag", "1.1.0")
    made.commit("fix: let gulls land on the mast", {"mast.py": "GULLS = 1\n"}, "2020-05-01", "Gus")
    made.git("tag", "2.0.0")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(folder / "ferry") as index:
            yield index


def told(index: Index, question: str) -> str:
    answer = answer_history(Question(question), index)
    assert answer is not None
    return answer.text(range(1, len(answer.hits) + 1))


def test_what_only_a_changelog_still_names_is_gone_and_the_changelog_tells_it_first(index: Index) -> None:
    text = told(index, "Why was slack_rope renamed?")
    assert text.index("has been renamed to `loose`") < text.index("`slack_rope` went with")
    assert "of 2020-03-01, by Cy" in text
    assert "-def run(slack_rope):" in text


def test_a_note_without_a_commit_is_quoted_whole_with_the_commit_that_wrote_it(index: Index) -> None:
    text = told(index, "When was the gull horn removed?")
    assert "the dependency on brass" in text
    assert "That line came with" in text and "of 2020-04-01, by Flo" in text
    assert "The first tag that holds it is `1.1.0`" in text


def test_a_commit_that_closes_the_number_of_a_note_is_meant(index: Index) -> None:
    assert "of 2020-03-03, by Eve" in told(index, "Who added lantern light?")


def test_a_commit_that_only_tests_adds_nothing_and_a_fix_may_add_all(index: Index) -> None:
    assert "by Gus" in told(index, "When was it made possible to let gulls land on the mast?")
    assert "by Dee" not in told(index, "When was light of lanterns added?")


def test_what_a_thing_is_called_besides_its_name_does_not_hide_it(index: Index) -> None:
    assert "went with" in told(index, "When was the slack_rope helper removed?")


@pytest.mark.parametrize(
    ("question", "quoted", "left_out"),
    [
        ("What are the breaking changes in 2.0.0?", "needs a ticket", "Ropes hold"),
        ("What was fixed in 2.0.0?", "Ropes hold", "needs a ticket"),
        ("What changed in 2.0.0?", "Ropes hold", "lantern"),
        ("what is deprecated since 0.9?", "Deprecate the sails", "Ropes hold"),
        ("what was deprecated between 1.0.0 and 1.1.0?", "Deprecate the oars", "Deprecate the sails"),
    ],
)
def test_the_part_of_a_version_that_is_asked_for_is_quoted(
    index: Index, question: str, quoted: str, left_out: str
) -> None:
    text = told(index, question)
    assert quoted in text
    assert left_out not in text


def test_what_was_noted_of_another_version_than_it_came_with_is_not_told(tmp_path: Path) -> None:
    made = Repository(tmp_path / "ferry")
    made.commit("Begin", {"ferry.py": "def tow_line(rope):\n    return rope\n"}, "2020-01-01")
    made.git("tag", "1.0.0")
    notes = "# Changelog\n\n## 2.0.0\n\n- Add gulls to what `tow_line()` ignores.\n\n## 1.0.0\n\n- First.\n"
    made.commit("Note", {"CHANGELOG.md": notes}, "2020-02-01")
    with Index.build(tmp_path / "ferry") as index:
        text = told(index, "When was tow_line added?")
        assert "`tow_line` came with" in text
        assert "gulls" not in text


def test_that_no_commit_of_a_period_speaks_of_something_is_said(index: Index) -> None:
    assert told(index, "has anything about gulls changed since 2021?") == (
        "There are no commits that speak of `gulls` since 2021-01-01."
    )


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """A repository whose files were deleted, moved with their folder, moved by a merge, and brought back."""
    folder = tmp_path_factory.mktemp("moved")
    made = Repository(folder / "shop")
    body = "".join(f"def moor_{n}():\n    return {n}\n\n\n" for n in range(9))
    files = {"shop/quay.py": body, "shop/old/rope.py": "ROPE = 1\n", "setup.py": "S = 1\n", "back.py": "B = 1\n"}
    made.commit("Begin", files, "2020-01-01", "Ana")
    for gone in ("shop/old/rope.py", "setup.py", "back.py"):
        (folder / "shop" / gone).unlink()
    made.commit("Tidy", {}, "2020-02-01", "Bea")
    (folder / "shop" / "src").mkdir()
    (folder / "shop" / "shop").rename(folder / "shop" / "src" / "shop")
    made.commit("Use a src layout", {"back.py": "B = 2\n", "tools/setup.py": "T = 1\n"}, "2020-03-01", "Cy")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(folder / "shop") as index:
            yield index


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What happened to shop/quay.py?", "`shop/quay.py` was renamed to `src/shop/quay.py` by"),
        ("When was shop/quay.py removed?", "`shop/quay.py` was renamed to `src/shop/quay.py` by"),
        ("Was shop/quay.py renamed?", "`shop/quay.py` was renamed to `src/shop/quay.py` by"),
        ("Who deleted shop/old/rope.py?", "`shop/old/rope.py` went with"),
        ("Why was rope.py removed?", "`shop/old/rope.py` went with"),
        ("Where did rope.py go?", "`shop/old/rope.py` went with"),
        ("When was shop/old/rope.py added?", "`shop/old/rope.py` came with"),
        ("What changed last in shop/old/rope.py?", "`shop/old/rope.py` went with"),
        ("When was back.py removed?", None),
        ("What happened to back.py?", "The newest changes of `back.py`"),
        ("What changed in quay.py?", "The newest changes of `quay.py`"),
        ("Has anything changed in quay.py?", "The newest changes of `quay.py`"),
        ("When was src/shop/lantern.py removed?", None),
        ("When was src/shop/lantern_quay.py added?", None),
        ("What happened to lantern.py?", None),
        ("When was moor_10 added?", None),
        ("What changed last in quay.py?", "`quay.py` was last changed by"),
        ("What was last changed in src/shop/quay.py?", "`src/shop/quay.py` was last changed by"),
    ],
)
def test_what_became_of_a_file(moved: Index, question: str, told: str | None) -> None:
    answer = answer_history(Question(question), moved)
    assert (answer is None) == (told is None)
    assert answer is None or told is None or answer.text(range(1, 20)).startswith(told)


@pytest.mark.parametrize(
    "question", ["what changed in {}?", "who made {}", "explain commit {}", "{}", "what does {} do?"]
)
def test_a_commit_is_told_by_its_hash(index: Index, question: str) -> None:
    whole = history_of(index, "", limit=1).hits[0].path.removeprefix("commit ")
    answer = answer_history(Question(question.format(whole)), index)
    assert answer is not None and answer.text(range(1, 9)).startswith(f"`{whole[:10]}` of 2020-05-01, by Gus:")
    assert answer_history(Question(question.format("5eafaded0")), index) is None


def test_a_module_in_lower_case_is_a_folder_before_a_variable(tmp_path: Path) -> None:
    made = Repository(tmp_path / "shop")
    made.commit("Begin", {"till.go": "package a\n\ntype Till struct {\n\tquay int\n}\n"}, "2020-01-01", "Ana")
    made.commit(
        "Open quays", {"shop-quay/land.go": "package quay\n", "rope/tie.go": "package rope\n"}, "2020-02-01", "Bea"
    )
    with Index.build(tmp_path / "shop") as index:
        assert "Bea: 1 commit" in told(index, "Who wrote the quay module?")
        assert "Bea: 1 commit" in told(index, "Who wrote the rope package?")
        assert "`till.go:4`" in told(index, "Who wrote quay?")


def test_a_file_that_went_on_a_merged_branch_is_told_of(tmp_path: Path) -> None:
    made = Repository(tmp_path / "shop")
    made.commit("Begin", {"till.py": "T = 1\n"}, "2020-01-01", "Ana")
    made.git("checkout", "-q", "-b", "side")
    made.commit("Try a rope", {"rope.py": "R = 1\n", "more/quay.py": "Q = 1\n"}, "2020-02-01", "Bea")
    (tmp_path / "shop" / "rope.py").unlink()
    (tmp_path / "shop" / "more" / "quay.py").unlink()
    made.commit("Give up", {"side.py": "S = 1\n"}, "2020-03-01", "Cy")
    made.git("checkout", "-q", "-")
    made.commit("Go on", {"till.py": "T = 2\n"}, "2020-04-01", "Ana")
    made.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    with Index.build(tmp_path / "shop") as index:
        assert "`rope.py` went with" in told(index, "What happened to rope.py?")
        assert "by Cy" in told(index, "When was more/quay.py removed?")
        assert "by Bea" in told(index, "Who added quay.py?")
