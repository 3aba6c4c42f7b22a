"""Questions how the whole project is built or tested: which are recognised, and what is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.overview.build_question import (
    aim_of_building,
    asks_for_one_test,
    asks_how_to_build,
    asks_how_to_develop,
    asks_how_to_run,
)
from quaestor.answers.overview.overview_answer import own_names
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way
from quaestor.llm.prompts.numbered_passages import number

LONG = (
    "pytest tests --cov=shop --cov-report=xml:./coverage.xml --cov-report term-missing -m 'not slow and not flaky' -n 4"
)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Index]:
    files = {
        "README.md": "# Shop\n\nShop sends orders.\n\n## Development\n\n    $ ./manage.py test\n",
        "Makefile": "check:\n\truff check\n\ntest: check\n\tpytest\n\nlint:\n\truff format\n",
        ".github/workflows/ci.yml": f"jobs:\n  test:\n    steps:\n      - run: {LONG}\n",
        "shop.py": "def test_drive(car):\n    return car\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        yield index


@pytest.mark.parametrize(
    "text",
    [
        "How do I run the tests?",
        "how can I build this from source",
        "How to run all the tests locally",
        "Which command builds the project?",
        "what commands do I need to build and test it",
        "how is this built and tested?",
        "Hi, how do I compile it?",
        "Wie führe ich die Tests aus?",
        "Comment lancer les tests ?",
        "¿Cómo ejecuto las pruebas?",
        "怎么运行测试？",
        "テストはどうやって実行しますか？",
        "how to compile",
        "How do I build this gem?",
        "how do I run a single test",
        "how can I run one specific test file?",
    ],
)
def test_who_wants_to_build_or_test_it(text: str) -> None:
    assert asks_how_to_build(text)


@pytest.mark.parametrize(
    "text",
    [
        "How do I test my app?",
        "How is the index built?",
        "How do I run it?",
        "Which tests build the index?",
        "how are tests collected",
        "What does the build command do?",
        "how do I build a query",
        "how do I test one file",
        "how to test",
        "tests",
        "",
        f"How do I {'please ' * 40}build it?",
    ],
)
def test_who_asks_about_a_thing_of_its_own(text: str) -> None:
    assert not asks_how_to_build(text)


@pytest.mark.parametrize(
    ("text", "develops"),
    [
        ("how do i set up a development environment", True),
        ("how to get a dev environment running", True),
        ("how do i set up the repo for development", True),
        ("how do i hack on this", True),
        ("how can i work on thisproject locally", True),
        ("how do i get started developing", True),
        ("how do i set up a server for development", False),
        ("how do i work on a ticket", False),
        ("how do i hack the system", False),
        ("which development server is used", False),
    ],
)
def test_who_wants_to_work_on_it(text: str, *, develops: bool) -> None:
    assert asks_how_to_develop(text) == develops


def test_the_guide_for_contributors_tells_how_to_begin_to_work(tmp_path: Path) -> None:
    files = {
        "README.md": "<h1>Shop</h1>\n\n## Intro\n\nShop sends orders.\n\n## Usage\n\n    $ make build\n",
        "CONTRIBUTING.md": "# Contributing\n\n## Building a parcel\n\nEach parcel is made by `make`.\n\n"
        "## Development workflow\n\nGet the code first.\n\n```\nnpm install\nnpm run build\n```\n",
        "shop.js": "function send() {}\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        for text in (
            "How do I set up a development environment?",
            "How do I build this?",
            "how do I hack on the shop?",
        ):
            answer = answer_by_way(Question(text), index)
            first = answer.hits[0] if answer is not None else None
            assert first is not None and (first.path, first.start_line) == ("CONTRIBUTING.md", 9)
        assert "intro" not in own_names(index)


def test_what_is_said_of_principles_does_not_tell_how_to_begin_to_work(tmp_path: Path) -> None:
    guide = (
        "Helping\n=======\n\nPrinciples of development\n-------------------------\n\nUse `make` with care.\n\n"
        "Getting started\n---------------\n\n.. code-block:: bash\n\n   git clone shop\n   pip install -e .\n"
    )
    with index_of(tmp_path / "shop", {"docs/contributing.rst": guide, "shop.py": "x = 1\n"}) as index:
        answer = answer_by_way(Question("How do I set up a development environment?"), index)
    assert answer is not None and [hit.text.split("\n")[-1] for hit in answer.hits[:1]] == ["   pip install -e ."]


def test_it_is_answered_from_documents_task_files_and_ci(shop: Index) -> None:
    answer = answer_by_way(Question("How do I run the tests?"), shop)
    assert answer is not None and answer.way == "build"
    text = answer.text(range(1, len(answer.hits) + 1))
    assert "`README.md`: “./manage.py test” [1]" in text
    assert re.search(r"`make test`: “test: check” \[\d\], also `check`\n", text)
    assert "pytest tests --cov=shop" in text
    checked = verify(text, number(answer.hits), shop.read)
    assert [citation.status for citation in checked.citations] == ["verified"] * len(answer.hits)


def test_how_a_single_test_is_run_is_told_by_a_guide_or_by_custom(tmp_path: Path) -> None:
    files = {
        "README.md": "# Shop\n\nTo run the tests:\n\n    make check\n\nTests\n\nOn running specific tests.\n\n"
        "It is slow.\n\nIt is.\n\nVery.\n\nIndeed.\n\n",
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "fn sell() {}\n",
    }
    guide = "# Helping\n\nA single test can be run more quickly:\n\n```sh\nmake check T=till\n```\n"
    with index_of(tmp_path / "told", {**files, "CONTRIBUTING.md": guide}) as index:
        told = answer_by_way(Question("How do I run a single test?"), index)
        every = answer_by_way(Question("How do I run the tests?"), index)
    with index_of(tmp_path / "custom", files) as index:
        usual = answer_by_way(Question("run one test"), index)
    with index_of(tmp_path / "none", {"README.md": files["README.md"], "shop.c": "int x;\n"}) as index:
        unknown = answer_by_way(Question("how do I run a single test"), index)
    assert told is not None and (told.hits[0].path, told.hits[0].start_line, told.hits[0].end_line) == (
        "CONTRIBUTING.md",
        3,
        7,
    )
    assert "No guide" not in told.text(range(9)) and every is not None and "custom" not in every.text(range(9))
    assert usual is not None and "`Cargo.toml`, the usual command is `cargo test NAME`." in usual.text(range(9))
    assert "“make check”" in usual.text(range(9)), "and all tests as well"
    assert unknown is not None and unknown.text(range(9)).startswith("No guide here tells how a single test is run.\n")


def test_where_no_file_tells_it_is_searched(tmp_path: Path) -> None:
    with index_of(tmp_path / "notes", {"bread.md": "# Bread\n\nIt rests.\n"}) as notes:
        answer = answer_by_way(Question("How do I run the tests?"), notes)
        assert answer is None or answer.way != "build"


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("How do I run a single test?", True),
        ("how can I run one specific test file", True),
        ("how do I run a test", True),
        ("How do I run the specific test?", True),
        ("how do I run the test suite", False),
        ("how to run the tests", False),
    ],
)
def test_who_wants_to_run_a_single_test(text: str, *, one: bool) -> None:
    assert asks_for_one_test(text) == one


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("How do I run the tests?", "test"),
        ("how can I build this from source", "build"),
        ("how is this built and tested?", None),
        ("怎么运行测试？", "test"),
    ],
)
def test_what_somebody_wants_to_do(text: str, aim: str | None) -> None:
    assert aim_of_building(text) == aim


@pytest.mark.parametrize(
    "text",
    [
        "How do I run it?",
        "how to start the app locally",
        "How can I get this project up and running?",
        "how do i launch thisproject on my machine",
        "Wie starte ich das Projekt?",
    ],
)
def test_who_wants_to_run_it(text: str) -> None:
    assert asks_how_to_run(text)


@pytest.mark.parametrize("text", ["How do I run a query?", "how is it run by the scheduler", "how do I start", "run"])
def test_who_runs_a_thing_of_its_own(text: str) -> None:
    assert not asks_how_to_run(text)


HELP = """# Building and testing Ferry

Thanks for helping.

## Build

Get `oars` first:

```sh
./configure

make
```

### On the other bank

## Running the tests

    $ make check

## Tests that we wrote

They are many.
"""


def told(index: Index, question: str) -> tuple[str, list[tuple[str, int, int]]]:
    """Return an answer, of which each citation holds, and its places."""
    answer = answer_by_way(Question(question), index)
    assert answer is not None and answer.way == "build"
    text = answer.text(range(1, len(answer.hits) + 1))
    checked = verify(text, number(answer.hits), index.read)
    assert [citation.status for citation in checked.citations] == ["verified"] * len(answer.hits)
    return text, [(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]


def test_the_section_of_a_guide_that_tells_how_comes_first(tmp_path: Path) -> None:
    files = {
        "CONTRIBUTING.md": HELP,
        "README.md": "# Ferry\n\nFerry carries letters.\n",
        "ferry.c": "int main(void) {}\n",
    }
    with index_of(tmp_path / "ferry", files) as index:
        assert told(index, "How do I build this?")[1][0] == ("CONTRIBUTING.md", 7, 13)
        assert told(index, "How do I run the tests?")[1][0] == ("CONTRIBUTING.md", 19, 19)


def test_where_nothing_is_said_of_it_a_tool_is_used_as_it_commonly_is(tmp_path: Path) -> None:
    files = {
        "build.gradle.kts": "/* Ours. */\nplugins { java }\n",
        "gradlew": "#!/bin/sh\n",
        "app/src/main/AndroidManifest.xml": (
            '<manifest>\n<application android:name=".Shop">\n<activity\n android:name=".Counter">\n'
            '<action android:name="android.intent.action.MAIN" />\n</activity>\n</application>\n</manifest>\n'
        ),
        "app/src/main/java/shop/Counter.kt": "class Counter\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        text, places = told(index, "How do I run the tests?")
        assert "`./gradlew test`: “plugins { java }” [1]" in text and places == [("build.gradle.kts", 2, 2)]
        text, places = told(index, "How do I run it?")
        assert "`Counter → app/src/main/java/shop/Counter.kt`" in text
        assert places == [("app/src/main/AndroidManifest.xml", 4, 4)]


def test_what_starts_it_is_told_and_not_what_tests_it(tmp_path: Path) -> None:
    files = {
        "README.md": "# Shop\n\nA shop.\n\n## Usage\n\n```sh\nshop serve\n```\n\n## Tests\n\n```sh\nnpm test\n```\n",
        "package.json": '{\n "scripts": {\n  "test": "jest",\n  "dev": "vite"\n }\n}\n',
        "compose.yaml": "services:\n  shop:\n    image: shop\n",
        "index.js": "run();\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        text, places = told(index, "How do I start Shop?")
    assert places[0] == ("README.md", 7, 9)
    assert "“vite”" in text and "docker compose up" in text and "jest" not in text and "npm test" not in text


def test_what_is_tested_apart_tells_neither_how_it_is_tested_nor_how_it_is_run(tmp_path: Path) -> None:
    readme = (
        "# Ferry\n\nFerry carries letters.\n\n## Integration tests\n\n```sh\nfetch river\n```\n\n### Running\n\n"
        "```sh\nwade\n```\n\n### Sandbox setup\n\n```sh\ndig\n```\n\n## Usage\n\n```sh\nferry sail\n```\n"
    )
    files = {"README.md": readme, "ferry.py": "def sail():\n    return 1\n", "Makefile": "test:\n\tpytest\n"}
    with index_of(tmp_path / "ferry", {**files, ".github/workflows/ci.yml": "run: molecule test\n"}) as index:
        assert told(index, "How do I run the tests?")[1] == [("Makefile", 1, 1), (".github/workflows/ci.yml", 1, 1)]
        assert told(index, "How do I run it?")[1][0] == ("README.md", 25, 27)


def test_scripts_of_composer_count_and_those_called_so_come_first(tmp_path: Path) -> None:
    files = {
        "composer.json": '{\n "scripts": {\n  "pretest": "wait",\n  "test": "phpunit"\n }\n}\n',
        "Makefile": "clean-test:\n\trm x\n\ntest:\n\tphpunit\n",
        "shop.php": "<?php\nfunction shop() { return 1; }\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        text, places = told(index, "How do I run the tests?")
    assert places == [("Makefile", 4, 4), ("composer.json", 4, 4)] and "also `clean-test`" in text


MANUAL_AND_CI = {
    "README.md": "# Shop\n\nShop sends orders.\n\n## Documentation\n\n    $ make help\n    $ make html\n"
    "    $ make man\n    $ make linkcheck\n\n## Building the documentation\n\nRun `make html`.\n\n"
    "## Localization\n\nIn `po/`.\n\n"
    "## Build Instructions\n\n    $ make\n    $ make check\n",
    ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n"
    "      - run: docker compose --file build-test.yml up --detach\n      - run: docker compose run test\n"
    "      - run: make -C docs html\n",
    "shop.c": "int shop;\n",
}


def test_a_manual_and_what_only_surrounds_the_tests_are_no_way_to_build_it(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", MANUAL_AND_CI) as index:
        built, places = told(index, "How do I build it?")
        run = answer_by_way(Question("How do I run it?"), index)
    assert ("README.md", 22, 23) in places
    assert [path for path, *_ in places].count("README.md") == 5  # that section, and four commands
    assert "make check" in built
    assert run is None  # localisation is no local use
    assert "detach" not in built
    assert "-C docs" not in built


def test_the_manual_is_built_where_nothing_else_is(tmp_path: Path) -> None:
    files = {**MANUAL_AND_CI, "README.md": "# Shop\n\n## Documentation\n\n    $ make html\n"}
    with index_of(tmp_path / "shop", files) as index:
        assert "make html" in told(index, "How do I build it?")[0]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        # How others test with a library, and how fast it is, is not how its own tests are run.
        (
            {
                "README.md": "# Ferry\n\n## Testing\n\n`ferry.testing` helps:\n\n    rows = ferry.test(1)\n",
                "go.mod": "module x\n",
            },
            "go test",
        ),
        (
            {
                "README.md": "# Ferry\n\n## Speed tests\n\nRun `make speed-test`.\n",
                "Makefile": "lint-check:\n\ntest:\n\tgo\n",
            },
            "“test:”",
        ),
        ({"README.md": "# Ferry\n\n## Tests\n\n```\nbin/test --fast\n```\n"}, "bin/test --fast"),
        ({"package.json": '{\n "scripts": {\n  "check-style": "x",\n  "test": "y"\n }\n}\n'}, "“test” [1], also"),
    ],
)
def test_the_tests_of_the_project_itself_are_meant(tmp_path: Path, files: dict[str, str], said: str) -> None:
    with index_of(tmp_path / "ferry", {"ferry.go": "package ferry\n\nfunc Row() {}\n", **files}) as index:
        answer = answer_by_way(Question("How do I run the tests?"), index)
    assert answer is not None
    text = answer.text(range(1, len(answer.hits) + 1))
    assert said in text
    assert "ferry.testing" not in text and "speed" not in text


def test_neither_a_line_of_a_sentence_nor_the_latest_version_is_a_command_that_builds_or_tests(tmp_path: Path) -> None:
    files = {
        "README.md": "# Shop\n\nInstall it with:\n\n```sh\ngo install shop.example/shop@latest\njust test\n```\n",
        "AGENTS.md": "# Agents\n\nEach commit is one that I can\nmake with you. Build nothing else beside it.\n",
        "shop.go": "package shop\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert "latest" not in told(index, "How do I run the tests?")[0]
        assert "make with you" not in told(index, "How do I build and test it?")[0]
        assert "just test" in told(index, "How do I run the tests?")[0]


def test_scripts_in_the_root_that_are_called_after_what_they_do_tell_how(tmp_path: Path) -> None:
    files = {
        "test.sh": "#!/bin/bash\n# all of them\njavac -cp shop.jar test/Test.java\n",
        "build-jar.sh": "#!/bin/bash\nmkdir -p build\n",
        "install.sh": "#!/bin/bash\ncurl shop.example\n",
        "tools/test.sh": "ls\n",
        "Shop.java": "class Shop {}\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        tested, places = told(index, "How do I run the tests?")
        assert "./test.sh" in tested and places == [("test.sh", 3, 3)]
        built, places = told(index, "How do I build it?")
        assert "./build-jar.sh" in built and places == [("build-jar.sh", 2, 2)]
