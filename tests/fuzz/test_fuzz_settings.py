"""Settings of others and our own: JSON with comments, TOML, prices. Changed at one place or refused, never half."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fuzz.parser_properties import fuzzed
from quaestor.accounts.prices import read_prices
from quaestor.core.config import load_configuration, read_toml
from quaestor.core.errors import UsageError
from quaestor.install import settings_edit as jsonc
from quaestor.install import settings_edit as toml
from quaestor.llm.prompts.loader import parse

JSONC = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"mcpServers"',
    '"quaestor"',
    "//x\n",
    "/*",
    "*/",
    "\ufeff",
    "1",
    "null",
    '"\\"',
    "\r\n",
    "\t",
]
TOML = [
    "[mcp_servers.quaestor]\n",
    "[a]\n",
    "[[a]]\n",
    "a = 1\n",
    'b = "x"\n',
    '"""',
    "'''",
    "#",
    "[",
    "]",
    ".",
    "=",
    "\r\n",
    "{",
    "}",
    "nan",
]
SETTINGS = [
    *(
        "model = ",
        '"x"\n',
        "window = 1\n",
        "ignore = [",
        '"*"',
        "]\n",
        "[tool.quaestor]\n",
        "timeout = nan\n",
        "= [" * 9,
        "inf",
    ),
    *(
        "base_url = ",
        '"http://u:p@x"\n',
        "top_k = -1\n",
        "embedder = ",
        '"openai:x"\n',
        "\\",
        "\x00",
        "1979-05-27\n",
        "0x",
    ),
]
PRICES = [
    'currency = "EUR"\n',
    "date = 2026-01-01\n",
    '[models."a*"]\n',
    "prompt = 1\n",
    "completion = nan\n",
    "completion = 1e9999\n",
    "-",
    "[models]\n",
]
PATH = ("mcpServers", "quaestor")


@fuzzed(JSONC, ['{"mcpServers": {"x": {}, // y\n}}', '{"a": [1,],}'])
def test_a_member_is_set_and_taken_back_or_the_text_refused(text: str) -> None:
    try:
        before = jsonc.loads(text)
        after = jsonc.with_member(text, PATH, {"command": "q"})
    except ValueError:
        return
    assert jsonc.loads(after) == {
        **before,
        "mcpServers": {**before.get("mcpServers", {}), "quaestor": {"command": "q"}},
    }
    gone = jsonc.loads(jsonc.without_member(after, PATH))
    assert "quaestor" not in gone["mcpServers"]
    assert {key: value for key, value in gone.items() if key != "mcpServers"} == {
        key: value for key, value in before.items() if key != "mcpServers"
    }


@fuzzed(TOML, ['[a]\nb = """\n[mcp_servers.quaestor]\n"""\n'])
def test_a_table_is_set_and_taken_back_or_the_text_refused(text: str) -> None:
    name = ("mcp_servers", "quaestor")
    try:
        after = toml.with_table(text, name, {"command": "q"})
        read = read_toml(after)
    except ValueError:
        return
    assert read["mcp_servers"]["quaestor"]["command"] == "q"
    assert "quaestor" not in read_toml(toml.without_table(after, name)).get("mcp_servers", {})


@fuzzed(SETTINGS, ['[tool.quaestor]\nignore = ["*"]\n', "a" + ".a" * 500 + " = 1\n"], raw=True)
def test_settings_of_a_project_are_read_whatever_they_are(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "quaestor.toml").write_bytes(data)
        loaded = load_configuration(project=Path(folder), environ={"QUAESTOR_HOME": folder})
        assert not loaded.settings.base_url


@fuzzed(SETTINGS, ['[tool.quaestor]\nignore = ["*"]\n', "a" + ".a" * 500 + " = 1\n"], raw=True)
def test_settings_of_a_user_are_read_or_refused_by_one_error(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "config.toml")
        file.write_bytes(data)
        try:
            load_configuration(user_file=file, environ={"QUAESTOR_HOME": folder})
        except UsageError as error:
            assert str(file) in str(error) and "\n" not in str(error)


@fuzzed(PRICES, ["[models.a]\nprompt = 1\ncompletion = 2\n"], raw=True)
def test_a_file_of_prices_is_read_or_refused_by_one_error(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "prices.toml")
        file.write_bytes(data)
        try:
            prices = read_prices(file)
        except UsageError:
            return
        assert all(0 <= one.price.prompt < 10**9 for one in prices.listed)


@fuzzed(["{{", "}}", "{{name}}", "<!--", "-->", "{", "}", "name"])
def test_a_prompt_is_read_or_refused(text: str) -> None:
    try:
        prompt = parse("x", text)
    except UsageError:
        return
    values = dict.fromkeys(prompt.placeholders, "{{name}}")
    assert prompt.render(**values).count("{{name}}") == prompt.template.count("{{")
