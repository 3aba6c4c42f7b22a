"""What is told of a history that is empty, short, undated, cut off or not there, word by word."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from history_repository import Repository
from index_of_files import index_of
from quaestor import Index
from quaestor.answers.history.find_subject import subject_of
from quaestor.answers.history.history_answer import HistoryAnswer, history_of, open_history
from quaestor.answers.history.history_questions import HistoryQuestion, history_question
from quaestor.answers.history.version_changes import Changelogs, _days_apart, _folders_of_parts, period_in_words
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_history
from quaestor.history.versions import Version, version_in

TODAY = date(2024, 3, 14)  # a Thursday
LAST = "What changed in the last release?"
CODE = {"ferry.py": "def row():\n    return 1\n"}
NO_HISTORY = "There is no history here: no git repository with commits of this folder."
NO_RELEASE = "Nothing here names a release: there is no tag, and no changelog of the whole."


def told(found: HistoryAnswer) -> str:
    return found.text(range(1, len(found.hits) + 1)).strip("\n")


def section(heading: str, *lines: str) -> str:
    return "\n".join([f"## {heading}", "", *(lines or ("- Rows faster.",)), "", ""])


def unknown(text: str) -> HistoryAnswer:
    return HistoryAnswer("history", (text,), known=False, heads=(text,))


def changes(question: str) -> tuple[tuple[str, ...], str, str, str]:
    found = history_question(question, TODAY)
    assert found is not None and (found.kind, found.subject, found.verb) == ("changes", "", "changed"), question
    return found.versions, found.relation, found.since, found.until


@pytest.mark.parametrize(
    ("time", "since", "until"),
    [
        ("in the last two weeks", "2024-02-29", ""),
        ("in the last couple of weeks", "2024-02-29", ""),
        ("over the past few days", "2024-03-11", ""),
        ("within the last 10 days", "2024-03-04", ""),
        ("during the past six months", "2023-09-16", ""),
        ("within this month", "2024-03-01", ""),
        ("during this week", "2024-03-11", ""),
        ("over this year", "2024-01-01", ""),
        ("since yesterday", "2024-03-13", ""),
        ("in the previous month", "2024-02-01", ""),
        ("during the last year", "2023-01-01", "2023-12-31"),
        ("before 2024-02", "", "2024-02-29"),
        ("until 2023", "", "2023-12-31"),
        ("after 2023", "2023-01-01", ""),
        ("on 2024-02-10", "2024-02-10", "2024-02-10"),
        ("between 2023-01-01 and 2023-12", "2023-01-01", "2023-12-31"),
    ],
)
def test_a_period_in_words(time: str, since: str, until: str) -> None:
    assert changes(f"what changed {time}?") == ((), "in", since, until)


def test_a_period_of_a_version_and_of_a_file() -> None:
    assert changes("what changed in 1.1 since 2023-05-01") == (("1.1",), "in", "2023-05-01", "")
    assert changes("what changed between 1.0 and 1.1 until 2023-05") == (("1.0", "1.1"), "between", "", "2023-05-31")
    assert history_question("what changed in oars 2.0 before 2023-02-03", TODAY) == HistoryQuestion(
        "changes", "oars", "changed", ("2.0",), "in", "", "2023-02-03"
    )
    assert history_question("what changed in oars 2.0 in May 2023", TODAY) == HistoryQuestion(
        "changes", "oars", "changed", ("2.0",), "in", "2023-05-01", "2023-05-31"
    )
    assert history_question("what changed in src/a.py in May 2023", TODAY) == HistoryQuestion(
        "past", "src/a.py", "changed", since="2023-05-01", until="2023-05-31"
    )


def test_a_question_is_no_longer_than_300_characters() -> None:
    asked = "who wrote the file a.py and when "
    assert history_question(asked + "x" * (300 - len(asked)), TODAY) == HistoryQuestion("author", "a.py")
    assert history_question(asked + "x" * (301 - len(asked)), TODAY) is None
    assert history_question(asked + "x" * 400, TODAY) is None


def test_a_period_is_told_in_words() -> None:
    told_periods = [
        period_in_words(HistoryQuestion("changes", since=since, until=until))
        for since, until in (("2023-01-01", "2023-02-01"), ("2023-01-01", ""), ("", "2023-02-01"), ("", ""))
    ]
    assert told_periods == ["from 2023-01-01 to 2023-02-01", "since 2023-01-01", "up to 2023-02-01", "at all"]


@pytest.mark.parametrize(
    ("path", "folders"),
    [
        ("CHANGELOG.md", []),
        ("src/CHANGELOG.md", []),
        ("Oars/CHANGELOG.md", ["oars"]),
        ("packages/oars/docs/old/CHANGELOG.md", ["packages", "oars"]),
        ("docs/oars/CHANGELOG.md", []),
        ("website/oars/news/1.0.md", ["oars"]),
    ],
)
def test_the_folders_of_a_part(path: str, folders: list[str]) -> None:
    assert _folders_of_parts(path) == folders


def test_days_between_a_heading_and_a_day() -> None:
    assert _days_apart("1.0 - 2023-01-10", "2023-02-10") == 31
    assert _days_apart("1.0 - 2023-02-11", "2023-02-10") == 1
    assert _days_apart("1.0 (2023)", "2023-02-10") == _days_apart("1.0", "2023-02-10") == 1_000_000


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (LAST, unknown(NO_RELEASE)),
        ("When was the last release?", unknown(NO_RELEASE)),
        ("who wrote ferry.py?", unknown(NO_HISTORY)),
        ("when was ferry.py last changed?", unknown(NO_HISTORY)),
        ("commits about oars", unknown(NO_HISTORY)),
        ("what changed since 2020?", unknown(NO_HISTORY)),
        ("what changed until 2020?", unknown(NO_HISTORY)),
        ("what changed in 2020?", unknown(NO_HISTORY)),
        ("what changed recently?", None),
        ("when was 2.0 released?", None),
        ("what changed in 2.0?", None),
        ("history of ferry.py", None),
        ("when was row added?", None),
    ],
)
def test_what_only_a_history_tells_is_not_searched_for(
    tmp_path: Path, question: str, answer: HistoryAnswer | None
) -> None:
    with index_of(tmp_path / "ferry", CODE) as index:
        assert answer_history(Question(question), index) == answer
        assert history_of(index, "tides of old") == unknown(NO_HISTORY)


def test_who_wrote_documents_may_be_written_in_them(tmp_path: Path) -> None:
    with index_of(tmp_path / "plays", {"hamlet.md": "# Hamlet\n\nHamlet hears a bell.\n"}) as index:
        assert answer_history(Question("who wrote Hamlet?"), index) is None
        assert answer_history(Question("what changed since 2020?"), index) is None


@pytest.mark.parametrize(
    ("changelog", "expected", "places"),
    [
        (
            section("1.1.0 (unreleased)  ", "- Oars.") + section("1.0.0"),
            "`CHANGELOG.md:5-7`, `1.0.0`:\n\n> ## 1.0.0\n> \n> - Rows faster.\n\n[1]\n\n"
            "Above it, `CHANGELOG.md:1` begins with what is not released yet:\n\n> ## 1.1.0 (unreleased)\n\n[2]",
            [(5, 7, "1.0.0"), (1, 1, "1.1.0 (unreleased)")],
        ),
        (
            section("0.1.0 (unreleased)"),
            "`CHANGELOG.md:1-3`, `0.1.0 (unreleased)`:\n\n> ## 0.1.0 (unreleased)\n> \n> - Rows faster.\n\n[1]\n\n"
            "That version is not released yet, and nothing here names one that is.",
            [(1, 3, "0.1.0 (unreleased)")],
        ),
        (
            section("1.0.0rc9", "- Nine.") + section("1.0.0rc10", "- Ten."),
            "`CHANGELOG.md:5-7`, `1.0.0rc10`:\n\n> ## 1.0.0rc10\n> \n> - Ten.\n\n[1]",
            [(5, 7, "1.0.0rc10")],
        ),
        (
            section("1.2.0rc1") + section("1.0.0", "- One.") + section("1.1.0", "- Two."),
            "`CHANGELOG.md:9-11`, `1.1.0`:\n\n> ## 1.1.0\n> \n> - Two.\n\n[1]",
            [(9, 11, "1.1.0")],
        ),
    ],
)
def test_the_last_release_of_a_changelog(
    tmp_path: Path, changelog: str, expected: str, places: list[tuple[int, int, str]]
) -> None:
    with index_of(tmp_path / "ferry", {**CODE, "CHANGELOG.md": changelog}) as index:
        found = history_of(index, LAST)
    assert told(found) == expected
    assert [(hit.start_line, hit.end_line, hit.chunk.symbol) for hit in found.hits] == places
    assert found.known and not found.partial


def test_a_version_that_nothing_names(tmp_path: Path) -> None:
    with index_of(tmp_path / "ferry", {**CODE, "CHANGELOG.md": section("1.1.0") + section("1.0.0 (2020)")}) as index:
        found = history_of(index, "what changed in 3.0?")
        since = history_of(index, "what changed since 0.9?")
    assert told(found) == (
        "Neither a tag nor a changelog here names `3.0`. The newest that they name: `1.1.0`, `1.0.0 (2020)`."
    )
    assert not found.known
    assert since.heads == ("`CHANGELOG.md:1-3`, `1.1.0`:", "`CHANGELOG.md:5-7`, `1.0.0 (2020)`:")


def test_of_sections_on_one_version_that_of_the_day_counts(tmp_path: Path) -> None:
    """Without a day it is the longest; with one, a dated one only if it is near."""
    long = ["- Oars.", "- Sails.", "- Planks."]
    files = {
        "CHANGELOG.md": section("1.0.0 - 2023-01-10") + section("2.0.0 - 2023-05-10"),
        "oars/CHANGELOG.md": section("1.0.0 - 2020-01-10", *long) + section("3.0.0 (2023)"),
        "sail/CHANGELOG.md": section("1.0.0", *long[:2]),
    }
    with index_of(tmp_path / "ferry", {**CODE, **files}) as index:
        logs = Changelogs(index)
        one, two = (version_in(text) for text in ("1.0.0", "2.0.0"))
        assert one is not None and two is not None

        def path(version: Version, day: str = "") -> str:
            found = logs.of(version, day)
            assert found is not None
            return found.document.path

        assert path(one) == "oars/CHANGELOG.md"
        assert path(Version((3,))) == "oars/CHANGELOG.md"
        assert path(one, "2023-01-01") == "CHANGELOG.md"
        assert path(one, "2020-02-10") == "oars/CHANGELOG.md"
        assert path(one, "2021-06-01") == "sail/CHANGELOG.md"
        assert path(two, "1999-01-01") == "CHANGELOG.md"
        assert logs.of(Version((9,))) is None
        lines = [(one.document.path, number) for one, number in logs.lines()]
    assert lines[:3] == [("CHANGELOG.md", 3), ("CHANGELOG.md", 7), ("oars/CHANGELOG.md", 3)]
    assert len(lines) == 8


@pytest.fixture(scope="module")
def boat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("edges")
    made = Repository(folder / "boat")
    ids = {}
    for number in range(1, 13):
        message = f"Plank {number}\n\nOf oak.\n" if number != 7 else "Saw the oak\n"
        text = "".join(f"def plank_{one}():\n    return {one}\n\n\n" for one in range(1, number + 1))
        ids[str(number)] = made.commit(message, {"hull/planks.py": text}, f"2023-{number:02}-05")
    made.git("tag", "-a", "v1.0", "-m", "Version 1.0", day="2023-12-05")
    ids["sail"] = made.commit("Hoist", {"sail.py": "sail = 1\n"}, "2024-01-05")
    made.git("tag", "-a", "v1.1", "-m", "Version 1.1", day="2024-01-06")
    made.git("tag", "-a", "v1.2", "-m", "Version 1.2", day="2024-01-07")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_HOME", str(folder / "home"))
        yield made.folder, ids


def test_the_newest_ten_unless_more_are_asked_for(boat: tuple[Path, dict[str, str]]) -> None:
    folder, _ = boat
    with Index.build(folder) as index:
        assert len(history_of(index, "what changed recently?").hits) == 10
        assert len(history_of(index, "what changed recently?", limit=12).hits) == 12
        assert history_of(index, "history of planks.py", since="2023-12").heads == (
            "The newest changes of `planks.py` since 2023-12-01:",
        )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what changed since 1.2?", "Git has no commits since `v1.2` (2024-01-07)."),
        ("what changed in 1.2?", "Git has no commits between `v1.1` (2024-01-06) and `v1.2` (2024-01-07)."),
        (
            "what changed between 1.1 and 1.2?",
            "Git has no commits between `v1.1` (2024-01-06) and `v1.2` (2024-01-07).",
        ),
        ("what changed in 1.0?", "Git has 12 commits up to `v1.0` (2023-12-05), the newest:"),
        ("what changed in 1.1?", "Git has 1 commit between `v1.0` (2023-12-05) and `v1.1` (2024-01-06):"),
        ("what changed until 2020?", "Git has no commits up to 2020-12-31. The newest:"),
        ("what changed recently?", "Git has 13 commits, the newest:"),
    ],
)
def test_how_many_commits_a_range_has(boat: tuple[Path, dict[str, str]], question: str, said: str) -> None:
    with Index.build(boat[0]) as index:
        assert history_of(index, question).heads == (said,)


def test_subjects_come_before_messages_among_five_times_as_many(boat: tuple[Path, dict[str, str]]) -> None:
    folder, ids = boat
    with Index.build(folder) as index:
        found = {
            until: [hit.path for hit in history_of(index, "commits about oak", until=until, limit=1).hits]
            for until in ("2023-11-30", "2023-12-31")
        }
    assert found == {"2023-11-30": [f"commit {ids['7']}"[:17]], "2023-12-31": [f"commit {ids['12']}"[:17]]}


def test_commits_are_listed_with_what_limits_them(boat: tuple[Path, dict[str, str]]) -> None:
    with Index.build(boat[0]) as index:
        for asked, until, said in (
            ("commits about oak", "", "Commits that speak of `oak`:"),
            ("commits about oak", "2023-05", "Commits that speak of `oak` up to 2023-05-31:"),
            ("commits by Ana Núñez", "2023-05", "Commits by `Ana Núñez` up to 2023-05-31:"),
            (
                "what changed in 7.0?",
                "",
                "Neither a tag nor a changelog here names `7.0`. The newest that they name: {}.",
            ),
        ):
            assert history_of(index, asked, until=until).heads == (said.format("`v1.2`, `v1.1`, `v1.0`"),)


def test_a_part_of_a_repository_has_a_beginning_of_its_own(boat: tuple[Path, dict[str, str]]) -> None:
    folder, ids = boat
    assert ids["1"] != min(ids.values()), "else the oldest would be the first by its name, too"
    with Index.build(folder / "hull") as index:
        began = history_of(index, "when was this project started?")
        past = history_of(index, "history of plank_3", since="2023-06")
        last = history_of(index, "what was the last change?")
    assert began.heads == (f"The oldest commit of 12 is `{ids['1'][:10]}` of 2023-01-05, by Ana Núñez:",)
    assert not past.known and not past.hits
    assert last.heads == (f"This was last changed by `{ids['12'][:10]}` of 2023-12-05, by Ana Núñez:",)


def test_one_commit_is_the_oldest(tmp_path: Path) -> None:
    made = Repository(tmp_path / "boat")
    first = made.commit("Begin", CODE, "2023-01-02")
    with Index.build(made.folder) as index:
        found = history_of(index, "when was this project started?")
        nothing = history_of(index, "tides of old")
    assert found.heads == (f"The oldest commit is `{first[:10]}` of 2023-01-02, by Ana Núñez:",)
    said = "The history tells nothing of 'tides of old'. Ask for a path, a name or words of a commit's message."
    assert nothing == unknown(said)


def test_of_several_beginnings_the_oldest_is_told(tmp_path: Path) -> None:
    made = Repository(tmp_path / "boat")
    first = {}
    for number, day in enumerate(("2023-03-02", "2023-02-02", "2023-01-02", "2023-04-02")):
        made.git("checkout", "-q", "--orphan", f"line{number}")
        first[day] = made.commit(f"Begin {number}", {f"boat{number}.py": "x = 1\n"}, day)
    made.git("merge", "-q", "--allow-unrelated-histories", "-m", "Join", "line0", day="2023-05-01")
    made.git("merge", "-q", "--allow-unrelated-histories", "-m", "Join", "line1", day="2023-05-02")
    made.git("merge", "-q", "--allow-unrelated-histories", "-m", "Join", "line2", day="2023-05-03")
    with Index.build(made.folder) as index:
        assert (
            f"is `{first['2023-01-02'][:10]}` of 2023-01-02" in history_of(index, "how old is this project?").heads[0]
        )


def test_a_called_name_is_a_literal(boat: tuple[Path, dict[str, str]]) -> None:
    with Index.build(boat[0]) as index, open_history(index) as git:
        assert git is not None
        assert subject_of("raise_it()", index, git).literal == "raise_it"
        assert subject_of("the `raise_it` function", index, git).literal == ""
        assert subject_of("oars", index, git).literal == ""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("when was raise_it added?", "`raise_it` came with `{}` of 2023-02-05, by Bo Li:"),
        ("when was lower_it added?", "`lower_it` came with `{}` of 2023-03-05, by Bo Li:"),
    ],
)
def test_what_only_tests_and_documents_hold_came_with_these(tmp_path: Path, question: str, said: str) -> None:
    made = Repository(tmp_path / "boat")
    made.commit("Begin", CODE, "2023-01-05")
    ids = {
        "raise_it": made.commit("Try", {"tests/test_row.py": "raise_it = 1\n"}, "2023-02-05", "Bo Li"),
        "lower_it": made.commit("Tell", {"docs/use.md": "# Use\n\nSet lower_it first.\n"}, "2023-03-05", "Bo Li"),
    }
    with Index.build(made.folder) as index:
        found = history_of(index, question)
    assert found.heads[0] == said.format(ids[question.split()[2]][:10])


def test_that_a_history_is_of_another_repository_is_said_as_it_is(tmp_path: Path) -> None:
    other = Repository(tmp_path / "other")
    other.commit("Begin", CODE, "2023-01-05")
    folder = tmp_path / "boat"
    folder.mkdir()
    (folder / "ferry.py").write_text(CODE["ferry.py"], encoding="utf-8")
    (folder / ".git").write_text(f"gitdir: {other.folder}/.git\n", encoding="utf-8")
    with Index.build(folder) as index:
        for question in ("who wrote ferry.py?", "tides of old", "what changed recently?"):
            found = history_of(index, question)
            assert found.heads[0].startswith("The history is not read: ")
            assert found == unknown(found.heads[0])
            assert "tides" in question or answer_history(Question(question), index) == found


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("When was the -q flag added?", "by Bea, says so"),
        ("When was the --sort option added?", "by Cem"),
        ("When was -z added?", ""),
    ],
)
def test_an_option_came_with_what_declares_it_or_says_so(tmp_path: Path, question: str, says: str) -> None:
    made = Repository(tmp_path)
    made.commit(
        "First steps", {"README.md": "Call it with -quick or -sort.\n", "a.go": 'import "sort"\n'}, author="Ana"
    )
    made.commit("Add sorting", {"b.go": 'var by = flag.String("sort", "name", "sort by this")\n'}, author="Cem")
    made.commit("Show how it is called", {"man.go": "const man = `shop --sort size`\n"}, author="Dora")
    made.commit("Add a -q flag for quiet people", {"c.go": 'var q = flag.Bool("q", false, "say less")\n'}, author="Bea")
    with index_of(tmp_path, {}) as index:
        found = answer_history(Question(question), index)
    first = "" if found is None else found.text(range(1, 9)).partition("\n")[0]
    assert says in first and bool(first) == bool(says)
