"""Settings files with comments: one member changes, and nothing else does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.install.settings_edit import loads, with_member, without_member

SETTINGS = """// Mine.
{
    "theme": "dark", // not "light"
    /* servers, with a } in a comment */
    "mcpServers": {
        "other": {"command": "x", "args": ["--a,b", "//no comment"]}, // stays
    },
    "last": [1, 2, 3,],
}
"""
ENTRY = {"command": "quaestor", "args": ["mcp"]}
PATH = ("mcpServers", "quaestor")

KEYS = st.sampled_from(["a", "b", "quaestor", 'q"uote', "käse", "//"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text('ab"\\/{}[],:*\n ', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
BLANKS = st.sampled_from(["", " ", "\n", "\r\n\t", "/* { */", "// ]\n", " /**/ "])


@st.composite
def written(draw: st.DrawFn, values: st.SearchStrategy[Any] = OBJECTS) -> tuple[str, Any]:
    """A value and one of the many ways to write it."""
    value = draw(values)

    def text_of(one: Any) -> str:
        before, after = draw(BLANKS), draw(BLANKS)
        if isinstance(one, dict):
            parts = [f"{draw(BLANKS)}{json.dumps(key)}{draw(BLANKS)}:{text_of(part)}" for key, part in one.items()]
        elif isinstance(one, list):
            parts = [text_of(part) for part in one]
        else:
            return before + json.dumps(one) + after
        comma = "," if parts and draw(st.booleans()) else ""
        opening, closing = "{}" if isinstance(one, dict) else "[]"
        return f"{before}{opening}{','.join(parts)}{comma}{draw(BLANKS)}{closing}{after}"

    return text_of(value), value


@given(written())
def test_reading(pair: tuple[str, Any]) -> None:
    text, value = pair
    assert loads(text) == value


@given(written(), KEYS, VALUES)
def test_setting_and_taking_back(pair: tuple[str, Any], key: str, new: Any) -> None:
    text, value = pair
    after = with_member(text, (key,), new)
    assert loads(after) == {**value, key: new}
    gone = without_member(after, (key,))
    assert loads(gone) == {other: part for other, part in value.items() if other != key}


@given(written(st.fixed_dictionaries({}, optional={"mcpServers": OBJECTS, "a": VALUES})))
def test_a_member_of_a_member(pair: tuple[str, Any]) -> None:
    text, value = pair
    after = with_member(text, PATH, ENTRY)
    assert loads(after) == {**value, "mcpServers": {**value.get("mcpServers", {}), "quaestor": ENTRY}}
    assert loads(without_member(after, PATH))["mcpServers"] == {
        key: part for key, part in value.get("mcpServers", {}).items() if key != "quaestor"
    }


def test_the_rest_stays_to_the_letter() -> None:
    after = with_member(SETTINGS, PATH, ENTRY)
    assert without_member(after, PATH) == SETTINGS
    for line in SETTINGS.splitlines():
        assert line in after.splitlines()
    assert '\n        "quaestor": {\n            "command": "quaestor",' in after


def test_a_new_file() -> None:
    assert with_member("", PATH, ENTRY) == json.dumps({"mcpServers": {"quaestor": ENTRY}}, indent=2) + "\n"


def test_line_ends_of_windows_stay() -> None:
    text = SETTINGS.replace("\n", "\r\n")
    assert without_member(with_member(text, PATH, ENTRY), PATH) == text


@pytest.mark.parametrize("text", ["[]", "{", '{"a": }', "// nothing but words\nwords", '{"a": 1} {"b": 2}', '"text"'])
def test_what_is_no_settings_file(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        with_member(text, PATH, ENTRY)


def test_something_else_in_the_way() -> None:
    with pytest.raises(ValueError, match="'mcpServers' is not an object"):
        with_member('{"mcpServers": []}', PATH, ENTRY)
