"""A metered model records one row for each request, however it ends, and sends none that could exceed a limit."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from account_parts import ASK, NOON, REPLY, Clock, Speaker, heard, metered, prices

from quaestor.accounts import Purpose
from quaestor.accounts.database import AccountsUnusableError
from quaestor.accounts.ledger import Ledger
from quaestor.core.errors import BudgetError, UpstreamError, UsageError
from quaestor.core.messages import Message, Usage
from quaestor.llm.endpoints.failures import StreamCutError, TooLongError, UnreachableError
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.tokens import counter_for

COUNTER = counter_for("gpt-4o")
PROMPT = COUNTER.request(ASK.messages)
SAID = COUNTER.text("It is there.")


def rows(file: Path) -> list[dict[str, Any]]:
    with sqlite3.connect(file) as connection:
        connection.row_factory = sqlite3.Row
        found = [dict(row) for row in connection.execute("select * from requests order by id")]
    connection.close()
    return found


def taken(row: dict[str, Any]) -> tuple[object, ...]:
    return row["state"], row["prompt_tokens"], row["completion_tokens"], row["reported"]


def test_a_whole_reply(file: Path) -> None:
    purpose = Purpose("anna", "chat", "/corpus", "s1", "r1")
    model = metered(Speaker(*REPLY), Ledger.open(file, clock=Clock()), purpose=purpose)
    assert tuple(heard(model)) == REPLY
    [row] = rows(file)
    assert row == {
        "id": 1,
        "at": int(NOON * 1000),
        "user": "anna",
        "source": "/corpus",
        "session": "s1",
        "model": "gpt-4o",
        "kind": "chat",
        "request": "r1",
        "state": "done",
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "reported": 1,
        "cost": 20 * 1 + 5 * 10,
        "currency": "USD",
        "settled": int(NOON * 1000),
    }


def test_what_is_charged_to_something_else(file: Path) -> None:
    model = metered(Speaker(*REPLY), Ledger.open(file))
    heard(model.with_purpose(session="s2", kind="edit"))
    heard(model)
    assert [(row["session"], row["kind"]) for row in rows(file)] == [("s2", "edit"), ("", "ask")]


@pytest.mark.parametrize(
    "usage",
    [None, Usage(0, 0, True), Usage(-5, 3, True), Usage(5, -3, True), Usage(10**30, 1, True), Usage(9, 0, True)],
)
def test_what_no_server_can_mean_is_counted_here(file: Path, usage: Usage | None) -> None:
    heard(metered(Speaker(TextDelta("It is "), TextDelta("there."), Finished("stop", usage)), Ledger.open(file)))
    assert taken(rows(file)[0]) == ("done", PROMPT, SAID, 0)


@pytest.mark.parametrize(
    "failure",
    [
        UpstreamError("refused", status=400),
        UpstreamError("busy", status=503, retryable=True),
        TooLongError("too long"),
        UnreachableError("nobody listens"),
    ],
)
def test_what_was_refused_costs_nothing(file: Path, failure: UpstreamError) -> None:
    with pytest.raises(UpstreamError):
        heard(metered(Speaker(failure), Ledger.open(file)))
    assert taken(rows(file)[0]) == ("failed", 0, 0, 0)
    assert rows(file)[0]["cost"] == 0


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ((UpstreamError("silence", retryable=True),), 0),
        ((TextDelta("It is "), TextDelta("there."), StreamCutError("cut", received="It is there.")), SAID),
        ((TextDelta("It is "), TextDelta("there."), UpstreamError("no more", status=500)), SAID),
        ((ZeroDivisionError("a fault of ours"),), 0),
    ],
)
def test_what_may_be_on_the_bill_is_counted(file: Path, pieces: tuple[Any, ...], said: int) -> None:
    with pytest.raises((UpstreamError, ZeroDivisionError)):
        heard(metered(Speaker(*pieces), Ledger.open(file)))
    assert taken(rows(file)[0]) == ("failed", PROMPT, said, 0)


def test_a_reply_that_is_left_is_closed_and_settled(file: Path) -> None:
    inner = Speaker(*REPLY)
    model = metered(inner, Ledger.open(file))

    async def leave() -> None:
        stream = model.stream(ASK)
        assert await anext(stream) == TextDelta("It is ")
        assert inner.yielded == 1, "nothing is read ahead"
        assert taken(rows(file)[0]) == ("reserved", PROMPT, 50, 0)
        await stream.aclose()
        assert inner.closed == 1
        assert taken(rows(file)[0]) == ("cancelled", PROMPT, COUNTER.text("It is "), 0)

    asyncio.run(leave())


def test_who_has_the_end_need_not_ask_for_more(file: Path) -> None:
    model = metered(Speaker(*REPLY), Ledger.open(file))

    async def run() -> None:
        stream = model.stream(ASK)
        while not isinstance(await anext(stream), Finished):
            pass
        assert rows(file)[0]["state"] == "done"
        await stream.aclose()
        assert rows(file)[0]["state"] == "done"

    asyncio.run(run())


class Silent(Speaker):
    """Says nothing until it is cancelled; a second cancellation meets it while it closes."""

    def __init__(self, asked: asyncio.Event) -> None:
        super().__init__()
        self.asked = asked

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        try:
            self.asked.set()
            await asyncio.Event().wait()
            yield TextDelta("never")
        finally:
            await asyncio.sleep(0.001)
            self.closed += 1


@pytest.mark.parametrize("times", [1, 2])
def test_cancelled_tasks_settle(file: Path, times: int) -> None:
    async def run() -> None:
        asked = asyncio.Event()
        model = metered(Silent(asked), Ledger.open(file))

        async def listen() -> None:
            async for _ in model.stream(ASK):
                pass

        task = asyncio.create_task(listen())
        await asked.wait()
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert taken(rows(file)[0]) == ("cancelled", PROMPT, 0, 0)


def test_a_stream_that_nobody_reads_is_no_request(file: Path) -> None:
    metered(Speaker(*REPLY), Ledger.open(file)).stream(ASK)
    assert not file.exists()


def test_nothing_is_sent_beyond_a_limit(file: Path) -> None:
    inner = Speaker(*REPLY)
    model = metered(inner, Ledger.open(file), limit_day_tokens=PROMPT + 50 + 24)
    heard(model)
    with pytest.raises(BudgetError, match="25 tokens are used"):
        heard(model)
    assert (inner.yielded, len(rows(file))) == (len(REPLY), 1)


def test_a_reply_without_a_bound_may_fill_the_window(file: Path) -> None:
    model = metered(Speaker(*REPLY), Ledger.open(file), limit_day_tokens=8191)
    with pytest.raises(BudgetError, match="up to 8,192 tokens"):
        heard(model, Request(ASK.messages))
    model = metered(Speaker(*REPLY), Ledger.open(file), limit_day_tokens=8192)
    heard(model, Request(ASK.messages))


def test_a_limit_on_money_needs_a_price(file: Path) -> None:
    inner = Speaker(*REPLY)
    model = metered(inner, Ledger.open(file), table=prices(model="another"), limit_month_cost=5)
    with pytest.raises(UsageError, match=r"no price of model 'gpt-4o' is known. Add it to 'prices.toml'"):
        heard(model)
    assert inner.yielded == 0
    heard(metered(inner, Ledger.open(file), table=prices(model="another")))
    assert rows(file)[0]["cost"] is None, "unknown, and not nothing"


def test_what_the_engine_needs_passes_through(file: Path) -> None:
    inner: Any = Speaker(*REPLY)
    inner.body = lambda request: {"model": "gpt-4o"}
    model = metered(inner, Ledger.open(file))
    assert (model.name, model.capabilities) == (inner.name, inner.capabilities)
    assert model.counter.text("It is there.") == SAID
    assert model.body(ASK) == {"model": "gpt-4o"}
    with pytest.raises(AttributeError):
        _ = model.exchange
    asyncio.run(model.aclose())


@pytest.fixture
def unwritable(file: Path) -> Path:
    file.parent.write_text("a file where the folder should be")
    return file


def test_without_limits_a_ledger_that_cannot_be_written_stops_nobody(
    unwritable: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = metered(Speaker(*REPLY), Ledger.open(unwritable))
    with caplog.at_level(logging.WARNING):
        assert [tuple(heard(model)) for _ in range(3)] == [REPLY] * 3
    [warning] = caplog.messages
    assert "are not recorded" in warning
    assert repr(str(unwritable)) in warning


def test_with_limits_it_stops_everybody(unwritable: Path) -> None:
    inner = Speaker(*REPLY)
    with pytest.raises(AccountsUnusableError, match="cannot be used"):
        heard(metered(inner, Ledger.open(unwritable), limit_day_tokens=10**6))
    assert inner.yielded == 0


def test_a_ledger_that_fails_while_a_reply_comes(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The reply is whole, and what was reserved stays counted."""
    ledger = Ledger.open(file)
    model = metered(Speaker(*REPLY), ledger, limit_day_tokens=10**6)

    async def run() -> None:
        stream = model.stream(ASK)
        await anext(stream)
        with ledger._database.reading() as connection:
            assert connection is not None
            connection.execute("pragma query_only = on")
        assert [delta async for delta in stream][-1] == REPLY[-1]

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    assert len(caplog.messages) == 1
    assert taken(rows(file)[0]) == ("reserved", PROMPT, 50, 0)


def test_a_message_of_many_kinds_is_counted(file: Path) -> None:
    tool: dict[str, object] = {"type": "function", "function": {"name": "look", "parameters": {}}}
    request = Request((Message("system", "Be brief."), *ASK.messages), tools=(tool,), max_tokens=1)
    with pytest.raises(UpstreamError):
        heard(metered(Speaker(UpstreamError("silence")), Ledger.open(file)), request)
    assert rows(file)[0]["prompt_tokens"] == COUNTER.request(request.messages, request.tools)
