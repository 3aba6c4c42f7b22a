"""The overview of a corpus of documents, and the questions that it suggests."""

from __future__ import annotations

import pytest
from overview_parts import Make, material_of

from quaestor.answers.overview.document_statistics import language_of_document, table_of_contents
from quaestor.answers.project.starters import starters
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way


def test_documents(made: Make) -> None:
    notes = {
        f"trips/{year}.md": f"---\ntitle: A trip in {year}\ndate: {year}-05-01\nauthor: Ana Ruiz\n---\n\nWe went.\n"
        for year in range(2010, 2022)
    }
    text = made(notes).overview().text
    assert "12 documents; dated 2010-05-01 to 2021-05-01" in text
    assert "by Ana Ruiz (12)" in text
    assert "trips/2015.md: A trip in 2015 [6] — 2015-05-01, Ana Ruiz" in text


@pytest.mark.parametrize(
    "said", ["This is a static site built with Mill.", "This is a Mill.js-based website with code."]
)
def test_the_manual_is_told_and_not_the_generator_of_its_site(made: Make, said: str) -> None:
    readme = (
        f"# Harbour manual\n\n{said}\n\n"
        "Some of the files are not to be changed for any reason.\n\n## Run it\n\nMill is a tool for sites.\n"
    )
    pages = {f"manual/{name}.md": f"# {name}\n\nHow {name} works.\n" for name in ("tides", "locks", "pilots", "lights")}
    frames = {f"frames/{at}.html.erb": "<% for_all do |one| %>\n<b><%= one %></b>\n<% end %>\n" for at in range(20)}
    text = made({"README.md": readme, **pages, **frames}).overview().text
    assert "Harbour manual" in text
    assert "tides" in text.partition("Titles")[2]
    assert "Mill" not in text
    assert "not to be changed" not in text


def test_a_page_below_a_map_of_code_is_called_by_its_title_there(made: Make) -> None:
    page = '%{{\n  version: "1.0.1",\n  title: "{}",\n}}\n---\n\nHow they work.\n\n## Uses\n\nMany.\n'
    text = made({f"lessons/{at}.md": page.format(name) for at, name in enumerate(("Tides", "Locks"))}).overview().text
    assert "lessons/0.md: Tides" in text
    assert "lessons/1.md: Locks" in text


def test_six_authors_are_named_and_the_others_counted(made: Make) -> None:
    names = [f"Ana {letter}" for letter in "BCDEFGHI"]
    notes = {f"{name}.md": f"---\nauthor: {name}\n---\n# A trip\n\nWe went.\n" for name in names}
    text = made({**notes, "last.md": "---\nauthor: Ana I\n---\n# Home\n\nWe came.\n"}).overview().text
    assert "by Ana I (2), Ana B (1), Ana C (1), Ana D (1), Ana E (1), Ana F (1) and 2 more" in text


@pytest.mark.parametrize(
    ("lines", "language"),
    [
        (["# Fähre", "", "Die Fähre legt am Mittag an und nimmt auch Briefe mit."], "de"),
        (["# Ferry", "", "The ferry lands at noon, and it takes letters with it."], ""),
        ([], ""),
    ],
)
def test_the_language_of_a_document_is_that_of_its_paragraphs(lines: list[str], language: str) -> None:
    assert language_of_document(lines) == language


def test_few_documents_show_their_sections(made: Make) -> None:
    text = made({"guide.md": "# Guide\n\n## Baking\n\nIt rests.\n\n## Eating\n\nSlice it.\n"}).overview().text
    assert "guide.md: Guide" in text
    assert "Baking; Eating" in text


def test_documents_in_a_folder_of_another_language_are_translations(made: Make) -> None:
    pages = {
        f"{folder}{name}.md": f"# {name.title()}\n\n## All of {name}\n\nIt rests.\n"
        for name in ("ask", "find", "give")
        for folder in ("guide/", "guide/be/")
    }
    index = made({**pages, "guide/api/ask.md": "# Ask by a program\n", "_layouts/page.html": "<p>{{ page }}</p>\n"})
    text = index.overview().text
    assert "guide/be" not in text
    assert "guide/api/ask.md: Ask by a program" in text
    assert text.index("guide/give.md") < text.index("_layouts/page.html")
    asked = [(one.question, one.path) for one in starters(index)]
    assert asked and not any("/be/" in path for _, path in asked)


def test_documents_beside_those_in_english_are_translations(made: Make) -> None:
    pages = {
        f"content/{code}/{name}.md": f"# {name} in {code}\n" for code in ("en", "uz") for name in ("a", "b", "c", "d")
    }
    text = made({**pages, "content/go/a.md": "# Go\n"}).overview().text
    assert "content/uz" not in text
    assert "content/en/d.md: d in en" in text
    assert "content/go/a.md: Go" in text


def test_documents_with_a_title_come_before_those_without(made: Make) -> None:
    keys = {
        f"keys/{name}.txt": "MIIFazCCA1OgAwIBAgIRAIIQz7DSQONZRGPgu2OCiwAwDQYJKoZIhvcNAQELBQ\n" for name in "abcdefghi"
    }
    pages = {f"pages/deep/{name}.md": f"# All of {name}\n" for name in ("ask", "find")}
    text = (
        made({**keys, **pages, "pages/new.md": "# {{ .Name }}\n", "README.md": "# Keys\n\nKeys are kept here.\n"})
        .overview()
        .text
    )
    assert text.index("pages/deep/find.md: All of find") < text.index("keys/a.txt")
    assert "{{" not in text


def test_no_starter_asks_what_many_documents_have_a_section_about(made: Make) -> None:
    pages = {f"{name}.md": f"# {name} tools\n\n## Deep roots\n\nIt rests.\n" for name in ("oak", "elm", "ash")}
    asked = [one.question for one in starters(made(pages))]
    assert "Tell me about oak tools." in asked
    assert not any("roots" in one for one in asked)


def test_no_starter_asks_about_terms_and_examples(made: Make) -> None:
    terms, example = "# Terms\n\n## Ending these terms\n\nThey end.\n", "# Oak\n\n## Example letter\n\nDear oak.\n"
    pages = {"site/tos.md": terms, "oak.md": example}
    asked = " ".join(one.question for one in starters(made(pages)))
    assert "terms" not in asked.lower() and "example" not in asked.lower()


BOOK = {
    "README.md": "# The ferry\n\nA book about ferries and those who steer them.\n",
    **{f"text/{name}.md": f"# All of {name}\n\nIt is about {name} and more of it.\n" for name in "zcxya"},
    "text/left.md": "# Left out\n\nIt is left out of the table.\n",
}


@pytest.mark.parametrize(
    "table",
    [
        {"SUMMARY.md": "".join(f"- [{name}](text/{name}.md#top)\n" for name in "zcxya")},
        {"text/_sidebar.md": "".join(f"* [{name}](./{name}.md)\n" for name in "zcxya")},
        {"sidebar.md": "".join(f"1. [{name}](#text/{name})\n" for name in "zcxya")},
    ],
)
def test_a_book_is_told_in_the_order_of_its_table_of_contents(made: Make, table: dict[str, str]) -> None:
    text = made({**BOOK, **table}).overview().text
    places = [text.index(f"text/{name}.md:") for name in "zcxya"]
    assert places == sorted(places)
    assert text.index("README.md:") < places[0]
    assert text.index("text/left.md:") > places[-1]


@pytest.mark.parametrize(("chapters", "told"), [(4, 0), (5, 6), (60, 61), (61, 0)])
def test_a_table_of_few_or_of_very_many_documents_orders_nothing(chapters: int, told: int) -> None:
    pages = {f"p/{number}.md": f"# Page {number}\n\nIt has some words.\n" for number in range(chapters)}
    table = {"SUMMARY.md": "".join(f"- [a](p/{number}.md)\n- [b](p/gone.md)\n" for number in reversed(range(chapters)))}
    found = table_of_contents(material_of({**BOOK, **pages, **table}))
    assert len(found) == told
    assert not found or found[:2] == ("README.md", f"p/{chapters - 1}.md")


@pytest.mark.parametrize("examples", [{}, {f"examples/e{n}/src/main.rs": "fn main() {}\n" * 99 for n in range(9)}])
def test_a_book_is_begun_with_its_first_chapters(made: Make, examples: dict[str, str]) -> None:
    table = {"SUMMARY.md": "".join(f"- [{name}](text/{name}.md)\n" for name in "zcxya")}
    index = made({**BOOK, **table, **examples})
    answer = answer_by_way(Question("Where do I begin to read?"), index)
    assert answer is not None
    first = answer.text(range(1, 99)).partition("**Begin with**")[2].partition("**What it is**")[0]
    assert [line.split("`")[1] for line in first.strip().split("\n")] == [
        "README.md",
        *(f"text/{one}.md" for one in "zcxya"),
    ]
    other = answer_by_way(Question("What are the chapters?"), index)
    assert other is not None and other.way == "overview"
    assert "Begin with" not in other.text(range(1, 99))


def test_no_starter_is_about_rights_or_about_links_to_elsewhere(made: Make) -> None:
    links = "".join(f"- [On let {number}](https://example.org/{number})\n" for number in range(5))
    text = "本章介绍怎样声明变量，也介绍怎样使用它们，并给出一些例子。\n"
    pages = {
        "README.md": f"# 教程\n\n{text}\n## 版权许可\n\n{text}",
        "docs/let.md": f"# 变量\n\n## 声明变量\n\n{text}",
        "docs/reference.md": f"# 参考链接\n\n## let 和 const\n\n{links}",
    }
    asked = [one.question for one in starters(made(pages))]
    assert any("声明变量" in one for one in asked)
    assert not any("许可" in one or "let 和 const" in one for one in asked)
