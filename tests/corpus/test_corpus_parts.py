"""The pure parts of a corpus: excerpts, trees, near paths, targets; and what a text imports."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quaestor.core.documents import Document
from quaestor.corpus.document_paths import Folder, make_tree, near_paths
from quaestor.corpus.documents_on_disk import excerpt, lines_of
from quaestor.corpus.find_relatives import read_name, split_place
from quaestor.related.imports import Import, Modules, imports_of, outside_names, packages_of
from quaestor.related.occurrences import occurrences

NAMES = st.text(st.sampled_from("ab.c_"), min_size=1, max_size=4).filter(lambda name: name.strip("."))
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), unique=True, max_size=25)


@given(st.binary(max_size=200))
def test_lines_are_those_of_the_bytes(data: bytes) -> None:
    lines = lines_of(data)
    assert all("\n" not in line for line in lines)
    if not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff", b"\xef\xbb\xbf")):
        assert len(lines) == data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\r\nb", ["a", "b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"a\x0cb\rc\n", ["a\x0cb\rc"]),
        (b"caf\xe9\n", ["café"]),
        ("a\nß\n".encode("utf-16"), ["a", "ß"]),
    ],
)
def test_lines_in_every_encoding(data: bytes, lines: list[str]) -> None:
    assert lines_of(data) == lines


@given(st.lists(st.text(st.sampled_from("ab "), max_size=4), max_size=12), st.integers(1, 14), st.integers(0, 14))
def test_an_excerpt_is_its_lines(lines: list[str], start: int, length: int) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    found = excerpt(Document("a", "0" * 64, len(data), 0, "text"), data, "1" * 64, start, start + length)
    assert found.lines == tuple(lines[start - 1 : start + length])
    assert found.end_line == found.start_line + len(found.lines) - 1 or not found.lines
    assert found.total_lines == len(lines)
    assert not found.fresh


@given(PATHS, st.integers(0, 4))
def test_a_tree_counts_every_document_once(paths: list[str], depth: int) -> None:
    tree = make_tree(paths, "", depth)
    assert (tree is None) == (not paths)
    if tree is not None:
        assert tree.count == len(paths)
        check(tree, depth)


def check(folder: Folder, depth: int) -> None:
    if depth:
        assert folder.count == len(folder.documents) + sum(inner.count for inner in folder.folders)
    for inner in folder.folders:
        assert inner.path.startswith(folder.path)
        check(inner, depth - 1)


@given(st.text(max_size=20), PATHS)
def test_near_paths_are_paths(path: str, paths: list[str]) -> None:
    near = near_paths(path, paths)
    assert len(near) <= 3
    assert set(near) <= set(paths)


@given(PATHS.filter(bool))
def test_a_path_below_another_folder_is_found(paths: list[str]) -> None:
    assert paths[0].rpartition("/")[2] == near_paths(f"elsewhere/{paths[0]}", paths)[0].rpartition("/")[2]


@pytest.mark.parametrize(
    ("text", "name", "scope"),
    [
        ("send", "send", ()),
        ("Client.send()", "send", ("Client",)),
        ("a::b::c", "c", ("a", "b")),
        ("Client#send", "send", ("Client",)),
        ("p->next", "next", ("p",)),
        ("+", "+", ()),
    ],
)
def test_names(text: str, name: str, scope: tuple[str, ...]) -> None:
    target = read_name(text)
    assert (target.name, target.scope) == (name, scope)


@given(st.text(max_size=40))
def test_any_text_can_be_a_target(text: str) -> None:
    read_name(text)
    for place in (text, f"{text}:12"):
        path, line = split_place(place)
        assert place.startswith(path)
        assert line is None or line >= 0


def test_places() -> None:
    assert split_place("src/a.py:12") == ("src/a.py", 12)
    assert split_place("src/a.py:12:5") == ("src/a.py", 12)
    assert split_place("src/a.py") == ("src/a.py", None)


IMPORTING = [
    (
        "python",
        "from shop.retry import send\nimport os, shop.clock as c\nfrom . import x\n",
        "shop/a.py",
        {"shop/x.py"},
    ),
    ("typescript", "import { a } from './util/b'\nimport c from 'react'\n", "web/a.ts", {"web/util/b.ts"}),
    ("javascript", "const b = require('../util/b')\n", "web/lib/a.js", {"web/util/b.ts"}),
    ("go", 'import (\n\t"fmt"\n\t"example.org/x/go/shop"\n)\n', "main.go", {"go/shop/cart.go"}),
    ("rust", "use crate::net::client::Client;\nmod tls;\n", "src/lib.rs", {"src/net/client.rs", "src/tls.rs"}),
    ("java", "import org.example.Cart;\n", "src/org/other/A.java", {"src/org/example/Cart.java"}),
    ("c", '#include "list.h"\n#include <stdio.h>\n', "src/list.c", {"src/list.h"}),
    ("ruby", "require_relative 'lib/cart'\n", "a.rb", {"lib/cart.rb"}),
    ("elixir", "alias Shop.LineItem\n", "lib/a.ex", {"lib/shop/line_item.ex"}),
]
MODULES = """shop/__init__.py shop/a.py shop/x.py shop/retry.py shop/clock.py web/a.ts web/util/b.ts web/lib/a.js
    go/shop/cart.go main.go src/lib.rs src/net/client.rs src/tls.rs src/org/example/Cart.java src/org/other/A.java
    src/list.h src/list.c a.rb lib/cart.rb lib/a.ex lib/shop/line_item.ex""".split()


@pytest.mark.parametrize(("language", "text", "importer", "expected"), IMPORTING, ids=[case[0] for case in IMPORTING])
def test_imports_lead_to_documents(language: str, text: str, importer: str, expected: set[str]) -> None:
    modules = Modules(MODULES)
    found = {modules.resolve(one, importer) for one in imports_of(text, language)} - {None}
    assert expected <= found
    if language == "python":
        assert {"shop/retry.py", "shop/clock.py"} <= found


MANIFESTS = [
    (
        "composer.json",
        '{"autoload": {"psr-4": {"Shop\\\\": "app/"}}, "autoload-dev": {"psr-4": {"Tests\\\\": ["tests/"]}}}',
    ),
    ("packages/cart/package.json", '{"name": "@shop/cart"}'),
    ("packages/broken/package.json", '{"name": '),
    ("packages/odd/package.json", "[1]"),
    ("go/go.mod", "module example.org/shop\n\ngo 1.25\n"),
    ("crates/till-core/Cargo.toml", '[package]\nedition = "2021"\nname = "till-core"\n\n[dependencies]\n'),
]
IN_PACKAGES = """app/Orders/Order.php tests/Orders/OrderTest.php packages/cart/src/index.ts packages/cart/src/sum.ts
    packages/page/page.ts crates/till-core/src/lib.rs crates/till-core/src/coins.rs crates/till/src/main.rs
    vendor/serde/de.rs go/till/drawer.go go/log/log.go app/Exception.php lib/shop.rb lib/bench.rb shop.gemspec shop.json
    shop.md""".split()


@pytest.mark.parametrize(
    ("language", "text", "importer", "expected"),
    [
        ("php", "use Shop\\Orders\\Order;\n", "tests/Orders/OrderTest.php", ["app/Orders/Order.php"]),
        ("php", "use Other\\Orders\\Order;\n", "tests/Orders/OrderTest.php", [None]),
        ("typescript", "import { a } from '@shop/cart'\n", "packages/page/page.ts", ["packages/cart/src/index.ts"]),
        (
            "typescript",
            "import { a } from '@shop/cart/sum'\n",
            "packages/page/page.ts",
            ["packages/cart/src/sum.ts"],
        ),
        ("rust", "use till_core::{Coin, Note};\n", "crates/till/src/main.rs", ["crates/till-core/src/lib.rs"]),
        ("rust", "use till_core::coins::Coin;\n", "crates/till/src/main.rs", ["crates/till-core/src/coins.rs"]),
        ("rust", "use serde::de::Error;\n", "crates/till/src/main.rs", [None]),
        # A folder of the same name elsewhere is another package.
        ("go", '"example.org/shop/till"\n"example.org/other/till"\n', "go/log/log.go", ["go/till/drawer.go", None]),
        (
            "go",
            '"example.org/shop/log"\n"log"\n"a.io/shop/log/v2"\n',
            "go/till/drawer.go",
            ["go/log/log.go", None, None],
        ),
        ("php", "use Exception;\n", "app/Orders/Order.php", [None]),
        # A file is named whole, and neither a manifest nor a page is one.
        (
            "ruby",
            "require 'shop'\nrequire 'bench/ips'\nrequire 'bench'\n",
            "a.rb",
            ["lib/shop.rb", None, "lib/bench.rb"],
        ),
    ],
)
def test_imports_of_a_repositorys_own_packages(
    language: str, text: str, importer: str, expected: list[str | None]
) -> None:
    modules = Modules(IN_PACKAGES, packages_of(MANIFESTS))
    assert [modules.resolve(one, importer) for one in imports_of(text, language)] == expected


@given(st.lists(st.tuples(st.sampled_from(["composer.json", "a/package.json", "a/Cargo.toml"]), st.text(max_size=80))))
def test_any_text_may_be_a_manifest(manifests: list[tuple[str, str]]) -> None:
    modules = Modules(IN_PACKAGES, packages_of(manifests))
    assert modules.resolve(Import(1, ("till_core",), package=True), "crates/till/src/main.rs") in (None, *IN_PACKAGES)


IMPORTS = [
    "import ",
    "from ",
    "#include ",
    "use ",
    "@import(",
    *("shop", "a", ".", "::", "/", "./", '"', "'", "<", ";", "\n"),
]


@given(
    st.lists(st.sampled_from(IMPORTS) | st.text(max_size=3), max_size=20).map("".join),
    st.sampled_from(["python", "typescript", "go", "rust", "c", "zig", "text"]),
)
@example("é\nimport shop.a\n", "python")
def test_any_text_may_import(text: str, language: str) -> None:
    modules = Modules(MODULES)
    for one in imports_of(text, language):
        assert 1 <= one.line <= text.count("\n") + 1
        assert modules.resolve(one, "shop/a.py") in (None, *MODULES)
    outside_names(text, language, lambda: modules.names)


def test_names_from_elsewhere() -> None:
    ours = frozenset({"shop", "clock", "x"})
    text = "import os, shop.clock\nimport numpy as np\nfrom click import (\n    command,\n    group as g,\n)\n"
    assert outside_names(text, "python", lambda: ours) == {"os", "np", "command", "g"}
    text = "import React, { useState as use } from 'react'\nimport x from './x'\nconst fs = require('fs')\n"
    assert outside_names(text, "tsx", lambda: ours) == {"React", "use", "fs"}


USES = [
    (
        "go",
        "package a\nfunc send() {}\nfunc b() { send(); c.send(1) }\n",
        [("definition", 2), ("call", 3), ("call", 3)],
    ),
    ("rust", "fn send() {}\nfn b() { a::send(1); assert!(send(2)); }\n", [("definition", 1), ("call", 2), ("call", 2)]),
    (
        "java",
        "class A { void send() {}\n void b() { this.send(); new send(); } }\n",
        [("definition", 1), ("call", 2), ("call", 2)],
    ),
    (
        "typescript",
        "import { send } from './a'\nsend(1); x.send?.(2); const y = send\n",
        [("import", 1), ("call", 2), ("call", 2), ("reference", 2)],
    ),
    ("ruby", "def send(a)\nend\nx.send 1\n", [("definition", 1), ("call", 3)]),
    ("c", "int send(int a) { return a; }\nint b(void) { return send(1); }\n", [("definition", 1), ("call", 2)]),
    ("bash", "send() { echo 1; }\nsend 2\n", [("definition", 1), ("call", 2)]),
    ("python", "def f(send, *, g=1):\n    # send\n    'send'\n    f(send=1)\n    send = 2\n", []),
    ("php", "<?php function send() {}\n$a->send(1); send(2);\n", [("definition", 1), ("call", 2), ("call", 2)]),
    ("kotlin", "fun send() {}\nfun b() { send(); a.send() }\n", [("definition", 1), ("call", 2), ("call", 2)]),
    ("csharp", "class A { void send() {}\n void b() { x.send<int>(1); } }\n", [("definition", 1), ("call", 2)]),
    ("lua", "function send() end\nsend(1) a.send(2)\n", [("definition", 1), ("call", 2), ("call", 2)]),
]


@pytest.mark.parametrize(("language", "text", "expected"), USES, ids=[case[0] for case in USES])
def test_what_a_name_does(language: str, text: str, expected: list[tuple[str, int]]) -> None:
    found = occurrences(text, language, "send")
    assert found is not None
    assert [(one.role, one.start_line) for one in found] == expected


@pytest.mark.parametrize("name", ["default", "case", "void", "class"])
def test_a_word_of_the_language_can_be_asked_for_like_a_name(name: str) -> None:
    """It may stand in a node without any names: ``default:``."""
    text = "class A {\n  void f(int x) {\n    switch (x) { case 1: f(2); default: f(3); }\n  }\n}\n"
    assert [one.role for one in occurrences(text, "java", name) or []] in ([], ["reference"])
