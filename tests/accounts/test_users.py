"""Users and their tokens, in one process and in several."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.accounts.database import AccountsUnusableError
from quaestor.accounts.users import LOCAL, PREFIX, Users
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.state.rows import Database

Opened = Callable[[], Database]

ADD = "import sys; from pathlib import Path; from quaestor.accounts.users import Users; "
ADD += "Users.open(Path(sys.argv[1])).add(sys.argv[2])"


def test_a_token_is_its_users_and_is_not_kept(file: Path) -> None:
    users = Users.open(file)
    anna, token = users.add("anna")
    ben, other = users.add("ben@example.org")
    assert token.startswith(PREFIX)
    assert len(token) > len(PREFIX) + 40
    assert users.by_token(token) == anna
    assert users.by_token(other) == ben
    assert users.list() == [anna, ben]
    held = b"".join(place.read_bytes() for place in file.parent.iterdir())
    assert token.encode() not in held
    assert token.removeprefix(PREFIX).encode() not in held


def test_nobody_else_may_read_the_file(file: Path) -> None:
    Users.open(file).add("anna")
    assert {stat.S_IMODE(place.stat().st_mode) for place in file.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_nobody_else_may_enter_the_folders_that_were_missing_above_the_file(tmp_path: Path) -> None:
    Users.open(tmp_path / "home" / "accounts" / "accounts.sqlite3").add("anna")
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_reading_makes_no_file(file: Path) -> None:
    users = Users.open(file)
    assert (users.list(), users.by_token("x"), users.has_users()) == ([], None, False)
    assert not file.parent.exists()


def test_what_another_process_does_holds_at_once(opened: Opened) -> None:
    here = Users(opened())
    assert not here.has_users()
    there = Users(opened())
    anna, token = there.add("anna")
    assert here.by_token(token) == anna
    there.revoke("ANNA")
    assert here.by_token(token) is None
    assert here.has_users(), "with all users revoked, nobody is let in without a token"
    _, new = there.renew("anna")
    assert here.by_token(token) is None
    assert here.by_token(new) == anna


def test_revoking_twice_keeps_the_first_time(opened: Opened) -> None:
    users = Users(opened())
    users.add("anna")
    assert users.revoke("anna").revoked == users.revoke("anna").revoked is not None


@pytest.mark.parametrize("name", ["anna", "ANNA"])
def test_a_name_is_given_once(opened: Opened, name: str) -> None:
    users = Users(opened())
    users.add("anna")
    with pytest.raises(UsageError, match="renew"):
        users.add(name)
    users.revoke("anna")
    with pytest.raises(UsageError, match="is or was a user"):
        users.add(name)


@pytest.mark.parametrize(
    "name", ["", " ", "-rf", "a b", "a\nb", "anna\n", "x" * 65, "änna", "a/b", "<b>", "local", "Local", "\ud800", "a\0"]
)
def test_what_is_no_name_is_refused(file: Path, name: str) -> None:
    with pytest.raises(UsageError, match="user"):
        Users.open(file).add(name)
    assert not file.exists()


def test_a_refused_name_is_told_what_names_are(file: Path) -> None:
    with pytest.raises(UsageError) as refused:
        Users.open(file).add("a b")
    assert str(refused.value) == (
        "'a b' is not a name for a user; use letters, digits, '.', '_', '@', '+' and '-', 64 at most, with a letter"
        " or digit first."
    )


def test_unknown_names(opened: Opened) -> None:
    users = Users(opened())
    for change in (users.revoke, users.renew, users.by_name):
        with pytest.raises(NotFoundError, match="'eve'"):
            change("eve")
    assert users.by_name("LOCAL") == LOCAL


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Users, str]:
    users = Users.open(tmp_path_factory.mktemp("users") / "accounts.sqlite")
    return users, users.add("anna")[1]


@given(guess=st.text(min_size=1))
def test_no_other_text_is_a_token(shared: tuple[Users, str], guess: str) -> None:
    users, token = shared
    assert users.by_token(guess) is None
    assert users.by_token(token + guess) is None


@given(place=st.integers(0, 51), letter=st.characters(codec="ascii"))
def test_a_letter_more_or_less_is_nobodys(shared: tuple[Users, str], place: int, letter: str) -> None:
    users, token = shared
    for guess in (token[:place] + token[place + 1 :], token[:place] + letter + token[place:], token.upper()):
        assert users.by_token(guess) is None


def test_processes_that_begin_at_once(file: Path) -> None:
    """The file is made once, and of one name only one is added."""
    names = [f"user{number % 4}" for number in range(12)]
    started = [
        subprocess.Popen([sys.executable, "-c", ADD, str(file), name], stderr=subprocess.PIPE, text=True)
        for name in names
    ]
    ends = [(process.communicate()[1], process.returncode) for process in started]
    assert sum(code == 0 for _, code in ends) == 4
    assert all("is or was a user" in said for said, code in ends if code), ends
    assert sorted(user.name for user in Users.open(file).list()) == sorted(set(names))


def test_files_that_are_none_of_ours(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"not a database, and longer than the header of one " * 40)
    with pytest.raises(AccountsUnusableError, match="damaged"):
        Users.open(file).list()
    file.unlink()
    with sqlite3.connect(file) as other:
        other.execute("create table theirs (x)")
    other.close()
    with pytest.raises(AccountsUnusableError, match="not a file of Quaestor"):
        Users.open(file).add("anna")


def test_a_newer_file_is_refused(file: Path) -> None:
    Users.open(file).add("anna")
    with sqlite3.connect(file) as newer:
        newer.execute("pragma user_version = 99")
    newer.close()
    with pytest.raises(AccountsUnusableError, match="newer version"):
        Users.open(file).list()


def test_a_folder_that_cannot_be_written(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    with pytest.raises(AccountsUnusableError, match="cannot be used"):
        Users.open(file).add("anna")


def test_a_writer_that_does_not_end_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.accounts.database._BUSY_SECONDS", 0.01)
    users = Users.open(file)
    users.add("anna")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(AccountsUnusableError, match="busy in another process"):
        Users.open(file).add("ben")
    assert [user.name for user in users.list()] == ["anna"], "readers never wait"
    other.close()
