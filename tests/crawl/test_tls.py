"""Fetching over TLS from a real server with a certificate of its own."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from quaestor.crawl.connections import FetchError, tls_context
from quaestor.crawl.fetch import Fetcher
from servers.certificates import write_certificate
from servers.site import Answer, SiteServer
from servers.trapped_site import trickle

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for site.example with its key, in one file."""
    return write_certificate(tmp_path_factory.mktemp("tls"), "site.example", "DNS:site.example")


def answer(path: str, _headers: object) -> Answer | None:
    return Answer(trickle()) if path == "/slow" else Answer("home" * 10_000)


@pytest.fixture
def server(certificate: Path) -> Iterator[SiteServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with SiteServer(answer, tls=context) as server:
        yield server


def fetcher(server: SiteServer, certificate: Path | None, name: str = "site.example", seconds: float = 5) -> Fetcher:
    context = tls_context()
    if certificate is not None:
        context.load_verify_locations(certificate)
    host = f"{name}:{server.port}"
    return Fetcher(seconds, private_hosts=frozenset({host}), resolve=lambda _host, _port: ["127.0.0.1"], tls=context)


def test_a_page_over_tls(server: SiteServer, certificate: Path) -> None:
    url = f"https://site.example:{server.port}/"
    with closing(fetcher(server, certificate)) as trusting:
        assert [trusting.fetch(url).body for _ in range(3)] == [b"home" * 10_000] * 3
    assert server.connections == 1


@pytest.mark.parametrize("name", ["site.example", "other.example"])
def test_a_certificate_that_does_not_hold_is_refused(server: SiteServer, certificate: Path, name: str) -> None:
    trusted = None if name == "site.example" else certificate
    with pytest.raises(FetchError) as caught:
        fetcher(server, trusted, name).fetch(f"https://{name}:{server.port}/")
    assert caught.value.reason == "unreachable"
    assert "no secure connection" in caught.value.detail
    assert not server.asked


def test_a_trickling_page_ends_over_tls_too(server: SiteServer, certificate: Path) -> None:
    with pytest.raises(FetchError) as caught:
        fetcher(server, certificate, seconds=0.5).fetch(f"https://site.example:{server.port}/slow")
    assert caught.value.reason == "too slow"


def test_plain_http_on_a_port_of_tls_and_the_other_way_round(server: SiteServer, certificate: Path) -> None:
    with pytest.raises(FetchError):
        fetcher(server, certificate).fetch(f"http://site.example:{server.port}/")
    with SiteServer(answer) as plain, pytest.raises(FetchError) as caught:
        fetcher(plain, certificate).fetch(f"https://site.example:{plain.port}/")
    assert "no secure connection" in caught.value.detail
