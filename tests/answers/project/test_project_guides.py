"""How a project is installed, and how one contributes to it, as its README and its guides tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.citations.verify import verify
from quaestor.answers.overview.prose_lines import parts_of
from quaestor.answers.project.guides import answer_with_project_guide, asks_how_to_contribute, asks_how_to_install
from quaestor.answers.way import Question
from quaestor.llm.prompts.numbered_passages import number

CODE = "def row(stroke):\n    return stroke + 1\n"
CI = "jobs:\n  test:\n    steps:\n      - name: Install it\n        run: pip install -e .\n"
PROJECT = '[project]\nname = "ferry"\n'
README = """# Ferry

Crosses rivers.

## Plugins

### Installing plugins

```sh
pip install ferry-plugin-oars
```

## Installation

With pip:

```sh
pip install ferry
```

Or with Homebrew:

```sh
brew install ferry
```

## Development

### Setup

```sh
pip install -e .
```
"""


def quoted(folder: Path, files: dict[str, str], question: str) -> list[str]:
    """Return the quoted places of an answer as ``path:first-last``; all of them are found in the files."""
    with index_of(folder / "ferry", {"ferry.py": CODE, ".github/workflows/ci.yml": CI, **files}) as index:
        found = answer_with_project_guide(Question(question), index)
        if found is None:
            return []
        assert found.way == "guide"
        checked = verify(found.text(range(1, len(found.hits) + 1)), number(found.hits), index.read)
        assert [one.status for one in checked.citations] == ["verified"] * len(found.hits)
        return [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in found.hits]


@pytest.mark.parametrize(
    "question",
    [
        "How do I install it?",
        "how to install thisproject",
        "How can I set it up on my machine?",
        "how do I add this to my project",
        "How do I use it in my own app?",
        "installation",
        "Where can I get it?",
        "Wie installiere ich das?",
        "Wie richte ich das Projekt ein?",
        "Comment installer ce projet ?",
        "¿Cómo lo instalo?",
        "如何安装",
        "どうやってインストールしますか",
    ],
)
def test_asks_how_to_install(question: str) -> None:
    assert asks_how_to_install(question.lower().strip("?¿ "))


@pytest.mark.parametrize(
    "question",
    [
        "How do I install a plugin?",
        "how do i install my own fonts",
        "Which command installs the completions?",
        "How do I use it?",
        "How do I set the timeout?",
        "how does the installer download its files",
        "How do I get help with it?",
    ],
)
def test_asks_something_else(question: str) -> None:
    text = question.lower().strip("? ")
    assert not asks_how_to_install(text)
    assert not asks_how_to_contribute(text)


@pytest.mark.parametrize(
    "question",
    [
        "How do I contribute?",
        "how can I contribute to thisproject",
        "How do I submit a pull request?",
        "How can I help with the development?",
        "What are the contribution guidelines?",
        "Wie kann ich mitarbeiten?",
        "Comment contribuer au projet ?",
        "¿Cómo puedo contribuir?",
        "怎么贡献代码",
    ],
)
def test_asks_how_to_contribute(question: str) -> None:
    assert asks_how_to_contribute(question.lower().strip("?¿ "))


def test_section_of_the_readme_with_the_command(tmp_path: Path) -> None:
    files = {"README.md": README, "pyproject.toml": PROJECT, "docs/install.md": "# Install\n\n    pip install ferry\n"}
    assert quoted(tmp_path, files, "How do I install it?") == ["README.md:15-25"]


def test_a_manifest_tells_the_name_that_is_asked_for(tmp_path: Path) -> None:
    files = {"README.md": README.replace("# Ferry\n", ""), "pyproject.toml": '[project]\nname = "oarsman"\n'}
    assert quoted(tmp_path, files, "How do I install oarsman?") == ["README.md:14-24"]
    assert quoted(tmp_path, files, "How do I install oarsman-plugins?") == []


def test_command_with_the_own_name_outside_such_a_section(tmp_path: Path) -> None:
    readme = "# Ferry\n\nCrosses rivers.\n\nNext to it, use:\n\n```sh\npip install oars\n```\n\nGet Ferry:\n\n"
    readme += "```sh\npip install ferry\n```\n\nThen row.\n\n## API\n\nRow on.\n"
    assert quoted(tmp_path, {"README.md": readme, "pyproject.toml": PROJECT}, "how to install Ferry") == [
        "README.md:11-15"
    ]


def test_page_that_is_called_so_and_the_section_that_leads_to_it(tmp_path: Path) -> None:
    files = {
        "README.md": "# Ferry\n\nCrosses rivers.\n\n## Installation\n\nSee [the guide](docs/installation.md).\n",
        "plugins/oars/docs/installation.md": "# Installation\n\n    pip install oars\n",
        "docs/de/installation.md": "# Installation\n\n    pip install ferry\n",
        "docs/installation.md": "# Installation\n\nOn Debian:\n\n    apt install ferry\n",
    }
    assert quoted(tmp_path, files, "How do I install it?") == ["README.md:7-7", "docs/installation.md:3-5"]


def test_manifest_entry_and_lines_around_a_late_command(tmp_path: Path) -> None:
    entry = (
        "```xml\n<dependency>\n  <groupId>org.example</groupId>\n  <artifactId>ferry</artifactId>\n</dependency>\n```\n"
    )
    long = "".join(f"- {number}\n" for number in range(40))
    files = {
        "README.md": "# River\n\nCrosses rivers.\n\n## Artifacts\n\nFor Java:\n\n" + entry,
        "pom.xml": "<project>\n  <artifactId>ferry</artifactId>\n</project>\n",
    }
    assert quoted(tmp_path / "a", files, "How do I add it to my project?") == ["README.md:7-14"]
    readme = f"# River\n\nCrosses.\n\n## Installation\n\n{long}\n### Debian\n\n    apt install river\n"
    assert quoted(tmp_path / "b", {"README.md": readme}, "How do I install it?") == ["README.md:48-50"]


@pytest.mark.parametrize(
    ("section", "lines"),
    [
        ("## Getting started\n\n```sh\ndocker compose up\n```\n", "7-9"),
        ("## Building\n\nOnly from source:\n\n    make\n    sudo make install\n", "7-10"),
        ("## Links\n\n- [Install](https://ferry.example/install)\n- [Blog](https://ferry.example)\n", "7-7"),
        ("## Get in touch\n\nSee https://chat.example/.\n\n## Build\n\n    make\n", "11-11"),
        (
            "## Running it in a cluster\n\n" + "Talk.\n" * 40 + "\n    docker run x\n\n## Building\n\n    make\n",
            "52-52",
        ),
        ("You can also install [Oars](https://oars.example).\n\n## Build\n\nType:\n\n    make\n", "9-11"),
        (
            "## Getting started\n\nRead [what others wrote](https://blog.example).\n\n## Build\n\nx\n\n    make\n",
            "11-13",
        ),
        ("[installing]: https://ferry.example/deploy\n", "5-5"),
        ("## Development\n\n### Setup\n\nRun `make setup`, then:\n\n    ./ferry\n", "9-11"),
    ],
)
def test_what_else_tells_it(tmp_path: Path, section: str, lines: str) -> None:
    readme = f"# Ferry\n\nCrosses rivers.\n\n{section}"
    assert quoted(tmp_path, {"README.md": readme}, "How do I install it?") == [f"README.md:{lines}"]


def test_nothing_tells_it(tmp_path: Path) -> None:
    assert quoted(tmp_path, {"README.md": "# Ferry\n\nCrosses rivers.\n"}, "How do I install it?") == []


def test_handbook_is_not_installed(tmp_path: Path) -> None:
    pages = {f"page{number}.md": f"# Page {number}\n\n## Setup\n\n    brew install zoom\n" for number in range(9)}
    readme = "# Handbook\n\nHow we work.\n\n## Getting started\n\n    npm start\n"
    with index_of(tmp_path / "handbook", {"README.md": readme, **pages}) as index:
        assert answer_with_project_guide(Question("How do I install it?"), index) is None


GUIDE = """# Contributing

<!-- toc -->

Thank you for your help.
Ask before you write much.

## Code of Conduct

Contributors are kind.

## AI contributions

Contributions are written by contributors.

## Pull requests

Fork it, and send one change at a time.
"""


def test_guide_for_contributors(tmp_path: Path) -> None:
    files = {"README.md": "# Ferry\n\n## Contributing\n\nSee the guide.\n", "vendor/oars/CONTRIBUTING.md": GUIDE}
    question = "How do I contribute?"
    assert quoted(tmp_path / "a", {**files, ".github/CONTRIBUTING.md": GUIDE}, question) == [
        ".github/CONTRIBUTING.md:5-6",
        ".github/CONTRIBUTING.md:18-18",
    ]
    assert quoted(tmp_path / "b", files, question) == ["README.md:5-5"]
    short = "# Contributing\n\nThank you for your help here.\n\n## Tests\n\nRun them all.\n"
    assert quoted(tmp_path / "c", {"CONTRIBUTING.md": short}, question) == ["CONTRIBUTING.md:3-7"]
    developing = {"docs/development.rst": "Development\n===========\n\nContributing\n------------\n\nSend patches.\n"}
    assert quoted(tmp_path / "d", developing, question) == ["docs/development.rst:7-7"]
    thanks = "# Ferry\n\nCrosses.\n\n## Contributors\n\nThank all who contributed.\n"
    assert quoted(tmp_path / "e", {"README.md": thanks}, question) == []


def test_sections_of_underlined_headings_have_levels() -> None:
    lines = ["Title", "=====", "", "Install", "-------", "", "Debian", "~~~~~~", "", "apt", "", "Use", "---", "x"]
    assert [(one.title, one.first, one.last, one.above) for one in parts_of(lines)] == [
        ("Title", 3, 14, ()),
        ("Install", 6, 10, ("Title",)),
        ("Debian", 9, 10, ("Title", "Install")),
        ("Use", 14, 14, ("Title",)),
    ]
