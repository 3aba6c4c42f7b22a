"""Folders that are added on the page: looked at first, within what is allowed, and by nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from html_parts import seen
from served import Running, serving, write

from quaestor.assemble import make_users
from quaestor.core.config import Settings

GARDEN = {"guide.md": "# Garden\n\nBeans are sown in May.\n", "key.pem": "-----BEGIN PRIVATE KEY-----\n"}


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[httpx.Client]:
    with served(tmp_path) as server, client(server) as found:
        yield found


def served(tmp_path: Path, **more: object) -> object:
    write(tmp_path / "shelf/garden", GARDEN)
    allowed = {"add_within": (str(tmp_path / "shelf"),), **more}
    return serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **allowed)


def client(server: Running) -> httpx.Client:
    return httpx.Client(base_url=server.url, timeout=600, verify=False)


def corpora(browser: httpx.Client) -> list[str]:
    return [one["name"] for one in browser.get("/api/corpora").json()["corpora"]]


def test_a_folder_is_looked_at_added_asked_about_and_removed(browser: httpx.Client, tmp_path: Path) -> None:
    folder = {"folder": str(tmp_path / "shelf/garden")}
    looked = seen(browser.post("/folders/look", data=folder).text).text
    assert "Documents1" in looked
    assert "Costnothing" in looked
    assert "Kinds1 Markdown" in looked
    assert "Left out: 1 secret." in looked
    # Looking adds nothing.
    assert corpora(browser) == ["kitchen"]
    assert browser.post("/folders", data=folder).headers["location"] == "/folders"
    assert corpora(browser) == ["kitchen", "garden"]
    body = {"query": "When are beans sown?", "corpus": "garden"}
    while (found := browser.post("/api/search", json=body)).status_code == 503:
        pass
    assert found.json()["hits"][0]["path"] == "guide.md"
    assert "garden" in browser.get("/folders").text
    assert browser.post("/folders/remove", data=folder).status_code == 303
    assert corpora(browser) == ["kitchen"]
    assert (tmp_path / "shelf/garden/guide.md").exists()


def test_what_was_added_is_served_again_under_a_name_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "shelf/kitchen", GARDEN)
    for _ in range(2):
        with served(tmp_path) as server, client(server) as browser:
            assert browser.post("/folders", data={"folder": str(tmp_path / "shelf/kitchen")}).status_code == 303
            assert corpora(browser) == ["kitchen", "shelf/kitchen"]


def test_only_what_is_allowed_is_added(browser: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shelf/link").symlink_to(tmp_path / "elsewhere")
    outside = ("elsewhere", "home", "shelf/../elsewhere", "shelf/link", "not-there", "shelf2")
    for path in [*(str(tmp_path / one) for one in outside), "shelf/garden", "/", "~", "a\0b"]:
        for route in ("/folders/look", "/folders"):
            assert browser.post(route, data={"folder": path}).status_code in (400, 403), path
    assert browser.post("/folders", data={"folder": str(tmp_path / "shelf/not-there")}).status_code == 404
    assert browser.post("/folders", data={"folder": str(tmp_path / "shelf/garden/guide.md")}).status_code == 400
    assert corpora(browser) == ["kitchen"]


def test_what_was_typed_and_cannot_be_added_stays_with_the_reason(tmp_path: Path) -> None:
    with served(tmp_path, add_sites=("docs.example.org",)) as server, client(server) as browser:
        for route, name, typed, why in (
            ("/folders/look", "folder", str(tmp_path / "kitchen"), "may not be added"),
            ("/folders/look", "folder", str(tmp_path / "shelf/gardn"), "does not exist"),
            ("/sites/look", "address", "https://other.example.org/", "may not be added"),
        ):
            answer = browser.post(route, data={name: typed})
            shown = seen(answer.text)
            fields = [known for _, known in shown.elements if known.get("name") == name and "required" in known]
            assert [field["value"] for field in fields] == [typed]
            assert (answer.status_code >= 400, why in shown.text) == (True, True)
            assert "alert" in shown.values("role")


def test_without_leave_there_is_no_field_and_it_says_why(tmp_path: Path) -> None:
    with served(tmp_path, add_within=()) as server, client(server) as browser:
        shown = browser.get("/folders").text
        assert "--add-within" in shown
        assert '<form class="card"' not in shown
        assert browser.post("/folders", data={"folder": str(tmp_path / "shelf")}).status_code == 403


def test_no_user_with_a_token_adds_folders(tmp_path: Path) -> None:
    _, token = make_users(Settings(home=str(tmp_path / "home"))).add("ada")
    with served(tmp_path) as server, client(server) as browser:
        browser.headers["authorization"] = f"Bearer {token}"
        assert "the person who runs it names" in browser.get("/folders").text
        assert browser.post("/folders", data={"folder": str(tmp_path / "shelf/garden")}).status_code == 403
        assert corpora(browser) == ["kitchen"]


def test_a_list_that_was_damaged_is_no_list(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    for text in ("", "{}", "[1, null]", f'["{tmp_path}"]'):
        (tmp_path / "home/added-folders.json").write_text(text)
        with served(tmp_path) as server, client(server) as browser:
            assert corpora(browser) == ["kitchen"]


def swap(tmp_path: Path) -> None:
    """Put a link to what nobody allowed in the place of the folder, as whoever may write beside it can."""
    write(tmp_path / "elsewhere", {"guide.md": "# Elsewhere\n\nThe vault's number is 7391.\n"})
    (tmp_path / "shelf/garden").rename(tmp_path / "shelf/old")
    (tmp_path / "shelf/garden").symlink_to(tmp_path / "elsewhere")


def test_a_folder_that_became_a_link_is_not_served_again(tmp_path: Path) -> None:
    with served(tmp_path) as server, client(server) as browser:
        assert browser.post("/folders", data={"folder": str(tmp_path / "shelf/garden")}).status_code == 303
        assert corpora(browser) == ["kitchen", "garden"]
    swap(tmp_path)
    again = serving(tmp_path / "kitchen", home=tmp_path / "home", add_within=(str(tmp_path / "shelf"),))
    with again as server, client(server) as browser:
        assert corpora(browser) == ["kitchen"]


def test_a_folder_that_becomes_a_link_while_it_is_served_shows_nothing_of_elsewhere(tmp_path: Path) -> None:
    with served(tmp_path) as server, client(server) as browser:
        browser.post("/folders", data={"folder": str(tmp_path / "shelf/garden")})
        body = {"query": "What is the vault's number?", "corpus": "garden"}
        while browser.post("/api/search", json=body).status_code == 503:
            pass
        swap(tmp_path)
        for _ in range(3):
            assert "7391" not in browser.post("/api/search", json=body).text
        assert "7391" not in browser.get("/api/passage", params={"corpus": "garden", "path": "guide.md"}).text
