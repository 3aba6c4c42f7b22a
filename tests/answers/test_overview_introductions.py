"""What an overview takes for an introduction, for a description of a part, and which documents it lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from overview_parts import Make

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.overview.entry_points import entry_points
from quaestor.answers.overview.introduction import introduction
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_text import Source
from quaestor.answers.overview.path_descriptions import defined_names, description
from quaestor.answers.overview.prose_lines import headings, paragraphs
from quaestor.core.config import Settings

Say = Callable[[Mapping[str, str]], str]


@pytest.fixture
def said(tmp_path: Path) -> Iterator[Say]:
    """Return the text of the overview of a folder with some files."""

    def say(files: Mapping[str, str]) -> str:
        with index_of(tmp_path / "made", files) as index:
            return index.overview().text

    yield say


CODE = {"shop/orders.py": "def send(order):\n    return order\n"}


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
def test_a_phrase_that_names_a_kind_introduces(said: Say, readme: str, introduction: str) -> None:
    told = said({"README.md": readme, **CODE})
    assert introduction in told.partition("Main parts")[0]
    assert "book" not in told


def test_a_file_of_lisp_is_described_by_its_first_line(said: Say) -> None:
    head = ";; Homepage: https://example.org/till\n;; Keywords: tools\n\n;;; Commentary:\n\n;; More of it.\n"
    files = {
        f"lisp/{name}.el": f";;; {name}.el --- {says}  -*- lexical-binding:t -*-\n\n{head}\n(defun {name} (x)\n  x)\n"
        for name, says in (("till-coins", "Counting the coins of a till"), ("till-open", "Opening a till in Emacs"))
    }
    told = said(files)
    assert "till-coins.el: Counting the coins of a till" in told
    assert "till-open.el: Opening a till in Emacs" in told


@pytest.mark.parametrize("place", ["", ".github/", "docs/"])
def test_a_readme_where_github_looks_for_it_introduces_and_its_trademarks_do_not(said: Say, place: str) -> None:
    telling = "# Till\n\nTill is a shop of plain goods.\n\n(Coin and the coin's face are trademarks of Mint Inc.)\n"
    guide = "# Queries\n\nQueries are a way to ask the till.\n"
    told = said({f"{place}README.md": telling, "docs/guide/overview.md": guide, **CODE}).partition("Main parts")[0]
    assert "Till is a shop of plain goods." in told
    assert "Queries" not in told and "Mint" not in told


def test_notices_to_readers_introduce_nothing(said: Say) -> None:
    told = said(
        {
            "README.md": "# Till\n\nTill is a shop of plain goods.\n\nYou're reading the guide for the next release.\n",
            **CODE,
        }
    )
    assert "Till is a shop of plain goods." in told
    assert "reading the guide" not in told


def test_without_a_readme_the_first_index_introduces(said: Say) -> None:
    commands = {f"pages/cmds/c{n}.rst": f"c{n}\n====\n\nRuns the command {n} of it.\n" for n in range(30)}
    index = "Introduction\n************\n\nThis is the guide to **t**\\ ill, the **sh**\\ op.\n"
    told = said(
        {"pages/index.rst": index, "pages/faq.rst": "Questions\n=========\n\nNone were asked so far.\n", **commands}
    )
    assert "This is the guide to till, the shop." in told
    # No large folder hides the others.
    assert told.index("Questions") < told.index("c7")


def test_among_documents_no_folder_holds_examples_only(said: Say) -> None:
    told = said(
        {"doc_src/index.rst": "Till\n====\n\nTill is a friendly shop.\n", "doc_src/cmds/a.rst": "a\n=\n\nAsks it.\n"}
    )
    assert "Till is a friendly shop." in told


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


def test_folders_of_documents_are_all_counted(said: Say) -> None:
    told = said({f"area{n:02}/a.md": f"# Area {n}\n\nWhat is done in the area {n}.\n" for n in range(20)})
    assert all(f"area{n:02}/ (1)" in told for n in range(20))


def test_data_without_a_title_is_no_document(said: Say) -> None:
    told = said(
        {"a.md": "# Guide\n\nHow tills are opened and closed.\n", "ca.crt": "# Root\nMIID\n", "app.sln": "# Sln\nx\n"}
    )
    assert "1 document" in told
    assert "ca.crt" not in told.partition("Titles")[2]


def test_a_proposal_is_listed_by_the_title_of_its_preamble(said: Say) -> None:
    text = (
        "<pre>\n  TIP: {0}\n  Title: Tills of the kind {0}\n</pre>\n\n== Abstract ==\n\nA till is opened and closed.\n"
    )
    told = said({f"tip-{n}.mediawiki": text.format(n) for n in range(3)})
    assert "3 documents" in told
    assert "Tills of the kind 2" in told


def test_a_proposal_on_the_purpose_of_all_others_introduces_them(said: Say) -> None:
    text = "  TIP: {0}\n  Title: {1}\n\n== Abstract ==\n\n{2} by whoever keeps a shop of any kind.\n"
    files = {f"tip-{n}.mediawiki": text.format(n, f"Tills of the kind {n}", "A till is opened") for n in range(3)}
    told = said({**files, "tip-9.mediawiki": text.format(9, "Purpose and guidelines", "Tills are proposed here")})
    assert "Tills are proposed here by whoever keeps a shop" in told.partition("Titles")[0]


def test_a_title_that_is_a_number_says_what_it_is_about_with_the_heading_below(said: Say) -> None:
    text = "TIP-{0}\n======\n\nTills of the kind {0}\n-------------------\n\nA till is opened and closed.\n"
    told = said({f"{n}.md": text.format(n) for n in range(9)})
    assert "TIP-2: Tills of the kind 2" in told


def test_blanks_of_html_introduce_nothing(said: Say) -> None:
    told = said({"README.md": "# till\n\nA till for shops of all sizes.\n\n&nbsp;&nbsp; &nbsp;&nbsp;...\n", **CODE})
    assert "nbsp" not in told


def test_running_text_describes_no_part(said: Say) -> None:
    guide = (
        "# Architecture\n\n"
        "- `shop/`: sends orders\n"
        "- Each run reads `Tillfile`, which would be ignored otherwise).\n"
        "- `tools/` and `shop/` are copied over at a release\n"
    )
    files = {"docs/architecture.md": guide, "Tillfile": "x\n", "tools/cut.py": "def cut():\n    return 1\n", **CODE}
    told = said(files)
    assert "sends orders" in told
    assert "which would be" not in told


def test_a_line_that_begins_with_a_name_is_no_item_of_a_list(said: Say) -> None:
    guide = "# Architecture\n\nTills come one by one.\n\nThey go as\n`shop/orders.py` says: after towns.\n"
    told = said({"docs/architecture.md": guide, **CODE})
    assert "orders.py" in told
    assert "after towns" not in told


def test_a_wrapped_item_is_read_to_the_end_of_its_sentence(said: Say) -> None:
    guide = "# Architecture\n\n- `shop/` - sends orders and waits\n  for the warehouse.\n- the rest is data\n"
    assert "sends orders and waits for the warehouse" in said({"docs/architecture.md": guide, **CODE})


def test_a_readme_deep_within_code_introduces_nothing(said: Say) -> None:
    told = said({"shop/data/README.md": "# Tables\n\nThese are the tables of prices of last year.\n", **CODE})
    assert "tables of prices" not in told.partition("Main parts")[0]


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


def test_one_large_source_beside_many_pages_is_code(said: Say) -> None:
    source = "".join(f"int take_{n}(int at) {{ return at + {n}; }}\n" for n in range(400))
    pages = {f"docs/p{n}.md": f"# Page {n}\n\nHow to take {n} of it.\n" for n in range(12)}
    assert "Main parts" in said({"till.h": source, **pages})


def test_what_leads_to_a_list_and_links_in_a_row_introduce_nothing(said: Say) -> None:
    more = "Install it now • How to use it • What goes wrong\n\nThese are the documents that it has for you:\n\n- a\n"
    told = said({"README.md": f"# till\n\nA till for shops of all sizes.\n\n{more}", **CODE})
    assert "A till for shops of all sizes." in told
    assert "How to use" not in told
    assert "These are" not in told


@pytest.mark.parametrize("first", ["#!/bin/bash", "#!/usr/bin/env bash", "#compdef till"])
def test_what_is_for_programs_describes_no_script(said: Say, first: str) -> None:
    script = f"{first}\n# Opens the till and counts what lies in it.\ntill --open\n"
    told = said({"README.md": "# till\n\nA till for shops.\n", "bin/open.sh": script, **CODE})
    assert "open.sh: Opens the till and counts what lies in it." in told
    assert "bash Opens" not in told


def test_names_of_other_files_are_not_defined_by_the_file_that_uses_them(said: Say) -> None:
    told = said(
        {
            "README.md": "# till\n\nA till for shops.\n",
            "lib/till.js": "var Emitter = require('events').Emitter;\nvar path = require('path');\n\n"
            "function openTill(path) {\n  return new Emitter(path);\n}\n",
            "src/main.rs": "mod orders;\nmod drawer;\n\nfn count_coins() -> u32 {\n    0\n}\n",
        }
    )
    assert "till.js: defines openTill" in told
    assert "main.rs: defines count_coins" in told


PYTHON = (
    'class NoCoins:\n    pass\n\n\nclass {large}(NoCoins):\n    """Keeps coins in order. And notes."""\n\n'
    "    def count(\n        self,\n    ):\n        first = 1\n        second = 2\n        return first + second\n"
)
GO = (
    "package shop\n\n// Coin is one of many.\ntype Coin struct {{\n}}\n\n// {large} keeps coins in order. And notes.\n"
    "type {large} struct {{\n\tCoins []Coin\n\tNotes []string\n\tOwner string\n\tLocked bool\n}}\n"
)


@pytest.mark.parametrize(
    ("path", "text", "large", "sentence"),
    [
        ("cash_drawer.py", PYTHON, "CashDrawer", "Keeps coins in order."),
        ("things.py", PYTHON, "CashDrawer", "Keeps coins in order."),
        ("cashdrawer.go", GO, "CashDrawer", "CashDrawer keeps coins in order."),
        ("things.go", GO, "CashDrawer", "CashDrawer keeps coins in order."),
    ],
)
def test_a_file_without_a_word_of_its_own_is_described_by_its_main_definition(
    tmp_path: Path, path: str, text: str, large: str, sentence: str
) -> None:
    """That is the one of the file's name, or the largest of those written large."""
    files = {
        "README.md": "# till\n\nA till for shops.\n",
        f"shop/{path}": text.format(large=large),
        "shop/a.txt": "a\n",
    }
    for name, content in files.items():
        (tmp_path / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "made" / name).write_text(content, encoding="utf-8")
    with Index.build(tmp_path / "made", settings=Settings(home=str(tmp_path / "home"))) as index:
        found = defined_names(Material(index.store), f"shop/{path}", 4)
    assert found is not None and found.source is not None
    assert found.text == sentence
    assert (found.brief or "").startswith(f"defines {large}, {'NoCoins' if path.endswith('py') else 'Coin'}")
    assert sentence in files[f"shop/{path}"].splitlines()[found.source.start_line - 1]


def test_markup_of_a_comment_is_not_shown(said: Say) -> None:
    comment = 'Counts {@code Coin}s of a List<Coin> as <a href="https://example.org">the rules</a> say.'
    java = f"/**\n * {comment}\n */\npublic class Till {{}}\n"
    told = said({"README.md": "# till\n\nA till for shops.\n", "src/Till.java": java})
    assert "Till.java: Counts Coins of a List<Coin> as the rules say." in told


def test_commands_and_comments_in_code_describe_no_part(said: Say) -> None:
    readme = "till\n====\n\nA till for shops.\n\n.. code:: sh\n\n    | till --count 9\n    # till needs a drawer\n"
    told = said({"README.rst": readme, "till/__init__.py": "", "till/orders.py": "def send_orders():\n    return 1\n"})
    assert "--count" not in told
    assert "needs a drawer" not in told


def test_a_date_that_few_documents_have_is_not_told_of_all(said: Say) -> None:
    pages = {f"page{n}.md": f"# Page {n}\n\nOne of the pages of the book of the shop.\n" for n in range(9)}
    dated = {"old.md": "---\ntitle: Old\ndate: 2013-12-27\nauthor: Ada\n---\n\nAn old page of the book.\n"}
    # The documents of both calls lie in one folder.
    assert "dated 2013-12-27" in said(dated).partition("Titles")[0]
    assert "dated" not in said(pages).partition("Titles")[0]


def test_a_comment_within_code_is_no_heading() -> None:
    fenced = "# Guide\n\n```sh\n# install it\nmake\n```\n\n## Use\n\nNAME\n----\nx"
    assert [title for _, title in headings(fenced.split("\n"))] == ["Guide", "Use", "NAME"]
    page = "= Guide\n\n*Syntax*:\n---------------\n# all windows\ngaps inner\n---------------\n\n== Use\n\nHow\n---\nx"
    assert [title for _, title in headings(page.split("\n"))] == ["Guide", "Use", "How"]
    apart = "# Guide\n\n-----\n\n# Use\n\n-----\n\n# Run"
    assert [title for _, title in headings(apart.split("\n"))] == ["Guide", "Use", "Run"]


def test_a_program_of_c_is_described_by_its_manual_and_headers_are_imported(said: Say) -> None:
    licence = "/* till - till.c\n * (C) 2014 A. Smith\n */\n\n"
    manual = '.\\" Permission to use and sell this.\n.TH TILL 1\n.SH NAME\ntill \\- counts coins\n.SH USE\nRun it.\n'
    told = said(
        {
            "README.md": "# till\n\n<b>Till</b>s for <b>shop</b>keepers and others who sell by day.\n",
            "till.1": manual,
            "till.h": "int count(void);\n",
            "till.c": f'{licence}#include "till.h"\nint count(void) {{ return 1; }}\n',
            **{
                f"part{n}.c": f'{licence}#include "till.h"\nint part{n}(void) {{ return count(); }}\n' for n in range(4)
            },
        }
    )
    assert "Tills for shopkeepers and others" in told
    assert "till.1: till - counts coins" in told
    assert "till.h: imported by 5 files" in told
    assert "Smith" not in told
    assert "Permission" not in told


def test_packages_of_go_are_described_by_their_comments_and_programs_found_beside_hundreds_of_tests(said: Say) -> None:
    rights = "// Copyright 2009 The Shop Authors. All rights reserved.\n\n"
    coins = "// Package coins tells one coin from another.\n//\n// See the law of coins.\npackage coins\n"
    notes = "// package notes\n\n// A note is worth more.\npackage notes\n"
    told = said(
        {
            "src/cmd/till/main.go": f"{rights}// Till counts the coins of a shop.\npackage main\n\nfunc main() {{}}\n",
            "src/coins/coins.go": f"{rights}//go:generate go run make_table.go\n\n{coins}\nfunc Tell() {{}}\n",
            "src/notes/notes.go": f"{rights}{notes}\nfunc Tell() {{}}\n",
            **{f"test/case{n}/run.go": "package main\n\n// main main\nfunc main() { main() }\n" for n in range(450)},
        }
    )
    assert "Entry points:\n- src/cmd/till/main.go" in told
    assert "Package coins tells one coin from another." in told
    assert "A note is worth more." in told


def test_of_a_source_file_the_sentence_beneath_its_heading_is_taken(said: Say) -> None:
    told = said(
        {
            "Cargo.toml": '[package]\nname = "till"\n',
            "src/lib.rs": "//! # The Till Library\n//!\n//! Coins and notes are counted here.\n\nmod coins;\n",
            "src/coins.rs": "//! ## Coins of all kinds\n\npub fn count() {}\n",
        }
    )
    assert "lib.rs: Coins and notes are counted here" in told
    assert "coins.rs: Coins of all kinds" in told


def test_a_class_alone_in_its_file_is_described_by_its_comment_and_nothing_of_the_licence_above(said: Say) -> None:
    terms = (
        "/*\n * Copyright (c) 1997, Example Ltd. All rights reserved.\n *\n * This code is free software; you can\n"
        " * redistribute it.\n *\n * Please contact Example Ltd if you need more of it.\n */\n\npackage shop;\n\n"
    )
    told = said(
        {
            "src/Till.java": f"{terms}/**\n * Counts the coins of a shop.\n * <p>\n * Slowly.\n */\n"
            "@Slow\npublic class Till {\n    int coins;\n}\n",
            "src/Coins.java": f"{terms}/**\n * Tells coins apart.\n */\n\npublic interface Coins {{}}\n",
            "src/Run.java": f"{terms}/** Starts it. */\nclass Run {{\n\n\n"
            "    public static void main(String[] told) {}\n}\n",
            "src/Said.java": f'{terms}class Said {{\n    String said = "public static void main(x)";\n}}\n',
        }
    )
    assert "Till.java: Counts the coins of a shop." in told
    assert "Coins.java: Tells coins apart." in told
    assert "contact" not in told
    assert told.partition("Main parts:")[0].split("Entry points:\n")[1].startswith("- src/Run.java")
    assert "Said.java" not in told.partition("Main parts:")[0]


def test_a_class_of_csharp_is_described_by_its_summary(said: Say) -> None:
    summary = "    /// <summary>\n    /// Counts the coins of a shop.\n    /// </summary>\n    /// <param>One</param>\n"
    told = said(
        {
            "src/Till.cs": f"using System;\n\nnamespace Shop.Tills\n{{\n{summary}    public class Till\n    {{\n"
            "    }\n}\n",
            "src/Shop.Tests.Speed/Fast.cs": "namespace Shop.Tests.Speed;\n\npublic class Fast { public int x; }\n",
        }
    )
    assert "Till.cs: Counts the coins of a shop." in told
    assert "Shop.Tills" not in told
    assert "Fast.cs" not in told


def test_tags_over_several_lines_and_advertisements_are_no_introduction(said: Say) -> None:
    badges = (
        '<div>\n<a href="https://example.org/a"><img\n  src="https://example.org/b" alt="Till Shop Coin State"></a>\n'
    )
    advertised = (
        '</div>\n<p>\n  👉 Buy at Example and <a href="https://example.org">get 200 coins</a> for free!\n</p>\n'
    )
    told = said({"README.md": f"{badges}{advertised}\n## Vision\n\nTill aims to count coins.\n", "till.py": "x = 1\n"})
    assert told.partition("What it is:\n")[2].startswith("- Till aims to count coins.")


def test_a_list_without_marks_describes_each_part_by_its_own_line(said: Say) -> None:
    listed = "```\nclient/   - the app that shows tills\nserver/   - counts the coins of tills\n```\n"
    listed = listed.replace("client", "  client").replace("server", "  server")
    told = said(
        {
            "README.md": f"# till\n\nTills for shops and all who sell.\n\n{listed}",
            "client/app.py": "def show(): ...\n",
            "server/count.py": "def count(): ...\n",
        }
    )
    assert "client/: the app that shows tills" in told
    assert "tills server/" not in told


def test_the_line_of_a_main_function_is_cited_and_not_the_blank_ones_above(tmp_path: Path) -> None:
    till = "class Till {\n    int coins;\n\n\n    public static void main(String[] told) {}\n}\n"
    with index_of(tmp_path / "shop", {"src/Till.java": till}) as index:
        [entry] = entry_points(Material(index.store))
    assert entry.says is not None
    assert entry.says.source == Source("src/Till.java", 5, 5)


def test_a_comment_is_read_without_its_links_and_marks(said: Say) -> None:
    text = said(
        {
            "hover.zig": "//! Implementation of [`hover`](https://example.org/a/very/long/address/that/has/no/end#hover)\n\n"
            "pub fn hover() void {}\n",
            "shop.lua": "--- Configuration for shops.\nlocal shop = {}\n\nfunction shop.open(a)\n  return a\nend\n",
        }
    )
    assert "hover.zig: Implementation of hover" in text.replace("`", "")
    assert "shop.lua: Configuration for shops." in text


def test_a_role_of_yaml_beside_a_readme_has_parts(said: Say) -> None:
    tasks = {
        f"tasks/{name}.yml": f"- name: Open {name}\n  service: {{name: {name}}}\n" for name in ("a", "b", "c", "d")
    }
    text = said({"README.md": "# Role\n\nA role that opens shops on Linux.\n", **tasks})
    assert "Main parts:" in text and "tasks/" in text


def test_a_program_of_a_workflow_is_no_entry_point(tmp_path: Path) -> None:
    main = "package main\n\nfunc main() {}\n"
    with index_of(tmp_path / "made", {".github/release/main.go": main, "cmd/shop/main.go": main}) as index:
        assert [one.name for one in entry_points(Material(index.store))] == ["cmd/shop/main.go"]


def test_files_that_are_hidden_are_parts_where_there_is_little_else(said: Say) -> None:
    hidden = {f".{name}": f"# Settings of {name} for the shell.\nexport {name}=1\n" for name in ("bashrc", "profile")}
    others = {"README.md": "# Mine\n\nIf it is there, it is read.\n", ".zshrc": "export Z=1\n", "a.sh": "ls\n"}
    text = said({**hidden, **others})
    assert ".bashrc: Settings of bashrc for the shell." in text


def test_a_template_of_another_project_is_no_entry_point(tmp_path: Path) -> None:
    files = {"{{ it.name }}/__init__.py": "X = 1\n", "shop/__init__.py": '"""A shop for all that there is."""\n'}
    with index_of(tmp_path / "made", files) as index:
        assert [one.name for one in entry_points(Material(index.store))] == ["shop/__init__.py"]


@pytest.mark.parametrize(
    ("readme", "told"),
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
def test_no_placeholder_and_no_licence_says_what_a_project_is(made: Make, readme: str, told: list[str]) -> None:
    said = introduction(Material(made({"README.md": readme, "a.py": "x = 1\n"}).store))
    assert [one.text for one in said] == told


HEADS = {
    "A.hs": ("{-# LANGUAGE LambdaCase #-}\n{-# OPTIONS_GHC -Wall #-}\n\nmodule A where\n", None),
    "B.hs": (
        "{-# LANGUAGE LambdaCase #-}\n{-|\nModule      : Shop.B\nDescription : Sends the orders\n"
        "              of a day.\nCopyright   : nobody\n-}\nmodule B where\n",
        "Sends the orders of a day.",
    ),
    "C.hs": ("{-|\nModule : Shop.C\nMaintainer : nobody\n-}\nmodule C where\n", None),
    "Send.swift": ("//\n//  Send.swift\n//  ShopExtension\n//\n//  Created by Nobody.\n\nlet a = 1\n", None),
}


def test_what_a_compiler_or_an_editor_writes_above_a_file_does_not_describe_it(made: Make) -> None:
    material = Material(made({path: text for path, (text, _) in HEADS.items()}).store)
    told = {path: description(material, path) for path in HEADS}
    assert {path: one and one.text for path, one in told.items()} == {path: said for path, (_, said) in HEADS.items()}
