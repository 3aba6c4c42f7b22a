"""Under which licence a project stands, what it depends on, and which version of its language it needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.project.facts import answer_project_facts
from quaestor.answers.project.named_documents import (
    answer_how_to_add,
    answer_origin,
    answer_with_customary_file,
)
from quaestor.answers.way import Question, Way
from quaestor.answers.ways import answer_by_way
from quaestor.llm.prompts.numbered_passages import number

MIT = "MIT License\n\nCopyright (c) 2026 Mona Petit\n\nPermission is hereby granted, free of charge, to any person.\n"
PYPROJECT = """[project]
name = "ferry"
license = "MIT"
dependencies = [
  "oars>=2",
  "sails[wind]",
]
[tool.ruff]
line-length = 120
"""
FILES = {
    "LICENSE": MIT,
    "pyproject.toml": PYPROJECT,
    "Gemfile": "gem 'rake'\n",
    "docs/licence.md": "# Licence\n\nThe licence of the ferry's dependencies is told elsewhere.\n",
    "ferry.py": "def dependencies(ferry):\n    return ferry.dependencies\n",
}
LISTS = {
    "package.json": '{\n "name": "x",\n "dependencies": {\n  "oars": "2",\n  "sails": "1"\n },\n "main": "x"\n}\n',
    "Cargo.toml": '[package]\nname = "x"\n\n[dependencies]\noars = "2"\nsails = { version = "1" }\n\n[profile.dev]\n',
    "go.mod": "module x\n\nrequire (\n\toars v2\n\tsails v1\n)\n\nreplace y => z\n",
    "x.gemspec": "spec.name = 'x'\nspec.add_dependency 'oars'\nspec.add_dependency 'sails'\nspec.end = 1\n",
    "mix.exs": "defmodule X do\n  defp deps do\n    [{:oars, 2},\n     {:sails, 1}]\n  end\nend\n",
    "configure.ac": "AC_INIT\nPKG_CHECK_MODULES([OARS], [oars])\nPKG_CHECK_MODULES([SAILS], [sails])\nAC_OUTPUT\n",
    "requirements.txt": "oars==2\nsails==1\n",
    "versions.tf": 'terraform {\n  required_providers {\n    oars = { source = "x/oars" }\n    sails = {}\n  }\n}\n',
    "MODULE.bazel": 'module(name = "x")\nbazel_dep(name = "oars")\nbazel_dep(name = "sails")\nregister(1)\n',
    "x.opam": 'name: "x"\ndepends: [\n  "oars" {>= "2"}\n  "sails"\n]\nbuild: []\n',
    "x-1.rockspec": 'package = "x"\ndependencies = {\n  "oars",\n  "sails",\n}\nbuild = {}\n',
    "build.zig.zon": ".{\n  .dependencies = .{\n    .oars = .{ .url = 1 },\n    .sails = .{},\n  },\n}\n",
    "Pipfile": '[source]\n\n[packages]\noars = "*"\nsails = "*"\n\n[dev-packages]\n',
    "x.csproj": '<Project>\n<PackageReference Include="Oars" />\n<PackageReference Include="Sails" />\n</Project>\n',
}
SPREAD = {
    "configure.ac": "AC_INIT\nPKG_CHECK_MODULES(\n\tOARS,\n\t[oars >= 2],\n\tfound=yes\n)\nAC_OUTPUT\n",
    "mix.exs": "defmodule X do\n  defp deps() do\n    [{:oars, 2},\n     {:sails, 1}]\n  end\nend\n",
}


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("facts") / "ferry", FILES) as index:
        yield index


def places(index: Index, question: str, way: Way = answer_project_facts) -> list[tuple[str, int, int]]:
    found = way(Question(question), index)
    if found is None:
        return []
    checked = verify(found.text(range(1, len(found.hits) + 1)), number(found.hits), index.read)
    assert [one.status for one in checked.citations] == ["verified"] * len(found.hits)
    return [(hit.path, hit.start_line, hit.end_line) for hit in found.hits]


@pytest.mark.parametrize(
    "question",
    [
        "What license is this under?",
        "which licence does this project use",
        "Under what license is the library released?",
        "what's the licence?",
        "which license",
        "Could you tell me which licence this project has?",
        "Unter welcher Lizenz steht das?",
        "license",
    ],
)
def test_the_licence_is_told_by_its_head_and_the_manifest(ferry: Index, question: str) -> None:
    assert places(ferry, question) == [("LICENSE", 1, 5), ("pyproject.toml", 3, 3)]


@pytest.mark.parametrize(
    "question",
    [
        "What are the dependencies?",
        "What does it depend on?",
        "which third-party libraries does this project use?",
        "list all dependencies",
        "Hi, can you tell me what the project depends on?",
        "what are its dependencies",
    ],
)
def test_dependencies_are_quoted_from_the_manifest(ferry: Index, question: str) -> None:
    assert places(ferry, question) == [("pyproject.toml", 4, 7)]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what is the lisence?", "I read `lisence` as `licence`."),
        ("what is the licnese", "I read `licnese` as `license`."),
    ],
)
def test_a_misspelt_question_is_read_as_it_is_meant_and_says_so(ferry: Index, question: str, said: str) -> None:
    answer = answer_by_way(Question(question), ferry)
    assert answer is not None and answer.pieces[0] == f"{said}\n\n"
    assert {hit.path for hit in answer.hits} == {"LICENSE", "pyproject.toml"}


@pytest.mark.parametrize(
    "question",
    [
        "What does the sail depend on?",
        "Which licence does the oar have?",
        "How are dependencies resolved?",
        "what is a dependency",
        "where is the licence checked",
        "",
    ],
)
def test_a_thing_of_its_own_is_searched_for(ferry: Index, question: str) -> None:
    assert places(ferry, question) == []


VERSIONED = {
    "Python": ("pyproject.toml", '[project]\nname = "x"\nrequires-python = ">=3.11"\nversion = "2"\n'),
    "Node": ("package.json", '{\n "name": "x",\n "engines": {"node": ">=22"},\n "version": "2"\n}\n'),
    "Go": ("go.mod", "module x\n\ngo 1.25.0\n\nrequire y v2\n"),
    "Rust": ("Cargo.toml", '[package]\nname = "x"\nrust-version = "1.90"\nversion = "2"\n'),
    "Java": ("pom.xml", "<project>\n<properties>\n<maven.compiler.release>8</maven.compiler.release>\n</properties>\n"),
    "PHP": ("composer.json", '{\n "name": "x",\n "require": {"y": "2",\n  "php": ">=8.1"}\n}\n'),
    "Ruby": ("x.gemspec", "spec.name = 'x'\nspec.version = '1'\nspec.required_ruby_version = '>= 3.0'\nend\n"),
}


@pytest.mark.parametrize("language", VERSIONED)
@pytest.mark.parametrize(
    "asked", ["Which {} version is required?", "what version of {} do I need", "minimum {} version", "min {} version"]
)
def test_the_version_of_the_language_is_quoted_from_the_manifest(tmp_path: Path, language: str, asked: str) -> None:
    name, text = VERSIONED[language]
    with index_of(tmp_path / "x", {name: text, "parse.py": "def version(): ...\n"}) as index:
        [(path, first, last)] = places(index, asked.format(language))
    assert path == name and first == last and any(digit.isdigit() for digit in text.splitlines()[first - 1])


def test_the_readme_tells_the_version_as_well(tmp_path: Path) -> None:
    needs = "## Requirements\n\n- X 2: Java 8\n- X 1: Java 6\n"
    readme = f"# X\n\nLike Java 5, but faster.\n\n{needs}\n## Use\n\nJava 9 has it.\n"
    with index_of(tmp_path / "x", {"README.md": readme, "pom.xml": VERSIONED["Java"][1]}) as index:
        asked = ["Which Java version does this project need?", "Welche Java-Version wird benötigt?"]
        assert [places(index, one) for one in asked] == [[("README.md", 7, 8), ("pom.xml", 3, 3)]] * 2


@pytest.mark.parametrize("question", ["Which Kotlin version is required?", "where is the Java version checked?"])
def test_a_version_that_no_file_tells_is_searched_for(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "x", {"pom.xml": VERSIONED["Java"][1]}) as index:
        assert places(index, question) == []


@pytest.mark.parametrize("name", LISTS)
def test_each_kind_of_list_is_read_whole_and_no_further(tmp_path: Path, name: str) -> None:
    lines = LISTS[name].splitlines()
    with index_of(tmp_path / "x", {name: LISTS[name]}) as index:
        found = places(index, "What are the dependencies?")
    told = "\n".join(line for _, first, last in found for line in lines[first - 1 : last])
    assert "oars" in told.lower() and "sails" in told.lower()
    if name != "requirements.txt":
        quoted = [number for _, first, last in found for number in range(first, last + 1)]
        assert 1 not in quoted and len(lines) not in quoted


PINNED = {
    "requirements.txt": "Ferry[fast]==6.1\noars==2\n",
    "README.md": "# Shop\n\nIt was built with Ferry in 5 days.\n",
    "shop.py": "import ferry  # version 5\n",
}


def test_a_standard_and_a_platform_have_versions_as_languages_have(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": "project(shop)\ntarget_compile_features(shop PUBLIC cxx_std_17)\n",
        "common.gradle": "android {\n    defaultConfig {\n        minSdk 23\n    }\n}\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert places(index, "Which C++ standard does it need?") == [("CMakeLists.txt", 2, 2)]
        assert places(index, "Which minimum Android version is supported?") == [("common.gradle", 3, 3)]


def test_the_version_of_a_package_is_the_one_in_the_manifest(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", PINNED) as index:
        assert places(index, "Which version of Ferry does it need?") == [("requirements.txt", 1, 1)]
        assert places(index, "Which version of ferr does it need?") == []
        assert places(index, "Which python packages does it need?") == [("requirements.txt", 1, 2)]


def test_where_no_file_tells_it_is_searched(tmp_path: Path) -> None:
    with index_of(tmp_path / "notes", {"bread.md": "# Bread\n\nIt depends on the flour.\n"}) as notes:
        assert places(notes, "What does it depend on?") == []
        assert places(notes, "What license is this under?") == []


PAGES = {
    "index.rst": "Welcome to Ferry's documentation!\n=================================\n\nHow to sail.\n",
    "about/history.rst": "History and credits\n===================\n\nIt was called Raft. Mona Petit built it.\n",
    "oars.md": "# Oars\n\nWho started to row first, started the project of crossing.\n",
    "CHANGES/history.md": "# History\n\n## 1.2\n\nWho began it all.\n",
    "tool.py": "def start(project):\n    return project\n",
}


@pytest.mark.parametrize(
    "question",
    ["Who started the project and how did it begin?", "What was Ferry called at first and who built it?"],
)
def test_how_all_of_it_began_is_told_by_a_page_that_is_called_so(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "docs", PAGES) as index:
        assert places(index, question, answer_origin) == [("about/history.rst", 4, 4)]
        assert places(index, "Who started the fire?", answer_origin) == []


def test_among_code_git_tells_who_wrote_it(ferry: Index) -> None:
    assert places(ferry, "Who wrote this project?", answer_origin) == []


@pytest.mark.parametrize(("name", "last"), [("configure.ac", 6), ("mix.exs", 4)])
def test_a_list_that_begins_with_empty_brackets_or_open_ones_is_read_whole(
    tmp_path: Path, name: str, last: int
) -> None:
    with index_of(tmp_path / "x", {name: SPREAD[name]}) as index:
        assert places(index, "What are the dependencies?") == [(name, 2, last)]


WORKSPACE = {
    "package.json": '{\n "name": "shop",\n "devDependencies": {"jest": "2"}\n}\n',
    "packages/ferry/package.json": '{\n "name": "ferry",\n "dependencies": {\n  "oars": "2"\n }\n}\n',
    "packages/ferry/test/package.json": '{\n "name": "t",\n "dependencies": {\n  "fake": "2"\n }\n}\n',
    "gradle/libs.versions.toml": '[versions]\nkotlin = "2.0.0"\n\n[libraries]\nsails = "x:sails:1"\n\n[plugins]\n',
    "packages/ferry/ferry.ts": "export const ferry = 1;\n",
}


def test_where_the_root_lists_nothing_the_packages_tell(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", WORKSPACE) as index:
        assert places(index, "What does this depend on?") == [
            ("gradle/libs.versions.toml", 4, 5),
            ("packages/ferry/package.json", 3, 5),
        ]
        assert places(index, "Which version of Kotlin does it use?") == [("gradle/libs.versions.toml", 2, 2)]


README = "Ferry\n\n* Dependencies\n\nFerry needs oars.\n\nAnd sails.\n\n* Installation\n\nMake it.\n"


def test_a_readme_tells_what_is_needed_where_no_manifest_lists_it(tmp_path: Path) -> None:
    configured = {"README": README, "configure.ac": LISTS["configure.ac"], "ferry.c": "int ferry;\n"}
    with index_of(tmp_path / "x", configured) as index:
        assert places(index, "What does this depend on?")[0] == ("README", 5, 7)
    with index_of(tmp_path / "y", {"README": README, "go.mod": LISTS["go.mod"]}) as index:
        assert places(index, "What does this depend on?") == [("go.mod", 3, 6)]


def test_the_same_lines_are_quoted_once(tmp_path: Path) -> None:
    files = {f"{name}.opam": 'depends: [\n  "ocaml" {>= "4.08"}\n]\n' for name in ("oar", "sail", "quay")}
    with index_of(tmp_path / "x", {**files, "meta/main.yml": "galaxy:\n  min_ansible_version: 2.15\n"}) as index:
        assert places(index, "Which version of OCaml does it need?") == [("oar.opam", 2, 2)]
        assert places(index, "Which version of Ansible does it need?") == [("meta/main.yml", 2, 2)]


def test_a_licence_may_be_named_and_have_an_ending(tmp_path: Path) -> None:
    with index_of(tmp_path / "x", {"LICENSE-MIT.txt": MIT, "run.sh": "echo 1\n"}) as index:
        assert places(index, "Which licence is this under?") == [("LICENSE-MIT.txt", 1, 5)]


TOLD_OF_VERSIONS = {
    "Dockerfile": "FROM --platform=x docker.io/node:24-slim AS front\nFROM python:3.12\nFROM node:20\n",
    "pyproject.toml": VERSIONED["Python"][1],
    "x.cabal": "name: x\ntested-with:\n    -- on Linux\n    GHC == 9.10.3\n  , GHC == 9.12.3\nlicense: MIT\n",
    "kits/Sail/Package.swift": "// swift-tools-version: 6.2\nlet package = Package(\n  [\n    .iOS(.v18),\n  ])\n",
    "charts/ferry/Chart.yaml": 'name: ferry\nkubeVersion: ">=1.25.0-0"\n',
    "charts/other/Chart.yaml": 'name: other\nkubeVersion: ">=1.19.0-0"\n',
}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which version of Node does it need?", ("Dockerfile", 1, 1)),
        ("Which version of Python does it need?", ("pyproject.toml", 3, 3)),
        ("Which version of GHC does it need?", ("x.cabal", 2, 5)),
        ("Which version of iOS is required?", ("kits/Sail/Package.swift", 4, 4)),
        ("Which version of Kubernetes does the ferry chart need?", ("charts/ferry/Chart.yaml", 2, 2)),
        ("what version of Kubernetes does other require", ("charts/other/Chart.yaml", 2, 2)),
    ],
)
def test_versions_of_what_it_runs_on(tmp_path: Path, question: str, told: tuple[str, int, int]) -> None:
    with index_of(tmp_path / "x", TOLD_OF_VERSIONS) as index:
        assert places(index, question) == [told]


def test_an_image_counts_only_where_no_manifest_tells(tmp_path: Path) -> None:
    with index_of(tmp_path / "x", {"Dockerfile": TOLD_OF_VERSIONS["Dockerfile"]}) as index:
        assert places(index, "Which version of Python does it need?") == [("Dockerfile", 2, 2)]


@pytest.mark.parametrize("question", ["Which licence is the text under?", "Under which licence is this?"])
def test_licences_of_text_and_code(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "x", {"LICENSE-TEXT": MIT, "LICENSE-CODE": MIT + "\n", "a.py": "x = 1\n"}) as index:
        assert places(index, question) == [("LICENSE-CODE", 1, 5)]  # the other says the same


def test_documents_without_a_manifest_depend_on_nothing_known(tmp_path: Path) -> None:
    files = {"README.md": "# Handbook\n\nHow we work.\n", "pay.md": "# Pay\n\nWhat it depends on.\n"}
    files["examples/go.mod"] = "module x\n\nrequire oars v2\n"
    with index_of(tmp_path / "handbook", files) as index:
        found = answer_project_facts(Question("What does it depend on?"), index)
    assert found is not None
    assert not found.known
    assert found.text([]).startswith("No manifest here")


def test_the_main_package_tells_before_what_lies_beside_it(tmp_path: Path) -> None:
    code = {"ferry.js": "export function row() {\n  return 1\n}\n", "package.json": '{\n "private": true\n}\n'}
    docs = {"packages/docs/package.json": '{\n "dependencies": {\n  "vue": "3"\n }\n}\n'}
    oars = {"packages/oars/package.json": '{\n "dependencies": {\n  "wood": "1"\n }\n}\n'}
    with index_of(tmp_path / "a" / "ferry", {**code, **docs, **oars}) as index:
        assert places(index, "What does it depend on?") == [("packages/oars/package.json", 2, 4)]
    main = {"packages/ferry/package.json": '{\n "name": "ferry",\n "devDependencies": {\n  "tap": "1"\n }\n}\n'}
    with index_of(tmp_path / "b" / "ferry", {**code, **docs, **oars, **main}) as index:
        assert places(index, "What does it depend on?") == [("packages/ferry/package.json", 2, 2)]


def test_a_manifest_that_reads_its_list_elsewhere_is_not_said_to_have_none(tmp_path: Path) -> None:
    files = {"ferry.py": "def row():\n    return 1\n", "setup.py": "setup(\n    name='ferry',\n    **requires(),\n)\n"}
    with index_of(tmp_path / "ferry", files) as index:
        assert places(index, "What does it depend on?") == []


GUIDES = {
    "CONTRIBUTING.md": (
        "# Contributing\n\n## Developing a new integration\n\nPlease open an issue and discuss it first with all.\n\n"
        "### Files\n\nCopy a folder of integrations and edit it.\n\n## Integrations\n\nAll the integrations we have.\n"
    ),
    "docs/guide.rst": "Custom commands\n===============\n\nWrite a class that runs, then say its name.\n\nEnd\n===\n",
    "docs/i18n.md": "# Texts\n\n## Translations\n\nThey are kept by a site, so ask there for a new language.\n",
    "CHANGELOG.md": "# Changes\n\n## Add a new ferry\n\nThe new ferry was added to the list of all the ferries.\n",
    "shop.py": "def add(integration):\n    return integration\n",
}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How do I add a new integration?", [("CONTRIBUTING.md", 3, 9)]),
        ("how is an integration added to the shop", [("CONTRIBUTING.md", 3, 9)]),
        ("How to write my own command?", [("docs/guide.rst", 1, 4)]),
        ("How can I add a translation?", [("docs/i18n.md", 3, 5)]),
        ("How do I add a ferry?", []),
        ("How do I run an integration?", []),
        ("How do I add salt?", []),
    ],
)
def test_a_section_tells_how_to_add_one_more_of_a_kind(
    tmp_path: Path, question: str, found: list[tuple[str, int, int]]
) -> None:
    with index_of(tmp_path / "shop", GUIDES) as index:
        assert places(index, question, answer_how_to_add) == found


CUSTOMARY = {
    "docs/History.md": "# Change Log\n\n## 2.0\n\nAll of it is new.\n\n## 1.0\n\nIt is there.\n\n## 0.1\n\nA try.\n",
    "lib/changes.rb": "def changes(order)\n  order\nend\n",
    "tests/NEWS.md": "# News\n\nNone yet.\n",
    "CONTRIBUTING": "Write to us.\n",
    ".github/CODE_OF_CONDUCT.md": "# Conduct\n\nBe kind to all.\n",
}


@pytest.mark.parametrize(
    ("question", "path", "last"),
    [
        ("Is there a changelog?", "docs/History.md", 7),
        ("Where are the release notes?", "docs/History.md", 7),
        ("Does this project have a changelog file?", "docs/History.md", 7),
        ("Where is the contributing guide?", "CONTRIBUTING", 1),
        ("Does it have a code of conduct?", ".github/CODE_OF_CONDUCT.md", 3),
    ],
)
def test_a_file_that_many_projects_have_is_shown(tmp_path: Path, question: str, path: str, last: int) -> None:
    with index_of(tmp_path / "shop", CUSTOMARY) as index:
        answer = answer_by_way(Question(question), index)
    assert answer is not None and answer.known
    assert answer.text([1]).startswith(f"`{path}` is there. It begins like this:")
    assert [(hit.path, hit.start_line, hit.end_line) for hit in answer.hits] == [(path, 1, last)]


def test_a_file_that_is_not_there_is_not_made_up_from_what_comes_near(tmp_path: Path) -> None:
    with index_of(
        tmp_path / "shop", {"CONTRIBUTING.md": "# Helping\n\nPlease add a line to the changelog.\n"}
    ) as index:
        none = answer_with_customary_file(Question("Is there a changelog?"), index)
        other = answer_with_customary_file(Question("Is there a roadmap?"), index)
        assert answer_with_customary_file(Question("Is there a way to add a line?"), index) is None
        assert answer_with_customary_file(Question("Where is the line added to the changelog?"), index) is None
    assert none is not None and not none.known and "git may tell" in none.text([])
    assert other is not None and other.text([]) == "No file here is called `roadmap`."
