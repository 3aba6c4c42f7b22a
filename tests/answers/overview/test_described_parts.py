"""What an overview says of the parts of a project, and which of its files are entry points."""

from __future__ import annotations

from pathlib import Path

import pytest
from overview_parts import ORDERS, Make, OverviewOf

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.overview.entry_points import entry_points
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_text import Source
from quaestor.answers.overview.path_descriptions import defined_names, description
from quaestor.core.config import Settings


def test_a_file_of_lisp_is_described_by_its_first_line(overview_of: OverviewOf) -> None:
    head = ";; Homepage: https://example.org/till\n;; Keywords: tools\n\n;;; Commentary:\n\n;; More of it.\n"
    files = {
        f"lisp/{name}.el": f";;; {name}.el --- {says}  -*- lexical-binding:t -*-\n\n{head}\n(defun {name} (x)\n  x)\n"
        for name, says in (("till-coins", "Counting the coins of a till"), ("till-open", "Opening a till in Emacs"))
    }
    overview = overview_of(files)
    assert "till-coins.el: Counting the coins of a till" in overview
    assert "till-open.el: Opening a till in Emacs" in overview


def test_running_text_describes_no_part(overview_of: OverviewOf) -> None:
    guide = (
        "# Architecture\n\n"
        "- `shop/`: sends orders\n"
        "- Each run reads `Tillfile`, which would be ignored otherwise).\n"
        "- `tools/` and `shop/` are copied over at a release\n"
    )
    files = {"docs/architecture.md": guide, "Tillfile": "x\n", "tools/cut.py": "def cut():\n    return 1\n", **ORDERS}
    overview = overview_of(files)
    assert "sends orders" in overview
    assert "which would be" not in overview


def test_a_line_that_begins_with_a_name_is_no_item_of_a_list(overview_of: OverviewOf) -> None:
    guide = "# Architecture\n\nTills come one by one.\n\nThey go as\n`shop/orders.py` says: after towns.\n"
    overview = overview_of({"docs/architecture.md": guide, **ORDERS})
    assert "orders.py" in overview
    assert "after towns" not in overview


def test_a_wrapped_item_is_read_to_the_end_of_its_sentence(overview_of: OverviewOf) -> None:
    guide = "# Architecture\n\n- `shop/` - sends orders and waits\n  for the warehouse.\n- the rest is data\n"
    assert "sends orders and waits for the warehouse" in overview_of({"docs/architecture.md": guide, **ORDERS})


def test_one_large_source_beside_many_pages_is_code(overview_of: OverviewOf) -> None:
    source = "".join(f"int take_{n}(int at) {{ return at + {n}; }}\n" for n in range(400))
    pages = {f"docs/p{n}.md": f"# Page {n}\n\nHow to take {n} of it.\n" for n in range(12)}
    assert "Main parts" in overview_of({"till.h": source, **pages})


@pytest.mark.parametrize("first", ["#!/bin/bash", "#!/usr/bin/env bash", "#compdef till"])
def test_what_is_for_programs_describes_no_script(overview_of: OverviewOf, first: str) -> None:
    script = f"{first}\n# Opens the till and counts what lies in it.\ntill --open\n"
    overview = overview_of({"README.md": "# till\n\nA till for shops.\n", "bin/open.sh": script, **ORDERS})
    assert "open.sh: Opens the till and counts what lies in it." in overview
    assert "bash Opens" not in overview


def test_names_of_other_files_are_not_defined_by_the_file_that_uses_them(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {
            "README.md": "# till\n\nA till for shops.\n",
            "lib/till.js": "var Emitter = require('events').Emitter;\nvar path = require('path');\n\n"
            "function openTill(path) {\n  return new Emitter(path);\n}\n",
            "src/main.rs": "mod orders;\nmod drawer;\n\nfn count_coins() -> u32 {\n    0\n}\n",
        }
    )
    assert "till.js: defines openTill" in overview
    assert "main.rs: defines count_coins" in overview


def test_a_module_that_holds_the_class_is_not_what_a_file_of_ruby_defines(overview_of: OverviewOf) -> None:
    till = "module Shop\n  # @private\n\n  class Till < Box\n    def open\n    end\n  end\nend\n"
    money = "module Money\n  def count_coins\n    1\n  end\nend\n"
    overview = overview_of({"README.md": "# till\n\nA till for shops.\n", "lib/tills.rb": till, "lib/coins.rb": money})
    assert "tills.rb: defines Till" in overview
    assert "coins.rb: defines Money" in overview
    assert "Shop" not in overview


def test_a_file_is_not_described_by_what_is_said_of_its_folder(overview_of: OverviewOf) -> None:
    coins = (
        "// Package coins counts what is in the till.\npackage coins\n\n// Count counts.\nfunc Count() {\n\tx := 1\n}\n"
    )
    overview = overview_of(
        {"README.md": "# till\n\nA till for shops.\n", "go.mod": "module till\n", "coins/count.go": coins}
    )
    assert overview.count("Package coins counts") == 1
    assert "count.go: Count counts." in overview or "count.go: defines Count" in overview


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


def test_markup_of_a_comment_is_not_shown(overview_of: OverviewOf) -> None:
    comment = 'Counts {@code Coin}s of a List<Coin> as <a href="https://example.org">the rules</a> say.'
    java = f"/**\n * {comment}\n */\npublic class Till {{}}\n"
    overview = overview_of({"README.md": "# till\n\nA till for shops.\n", "src/Till.java": java})
    assert "Till.java: Counts Coins of a List<Coin> as the rules say." in overview


def test_commands_and_comments_in_code_describe_no_part(overview_of: OverviewOf) -> None:
    readme = "till\n====\n\nA till for shops.\n\n.. code:: sh\n\n    | till --count 9\n    # till needs a drawer\n"
    overview = overview_of(
        {"README.rst": readme, "till/__init__.py": "", "till/orders.py": "def send_orders():\n    return 1\n"}
    )
    assert "--count" not in overview
    assert "needs a drawer" not in overview


def test_a_program_of_c_is_described_by_its_manual_and_headers_are_imported(overview_of: OverviewOf) -> None:
    licence = "/* till - till.c\n * (C) 2014 A. Smith\n */\n\n"
    manual = '.\\" Permission to use and sell this.\n.TH TILL 1\n.SH NAME\ntill \\- counts coins\n.SH USE\nRun it.\n'
    overview = overview_of(
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
    assert "Tills for shopkeepers and others" in overview
    assert "till.1: till - counts coins" in overview
    assert "till.h: imported by 5 files" in overview
    assert "Smith" not in overview
    assert "Permission" not in overview


def test_packages_of_go_are_described_by_their_comments_and_programs_found_beside_hundreds_of_tests(
    overview_of: OverviewOf,
) -> None:
    rights = "// Copyright 2009 The Shop Authors. All rights reserved.\n\n"
    coins = "// Package coins tells one coin from another.\n//\n// See the law of coins.\npackage coins\n"
    notes = "// package notes\n\n// A note is worth more.\npackage notes\n"
    overview = overview_of(
        {
            "src/cmd/till/main.go": f"{rights}// Till counts the coins of a shop.\npackage main\n\nfunc main() {{}}\n",
            "src/coins/coins.go": f"{rights}//go:generate go run make_table.go\n\n{coins}\nfunc Tell() {{}}\n",
            "src/notes/notes.go": f"{rights}{notes}\nfunc Tell() {{}}\n",
            **{f"test/case{n}/run.go": "package main\n\n// main main\nfunc main() { main() }\n" for n in range(450)},
        }
    )
    assert "Entry points:\n- src/cmd/till/main.go" in overview
    assert "Package coins tells one coin from another." in overview
    assert "A note is worth more." in overview


def test_of_a_source_file_the_sentence_beneath_its_heading_is_taken(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {
            "Cargo.toml": '[package]\nname = "till"\n',
            "src/lib.rs": "//! # The Till Library\n//!\n//! Coins and notes are counted here.\n\nmod coins;\n",
            "src/coins.rs": "//! ## Coins of all kinds\n\npub fn count() {}\n",
        }
    )
    assert "lib.rs: Coins and notes are counted here" in overview
    assert "coins.rs: Coins of all kinds" in overview


def test_a_class_alone_in_its_file_is_described_by_its_comment_and_nothing_of_the_licence_above(
    overview_of: OverviewOf,
) -> None:
    terms = (
        "/*\n * Copyright (c) 1997, Example Ltd. All rights reserved.\n *\n * This code is free software; you can\n"
        " * redistribute it.\n *\n * Please contact Example Ltd if you need more of it.\n */\n\npackage shop;\n\n"
    )
    overview = overview_of(
        {
            "src/Till.java": f"{terms}/**\n * Counts the coins of a shop.\n * <p>\n * Slowly.\n */\n"
            "@Slow\npublic class Till {\n    int coins;\n}\n",
            "src/Coins.java": f"{terms}/**\n * Tells coins apart.\n */\n\npublic interface Coins {{}}\n",
            "src/Run.java": f"{terms}/** Starts it. */\nclass Run {{\n\n\n"
            "    public static void main(String[] told) {}\n}\n",
            "src/Said.java": f'{terms}class Said {{\n    String said = "public static void main(x)";\n}}\n',
        }
    )
    assert "Till.java: Counts the coins of a shop." in overview
    assert "Coins.java: Tells coins apart." in overview
    assert "contact" not in overview
    assert overview.partition("Main parts:")[0].split("Entry points:\n")[1].startswith("- src/Run.java")
    assert "Said.java" not in overview.partition("Main parts:")[0]


def test_a_class_of_csharp_is_described_by_its_summary(overview_of: OverviewOf) -> None:
    summary = "    /// <summary>\n    /// Counts the coins of a shop.\n    /// </summary>\n    /// <param>One</param>\n"
    overview = overview_of(
        {
            "src/Till.cs": f"using System;\n\nnamespace Shop.Tills\n{{\n{summary}    public class Till\n    {{\n"
            "    }\n}\n",
            "src/Shop.Tests.Speed/Fast.cs": "namespace Shop.Tests.Speed;\n\npublic class Fast { public int x; }\n",
        }
    )
    assert "Till.cs: Counts the coins of a shop." in overview
    assert "Shop.Tills" not in overview
    assert "Fast.cs" not in overview


def test_a_list_without_marks_describes_each_part_by_its_own_line(overview_of: OverviewOf) -> None:
    listed = "```\nclient/   - the app that shows tills\nserver/   - counts the coins of tills\n```\n"
    listed = listed.replace("client", "  client").replace("server", "  server")
    overview = overview_of(
        {
            "README.md": f"# till\n\nTills for shops and all who sell.\n\n{listed}",
            "client/app.py": "def show(): ...\n",
            "server/count.py": "def count(): ...\n",
        }
    )
    assert "client/: the app that shows tills" in overview
    assert "tills server/" not in overview


def test_the_line_of_a_main_function_is_cited_and_not_the_blank_ones_above(tmp_path: Path) -> None:
    till = "class Till {\n    int coins;\n\n\n    public static void main(String[] told) {}\n}\n"
    with index_of(tmp_path / "shop", {"src/Till.java": till}) as index:
        [entry] = entry_points(Material(index.store))
    assert entry.says is not None
    assert entry.says.source == Source("src/Till.java", 5, 5)


def test_a_comment_is_read_without_its_links_and_marks(overview_of: OverviewOf) -> None:
    text = overview_of(
        {
            "hover.zig": "//! Implementation of [`hover`](https://example.org/a/very/long/address/that/has/no/end#hover)\n\n"
            "pub fn hover() void {}\n",
            "shop.lua": "--- Configuration for shops.\nlocal shop = {}\n\nfunction shop.open(a)\n  return a\nend\n",
        }
    )
    assert "hover.zig: Implementation of hover" in text.replace("`", "")
    assert "shop.lua: Configuration for shops." in text


def test_a_role_of_yaml_beside_a_readme_has_parts(overview_of: OverviewOf) -> None:
    tasks = {
        f"tasks/{name}.yml": f"- name: Open {name}\n  service: {{name: {name}}}\n" for name in ("a", "b", "c", "d")
    }
    text = overview_of({"README.md": "# Role\n\nA role that opens shops on Linux.\n", **tasks})
    assert "Main parts:" in text and "tasks/" in text


def test_a_program_of_a_workflow_is_no_entry_point(tmp_path: Path) -> None:
    main = "package main\n\nfunc main() {}\n"
    with index_of(tmp_path / "made", {".github/release/main.go": main, "cmd/shop/main.go": main}) as index:
        assert [one.name for one in entry_points(Material(index.store))] == ["cmd/shop/main.go"]


def test_files_that_are_hidden_are_parts_where_there_is_little_else(overview_of: OverviewOf) -> None:
    hidden = {f".{name}": f"# Settings of {name} for the shell.\nexport {name}=1\n" for name in ("bashrc", "profile")}
    others = {"README.md": "# Mine\n\nIf it is there, it is read.\n", ".zshrc": "export Z=1\n", "a.sh": "ls\n"}
    text = overview_of({**hidden, **others})
    assert ".bashrc: Settings of bashrc for the shell." in text


def test_a_template_of_another_project_is_no_entry_point(tmp_path: Path) -> None:
    files = {"{{ it.name }}/__init__.py": "X = 1\n", "shop/__init__.py": '"""A shop for all that there is."""\n'}
    with index_of(tmp_path / "made", files) as index:
        assert [one.name for one in entry_points(Material(index.store))] == ["shop/__init__.py"]


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
    described = {path: description(material, path) for path in HEADS}
    texts = {path: one and one.text for path, one in described.items()}
    assert texts == {path: text for path, (_, text) in HEADS.items()}


def test_a_label_above_what_is_required_describes_no_file(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {
            "src/till.js": "/**\n * Module dependencies.\n */\n\nconst coins = require('coins')\n\n"
            "/**\n * Counts the coins of a shop.\n */\nclass Till {}\nmodule.exports = Till\n",
        }
    )
    assert "Module dependencies" not in overview
    assert "till.js: Counts the coins of a shop" in overview


def test_folders_of_prose_or_of_containers_stand_behind_code(overview_of: OverviewOf) -> None:
    overview = overview_of(
        {
            "README.md": "# Till\n\nTill counts coins. `guide` explains it, `containers` runs it.\n",
            "guide/src/main.rs": "fn main() {}\n",
            **{f"guide/{name}.md": f"# {name}\n\nHow the {name} are counted.\n" for name in ("coins", "notes")},
            "containers/Dockerfile": 'FROM scratch\nENTRYPOINT ["/till"]\n',
            "core/till.rs": "//! Counts coins.\n\npub fn count() {}\n",
        }
    )
    parts = overview.partition("Main parts:\n")[2]
    assert parts.index("- core/") < min(parts.index("guide/"), parts.index("containers/"))
