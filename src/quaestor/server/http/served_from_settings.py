"""Makes the served state from settings. Until the model's endpoint listens, answers are made of quotes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quaestor.accounts.ledger import overview
from quaestor.accounts.limits import Limits
from quaestor.accounts.metered_model import MeteredModel
from quaestor.accounts.prices import load_prices
from quaestor.accounts.rates import Guesses, RateLimiter
from quaestor.accounts.users import User
from quaestor.assemble import make_ledger, make_model, make_sessions, make_users, shared_tables
from quaestor.core.config import Settings
from quaestor.llm.endpoints import OPENAI_URL
from quaestor.llm.endpoints.failures import is_listening
from quaestor.llm.models import Model
from quaestor.server.added_sources import AddedFolders, AddedSites
from quaestor.server.http.prometheus import Metrics
from quaestor.server.http.running_turns import Turns
from quaestor.server.http.served_state import MakeModel, Served
from quaestor.server.open_corpora import Corpora
from quaestor.server.process_claims import Claims
from quaestor.state.rows import Shared, SharedFile

# After a server dies in the middle of a turn, the turn's session is blocked for this long.
_LEASE_SECONDS = 15.0

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

# A user waits for the connection attempt, so an address that does not respond is not tried again at once.
_CONNECT_SECONDS = 0.5
_SILENT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class SharedByProcesses:
    """The state that the processes of a server share; by default there is only one process.

    Attributes:
        shared: the shared database; with PostgreSQL, shared by all servers that use it.
        claims: claims on work that one process of this machine does.
        turns: claims on sessions with a running turn; the same as ``claims`` without PostgreSQL.
        counting: the folder of the processes' metrics; None for one process.
    """

    shared: Shared = field(default_factory=SharedFile)
    claims: Claims = field(default_factory=Claims)
    turns: Claims = field(default_factory=Claims)
    counting: Path | None = None

    @classmethod
    def of(cls, shared: Shared, number: int, folder: Path) -> SharedByProcesses:
        """Return the shared state for process ``number`` of a server."""
        claims = Claims(shared, str(number))
        return cls(shared, claims, claims, folder)

    def with_others(self, settings: Settings) -> SharedByProcesses:
        """Return the state that is also shared with other servers, if the settings name a PostgreSQL server."""
        tables = shared_tables(settings)
        if tables is None:
            return self
        # Unlike a process's number, a random name is unique across machines.
        turns = Claims(tables, secrets.token_hex(8), lease=_LEASE_SECONDS)
        return replace(self, shared=tables, turns=turns)


def further_models(settings: Settings) -> tuple[str, ...]:
    """Return the names of selectable models besides the default one."""
    names = (name.strip() for name in settings.further_models.split(","))
    return tuple(name for name in dict.fromkeys(names) if settings.model and name not in ("", settings.model))


def served_of(
    corpora: Corpora,
    settings: Settings,
    *,
    reachable: bool = False,
    hosts: Iterable[str] = (),
    together: SharedByProcesses | None = None,
) -> Served:
    """Return the served state.

    Args:
        corpora: the corpora that all users see.
        settings: the server's settings.
        reachable: whether other machines can reach the server; then a token is always required.
        hosts: the server's names besides those of the loopback.
        together: the processes' shared state; None for one process.

    Raises:
        UsageError: the settings name an endpoint but no model, or the file of prices is malformed.
    """
    together = together or SharedByProcesses()
    elsewhere = shared_tables(settings) is not None
    ledger, prices, limits = make_ledger(settings), load_prices(settings), Limits.of(settings)
    shared = make_model(settings, ledger=ledger)
    others = {name: make_model(settings._replace(model=name), ledger=ledger) for name in further_models(settings)}
    endpoint = AwaitedEndpoint(settings.base_url or OPENAI_URL)
    sites = AddedSites(settings, together.claims)

    async def release() -> None:
        sites.close()
        for model in (shared, *others.values()):
            if model is not None:
                await model.aclose()

    def usage_of(user: User) -> dict[str, Any]:
        return _own_usage(overview(ledger, limits, user.id, prices.currency), user)

    return Served(
        corpora=corpora,
        settings=settings,
        make_model=_model_maker(shared, endpoint),
        further_models={name: _model_maker(model, endpoint) for name, model in others.items()},
        sessions=make_sessions(settings),
        users=make_users(settings),
        metrics=Metrics(corpora, together.counting),
        overview=usage_of,
        rates=RateLimiter(settings.requests_per_minute, shared=together.shared),
        guesses=Guesses(shared=together.shared),
        turns=Turns(together.turns, together.shared if together.counting or elsewhere else None),
        elsewhere=elsewhere,
        folders=AddedFolders(settings),
        sites=sites,
        open_to_local=not reachable,
        hosts=LOOPBACK | {host.lower() for host in hosts},
        any_address=reachable,
        aclose=release,
    )


def _model_maker(metered: MeteredModel | None, endpoint: AwaitedEndpoint) -> MakeModel:
    """Return a function that returns the model for a user's request, or None until its endpoint listens."""

    def model(user: User, request: str) -> Model | None:
        if metered is None or not endpoint.has_listened():
            return None
        return metered.with_purpose(kind="serve", user=user.id, request=request)

    return model


def _own_usage(usage: dict[str, Any], user: User) -> dict[str, Any]:
    """Return a user's usage without the limits on all users together, which would reveal what others spent."""
    own = {name: one for name, one in usage["limits"].items() if one["scope"] == "user" or not user.id}
    return {**usage, "limits": own}


class AwaitedEndpoint:
    """Remembers whether an endpoint has ever listened; after that, its failures are errors.

    Args:
        base_url: the endpoint's address.
        clock: returns the time in seconds.
        listens: returns whether a server listens at an address; waits at most the given seconds.
    """

    def __init__(
        self,
        base_url: str,
        clock: Callable[[], float] = time.monotonic,
        listens: Callable[[str, float], bool] = is_listening,
    ) -> None:
        self._base_url = base_url
        self._clock = clock
        self._listens = listens
        self._came = False
        self._again = -1.0

    def has_listened(self) -> bool:
        """Return whether the endpoint has ever listened; if not, check again."""
        if self._came or self._clock() < self._again:
            return self._came
        start = self._clock()
        self._came = self._listens(self._base_url, _CONNECT_SECONDS)
        now = self._clock()
        if not self._came and now - start >= _CONNECT_SECONDS:
            self._again = now + _SILENT_SECONDS
        return self._came
