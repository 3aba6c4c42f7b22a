"""Entries in the settings of real clients' forms, put there and taken back."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.install import CLIENTS, Client, Place, install, uninstall

COMMAND, ARGUMENTS = "/opt/bin/quaestor", ("mcp", "/srv/my repo")
EVERY = pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
PLATFORMS = pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])


def read(client: Client, path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    settings: dict[str, Any] = tomllib.loads(text) if client.form == "toml" else json.loads(text)
    return settings


@EVERY
@PLATFORMS
def test_a_client_without_settings(client: Client, platform: str, tmp_path: Path) -> None:
    place = Place(tmp_path, platform)
    change = install(client, place, COMMAND, ARGUMENTS)
    assert change.before is None
    assert change.backup is None
    entry = read(client, change.path)[client.path[0]]["quaestor"]
    words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert words == [COMMAND, *ARGUMENTS]
    assert not install(client, place, COMMAND, ARGUMENTS).changes_text, "once is enough"
    assert uninstall(client, place).after is None
    assert not change.path.exists(), "what was made for our entry goes with it"


@EVERY
def test_what_is_there_stays(client: Client, tmp_path: Path) -> None:
    place = Place(tmp_path, "linux")
    path = client.file(place)
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    before = (
        'keep = "me" # a remark\n\n[mcp_servers.other]\ncommand = "x"\n'
        if client.form == "toml"
        else f'{{\n  // a remark\n  "keep": "me",\n  "{client.path[0]}": {{"other": {{"command": "x"}}}}\n}}\n'
    )
    path.write_text(before, encoding="utf-8")
    path.chmod(0o600)
    change = install(client, place, COMMAND, ARGUMENTS)
    assert change.backup is not None
    assert change.backup.read_text(encoding="utf-8") == before
    assert "a remark" in path.read_text(encoding="utf-8")
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600
    uninstall(client, place)
    assert path.read_text(encoding="utf-8") == before


JSON_TEXTS = (
    *("", "{}", "{}\n", "// x\n{}", '{"a":1}', '{"KEY":{}}', "\ufeff{}\n"),
    *('{\n\t"a": 1\n}\n', '{\r\n  "a": 1\r\n}\r\n'),
)
TOML_TEXTS = ("", 'a = "b"', 'a = "b"\n\n\n', "a = 1\r\n[b]\r\nc = 2\r\n", '[KEY.other]\ncommand = "x"\n\n# end')


@EVERY
def test_a_file_is_given_back_to_the_byte(client: Client, tmp_path: Path) -> None:
    place = Place(tmp_path, "linux")
    path = client.file(place)
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    for text in TOML_TEXTS if client.form == "toml" else JSON_TEXTS:
        before = text.replace("KEY", client.path[0]).encode()
        path.write_bytes(before)
        install(client, place, COMMAND, ARGUMENTS)
        assert path.read_bytes() != before
        install(client, place, "/elsewhere/quaestor", ("mcp",))
        install(client, place, COMMAND, ARGUMENTS)
        assert uninstall(client, place, write=False).after is not None
        uninstall(client, place)
        assert b"quaestor" not in path.read_bytes()
        path.write_bytes(before)
        install(client, place, COMMAND, ARGUMENTS)
        uninstall(client, place)
        assert path.read_bytes() == before
        assert [one.name for one in path.parent.iterdir()] == [path.name], "no backup of what is as it was"


def test_what_was_changed_since_stays_when_the_entry_goes(tmp_path: Path) -> None:
    place, path = Place(tmp_path, "linux"), tmp_path / ".cursor/mcp.json"
    path.parent.mkdir()
    path.write_text('{\n  "a": 1\n}\n', encoding="utf-8")
    install(CLIENTS["cursor"], place, COMMAND, ARGUMENTS)
    path.write_text(path.read_text(encoding="utf-8").replace('"a": 1', '"a": 2'), encoding="utf-8")
    change = uninstall(CLIENTS["cursor"], place)
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": 2, "mcpServers": {}}
    assert change.backup is not None
    assert "quaestor" in change.backup.read_text(encoding="utf-8")


def test_programs_that_keep_their_settings_elsewhere(tmp_path: Path) -> None:
    variables = {"CLAUDE_CONFIG_DIR": "/x/claude", "CODEX_HOME": "/x/codex", "XDG_CONFIG_HOME": "/x/config"}
    place = Place(tmp_path, "linux", variables=variables)
    found = {name: str(client.file(place)) for name, client in CLIENTS.items()}
    assert found["claude-code"] == "/x/claude/.claude.json"
    assert found["codex"] == "/x/codex/config.toml"
    assert found["opencode"] == "/x/config/opencode/opencode.json"
    assert found["zed"] == "/x/config/zed/settings.json"
    assert found["vscode"] == "/x/config/Code/User/mcp.json"
    relative = Place(tmp_path, "darwin", variables={**variables, "CODEX_HOME": "codex"})
    assert CLIENTS["codex"].file(relative) == tmp_path / ".codex/config.toml"
    assert str(CLIENTS["zed"].file(relative)) == "/x/config/zed/settings.json"
    assert "Library" in str(CLIENTS["vscode"].file(relative))


def test_a_file_by_its_other_name(tmp_path: Path) -> None:
    other = tmp_path / ".config/opencode/opencode.jsonc"
    other.parent.mkdir(parents=True)
    other.write_text("{} // mine\n", encoding="utf-8")
    place = Place(tmp_path, "linux")
    assert install(CLIENTS["opencode"], place, COMMAND, ARGUMENTS).path == other
    uninstall(CLIENTS["opencode"], place)
    assert other.read_text(encoding="utf-8") == "{} // mine\n"


@EVERY
def test_a_dry_run_writes_nothing(client: Client, tmp_path: Path) -> None:
    change = install(client, Place(tmp_path, "linux"), COMMAND, ARGUMENTS, write=False)
    assert "+" in change.diff()
    assert COMMAND in change.diff()
    assert list(tmp_path.iterdir()) == []


@EVERY
def test_one_project(client: Client, tmp_path: Path) -> None:
    place = Place(tmp_path / "home", "linux", project=tmp_path / "repo")
    if client.project_file is None:
        with pytest.raises(UsageError, match="--project"):
            install(client, place, COMMAND, ARGUMENTS)
        return
    assert install(client, place, COMMAND, ARGUMENTS).path == tmp_path / "repo" / client.project_file


@pytest.mark.parametrize("text", ['{"mcpServers": ["not", "an", "object"]}', "{broken", "\x00", "[1]"])
def test_settings_that_cannot_be_edited_are_left_as_they_are(text: str, tmp_path: Path) -> None:
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r'mcp\.json.*by hand: \{"mcpServers": .*/opt/bin/quaestor'):
        install(CLIENTS["cursor"], Place(tmp_path, "linux"), COMMAND, ARGUMENTS)
    assert path.read_text(encoding="utf-8") == text
    assert list(path.parent.iterdir()) == [path]


def test_an_inline_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    text = 'mcp_servers = { quaestor = { command = "old" } }\n'
    path.write_text(text, encoding="utf-8")
    by_hand = r'mcp_servers\.quaestor = \{ command = "/opt/bin/quaestor", args = \["mcp", "/srv/my repo"\] \}'
    with pytest.raises(UsageError, match=f"was not changed.*{by_hand}"):
        install(CLIENTS["codex"], Place(tmp_path, "linux"), COMMAND, ARGUMENTS)
    assert path.read_text(encoding="utf-8") == text


def test_nothing_to_take_back(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nothing to remove"):
        uninstall(CLIENTS["zed"], Place(tmp_path, "linux"))


@pytest.mark.skipif(sys.platform == "win32", reason="links as on Unix")
def test_settings_that_are_linked_stay_linked(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}", encoding="utf-8")
    (tmp_path / ".cursor" / "mcp.json").symlink_to(kept)
    install(CLIENTS["cursor"], Place(tmp_path, "linux"), COMMAND, ARGUMENTS)
    assert (tmp_path / ".cursor" / "mcp.json").is_symlink()
    assert "quaestor" in json.loads(kept.read_text(encoding="utf-8"))["mcpServers"]
