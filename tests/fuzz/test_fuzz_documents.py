"""Documents as they are indexed: every byte of any file is in one chunk, whatever its language and its headings."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.parser_properties import fuzzed
from quaestor.chunking import cut
from quaestor.chunking.decode import decode
from quaestor.chunking.languages import recognise
from quaestor.chunking.prose import read_fields, read_front_matter
from quaestor.core.bylines import after, author_line, author_words, date_of_path, iso_date
from quaestor.core.terms import term_keys, terms
from quaestor.related.imports import imports_of, outside_names, packages_of

PROSE = [
    *(
        "---\n",
        "+++\n",
        "title: a\n",
        "author:\n  - name: b\n",
        "authors: [a, 'b']\n",
        "date: 2020-01-02\n",
        "= Title\n",
        ":author: x\n",
    ),
    *(
        "# h\n",
        "## h #\n",
        "===\n",
        "---\n",
        "~~~\n",
        "```\n",
        "    code\n",
        "- item\n",
        "1. item\n",
        "term::\n",
        "::",
        "[attr]\n",
    ),
    *(
        "\r\n",
        "\r",
        "\n\n",
        "\x00",
        "\ufeff",
        "\u2028",
        "é",
        "。",
        "A. B",
        "|===\n",
        "<!-- ",
        "-->",
        ".. code::\n",
        "   ",
        "\t",
        "\xa0",
    ),
    *("NAME\n====\n", "a - b\n", "Author: A <a@b>\n", "v1.0, 2020-01-02\n"),
]
CODE = [
    *(
        "def f():\n",
        "    return 1\n",
        "class A:\n",
        '"""',
        "'''",
        "{",
        "}",
        "(",
        ")",
        ";",
        "//",
        "/*",
        "*/",
        "#",
        "@a\n",
        "\\\n",
    ),
    *(
        "import a.b as c\n",
        "from . import (a,\n",
        "#include <a>\n",
        "use a::{b};\n",
        'require("a")\n',
        "func f() {\n",
        "fn f() {}\n",
    ),
    *(
        "<script>",
        "</script>",
        "<template>",
        "\t",
        "\r\n",
        "\x00",
        "\xff",
        "é",
        "#!/usr/bin/env python\n",
        "-*- mode: c -*-\n",
        "<?php",
    ),
]
FILES = (
    "a.md a.rst a.adoc a.txt a.py a.js a.ts a.go a.rs a.c a.h a.java a.rb a.vue a.hs a.sh a.css a.html a.m b".split()
)
DATES = [
    "2020",
    "-01",
    "/02",
    "1st",
    "March",
    "Sept.",
    " of ",
    "T10:00",
    "Z",
    "99",
    ".",
    "31",
    "30 Feb 2021",
    "may",
    ",",
]
AUTHORS = ["Ana", " and ", ",", ";", "<a@b>", "(a at b)", "Ñ", "\u0301", "&", "\n", "<", ">"]


@fuzzed(PROSE, ["---\ntitle: x\n---\n# a\n\ntext\n", "= T\nA <a@b>\nv1, 2020-01-02\n\n== B\nterm:: text\n"], raw=True)
def test_every_byte_of_prose_is_in_one_chunk(data: bytes) -> None:
    check_cut(data, FILES[:4])
    front = read_front_matter(data, 0)
    assert 0 <= front.end <= len(data)
    for field in (front.title, front.author, front.date, read_fields(data, 0).author):
        assert field is None or "\n" not in field


@fuzzed(CODE, ["class A:\n    def f(self):\n        pass\n"], raw=True)
def test_every_byte_of_code_is_in_one_chunk(data: bytes) -> None:
    check_cut(data, FILES[4:])
    text = data.decode("utf-8", "replace")
    for language in ("python", "javascript", "go", "rust", "java", "c", "php", "ruby", "haskell"):
        assert all(one.line >= 1 and one.parts for one in imports_of(text, language))


def check_cut(data: bytes, paths: Sequence[str]) -> None:
    """Assert that every byte of a file, blanks aside, is in one chunk, under each of these names."""
    whole = decode(data)
    for path in paths:
        recognise(whole.data, path)
        made = cut(data, path)
        end = whole.start
        for chunk in made.chunks:
            assert end <= chunk.span.start < chunk.span.end <= len(whole.data)
            assert not whole.data[end : chunk.span.start].strip()
            assert chunk.text == whole.data[chunk.span.start : chunk.span.end].decode(whole.encoding)
            end = chunk.span.end
        assert not whole.data[end:].strip()


@fuzzed(DATES, ["30 Feb 2021", "2020-13-01", "20200230"])
def test_a_date_is_one_of_the_calendar_or_none(text: str) -> None:
    for found in (iso_date(text), date_of_path(text)):
        if found is not None:
            assert iso_date(found) == found
            assert after(found) > found
    date_of_path(f"posts/2020/{text}/a.md")


@fuzzed(AUTHORS, ["Ana Núñez <a@b>, B"])
def test_authors_are_one_line(text: str) -> None:
    line = author_line(text)
    assert line is None or ("\n" not in line and len(line) <= 300)
    assert all(word == word.casefold() for word in author_words(text))


@fuzzed(["getUserName", "_", "snake_case", "é", "漢字", "ひら", "\u0301", "1", "\x00", "ß", "İ", "\u200d", "ﬁ"])
def test_terms_and_their_keys_agree(text: str) -> None:
    assert len(term_keys(text)) == 8 * len(terms(text))


MANIFESTS = [
    *(
        '{"name": "@a/b"}',
        '{"autoload": {"psr-4": {',
        '"A\\\\B\\\\": "src/",',
        '"": [[]]',
        "}}}",
        '"autoload-dev"',
        '"../.."',
        "null",
    ),
    *(
        "[package]\n",
        'name = "a-b"\n',
        "[workspace]\n",
        "[",
        "{",
        "]",
        "}",
        '"',
        ",",
        ":",
        "9" * 40,
        "1e999",
        "\\ud800",
    ),
]
IMPORTED = [
    *("import ", "from ", "type ", "const ", "let {", "} = ", "require(", '"a/b"', "'./c'", "* as d", ", e as f", ")"),
    *("(", "#", "\\\n", "a.b", "..", ";"),
]


@fuzzed(MANIFESTS, ['{"autoload": {"psr-4": {"A\\\\": "src/"}}}', '{"name": "@a/b"}', '[package]\nname = "a-b"\n'])
def test_whatever_a_manifest_says_packages_have_names_and_folders(text: str) -> None:
    for name in ("composer.json", "package.json", "Cargo.toml"):
        for names, folders in packages_of([(f"a/{name}", text)]).items():
            assert all(isinstance(one, str) for one in (*names, *folders))
            assert names
            assert folders[0] == "a"


@fuzzed(
    IMPORTED,
    ["import a, { b as c } from 'd'\n", "const { e } = require('f')\n", "from g import (h as i,\nj)\n", "import .a"],
)
def test_imported_names_are_of_the_text(text: str) -> None:
    for language in ("python", "typescript"):
        assert all(name and name in text for name in outside_names(text, language, frozenset))
