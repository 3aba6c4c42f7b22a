"""What a file says of itself: the first sentence at its beginning, below its includes, or at a definition."""

from __future__ import annotations

import pytest
from overview_parts import material_of

from quaestor.answers.overview.overview_text import Statement
from quaestor.answers.overview.path_descriptions import (
    _said_of_definition,
    comment_below_includes,
    description,
    from_head,
)

Told = tuple[str, int, int, bool] | None
"""The words, the first and the last line, and whether they are the file's own to the letter."""


def told(statement: Statement | None) -> Told:
    if statement is None or statement.source is None:
        return None
    return statement.text, statement.source.start_line, statement.source.end_line, statement.verbatim


SENDS = "Sends orders by night."
LICENCE = "/* Licensed under the terms below. This notice stays. */\n\npackage shop;\n"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", f"# {SENDS} And more.\nx = 1\n", (SENDS, 1, 1, True)),
        ("python", f'"""{SENDS}"""\nx = 1\n', (SENDS, 1, 1, True)),
        ("python", '"""\nSends orders\nby night. Then it sleeps.\n"""\n', (SENDS, 2, 3, False)),
        ("python", f"r'''{SENDS}\n\nMore of it.'''\n", (SENDS, 1, 1, True)),
        ("python", f"x = 1\n# {SENDS}\n", None),
        ("python", f'# Copyright 2020 Anna\n\n"""{SENDS}"""\n', (SENDS, 3, 3, True)),
        ("python", f"# Copyright 2020 Anna\n# {SENDS}\n", None),
        ("python", f"#!/usr/bin/env python\n# {SENDS}\n", (SENDS, 2, 2, True)),
        ("python", f"# /// script\n# requires = 3\n# ///\n# {SENDS}\n", (SENDS, 4, 4, True)),
        ("python", f"# one\n\n# {SENDS}\n", (SENDS, 3, 3, True)),
        ("python", f"# It is sold with all rights\n# reserved by Anna.\n\n# {SENDS}\n", (SENDS, 4, 4, True)),
        ("python", f"# x = send(orders, night);\n\n# {SENDS}\n", (SENDS, 3, 3, True)),
        ("python", f"# {'word ' * 40}\nx = 1\n", ("word " * 21 + "word …", 1, 1, False)),
        ("elixir", f'defmodule Shop do\n  @moduledoc """\n  {SENDS}\n  """\n', (SENDS, 3, 3, True)),
        ("elixir", f'defmodule Shop do\n  @moduledoc ~S"""\n  {SENDS}\n  """\n', (SENDS, 3, 3, True)),
        ("java", f"{LICENCE}\n/**\n * {SENDS}\n *\n * More.\n */\nclass A {{}}\n", (SENDS, 6, 6, True)),
        (
            "java",
            f"/*\n * All rights redistributed.\n *\n * Please ask Anna.\n */\n\n// {SENDS}\n",
            (SENDS, 7, 7, True),
        ),
        (
            "java",
            "/** Sends {@code orders} by night, {@link Far far} away. */\nclass A {}\n",
            ("Sends orders by night, Far far away.", 1, 1, False),
        ),
        (
            "python",
            f"# {SENDS[:-1]}, e.g. those of Anna. And more.\n",
            (f"{SENDS[:-1]}, e.g. those of Anna.", 1, 1, True),
        ),
        (
            "python",
            '"""\nKeeps permissions of orders.\n\n1. First\n"""\n',
            ("Keeps permissions of orders.", 2, 2, True),
        ),
        ("python", f"# 1. First, the Orders\n\n# {SENDS}\n", (SENDS, 3, 3, True)),
        ("python", f"# https://example.org/shop/orders\n\n# {SENDS}\n", (SENDS, 3, 3, True)),
        ("javascript", f"/*global process, window*/\n\n// {SENDS}\n", (SENDS, 3, 3, True)),
        ("ruby", f"# > A remark on it.\n\n# {SENDS}\n", (SENDS, 3, 3, True)),
        (
            "ruby",
            f"module Shop\n  # @docs\n  # @shop_summary\n  #   {SENDS}\n  # @shop_more\n  #   More of it.\n",
            (SENDS, 4, 4, True),
        ),
        ("c", f"/**\n * @file send.c\n * @brief {SENDS}\n * @author Anna\n */\n", (SENDS, 3, 3, True)),
        ("c", f"/** \\brief {SENDS} */\n", (SENDS, 1, 1, True)),
        ("c", "/**\n * @brief\n * @author Anna\n */\n", None),
        ("c", "/**\n * @brief\n */\n", None),
        (
            "go",
            "// See [orders](/docs/orders) and [more](#more), not at[i](x) of it.\n",
            ("See orders and more, not at[i](x) of it.", 1, 1, False),
        ),
        ("c", f"/* {SENDS} */\n#include <a.h>\n", (SENDS, 1, 1, True)),
        ("c", "/* Sends orders\n   by night. */\nint x;\n", (SENDS, 1, 2, False)),
        ("ocaml", f"(* {SENDS} *)\nlet x = 1\n", (SENDS, 1, 1, True)),
        ("vue", f"<!-- {SENDS} -->\n<template>\n", (SENDS, 1, 1, True)),
        ("vue", f"<!--\n{SENDS}\n-->\n<template>\n", (SENDS, 2, 2, True)),
        ("lua", f"--[[ {SENDS}\n--]]\nx = 1\n", (SENDS, 1, 1, True)),
        ("lua", f"--- {SENDS}\nx = 1\n", (SENDS, 1, 1, True)),
        ("lisp", f";;; till.el --- {SENDS} -*- lexical-binding: t -*-\n", (SENDS, 1, 1, True)),
        ("sql", f"-- {SENDS}\nselect 1;\n", (SENDS, 1, 1, True)),
        ("tex", f"% {SENDS}\n", (SENDS, 1, 1, True)),
        ("vim", f'" {SENDS}\n', (SENDS, 1, 1, True)),
        (
            "haskell",
            "{-|\nModule      : Shop\nDescription : Sends orders\n  by night.\nCopyright   : Anna\n-}\n",
            (SENDS, 3, 4, False),
        ),
        ("haskell", f"{{-|\nModule      : Shop\nCopyright   : Anna\n-}}\n\n-- | {SENDS}\n", (SENDS, 6, 6, True)),
        ("csharp", f"/// <summary>\n/// {SENDS}\n/// </summary>\n/// <param>None</param>\n", (SENDS, 2, 2, True)),
        ("csharp", "/// <summary>\n/// </summary>\nclass A {}\n", None),
        ("javascript", f"// loads what is sold\nimport a from 'a';\n\n// {SENDS}\n", None),
        ("javascript", f"// loads what is sold\n\n// {SENDS}\n", ("loads what is sold", 1, 1, True)),
        ("python", "# loads what is sold\nimport a\n", ("loads what is sold", 1, 1, True)),
        ("rust", f"//! # Orders of shops\n//! {SENDS}\nuse a;\n", (SENDS, 2, 2, True)),
        ("rust", f"//! # Orders of shops\n\n//! {SENDS}\nuse a;\n", (SENDS, 3, 3, True)),
        ("rust", "//! # Orders of shops\nuse a;\n", ("Orders of shops", 1, 1, False)),
        ("rust", f"#![allow(x)]\n//! {SENDS}\n", (SENDS, 2, 2, True)),
        ("go", f"//go:build linux\n\n// {SENDS}\npackage shop\n", (SENDS, 3, 3, True)),
        ("go", "// Sends [orders](https://e.org/a) by <b>night</b>.\npackage shop\n", (SENDS, 1, 1, False)),
    ],
)
def test_the_first_sentence_at_the_beginning_of_a_file(language: str, text: str, expected: Told) -> None:
    assert told(from_head(text.split("\n"), "a", language)) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("#include <a.h>\n\n/* Sends\n   orders. */\n\nint x;\n", (3, 4)),
        ("/* A licence. */\n#include <a.h>\n#define B\n/* Sends orders. */\n\nint x;\n", (4, 4)),
        ("#include <a.h>\n/* About x. */\nint x;\n", None),
        ("#include <a.h>\n/* The end. */", None),
        ("#include <a.h>\nint x;\n/* Sends orders. */\n\n", None),
        ("/* Sends orders. */\n\nint x;\n", None),
        ("#include <a.h>\n" + "\n" * 118 + "/* Sends orders. */\n\n", (120, 120)),
        ("#include <a.h>\n" + "\n" * 119 + "/* Sends orders. */\n\n", None),
        ("#include <a.h>\n/* never\nended\n", None),
    ],
)
def test_the_comment_below_the_includes_of_c(text: str, lines: tuple[int, int] | None) -> None:
    assert comment_below_includes(text.split("\n")) == lines


@pytest.mark.parametrize(
    ("language", "text", "number", "expected"),
    [
        ("python", f'def send():\n    """{SENDS} And more."""\n', 1, (SENDS, 2, 2, True)),
        ("python", f'def send(\n    one,\n):\n    """\n    {SENDS}\n    """\n', 1, (SENDS, 5, 5, True)),
        ("python", f"# {SENDS}\ndef send():\n    pass\n", 2, None),
        ("go", f"package shop\n\n// {SENDS}\nfunc send() {{\n}}\n", 4, (SENDS, 3, 3, True)),
        ("go", f"package shop\n\n// {SENDS}\n\nfunc send() {{\n}}\n", 5, (SENDS, 3, 3, True)),
        ("go", f"package shop\n\n// {SENDS}\n\n\nfunc send() {{\n}}\n", 6, None),
        ("rust", f"/// {SENDS}\n#[inline]\nfn send() {{}}\n", 3, (SENDS, 1, 1, True)),
        ("java", f"/**\n * {SENDS}\n */\n@Override\nvoid send() {{}}\n", 5, (SENDS, 2, 2, True)),
        ("go", "func send() {\n}\n", 1, None),
    ],
)
def test_the_first_sentence_at_a_definition(language: str, text: str, number: int, expected: Told) -> None:
    assert told(_said_of_definition(text.split("\n"), number, "a", language)) == expected


def test_a_file_of_c_is_described_by_the_lines_below_its_includes() -> None:
    files = {"a.c": "#include <a.h>\n\n/* Sends orders\n   by night. */\n\nint x;\n"}
    assert told(description(material_of(files), "a.c")) == (SENDS, 3, 4, False)
