"""Turns failures of PostgreSQL and of the connection into Quaestor's errors, and reads addresses of databases.

Errors show an address without its password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quaestor.core.errors import (
    IndexBusyError,
    IndexReadOnlyError,
    IndexUnusableError,
    LimitError,
    QuaestorError,
    UsageError,
)
from quaestor.core.light_imports import NamedTuple

if TYPE_CHECKING:
    import psycopg


# By the first characters of an SQLSTATE, the longest first: the error, and its message with the store and the reason.
_MEANINGS: tuple[tuple[tuple[str, ...], type[QuaestorError], str], ...] = (
    (
        ("53100", "53400"),
        LimitError,
        "There is no room on the disk of the store {0} ({1}); it is as it was before: free some space and run again.",
    ),
    (("53",), IndexBusyError, "The server of the store {0} has no room for more work ({1}): try again later."),
    (
        ("25006",),
        IndexReadOnlyError,
        "The store {0} is a standby or only to be read: name the primary, alone or beside it "
        "('postgresql://USER@PRIMARY,STANDBY/DATABASE').",
    ),
    (("42501",), IndexUnusableError, "The user of the store {0} may not do this ({1}): ask the database's owner."),
    (("57014", "55P03", "40"), IndexBusyError, "The server of the store {0} was busy for too long ({1}): try again."),
    (
        ("42704", "42883"),
        IndexUnusableError,
        "The store {0} does not find pgvector's types ({1}): add the schema that the extension lies in to the user's "
        "search_path (`ALTER ROLE ... SET search_path = public, SCHEMA`).",
    ),
    (("XX001", "XX002"), IndexUnusableError, "The data of the store {0} is damaged ({1}): restore it from a backup."),
    (("08", "28", "3D", "57"), IndexUnusableError, "The store {0} cannot be reached ({1}): {2}."),
    (("",), IndexUnusableError, "The store {0} cannot be used ({1}): run `quaestor store check`."),
)
UNDONE = {"40001", "40P01"}
"""Conflicts and deadlocks, which roll back the whole transaction."""

# A server shuts down, starts, or (57P05) closes a connection that was idle for too long.
_COMING_OR_GOING = {"57P01", "57P02", "57P03", "57P05"}

# Refused connections come without an SQLSTATE, so the message is searched for English words; other messages are shown
# as they are.
_NEXT_STEPS = (
    ("password authentication failed", "check the user and the password"),
    ("no password supplied", "put the password into the address, PGPASSWORD or a password file"),
    ("no pg_hba.conf entry", "the server must let this user in from this machine (pg_hba.conf)"),
    ("no space left on device", "free some space on the server's disk and run again"),
    ("does not exist", "create it, or check the names in the address"),
    ("could not translate host name", "check the host in the address"),
    ("failed to resolve host", "check the host in the address"),
    ("connection refused", "check that the server runs there, and the host and port in the address"),
    ("timeout expired", "check that the server can be reached from here"),
    ("too many clients", "let the server take more connections, or put PgBouncer in front of it"),
    ("remaining connection slots", "let the server take more connections, or put PgBouncer in front of it"),
    ("starting up", "wait until the server is up and try again"),
    ("shutting down", "wait until the server is up and try again"),
    ("session is read-only", "none of the hosts named is the primary: name it as well"),
    ("ssl", "check 'sslmode' in the address"),
)

_SCHEMES = ("postgresql://", "postgres://")
# Up to the last "@" of the address, for people write passwords into it as they are.
_PASSWORD = re.compile(r"(?<=://)([^:/?#@]*):[^@\n]*@(?:[^\s@]*@)*")
_PASSWORD_PARAMETER = re.compile(r"(?<=[?&])((?:ssl)?password)=[^&]*")


@contextmanager
def translate_failures(address: Address) -> Iterator[None]:
    """Translate failures within the block into Quaestor's errors.

    Raises:
        LimitError: the server's disk is full; nothing was written.
        IndexBusyError: a statement or the wait for a lock timed out.
        IndexReadOnlyError: the server is a standby or read-only.
        IndexUnusableError: the database cannot be reached or used.
    """
    import psycopg  # noqa: PLC0415 - whoever has no server needs no driver

    try:
        yield
    except psycopg.Error as error:
        raise explain_failure(error, address) from error


def explain_failure(error: psycopg.Error, address: Address) -> QuaestorError:
    """Return our error for a driver's error, with the next step."""
    code, text = error.sqlstate or "08", _words(error)
    kind, message = next((kind, message) for codes, kind, message in _MEANINGS if code.startswith(codes))
    explained = kind(message.format(repr(str(address)), text, _next_step(text)))
    explained.retryable = explained.retryable or is_passing(error)
    return explained


def is_passing(error: BaseException) -> bool:
    """Return whether a failure is transient: a lost connection, a server that starts or stops, or a conflict."""
    import psycopg  # noqa: PLC0415 - as above

    cause = _cause(error)
    if cause is not None and cause.sqlstate:
        code = cause.sqlstate
        return code in UNDONE or code in _COMING_OR_GOING or code.startswith("08")
    text = str(cause).lower()
    # Refused connections come without an SQLSTATE; those refused because of the user or database stay refused.
    refused = any(words in text for words in ("authentication", "does not exist", "no password", "pg_hba"))
    return isinstance(cause, psycopg.OperationalError) and not refused


def code_of(error: BaseException) -> str | None:
    """Return the SQLSTATE of an error or of its cause; None if there is none."""
    cause = _cause(error)
    return None if cause is None else cause.sqlstate


def _cause(error: BaseException) -> psycopg.Error | None:
    """Return the driver's error that an error is or was made from."""
    import psycopg  # noqa: PLC0415 - as above

    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    return cause if isinstance(cause, psycopg.Error) else None


def missing_driver() -> UsageError:
    """Return the error for a machine without the extra ``postgres``."""
    return UsageError("A store in PostgreSQL needs the extra 'postgres': run `pip install 'quaestor[postgres]'`.")


def _words(error: psycopg.Error) -> str:
    """Return an error's message on one line, without passwords."""
    text = " ".join((error.diag.message_primary or str(error)).split())
    return mask_passwords(text).rstrip(".") or type(error).__name__


def _next_step(text: str) -> str:
    lowered = text.lower()
    return next(
        (step for words, step in _NEXT_STEPS if words in lowered), "check the address and the server, and retry"
    )


class Address(NamedTuple):
    """The address of a database.

    Attributes:
        uri: the address for libpq, with several hosts if some of them are standbys; never shown.
        standbys: whether it names several hosts, so that a standby may answer reads.
    """

    uri: str
    standbys: bool

    @classmethod
    def read(cls, uri: str) -> Address:
        """Parse ``postgresql://USER@HOST:PORT/DATABASE``, perhaps with several hosts separated by commas.

        Raises:
            UsageError: the text is not such an address.
        """
        import psycopg  # noqa: PLC0415 - whoever has no server needs no driver

        if not is_address(uri):
            raise UsageError(
                f"{mask_passwords(uri)!r} is not an address of a store. Use 'postgresql://USER@HOST:PORT/DATABASE'."
            )
        try:
            parameters = psycopg.conninfo.conninfo_to_dict(uri)
        except psycopg.Error as error:
            raise _malformed(uri, str(error).strip()) from None
        hosts = str(parameters.get("host") or parameters.get("hostaddr") or "")
        ports = str(parameters.get("port") or "").split(",")
        # libpq takes these for parts of a host's name and port, and its message would show them.
        if "@" in hosts or not all(port.isdigit() for port in ports if port):
            raise _malformed(uri, "its host and port cannot be read")
        return cls(uri, "," in hosts)

    def __str__(self) -> str:
        return mask_passwords(self.uri)

    def __repr__(self) -> str:
        return f"Address({mask_passwords(self.uri)!r})"


def _malformed(uri: str, reason: str) -> UsageError:
    """Return the error for an address that cannot be parsed; what the reason quotes may be a part of a password."""
    shown = mask_passwords(uri)
    reason = re.sub(r'"([^"]*)"', lambda match: match[0] if match[1] in shown else '"***"', reason)
    return UsageError(
        f"{shown!r} is not an address of a store ({reason}). Use 'postgresql://USER@HOST:PORT/DATABASE', with %40 for "
        "an '@' in a password, %2F for a '/', %20 for a space and the like."
    )


def is_address(text: str) -> bool:
    """Return whether a text looks like the address of a PostgreSQL database."""
    return text.startswith(_SCHEMES)


def mask_passwords(text: str) -> str:
    """Return a text without the passwords of addresses in it."""
    return _PASSWORD_PARAMETER.sub(r"\1=***", _PASSWORD.sub(r"\1:***@", text))
