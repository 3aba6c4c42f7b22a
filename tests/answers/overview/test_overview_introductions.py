"""What an overview takes for the introduction of a project, and which documents it lists."""

from __future__ import annotations

import pytest
from overview_parts import ORDERS, Make, OverviewOf, lines_of

from quaestor.answers.overview.introduction import introduction
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.prose_lines import headings, paragraphs, parts_of


@pytest.mark.parametrize(
    ("readme", "introduction"),
    [
        (
            "# Ferries\n\n> This repository contains the specs of ferries.\n\n- [Docs](#docs)\n\nThe specs here are:\n",
            "This repository contains the specs of ferries.",
        ),
        (
            "# Till\n\nDelightful tills for shops.\n\nWhile most tills are limited to coins, this is for any money.\n",
            "Delightful tills for shops.",
        ),
        ("# Till\n\nServer and website for <https://till.example>.\n", "Server and website for https://till.example."),
        (
            "# till\n\nA fast and plain statusline of tills.\n\nFor older tills please use its tags for them.\n",
            "A fast and plain statusline of tills.",
        ),
        (
            "till: a simple library for tills and orders\n\n- docs\n\nIf you use till, read the author's book.\n",
            "till: a simple library for tills and orders",
        ),
        (
            "<kbd>\n  Show your love for tills, in shirts and mugs!\n</kbd>\n\n---\n\nTill is a drawer for coins.\n",
            "Till is a drawer for coins.",
        ),
        (
            "# Till\n\nTill brings order for coins.\n\nThere are a number of useful tools for tills and coins.\n",
            "Till brings order for coins.",
        ),
        (
            "<div>\n  <p>\n    A quick build tool that is inspired by tills.\n </p>\n</div>\n\n## Install\n\nRun it.\n",
            "A quick build tool that is inspired by tills.",
        ),
    ],
)
def test_a_phrase_that_names_a_kind_introduces(overview_of: OverviewOf, readme: str, introduction: str) -> None:
    overview = overview_of({"README.md": readme, **ORDERS})
    assert introduction in overview.partition("Main parts")[0]
    assert "book" not in overview


@pytest.mark.parametrize("place", ["", ".github/", "docs/"])
def test_a_readme_where_github_looks_for_it_introduces_and_its_trademarks_do_not(
    overview_of: OverviewOf, place: str
) -> None:
    telling = "# Till\n\nTill is a shop of plain goods.\n\n(Coin and the coin's face are trademarks of Mint Inc.)\n"
    guide = "# Queries\n\nQueries are a way to ask the till.\n"
    overview = overview_of({f"{place}README.md": telling, "docs/guide/overview.md": guide, **ORDERS}).partition(
        "Main parts"
    )[0]
    assert "Till is a shop of plain goods." in overview
    assert "Queries" not in overview and "Mint" not in overview


def test_notices_to_readers_introduce_nothing(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {
            "README.md": "# Till\n\nTill is a shop of plain goods.\n\nYou're reading the guide for the next release.\n",
            **ORDERS,
        }
    )
    assert "Till is a shop of plain goods." in overview
    assert "reading the guide" not in overview


def test_without_a_readme_the_first_index_introduces(overview_of: OverviewOf) -> None:
    commands = {f"pages/cmds/c{n}.rst": f"c{n}\n====\n\nRuns the command {n} of it.\n" for n in range(30)}
    index = "Introduction\n************\n\nThis is the guide to **t**\\ ill, the **sh**\\ op.\n"
    overview = overview_of(
        {"pages/index.rst": index, "pages/faq.rst": "Questions\n=========\n\nNone were asked so far.\n", **commands}
    )
    assert "This is the guide to till, the shop." in overview
    # No large folder hides the others.
    assert overview.index("Questions") < overview.index("c7")


def test_among_documents_no_folder_holds_examples_only(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {"doc_src/index.rst": "Till\n====\n\nTill is a friendly shop.\n", "doc_src/cmds/a.rst": "a\n=\n\nAsks it.\n"}
    )
    assert "Till is a friendly shop." in overview


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("## Tills ##", "Tills"),
        ("# Tills #  ", "Tills"),
        ("# F#", "F#"),
        ("== Tills", "Tills"),
        ("# The #till", "The #till"),
    ],
)
def test_only_a_run_that_stands_apart_closes_a_heading(line: str, title: str) -> None:
    assert list(headings([line])) == [(1, title)]


@pytest.mark.parametrize("line", ["#", "# ", "##  ##", "= ", "#tag and words"])
def test_a_mark_alone_is_no_heading(line: str) -> None:
    assert not list(headings([line]))


def test_folders_of_documents_are_all_counted(overview_of: OverviewOf) -> None:
    overview = overview_of({f"area{n:02}/a.md": f"# Area {n}\n\nWhat is done in the area {n}.\n" for n in range(20)})
    assert all(f"area{n:02}/ (1)" in overview for n in range(20))


def test_data_without_a_title_is_no_document(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {"a.md": "# Guide\n\nHow tills are opened and closed.\n", "ca.crt": "# Root\nMIID\n", "app.sln": "# Sln\nx\n"}
    )
    assert "1 document" in overview
    assert "ca.crt" not in overview.partition("Titles")[2]


def test_a_proposal_is_listed_by_the_title_of_its_preamble(overview_of: OverviewOf) -> None:
    text = (
        "<pre>\n  TIP: {0}\n  Title: Tills of the kind {0}\n</pre>\n\n== Abstract ==\n\nA till is opened and closed.\n"
    )
    overview = overview_of({f"tip-{n}.mediawiki": text.format(n) for n in range(3)})
    assert "3 documents" in overview
    assert "Tills of the kind 2" in overview


def test_a_proposal_on_the_purpose_of_all_others_introduces_them(overview_of: OverviewOf) -> None:
    text = "  TIP: {0}\n  Title: {1}\n\n== Abstract ==\n\n{2} by whoever keeps a shop of any kind.\n"
    files = {f"tip-{n}.mediawiki": text.format(n, f"Tills of the kind {n}", "A till is opened") for n in range(3)}
    overview = overview_of(
        {**files, "tip-9.mediawiki": text.format(9, "Purpose and guidelines", "Tills are proposed here")}
    )
    assert "Tills are proposed here by whoever keeps a shop" in overview.partition("Titles")[0]


def test_a_title_that_is_a_number_says_what_it_is_about_with_the_heading_below(overview_of: OverviewOf) -> None:
    text = "TIP-{0}\n======\n\nTills of the kind {0}\n-------------------\n\nA till is opened and closed.\n"
    overview = overview_of({f"{n}.md": text.format(n) for n in range(9)})
    assert "TIP-2: Tills of the kind 2" in overview


def test_blanks_of_html_introduce_nothing(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {"README.md": "# till\n\nA till for shops of all sizes.\n\n&nbsp;&nbsp; &nbsp;&nbsp;...\n", **ORDERS}
    )
    assert "nbsp" not in overview


def test_a_readme_deep_within_code_introduces_nothing(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {"shop/data/README.md": "# Tables\n\nThese are the tables of prices of last year.\n", **ORDERS}
    )
    assert "tables of prices" not in overview.partition("Main parts")[0]


def test_front_matter_and_open_tags_are_no_paragraphs() -> None:
    lines = [
        "---",
        "title: A guide to all the tills",
        "---",
        "",
        "<Post",
        "  one two three four five six",
        "",
        "Tills are opened once a day.",
    ]
    assert [one.text for one in paragraphs(lines)] == ["Tills are opened once a day."]


@pytest.mark.parametrize(
    "points", ["The above example is run by a script.", "The following example is run by a script."]
)
def test_what_points_elsewhere_introduces_nothing(overview_of: OverviewOf, points: str) -> None:
    readme = f"# till\n\nA till for shops of all sizes.\n\n![run](run.gif)\n\n{points}\n"
    assert "example is run" not in overview_of({"README.md": readme, **ORDERS}).partition("Main parts")[0]


def test_what_leads_to_a_list_describes_no_folder_where_another_sentence_does(overview_of: OverviewOf) -> None:
    says = "It keeps all that is to be sent.\n"
    pages = {
        "parts/README.md": f"# Parts\n\nIt is done by one of these:\n\n- a\n- b\n\n{says}",
        "parts/a.py": "x = 1\n",
    }
    overview = overview_of({"README.md": "# till\n\nA till for shops of all sizes.\n", **ORDERS, **pages})
    assert says.strip() in overview and "one of these" not in overview


def test_an_address_alone_says_nothing(overview_of: OverviewOf) -> None:
    pages = {
        "parts/README.md": "# Start\n\nLink: https://example.org/our/very/long/address/of/it\n",
        "parts/a.py": "x = 1\n",
    }
    assert "Link" not in overview_of({"README.md": "# till\n\nA till for shops of all sizes.\n", **ORDERS, **pages})


def test_what_leads_to_a_list_and_links_in_a_row_introduce_nothing(overview_of: OverviewOf) -> None:
    more = "Install it now • How to use it • What goes wrong\n\nThese are the documents that it has for you:\n\n- a\n"
    overview = overview_of({"README.md": f"# till\n\nA till for shops of all sizes.\n\n{more}", **ORDERS})
    assert "A till for shops of all sizes." in overview
    assert "How to use" not in overview
    assert "These are" not in overview


def test_a_date_that_few_documents_have_is_not_told_of_all(overview_of: OverviewOf) -> None:
    pages = {f"page{n}.md": f"# Page {n}\n\nOne of the pages of the book of the shop.\n" for n in range(9)}
    dated = {"old.md": "---\ntitle: Old\ndate: 2013-12-27\nauthor: Ada\n---\n\nAn old page of the book.\n"}
    # The documents of both calls lie in one folder.
    assert "dated 2013-12-27" in overview_of(dated).partition("Titles")[0]
    assert "dated" not in overview_of(pages).partition("Titles")[0]


def test_a_comment_within_code_is_no_heading() -> None:
    fenced = "# Guide\n\n```sh\n# install it\nmake\n```\n\n## Use\n\nNAME\n----\nx"
    assert [title for _, title in headings(fenced.split("\n"))] == ["Guide", "Use", "NAME"]
    page = "= Guide\n\n*Syntax*:\n---------------\n# all windows\ngaps inner\n---------------\n\n== Use\n\nHow\n---\nx"
    assert [title for _, title in headings(page.split("\n"))] == ["Guide", "Use", "How"]
    apart = "# Guide\n\n-----\n\n# Use\n\n-----\n\n# Run"
    assert [title for _, title in headings(apart.split("\n"))] == ["Guide", "Use", "Run"]
    ruled = "# Guide\n\n-----\n## Use\n\n-----\n## Run\n"
    assert [title for _, title in headings(ruled.split("\n"))] == ["Guide", "Use", "Run"]


def test_a_title_between_two_lines_of_one_mark_may_be_indented() -> None:
    page = "#########\n Ferries\n#########\n\nText.\n\n*******\n Boats\n*******\n\n- one\n\n two\n=======\n"
    assert [(at, title) for at, title in headings(page.split("\n")) if title] == [(2, "Ferries"), (8, "Boats")]
    assert [(one.first, one.last, one.above) for one in parts_of(page.split("\n"))] == [
        (4, 13, ()),
        (10, 13, ("Ferries",)),
    ]


def test_tags_over_several_lines_and_advertisements_are_no_introduction(overview_of: OverviewOf) -> None:
    badges = (
        '<div>\n<a href="https://example.org/a"><img\n  src="https://example.org/b" alt="Till Shop Coin State"></a>\n'
    )
    advertised = (
        '</div>\n<p>\n  👉 Buy at Example and <a href="https://example.org">get 200 coins</a> for free!\n</p>\n'
    )
    overview = overview_of(
        {"README.md": f"{badges}{advertised}\n## Vision\n\nTill aims to count coins.\n", "till.py": "x = 1\n"}
    )
    assert overview.partition("What it is:\n")[2].startswith("- Till aims to count coins.")


@pytest.mark.parametrize(
    ("readme", "texts"),
    [
        ("# Order Verification Standard\n\nThis work is licensed under a licence of its own.\n", []),
        ("# Rules for Checking Orders\n\nThis work is licensed under a licence.\n", ["Rules for Checking Orders"]),
        (
            "# Charts of the Shop's Community\n\nThis functionality is in beta.\n\n## Signing\n\n"
            "All charts of this shop are signed.\n",
            ["Charts of the Shop's Community", "All charts of this shop are signed."],
        ),
        ("# Shop\n\nA description of this package.\n", []),
        ("# Shop\n\nThis project was generated with Angular CLI version 7.\n", []),
        (
            "# Shop\n\nA shop that sends orders quickly.\n\n## Playing\n\nRun the program that is included.\n",
            ["A shop that sends orders quickly."],
        ),
    ],
)
def test_no_placeholder_and_no_licence_says_what_a_project_is(made: Make, readme: str, texts: list[str]) -> None:
    statements = introduction(Material(made({"README.md": readme, "a.py": "x = 1\n"}).store))
    assert [one.text for one in statements] == texts


@pytest.mark.parametrize("end", ["</a>", "</A>", ""])
def test_the_slogan_of_a_sponsor_is_no_introduction(overview_of: OverviewOf, end: str) -> None:
    """Without an end the element is broken, and its words count."""
    slogan = '<a href="https://s.example">\n  <div><img src="s.png"></div>\n  <b>The best for all of the coins</b>\n'
    sponsor = f"<div>\n{slogan}{end}\n"
    overview = overview_of({"README.md": f"{sponsor}</div>\n\nA simple till for shops of any size.\n", **ORDERS})
    assert ("The best for all" in overview) is not bool(end)
    assert "A simple till for shops of any size." in overview


def test_a_title_in_a_link_stays_with_the_words_below_it(overview_of: OverviewOf) -> None:
    linked = '<a href="https://till.example">\n<h1>Till</h1>\n<p>A plain till for any kind of shop.</p>\n</a>\n'
    assert "A plain till for any kind of shop." in overview_of({"README.md": linked, **ORDERS})


def test_a_sentence_that_leads_to_a_list_does_not_introduce(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {
            "README.md": "A middleware framework for tills that are enjoyable to use.\n\n## Middleware\n\n"
            "Till is a framework that takes two kinds of functions:\n\n- fast ones\n- slow ones\n"
        }
    )
    assert "What it is:\n- A middleware framework for tills" in overview


def test_a_heading_may_be_indented_by_three_spaces(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {
            "README.md": '<div align="center">\n\n  ### No longer maintained, sadly\n  See elsewhere.\n\n  # Till\n\n'
            "  A process for counting coins.\n</div>\n"
        }
    )
    assert "A process for counting coins." in overview
    assert "#" not in overview


def test_a_readme_that_says_nothing_leaves_it_to_that_of_the_program(made: Make) -> None:
    files = {
        "README.md": "# ![Logo](logo.png) Quay\n\n- [Homepage](https://quay.test)\n- [Licence](LICENSE.md)\n",
        "src/Quay/README.md": "# Quay\n\nQuay moors boats of every size at any tide.\n",
        "src/Quay/Moor.cs": "public class Moor\n{\n    public int Ropes = 4;\n}\n",
        "src/Quay.Tests/README.md": "# Tests\n\nThese tests need a harbour of their own to run.\n",
        "src/Quay.Tests/MoorTests.cs": "public class MoorTests\n{\n" + "    public int Tried = 1;\n" * 40 + "}\n",
    }
    said = lines_of(made(files).overview(), "What it is")
    assert [*said.values()] == ["Quay moors boats of every size at any tide."]


@pytest.mark.parametrize(
    "before",
    [
        "Coins of all shops, any size (and tills)",
        "The till above counts no coins at all.\n\n## Intro\n\nIt counts the coins of any shop.",
    ],
)
def test_neither_a_step_of_a_build_nor_a_caption_introduces(overview_of: OverviewOf, before: str) -> None:
    readme = f"# Till\n\n{before}\n\n## From a checkout\n\nCompiling the till is easy, simply run:\n\n    go build\n"
    overview = overview_of({"README.md": readme, **ORDERS})
    assert "Compiling the till" not in overview and "The till above" not in overview
