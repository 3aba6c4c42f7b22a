"""How all of it is built or tested: which questions ask that, and what is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.overview.overview_question import asks_how_to_build
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way
from quaestor.llm.prompts.numbered_passages import number

LONG = (
    "pytest tests --cov=shop --cov-report=xml:./coverage.xml --cov-report term-missing -m 'not slow and not flaky' -n 4"
)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Index]:
    files = {
        "README.md": "# Shop\n\nShop sends orders.\n\n## Development\n\n    $ ./manage.py test\n",
        "Makefile": "check:\n\truff check\n\ntest: check\n\tpytest\n\nlint:\n\truff format\n",
        ".github/workflows/ci.yml": f"jobs:\n  test:\n    steps:\n      - run: {LONG}\n",
        "shop.py": "def test_drive(car):\n    return car\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        yield index


@pytest.mark.parametrize(
    "text",
    [
        "How do I run the tests?",
        "how can I build this from source",
        "How to run all the tests locally",
        "Which command builds the project?",
        "what commands do I need to build and test it",
        "how is this built and tested?",
        "Hi, how do I compile it?",
        "Wie führe ich die Tests aus?",
        "Comment lancer les tests ?",
        "¿Cómo ejecuto las pruebas?",
        "怎么运行测试？",
        "テストはどうやって実行しますか？",
    ],
)
def test_who_wants_to_build_or_test_it(text: str) -> None:
    assert asks_how_to_build(text)


@pytest.mark.parametrize(
    "text",
    [
        "How do I test my app?",
        "How is the index built?",
        "how do I run a single test",
        "How do I run it?",
        "Which tests build the index?",
        "how are tests collected",
        "What does the build command do?",
        "how do I build a query",
        "tests",
        "",
    ],
)
def test_who_asks_about_a_thing_of_its_own(text: str) -> None:
    assert not asks_how_to_build(text)


def test_it_is_answered_from_documents_task_files_and_ci(shop: Index) -> None:
    answer = answer_by_way(Question("How do I run the tests?"), shop)
    assert answer is not None and answer.way == "build"
    text = answer.text(range(1, len(answer.hits) + 1))
    assert "`README.md`: “./manage.py test” [1]" in text
    assert re.search(r"`Makefile`: “check:” \[\d\], also `test`, `lint`\n", text)
    assert "pytest tests --cov=shop" in text
    checked = verify(text, number(answer.hits), shop.read)
    assert [citation.status for citation in checked.citations] == ["verified"] * len(answer.hits)


def test_where_no_file_tells_it_is_searched(tmp_path: Path) -> None:
    with index_of(tmp_path / "notes", {"bread.md": "# Bread\n\nIt rests.\n"}) as notes:
        answer = answer_by_way(Question("How do I run the tests?"), notes)
        assert answer is None or answer.way != "build"
