"""The address of a database: what it says, and how it is shown without its password."""

from __future__ import annotations

import re

from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple

_SCHEMES = ("postgresql://", "postgres://")
_PASSWORD = re.compile(r"(?<=://)([^:/?#@]*):([^/?#]*)@")
_PASSWORD_PARAMETER = re.compile(r"(?<=[?&])((?:ssl)?password)=[^&]*")


class Address(NamedTuple):
    """Where a database is.

    Attributes:
        uri: as libpq reads it, with several hosts if some of them are standbys; never shown.
        standbys: whether several hosts are named, so that what is only read may be asked of a standby.
    """

    uri: str
    standbys: bool

    @classmethod
    def read(cls, uri: str) -> Address:
        """Read ``postgresql://USER@HOST:PORT/DATABASE``; several hosts stand with commas between them.

        Raises:
            UsageError: it is no such address.
        """
        import psycopg  # noqa: PLC0415 - whoever has no server needs no driver

        if not is_address(uri):
            raise UsageError(
                f"{masked(uri)!r} is not an address of a store. Use 'postgresql://USER@HOST:PORT/DATABASE'."
            )
        try:
            found = psycopg.conninfo.conninfo_to_dict(uri)
        except psycopg.Error as error:
            raise UsageError(
                f"{masked(uri)!r} is not an address of a store ({masked(str(error)).strip()}). Use "
                "'postgresql://USER@HOST:PORT/DATABASE', with %40 for an '@' in a password and the like."
            ) from None
        hosts = str(found.get("host") or found.get("hostaddr") or "")
        return cls(uri, "," in hosts)

    def __str__(self) -> str:
        return masked(self.uri)

    def __repr__(self) -> str:
        return f"Address({masked(self.uri)!r})"


def is_address(text: str) -> bool:
    """Return whether a text is meant to be the address of a PostgreSQL database."""
    return text.startswith(_SCHEMES)


def masked(text: str) -> str:
    """Return a text with the passwords of addresses in it left out."""
    return _PASSWORD_PARAMETER.sub(r"\1=***", _PASSWORD.sub(r"\1:***@", text))
