"""What an overview reads in manifests, task files and CI: each line that counts, and none that only looks so."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from overview_parts import material_of, shown, stands_where_it_says

from quaestor.answers.overview.build_and_test import Aim, build_lines

CODE = "x = 1\n"


def built(files: Mapping[str, str], within: str = "", aim: Aim | None = None) -> list[tuple[object, ...]]:
    return [shown(one) for one in build_lines(material_of(files, within), aim)]


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
    "a makefile that only GNU's make reads": ({"GNUmakefile": "test:\n\tpytest\n"}, [("GNUmakefile", 1, "test:")]),
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
    "targets, fourteen of a file at most, and the beginning of a long line": (
        {"Makefile": f"test0: {'a ' * 80}\n" + "".join(f"test{n}:\n\tx\n" for n in range(1, 20))},
        [("Makefile", 1, f"test0: {'a ' * 80}"[:110], *(f"test{n}" for n in range(1, 14)))],
    ),
    "CI of other makers": (
        {
            ".circleci/config.yml": "jobs:\n  - run: make test\n",
            ".travis.yml": "script:\n - run: make check\n",
            ".cirrus.yml": "a:\n - run: make lint\n",
        },
        [
            (".cirrus.yml", 2, "make lint"),
            (".circleci/config.yml", 2, "make test"),
            (".travis.yml", 2, "make check"),
        ],
    ),
    "six workflows at most, those called after tests first": (
        {f".github/workflows/w{n}.yml": f"a:\n - run: {'make test' if n > 5 else 'echo'} {n}\n" for n in range(8)}
        | {".github/workflows/z-main.yml": "a:\n - run: make check\n"},
        [(".github/workflows/z-main.yml", 2, "make check")],
    ),
    "the first line of a command of CI that goes on, and none that installs or builds a manual": (
        {
            ".github/workflows/ci.yml": "a:\n - run: |\n    make test \\\n      a b\n    make docs\n   # no\n"
            " - run: npm ci\n"
        },
        [(".github/workflows/ci.yml", 3, "make test")],
    ),
    "a step of CI that is not indented": (
        {".gitlab-ci.yml": "run: |\n make test\nmake check\nrun: make spec\n"},
        [(".gitlab-ci.yml", 2, "make test"), (".gitlab-ci.yml", 4, "make spec")],
    ),
    "commands that build no manual first, and four at most": (
        {
            "README.md": "    make test-docs\n    make test\n    make build\n    make check\n    tox -e build\n",
            "agents.md": "    make a-test\n",
        },
        [
            ("agents.md", 1, "make a-test"),
            *(("README.md", n, f"make {a}") for n, a in ((2, "test"), (3, "build"), (4, "check"))),
        ],
    ),
    "no command that is too long to be one": (
        {"README.md": f"    make test {'x' * 69}\n    make test {'x' * 70}\n"},
        [("README.md", 1, f"make test {'x' * 69}")],
    ),
    "fourteen lines at most": (
        {
            "README.md": "".join(f"    make {one}-test\n" for one in "abcd"),
            "tox.ini": "envlist = a\ncommands = b c\n",
            "go.mod": "module a\ngo 1\n",
            "sub/go.mod": "module b\n",
            "CMakeLists.txt": "project(a)\n",
            "Makefile": "test:\n",
            "justfile": "test:\n",
            "Rakefile": "task :test\n",
            ".github/workflows/ci.yml": "a:\n" + "".join(f" - run: make {one}-test\n" for one in "efgh"),
        },
        [
            *(("README.md", n, f"make {one}-test") for n, one in enumerate("abcd", 1)),
            ("Makefile", 1, "test:"),
            ("justfile", 1, "test:"),
            ("Rakefile", 1, "task :test"),
            ("go.mod", 1, "module a"),
            ("go.mod", 2, "go 1"),
            ("tox.ini", 1, "envlist = a"),
            ("tox.ini", 2, "commands = b c"),
            ("CMakeLists.txt", 1, "project(a)"),
            *((".github/workflows/ci.yml", n, f"make {one}-test") for n, one in enumerate("ef", 2)),
        ],
    ),
}


@pytest.mark.parametrize(("files", "expected"), BUILT.values(), ids=BUILT.keys())
def test_how_a_project_is_built(files: Mapping[str, str], expected: list[tuple[object, ...]]) -> None:
    assert built(files) == expected
    for entry in build_lines(material_of(files)):
        assert stands_where_it_says(entry, files)


def test_how_a_folder_is_built() -> None:
    files = {
        "Makefile": "test:\n\tx\n",
        "part/Makefile": "check:\n\tx\n",
        "part/README.md": "# Part\n\n    make check\n",
        "part/.github/workflows/ci.yml": "steps:\n  - run: make check all\n",
    }
    assert [one[:2] for one in built(files, "part")] == [
        ("part/README.md", 3),
        ("part/Makefile", 1),
        ("part/.github/workflows/ci.yml", 2),
    ]


def test_a_long_command_ends_with_a_word() -> None:
    files = {".github/workflows/ci.yml": f"steps:\n  - run: make test {'of-words ' * 20}\n"}
    [(_, _, text)] = built(files)
    assert text == ("make test " + "of-words " * 11).strip()
