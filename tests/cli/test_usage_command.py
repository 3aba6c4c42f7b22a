"""`quaestor usage`, and the limits on it, by real runs of the command line against the scripted model server."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_parts import Run, shell

from quaestor.accounts import Purpose
from quaestor.accounts.ledger import Ledger
from quaestor.accounts.money import Amount
from scripted_server import Reply, StartServer

QUESTION = "how often is a request sent?"
ANSWER = 'Three times [1: "MAX_ATTEMPTS = 3"].'
PRICES = '[models."ti*"]\nprompt = 2\ncompletion = 8\n'


@pytest.fixture
def server(scripted_server: StartServer, monkeypatch: pytest.MonkeyPatch) -> Any:
    server = scripted_server([ANSWER])
    monkeypatch.setenv("QUAESTOR_MODEL", "tiny")
    monkeypatch.setenv("QUAESTOR_BASE_URL", server.base_url)
    return server


@pytest.fixture
def priced(home: Path) -> Path:
    home.mkdir(exist_ok=True)
    place = home / "prices.toml"
    place.write_text(PRICES, encoding="utf-8")
    return place


def test_nothing_yet(quaestor: Run) -> None:
    done = quaestor("usage")
    assert (done.code, done.out) == (0, "")
    assert "No request to a model is recorded since" in done.err
    assert quaestor("usage", "--json").json["usage"] == []


def test_each_way_of_asking_is_a_row(
    quaestor: Run, server: Any, priced: Path, repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = datetime.now(UTC).date()
    assert quaestor("ask", QUESTION, repository).code == 0
    assert quaestor("chat", repository, typed=[QUESTION, "and then?"]).code == 0
    assert quaestor("edit", "--yes", "send it four times", repository).code == 1
    [session] = quaestor("sessions", "list", "--json").json["sessions"]
    with Ledger.open(home / "accounts.sqlite")._database.reading() as connection:
        assert connection is not None
        rows = connection.execute(
            "select kind, session, state, source, prompt_tokens, completion_tokens, cost, reported from requests"
        ).fetchall()
    assert [row[:4] for row in rows] == [
        ("ask", "", "done", str(repository)),
        ("chat", session["id"], "done", str(repository)),
        ("chat", session["id"], "done", str(repository)),
        ("edit", "", "done", str(repository)),
    ]
    assert len(rows) == len(server.requests)
    assert [row[4] for row in rows] == [request.prompt_tokens for request in server.requests]
    assert all(cost == 2 * sent + 8 * received and reported for *_, sent, received, cost, reported in rows)
    [today] = quaestor("usage", "--json").json["usage"]
    assert began <= date.fromisoformat(today["key"]) <= datetime.now(UTC).date()
    assert today["requests"] == 4
    assert today["cost"] == pytest.approx(sum(row[6] for row in rows) / 1e6)
    header, line = quaestor("usage", "--by", "model").out.splitlines()
    assert header.split() == ["model", "requests", "sent", "received", "cost", "under", "way"]
    assert line.split()[:2] == ["tiny", "4"]
    assert line.split()[-1] == "USD"
    assert quaestor("usage", "--by", "user").out.splitlines()[1].startswith("local ")


def test_a_limit_refuses_beforehand(
    quaestor: Run, server: Any, priced: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_LIMIT_DAY_TOKENS", "3000")
    assert quaestor("ask", QUESTION, repository).code == 0
    done = quaestor("ask", QUESTION, repository)
    while done.code == 0:
        done = quaestor("ask", QUESTION, repository)
    sent = len(server.requests)
    assert done.code == 5
    assert "limit of 3,000 tokens a day for each user (setting 'limit_day_tokens')" in done.sentence
    assert "It renews at" in done.sentence
    assert quaestor("ask", QUESTION, repository).code == 5
    assert len(server.requests) == sent
    shown = quaestor("usage")
    assert shown.code == 0
    limit = shown.out.splitlines()[-1].split()
    assert limit[:3] == ["limit_day_tokens", "3,000", "tokens"]
    [standing] = quaestor("usage", "--json").json["limits"]
    assert standing["used"] + standing["left"] == standing["limit"] == 3000
    assert standing["used"] == sum(row["prompt_tokens"] + row["completion_tokens"] for row in _usage(quaestor))


def _usage(quaestor: Run) -> list[dict[str, Any]]:
    return list(quaestor("usage", "--json").json["usage"])


def test_a_limit_on_money_that_one_request_would_pass(
    quaestor: Run, server: Any, priced: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_ALL_MONTH_COST", "0.001")
    done = quaestor("ask", QUESTION, repository)
    assert done.code == 5
    assert "more than the whole limit of 0.001 USD a month for all users together" in done.sentence
    assert server.requests == []
    done = quaestor("chat", repository, "--json", typed=[QUESTION])
    assert done.code == 5
    assert json.loads(done.out.splitlines()[-1])["code"] == "budget"
    assert server.requests == []


def test_a_limit_on_money_without_a_price(
    quaestor: Run, server: Any, repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_LIMIT_MONTH_COST", "5")
    done = quaestor("ask", QUESTION, repository)
    assert done.code == 2
    assert "no price of model 'tiny'" in done.sentence
    assert str(home / "prices.toml") in done.sentence
    assert server.requests == []
    # A price that is set is a price.
    monkeypatch.setenv("QUAESTOR_PROMPT_PRICE", "1")
    assert quaestor("ask", QUESTION, repository).code == 0


def test_a_project_cannot_lift_a_limit(
    quaestor: Run, server: Any, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "quaestor.toml").write_text("limit_day_tokens = 0\nprices = 'mine.toml'\n", encoding="utf-8")
    monkeypatch.setenv("QUAESTOR_LIMIT_DAY_TOKENS", "5")
    done = quaestor("ask", QUESTION, repository)
    assert done.code == 5
    assert "'limit_day_tokens': a project file may not set this" in done.err
    assert "'prices': a project file may not set this" in done.err


def test_a_failure_of_the_server_costs_nothing(
    quaestor: Run, scripted_server: StartServer, priced: Path, repository: Path
) -> None:
    server = scripted_server([Reply(status=400, error="no")])
    done = quaestor("ask", "--model", "tiny", "--base-url", server.base_url, QUESTION, repository)
    assert done.code == 3
    [row] = _usage(quaestor)
    assert (row["requests"], row["prompt_tokens"], row["cost"]) == (1, 0, 0)


def test_the_prices_that_are_used(quaestor: Run, priced: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QUAESTOR_MODEL", "tiny")
    done = quaestor("usage", "--prices")
    assert done.out.splitlines()[1].split() == ["ti*", "2", "8", str(priced)]
    assert "tiny: ti*" in done.err
    monkeypatch.setenv("QUAESTOR_COMPLETION_PRICE", "0.5")
    told = quaestor("usage", "--prices", "--json").json
    assert told["used"] == "tiny"
    assert [(one["pattern"], one["completion"]) for one in told["models"]] == [("tiny", 0.5), ("ti*", 8)]
    priced.write_text("[models.x]\nprompt = 1\n", encoding="utf-8")
    done = quaestor("usage", "--prices")
    assert done.code == 2
    assert "models.'x'.completion is missing" in done.sentence
    monkeypatch.setenv("QUAESTOR_PRICES", str(tmp_path / "none.toml"))
    assert "no price file" in quaestor("usage").sentence


def test_by_user_and_since(quaestor: Run, home: Path) -> None:
    quaestor("users", "add", "anna")
    [anna] = quaestor("users", "list", "--json").json["users"]
    long_ago = Ledger.open(home / "accounts.sqlite", clock=lambda: 1e9)
    long_ago.reserve(Purpose(user=anna["id"]), "m", Amount(1, 1, None, "USD"))
    now = Ledger.open(home / "accounts.sqlite")
    now.reserve(Purpose(user=anna["id"]), "m", Amount(1000, 1, 1_500_000, "USD"))
    now.reserve(Purpose(), "m", Amount(2, 1, None, "USD"))
    lines = quaestor("usage", "--by", "user").out.splitlines()
    assert [line.split()[0] for line in lines] == ["user", "anna", "local", "total"]
    assert len({len(line.rstrip()) for line in lines[1:]}) == 1, "numbers end in one column"
    assert "1.50 USD" in lines[1]
    assert "unknown" in lines[2]
    [row] = quaestor("usage", "--since", "2001-01-01", "--user", "ANNA", "--by", "model", "--json").json["usage"]
    assert (row["requests"], row["reserved"], row["lapsed"], row["unpriced"]) == (2, 1, 1, 1)
    done = quaestor("usage", "--since", "2001-01-01")
    assert "1 request of crashed processes" in done.err
    assert "2 requests under way" in done.err
    assert "no user 'eve'" in quaestor("usage", "--user", "eve").sentence
    assert quaestor("usage", "--since", "yesterday").code == 2


def test_a_ledger_that_cannot_be_written(server: Any, repository: Path, quaestor: Run, home: Path) -> None:
    """Without limits it is said once and the answer is given; with one, nothing is sent."""
    assert quaestor("search", "retry", repository).code == 0
    (home / "accounts.sqlite").mkdir()
    done = shell("ask", QUESTION, str(repository))
    assert (done.code, server.requests != []) == (0, True)
    assert done.err.count("are not recorded") == 1
    sent = len(server.requests)
    done = shell("ask", QUESTION, str(repository), QUAESTOR_LIMIT_DAY_TOKENS="1000000")
    assert done.code == 4
    assert "cannot be used" in done.sentence
    assert len(server.requests) == sent
