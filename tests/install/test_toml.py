"""TOML settings: one table changes, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.config import read_toml as loads
from quaestor.install.settings_edit import with_table, without_table

SETTINGS = """# Mine.
model = "large"

[mcp_servers.other]   # stays
command = "x"
args = ["[mcp_servers.quaestor]"]

[profiles.fast]
model = "small"
"""
PATH = ("mcp_servers", "quaestor")
TABLE = {"command": "quaestor", "args": ["mcp", 'C:\\a "b"', "ü"]}
BLOCKS = st.lists(
    st.sampled_from(
        [
            "[a]\nx = 1\n\n",
            "# [mcp_servers.quaestor]\n",
            '[mcp_servers.quaestor2]\ncommand = "y"\n',
            '[[list]]\nx = "[b]"\n',
            '["quoted.name"]\nx = 2 # [c]\n\n',
        ]
    ),
    unique=True,
).map("".join)


@given(BLOCKS, st.sampled_from(["\n", "\r\n"]))
def test_setting_and_taking_back(text: str, line_end: str) -> None:
    text = text.replace("\n", line_end)
    after = with_table(text, PATH, TABLE)
    assert loads(after) == {
        **loads(text),
        "mcp_servers": {**loads(text).get("mcp_servers", {}), "quaestor": TABLE},
    }
    assert with_table(after, PATH, TABLE) == after
    assert without_table(after, PATH).rstrip() == text.rstrip()


def test_the_rest_stays_to_the_letter() -> None:
    after = with_table(SETTINGS, PATH, TABLE)
    assert after.startswith(SETTINGS)
    assert without_table(after, PATH) == SETTINGS


def test_tables_within_it_go_with_it() -> None:
    text = SETTINGS + '\n[mcp_servers.quaestor]\ncommand = "old"\n\n[mcp_servers.quaestor.env]\nX = "1"\n\n[z]\ny = 1\n'
    assert loads(without_table(text, PATH)) == {**loads(SETTINGS), "z": {"y": 1}}


def test_what_is_no_toml() -> None:
    with pytest.raises(ValueError, match=r".+"):
        with_table("a = = 1", PATH, TABLE)
