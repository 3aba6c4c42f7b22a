"""What a file or a module is: its own words first, whatever stands around them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.names.explain_name import explain_name
from quaestor.answers.quotes.blocks import blocks_of, comment_above, head_comment
from quaestor.answers.way import Question

RANDOM_ACCESS = """/* pick.c -- example of random access to a packed file
 * Copyright (C) 2005 Mona Petit
 * For conditions of use see the license */

#include "pick.h"

""" + "".join(f"int pick_{n}(int at) {{\n    return at + {n};\n}}\n\n" for n in range(20))
SCHEDULER = """// SPDX-License-Identifier: GPL-2.0-only
/*
 *  Core of the scheduler and what programs ask of it
 *
 *  Copyright (C) 1991-2002  Mona Petit
 */
""" + "".join(
    f"/* Schedules much at once, by way {n}. */\nint way_{n}(int at) {{\n    return at;\n}}\n\n" for n in range(20)
)
QUEUE = """/*
 * SPDX-License-Identifier: MIT
 *
 * A queue that many threads put orders into.
 */
""" + "".join(f"int queue_{n}(int at) {{\n    return at + {n};\n}}\n\n" for n in range(20))
PERMITTED = (
    """/* Copyright (C) 2005 Mona Petit
 *
"""
    + " * Redistribution of this in any form is permitted to all who keep these lines in it as they are.\n" * 19
    + """ * IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
 */

/* Asks an agent for keys. */
"""
    + "".join(f"int ask_{n}(int at) {{\n    return at + {n};\n}}\n\n" for n in range(20))
)
GUARD = (
    """package run

import "errors"

type guard struct {
	files  []string
	hidden bool
}

func (g *guard) wrap(do func()) error {
	do()
	return nil
}

// hide hides what is not staged, runs what is to be run, and brings it back.
func (g *guard) hide(do func() error) error {
"""
    + "".join(f'\tg.files = append(g.files, "{n}")\n' for n in range(40))
    + """	return do()
}
"""
)
IN_BRACES = """{-
    Copyright 2012 Mona Petit

    This file is distributed in the hope that it will be useful.
-}
{-# LANGUAGE FlexibleContexts #-}

-- Patterns as the slow ones, on top of the quick ones.
module Shop.Patterns where

""" + "".join(f"take{n} :: Int -> Int\ntake{n} at = at + {n}\n\n" for n in range(20))
SCOPE = (
    """module Shop
  # An order is the scope in which all routing is done.
  # It is asked once for each request.
  class Order
    def take
      1
    end
"""
    + "".join(f"\n    def step_{n}\n      {n}\n    end\n" for n in range(20))
    + """  end
end
"""
)
ADAPTER = """%% Derived from a client of another project for extra flexibility.

-module(shop_adapter).
-behaviour(client).
-export([request/1]).

request(Wanted) ->
    {ok, Wanted}.
"""
PLUGIN = (
    """import Foundation

/// A plugin is told of requests and can act on them.
public protocol PluginType {
    func prepare(_ request: Int) -> Int
}

public struct Answer {
"""
    + "".join(f"    /// The part {n}.\n    public let part{n}: Int\n" for n in range(30))
    + "}\n"
)


POPUP = (
    """/* $OpenShop: popup.c,v 1.76 2026/07/14 19:07:03 mona Exp $ */

#include <stdlib.h>

/*
 * Popups lie above everything else and take all keys.
 */

struct window {
"""
    + "".join(f"    int field_{n};\n" for n in range(30))
    + "};\n\n"
    + "".join(f"int popup_{n}(int at)\n{{\n    return at + {n};\n}}\n\n" for n in range(20))
)
SCANNER = (
    "#ifndef SCANNER_H_1\n#define SCANNER_H_1\nnamespace shop {\n"
    + "".join(f"int Scanner::scan_{n}(int at) {{\n  return at + {n};\n}}\n\n" for n in range(20))
    + "}\n#endif\n"
)


FILES = {
    "pick.c": RANDOM_ACCESS,
    "agent.c": PERMITTED,
    "core.c": SCHEDULER,
    "popup.c": POPUP,
    "src/scanner.cpp": SCANNER,
    "queue.c": QUEUE,
    "run/guard.go": GUARD,
    "run/runner.go": "package run\n\nfunc Run() {}\n",
    "cmd/main.go": 'package main\n\nimport "example.org/shop/run"\n\nfunc main() { run.Run() }\n',
    "lib/order.rb": SCOPE,
    "src/shop_adapter.erl": ADAPTER,
    "src/Plugin.swift": PLUGIN,
    "src/Patterns.hs": IN_BRACES,
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("explained") / "shop", FILES) as index:
        yield index


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is pick.c?", "example of random access to a packed file"),
        ("What is agent.c for?", "Asks an agent for keys"),
        ("What does core.c do?", "Core of the scheduler and what programs ask of it"),
        ("What does popup.c do?", "Popups lie above everything else"),
        ("What does queue.c do?", "A queue that many threads put orders into"),
        ("What does run/guard.go do?", "hides what is not staged"),
        ("what is lib/order.rb", "the scope in which all routing is done"),
        ("what is shop_adapter", "Derived from a client of another project"),
        ("what does src/Plugin.swift define", "A plugin is told of requests"),
        ("what does src/Patterns.hs do", "Patterns as the slow ones"),
    ],
)
def test_a_file_is_told_by_its_own_words(index: Index, question: str, said: str) -> None:
    found = explain_name(Question(question), index)
    assert found is not None
    assert said in found.hits[0].text


@pytest.mark.parametrize("name", ["pick.c", "agent.c", "core.c", "queue.c", "Patterns.hs"])
def test_nothing_of_a_licence_is_quoted(index: Index, name: str) -> None:
    found = explain_name(Question(f"What is {name}?"), index)
    assert found is not None
    assert not any(word in hit.text for hit in found.hits for word in ("Copyright", "WARRANTIES"))


def test_a_file_of_go_is_imported_where_its_folder_is(index: Index) -> None:
    found = explain_name(Question("What does run/guard.go do?"), index)
    assert found is not None
    assert "Imported by 1 file: `cmd/main.go`" in found.text(range(len(found.hits)))


def test_the_first_definition_within_a_module_keeps_its_comment() -> None:
    [module] = blocks_of(SCOPE, "ruby")
    assert module.inner[0].first == 1


@pytest.mark.parametrize(("line", "least", "first"), [(3, 0, 1), (3, 2, 2), (1, 0, 1), (0, 0, 0)])
def test_the_comment_above_a_line(line: int, least: int, first: int) -> None:
    assert comment_above(["code()", "# one", "# two", "more()"], line, least) == first


def test_what_a_line_tells_an_editor_is_no_comment_on_the_file() -> None:
    modeline = "/* -*- Mode: C; tab-width: 4; indent-tabs-mode: nil -*- */"
    assert head_comment([modeline, "#include <quay.h>"]) is None
    assert head_comment(["// vim: set expandtab shiftwidth=4 tabstop=4:", "int x;"]) is None
    assert head_comment([modeline, "", "/* Moors boats of all kinds at a quay. */", "int x;"]) == (3, 3)


def test_of_many_definitions_the_functions_are_listed_before_the_constants(tmp_path: Path) -> None:
    constants = "".join(f"const Rope{number} = {number}\n" for number in range(40))
    source = f"package quay\n\n{constants}\nfunc Moor() int {{\n\treturn Rope1\n}}\n"
    with index_of(tmp_path, {"quay.go": source}) as index:
        answer = explain_name(Question("What does quay.go do?"), index)
    assert answer is not None and "defines `Moor` (44), `Rope0` (3)" in answer.text([1, 2, 3])


def test_what_a_file_defines_is_listed_without_what_tells_nothing(index: Index) -> None:
    popup = explain_name(Question("What does popup.c do?"), index)
    scanner = explain_name(Question("What does src/scanner.cpp do?"), index)
    assert popup is not None and scanner is not None
    told, also = popup.text([1, 2, 3]), scanner.text([1, 2, 3])
    assert len(popup.hits) == 1 and "`popup_19`" in told and "field_1" not in told and "import statement" not in told
    assert (
        "`shop.Scanner.scan_0`" in also and "SCANNER_H_1" not in also.partition("defines")[2] and "`shop` (" not in also
    )


OPTIONS = """# Settings

## keep_longest

Orders that are kept at most. Older ones are dropped when a new one arrives.

## shop/open_until

The hour at which the shop closes, all the year.

## Fetch Timeout

`:fetch_timeout`

Seconds to wait for the answer of another shop, before an order is given up.
"""
SHOP = """struct settings {
        int keep_longest;
        int keep;
        int open_until;
};

/* Drops the oldest. */
void drop(void) {
        wait(settings.keep_longest);
        wait("fetch_timeout");
}
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    files = {"docs/settings.md": OPTIONS, "src/shop.c": SHOP}
    with index_of(tmp_path_factory.mktemp("settings") / "shop", files) as index:
        yield index


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("what does keep_longest do?", [("docs/settings.md", 5), ("src/shop.c", 2)]),
        ("what is fetch_timeout?", [("docs/settings.md", 13)]),
        ("where is keep_longest defined?", [("src/shop.c", 2)]),
        ("what does open_until do?", [("docs/settings.md", 9), ("src/shop.c", 4)]),
        ("what does the function drop do?", [("src/shop.c", 7)]),
    ],
)
def test_a_setting_is_told_first_by_the_section_that_a_document_has_about_it(
    settings: Index, question: str, places: list[tuple[str, int]]
) -> None:
    found = explain_name(Question(question), settings)
    assert found is not None
    assert [(hit.path, hit.start_line) for hit in found.hits] == places


def test_a_section_about_a_longer_name_is_not_about_this_one(settings: Index) -> None:
    found = explain_name(Question("what is the variable keep?"), settings)
    assert found is not None
    assert [(hit.path, hit.start_line) for hit in found.hits] == [("src/shop.c", 3)]


def test_where_a_setting_is_defined_no_document_tells(settings: Index) -> None:
    assert explain_name(Question("where is fetch_timeout defined?"), settings) is None


def test_a_name_that_nothing_uses_is_said_to_be_unused(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"shop.py": "def lonely():\n    return 1\n", "other.py": "OTHER = 2\n"}) as index:
        found = explain_name(Question("What does `lonely` do?"), index)
    assert found is not None
    assert "Nothing else here uses it, as far as its name tells." in found.text([1])


def test_a_file_that_begins_by_setting_something_is_shown_from_its_beginning(tmp_path: Path) -> None:
    service = "var loud = false;\n\nmodule('shop').service('Orders', function () {\n    'use strict';\n"
    service += "".join(f"    this.step{n} = {n};\n" for n in range(60)) + "});\n"
    with index_of(tmp_path / "shop", {"orders.js": service}) as index:
        found = explain_name(Question("orders.js"), index)
    assert found is not None
    assert found.hits[0].start_line == 1 and "service('Orders'" in found.hits[0].text
