"""Users, each identified by a token of which only a hash is stored.

A token has 256 random bits, so one round of SHA-256 is enough: unlike a password, it cannot be guessed. It is looked up
in the file each time, which takes some tens of microseconds, so that a revoked user is locked out at once, in running
servers too.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from quaestor.accounts.database import AccountsFile
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.state.rows import Database

PREFIX = "quaestor_"
"""The prefix of each token, by which scanners for leaked secrets recognise it."""

_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


@dataclass(frozen=True, slots=True)
class User:
    """A user.

    Attributes:
        id: identifies the user in rows and sessions; never reused for another user.
        name: the user's name, unique regardless of case.
        created: when the user was added, in ISO 8601 and UTC.
        revoked: since when the token is refused; None while it is valid.
    """

    id: str
    name: str
    created: str = ""
    revoked: str | None = None


LOCAL = User("", "local")
"""The user of a machine without registered users: anyone who can run commands on it."""


class Users:
    """The users in one file, or of all servers that share a PostgreSQL database.

    Args:
        database: the database that holds them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path) -> Users:
        """Return the users in a file, which the first user creates."""
        return cls(AccountsFile(path))

    def add(self, name: str) -> tuple[User, str]:
        """Add a user, and return the user with the token, which cannot be read again later.

        Raises:
            UsageError: the name is invalid, or there is or was a user of that name.
            AccountsUnusableError: the database cannot be written.
        """
        _check_name(name)
        user = User(secrets.token_hex(8), name, _now())
        token = _new_token()
        with self._database.writing() as connection:
            added = connection.execute(
                "insert into users (id, name, token, created) values (?, ?, ?, ?) on conflict do nothing returning id",
                (user.id, user.name, hash_token(token), user.created),
            ).fetchone()
        if added is None:
            raise UsageError(
                f"There is or was a user {name!r}. Choose another name, or give that one a new token:"
                f" `quaestor users renew {name}`."
            )
        return user, token

    def renew(self, name: str) -> tuple[User, str]:
        """Give a user, revoked or not, a new token and return both; the old token is refused from now on.

        Raises:
            NotFoundError: there is no such user.
            AccountsUnusableError: the database cannot be written.
        """
        token = _new_token()
        return self._change(name, "token = ?, revoked = null", hash_token(token)), token

    def revoke(self, name: str) -> User:
        """Refuse a user's token from now on; the user's sessions and documents stay.

        Raises:
            NotFoundError: there is no such user.
            AccountsUnusableError: the database cannot be written.
        """
        return self._change(name, "revoked = coalesce(revoked, ?)", _now())

    def list(self) -> list[User]:
        """Return all users, including revoked ones, in the order in which they were added."""
        with self._database.reading() as connection:
            if connection is None:
                return []
            return [User(*row) for row in connection.execute(f"select {_COLUMNS} from users order by created, name")]

    def close(self) -> None:
        """Close the connections to the database; the next use opens them again."""
        self._database.close()

    def has_users(self) -> bool:
        """Whether any user exists or existed; if so, everybody needs a token, even if all are revoked."""
        with self._database.reading() as connection:
            return connection is not None and connection.execute("select 1 from users limit 1").fetchone() is not None

    def by_name(self, name: str) -> User:
        """Return a user by name, regardless of case; ``local`` is the user of a machine without users.

        Raises:
            NotFoundError: there is no such user.
        """
        known = next((user for user in (LOCAL, *self.list()) if user.name.lower() == name.lower()), None)
        if known is None:
            raise _unknown_user_error(name)
        return known

    def by_token(self, token: str) -> User | None:
        """Return the user of a token; None if it is unknown or revoked.

        The look-up is by hash, so its timing reveals nothing about any token.
        """
        token_hash = hash_token(token)
        with self._database.reading() as connection:
            if connection is None:
                return None
            row = connection.execute(f"select {_COLUMNS}, token from users where token = ?", (token_hash,)).fetchone()
        if row is None or not hmac.compare_digest(row[-1], token_hash):
            return None
        user = User(*row[:-1])
        return None if user.revoked else user

    def _change(self, name: str, change: str, value: bytes | str) -> User:
        with self._database.writing() as connection:
            row = connection.execute(
                f"update users set {change} where lower(name) = lower(?) returning {_COLUMNS}", (value, name)
            ).fetchone()
        if row is None:
            raise _unknown_user_error(name)
        return User(*row)


_COLUMNS = "id, name, created, revoked"


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a name for a user; use letters, digits, '.', '_', '@', '+' and '-', 64 at most,"
            " with a letter or digit first."
        )
    if name.lower() == LOCAL.name:
        raise UsageError(f"{name!r} is reserved for the user of a machine without users. Choose another name.")


def _unknown_user_error(name: str) -> NotFoundError:
    return NotFoundError(f"There is no user {name!r}. `quaestor users list` shows them all.")


def _new_token() -> str:
    return PREFIX + secrets.token_urlsafe(_BYTES)


def hash_token(token: str) -> bytes:
    """Return the hash under which a token is stored."""
    # A header may hold anything, even lone surrogates.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
