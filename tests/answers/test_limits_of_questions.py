"""How long a question may be: what is longer than any question of a kind is none, and is not even looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import test_listings
import test_numbered_documents
import test_options_explained
import test_project_facts

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.ask_back import is_without_context
from quaestor.answers.names.explain_term import read_comparison, read_term_question
from quaestor.answers.overview.build_question import asks_how_to_build, asks_how_to_run
from quaestor.answers.overview.overview_question import asks_for_overview
from quaestor.answers.project.facts import answer_project_facts
from quaestor.answers.project.guides import answer_with_project_guide
from quaestor.answers.project.listed_files import list_folder, list_tests
from quaestor.answers.project.listings import list_declared
from quaestor.answers.project.maintainers import answer_maintainers
from quaestor.answers.project.named_documents import (
    answer_how_to_add,
    answer_origin,
    answer_within_file,
    read_file_question,
)
from quaestor.answers.settings.configuration import explain_configuration
from quaestor.answers.settings.explain_option import read_option_question
from quaestor.answers.settings.named_settings import explain_setting
from quaestor.answers.settings.option_lists import list_environment, list_options
from quaestor.answers.way import Question, Way
from quaestor.answers.ways import _answer_two
from quaestor.search.names_in_question import looks_like_code, names_of_code, read_name_question

FILES = {
    **test_listings.FILES,
    **test_listings.TESTS,
    **test_options_explained.ENVIRONMENT,
    **test_numbered_documents.FILES,
    **test_project_facts.FILES,
    **test_project_facts.GUIDES,
    "src/cli.py": test_options_explained.ARGUMENTS,
    "OWNERS": "approvers:\n  - ann\n",
    **{f"playbooks/{name}.yml": "- hosts: all\n" for name in ("a", "b", "c")},
    "README.md": "# Ferry\n\nFerry carries letters across the river.\n\n## Installation\n\n    pip install ferry\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("limits") / "ferry", FILES) as index:
        yield index


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("limits") / "docs", test_project_facts.PAGES) as index:
        yield index


@pytest.mark.parametrize(
    ("way", "question", "longest"),
    [
        (list_environment, "Which environment variables does it read?", 160),
        (list_options, "which options are there?", 160),
        (explain_configuration, "How is configuration loaded?", 120),
        (explain_setting, "What is the default timeout?", 120),
        (list_declared, "Which routes are there?", 120),
        (list_folder, "Which playbooks are there?", 120),
        (list_tests, "Which tests cover the till?", 120),
        (answer_project_facts, "What license is this under?", 120),
        (answer_maintainers, "Who maintains this project?", 120),
        (answer_with_project_guide, "How do I install it?", 120),
        (answer_how_to_add, "How do I add a new integration?", 120),
        (answer_within_file, "Who wrote proposal 0012?", 500),
    ],
)
def test_a_way_answers_no_longer_question(index: Index, way: Way, question: str, longest: int) -> None:
    padding = " " * (longest - len(question))
    assert way(Question(f"{padding}{question}"), index) is not None
    assert way(Question(f"{padding} {question}"), index) is None


def test_the_origin_is_asked_for_in_few_letters(pages: Index) -> None:
    question = "Who started the project?".rjust(120)
    assert answer_origin(Question(question), pages) is not None
    assert answer_origin(Question(f" {question}"), pages) is None


@pytest.mark.parametrize(
    ("read", "question", "longest"),
    [
        (read_option_question, "what does --no-wait do?", 160),
        (read_term_question, "what is a leaf?", 120),
        (read_comparison, "leaf vs. branch", 120),
        (read_file_question, "what does src/a.py say of keys?", 500),
        (asks_how_to_build, "how do I build it?", 120),
        (asks_how_to_run, "how do I run it?", 120),
        (asks_for_overview, "what is this project?", 2000),
    ],
)
def test_no_longer_question_is_read(read: Callable[[str], object], question: str, longest: int) -> None:
    assert read(question.rjust(longest))
    assert not read(question.rjust(longest + 1))


def test_a_name_in_a_question_is_read_up_to_its_limits() -> None:
    name = "parse_" + "x" * 280
    assert read_name_question(f"what is the class {name[:-18]}") is not None
    assert [read_name_question(f"`{'x' * more}`") is not None for more in (198, 298, 299)] == [True, True, False]
    assert [looks_like_code("a_" + "b" * more) for more in (298, 299)] == [True, False]
    assert [names_of_code("x" * more + " send_all") for more in (3991, 3992)] == [("send_all",), ("send_al",)]


def test_a_question_without_context_has_twelve_words_at_most() -> None:
    text = "how do I turn that off again if it is still on"
    assert len(text.split()) == 12
    assert is_without_context(text)
    assert not is_without_context(f"{text} ok")


@pytest.mark.parametrize(("longest", "joined"), [(300, True), (301, False)])
def test_two_questions_are_told_apart_in_few_letters(index: Index, longest: int, joined: bool) -> None:
    begin, end = "What is this and how do I", "install it?"
    found = _answer_two(Question(f" {begin}{end.rjust(longest - len(begin))} "), index)
    assert (found is not None) == joined
