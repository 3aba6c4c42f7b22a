"""From settings to users, ledger and sessions: in the data folder, or on the PostgreSQL server that the store names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from quaestor.accounts import FILE
from quaestor.core.config import Settings, data_home

if TYPE_CHECKING:
    from quaestor.state.postgres import StateTables
    from quaestor.state.rows import Database
    from quaestor.stores.postgres.connection import Database as Server


def shared_server(settings: Settings) -> Server | None:
    """Return the server with the state, its tables migrated; None if the state is in the data folder.

    Raises:
        UsageError: its address is wrong, or the extra is missing.
        IndexUnusableError: it cannot be reached or used.
    """
    from quaestor.assemble.stores_by_name import is_shared, open_database  # noqa: PLC0415 - only for these

    return _with_tables(open_database(settings.store)) if is_shared(settings) else None


def shared_tables(settings: Settings) -> StateTables | None:
    """Return the tables of users, ledger, rates, claims and uploads on that server; None without a server.

    Raises:
        QuaestorError: as ``shared_server``.
    """
    server = shared_server(settings)
    if server is None:
        return None
    from quaestor.accounts.database import AccountsUnusableError  # noqa: PLC0415 - only with the extra
    from quaestor.state.postgres import StateTables  # noqa: PLC0415

    return StateTables(server, AccountsUnusableError)


def make_accounts(settings: Settings) -> Database:
    """Return the database of users and ledger: a file in the data folder, or the server.

    Raises:
        QuaestorError: as ``shared_server``.
    """
    from quaestor.accounts.database import AccountsFile  # noqa: PLC0415 - only for accounts

    return shared_tables(settings) or AccountsFile(data_home(settings) / FILE)


@cache
def _with_tables(server: Server) -> Server:
    from quaestor.stores.postgres.migrations import migrate  # noqa: PLC0415 - only with the extra

    migrate(server)
    return server
