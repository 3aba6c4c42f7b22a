"""Whole overviews, line by line: what stands in them, in which order, how they are cut, and as plain objects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.overview.introduction import readme_of
from quaestor.answers.overview.make_overview import make_introduction, make_overview
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.named_paths import named_paths
from quaestor.answers.overview.overview_answer import wants_overview
from quaestor.answers.overview.overview_text import Statement, overview_object
from quaestor.answers.overview.path_descriptions import defined_names, description
from quaestor.answers.way import Question

PROGRAM = {
    "README.md": "# Shop\n\n"
    "Shop is a tool to send an order to a far depot by night, and to ask it how far it got. Good.\n\n"
    "## Where things are\n\n- `.tool.yml`: settings of the tool\n- `src/shop/` - sends the orders and\n  tries again\n"
    "- `logo.svg`\n\n## `docs/`\n\nXylophones for the guide.\n\n## `tools/`\n",
    "CONTRIBUTING.md": "# Contributing\n\n- `send_orders` sends them\n- run `make test`\n\n"
    "Long code lies in src/more, and `no.such.module` is gone.\n",
    ".tool.yml": "a: 1\n",
    "logo.svg": "<svg></svg>\n",
    "pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.cli:main"\n',
    "Makefile": "test:\n\tpytest\n",
    "src/shop/__init__.py": '"""Sends orders.\n\nMore of it.\n"""\n',
    "src/shop/cli.py": '"""The command line, which reads\nwhat is to be sent\nand sends it."""\n\n'
    "from shop.retry import send\n\n\ndef main():\n    send()\n",
    "src/shop/retry.py": "def send():\n    return 1\n",
    "src/shop/send_orders.py": "from shop.retry import send\n\n\ndef send_orders():\n    send()\n",
    "src/.hidden/secret.py": "def secret():\n    return 1\n",
    "src/more/long.py": "def short_one():\n    return 1\n\n\ndef long_one():\n" + "    print('it is long')\n" * 60,
    "tools/tools.js": "// Draws the tools of the shop.\nfunction draw() {}\n",
    "conf/a.toml": "# What the shop is told at night.\na = 1\n",
    "docs/guide.md": "# Guide\n\nHow a shop is connected.\n",
    "big.py": "x = 1\n" * 900,
}
PAGES = {
    "README.md": "# Trains\n\nA guide to all the night trains.\n",
    "_layouts/page.html": "<html><head><title>Layout of a page</title></head><body><p>It is.</p></body></html>\n",
    "alps/over.md": "---\ntitle: Over the Alps\ndate: 2024-03-01\nauthor: Anna\n---\n\n# Over\n\nIt climbs.\n",
    "sea/by.md": '# By the sea\n\nIt is "slow" and wet.\n',
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("program") / "shop", PROGRAM) as index:
        yield index


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("pages") / "trains", PAGES) as index:
        yield index


TOLD = {
    ("program", 1500): """
        Overview: 16 documents

        What it is:
        - Shop is a tool to send an order to a far depot by night, and to ask it how far it got. Good. [1]
        - Xylophones for the guide. [2]

        Entry points:
        - shop → src/shop/cli.py: pyproject.toml [3]
        - src/shop/__init__.py: Sends orders. [4]

        Main parts:
        - src/
          - shop/: sends the orders and tries again [5]
            - send_orders.py: sends them [6]
            - retry.py: defines send [7]
            - cli.py: The command line, which reads what is to be sent and sends it. [8]
            - __init__.py: Sends orders. [4]
          - more/
            - long.py: defines long_one, short_one [9]
        - tools/: Draws the tools of the shop. [10]
          - tools.js: defines draw [10]
        - conf/
          - a.toml: What the shop is told at night. [11]
        - Makefile: defines test
        - README.md: Shop is a tool to send an order to a far depot by night, and to ask it how far it got. Good. [1]
        - CONTRIBUTING.md: Long code lies in src/more, and no.such.module is gone. [12]
        - .tool.yml: settings of the tool [13]
        - docs/: Xylophones for the guide. [2]
          - guide.md: How a shop is connected. [14]
        - big.py, pyproject.toml

        Files that most others import:
        - src/shop/retry.py: imported by 2 files

        Build and test:
        - CONTRIBUTING.md: make test [15]
        - Makefile: make test [16]

        Languages (files):
        - python 94% (7), markdown 6% (3)
    """,
    ("program", 100): """
        Overview: 16 documents

        What it is:
        - Shop is a tool to send an order to a far depot by night, and to ask it how far it got. Good. [1]
        - Xylophones for the guide. [2]

        Entry points:
        - shop → src/shop/cli.py: pyproject.toml [3]
        - … 1 more

        Main parts:
        - src/
          - shop/
            - send_orders.py, retry.py, cli.py
          - more/
        - tools/, docs/
    """,
    ("pages", 1500): """
        Overview: 4 documents

        What it is:
        - A guide to all the night trains. [1]

        Documents:
        - 4 documents; dated 2024-03-01; by Anna (1)

        Folders:
        - ./ (1), _layouts/ (1), alps/ (1), sea/ (1)

        Titles:
        - README.md: Trains [2]
        - alps/over.md: Over the Alps [3] — 2024-03-01, Anna
        - sea/by.md: By the sea [4]
        - _layouts/page.html

        Languages (files):
        - markdown 100% (3)
    """,
}


def lines_of(said: Statement) -> tuple[int, int]:
    assert said.source is not None
    return said.source.start_line, said.source.end_line


def count_words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(("name", "budget"), TOLD)
def test_the_whole_overview(request: pytest.FixtureRequest, name: str, budget: int) -> None:
    found = make_overview(request.getfixturevalue(name), budget=budget, count=count_words)
    assert found.text == dedent(TOLD[name, budget]).strip("\n")
    assert found.tokens == count_words(found.text)


def test_languages_are_left_out_where_they_would_take_more_than_their_share(pages: Index) -> None:
    found = make_overview(pages, budget=120, count=count_words)
    assert "Titles" in {section.title for section in found.sections}
    assert "Languages (files)" not in {section.title for section in found.sections}


def test_an_overview_is_made_once_for_each_state_of_the_index(tmp_path: Path) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return count_words(text)

    with index_of(tmp_path / "trains", PAGES) as index:
        first, made = make_overview(index, count=count), len(counted)
        assert make_overview(index, count=count) == first
        assert make_overview(index, "alps", count=count) != first
        assert len(counted) > made > 0
        made = len(counted)
        assert make_overview(index, count=count) == first
        assert len(counted) == made
        (tmp_path / "trains" / "README.md").write_text("# Trains\n\nA guide to trains by day.\n")
        assert "trains by day" in make_overview(index, count=count).text


def test_an_introduction_is_an_overview_of_one_section(program: Index) -> None:
    [section] = make_introduction(program, count=count_words).sections
    assert [entry.says and entry.says.text for entry in section.entries] == [
        "Shop is a tool to send an order to a far depot by night, and to ask it how far it got. Good.",
        "Xylophones for the guide.",
    ]


def test_the_contracted_form(pages: Index) -> None:
    told = overview_object(make_overview(pages, count=count_words))
    first, *_ = told.pop("sections")
    assert (told.pop("folder"), told.pop("documents"), sorted(told)) == ("", 4, ["text", "tokens"])
    [line] = first.pop("lines")
    assert first == {"title": "What it is", "left_out": 0}
    assert len(line.pop("sha256")) == 64
    assert line == {
        "names": [],
        "depth": 0,
        "says": "A guide to all the night trains.",
        "n": 1,
        "path": "README.md",
        "start_line": 3,
        "end_line": 3,
        "fresh": True,
    }


def test_what_a_document_says_of_a_path_may_be_wrapped_or_stand_below(program: Index) -> None:
    found = named_paths(Material(program.store))
    said = {path: one.says and (one.says.text, *lines_of(one.says)) for path, one in found.items()}
    assert said == {
        ".tool.yml": ("settings of the tool", 7, 7),
        "docs": ("Xylophones for the guide.", 14, 14),
        "logo.svg": None,
        "src/more": None,
        "src/shop": ("sends the orders and tries again", 8, 9),
        "src/shop/send_orders.py": ("sends them", 3, 3),
        "tools": None,
    }


def test_each_line_of_a_drawn_layout_without_marks_is_about_its_own_path(tmp_path: Path) -> None:
    layout = """
shop/                  # The shop (see docs)
  orders/
    send.py            # Sends orders
    tries.py           # Tries again (at night)
  __init__.py          # Entry: shop.open() -> Shop
"""
    files = {"CLAUDE.md": f"# Shop\n\n## Layout\n\n```\n{layout}```\n"}
    files |= {f"shop/{one}": "x = 1\n" for one in ("orders/send.py", "orders/tries.py", "__init__.py")}
    with index_of(tmp_path / "corpus", files) as index:
        found = named_paths(Material(index.store))
    assert {path: one.says and one.says.text for path, one in found.items()} == {
        "shop": "The shop (see docs)",
        "shop/orders": None,
        "shop/orders/send.py": "Sends orders",
        "shop/orders/tries.py": "Tries again (at night)",
        "shop/__init__.py": "Entry: shop.open() -> Shop",
    }


def test_a_folder_without_words_of_its_own_says_nothing(tmp_path: Path) -> None:
    files = {
        "docs/index.md": "# Shop\n\nIt sends orders by night.\n",
        "shop/a.py": "x = 1\n",
        "shop/b.py": "x = 1\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        assert description(Material(index.store), "shop") is None


def test_a_file_of_the_folders_name_speaks_for_it(tmp_path: Path) -> None:
    marks = {"py": "#", "ex": "#", "rb": "#", "go": "//", "ts": "//", "js": "//", "lua": "--", "rs": "//"}
    files = {f"{one}till/{one}till.{one}": f"{mark} Keeps the {one} coins.\n\nx = 1\n" for one, mark in marks.items()}
    with index_of(tmp_path / "corpus", files) as index:
        material = Material(index.store)
        said = {one: description(material, f"{one}till") for one in marks}
    assert {one: told and told.text for one, told in said.items()} == {one: f"Keeps the {one} coins." for one in marks}


def test_a_readme_may_be_written_in_any_of_these(tmp_path: Path) -> None:
    endings = "md rst markdown adoc asciidoc asc txt org mdx mediawiki rmd".split()
    names = {"none": "none/README"} | {one: f"{one}/README.{one}" for one in endings}
    others = {f"{folder}/README.zip.md": "No.\n" for folder in names}
    with index_of(tmp_path / "corpus", dict.fromkeys(names.values(), "It sells.\n") | others) as index:
        material = Material(index.store)
        assert {folder: readme_of(material, folder) for folder in names} == names


def test_an_overview_is_shortened_where_the_whole_counts_for_more_than_its_lines(program: Index) -> None:
    found = make_overview(program, budget=200, count=lambda text: len(text.split()) * (2 if "\n" in text else 1))
    assert 100 < found.tokens <= 200
    assert {section.title for section in found.sections} >= {"What it is", "Main parts"}
    assert "more" in found.text


def test_a_definition_of_the_files_own_name_comes_first_however_it_is_written(tmp_path: Path) -> None:
    order = "class Bigger {\n" + "  go() { return 1; }\n" * 40 + "}\n\nfunction sendOrder() {\n  return 2;\n}\n"
    files = {"send-order.js": order, "README": "Ferry carries orders.\n"}
    with index_of(tmp_path / "corpus", files) as index:
        said = defined_names(Material(index.store), "send-order.js", 3)
        assert said is not None and said.brief == "defines sendOrder, Bigger"
        # A README without a title names nothing.
        assert not wants_overview(Question("what is ferry?"), index)
