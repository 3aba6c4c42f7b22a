"""`quaestor users`: the token is shown once, and then nowhere."""

from __future__ import annotations

from pathlib import Path

from cli_parts import Run

from quaestor.accounts.users import Users


def test_a_token_is_printed_alone_and_once(quaestor: Run, home: Path) -> None:
    done = quaestor("users", "add", "anna")
    assert done.code == 0
    token = done.out.strip()
    assert "not shown again" in done.err
    assert token not in done.err
    users = Users.open(home / "accounts.sqlite")
    anna = users.by_token(token)
    assert anna is not None
    for shown in (quaestor("users", "list"), quaestor("users", "list", "--json"), quaestor("config", "show")):
        assert shown.code == 0
        assert token not in shown.out + shown.err
    assert quaestor("users", "revoke", "anna").code == 0
    assert users.by_token(token) is None
    renewed = quaestor("users", "renew", "anna", "--json").json
    assert users.by_token(renewed["token"]) == anna
    assert renewed["user"]["id"] == anna.id


def test_the_list(quaestor: Run) -> None:
    empty = quaestor("users", "list")
    assert (empty.code, empty.out) == (0, "")
    assert "There are no users" in empty.err
    assert quaestor("users", "list", "--json").json == {"users": []}
    quaestor("users", "add", "anna")
    quaestor("users", "add", "ben")
    quaestor("users", "revoke", "ben")
    header, first, second = quaestor("users", "list").out.splitlines()
    assert header.split() == ["user", "added", "revoked"]
    assert len(first.split()) == 2
    assert len(second.split()) == 3
    assert [user["name"] for user in quaestor("users", "list", "--json").json["users"]] == ["anna", "ben"]


def test_errors(quaestor: Run) -> None:
    quaestor("users", "add", "anna")
    assert "'anna'" in quaestor("users", "add", "anna").sentence
    assert "is not a name" in quaestor("users", "add", "a b").sentence
    assert "no user 'eve'" in quaestor("users", "revoke", "eve").sentence
    assert quaestor("users", "revoke", "eve").code == 2


def test_an_unusable_file(quaestor: Run, home: Path) -> None:
    home.mkdir()
    (home / "accounts.sqlite").write_bytes(b"rubbish " * 200)
    done = quaestor("users", "list")
    assert done.code == 4
    assert "damaged" in done.sentence
