"""Overviews of real folders: what is said, in how much room, and where it can be checked."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from overview_parts import FILES, README, Make, lines_of

from quaestor.answers.citations.verify import verify
from quaestor.answers.overview.overview_answer import answer_with_overview
from quaestor.answers.overview.overview_text import code, escape_markdown, on_one_line, sections_of
from quaestor.answers.overview.prose_lines import paragraphs
from quaestor.answers.way import Question
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.llm.prompts.numbered_passages import number
from quaestor.llm.tokens import tokenizer_for
from quaestor.server.web.answer_html import render


def test_it_says_what_the_readme_says(made: Make) -> None:
    found = made(FILES, git=True).overview()
    said = list(lines_of(found, "What it is").values())
    [section] = [one for one in found.sections if one.title == "What it is"]
    first = section.entries[0].says
    assert first is not None
    assert first.text.startswith("Shop is a small library that sends orders to a warehouse")
    assert first.source is not None
    assert (first.source.path, first.source.start_line) == ("README.md", 12)
    assert not any("pip install" in one or "read the guide" in one or "badge" in one for one in said)


def test_entry_points_and_how_it_is_built(made: Make) -> None:
    found = made(FILES, git=True).overview()
    entries = lines_of(found, "Entry points")
    assert entries["shop → src/shop/cli.py"] == 'shop = "shop.cli:main"'
    assert "src/shop/__main__.py" in entries
    text = found.text.partition("Build and test:")[2]
    assert "Makefile: make test, build" in text
    assert "ci.yml: tox run" in text
    assert "CONTRIBUTING.md: pytest -q tests" in text


def test_parts_say_what_documents_and_files_say_of_them(made: Make) -> None:
    text = made(FILES, git=True).overview().text
    assert "retry.py: decides when an order is sent again" in text
    assert "tools/: scripts for releases" in text
    assert "orders/: What is ordered, and by whom." in text
    assert "Copyright" not in text


def test_most_imported_counts_no_tests(made: Make) -> None:
    assert lines_of(made(FILES).overview(), "Files that most others import") == {
        "src/shop/retry.py": "imported by 3 files"
    }


LINES = {
    "README.md": "# till\n\nA till for shops that counts coins.\n\n- `manage.py count` - counts all coins\n",
    "manage.py": "import till\n\n\ndef run_all():\n    till.open()\n",
    "plot.py": "# /// script\n# requires-python = 3.11\n# ///\n\n# Draws what is in the till.\nplot = 1\n",
    "src/style.go": "package shop\n\nvar (\n\tnormalDim = Color{Light:\n\t\t1,\n\t}\n)\n",
    "src/request.js": "module.exports = {\n  use: () => this.coins,\n  coins () {\n    return 1\n  }\n}\n",
    "src/format.rs": "#[test]\nfn test_coins() {\n    a();\n    b();\n    c();\n}\n\nfn coins() {\n    a();\n}\n",
}


def test_of_files_that_are_imported_equally_often_the_order_is_always_the_same(made: Make) -> None:
    """The order of a set of texts differs from process to process."""
    parts = [f"part{letter}" for letter in "hgfedcba"]
    files = {f"shop/{part}.py": f"def {part}():\n    return 1\n" for part in parts}
    users = {f"shop/user{n}.py": "".join(f"from shop.{part} import {part}\n" for part in parts) for n in range(4)}
    overview = made({"README.md": "# Shop\n\nIt sells letters to people.\n", **files, **users}).overview()
    shown = list(lines_of(overview, "Files that most others import"))
    assert shown == sorted(shown) and len(shown) > 3


def test_a_line_that_defines_nothing_by_itself_is_not_shown(made: Make) -> None:
    parts = lines_of(made(LINES).overview(), "Main parts")
    assert parts["manage.py"] == "def run_all()"
    assert parts["plot.py"] == "Draws what is in the till."
    assert parts["style.go"] == "defines normalDim"
    assert parts["format.rs"] == "fn coins()"


def test_what_is_said_is_not_torn_from_its_brackets(made: Make) -> None:
    boxed = "use std::fmt;\n\n/// A [`Clone`] + [`Send`] boxed [`Till`].\npub struct BoxedTill {\n    coins: u32,\n}\n"
    files = {
        "README.md": "# Shop\n\nShop sends orders.\n",
        "Dockerfile": 'FROM scratch\nENTRYPOINT ["./shop"]\n',
        "src/boxed.rs": boxed,
        "src/lib.rs": "pub mod boxed;\n",
    }
    text = "".join(str(piece) for piece in sections_of(made(files).overview())).replace("\\", "")
    assert ': ENTRYPOINT ["./shop"] ' in text
    assert ": A [`Clone`] + [`Send`] boxed [`Till`]. " in text


def test_pictures_and_single_examples_are_no_parts(made: Make) -> None:
    """However often the chapters of a guide for users name them; what a map for developers describes is one."""
    guide = '# Layout\n\n```python\n--8<-- "docs/examples/row.py"\n```\n\n- ![it](../images/row.svg): a row\n'
    maps = "# Contributing\n\n- `docs/examples/all.py`: shows every widget\n"
    picture = f"<svg>{'<path/>' * 40}</svg>\n"
    files = {
        "README.md": "# Shop\n\nShop sends orders.\n",
        "CONTRIBUTING.md": maps,
        "docs/guide/layout.md": guide,
        "docs/images/row.svg": picture,
        "docs/examples/row.py": "def row():\n    return 1\n",
        "docs/examples/all.py": "def every():\n    return 1\n",
        "tests/grid.py": "def grid():\n    return 1\n",
        "src/shop.py": "def send():\n    return 1\n",
    }
    text = made(files).overview().text
    assert not [name for name in ("row.py", "row.svg", "grid.py") if name in text]
    assert "all.py: shows every widget" in text
    assert "shop.py: defines send" in text


def test_a_sentence_about_a_file_is_no_description_of_it(made: Make) -> None:
    """What goes on after its name is the rest of a sentence, whose beginning would be missing."""
    said = "# Contributing\n\n- `tools/release.py` has only been tried on Linux (so far)\n"
    assert "only been tried" not in made({**FILES, "CONTRIBUTING.md": said}).overview().text


def test_names_that_every_file_defines_are_not_shown(made: Make) -> None:
    rust = (
        "pub struct Order;\n\nimpl Order {\n    pub fn new() -> Self {\n        Order\n    }\n}\n\n"
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_is() {\n        assert!(true);\n    }\n}\n"
    )
    text = made({"README.md": "# Shop\n\nShop sends orders.\n", "src/order.rs": rust}).overview().text
    assert "order.rs: defines Order" in text
    assert ", tests" not in text


def test_what_poetry_is_told_is_not_how_it_is_built(made: Make) -> None:
    told = '[tool.poetry]\nname = "shop"\n\n[tool.poetry.urls]\nhome = "x"\n\n'
    manifest = f'{told}[build-system]\nbuild-backend = "poetry.core"\n'
    text = made({**FILES, "pyproject.toml": manifest}).overview().text
    assert "[tool.poetry" not in text
    assert 'build-backend = "poetry.core"' in text


def test_a_program_whose_package_is_called_samples_has_parts(made: Make) -> None:
    """A few files are all shown, however deep they lie; what a template or a wrapper says is left out."""
    java = "src/main/java/org/acme/samples/shop"
    page = '<p>Order now th:if="${order.open}" th:href="@{/order}" and wait for it to be sent.</p>\n'
    files = {
        "README.md": "# Shop\n\nShop sends orders.\n",
        "gradlew": "#!/bin/sh\n# Important for running:\necho\n",
        f"{java}/owner/Order.java": "class Order {\n    int total() {\n        return 1;\n    }\n}\n",
        "src/main/resources/templates/order.html": page,
    }
    text = made(files).overview().text
    assert "Order.java: defines Order, total" in text
    assert "gradlew" not in text
    assert "th:" not in text


def test_many_files_of_one_folder_leave_room_for_others(made: Make) -> None:
    models = {
        f"app/models/model{number}.py": f"class Model{number}:\n{'    x = 1  # of a model' * 20}\n"
        for number in range(60)
    }
    text = (
        made({"README.md": README, **models, "app/pay/card.py": "class Card:\n    x = 1\n"}).overview(tokens=600).text
    )
    assert "card.py: defines Card" in text
    assert 6 <= text.count(": defines Model") < 40


def test_where_requests_come_into_a_web_application(made: Make) -> None:
    files = {"artisan": "#!/usr/bin/env php\n<?php\n", "routes/web.php": "<?php\nRoute::get('/', 'home');\n"}
    found = lines_of(made({"README.md": README, **files}).overview(), "Entry points")
    assert [*found] == ["artisan", "routes/web.php"]


def test_programs_that_test_are_no_entry_points_of_a_library(made: Make) -> None:
    main = "class Speed {\n    public static void main(String[] args) {\n    }\n}\n"
    found = made({"README.md": README, "src/test/java/Speed.java": main, "hc/__init__.py": "", "hc/a.py": "A = 1\n"})
    assert "Entry points" not in [section.title for section in found.overview().sections]
    assert [*lines_of(found.overview("src/test"), "Entry points")] == ["src/test/java/Speed.java"]


def test_a_folder_of_data_and_tests(made: Make) -> None:
    found = made({"README.md": README, "data/a.yml": "a: 1\n", "checks/.a.yml": "a: 1\n", "checks/a.test.js": "f()\n"})
    assert "a.yml" in found.overview("data").text
    assert "a.test.js" in found.overview("checks").text


def test_an_import_of_go_means_a_folder(made: Make) -> None:
    using = 'package {}\n\nimport (\n\t"log"\n\t"github.com/charmbracelet/log"\n\t"example.org/till/coins"\n)\n'
    files = {f"{name}.go": using.format("main") for name in ("a", "b", "c")}
    files |= {"log.go": "package main\n\nfunc open() {\n}\n", "coins/coin.go": "package coins\n\nvar One = 1\n"}
    assert lines_of(made(files).overview(), "Files that most others import") == {"coins": "imported by 3 files"}


@pytest.mark.parametrize("tokens", [100, 200, 500, 1500])
def test_it_keeps_within_its_budget(made: Make, tokens: int) -> None:
    many = {
        f"part{number}/mod{other}.py": f'"""Part {number} of {other} many things."""\n'
        for number in range(20)
        for other in range(9)
    }
    found = made({**FILES, **many}).overview(tokens=tokens)
    assert found.tokens == tokenizer_for("gpt-4o").count(found.text) <= tokens
    assert found.sections


def test_every_line_that_a_file_says_is_evidence(made: Make) -> None:
    index = made(FILES, git=True)
    found = index.overview()
    statements = [entry.says for section in found.sections for entry in section.entries if entry.says is not None]
    cited = [says for says in statements if says.source is not None]
    assert any(says.verbatim for says in cited)
    for says in cited:
        assert says.source is not None
        at = found.position_of(says.source)
        assert at is not None
        hit = found.hits[at]
        assert hit.fresh
        data = (index.root / hit.path).read_bytes()
        assert data[hit.chunk.span.start : hit.chunk.span.end].decode().rstrip("\n") == hit.text
        assert not says.verbatim or says.text in hit.text


def test_the_answer_and_its_citations(made: Make) -> None:
    index = made(FILES, git=True)
    answer = answer_with_overview(Question("What is this project?"), index)
    assert answer is not None
    assert answer.known
    text = answer.text(range(1, len(answer.hits) + 1))
    checked = verify(text, number(answer.hits), index.read)
    assert len(checked.citations) >= 5
    doubtful = [one for one in checked.citations if one.status == "unverified"]
    assert not doubtful
    assert not checked.unknown
    assert answer_with_overview(Question("What is shop.retry.send?"), index) is None
    named = answer_with_overview(Question("What is Shop and what does it do?"), index)
    assert named is not None
    assert named.pieces == answer.pieces


def test_a_readme_that_asks_what_it_is_names_the_project(made: Make) -> None:
    readme = "![logo](logo.png)\n\n## What is Till?\n\nTill is a library that sends orders from shops.\n"
    index = made({"README.md": readme, "lib/till.py": "class Till:\n    VERSION = 1\n"})
    answer = answer_with_overview(Question("What is Till?"), index)
    assert answer is not None
    assert "sends orders from shops" in answer.text(range(1, len(answer.hits) + 1))


@pytest.mark.parametrize(
    ("first_page", "question"),
    [
        (
            {"README.md": "# Ferry Handbook\n\nHow the ferry works.\n"},
            "What is the ferry handbook and how is it organised?",
        ),
        (
            {"index.rst": "Welcome to Ferry's documentation!\n=================================\n\nIt sails.\n"},
            "How is the ferry documentation organised?",
        ),
    ],
)
def test_documents_are_called_by_their_title_or_what_is_left_of_it(
    made: Make, first_page: dict[str, str], question: str
) -> None:
    index = made({**first_page, "crew.md": "# Crew\n\nWho sails.\n", "bells.md": "# Bells\n\nWhen they ring.\n"})
    answer = answer_with_overview(Question(question), index)
    assert answer is not None
    assert "crew.md" in answer.text(range(1, len(answer.hits) + 1))
    assert answer_with_overview(Question("What is a ferry and how is it built?"), index) is None


def test_it_follows_the_files(made: Make) -> None:
    index = made(FILES)
    assert "warehouse" in index.overview().text
    (index.root / "README.md").write_text("# Shop\n\nShop is a tool that bakes bread at night.\n", encoding="utf-8")
    assert "bakes bread at night" in index.overview().text


def test_a_folder_of_it(made: Make) -> None:
    index = made(FILES)
    found = index.overview("src/shop")
    assert found.folder == "src/shop"
    assert found.documents == 6
    assert "tools" not in found.text
    assert index.overview("./src/shop/").text == found.text
    with pytest.raises(NotFoundError, match="'src/nowhere' is not a folder"):
        index.overview("src/nowhere")


def test_nothing_and_one_file(made: Make) -> None:
    nothing = made({}).overview()
    assert (nothing.documents, nothing.sections, nothing.hits) == (0, (), ())
    assert "There are no documents here." in nothing.text
    assert "one.py: Counts to one." in made({"one.py": '"""Counts to one."""\n\nONE = 1\n'}).overview().text


def test_too_few_tokens(made: Make) -> None:
    with pytest.raises(UsageError, match=r"50 tokens are too few for an overview\. Give at least 100\."):
        made({"a.py": "A = 1\n"}).overview(tokens=50)


def test_hostile_names_and_words_stay_on_their_line(made: Make) -> None:
    hostile = {
        "a\nb/`x`[1].py": '"""Sends \x1b[31m red <script>alert(1)</script> letters."""\n\nA = 1\n',
        "README.md": "# X\n\nThis is a tool [click](javascript:alert(1)) that does \u202e many things at once.\n",
    }
    index = made(hostile)
    text = index.overview().text
    assert not {"\x1b", "\u202e"} & set(text)
    assert all(
        line == "" or line.lstrip().startswith(("- ", "Overview", "What", "Entry", "Main", "Lang"))
        for line in text.split("\n")
    )
    answer = answer_with_overview(Question("what is this?"), index)
    assert answer is not None
    page = str(render(answer.text(range(1, 99))))
    assert "<script>" not in page
    assert "href" not in page


def test_nothing_of_a_manifest_is_believed(made: Make) -> None:
    broken = {
        "package.json": json.dumps({"bin": {"x": ["not", "a", "path"]}, "main": 7, "scripts": []}),
        "pyproject.toml": "[project.scripts]\nevil = \n= x\n[[[",
        "setup.py": "console_scripts = [\n'a = b",
        "Cargo.toml": '[[bin]]\npath = "../../etc/passwd"\n',
        "index.js": "module.exports = 1\n",
    }
    text = made(broken).overview().text
    assert "passwd" not in text
    assert "index.js" in text


MANY_NAMES = """README.md CONTRIBUTING.md Makefile justfile Taskfile.yml package.json setup.py Cargo.toml Dockerfile
    .github/workflows/ci.yml src/main.py x.cabal docs/a.md index.js""".split()


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(" " * 400_000 + "x", id="blanks"),
        pytest.param("@aa" + " " * 400_000 + "x", id="a recipe and blanks"),
        pytest.param('description: "a' + " " * 400_000 + "x", id="a description and blanks"),
        pytest.param("This is a tool." + " please" * 60_000 + " x", id="words"),
        pytest.param("[" * 400_000, id="brackets"),
        pytest.param('{"bin": {' + ",\n".join(f'"a{number}": "b"' for number in range(4_000)) + "}}", id="programs"),
    ],
)
def test_long_lines_are_read_in_time_that_grows_with_them(made: Make, line: str) -> None:
    text = made(dict.fromkeys(MANY_NAMES, f"{line}\n")).overview().text
    assert len(text) < 20_000


@given(st.lists(st.text(max_size=60), max_size=30))
def test_paragraphs_of_any_lines(lines: list[str]) -> None:
    for one in paragraphs(lines):
        assert 1 <= one.start_line <= one.end_line <= len(lines)
        assert "\n" not in one.text


@given(st.text(max_size=80))
def test_shown_text_cannot_leave_its_place(text: str) -> None:
    assert "\n" not in on_one_line(text)
    shown = code(text)
    ticks = len(shown) - len(shown.lstrip("`"))
    assert "`" * ticks not in shown[ticks:-ticks]


@given(
    st.lists(st.sampled_from([*"`*_<>[]()!\\ \n", "``", "<b>", "x", "a_b", "https://a.b"]), max_size=12).map("".join)
)
@example("``<b>`")
@example("`a ``b` <b> `")
def test_markdown_shows_text_without_any_markup_but_code(text: str) -> None:
    """With HTML let through, which the page never does, nothing but code between backticks becomes a tag."""
    rendered = MarkdownIt("commonmark", {"html": True}).renderInline(escape_markdown(on_one_line(text)))
    assert "<" not in re.sub("<code>[^<]*</code>", "", rendered)


def test_what_stands_between_backticks_is_not_escaped() -> None:
    assert escape_markdown("the `before_deploy` phase of a_b") == "the `before_deploy` phase of a\\_b"


GRID = """/* $Id: grid.c,v 1.2 2026/08/03 12:58:53 mona Exp $ */

/*
 * Copyright (c) 2008 Mona Petit
 */

#include <stdlib.h>

#ifdef GRID
#include "grid.h"
#endif

/*
 * Cells and lines of a window.
 */

int grid_new(int lines)
{
    return lines;
}
"""


def test_of_a_header_and_its_source_the_larger_one_is_the_part(made: Make) -> None:
    users = {
        f"use{n}.c": f'#include "grid.h"\n#include "all.h"\n\nint use{n}(void) {{ return 1; }}\n' for n in range(5)
    }
    declared = "#ifndef GRID_H_INCLUDED_\n#define GRID_H_INCLUDED_\nint grid_new(int);\n#endif\n"
    every = "".join(f"int all_{n}(int);\n" for n in range(60))
    files = {"grid.c": GRID, "grid.h": declared, "all.h": every, "all.c": "int all_1(int at) { return at; }\n", **users}
    parts = lines_of(made(files).overview(), "Main parts")
    names = [*parts]
    assert parts["grid.c"] == "Cells and lines of a window."
    assert "grid.h" not in names[: names.index("grid.c")]
    assert "all.c" not in names[: names.index("all.h")]


CPP = """#ifndef EMITTER_H_62B23520
#define EMITTER_H_62B23520
namespace shop { namespace out {
class Emitter {
  int lines;
};
int emit(int line) { return line; }
} }
#endif
"""


def test_neither_a_guard_nor_a_namespace_tells_what_a_header_is_for(made: Make) -> None:
    found = made({"src/emitter.h": CPP, "src/other.cpp": "int other() { return 2; }\n"})
    parts = lines_of(found.overview(), "Main parts")
    said = parts.get("emitter.h") or parts["src/emitter.h"]
    assert "Emitter" in said and "EMITTER_H" not in said and "shop" not in said


def test_the_first_sentence_of_a_readme_that_says_what_it_is(made: Make) -> None:
    readme = "# Shop\n\nTerraform module which creates shops.\n\n## Addresses\n\nBy default it is for one address.\n"
    main = 'resource "shop_counter" "this" {\n  size = 1\n}\n\nresource "shop_door" "this" {\n  size = 2\n}\n'
    found = made({"README.md": readme, "main.tf": main, "till/main.tf": main}).overview()
    said = found.sections[0].entries[0].says
    assert said is not None and said.text == "Terraform module which creates shops."
    assert lines_of(found, "Main parts")["main.tf"].startswith("defines shop_counter")


def test_what_is_said_of_an_import_or_a_kind_of_commit_is_not_said_of_a_part(made: Make) -> None:
    files = {
        "CONTRIBUTING.md": "# Helping\n\n- `feat:` for new features\n- `docs:` for documentation\n",
        "docs/use.md": "# Use\n\nHow the shop is used by people.\n",
        "cli.ts": '// this has to be built first\nimport shop from "./shop.ts";\n\nexport function run() {}\n',
        "shop.ts": "// Opens the shop.\n\nexport function open() {}\n",
    }
    found = made(files).overview()
    assert "for documentation" not in found.text and "has to be" not in found.text
    assert lines_of(found, "Main parts")["shop.ts"] == "Opens the shop."


def test_a_main_function_for_a_test_of_a_file_is_no_entry_point(made: Make) -> None:
    files = {
        "shop.c": "static int\nopened(void)\n{\n    return 0;\n}\n\nint\nmain(void)\n{\n    return opened();\n}\n",
        "sum.c": "int sum(int a) { return a; }\n#if defined(SUM_TEST)\nint main(void) { return sum(1); }\n#endif\n",
    }
    found = lines_of(made(files).overview(), "Entry points")
    assert found == {"shop.c": "main(void)"}


def test_scripts_are_run_by_the_package_manager_of_the_project(made: Make) -> None:
    manifest = '{\n "packageManager": "pnpm@11.1.0",\n "scripts": {\n  "test": "vitest"\n }\n}\n'
    found = made({"package.json": manifest, "shop.js": "open();\n"}).overview()
    assert "pnpm run test" in found.text and "npm run test" not in found.text.replace("pnpm", "")
