"""The edges of what an overview says: where a text is cut, what a document is called, which words ask for one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from overview_parts import material_of

from index_of_files import index_of
from quaestor.answers.overview.document_statistics import _is_template, about_documents, kinds, languages, titles
from quaestor.answers.overview.entry_points import _declared_entries
from quaestor.answers.overview.introduction import introduction, readme_of, shorten
from quaestor.answers.overview.main_parts import _Levels
from quaestor.answers.overview.make_overview import _shorten_sections
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.named_paths import named_paths
from quaestor.answers.overview.overview_answer import introduce, names_all_of_it
from quaestor.answers.overview.overview_question import asks_for_overview, name_in_overview_question
from quaestor.answers.overview.overview_text import Entry, Section, Statement, _in_quote_marks
from quaestor.answers.overview.path_descriptions import _is_sentence, defined_names
from quaestor.core.documents import Document


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
        "f.md": "## Page 1: Page 2\n\nText.\n",  # of a PDF without a heading
        "g.md": "## Page 1: The lamp\n\nText.\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        found = [said(one) for one in titles(Material(index.store))]
    assert found == [
        ("README.md", "The shop", (3, 3), True),
        ("", "One; Two", (7, 11), False),
        ("b.md", "In front", (2, 2), True),
        ("c.md", "Proposal of orders", (1, 1), True),
        ("d.md", "PEP 12: What it is about", (1, 1), False),
        ("", "What it is about", (4, 4), False),
        ("e.md",),
        ("f.md",),
        ("g.md", "The lamp", (1, 1), True),
    ]


def test_documents_are_counted_dated_and_signed(tmp_path: Path) -> None:
    dated = {f"{n}.md": f"---\ndate: 2024-0{n}-01\nauthor: Anna\n---\n\n# T\n\nText.\n" for n in (1, 2)}
    files = {
        **dated,
        "x/3.md": "# T\n\nText.\n",
        "x/4.md": "# T\n\nText.\n",
        "Ferryfile": "x\n",
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
        ("class Orders", "defines Orders, Small, sending"),
        ("def sending()", "defines sending, Orders"),
        None,
    ]


@pytest.mark.parametrize("question", ["what is the structure of it?", "how is it laid out?", "what is this?"])
def test_a_bare_it_is_the_whole_only_where_nothing_was_asked_before(question: str) -> None:
    assert asks_for_overview(question)
    assert not asks_for_overview(question, first=False)


@pytest.mark.parametrize("question", ["What is this about?", "what's this all about"])
def test_what_all_of_it_is_about_may_be_asked_at_any_time(question: str) -> None:
    assert asks_for_overview(question, first=False)


def test_a_folder_without_a_readme_has_none_and_a_corpus_its_introduction(tmp_path: Path) -> None:
    files = {"introduction.md": "# Introduction\n\nFerry carries requests.\n", "more/a.md": "# A\n\nA bell rings.\n"}
    with index_of(tmp_path / "corpus", files) as index:
        material = Material(index.store)
        assert readme_of(material, "") == "introduction.md"
        assert readme_of(material, "more") is None


def test_a_document_may_begin_the_others_by_the_title_in_its_preamble(tmp_path: Path) -> None:
    files = {
        "a.md": "# Bells\n\nA bell rings.\n",
        "b.md": "PEP: 1\nTitle: Introduction to the ferry\n\nIt carries requests.\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        assert readme_of(Material(index.store), "") == "b.md"


@pytest.mark.parametrize(
    ("path", "language", "title", "template"),
    [
        ("_layouts/page.html", "html", "Page", True),
        (".site/page.html", "html", "Page", True),
        ("pages/page.html", "html", "Page", False),
        ("pages/page.html", "html", None, True),
        ("_pages/page.md", "markdown", "Page", False),
        ("pages/page.md", "markdown", None, False),
    ],
)
def test_a_page_in_a_folder_of_templates_or_without_a_title_is_a_template(
    path: str, language: str, title: str | None, template: bool
) -> None:
    assert _is_template(Document(path, "", 1, 0, language, title=title)) == template


@pytest.mark.parametrize(
    ("says", "shown"),
    [
        (Statement("carries requests far away", verbatim=True, brief="x"), "“carries requests far away”"),
        (Statement("carries requests far away", verbatim=True), "“carries requests far away”"),
        (Statement('description="carries requests far"', verbatim=True, brief="x"), "“carries requests far”"),
        (Statement("written by hand", brief="x"), "written by hand"),
    ],
)
def test_words_of_a_source_stand_in_quote_marks(says: Statement, shown: str) -> None:
    assert _in_quote_marks(says) == shown


def test_a_script_of_a_project_below_is_no_entry_of_the_whole(tmp_path: Path) -> None:
    escript = "defmodule Ferry do\n  escript: [main_module: {name}]\nend\n"
    files = {
        "mix.exs": escript.replace("{name}", "Ferry.Main"),
        "apps/bell/mix.exs": escript.replace("{name}", "Bell.Main"),
        "lib/ferry.ex": "defmodule Ferry do\nend\n",
    }
    with index_of(tmp_path / "corpus", files) as index:
        found = list(_declared_entries(Material(index.store)))
    assert [one.name for one in found] == ["Ferry.Main"]


def test_the_root_lies_at_no_depth() -> None:
    levels = _Levels("", {"": 2, "a": 1, "a/b": 2}, frozenset({"", "a/b"}))
    assert [levels(path) for path in ("a", "a/b", "a/b/c")] == [1, 1, 2]


def test_what_ends_like_code_is_no_sentence() -> None:
    assert _is_sentence("Carries requests far")
    assert not _is_sentence("carry(requests, far); ")
    assert not _is_sentence("far")


def test_an_introduction_is_an_overview(tmp_path: Path) -> None:
    files = {"README.md": "# Ferry\n\nFerry carries requests across bad networks.\n", "ferry.py": "def go(): ...\n"}
    with index_of(tmp_path / "corpus", files) as index:
        answer = introduce(index)
    assert answer is not None
    assert answer.way == "overview"


def test_of_many_lines_a_twentieth_is_left_out_at_a_time() -> None:
    for entries, left in ((40, 38), (39, 38), (1, 0)):
        sections = (Section("a", tuple(Entry(str(n)) for n in range(entries)), 3), Section("b", ()))
        [*shortened] = _shorten_sections(sections)
        assert sum(len(one.entries) for one in shortened) == left
        assert not shortened or shortened[0].left_out == 3 + entries - left


@pytest.mark.parametrize("place", ["", ".github/", "docs/"])
def test_a_readme_lies_in_the_root_or_where_git_hosts_look_for_it(place: str) -> None:
    assert readme_of(material_of({f"{place}README.md": "# Ferry\n", "a/README.md": "# A\n"}), "") == f"{place}README.md"


def test_titles_begin_with_the_readme() -> None:
    named = [one.name for one in titles(material_of({"A.md": "# A\n", "README.md": "# R\n", "b/index.md": "# B\n"}))]
    assert [one for one in named if one] == ["README.md", "A.md", "b/index.md"]


@pytest.mark.parametrize(
    ("folder", "name", "whole"), [("abc", "Abc", True), ("abc", "abc", True), ("ab", "ab", False), ("ab", "xyz", False)]
)
def test_a_name_of_three_letters_is_that_of_the_whole_and_one_of_two_is_not(
    folder: str, name: str, whole: bool, tmp_path: Path
) -> None:
    with index_of(tmp_path / folder, {"boat.py": "mast = 1\n"}) as index:
        assert names_all_of_it(name, index) == whole


def test_a_name_of_the_whole_has_four_words_at_most() -> None:
    assert name_in_overview_question("What is old river ferry post?") == "old river ferry post"
    assert name_in_overview_question("What is old river ferry post office?") == ""
