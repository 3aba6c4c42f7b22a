"""One's own documents, added and deleted with plain forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from html_parts import seen
from served import Running, serving, write


@pytest.fixture
def quoting(tmp_path: Path) -> Iterator[Running]:
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        yield server


@pytest.fixture
def browser(quoting: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=quoting.url, timeout=600, verify=False) as client:
        yield client


def stored(tmp_path: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (tmp_path / "home/documents/local").glob("*")}


def test_files_are_taken_in_several_at_once(browser: httpx.Client, tmp_path: Path) -> None:
    files = [("files", ("tides.md", b"# Tides\n\nThe flood begins at noon.\n")), ("files", ("b.txt", b"More.\n"))]
    answer = browser.post("/documents", files=files)
    assert (answer.status_code, answer.headers["location"]) == (303, "/documents#have")
    assert stored(tmp_path) == {"tides.md": b"# Tides\n\nThe flood begins at noon.\n", "b.txt": b"More.\n"}
    shown = seen(browser.get("/documents").text)
    assert "have" in shown.values("id")
    assert "tides.md" in shown.text


def test_a_text_is_taken_with_the_line_ends_that_were_typed(browser: httpx.Client, tmp_path: Path) -> None:
    # The field for files that another form would have: a browser sends one that was left empty.
    answer = browser.post("/documents", data={"name": "a.md", "text": "one\r\ntwo"}, files={"files": ("", b"")})
    assert answer.status_code == 303
    assert stored(tmp_path) == {"a.md": b"one\ntwo"}


def test_what_is_refused_is_named_and_the_rest_is_taken(browser: httpx.Client, tmp_path: Path) -> None:
    files = [("files", ("<b>.md", b"")), ("files", ("good.md", b"Good.\n")), ("files", ("odd.md", b"\x00\x01\x02"))]
    answer = browser.post("/documents", files=files)
    assert answer.status_code == 400
    [problems] = re.findall(r'id="document-failed"><ul>(.*?)</ul>', answer.text, re.DOTALL)
    assert problems.count("<li>") == 2
    assert "<b>" not in problems
    assert list(stored(tmp_path)) == ["good.md"]
    assert "good.md" in seen(answer.text).text


@pytest.mark.parametrize("sent", [{"files": {"files": ("", b"")}}, {"data": {"name": "", "text": ""}}, {}])
def test_nothing_chosen_is_said(browser: httpx.Client, sent: dict[str, dict[str, object]]) -> None:
    answer = browser.post("/documents", **sent)  # type: ignore[arg-type]
    assert answer.status_code == 400
    assert "Nothing was chosen." in seen(answer.text).text


def test_too_much_is_refused(browser: httpx.Client, quoting: Running, tmp_path: Path) -> None:
    answer = browser.post("/documents", files={"files": ("a.md", b"x" * (quoting.served.upload_limit + 1))})
    assert answer.status_code == 413
    assert not stored(tmp_path)


def test_a_document_is_deleted_only_if_that_is_meant(browser: httpx.Client, tmp_path: Path) -> None:
    browser.post("/documents", files={"files": ("tides.md", b"Noon.\n")})
    [address] = re.findall(r'action="(/documents/[^"]+/delete)"', browser.get("/documents").text)
    answer = browser.post(address)
    assert answer.status_code == 400
    assert "Nothing was deleted." in seen(answer.text).text
    assert list(stored(tmp_path)) == ["tides.md"]
    assert browser.post(address, data={"sure": "yes"}).headers["location"] == "/documents#have"
    assert not stored(tmp_path)
    assert browser.post(address, data={"sure": "yes"}).status_code == 404


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}])
@pytest.mark.parametrize("path", ["/documents", "/documents/0123456789abcdef/delete"])
def test_forms_of_other_sites_are_refused(
    browser: httpx.Client, path: str, headers: dict[str, str], tmp_path: Path
) -> None:
    answer = browser.post(path, files={"files": ("a.md", b"x")}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin")
    assert not stored(tmp_path)
