"""``stats``, ``config show``, ``prompts show``, ``doctor``, ``completion``, ``--help``."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from cli_parts import FILES, Run, shell, write

from quaestor import __version__
from quaestor.cli.click_group import COMMANDS
from quaestor.core.config import RULES
from quaestor.llm.prompts.loader import load, names


def test_stats_for_people(quaestor: Run, repository: Path) -> None:
    done = quaestor("stats", repository)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == str(repository)
    assert lines[1].startswith("documents   3 (")
    for language in ("python 1", "go 1", "markdown 1"):
        assert language in lines[1]
    headings = [line.split()[0] for line in lines[1:] if not line.startswith(" ")]
    assert headings == ["documents", "chunks", "words", "size", "embedder", "tokens", "price", "cost", "time", "index"]
    assert "embedder" in lines[-1]


def test_stats_in_json(quaestor: Run, repository: Path) -> None:
    found = quaestor("stats", "--json", repository).json
    assert found["root"] == str(repository)
    assert found["documents"] == found["index"]["documents"] == 3
    assert found["chunks"] == found["index"]["chunks"]
    assert found["bytes"] == found["index"]["bytes"] == sum(len(text) for text in FILES.values())
    words = found["words"]
    assert words["least"] <= words["mean"] <= words["most"] <= words["total"]
    assert found["languages"] == {"python": 1, "go": 1, "markdown": 1}
    assert {"embedder", "store", "generation", "index_bytes"} <= set(found["index"])


def test_config_shows_every_setting_with_its_origin(
    quaestor: Run, repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, {"config.toml": 'model = "mine"\nresults = 7\nwindow = 4096\n'})
    write(repository, {"quaestor.toml": 'window = 2048\nignore = ["*.gen"]\n'})
    monkeypatch.setenv("QUAESTOR_RESULTS", "5")
    found = quaestor("config", "show", "--json", repository).json
    assert list(found) == list(RULES)
    assert found["model"] == {"value": "mine", "origin": f"user file {home / 'config.toml'}"}
    assert found["results"] == {"value": "5", "origin": "environment QUAESTOR_RESULTS"}
    assert found["window"] == {"value": "2048", "origin": f"project file {repository / 'quaestor.toml'}"}
    assert found["ignore"]["value"] == "*.gen"
    assert found["timeout"] == {"value": "120.0", "origin": "default"}
    people = quaestor("config", "show", repository)
    assert all(name in people.out for name in RULES)


def test_config_masks_keys(quaestor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-long-secret-key-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://someone:topsecret@host.example/v1")
    for arguments in (["config", "show"], ["config", "show", "--json"]):
        done = quaestor(*arguments)
        assert "secret" not in done.out.replace("secrets", "")
        assert "•••6789" in done.out
        assert "https://•••@host.example/v1" in done.out
    monkeypatch.setenv("OPENAI_API_KEY", "tiny")
    assert "tiny" not in quaestor("config", "show", "--json").out


def test_a_project_file_may_not_choose_the_model(quaestor: Run, repository: Path) -> None:
    write(
        repository,
        {"quaestor.toml": 'base_url = "http://evil"\nmodel = "x"\nwindow = 999999\nresults = 3\nnonsense = 1\n'},
    )
    done = quaestor("config", "show", "--json", repository)
    assert done.code == 0
    assert done.json["base_url"]["value"] == done.json["model"]["value"] == "(not set)"
    assert done.json["window"] == {"value": "8192", "origin": "default"}
    assert done.json["results"]["value"] == "3"
    refused = [line for line in done.err.splitlines() if line.startswith("warning: ")]
    assert [line.split("'")[1] for line in refused] == ["base_url", "model", "window", "nonsense"]


@pytest.mark.parametrize(
    "content", ["window = [", "results = 'many'\n", "window = inf\n", "results = -3\n", b"\xff\xfe"]
)
def test_a_broken_project_file_stops_nobody(quaestor: Run, repository: Path, content: str | bytes) -> None:
    write(repository, {"quaestor.toml": content})
    done = quaestor("search", "--json", "send_with_retry", repository)
    assert done.code == 0
    assert done.json["hits"]
    assert done.err.startswith("warning: ")


@pytest.mark.parametrize(
    "content", ["window = [", "results = 'many'\n", "window = inf\n", "nonsense = 1\n", b"\xff\xfe"]
)
def test_a_broken_file_of_ones_own_is_to_be_mended(quaestor: Run, home: Path, content: str | bytes) -> None:
    write(home, {"config.toml": content})
    done = quaestor("config", "show")
    assert done.code == 2
    assert "config.toml" in done.sentence


def test_chunk_sizes_that_cannot_be(quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_CHUNK_TARGET", "5000")
    done = quaestor("index", repository)
    assert done.code == 2
    assert "target <= limit" in done.sentence


def test_prompts_show_every_word(quaestor: Run) -> None:
    done = quaestor("prompts", "show")
    assert done.code == 0
    for name in names():
        assert load(name).template in done.out
    found = quaestor("prompts", "show", "--json").json
    assert set(found) == set(names())
    for prompt in found.values():
        assert prompt["sha256"] == hashlib.sha256(prompt["template"].encode()).hexdigest()


def test_prompts_show_one(quaestor: Run) -> None:
    assert list(quaestor("prompts", "show", "--json", "chat").json) == ["chat"]
    missing = quaestor("prompts", "show", "nothing")
    assert missing.code == 2
    assert "there is no prompt 'nothing'" in missing.sentence


@pytest.mark.usefixtures("port")
def test_doctor(quaestor: Run, repository: Path) -> None:
    done = quaestor("doctor", repository)
    assert done.code == 0
    assert all(line.startswith("ok ") for line in done.out.splitlines())
    found = quaestor("doctor", "--json", repository).json
    assert found["ok"] is True
    assert {check["name"] for check in found["checks"]} == {
        "program",
        "tuning",
        "data",
        "grammars",
        "embedder",
        "extra",
        "tokens",
        "indexing",
        "store",
        "sessions",
        "accounts",
        "model",
        "secrets",
        "port",
        "index",
        "edits",
    }


def test_doctor_says_what_is_wrong(
    quaestor: Run, repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home.parent, {"file": "not a folder"})
    monkeypatch.setenv("QUAESTOR_HOME", str(home.parent / "file"))
    done = quaestor("doctor", repository)
    assert done.code == 4
    assert "FAIL data" in done.out
    assert "Traceback" not in done.out + done.err


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion(quaestor: Run, name: str) -> None:
    done = quaestor("completion", name)
    assert done.code == 0
    assert "_QUAESTOR_COMPLETE" in done.out


def test_completion_completes() -> None:
    done = shell(_QUAESTOR_COMPLETE="bash_complete", COMP_WORDS="quaestor sea", COMP_CWORD="1")
    assert done.out.splitlines() == ["plain,search"]


def test_help_lists_every_command(quaestor: Run) -> None:
    for arguments in (["--help"], ["-h"]):
        done = quaestor(*arguments)
        assert (done.code, done.err) == (0, "")
        listed = done.out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
        assert [line.split()[0] for line in listed] == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command(quaestor: Run, name: str) -> None:
    done = quaestor(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: quaestor {name}")
    # Summaries of subcommands are whole sentences.
    assert not re.search(r"\w\.\.\.$", done.out, re.MULTILINE)


@pytest.mark.parametrize(
    "line", ["ask how are loaves baked", "ask how loaves", "edit bake it longer", "history who baked it"]
)
def test_words_without_quotes_are_told_to_be_one_thing(quaestor: Run, line: str) -> None:
    command, *words = line.split()
    done = quaestor(command, *words, "--json")
    assert (done.code, done.out) == (2, "")
    assert f"If {' '.join(words)!r} belongs together, put it in quotes." in done.err
    assert "quotes" not in quaestor(command, "bread", "/not/there").err


def test_help_loads_nothing_heavy() -> None:
    done = shell("--help", PYTHONVERBOSE="1")
    loaded = {line.split("'")[1] for line in done.err.splitlines() if line.startswith("import '")}
    assert "quaestor.cli" in loaded
    assert not {"numpy", "openai", "tiktoken", "tree_sitter", "sqlite3"} & loaded


def test_version(quaestor: Run) -> None:
    assert quaestor("--version").out == f"quaestor {__version__}\n"


@pytest.mark.parametrize("arguments", [["bogus"], ["search"], ["search", "--bogus", "x"], ["config", "bogus"], []])
def test_wrong_usage(quaestor: Run, arguments: list[str]) -> None:
    done = quaestor(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "command", [["index"], ["search", "x"], ["ask", "x"], ["stats"], ["doctor"], ["config", "show"]]
)
def test_json_is_one_object(quaestor: Run, repository: Path, command: list[str]) -> None:
    assert isinstance(json.loads(quaestor(*command, "--json", repository).out), dict)
