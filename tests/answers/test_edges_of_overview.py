"""The edges of what an overview says: where a text is cut, what a document is called, which words ask for one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.overview.described import defined_names
from quaestor.answers.overview.document_statistics import about_documents, kinds, languages, titles
from quaestor.answers.overview.introduction import introduction, shorten
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.named_paths import named_paths
from quaestor.answers.overview.overview_question import asks_for_overview
from quaestor.answers.overview.statements import Entry


def said(entry: Entry) -> tuple[object, ...]:
    """Return an entry's name, words and line, and whether these are its source's own."""
    says = entry.says
    if says is None:
        return (entry.name,)
    return (entry.name, says.text, says.source and (says.source.start_line, says.source.end_line), says.verbatim)


def introduced(folder: Path, files: Mapping[str, str]) -> list[tuple[str, int, bool]]:
    with index_of(folder / "corpus", files) as index:
        told = introduction(Material(index.store))
    return [(one.text, one.source.start_line, one.verbatim) for one in told if one.source]


SENTENCE = "It sells orders, and a warehouse sends."  # 39 characters


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        (SENTENCE, 39, SENTENCE),
        (f"{SENTENCE} {'more ' * 30}", 120, f"{SENTENCE} {'more ' * 16}".strip(" ") + " …"),
        (f"{SENTENCE}! {'more ' * 30}", 120, f"{SENTENCE}!"),
        (f"{SENTENCE} {'more ' * 30}", 100, SENTENCE),
        ("First. Second one. Third is long", 19, "First. Second one."),
        ("word " * 9, 11, "word word …"),
        ("word, " * 9, 12, "word, word …"),
        ("x" * 30, 10, f"{'x' * 10} …"),
        ("最初。次の文は長い", 4, "最初。"),
    ],
)
def test_a_text_is_cut_at_a_sentence_or_a_word(text: str, longest: int, expected: str) -> None:
    assert shorten(text, longest) == expected


def test_a_manifest_describes_the_project(tmp_path: Path) -> None:
    files = {
        "package.json": '{\n  "name": "shop",\n  "description": "Sells \\"orders\\" to people"\n}\n',
        "index.js": "sell();\n",
    }
    assert introduced(tmp_path, files) == [('Sells "orders" to people', 3, False)]
    files = {"pyproject.toml": '[project]\ndescription = "one"\n', "setup.cfg": 'description = Sells \\"orders\n'}
    assert introduced(tmp_path / "other", files) == [('Sells \\"orders', 1, True)]


def test_the_manifest_of_the_most_frequent_language_describes_it_first(tmp_path: Path) -> None:
    files = {
        "package.json": '{"description": "x",\n"description": "Draws the page of the shop"}\n',
        "pyproject.toml": 'description = "Sends orders to a warehouse"\n',
        "README.md": "# Shop\n\nShop is what a warehouse hears of orders by, at night.\n\n"
        "It hears nothing else of them at all.\n",
        "a.py": "x = 1\n",
        "b.py": "x = 1\n",
        "c.js": "x();\n",
    }
    assert introduced(tmp_path, files) == [
        ("Shop is what a warehouse hears of orders by, at night.", 3, False),
        ("Sends orders to a warehouse", 1, True),
    ]


def test_titles_are_cited_where_they_stand(tmp_path: Path) -> None:
    files = {
        "README.md": "intro\n\n# The shop\n\nText.\n\n## One\n\nText.\n\n## Two\n\nText.\n",
        "b.md": "---\ntitle: In front\ndate: 2024-03-01\nauthor: Anna\n---\n\n# Below\n\nText.\n",
        "c.md": "Title: Proposal of orders\n\nText.\n",
        "d.md": "PEP 12\n======\n\nWhat it is about\n----------------\n\nText.\n",
        "e.md": "# {{ page.title }}\n\nText.\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        found = [said(one) for one in titles(Material(index.store))]
    assert found == [
        ("README.md", "The shop", (3, 3), True),
        ("", "One; Two", (7, 11), False),
        ("b.md", "In front — 2024-03-01, Anna", (1, 1), False),
        ("c.md", "Proposal of orders", (1, 1), True),
        ("d.md", "PEP 12: What it is about", (1, 1), False),
        ("", "What it is about", (4, 4), False),
        ("e.md",),
    ]


def test_documents_are_counted_dated_and_signed(tmp_path: Path) -> None:
    dated = {f"{n}.md": f"---\ndate: 2024-0{n}-01\nauthor: Anna\n---\n\n# T\n\nText.\n" for n in (1, 2)}
    files = {
        **dated,
        "x/3.md": "# T\n\nText.\n",
        "x/4.md": "# T\n\nText.\n",
        "Caddyfile": "x\n",
        "a.json": "{}\n",
        "s.py": "x = 1\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        material = Material(index.store)
        [about], folders = about_documents(material), kinds(material)
        [spoken] = languages(material)
    assert said(about) == ("", "4 documents; dated 2024-01-01 to 2024-02-01 (2 of them); by Anna (2)", None, False)
    assert [said(one) for one in folders] == [("", "./ (2), x/ (2)", None, False)]
    assert said(spoken) == ("", "markdown 94% (4), python 5% (1), text 2% (1)", None, False)


def test_one_date_and_few_authors(tmp_path: Path) -> None:
    files = {f"{n}.md": "---\ndate: 2024-01-01\n---\n\n# T\n\nText.\n" for n in range(4)}
    files["0.md"] = "---\ndate: 2024-01-01\nauthor: Anna\n---\n\n# T\n\nText.\n"
    with index_of(tmp_path / "corpus", files) as index:
        material = Material(index.store)
        assert [one.says and one.says.text for one in about_documents(material)] == [
            "4 documents; dated 2024-01-01; by Anna (1)"
        ]
        assert kinds(material) == []


def test_a_path_is_named_from_the_folder_of_its_document(tmp_path: Path) -> None:
    files = {
        "README.md": "# Shop\n\n- `CHANGELOG.md`: what changed\n- `src/retry.py`: sends orders again\n",
        "docs/architecture.md": "# Architecture\n\n- `parts/one.md`: how orders are sent\n- two.md\n",
        "docs/parts/one.md": "# One\n\nText.\n",
        "docs/two.md": "# Two\n\nText.\n",
        "CHANGELOG.md": "# Changes\n\nText.\n",
        "src/retry.py": "def send():\n    pass\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        found = named_paths(Material(index.store))
    assert {path: one.says and one.says.text for path, one in found.items()} == {
        "CHANGELOG.md": "what changed",
        "src/retry.py": "sends orders again",
        "docs/parts/one.md": "how orders are sent",
        "docs/two.md": None,
    }
    assert found["src/retry.py"].weight > found["docs/parts/one.md"].weight


def test_a_file_without_words_of_its_own_defines_its_largest_class_first(tmp_path: Path) -> None:
    functions = "".join(f"    def f{n}(self):\n        return {n}\n\n" for n in range(60))
    files = {
        "a.py": f"def sending():\n    return 1\n\n\nclass Small:\n    def add(self):\n        return 2\n\n\n"
        f"class Orders:\n{functions}",
        "sending.py": "class Orders:\n    x = 1\n\n\ndef sending():\n    return 1\n",
        "README.md": "# Shop\n\nIt sells.\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        material = Material(index.store)
        told = [defined_names(material, path, 3) for path in ("a.py", "sending.py", "README.md")]
    assert [one and (one.text, one.brief) for one in told] == [
        ("class Orders:", "defines Orders, Small, sending"),
        ("def sending():", "defines sending, Orders"),
        None,
    ]


@pytest.mark.parametrize("question", ["what is the structure of it?", "how is it laid out?", "what is this?"])
def test_a_bare_it_is_the_whole_only_where_nothing_was_asked_before(question: str) -> None:
    assert asks_for_overview(question)
    assert not asks_for_overview(question, first=False)
