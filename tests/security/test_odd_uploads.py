"""Uploads whose names lead elsewhere, whose parts are none, and that end in the middle.

Nothing lies outside of the folder of documents, nothing that is half lies there, and nothing is a fault of the server.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Running, get, post, serving, write

NAMES = (
    *("../../x.md", "..\\..\\x.md", "/etc/x.md", "x.md/../../y.md", ".", "..", "", " ", "a/", "a\0b.md", "a\u202eb.md"),
    *(".htaccess", ".gitignore", ".git", "-rf.md", "$(id).md", "a;b.md", "a.md:stream", "CON", "é" * 100 + ".md"),
)
HEADS = (
    *(b"", b'form-data; filename="a.md"', b'form-data; name="other"; filename="a.md"', b'form-data; name="file"'),
    *(b"form-data; name=\"file\"; filename*=UTF-8''..%2fa.md", b'form-data; name="file"; filename="' + b"a" * 100_000),
)
# Starlette leaves the file of a part that never ends for Python to close.
pytestmark = pytest.mark.filterwarnings("ignore:.*SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning")

KIND = "multipart/form-data; boundary=XX"


def part(head: bytes, data: bytes = b"The heron stands.") -> bytes:
    return b"--XX\r\nContent-Disposition: " + head + b"\r\n\r\n" + data + b"\r\n--XX--\r\n"


def named(name: str, data: bytes = b"The heron stands.") -> bytes:
    return part(f'form-data; name="file"; filename="{name}"'.encode(), data)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        yield server


def send(server: Running, body: bytes, kind: str = KIND) -> int:
    answer = post(f"{server.url}/api/documents", content=body, headers={"content-type": kind})
    return answer.status_code


def test_names_lead_nowhere(server: Running, tmp_path: Path) -> None:
    before = {path for path in tmp_path.rglob("*") if "documents" not in path.parts}
    assert [send(server, named(name)) for name in NAMES] == [201] * len(NAMES)
    stored = [path for path in (tmp_path / "home" / "documents").rglob("*") if path.is_file()]
    assert {path.parent for path in stored} == {tmp_path / "home" / "documents" / "local"}
    assert len(stored) == len(NAMES), "each has a name of its own"
    assert not any(path.name.startswith((".", "-")) for path in stored)
    after = {path for path in tmp_path.rglob("*") if "documents" not in path.parts}
    assert {path for path in after - before if "indexes" not in path.parts} == set()


@pytest.mark.parametrize("head", HEADS)
def test_a_part_that_is_no_file_is_refused(server: Running, head: bytes) -> None:
    assert send(server, part(head)) == 400


def test_forms_that_are_none_are_refused(server: Running) -> None:
    many = named("a.md").removesuffix(b"--XX--\r\n") * 5_000 + b"--XX--\r\n"
    lines = b"--XX\r\n" + b"X-A: b\r\n" * 50_000 + b"\r\nx\r\n--XX--\r\n"
    for body in (many, lines, named("a.md")[:-9], b"\x1f\x8b", b""):
        assert send(server, body) == 400
    for kind in (
        "multipart/form-data",
        "multipart/form-data; boundary=YY",
        "multipart/form-data; boundary=" + "B" * 300,
    ):
        assert send(server, named("a.md"), kind) == 400


def test_what_ends_in_the_middle_is_no_fault_and_no_document(
    server: Running, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    body = named("cut.md", b"heron " * 5_000)
    head = b"POST /api/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
    with caplog.at_level(logging.ERROR):
        for size in (0, 10, 60, 200, 20_000):
            with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as connection:
                connection.sendall(head % (KIND.encode(), len(body)) + body[:size])
        # What is counted is over.
        for _ in range(600):
            metrics = get(f"{server.url}/metrics").text
            if 'route="/api/documents",status="499"} 5.0' in metrics:
                break
        else:
            pytest.fail(metrics)
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR] == []
    assert not [path for path in (tmp_path / "home").rglob("documents/**/*") if path.is_file()]
