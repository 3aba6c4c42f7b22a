"""Which sections of a README or a guide tell how a project is built, tested or run, and what is usual without any."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from overview_parts import material_of, shown, stands_where_it_says

from quaestor.answers.overview.build_and_test import Aim, build_lines, customary_commands
from quaestor.answers.overview.guide_sections import guide_sections
from quaestor.answers.overview.make_overview import _shares_of_guide
from quaestor.answers.overview.overview_text import Entry, Statement

SHOP = (
    "# Shop\n\n## Build it\n\n    make\n\n### More\n\nUse `make x`.\n\n## Tests\n\nRun `make test`.\n\n"
    "## Other\n\nIt is.\n"
)


@pytest.mark.parametrize(
    ("aim", "files", "sections"),
    [
        ("build", {"README.md": SHOP}, [("README.md", 5, 9)]),
        ("test", {"README.md": SHOP}, [("README.md", 13, 13)]),
        ("run", {"README.md": SHOP}, []),
        ("build", {"README.md": "# Shop\n\nIt is.\n"}, []),
        # The guide for those who work on it tells best how it is tested, and the README how it is built.
        (
            "test",
            {"README.md": SHOP, "CONTRIBUTING.md": "# Contributing\n\n## Running tests\n\n    $ pytest\n"},
            [("CONTRIBUTING.md", 5, 5), ("README.md", 13, 13)],
        ),
        (
            "build",
            {
                "README.md": SHOP,
                "INSTALL.md": "# Building\n\n    make\n",
                ".github/BUILD.md": "# Building\n\n    make\n",
            },
            [("README.md", 5, 9), ("INSTALL.md", 3, 3)],
        ),
        (
            "test",
            {
                "docs/testing.md": "# Testing\n\n`tox`\n",
                "TESTING": "Testing\n=======\n\n    tox\n",
                "docs/deep/testing.md": "# Testing\n\n`tox`\n",
                "test.py": "# Testing\n\n`x`\n",
                "docs/notes.md": "# Testing\n\n`x`\n",
            },
            [("TESTING", 4, 4), ("docs/testing.md", 3, 3)],
        ),
        ("run", {"README.md": "# Shop\n\n## Usage\n\n    shop\n\n## Running\n\n    shop go\n"}, [("README.md", 9, 9)]),
        ("run", {"README.md": "# Shop\n\n## Usage\n\n    shop\n\n## Install\n\n    x\n"}, [("README.md", 5, 5)]),
        # Tests that are run apart, at any depth.
        (
            "test",
            {"README.md": "# A\n\n## Browser tests\n\n    tox\n\n## Tests\n\n    pytest\n"},
            [("README.md", 9, 9)],
        ),
        (
            "test",
            {
                "README.md": "# A\n\n## Integration\n\n### A\n\n#### Tests\n\n    tox a\n\n### Tests\n\n    tox b\n\n"
                "## C\n\n### Tests\n\n    tox c\n"
            },
            [("README.md", 19, 19)],
        ),
        # The title of a whole guide is no section of it.
        (
            "build",
            {"README.md": "# Building\n\n    a\n\n## Build b\n\n    b\n\n## C\n\n    c\n"},
            [("README.md", 7, 7)],
        ),
        (
            "build",
            {"README.md": "# A\n\n" + "".join(f"## Build {one}\n\n    {one}\n\n" for one in "bcd")},
            [("README.md", 5, 5), ("README.md", 9, 9)],
        ),
        ("build", {"README.md": "# A\n\n## Build\n\nDo.\n\n## Building\n\n    make\n"}, [("README.md", 9, 9)]),
        ("build", {"README.md": f"## Build {'x' * 54}\n\n    make\n"}, [("README.md", 3, 3)]),
        ("build", {"README.md": f"## Build {'x' * 55}\n\n    make\n"}, []),
        (
            "build",
            {"README.rst": "Build\n=====\n\n--------\n\n::\n\n    make\n\nTests\n=====\n\n    x\n"},
            [("README.rst", 6, 8)],
        ),
        (
            "build",
            {"README.adoc": "= A\n\n== Build\n\n    make\n\n=== More\n\n    make x\n\n== Z\n"},
            [("README.adoc", 5, 9)],
        ),
        # Cut after twenty lines, but not within a block, nor behind a heading.
        ("build", {"README.md": "## Build\n\n" + "make `x`\n\n" * 30}, [("README.md", 3, 21)]),
        ("build", {"README.md": "## Build\n\n```\n" + "make\n" * 30 + "```\n\nEnd.\n"}, [("README.md", 3, 34)]),
        (
            "build",
            {"README.md": "## Build\n\nSo `x`:\n\n~~~\n" + "make\n" * 60 + "~~~\n\nEnd.\n"},
            [("README.md", 3, 3)],
        ),
        (
            "build",
            {"README.md": "## Build\n\n```\na\n```\n\n```\n" + "make\n" * 20 + "```\n\n```\n" + "a\n" * 9 + "```\n"},
            [("README.md", 3, 28)],
        ),
        ("build", {"README.md": "## Build\n\n" + "`x`\n" * 17 + "\n### More\n\n    make\n"}, [("README.md", 3, 19)]),
    ],
)
def test_which_sections_tell_how(aim: Aim, files: Mapping[str, str], sections: list[tuple[str, int, int]]) -> None:
    found = guide_sections(material_of(files), aim)
    assert [(one.path, one.start_line, one.end_line) for one in found] == sections


NPM = '{\n "scripts": {\n  "test": "x",\n  "lint": "y"\n }\n}\n'


@pytest.mark.parametrize(
    ("files", "runner"),
    [
        ({"package.json": NPM}, "npm"),
        ({"package.json": NPM, "pnpm-lock.yaml": "a: 1\n"}, "pnpm"),
        ({"package.json": NPM, "yarn.lock": "a\n"}, "yarn"),
        ({"package.json": NPM, "bun.lock": "a\n"}, "bun"),
        ({"package.json": NPM.replace("{", '{"packageManager": "yarn@4",', 1), "bun.lock": "a\n"}, "yarn"),
        ({"composer.json": NPM, "yarn.lock": "a\n"}, "composer"),
    ],
)
def test_scripts_are_run_by_the_projects_own_manager(files: Mapping[str, str], runner: str) -> None:
    [entry] = build_lines(material_of(files))
    assert entry.says and entry.says.brief == f"{runner} run test, lint"
    assert shown(entry) == (next(iter(files)), 3, '"test": "x",', "lint")
    assert stands_where_it_says(entry, files)


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        # What is first in a task file is not what is built first.
        (
            {"Makefile": "install-menu:\n\tx\nall: shop\n\tx\ninstall:\n\tx\n"},
            [("make all", "install-menu", "install")],
        ),
        ({"Rakefile": "task test: :build do\nend\ntask :build do\nend\n"}, [("rake test", "build")]),
        ({"justfile": "@check:\n  x\n"}, [("just check",)]),
        # Installing what is published builds nothing that is here.
        ({"README.md": "    npm install -g shop\n    cargo install shop\n    go install a.io/shop@latest\n"}, []),
        ({"README.md": "    npm install\n    cargo build\n    cargo install --path .\n"}, [("",)]),
        ({".github/workflows/test.yml": "a:\n - run: npm run build # no test\n"}, [("",)]),
        ({".github/workflows/test.yml": "a:\n - run: pnpm add -D vitest\n"}, []),
    ],
)
def test_commands_that_build_or_test_what_is_here(files: Mapping[str, str], lines: list[tuple[str, ...]]) -> None:
    assert [(one.command, *one.also) for one in build_lines(material_of(files))] == lines


def test_a_comment_behind_a_command_does_not_say_what_it_does() -> None:
    ci = {".github/workflows/test.yml": "a:\n - run: npm run build # no test\n - run: cargo fmt # before a test\n"}
    assert not build_lines(material_of(ci), "test")


def test_building_and_testing_are_told_apart_and_what_a_manifest_says_is_no_command() -> None:
    shares = _shares_of_guide(material_of({"go.mod": "module a\ngo 1.2\n", "Makefile": "test:\n\tx\n"}), None)
    told = [(one.title, [entry.command or entry.name for entry in one.entries]) for one in shares if one.entries]
    assert told == [
        ("Build, by convention", ["go build ./..."]),
        ("Tests", ["make test"]),
        ("Tests, by convention", ["go test ./..."]),
    ]


@pytest.mark.parametrize(
    ("readme", "sections"),
    [
        # How a package is installed is not how it is built, unless nothing else is told of that.
        ("## Install\n\n    brew install shop\n\n## Development\n\n    make\n", [(7, 7)]),
        ("## From source\n\nWith `make`:\n\n    cargo install shop\n\n## Development\n\n    cargo build\n", [(9, 9)]),
        ("## Install\n\n    composer require a/shop\n", []),
        ("## Build\n\n    ./shop-builder\n", [(3, 3)]),
        ("## Install\n\n    npm install\n    npm run build\n", [(3, 4)]),
        ("## Build\n\n    make\n\n## Testing\n\n    make test\n", [(3, 3), (7, 7)]),
        ("## Build and test\n\n    make && make test\n", [(3, 3)]),
        # What has commands enough is told without its subsections.
        ("## Development\n\n    make\n    make test\n\n### Completions\n\nCopy them.\n", [(3, 4)]),
        ("## Building\n\n    make\n\n### On Windows\n\n    make win\n", [(3, 7)]),
    ],
)
def test_sections_on_building_what_is_here(readme: str, sections: list[tuple[int, int]]) -> None:
    found = guide_sections(material_of({"README.md": f"{readme}"}), None)
    assert [(one.start_line, one.end_line) for one in found] == sections


MAKE = {
    "Makefile": "all:\n\tx\nprebuild:\n\tx\nbuild:\n\tx\ntest:\n\tx\nserve:\n\tx\n",
    "sub/Makefile": "build:\n\tx\n",
    "README.md": "    make build\n    tox\n    npm start\n",
    ".github/workflows/ci.yml": "a:\n - run: cargo build\n - run: cargo test\n - run: cargo run\n",
    "package.json": '{\n "scripts": {\n  "x:serve": "a",\n  "unit-test": "b",\n  "test": "c",\n  "start": "d"\n }\n}\n',
    "go.mod": "module a\n",
    "pom.xml": "<p/>\n",
}


@pytest.mark.parametrize(
    ("aim", "lines"),
    [
        (
            "build",
            [
                ("README.md", 1, "make build"),
                ("Makefile", 5, "build:", "all"),
                (".github/workflows/ci.yml", 2, "cargo build"),
            ],
        ),
        (
            "test",
            [
                ("README.md", 2, "tox"),
                ("Makefile", 7, "test:"),
                ("package.json", 5, '"test": "c",', "unit-test"),
                (".github/workflows/ci.yml", 3, "cargo test"),
            ],
        ),
        (
            "run",
            [
                ("README.md", 3, "npm start"),
                ("Makefile", 9, "serve:"),
                ("package.json", 6, '"start": "d"', "x:serve"),
                (".github/workflows/ci.yml", 4, "cargo run"),
            ],
        ),
    ],
)
def test_lines_that_say_how_an_aim_is_reached(aim: Aim, lines: list[tuple[object, ...]]) -> None:
    found = build_lines(material_of(MAKE), aim)
    assert [shown(one) for one in found] == lines
    assert all(stands_where_it_says(one, MAKE) for one in found)


@pytest.mark.parametrize(
    ("aim", "files", "said", "commands"),
    [
        ("test", {"Cargo.toml": "# x\n\n[package]\n", "sub/Cargo.toml": "[p]\n"}, "", [("cargo test", 3, "[package]")]),
        ("test", {"Cargo.toml": "[package]\n"}, "run cargo build", []),
        ("test", {"Cargo.toml": "[package]\n"}, "run mycargo", [("cargo test", 1, "[package]")]),
        (
            "build",
            {"build.gradle": "plugins {\n", "gradlew": "#!/bin/sh\n"},
            "",
            [("./gradlew build", 1, "plugins {")],
        ),
        ("build", {"build.gradle": "plugins {\n"}, "use gradlew", []),
        ("run", {"go.mod": "module a\n"}, "", []),
        ("build", {"go.mod": "\n// \n"}, "", []),
        ("test", {"pom.xml": "\n<p/>\n"}, "", [("mvn test", 2, "<p/>")]),
        ("test", {"tox.ini": "[tox]\n"}, "", [("tox", 1, "[tox]")]),
        ("test", {"pyproject.toml": "[a]\n[tool.pytest.x]\n"}, "", [("pytest", 2, "[tool.pytest.x]")]),
        ("test", {"pyproject.toml": "[project]\n"}, "", []),
    ],
)
def test_what_is_usual_where_no_line_says_it(
    aim: Aim, files: Mapping[str, str], said: str, commands: list[tuple[object, ...]]
) -> None:
    lines = [Entry("README.md", Statement(said)), Entry("a")]
    assert [shown(one) for one in customary_commands(material_of(files), aim, lines)] == commands


def test_how_it_is_run_is_told_by_what_says_it_by_convention_and_by_where_it_is_entered() -> None:
    shares = _shares_of_guide(
        material_of({"README.md": "    npm start\n", "Cargo.toml": "[package]\n", "src/main.rs": "x\n"}), "run"
    )
    assert [(one.title, [entry.name for entry in one.entries]) for one in shares] == [
        ("Run", ["README.md"]),
        ("By convention", ["cargo run"]),
        ("Entry points", ["src/main.rs"]),
    ]
