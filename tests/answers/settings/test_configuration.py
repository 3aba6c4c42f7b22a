"""How the project is configured is answered by the documents and the code that are called after configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.settings.configuration import explain_configuration
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way

HOW = "How is configuration loaded?"
README = """# Shop

A shop.

## Configuration

The shop reads `~/.config/shop.toml`, and after it what `--config` names.

## Developing

### Configuration

Set up your editor.
"""
CONFIG = """import tomllib


class Settings:
    port = 80
    host = "here"
    keep_days = 7


def default_path():
    return "shop.toml"


def load_config(path):
    with open(path, "rb") as file:
        return tomllib.load(file)
"""
CODE = {
    "shop/config.py": CONFIG,
    "shop/themes.py": "def load_theme_config_for(name):\n    return open(name).read()\n",
    "shop/loading.py": "class Loader:\n    def load(self):\n        return open('configuration').read()\n",
    "tests/test_config.py": "def load_config(path):\n    return open(path).read()\n",
    "scripts/release.py": "def read_config():\n    return open('release.toml').read()\n",
}


def asked(index: Index, question: str = HOW) -> WayAnswer | None:
    return explain_configuration(Question(question), index)


def places(found: WayAnswer | None) -> list[str]:
    return [] if found is None else [f"{hit.path}:{hit.start_line}" for hit in found.hits]


@pytest.mark.parametrize(
    "question",
    [
        HOW,
        "How are the settings loaded?",
        "Where is the config read?",
        "where are the settings of the shop defined",
        "How does it load its configuration?",
        "Where does the program look for its configuration file?",
        "Which configuration file does it read?",
        "What is the config file called?",
        "how do I configure shop",
        "How is the app configured?",
        "Where do the settings come from?",
        "Where does it decide which folder the settings are read from?",
        "Which function loads the config?",
        "What format does the configuration file have?",
    ],
)
def test_the_section_and_the_code_that_loads_are_quoted(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", {"README.md": README, **CODE}) as index:
        found = answer_by_way(Question(question), index)
    assert places(found) == ["README.md:7", "shop/config.py:14"]
    assert found is not None and "Settings are declared in `Settings` (`shop/config.py:4`)" in found.text([1, 2])


@pytest.mark.parametrize(
    "question",
    [
        "How is configuration of the paper size passed to the printer driver?",
        "How do I load a theme?",
        "Where is the port read?",
        "How are the orders loaded?",
        "Which file loads the orders?",
        "Which folder are the orders stored in?",
    ],
)
def test_other_questions_are_left_to_other_ways(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "shop", {"README.md": README, **CODE}) as index:
        assert asked(index, question) is None


@pytest.mark.parametrize(
    ("path", "code", "line"),
    [
        ("src/config/mod.rs", "use a::b;\n\npub fn read_config(p: &Path) -> C {\n    fs::read_to_string(p)\n}\n", 3),
        ("conf/conf.go", "package conf\n\nfunc Load(p string) error {\n\treturn json.Unmarshal(read(p), &c)\n}\n", 3),
        ("lib/shop/configuration.rb", "class Configuration\n  def load\n    YAML.safe_load(@path)\n  end\nend\n", 2),
        ("src/settings.c", "int x;\n\nvoid load_settings(char *path) {\n  FILE *f = fopen(path, 0);\n}\n", 3),
        ("src/Config.java", "class Config {\n  static Config fromFile(String p) {\n    return open(p);\n  }\n}\n", 2),
        ("lib/shop/config.ex", "defmodule Shop.Config do\n  def read!(p) do\n    File.read(p)\n  end\nend\n", 2),
    ],
)
def test_what_loads_is_found_in_many_languages(tmp_path: Path, path: str, code: str, line: int) -> None:
    with index_of(tmp_path / "shop", {path: code, "src/zzz.txt": "nothing"}) as index:
        assert places(asked(index)) == [f"{path}:{line}"]


def test_files_of_settings_are_quoted_where_nothing_loads_them(tmp_path: Path) -> None:
    files = {
        "config/api.php": "<?php\n\nreturn [\n    'limit' => env('API_LIMIT', 100),\n];\n",
        "config/app.php": "<?php\n\nreturn [\n    'name' => env('APP_NAME', 'Shop'),\n];\n",
        "app/View.php": "<?php\n\nclass View { function name() { return env('APP_NAME'); } }\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        found = asked(index)
    assert places(found) == ["config/app.php:3"]
    assert found is not None and "`config/api.php`" in found.text([1])


def test_a_sample_is_named_and_quoted_where_nothing_else_tells(tmp_path: Path) -> None:
    files = {
        "contrib/shop.cfg.example": "# port to listen on\nport = 80\nkeep = 7\n",
        "main.go": "package main\n\nvar x = 1\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert places(asked(index)) == ["contrib/shop.cfg.example:1"]


def test_a_constructor_that_reads_a_file_loads_it(tmp_path: Path) -> None:
    code = "class Config {\n  Config(String path) {\n    p.load(open(path));\n  }\n\n  String getA() { return a; }\n}\n"
    with index_of(tmp_path / "shop", {"src/config/Config.java": code}) as index:
        assert places(asked(index)) == ["src/config/Config.java:2"]


def test_who_asks_where_gets_what_knows_the_place(tmp_path: Path) -> None:
    code = CONFIG.replace("def default_path", "def find_config_path")
    with index_of(tmp_path / "shop", {"shop/config.py": code}) as index:
        assert places(asked(index)) == ["shop/config.py:14"]
        assert places(asked(index, "Where does it look for its configuration file?")) == ["shop/config.py:10"]


@pytest.mark.parametrize(
    "files",
    [
        {"views/settings.html": "<h1>Settings</h1>\n\n<p>What you like, `a.toml`</p>\n"},
        {"docs/per_listener_settings.md": "# Settings\n\nOf a listener, in `a.toml`.\n"},
        {"docs/configuration.md": "---\ntitle: Configuration\nlayout: page\n---\n\nNot ready yet!\n"},
        {"plugins/a/configuration.md": "# Configuration\n\nOf a plugin, in `a.toml`.\n"},
    ],
)
def test_pages_about_something_else_are_left_aside(tmp_path: Path, files: dict[str, str]) -> None:
    with index_of(tmp_path / "shop", {**files, **CODE}) as index:
        assert places(asked(index)) == ["shop/config.py:14"]


def test_code_without_configuration_is_said_to_have_none(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", {"src/a.py": "def add(a, b):\n    return a + b\n"}) as index:
        found = asked(index)
    assert found is not None and not found.known and not found.hits


def test_documents_without_configuration_are_searched(tmp_path: Path) -> None:
    with index_of(
        tmp_path / "shop", {"a.md": "# Shop\n\nOrders are kept.\n", "b.md": "# Till\n\nIt rings.\n"}
    ) as index:
        assert asked(index) is None


@pytest.mark.parametrize(
    "question",
    [
        "What options does the config file have?",
        "Which configuration options are there?",
        "Which settings are there?",
        "what can I configure?",
        "What settings can I change",
    ],
)
def test_who_asks_for_the_options_gets_the_page_that_lists_most(tmp_path: Path, question: str) -> None:
    page = "# Settings\n\n- `port`: the port\n- `host`: the host\n- `days`: how long orders are kept\n"
    with index_of(tmp_path / "shop", {"README.md": README, "docs/settings.md": page, **CODE}) as index:
        assert places(answer_by_way(Question(question), index)) == ["docs/settings.md:3"]


def test_the_sample_at_the_root_lists_the_options(tmp_path: Path) -> None:
    files = {"shop.conf": "# port to listen on\nport 80\n\n# days\nkeep 7\n", **CODE}
    with index_of(tmp_path / "shop", files) as index:
        assert places(asked(index, "What options does the config file have?")) == ["shop.conf:1"]


def test_the_type_of_the_settings_lists_them_where_no_file_does(tmp_path: Path) -> None:
    with index_of(tmp_path / "shop", CODE) as index:
        assert places(asked(index, "Which settings are there?")) == ["shop/config.py:4"]
