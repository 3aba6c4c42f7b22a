"""Tokens that are guessed one after the other, by a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from served import Running, get, post, running, serving, write

from quaestor.accounts.rates import Guesses
from quaestor.assemble import make_users
from quaestor.core.errors import LimitError
from quaestor.state.rows import SharedFile

PATH = "/v1/models"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Running]:
    """A server without users so far."""
    guesses = Guesses(clock=lambda: 0.0)
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home", guesses=guesses) as guarded:
        yield guarded


def tried(server: Running, token: str) -> httpx.Response:
    return get(f"{server.url}{PATH}", headers={"authorization": f"Bearer {token}"})


def test_guesses_are_refused_after_some_and_users_are_not(guarded: Running) -> None:
    users = make_users(guarded.served.settings)
    tokens = [users.add(name)[1] for name in ("anna", "ben")]
    assert tried(guarded, tokens[0]).status_code == 200
    codes = [tried(guarded, f"quaestor_wrong{number}").status_code for number in range(60)]
    assert codes == [401] * 20 + [429] * 40
    refused = tried(guarded, tokens[1])
    # A right one is not told from a wrong one.
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "limit")
    assert refused.json() == tried(guarded, "quaestor_wrong").json()
    assert int(refused.headers["retry-after"]) >= 1
    assert tried(guarded, tokens[0]).status_code == 200
    # Without a token nobody guesses.
    assert get(f"{guarded.url}{PATH}").status_code == 401
    users.revoke("anna")
    assert tried(guarded, tokens[0]).status_code == 429


def test_strangers_are_not_told_where_the_users_are_kept(guarded: Running, caplog: pytest.LogCaptureFixture) -> None:
    served = guarded.served
    make_users(served.settings).add("anna")
    [accounts] = Path(served.settings.home).glob("accounts*")
    accounts.write_bytes(b"no database" * 1000)
    assert str(accounts) in tried(guarded, "any").json()["error"]["message"]
    with running(served, open_to_local=False) as open_to_others:
        for refused in (tried(open_to_others, "any"), post(f"{open_to_others.url}/log-in", data={"token": "any"})):
            assert refused.status_code == 503
            assert "log says why" in refused.text
            assert accounts.name not in refused.text
    assert str(accounts) in caplog.text


def test_where_there_are_no_users_any_key_may_be_sent(guarded: Running) -> None:
    assert {tried(guarded, "none").status_code for _ in range(30)} == {200}


def test_the_page_counts_as_well(guarded: Running) -> None:
    _, token = make_users(guarded.served.settings).add("anna")
    codes = [post(f"{guarded.url}/log-in", data={"token": f"wrong{n}"}).status_code for n in range(30)]
    assert codes == [401] * 20 + [429] * 10
    assert post(f"{guarded.url}/log-in", data={"token": token}).status_code == 429
    assert tried(guarded, "wrong").status_code == 429


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "192.0.2.1", True),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("", "no address", True),
    ],
)
def test_each_network_has_its_own(guarded: Running, tmp_path: Path, one: str, other: str, same: bool) -> None:
    users = make_users(guarded.served.settings)
    users.add("anna")
    # As two processes of a server have them.
    guesses, elsewhere = (Guesses(clock=lambda: 0.0, shared=SharedFile(tmp_path / "shared")) for _ in range(2))
    for number in range(20):
        assert guesses.by_token(users, f"wrong{number}", one) is None
    if same:
        with pytest.raises(LimitError, match="Too many guesses"):
            elsewhere.by_token(users, "wrong", other)
    else:
        assert elsewhere.by_token(users, "wrong", other) is None
