"""What an overview reads in manifests, task files and CI: each line that counts, and none that only looks so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.overview.build_and_test import build_lines
from quaestor.answers.overview.entry_points import entry_points
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_text import Entry

CODE = "x = 1\n"


def shown(entry: Entry) -> tuple[object, ...]:
    """Return an entry's name with the line that it is read from, its words, and what else the file has."""
    says = entry.says
    if says is None:
        return (entry.name,)
    line = says.source.start_line if says.source else None
    return (entry.name, line, says.text, *entry.also)


def entered(folder: Path, files: Mapping[str, str], within: str = "") -> list[tuple[object, ...]]:
    with index_of(folder / "corpus", files) as index:
        return [shown(one) for one in entry_points(Material(index.store, within))]


def built(folder: Path, files: Mapping[str, str], within: str = "") -> list[tuple[object, ...]]:
    with index_of(folder / "corpus", files) as index:
        return [shown(one) for one in build_lines(Material(index.store, within))]


ENTERED = {
    "scripts of pyproject.toml": (
        {
            "pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.cli:main"\n'
            'other = "elsewhere:run"\n\n[project.gui-scripts]\nwindow = "shop.gui:main"\n[tool.x]\n'
            'no = "shop.cli:main"\n',
            "src/shop/cli.py": CODE,
            "shop/gui.py": CODE,
        },
        [
            ("shop → src/shop/cli.py", 5, 'shop = "shop.cli:main"'),
            ("other", 6, 'other = "elsewhere:run"'),
            ("window → shop/gui.py", 9, 'window = "shop.gui:main"'),
        ],
    ),
    "scripts of setup.cfg": (
        {
            "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    shop = shop.cli:main\n"
            "    buy = lib2.buy:main\n\n"
            "[tool]\n    no = shop.cli:main\n",
            "shop/cli/__main__.py": CODE,
            "lib/lib2/buy.py": CODE,
        },
        [
            ("shop → shop/cli/__main__.py", 3, "shop = shop.cli:main"),
            ("buy → lib/lib2/buy.py", 4, "buy = lib2.buy:main"),
            ("shop/cli/__main__.py",),
        ],
    ),
    "scripts of setup.py, on one line": (
        {"setup.py": "setup(\n    entry_points={'console_scripts': ['shop = shop:main']},\n)\n", "shop.py": CODE},
        [("shop → shop.py", 2, "entry_points={'console_scripts': ['shop = shop:main']}")],
    ),
    "programs of package.json": (
        {
            "tools/package.json": '{\n  "name": "@team/shop",\n  "files": ["./run.js"],\n  "bin": "./run.js",\n'
            '  "main": "lib/a.js",\n  "module": "gone.js"\n}\n',
            "tools/lib/a.js": "x();\n",
        },
        [
            ("shop → tools/run.js", 4, '"bin": "./run.js"'),
            ("tools/lib/a.js", 5, '"main": "lib/a.js"'),
        ],
    ),
    "several programs of package.json": (
        {
            "package.json": '{\n "bin": {\n  "one": "bin/one.js",\n  "two": "bin/two.js"\n }\n}\n',
            "src/x.ts": "x();\n",
        },
        [("one → bin/one.js", 3, '"one": "bin/one.js"'), ("two → bin/two.js", 4, '"two": "bin/two.js"')],
    ),
    "programs of Cargo.toml": (
        {
            "Cargo.toml": '[package]\nname = "p"\npath = "src/b.rs"\n\n[[bin]]\nname = "shop"\npath = "src/a.rs"\n\n'
            '[[bin]]\npath = "src/b.rs"\n\n[[bin]]\nname = "gone"\npath = "src/gone.rs"\n',
            "src/a.rs": "fn a() {}\n",
            "src/b.rs": "fn b() {}\n",
        },
        [("shop → src/a.rs", 7, 'path = "src/a.rs"'), ("src/b.rs", 10, 'path = "src/b.rs"')],
    ),
    "executables of a Cabal file, in the shallowest file of the name": (
        {
            "shop.cabal": "name: shop\nexecutable shop\n  main-is: cmd/Main.hs\nlibrary\n  main-is: Other.hs\n"
            "executable gone\n  main-is: Gone.hs\n",
            "deep/er/cmd/Main.hs": "x = 1\n",
            "z/cmd/Main.hs": "x = 1\n",
            "other/Main.hs": "x = 1\n",
            "Other.hs": "x = 1\n",
        },
        [
            ("shop → z/cmd/Main.hs", 3, "main-is: cmd/Main.hs"),
            ("gone", 7, "main-is: Gone.hs"),
        ],
    ),
    "executables of a gem": (
        {
            "shop.gemspec": 'Gem::Specification.new do |spec|\n  spec.executables = ["shop", "gone", "buy"]\nend\n',
            "exe/shop": "#!/usr/bin/env ruby\nx = 1\n",
            "lib/shop.rb": "x = 1\n",
        },
        [("exe/shop", 2, 'spec.executables = ["shop", "gone", "buy"]'), ("lib/shop.rb",)],
    ),
    "an Elixir project": (
        {
            "mix.exs": "def project do\n  [app: :shop, escript: [main_module: Shop.CLI]]\nend\n"
            "def application do\n  [\n    mod: {Shop.App, []}\n  ]\nend\n",
            "lib/shop.ex": "x = 1\n",
        },
        [
            ("Shop.CLI", 2, "[app: :shop, escript: [main_module: Shop.CLI]]"),
            ("Shop.App", 6, "mod: {Shop.App, []}"),
        ],
    ),
    "main functions, the shallowest first": (
        {
            "cmd/shop/main.go": "package main\n\nfunc main() {\n}\n",
            "a.go": "package main\n\n// main\nfunc main() {\n}\n",
            "b.go": "package shop\n\n// main is elsewhere\nfunc Main() {\n}\n",
            "Dockerfile": 'FROM x\nRUN main\nENTRYPOINT ["shop"]\n',
        },
        [
            ("a.go", 4, "func main() {"),
            ("cmd/shop/main.go", 3, "func main() {"),
            ("Dockerfile", 3, 'ENTRYPOINT ["shop"]'),
        ],
    ),
    "programs by their names": (
        {
            "shop/__main__.py": '"""Sells orders to people."""\n',
            "manage.py": CODE,
            "src/bin/tool.rs": "//! Sends orders.\nfn x() {}\n",
            "config/routes.rb": "x = 1\n",
            "bin/run": "#!/bin/sh\necho\n",
            "bin/test-all": "#!/bin/sh\necho\n",
            "examples/__main__.py": CODE,
        },
        [
            ("shop/__main__.py", 1, "Sells orders to people."),
            ("manage.py",),
            ("config/routes.rb",),
            ("src/bin/tool.rs", 1, "Sends orders."),
            ("bin/run",),
        ],
    ),
    "executables of a cabal file, each from its own folder": (
        {
            "shop.cabal": "name: shop\nlibrary\n  hs-source-dirs: lib\nexecutable shop\n"
            "  main-is:        Main.hs\n  hs-source-dirs: app/shop\n\nexecutable other\n  ghc-options: -O2\n",
            "a/Main.hs": "module Main where\n",
            "app/shop/Main.hs": "module Main where\n",
        },
        [("shop → app/shop/Main.hs", 5, "main-is: Main.hs")],
    ),
    "a site of Django is entered by its program, not by its parts": (
        {"manage.py": CODE, "orders/__init__.py": '"""Orders."""\n', "bin/keys.txt": "a b c\n"},
        [("manage.py",)],
    ),
    "a web server in C# whose main function is not written": (
        {
            "src/Shop.Web/Program.cs": "using Shop;\n\nvar builder = WebApplication.CreateBuilder(args);\n",
            "sample/Program.cs": "class P { static void Main() {} }\n",
        },
        [("src/Shop.Web/Program.cs", 3, "var builder = WebApplication.CreateBuilder(args);")],
    ),
    "a library in C is entered by its public header, not by its examples": (
        {
            "include/shop.h": "/* Orders, sent. */\nint send(void);\n",
            "src/send.c": "int send(void) { return 1; }\n" * 20,
            "docs/code/a/main.c": "int main(void) {\n}\n",
        },
        [("include/shop.h", 1, "Orders, sent.")],
    ),
    "programs in a manual are examples": (
        {"src/run.c": "int main(void) {\n}\n", "docs/code/a/main.c": "int main(void) {\n}\n"},
        [("src/run.c", 1, "int main(void) {")],
    ),
    "what a library is imported by": (
        {
            "src/index.ts": "x();\n",
            "big/__init__.py": f'"""All of it."""\n{CODE * 40}',
            "big/inner/__init__.py": CODE * 40,
            "small/__init__.py": CODE,
            "tests/__init__.py": CODE * 40,
        },
        [("src/index.ts",), ("big/__init__.py", 1, "All of it.")],
    ),
}


@pytest.mark.parametrize(("files", "expected"), ENTERED.values(), ids=ENTERED.keys())
def test_where_a_program_is_entered(
    tmp_path: Path, files: Mapping[str, str], expected: list[tuple[object, ...]]
) -> None:
    assert entered(tmp_path, files) == expected


def test_where_a_folder_is_entered(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project.scripts]\nall = "all:main"\n',
        "part/pyproject.toml": '[project.scripts]\npart = "part.cli:main"\n',
        "part/src/part/cli.py": CODE,
        "part/bin/run": "#!/bin/sh\necho\n",
        "part/index.js": "x();\n",
    }
    assert [one[0] for one in entered(tmp_path, files, "part")] == [
        "part → part/src/part/cli.py",
        "part/bin/run",
        "part/index.js",
    ]


def test_a_project_of_tests_alone_is_entered_by_its_tests(tmp_path: Path) -> None:
    files = {"tests/__main__.py": CODE, "tests/helper.py": CODE}
    assert [one[0] for one in entered(tmp_path, files, "tests")] == ["tests/__main__.py"]
    files = {"examples/__main__.py": CODE, "README.md": "# Shop\n\nIt sells.\n"}
    assert [one[0] for one in entered(tmp_path / "of-examples", files)] == ["examples/__main__.py"]


BUILT = {
    "targets of task files that tell something": (
        {
            "Makefile": "VERSION := 1\nhelp: x\n\techo\ntest: help\n\tpytest\nbuild:\n\tpython -m build\n",
            "justfile": "default:\n  x\n@check arg:\n  x\n",
            "Taskfile.yml": "version: 3\ntasks:\n  lint:\n    cmds: [x]\n  clean:\n    cmds: [x]\n",
            "noxfile.py": "import nox\n\ndef tests(session):\n    x\n\ndef helper(one):\n    x\n",
            "Rakefile": "task :spec do\nend\n",
        },
        [
            ("Makefile", 4, "test: help", "build"),
            ("justfile", 3, "@check arg:"),
            ("Taskfile.yml", 3, "lint:"),
            ("noxfile.py", 3, "def tests(session):"),
            ("Rakefile", 1, "task :spec do"),
        ],
    ),
    "all targets where none tells anything": (
        {"Makefile": "one:\n\tx\ntwo:\n\tx\none:\n\tx\n"},
        [("Makefile", 1, "one:", "two")],
    ),
    "scripts of package.json, up to their end": (
        {
            "package.json": '{\n  "x": {"test": "no"},\n  "scripts": {\n    "test": "jest",\n    "pretty": "x",\n'
            '    "build:all": "tsc"\n  },\n  "jest": {\n    "check": "no"\n  }\n}\n'
        },
        [("package.json", 4, '"test": "jest",', "build:all")],
    ),
    "lines of manifests, two a file at most": (
        {
            "pyproject.toml": '[build-system]\nbuild-backend = "hatchling.build"\n[project]\n'
            'requires-python = ">=3.11"\n'
            "[tool.pytest.ini_options]\n",
            "go.mod": "module example.org/shop\n\ngo 1.22\n",
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3)\n  PROJECT(shop)\n",
        },
        [
            ("pyproject.toml", 2, 'build-backend = "hatchling.build"'),
            ("pyproject.toml", 4, 'requires-python = ">=3.11"'),
            ("go.mod", 1, "module example.org/shop"),
            ("go.mod", 3, "go 1.22"),
            ("CMakeLists.txt", 2, "PROJECT(shop)"),
        ],
    ),
    "commands of CI, the workflow of tests first": (
        {
            ".github/workflows/a.yml": "steps:\n  - run: make test-a\n  - run: echo test\n",
            ".github/workflows/ci.yml": "steps:\n  - run: |\n      tox run\n\n      pip install x\n"
            "  - name: x\n    run: make test-a\n"
            "  - run: >\n      cargo test\n  - uses: make check\n",
        },
        [
            (".github/workflows/ci.yml", 3, "tox run"),
            (".github/workflows/ci.yml", 7, "make test-a"),
            (".github/workflows/ci.yml", 9, "cargo test"),
        ],
    ),
    "CI of GitLab, which its name says, before a workflow of another name": (
        {
            ".github/workflows/notes.yml": "jobs:\n  steps:\n    - run: make check\n",
            ".gitlab-ci.yml": "job:\n  - run: make test\n",
        },
        [(".gitlab-ci.yml", 2, "make test"), (".github/workflows/notes.yml", 3, "make check")],
    ),
    "four commands of CI at most": (
        {
            ".github/workflows/ci.yml": "steps:\n"
            + "".join(f"  - run: make test{n}\n" for n in (" a", " b", " c", " d", " e"))
        },
        [(".github/workflows/ci.yml", n, f"make test {letter}") for n, letter in enumerate("abcd", 2)],
    ),
    "commands of the README and the guide, the guide first and none twice": (
        {
            "README.md": "# Shop\n\n    make test\n\n1. Run `cargo build` first.\n* `cargo test -p shop`\n"
            "Use `cargo check` too.\n",
            "CONTRIBUTING.md": "# Contributing\n\n    $ make test  # all of it\n    > pytest -q tests \\\n"
            "    make tea\n",
        },
        [
            ("CONTRIBUTING.md", 3, "make test # all of it"),
            ("README.md", 5, "cargo build"),
            ("README.md", 6, "cargo test -p shop"),
        ],
    ),
    "manifests that are merely there": (
        {"pom.xml": "<project/>\n", "build.gradle": "x\n", "a/pom.xml": "<project/>\n", "x.py": CODE},
        [("build.gradle",), ("pom.xml",)],
    ),
}


@pytest.mark.parametrize(("files", "expected"), BUILT.values(), ids=BUILT.keys())
def test_how_a_project_is_built(tmp_path: Path, files: Mapping[str, str], expected: list[tuple[object, ...]]) -> None:
    assert built(tmp_path, files) == expected


def test_how_a_folder_is_built(tmp_path: Path) -> None:
    files = {
        "Makefile": "test:\n\tx\n",
        "part/Makefile": "check:\n\tx\n",
        "part/README.md": "# Part\n\n    make check\n",
        "part/.github/workflows/ci.yml": "steps:\n  - run: make check all\n",
    }
    assert [one[:2] for one in built(tmp_path, files, "part")] == [
        ("part/README.md", 3),
        ("part/Makefile", 1),
        ("part/.github/workflows/ci.yml", 2),
    ]


def test_a_long_command_ends_with_a_word(tmp_path: Path) -> None:
    files = {".github/workflows/ci.yml": f"steps:\n  - run: make test {'of-words ' * 20}\n"}
    [(_, _, text)] = built(tmp_path, files)
    assert text == ("make test " + "of-words " * 11).strip()
