"""Questions that one section of an overview answers: what a folder is for, where a program begins, its languages."""

from __future__ import annotations

import pytest
from overview_parts import FILES, Make

from quaestor.answers.overview.make_overview import make_overview
from quaestor.answers.overview.overview_answer import answer_with_section, describe_folder
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way


@pytest.mark.parametrize(
    ("question", "folder"),
    [
        ("What does src/shop do?", "src/shop"),
        ("What is in shop/orders?", "src/shop/orders"),
        ("what's in the orders directory?", "src/shop/orders"),
        ("What is `tools/` for?", "tools"),
    ],
)
def test_what_a_folder_is_for(made: Make, question: str, folder: str) -> None:
    answer = describe_folder(Question(question), made(FILES))
    assert answer is not None and answer.pieces[0] == f"**Overview of {folder}/: {answer.hits and len_of(folder)}**\n"


def len_of(folder: str) -> str:
    """Return how many documents of the files lie in a folder, in words."""
    number = sum(path.startswith(f"{folder}/") for path in FILES)
    return f"{number} document{'s' if number > 1 else ''}"


@pytest.mark.parametrize(
    ("question", "folder"),
    [("Where are the tests?", "test"), ("where is the documentation", "doc"), ("where are examples kept?", "")],
)
def test_where_tests_and_documents_are_kept(made: Make, question: str, folder: str) -> None:
    answer = describe_folder(
        Question(question), made({"test/a.py": "x = 1\n", "doc/a.md": "# A\n\nB.\n", "b.py": "y = 2\n"})
    )
    assert ("" if answer is None else str(answer.pieces[0]).partition(":")[0]) == (
        folder and f"**Overview of {folder}/"
    )


@pytest.mark.parametrize("question", ["What does shop do?", "What is in src/nothing?", "Where is src/shop used?"])
def test_what_is_no_folder_or_not_asked_for(made: Make, question: str) -> None:
    assert describe_folder(Question(question), made(FILES)) is None


def test_entry_points_and_languages_alone(made: Make) -> None:
    index = made(FILES)
    entries = answer_with_section(Question("Where is main?"), index)
    languages = answer_with_section(Question("What is it written in?"), index)
    assert entries is not None and languages is not None
    told = entries.text([1, 2, 3, 4, 5])
    assert "`shop → src/shop/cli.py`" in told and "Main parts" not in told
    assert "python" in languages.text([])


def test_a_program_comes_before_its_front_end(made: Make) -> None:
    files = {
        "README.md": "# Shop\n\nShop sends orders.\n\n- `docs/`: manual\n- `front/`: for people\n- `shop/`: the shop\n",
        "front/index.ts": "export const a = 1;\n" * 90,
        "shop/manage.py": "x = 1\n" * 40,
        "docs/index.md": "# Manual\n\nHow orders are sent.\n",
        "docs/conf.py": "y = 1\n" * 90,
        "tool/a.py": "z = 1\n",
    }
    found = make_overview(made(files), count=len)
    [parts] = [one for one in found.sections if one.title == "Main parts"]
    assert [one.name for one in parts.entries if not one.depth and one.name.endswith("/")][:2] == ["shop/", "front/"]


def test_where_to_begin_is_told_first(made: Make) -> None:
    users = {f"shop/part{number}.py": "from shop.core import run\n" for number in range(3)}
    index = made(
        {
            "README.md": "# Shop\n\nShop sells many things to many people.\n",
            "CONTRIBUTING.md": "# Helping\n\nWhoever helps us is welcome here.\n",
            "docs/architecture.md": "# Architecture\n\nThe core runs all of the parts.\n",
            "docs/deep/er/design.md": "# Design\n\nIt is the design of a thing deep down.\n",
            "pyproject.toml": '[project.scripts]\nshop = "shop.cli:main"\n',
            "shop/cli.py": "from shop.core import run\n\n\ndef main():\n    run()\n",
            "shop/core.py": "def run():\n    pass\n",
            **users,
        }
    )
    for asked in (
        "Where do I begin to read?",
        "What files should I read first?",
        "Wo fange ich an?",
        "从哪里开始读代码",
    ):
        answer = answer_by_way(Question(asked), index)
        assert answer is not None and answer.way == "overview"
        first = answer.text(range(1, 99)).partition("**Begin with**")[2].partition("**What it is**")[0]
        names = [line.split("`")[1] for line in first.strip().split("\n")]
        assert names == ["README.md", "docs/architecture.md", "CONTRIBUTING.md", "shop → shop/cli.py", "shop/core.py"]
        assert "imported by 4 files" in first
    answer = answer_by_way(Question("What is this?"), index)
    assert answer is not None and "Begin with" not in answer.text(range(1, 99))
