"""What a citation opens: a PDF at its page. Pages of the web are in ``test_sites_added``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from html_parts import Seen, seen
from served import Running, get, post, serving

from convert.made_documents import pdf
from quaestor import Index
from quaestor.assemble.stores_by_name import open_database
from quaestor.core.config import Settings

PAGES = ["The dough rests for eighteen hours.", "The oven reaches three hundred degrees.", "Peas are soaked overnight."]


def links(server: Running, question: str) -> list[str]:
    """Ask, and return where the passage behind the first citation leads to."""
    asked = post(f"{server.url}/ask", data={"question": question})
    path, _, _ = asked.headers["location"].partition("#")
    cites = [value for value in seen(get(server.url + path).text).values("href") if "/citations/" in value]
    return seen(get(server.url + cites[0]).text).values("href")


def last_turn(server: Running) -> tuple[Seen, Seen]:
    """Return the page of the last conversation, and that of its first citation."""
    session = get(f"{server.url}/api/sessions").json()["sessions"][0]["id"]
    shown = seen(get(f"{server.url}/sessions/{session}").text)
    cite = next(value for value in shown.values("href") if "/citations/" in value)
    return shown, seen(get(server.url + cite).text)


def test_a_pdf_opens_at_the_page(tmp_path: Path) -> None:
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen/manual.pdf").write_bytes(pdf(PAGES, "Kitchen manual"))
    with serving(tmp_path / "kitchen", home=tmp_path / "home") as server:
        [opened] = [href for href in links(server, "How hot does the oven get?") if href.startswith("/pdf")]
        assert opened == "/pdf?corpus=kitchen&path=manual.pdf#page=2"
        # What was made of a PDF has lines that nobody else sees: its place is a page, and no editor opens it.
        turn, cited = last_turn(server)
        assert turn.values("data-place") == ["manual.pdf, page 2"]
        assert "manual.pdf, page 2" in cited.text
        assert not [href for href in cited.values("href") if href.startswith("vscode:")]
        sources = seen(get(f"{server.url}{turn.values('data-from')[0].removesuffix('/markdown')}/sources").text)
        assert "manual.pdf, page 2" in sources.text
        sent = get(server.url + opened)
        assert (sent.headers["content-type"], sent.content[:5]) == ("application/pdf", b"%PDF-")


def test_pages_say_as_of_when_and_against_what_where_the_files_are_not(tmp_path: Path, state_uri: str) -> None:
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen/manual.pdf").write_bytes(pdf(PAGES, "Kitchen manual"))
    shared: dict[str, Any] = {"store": state_uri, "corpus": "kitchen"}
    Index.build(tmp_path / "kitchen", settings=Settings(home=str(tmp_path / "home"), **shared)).close()
    (tmp_path / "empty").mkdir()
    with serving(tmp_path / "empty", home=tmp_path / "other", **shared) as server:
        said = "citations are checked against the bytes that it keeps of them."
        assert said in seen(get(f"{server.url}/").text).text
        assert said in seen(get(f"{server.url}/search?q=oven").text).text
        hrefs = links(server, "How hot does the oven get?")
        assert not [href for href in hrefs if href.startswith(("/pdf", "vscode:"))]
        assert said in seen(get(f"{server.url}/passage?path=manual.pdf&start=1&end=3").text).text
    open_database(state_uri).close()
