"""``--store`` of the commands about users, sessions and usage: the same as the variable, for one command."""

from __future__ import annotations

import pytest
from cli_parts import Run

pytest.importorskip("psycopg")


def test_users_are_added_to_the_store_that_is_named(quaestor: Run, state_uri: str) -> None:
    assert quaestor("users", "add", "anna", "--store", state_uri).code == 0
    assert [one["name"] for one in quaestor("users", "list", "--json", "--store", state_uri).json["users"]] == ["anna"]
    assert quaestor("users", "list", "--json").json == {"users": []}


def test_usage_and_sessions_are_those_of_the_store_that_is_named(quaestor: Run, state_uri: str) -> None:
    quaestor("users", "add", "anna", "--store", state_uri)
    assert quaestor("usage", "--user", "anna", "--json", "--store", state_uri).code == 0
    assert quaestor("usage", "--user", "anna", "--json").code == 2
    assert quaestor("sessions", "list", "--json", "--store", state_uri).json == {"sessions": []}
    refused = quaestor("sessions", "list", "--store", "nothing://here")
    assert (refused.code, "There is no store 'nothing'" in refused.err) == (2, True)
