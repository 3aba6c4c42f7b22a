"""What a citation opens: a PDF at its page. Pages of the web are in ``test_sites_added``."""

from __future__ import annotations

from pathlib import Path

from html_parts import seen
from served import Running, get, post, serving

from convert.made import pdf

PAGES = ["The dough rests for eighteen hours.", "The oven reaches three hundred degrees.", "Peas are soaked overnight."]


def links(server: Running, question: str) -> list[str]:
    """Ask, and return where the passage behind the first citation leads to."""
    asked = post(f"{server.url}/ask", data={"question": question})
    path, _, _ = asked.headers["location"].partition("#")
    cites = [value for value in seen(get(server.url + path).text).values("href") if "/citations/" in value]
    return seen(get(server.url + cites[0]).text).values("href")


def test_a_pdf_opens_at_the_page(tmp_path: Path) -> None:
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen/manual.pdf").write_bytes(pdf(PAGES, "Kitchen manual"))
    with serving(tmp_path / "kitchen", home=tmp_path / "home") as server:
        [opened] = [href for href in links(server, "How hot does the oven get?") if href.startswith("/pdf")]
        assert opened == "/pdf?corpus=kitchen&path=manual.pdf#page=2"
        sent = get(server.url + opened)
        assert (sent.headers["content-type"], sent.content[:5]) == ("application/pdf", b"%PDF-")
