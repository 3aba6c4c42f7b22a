"""An embedder of a scripted server, whose requests go through a real ledger."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from quaestor.accounts import Purpose
from quaestor.accounts.ledger import Ledger, UsageRow
from quaestor.accounts.limits import Limits
from quaestor.accounts.metered_model import EmbeddingMeter, UsageRecorder
from quaestor.accounts.money import Price
from quaestor.accounts.prices import Prices
from quaestor.core.config import Settings
from quaestor.embedding.http import HttpEmbedder
from quaestor.llm.tokens import tokenizer_for
from servers.scripted import ScriptedServer

MODEL = "text-embedding-3-small"


def ledger_in(home: Path) -> Ledger:
    return Ledger.open(home / "accounts.sqlite")


def embedder_of(
    server: ScriptedServer, home: Path, *, price: str | None = "1", settings: Settings | None = None, **changes: Any
) -> HttpEmbedder:
    """Return an embedder of a server; a token costs a millionth unless another price is given."""
    record = UsageRecorder(ledger_in(home), Prices(home / "prices.toml"), Limits.of(settings or Settings()))
    cost = None if price is None else Price(Decimal(price), Decimal(0))
    return HttpEmbedder(
        changes.pop("model", MODEL),
        base_url=changes.pop("base_url", server.base_url),
        tokenizer=tokenizer_for(MODEL),
        meter=EmbeddingMeter(MODEL, cost, record, Purpose(source="here")),
        **{"timeout": 20.0, **changes},
    )


def on_record(home: Path) -> UsageRow:
    """Return all that is on record."""
    (row,) = ledger_in(home).usage("model")
    return row


def sent(server: ScriptedServer) -> list[str]:
    """Return all texts that a server was sent, in the order of the requests."""
    return [text for request in server.requests for text in request.body["input"]]
