"""What is answered about a short history, word by word, and nothing that was not asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from history_repository import Repository
from quaestor import Index
from quaestor.answers.history.find_subject import Subject, _as_file, commits_saying
from quaestor.answers.history.history_answer import history_object, history_of, open_history
from quaestor.answers.history.history_draft import Draft, one_line
from quaestor.answers.history.history_questions import HistoryQuestion
from quaestor.answers.history.subject_history import _SAID, _in_code, list_matching_commits
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

TABLE = "def open_table(day):\n    return read(day)\n"
CLOSE = "\n\ndef close_table(day): \n    return None\n"  # a blank behind the colon
DAY = "class Day:\n    def ring(self):\n        return 1\n"
NIGHT = "\n\nclass Night:\n    def ring(self):\n        return 2\n"
CHANGES = """# Changelog

## 1.1.0 - 2023-03-10

- Add open_table for the tides (#7).
- See [1] for how a bell is rung.
- New: an owl boat (#9).

## 1.0.0 - 2023-01-10

""" + "".join(f"- Plank {number}.\n" for number in range(50))


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Index, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("told")
    made = Repository(folder / "ferry")
    ids = {}

    def commit(name: str, message: str, files: dict[str, str | None], day: str, author: str = "Ana Núñez") -> None:
        ids[name] = made.commit(message, files, day, author)[:10]

    commit("first", "Ring a bell", {"z/deck.py": "bell = 2\n"}, "2023-01-02")
    made.git("tag", "-a", "v1.0.0", "-m", "Version 1.0.0", day="2023-01-10")
    commit("gauge", "fix: the new tide gauge", {"gauge.txt": "1\n", "far/off/deck.py": "bell = 1\n"}, "2023-02-01")
    commit("added", "A second try at a tide gauge, added for good", {"gauge.txt": "2\n"}, "2023-02-02", "Bo Li")
    commit("table", "Add open_table (#7)\n\nNobody knew the tides.", {"tide.py": TABLE, "bells.py": DAY}, "2023-03-01")
    commit("noted", "Release 1.1 (#9)", {"CHANGELOG.md": CHANGES, "x.sh": "ring\n"}, "2023-03-10")
    made.git("tag", "-a", "v1.1.0", "-m", "Version 1.1.0", day="2023-03-10")
    commit("close", "Close it, too", {"bells.py": DAY + NIGHT, "tide.py": TABLE + CLOSE}, "2023-04-01", "Bo Li")
    commit("gone", "Tidy up\n\nAdd a lighthouse keeper.", {"x.sh": None}, "2023-05-01")
    commit("empty", "Nothing to see", {}, "2023-06-01")
    made.git("tag", "cut-2023-06-01")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(made.folder) as index:
            yield index, ids


TOLD = {
    "what changed in March 2023": """
        Git has 2 commits from 2023-03-01 to 2023-03-31:

        - 2023-03-10, Ana Núñez: Release 1.1 (#9) [1]
        - 2023-03-01, Ana Núñez: Add open_table (#7) [2]
    """,
    "what changed on 2023-06-01": """
        Git has 3 commits between `v1.1.0` (2023-03-10) and `cut-2023-06-01` (2023-06-01):

        - 2023-06-01, Ana Núñez: Nothing to see [1]
        - 2023-05-01, Ana Núñez: Tidy up [2]
        - 2023-04-01, Bo Li: Close it, too [3]
    """,
    "what changed since 1.0": """
        `CHANGELOG.md:3-7`, `1.1.0 - 2023-03-10`:

        ```markdown
        ## 1.1.0 - 2023-03-10

        - Add open_table for the tides (#7).
        - See [1] for how a bell is rung.
        - New: an owl boat (#9).
        ```
        [1]

        Git has 7 commits since `v1.0.0` (2023-01-10), the newest:

        - 2023-06-01, Ana Núñez: Nothing to see [2]
        - 2023-05-01, Ana Núñez: Tidy up [3]
        - 2023-04-01, Bo Li: Close it, too [4]
        - 2023-03-10, Ana Núñez: Release 1.1 (#9) [5]
        - 2023-03-01, Ana Núñez: Add open_table (#7) [6]
    """,
    "what changed in 1.1?": """
        `CHANGELOG.md:3-7`, `1.1.0 - 2023-03-10`:

        ```markdown
        ## 1.1.0 - 2023-03-10

        - Add open_table for the tides (#7).
        - See [1] for how a bell is rung.
        - New: an owl boat (#9).
        ```
        [1]

        Git has 4 commits between `v1.0.0` (2023-01-10) and `v1.1.0` (2023-03-10):

        - 2023-03-10, Ana Núñez: Release 1.1 (#9) [2]
        - 2023-03-01, Ana Núñez: Add open_table (#7) [3]
        - 2023-02-02, Bo Li: A second try at a tide gauge, added for good [4]
        - 2023-02-01, Ana Núñez: fix: the new tide gauge [5]
    """,
    "when was 1.1 released?": """
        The tag `v1.1.0`: “Date: 2023-03-10” [1]

        `CHANGELOG.md:3`:

        > ## 1.1.0 - 2023-03-10

        [2]
    """,
    "who wrote tide.py": """
        2 commits of `tide.py`, by 2 authors:

        - Ana Núñez: 1 commit since 2023-03-01. The newest: 2023-03-01, Ana Núñez: Add open_table (#7) [1]
        - Bo Li: 1 commit since 2023-04-01. The newest: 2023-04-01, Bo Li: Close it, too [2]

        Its 4 lines, empty ones aside, last changed by: Ana Núñez 2, Bo Li 2.
    """,
    "who wrote close_table": """
        `close_table`, `tide.py:5`, as it stands was written by Bo Li (2 lines). The commits that its lines are of:

        - 2023-04-01, Bo Li: Close it, too [1]
    """,
    "who wrote Night.ring": """
        `Night.ring`, `bells.py:7`, as it stands was written by Bo Li (2 lines). The commits that its lines are of:

        - 2023-04-01, Bo Li: Close it, too [1]
    """,
    "who maintains this project?": """
        8 commits, by 2 authors:

        - Ana Núñez: 6 commits since 2023-01-02. The newest: 2023-06-01, Ana Núñez: Nothing to see [1]
        - Bo Li: 2 commits since 2023-02-02. The newest: 2023-04-01, Bo Li: Close it, too [2]
    """,
    "history of open_table": """
        The newest changes of `open_table`:

        - 2023-03-01, Ana Núñez: Add open_table (#7) [1]
    """,
    "history of deck.py": """
        The newest changes of `deck.py`:

        - 2023-01-02, Ana Núñez: Ring a bell [1]
    """,
    "who last changed bells.py?": """
        `bells.py` was last changed by `{close}` of 2023-04-01, by Bo Li:

        ```text
        Close it, too
        ```
        [1]

        ```diff
        @@ -1,3 +1,8 @@
         class Day:
             def ring(self):
                 return 1
        +
        +
        +class Night:
        +    def ring(self):
        +        return 2
        ```
        [2]
    """,
    "when was open_table added?": """
        `open_table` came with `{table}` of 2023-03-01, by Ana Núñez:

        ```text
        Add open_table (#7)

        Nobody knew the tides.
        ```
        [1]

        ```diff
        +def open_table(day):
        +    return read(day)
        ```
        [2]

        The first tag that holds it is `v1.1.0`: “Date: 2023-03-10” [3]

        `CHANGELOG.md:5`, under `1.1.0 - 2023-03-10`:

        > - Add open_table for the tides (#7).

        [4]
    """,
    "when was x.sh removed?": """
        `x.sh` went with `{gone}` of 2023-05-01, by Ana Núñez:

        ```text
        Tidy up

        Add a lighthouse keeper.
        ```
        [1]

        The first tag that holds it is `cut-2023-06-01`: “Date: 2023-06-01” [2]
    """,
    "when was the tide gauge added?": """
        `{added}` of 2023-02-02, by Bo Li, says so:

        ```text
        A second try at a tide gauge, added for good
        ```
        [1]

        The first tag that holds it is `v1.1.0`: “Date: 2023-03-10” [2]
    """,
    "when was this project started?": """
        The oldest commit of 8 is `{first}` of 2023-01-02, by Ana Núñez:

        ```text
        Ring a bell
        ```
        [1]
    """,
    "commits by Bo Li": """
        Commits by `Bo Li`:

        - 2023-04-01, Bo Li: Close it, too [1]
        - 2023-02-02, Bo Li: A second try at a tide gauge, added for good [2]
    """,
}


@pytest.mark.parametrize("question", TOLD)
def test_the_whole_answer(ferry: tuple[Index, dict[str, str]], question: str) -> None:
    index, ids = ferry
    found = history_of(index, question)
    assert found.text(range(1, len(found.hits) + 1)).strip("\n") == dedent(TOLD[question]).strip("\n").format(**ids)
    assert found.known and not found.partial


@pytest.mark.parametrize("question", ["what changed since 1.0", "when was open_table added?"])
def test_every_mark_is_of_lines_that_stand_there(ferry: tuple[Index, dict[str, str]], question: str) -> None:
    index, _ = ferry
    hits = history_of(index, question).hits
    assert hits
    for hit in hits:
        assert index.read_lines(hit.path, hit.start_line, hit.end_line).text == hit.text


def test_no_more_is_listed_than_asked_for(ferry: tuple[Index, dict[str, str]]) -> None:
    index, ids = ferry
    found = history_of(index, "what changed on 2023-06-01", limit=2)
    assert found.heads == (
        "Git has 3 commits between `v1.1.0` (2023-03-10) and `cut-2023-06-01` (2023-06-01), the newest:",
    )
    assert [hit.path for hit in found.hits] == [f"commit {ids['empty']}", f"commit {ids['gone']}"]


@pytest.mark.parametrize(
    ("asked", "since", "until", "expected"),
    [
        ("gauge", "2023-02-02", "", ["added"]),
        ("gauge", "", "2023-02-01", ["gauge"]),
        ("history of tide.py", "2023-04", "", ["close"]),
        ("history of open_table", "2023-04", "", []),
        ("commits about gauge", "2023-02-02", "", ["added"]),
    ],
)
def test_what_is_outside_of_a_period_is_not_told(
    ferry: tuple[Index, dict[str, str]], asked: str, since: str, until: str, expected: list[str]
) -> None:
    index, ids = ferry
    found = history_of(index, asked, since=since, until=until)
    assert [hit.path for hit in found.hits] == [f"commit {ids[name]}" for name in expected]


@pytest.mark.parametrize(
    ("question", "name"),
    [("when was the owl boat added?", "noted"), ("when was the lighthouse keeper added?", "gone")],
)
def test_the_commit_is_found_by_a_number_or_by_its_body(
    ferry: tuple[Index, dict[str, str]], question: str, name: str
) -> None:
    index, ids = ferry
    found = history_of(index, question)
    assert any(head.startswith(f"`{ids[name]}` of ") for head in found.heads)
    assert f"commit {ids[name]}" in {hit.path for hit in found.hits}
    assert not {f"commit {other}" for key, other in ids.items() if key != name} & {hit.path for hit in found.hits}


def test_of_a_long_section_the_beginning_is_quoted(ferry: tuple[Index, dict[str, str]]) -> None:
    found = history_of(ferry[0], "what changed in 1.0?")
    assert found.heads[1] == "(7 more lines there.)"
    assert (found.hits[0].start_line, found.hits[0].end_line) == (9, 60)
    assert "- Plank 42." in found.text([1, 2, 3]) and "- Plank 43." not in found.text([1, 2, 3])


def test_of_documents_nobody_is_named_who_only_committed_them(tmp_path: Path) -> None:
    made = Repository(tmp_path / "plays")
    made.commit("Add the chapter of the bell", {"hamlet.md": "# Hamlet\n\nHamlet hears a bell.\n"}, "2023-01-02")
    with Index.build(made.folder) as index:
        assert answer_by_way(Question("who wrote Hamlet?"), index) is None
        assert history_of(index, "who wrote hamlet.md?").heads[0] == "1 commit of `hamlet.md`, by 1 author:"
        assert "says so" in history_of(index, "when was the chapter of the bell added?").heads[0]


def test_a_place_that_is_cited_again_keeps_its_number(ferry: tuple[Index, dict[str, str]]) -> None:
    first, second, *_ = history_of(ferry[0], "what changed recently").hits
    draft = Draft()
    for hit in (first, second, first):
        draft.cite(hit)
    assert (draft.pieces, draft.hits) == ([0, 1, 0], [first, second])


@pytest.mark.parametrize(
    ("subject", "shown"),
    [
        ("Add a bell", "Add a bell"),
        ("Ring [1] twice, see [docs](a.md)", "Ring (1) twice, see (docs)(a.md)"),
        ("Ring [twice]", "Ring [twice]"),
        ("Ring `bell", "Ring 'bell"),
        ("Ring `bell`", "Ring `bell`"),
        ("Ring. (#12)", "Ring (#12)"),
        ("x" * 160, "x" * 160),
        ("x" * 161, "x" * 160 + "…"),
    ],
)
def test_nothing_in_a_subject_reads_as_a_mark_or_opens_code(subject: str, shown: str) -> None:
    assert one_line(subject) == shown


def test_what_is_there_was_not_removed(ferry: tuple[Index, dict[str, str]]) -> None:
    found = history_of(ferry[0], "why was z/deck.py removed?")
    assert not found.known
    assert not found.hits


def test_a_commit_is_told_with_all_that_it_changes(ferry: tuple[Index, dict[str, str]]) -> None:
    index, ids = ferry
    found = history_of(index, f"what did commit {ids['empty']} change?")
    assert found.known
    assert found.text([1]) == f"`{ids['empty']}` of 2023-06-01, by Ana Núñez:\n\n```text\nNothing to see\n```\n[1]"


def test_the_contracted_form(ferry: tuple[Index, dict[str, str]]) -> None:
    index, ids = ferry
    told = history_object("1.1", history_of(index, "when was 1.1 released?"), 0.12346)
    tag, section = told.pop("passages")
    assert told == {
        "asked": "1.1",
        "answer": dedent(TOLD["when was 1.1 released?"]).strip("\n"),
        "known": True,
        "partial": False,
        "seconds": 0.1235,
    }
    assert {name: value for name, value in tag.items() if name != "sha256"} == {
        "n": 1,
        "path": "tag v1.1.0",
        "start_line": 1,
        "end_line": 6,
        "title": "v1.1.0",
        "author": "Ana Núñez",
        "date": "2023-03-10",
        "text": tag["text"],
    }
    assert tag["text"].startswith(f"tag v1.1.0\nTagger: Ana Núñez\nDate: 2023-03-10\nCommit: {ids['noted']}")
    assert [hit.chunk.kind for hit in history_of(index, "when was 1.1 released?").hits] == ["block", "section"]
    assert (section["path"], section["start_line"], section["end_line"]) == ("CHANGELOG.md", 3, 3)


def test_what_is_gone_is_found_as_code_where_a_new_name_is_asked_for(ferry: tuple[Index, dict[str, str]]) -> None:
    index, ids = ferry
    with open_history(index) as git:
        assert git is not None
        found = _in_code(HistoryQuestion("origin", "x.sh", verb="renamed"), Subject("x.sh", literal="x.sh"), git)
        assert _as_file(Subject("./"), "./", index, git) is None
        assert _as_file(Subject("tide py"), "tide py", index, git) is None
        said = commits_saying(git, "the lighthouse keeper", _SAID["added"], oldest=True)
        assert [commit.id[:10] for commit in commits_saying(git, "Ring a bell", "", oldest=False)] == [ids["first"]]
    assert found is not None
    assert found[0].id[:10] == ids["gone"]
    assert [commit.id[:10] for commit in said] == [ids["gone"]]


def test_an_article_is_no_word_of_a_message(ferry: tuple[Index, dict[str, str]]) -> None:
    index, ids = ferry
    draft = Draft()
    with open_history(index) as git:
        assert git is not None
        assert list_matching_commits(HistoryQuestion("commits", "the open_table of an tides"), git, draft, 5)
    assert [hit.path for hit in draft.hits] == [f"commit {ids['table']}"]


def test_a_commit_is_a_block_and_a_changelog_a_section(ferry: tuple[Index, dict[str, str]]) -> None:
    hits = history_of(ferry[0], "what changed in 1.1?").hits
    assert [hit.chunk.kind for hit in hits[:2]] == ["section", "block"]
    assert [(hit.start_line, hit.end_line) for hit in history_of(ferry[0], "when was open_table added?").hits[3:]] == [
        (5, 5)
    ]


@pytest.fixture
def fail_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a git before the user's own that fails if its arguments hold a word."""

    def fail(word: str) -> None:
        failing = tmp_path / "bin/git"
        failing.parent.mkdir()
        failing.write_text(f'#!/bin/sh\ncase "$*" in *{word}*) exit 1;; esac\nexec {shutil.which("git")} "$@"\n')
        failing.chmod(0o755)
        monkeypatch.setenv("PATH", f"{failing.parent}{os.pathsep}{os.environ['PATH']}")

    return fail


def test_commits_that_could_not_be_counted_are_listed_without_their_number(
    ferry: tuple[Index, dict[str, str]], fail_git: Callable[[str], None]
) -> None:
    index, _ = ferry
    fail_git("--count")
    found = history_of(index, "what changed since 2023-05-01?")
    assert found.heads[0].startswith("Commits since 2023-05-01, the newest:")


def test_commits_that_could_not_be_read_in_time_are_not_said_to_be_none(
    ferry: tuple[Index, dict[str, str]], fail_git: Callable[[str], None]
) -> None:
    index, _ = ferry
    fail_git("--since")
    found = history_of(index, "what changed since 2023-05-01?")
    assert found.heads[:1] == ("In the time that there is, no commits were found since 2023-05-01. The newest:",)
    assert found.heads[1:] == ("Not all of the history could be read, so something may be missing.",)
    assert found.partial


def test_where_the_first_commit_of_a_file_is_not_found_the_last_change_is_told(
    ferry: tuple[Index, dict[str, str]], fail_git: Callable[[str], None]
) -> None:
    index, ids = ferry
    fail_git("--diff-filter")
    found = history_of(index, "when was gauge.txt added?")
    text = found.text(range(1, len(found.hits) + 1))
    assert "was not found in the time that there is" in text
    assert ids["added"][:7] in text
    assert found.partial and not found.known


def test_without_git_the_answer_says_so(ferry: tuple[Index, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    index, _ = ferry
    monkeypatch.setenv("PATH", "/nowhere")
    assert "git" in history_of(index, "when was open_table added?").heads[0]
    assert history_of(index, "tides of old").heads[0] == history_of(index, "when was open_table added?").heads[0]
