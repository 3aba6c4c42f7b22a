"""What is answered about a short history, and that what is cited stands there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from history_repository import Repository, shop
from quaestor import Conversation, Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.history.history_answer import history_of
from quaestor.answers.history.history_questions import history_question
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way
from quaestor.chat.events import Citations, Done
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.llm.prompts.numbered_passages import number
from quaestor.tools import registry_of


@pytest.fixture(scope="module")
def shopping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Index, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("history")
    made, ids = shop(folder / "shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(made.folder) as index:
            yield index, ids


def told(found: WayAnswer | None) -> str:
    assert found is not None
    return found.text(range(1, len(found.hits) + 1))


def test_the_message_of_a_squashed_commit_is_quoted_without_gaps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who helped with each of its parts stands in the middle of it."""
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    made = Repository(tmp_path / "fleet")
    helped, signed = "Co-authored-by: Bo Li <bo@example.org>", "Signed-off-by: Mo Ray <mo@example.org>"
    message = f"Add hoist_the_sail\n\nBoats drifted.\n\n{helped}\n\n* Name it as sailors do\n\n{signed}\n"
    made.commit(message, {"sail.py": "def hoist_the_sail():\n    return 1\n"}, "2024-01-05")
    with Index.build(made.folder) as index:
        answer = answer_by_way(Question("when was hoist_the_sail added?"), index)
        text = told(answer)
        assert answer is not None
        checked = verify(text, number(answer.hits), index.read)
    assert "Name it as sailors do" in text
    assert signed not in text
    assert {one.status for one in checked.citations} == {"verified"}


def test_an_option_came_with_the_code_that_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code may have it without its hyphens; the changelog tells of it later, and another may have written that."""
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    made = Repository(tmp_path / "fleet")
    made.commit("Steer", {"steer.hs": "data Flags = Flags {quiet :: Bool, fast :: Bool}\n"}, "2024-01-01")
    flags = "data Flags = Flags {quiet :: Bool, fast :: Bool, fog_horn :: Bool}\n"
    made.commit("Let the horn blow", {"steer.hs": flags}, "2024-01-05", "Bo Li")
    made.commit("Tell of it", {"CHANGES.txt": "Changes\n\n  add --fog-horn to be heard\n"}, "2024-02-01", "Mo Ray")
    with Index.build(made.folder) as index:
        answer = answer_by_way(Question("when was --fog-horn added, and by whom?"), index)
        assert "of 2024-01-05, by Bo Li" in told(answer)


ASKED = {
    "what changed in 1.1?": ("Add send_with_retry for busy servers", "between `v1.0.0` (2023-01-10) and `v1.1.0`"),
    "what changed between 1.0 and 1.1": ("Add the colour option", "3 commits"),
    "what changed since 1.1": ("Try three times", "3 commits since `v1.1.0`"),
    "what changed in the last release?": (
        "Add send_with_retry for busy servers",
        "between `v1.0.0` (2023-01-10) and `v1.1.0`",
    ),
    "what's new since the latest version": ("Try three times", "3 commits since `v1.1.0`"),
    "has anything changed in sending.py?": ("Add send_with_retry",),
    "what changed in March 2024": ("Try three times", "from 2024-03-01 to 2024-03-31"),
    "what changed in May 1999": ("no commits from 1999-05-01", "The newest"),
    "what changed recently": ("Try three times", "Git has 7 commits"),
    "when and why was send_with_retry added?": ("giving up lost orders", "2023-05-02", "`v1.1.0`", "Bo Li"),
    "Wann und warum wurde send_with_retry hinzugefügt?": ("giving up lost orders",),
    "why was the colour option removed?": ("Terminals say themselves", "2024-02-01"),
    "when was --colour removed": ("Terminals say themselves", "-parser.add_argument('--colour')"),
    "when was shop/net/sending.py added": ("Add send_with_retry", "2023-05-02"),
    "who wrote shop/net/sending.py?": ("Bo Li", "last changed by"),
    "who wrote send_with_retry": ("Bo Li (3 lines)",),
    "who maintains this project": ("7 commits", "Ana Núñez: 5 commits"),
    "who last changed shop/client.py": ("First steps", "2023-01-10"),
    "what was the last change to send_with_retry?": ("Try three times", "+    for _ in range(3):"),
    "history of shop/net/sending.py": ("Move the client's sending", "Add send_with_retry"),
    "show me the commits about colour": ("Remove the colour option", "Add the colour option"),
    "commits by Bo Li": ("Try three times", "Add send_with_retry"),
    "when was 1.1 released": ("`v1.1.0`", "2023-06-10"),
    "what is the latest release?": ("`v1.1.0`",),
}


@pytest.mark.parametrize("question", ASKED)
def test_questions(shopping: tuple[Index, dict[str, str]], question: str) -> None:
    found = answer_by_way(Question(question), shopping[0])
    text = told(found)
    assert found is not None
    assert found.known
    assert not [words for words in ASKED[question] if words not in text], text


@pytest.mark.parametrize("question", ASKED)
def test_every_citation_is_verified(shopping: tuple[Index, dict[str, str]], question: str) -> None:
    async def events() -> list[object]:
        return [event async for event in Conversation(shopping[0]).send(question)]

    happened = asyncio.run(events())
    [checked] = [event for event in happened if isinstance(event, Citations)]
    [done] = [event for event in happened if isinstance(event, Done)]
    assert done.known
    assert checked.citations
    assert {citation.status for citation in checked.citations} == {"verified"}


def test_a_citation_of_words_that_no_commit_says_is_not_verified(shopping: tuple[Index, dict[str, str]]) -> None:
    index = shopping[0]
    found = history_of(index, "when was send_with_retry added")
    shown = number(found.hits)
    checked = verify('It was added [1: "giving up lost orders"] and [1: "by a wizard in 1802"].', shown, index.read)
    assert [citation.status for citation in checked.citations] == ["verified", "unverified"]


@pytest.mark.parametrize(
    "question",
    [
        "when was telepathy added",
        "who wrote Moby Dick",
        "why was the moon removed",
        "history of Rome",
        "who owns the sea",
    ],
)
def test_what_the_history_does_not_hold_is_searched_for(shopping: tuple[Index, dict[str, str]], question: str) -> None:
    assert answer_by_way(Question(question), shopping[0]) is None


def test_a_version_that_is_not_there_is_refused(shopping: tuple[Index, dict[str, str]]) -> None:
    found = answer_by_way(Question("what changed in 9.9?"), shopping[0])
    assert found is not None
    assert not found.known
    assert "v1.1.0" in told(found)


def test_commits_and_tags_are_read_as_documents_are(shopping: tuple[Index, dict[str, str]]) -> None:
    index, ids = shopping
    excerpt = index.read_lines(f"commit {ids['retry'][:10]}", 1, 5)
    assert excerpt.lines == (f"commit {ids['retry']}", "Author: Bo Li", "Date: 2023-05-02", "", "Add send_with_retry")
    assert excerpt.fresh
    assert "The one that tries again." in index.read_lines("tag v1.1.0").text
    for path in ("commit 0000000000", "commit zzz", "tag nothing", "commit ../../etc/passwd"):
        with pytest.raises(NotFoundError):
            index.read_lines(path)


def test_python(shopping: tuple[Index, dict[str, str]]) -> None:
    index, ids = shopping
    assert index.history(limit=2).hits[0].path == f"commit {ids['last'][:10]}"
    assert len(index.history(limit=2).hits) == 2
    assert "Try three times" in told(index.history("shop/net/sending.py", since="2024-03"))
    assert "Add the colour" in told(index.history("colour", until="2023"))
    assert "Try three times" in told(index.history(ids["last"][:8]))
    assert not index.history("nothing of the kind").known
    with pytest.raises(UsageError, match="not a date"):
        index.history(since="soon")


def test_a_model_can_ask(shopping: tuple[Index, dict[str, str]]) -> None:
    registry = registry_of(shopping[0])
    assert "history" in registry.names
    for budget in (20, 60, 400, 1500):
        outcome = registry.call(
            "history", {"about": "when was send_with_retry added"}, budget=budget, count=lambda text: len(text.split())
        )
        assert not outcome.failed
        assert len(outcome.text.split()) <= budget
    assert 'from="commit' in outcome.text
    assert "giving up lost orders" in outcome.text
    assert {passage.path.split()[0] for passage in outcome.passages} >= {"commit", "tag"}
    wrong = registry.call("history", {"about": "x", "since": "soon"}, budget=100, count=len)
    assert wrong.failed
    assert "not a date" in wrong.text


def test_without_a_repository_no_model_is_told_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    with Index.build(tmp_path) as index:
        assert "history" not in registry_of(index).names


def test_no_text_of_a_commit_can_end_its_quote(shopping: tuple[Index, dict[str, str]]) -> None:
    text = told(answer_by_way(Question("when and why was send_with_retry added?"), shopping[0]))
    assert len(re.findall(r"^```", text, re.MULTILINE)) % 2 == 0


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Words that stood in other names, or meant another thing, before what is asked for came."""
    folder = tmp_path_factory.mktemp("engine")
    made = Repository(folder / "engine")
    java = "class Format {{\n    void print() {{\n        StringBuilder builder = null;\n    }}\n{}}}\n"
    made.commit("Print slowly", {"Format.java": java.format(""), "main.go": "var config Config\n"}, "2020-01-01")
    made.git("tag", "-a", "v1.4.0", "-m", "1.4.0", day="2020-01-01")
    built = "    static Builder builder() {\n        return null;\n    }\n"
    made.commit("Build formats step by step", {"Format.java": java.format(built)}, "2021-01-01")
    made.commit(
        "Add the config command",
        {"cmd.go": "var cmd = 1\n", "NEWS": "The Steam Engine 2.0.0 News\n---------------------------\n\nPuffs.\n"},
        "2021-02-01",
    )
    made.git("tag", "-a", "v2.0.0", "-m", "2.0.0", day="2021-02-02")
    made.git("tag", "-a", "v1.4.1", "-m", "1.4.1", "HEAD~2", day="2022-01-01")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(made.folder) as index:
            yield index


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("when was the builder introduced?", "Build formats step by step"),
        ("when and why was the config command added?", "Add the config command"),
        ("what changed in 2.0?", "between `v1.4.0` (2020-01-01) and `v2.0.0`"),
        ("what changed in 2.0.0?", "Puffs"),
        ("who is the main author?", "3 commits, by 1 author"),
        ("who wrote most of this", "3 commits, by 1 author"),
    ],
)
def test_what_only_looks_like_it_is_passed_over(engine: Index, question: str, expected: str) -> None:
    assert expected in told(answer_by_way(Question(question), engine))


def test_what_no_commit_says_went_did_not_go(engine: Index) -> None:
    found = answer_by_way(Question("why was the config command removed?"), engine)
    assert found is None or "Add the config command" not in told(found)


def test_what_mends_a_thing_did_not_bring_it_and_what_only_speaks_of_it_does_not_say_so(tmp_path: Path) -> None:
    made = Repository(tmp_path / "ferry")
    made.commit("Fix the new river gauge", {"gauge.txt": "cold\n"}, "2023-01-02")
    made.commit("A river gauge of glass, second try", {"gauge.txt": "warm\n"}, "2023-01-03")
    made.commit("Add a bell for the night ferry", {"bell.txt": "ding\n"}, "2023-01-04")
    with Index.build(made.folder) as index:
        gauge = told(history_of(index, "when was the river gauge added"))
        bell = told(history_of(index, "when was the bell for the night ferry added"))
    assert "of glass, second try" in gauge and "Fix the new" not in gauge
    assert "is the oldest that speaks of it:" in gauge
    assert "says so:" in bell


def test_the_type_of_a_commit_is_not_what_it_does_and_what_replaced_a_thing_is_told(tmp_path: Path) -> None:
    made = Repository(tmp_path / "ferry")
    made.commit("Ring it", {"bell.py": "import paper_tickets\n"}, "2023-01-02")
    made.commit("fix: add the tide table", {"tide.py": "TIDES = {}\n"}, "2023-01-03")
    made.commit("fix(tide): table of tides lost a day", {"tide.py": "TIDES = {1: 2}\n"}, "2023-01-04")
    made.commit("Replace paper-tickets by stamps\n\nPaper got wet.", {"bell.py": "import stamps\n"}, "2024-01-02")
    made.commit("Rename SLOW_BELL into CALM_BELL\n\nIt calms.", {"names.py": "CALM_BELL = 1\n"}, "2024-01-03")
    made.commit("Ring CALM_BELL twice", {"names.py": "CALM_BELL = 2\n"}, "2024-01-04")
    with Index.build(made.folder) as index:
        table = told(history_of(index, "when and by whom was the tide table added?"))
        tickets = told(history_of(index, "why and when were paper-tickets replaced?"))
        named = told(history_of(index, "why was SLOW_BELL renamed to CALM_BELL, and who did it?"))
    assert "fix: add the tide table" in table and "says so:" in table
    assert "Paper got wet." in tickets
    assert "It calms." in named


def test_of_several_changelogs_the_one_of_the_day_is_quoted(tmp_path: Path) -> None:
    """Packages of one repository number their versions each for itself."""
    made = Repository(tmp_path / "ferries")
    made.commit(
        "First",
        {
            "docs/CHANGELOG.md": "# Changes\n\n## 6.1.0 (2026-08-12)\n\n- A bell.\n",
            "docs/extra/CHANGELOG.md": "# Changes\n\n## 6.1.0 (2023-07-18)\n\n- A gauge.\n- A rope.\n- An oar.\n",
        },
        "2026-08-11",
    )
    made.git("tag", "v6.1.0")
    with Index.build(made.folder) as index:
        changed = told(history_of(index, "what changed in 6.1.0?"))
    assert "A bell." in changed and "A gauge." not in changed


def test_an_argument_is_no_definition_of_its_name_and_what_became_of_a_thing_is_told(tmp_path: Path) -> None:
    made = Repository(tmp_path / "ferry")
    made.commit("Add an updater", {"updater.py": "timeout = 10\n"}, "2023-01-02")
    made.commit("Add the timeout argument", {"jobs.py": "def run(job, *, timeout): ...\n"}, "2024-01-02")
    made.commit("Make the bell optional\n\nNobody heard it.", {"bell.py": "bell = None\n"}, "2024-01-03")
    with Index.build(made.folder) as index:
        added = told(history_of(index, "when was the timeout argument added?"))
        optional = told(history_of(index, "why was the bell made optional?"))
    assert "Add the timeout argument" in added and "Add an updater" not in added
    assert "Nobody heard it." in optional


@pytest.mark.parametrize(
    "question",
    [
        "When was this project started and by whom?",
        "who started this project?",
        "How old is this repository?",
        "what was the first commit",
        "In which year was the project founded?",
    ],
)
def test_all_of_it_began_with_the_oldest_commit(shopping: tuple[Index, dict[str, str]], question: str) -> None:
    index, _ = shopping
    found = answer_by_way(Question(question), index)
    assert found is not None and found.way == "history"
    [first] = found.hits
    newest = history_of(index, limit=50).hits
    assert f"The oldest commit of {len(newest)} is" in told(found)
    assert first.document.date == min(hit.document.date or "" for hit in newest)


@pytest.mark.parametrize("question", ["who started the server?", "when was the project file created", "how old is it"])
def test_what_began_otherwise_is_another_question(question: str) -> None:
    asked = history_question(question, date(2026, 3, 4))
    assert asked is None or asked.kind != "began"


def test_the_last_release_is_of_the_projects_own_series(tmp_path: Path) -> None:
    """Neither a date in the name of a backup nor the greatest number of another package is the newest version."""
    made = Repository(tmp_path / "ferry")
    for day, tag in (("2024-01-02", "v1.0"), ("2024-01-03", "backup-20240103"), ("2024-01-04", "v1.1")):
        made.commit(f"Work for {tag}", {"sail.py": f"day = {tag!r}\n"}, day)
        made.git("tag", tag)
    made.commit("Row", {"oar.py": "oars = 2\n"}, "2024-01-05")
    made.git("tag", "oars-7.0")
    with Index.build(made.folder) as index:
        assert "`v1.1`" in told(history_of(index, "what changed in the last release?"))
        assert "`v1.1`" in told(history_of(index, "when was the last release?"))
        assert "`oars-7.0`" in told(history_of(index, "what changed in oars 7.0?"))


def test_a_project_that_moved_on_to_tags_of_packages_is_told_by_the_newest(tmp_path: Path) -> None:
    made = Repository(tmp_path / "ferry")
    for day, tag in (("2020-01-02", "v9.0"), ("2024-01-03", "sail@2.0"), ("2024-01-04", "oars@1.0")):
        made.commit(f"Work for {tag}", {"sail.py": f"day = {tag!r}\n"}, day)
        made.git("tag", tag)
    with Index.build(made.folder) as index:
        assert "`oars@1.0`" in told(history_of(index, "what changed in the last release?"))


def test_where_nothing_names_a_release_the_newest_commits_are_listed(tmp_path: Path) -> None:
    made = Repository(tmp_path / "ferry")
    made.commit("Hoist the sail", {"sail.py": "sail = 1\n"}, "2024-01-02")
    with Index.build(made.folder) as index:
        found = history_of(index, "what changed in the last release?")
    assert found.known
    assert "names a release" in told(found) and "Hoist the sail" in told(found)


def test_who_wrote_a_folder_or_all_of_it_by_its_name(tmp_path: Path) -> None:
    made = Repository(tmp_path / "ferry-ce")
    made.commit(
        "Begin",
        {"README.md": "# Ferry CE\n\nFerry CE sails.\n", "kits/oars/row.py": "x = 1\n", "a/b/oars/c.py": ""},
        "2024-01-02",
    )
    made.commit("Begin Ferry in the harbour", {"kits/harbour/quay.py": "y = 1\n"}, "2024-01-03")
    with Index.build(made.folder) as index:
        assert "2 commits, by 1 author" in told(answer_by_way(Question("Who wrote Ferry?"), index))
        assert "1 commit of `kits/oars`" in told(answer_by_way(Question("Who maintains the oars package?"), index))
