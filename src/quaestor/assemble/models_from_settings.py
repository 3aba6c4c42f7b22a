"""From settings to the language model, the ledger of its requests, users and sessions.

Users, ledger and sessions are in the data folder, or on the PostgreSQL server that the store names.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from quaestor.accounts import FILE, Purpose
from quaestor.core.config import Settings, data_home
from quaestor.core.errors import UsageError
from quaestor.llm.endpoints import OPENAI_URL

if TYPE_CHECKING:
    from quaestor.accounts.ledger import Ledger
    from quaestor.accounts.metered_model import MeteredModel
    from quaestor.accounts.money import Price
    from quaestor.accounts.users import Users
    from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
    from quaestor.state.postgres import StateTables
    from quaestor.state.rows import Database
    from quaestor.stores.postgres.connection import Database as Server


def make_model(
    settings: Settings, purpose: Purpose | None = None, *, ledger: Ledger | None = None
) -> MeteredModel | None:
    """Return the language model that the settings name; None if they name none, so that answers are quotes.

    Args:
        settings: name the model, its endpoint, its price and the spending limits.
        purpose: the user and the purpose of the requests, for the ledger.
        ledger: the ledger that records them; None uses the one that the settings name.

    Raises:
        UsageError: a setting of the endpoint or the file of prices is invalid.
    """
    endpoint = make_endpoint(settings)
    if endpoint is None:
        return None
    from quaestor.accounts.limits import Limits  # noqa: PLC0415 - only with a model
    from quaestor.accounts.metered_model import MeteredModel  # noqa: PLC0415
    from quaestor.accounts.prices import load_prices  # noqa: PLC0415

    return MeteredModel(
        endpoint,
        ledger or make_ledger(settings),
        load_prices(settings),
        Limits.of(settings),
        purpose or Purpose(),
        window=settings.window,
    )


def make_endpoint(settings: Settings) -> OpenAICompatibleModel | None:
    """Return the language model that the settings name, without a ledger, to inspect it; None if they name none.

    Raises:
        UsageError: a setting of the endpoint is wrong.
    """
    check_endpoint(settings)
    if not settings.model:
        return None
    return _completion_model(settings) if settings.protocol == "completion" else _chat_model(settings)


def check_endpoint(settings: Settings) -> None:
    """Refuse settings that name a model without an endpoint, or an endpoint without a model.

    A command calls this before it begins its work: a name alone must not send anything.

    Raises:
        UsageError: a setting of the endpoint is wrong.
    """
    if not settings.model and not settings.base_url:
        return
    if not settings.model:
        raise UsageError(
            f"An endpoint is set ({settings.base_url!r}) but no model. Give --model NAME, or --base-url '' for quotes."
        )
    if not settings.base_url and not settings.api_key:
        raise UsageError(
            f"The model {settings.model!r} is named but no endpoint, so nothing was sent. Give --base-url URL (or set "
            "OPENAI_BASE_URL), or set OPENAI_API_KEY to ask OpenAI itself."
        )
    if settings.protocol not in ("chat", "completion"):
        raise UsageError(f"There is no protocol {settings.protocol!r}. Use 'chat' or 'completion'.")


def _chat_model(settings: Settings) -> OpenAICompatibleModel:
    from quaestor.llm.models.capabilities import capabilities_at, overridden  # noqa: PLC0415 - only with a model
    from quaestor.llm.models.openai_compatible import OpenAICompatibleModel  # noqa: PLC0415
    from quaestor.llm.tokens import counter_for  # noqa: PLC0415 - only with a model

    return OpenAICompatibleModel(
        settings.model,
        base_url=settings.base_url,
        api_key=settings.api_key,
        timeout=settings.timeout,
        counter=counter_for(settings.tokenizer) if settings.tokenizer else None,
        capabilities=overridden(
            capabilities_at(settings.base_url or OPENAI_URL), tools=settings.tools, prefill=settings.prefill
        ),
    )


def _completion_model(settings: Settings) -> OpenAICompatibleModel:
    # Only with such a model.
    from quaestor.llm.models.plain_completion import ChatMLCounter, CompletionModel, encoding_for  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    known = settings.tokenizer or settings.model
    return CompletionModel(
        settings.model,
        encoding=encoding_for(known),
        base_url=settings.base_url,
        api_key=settings.api_key,
        timeout=settings.timeout,
        counter=ChatMLCounter(tokenizer_for(known)),
    )


def price_of(settings: Settings) -> Price | None:
    """Return the price of the configured model, or None if no model or no price is set."""
    if not settings.model:
        return None
    from quaestor.accounts.prices import load_prices  # noqa: PLC0415 - only with a model

    return load_prices(settings).of(settings.model)


def make_ledger(settings: Settings) -> Ledger:
    """Return the record of requests to models that the settings name: see ``make_accounts``."""
    from quaestor.accounts.ledger import Ledger  # noqa: PLC0415 - only with a model

    return Ledger(make_accounts(settings))


def make_users(settings: Settings) -> Users:
    """Return the users that the settings name: see ``make_accounts``."""
    from quaestor.accounts.users import Users  # noqa: PLC0415 - only for accounts

    return Users(make_accounts(settings))


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
