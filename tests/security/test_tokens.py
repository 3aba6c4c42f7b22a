"""Tokens that are guessed, replayed, revoked, or sent in ways in which none is taken; roles, route by route.

``tests/server/api/test_authorisation.py`` tries every route as somebody else and as nobody; the pace of
guesses in ``tests/server/http/test_token_guessing.py``, what a token is made of in
``tests/accounts/test_users.py``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from matrix import LAST, ROWS, Ids, Key
from native_parts import begin, client
from served import Running, serving, write

from quaestor.accounts.rates import Guesses

COOKIE = "quaestor_token"


@dataclass(frozen=True)
class House:
    """A server, Anna's token and what is hers, and the token of Cleo, which was revoked."""

    server: Running
    anna: str
    cleo: str
    ids: Ids


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("tokens")
    # A minute passes with each guess, so that all of them are looked at.
    guesses = Guesses(clock=itertools.count(0.0, 60.0).__next__)
    with serving(write(folder / "kitchen"), home=folder / "home", guesses=guesses) as server:
        users = server.served.users
        (_, anna), (_, cleo) = users.add("anna"), users.add("cleo")
        with client(server.url, anna) as api, client(server.url, cleo) as other:
            assert other.get("/api/corpora").status_code == 200
            document = api.post("/api/documents", json={"name": "diary.md", "text": "I saw a heron today."}).json()
            ids = Ids(begin(api, corpus="kitchen", title="annas-title"), document["id"])
        users.revoke("cleo")
        yield House(server, anna, cleo, ids)


def sent(house: House, key: Key, headers: dict[str, str]) -> Iterator[tuple[httpx.Response, int]]:
    """Yield the answer to each way to use a route, and the status that somebody gets who is nobody."""
    with client(house.server.url) as api:
        for one in ROWS[key]:
            yield api.request(key[0], one.path(house.ids), **one.send(house.ids), headers=headers), one.without


@pytest.mark.parametrize("key", ROWS, ids=" ".join)
def test_no_route_knows_a_token_that_was_revoked(house: House, key: Key) -> None:
    for headers in ({"authorization": f"Bearer {house.cleo}"}, {"cookie": f"{COOKIE}={house.cleo}"}):
        for answer, expected in sent(house, key, headers):
            assert answer.status_code == expected, answer.text
            assert "heron" not in answer.text
            assert "annas-title" not in answer.text


def forged(token: str) -> dict[str, dict[str, str]]:
    """Return ways to send a token in which it is not one."""
    return {
        "another scheme": {"authorization": f"Basic {token}"},
        "no scheme": {"authorization": token},
        "another header": {"x-api-key": token},
        "a header of a proxy": {"x-forwarded-user": "anna", "x-remote-user": "anna", "remote-user": "anna"},
        "another cookie": {"cookie": f"token={token}"},
        "a part": {"authorization": f"Bearer {token[:-1]}"},
        "more": {"authorization": f"Bearer {token}x"},
        "other case": {"authorization": f"Bearer {token.swapcase()}"},
        "two": {"authorization": f"Bearer {token} {token}"},
        "a list": {"authorization": f"Bearer x, Bearer {token}"},
        "in quotes": {"authorization": f'Bearer "{token}"'},
        "a pattern": {"authorization": "Bearer quaestor_%"},
        "SQL": {"authorization": "Bearer ' OR '1'='1"},
        "a user's name": {"authorization": "Bearer anna"},
        "nothing behind": {"authorization": "Bearer"},
    }


@pytest.mark.parametrize("way", forged("x"))
def test_nothing_else_is_a_token(house: House, way: str) -> None:
    for path in ("/api/corpora", f"/api/sessions/{house.ids.session}", "/v1/models", "/metrics"):
        with client(house.server.url) as api:
            assert api.get(path, headers=forged(house.anna)[way]).status_code == 401


def test_a_token_in_an_address_is_none(house: House) -> None:
    """An address is kept in histories and logs, and sent along as a referrer."""
    with client(house.server.url) as api:
        for name in ("token", "access_token", "key", COOKIE):
            assert api.get("/api/corpora", params={name: house.anna}).status_code == 401


def test_a_wrong_header_does_not_hide_behind_a_right_cookie(house: House) -> None:
    headers = {"authorization": "Bearer quaestor_wrong", "cookie": f"{COOKIE}={house.anna}"}
    with client(house.server.url) as api:
        assert api.get("/api/corpora", headers=headers).status_code == 401


def test_a_cookie_that_was_taken_along_ends_with_its_token(house: House) -> None:
    """A log-out can only ask the browser to forget; what ends a stolen cookie is to revoke the token."""
    users = house.server.served.users
    _, token = users.add("dora")
    with client(house.server.url) as browser:
        entered = browser.post("/log-in", data={"token": token})
        cookie = entered.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
        browser.post("/log-out")
        assert browser.get("/api/corpora").status_code == 401
        taken = {"cookie": cookie.partition(";")[0]}
        assert browser.get("/api/corpora", headers=taken).status_code == 200
        users.revoke("dora")
        assert browser.get("/api/corpora", headers=taken).status_code == 401


def test_no_header_gives_a_guesser_another_address(tmp_path: Path) -> None:
    with serving(write(tmp_path / "k"), home=tmp_path / "home", guesses=Guesses(clock=lambda: 0.0)) as server:
        server.served.users.add("anna")
        with client(server.url) as api:
            codes = [
                api.get(
                    "/api/corpora",
                    headers={
                        "authorization": f"Bearer quaestor_guess{number}",
                        "x-forwarded-for": f"203.0.113.{number}",
                        "x-real-ip": f"203.0.113.{number}",
                        "forwarded": f"for=203.0.113.{number}",
                    },
                ).status_code
                for number in range(30)
            ]
    assert codes == [401] * 20 + [429] * 10


def test_no_two_tokens_are_alike_and_none_can_be_guessed(house: House) -> None:
    users = house.server.served.users
    made = [users.add(f"user{number}")[1] for number in range(50)]
    bodies = [token.removeprefix("quaestor_") for token in made]
    assert all(token.startswith("quaestor_") for token in made)
    assert len(set(bodies)) == 50
    # Letters, digits, - and _: six bits each. At twenty guesses a minute this takes longer than there is time.
    assert min(map(len, bodies)) * math.log2(64) >= 192
    # None is kept: who reads the file cannot use what stands there.
    files = [file.read_bytes() for file in Path(house.server.served.settings.home).glob("*.sqlite*")]
    assert files
    assert not any(token.encode() in data for token in [*made, house.anna] for data in files)


def test_the_matrix_ends_with_what_changes_it() -> None:
    """What these tests rest on: the rows that make something are tried last."""
    assert list(ROWS)[-len(LAST) :] == list(LAST)
