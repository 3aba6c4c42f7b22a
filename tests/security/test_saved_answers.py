"""An answer that is saved as a page of its own, and the page that shows it: nothing in either runs or is fetched.

What is hostile stands wherever it can: question, title, model's name, names and headings of documents, and the answer.
The saved page is opened from a disk, where no header of ours tells a browser what it may do.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from native_parts import begin, client, turn
from served import serving, write

from scripted_server import ScriptedServer

SCRIPT = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
ANSWER = "\n\n".join(
    (
        f"{SCRIPT} The dough rests for eighteen hours [1]. [2]",
        "<svg/onload=alert(3)> <iframe srcdoc='<script>alert(4)</script>'> <!-- --><base href=//e.example>",
        "[a](javascript:alert(5)) [b](data:text/html,x) [c]( java\tscript:alert(6)) [d](vbscript:x)",
        "[e]: javascript:alert(7)\n\n[f][e] <javascript:alert(8)>",
        "![g](https://e.example/p.png?q=1) ![h](javascript:alert(9)) ![i](//e.example/p.png)",
        r"$$\href{javascript:alert(10)}{x}$$ $\url{javascript:alert(11)}$ $\text{<img src=x onerror=alert(12)>}$",
        f"```{SCRIPT}\n</code></pre>{SCRIPT}\n```",
        f"| {SCRIPT} |\n|--|\n| {SCRIPT} |",
        '<https://e.example/"onmouseover=alert(13)> [j](https://e.example/%22onclick=alert(14) "t\\" onclick=x ")',
    )
)
FILES = {
    'we"><img src=x onerror=alert(15)>.md': f"# Dough {SCRIPT}\n\nThe dough rests {SCRIPT} for eighteen hours.\n",
    "a&b'.md": "# D'ough\n\nThe dough rests in the refrigerator.\n",
}
RUNS = frozenset({"script", "iframe", "object", "embed", "base", "meta", "link"})
FETCHES = frozenset({"src", "srcset", "data", "poster", "background", "style"})


class _Page(HTMLParser):
    """Collects what a browser would run, fetch or go to by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        # What the page itself brings is ours, and meant to be.
        ours = named.get("src", named.get("href", "")).startswith("/static/") or "charset" in named
        if tag in RUNS and not ours and named.get("name") not in ("viewport", "color-scheme"):
            self.found.append(f"<{tag}> {named}")
        for name, value in named.items():
            leads = re.sub(r"[\s\0-\x1f]", "", value).lower()
            runs = name.startswith("on") or leads.startswith(("javascript:", "data:", "vbscript:"))
            if runs or (name in FETCHES and not ours):
                self.found.append(f"{tag} {name}={value}")


def test_what_is_hostile_would_be_noticed() -> None:
    page = _Page()
    page.feed(ANSWER)
    assert len(page.found) > 10


@pytest.mark.parametrize("place", ["/sessions/{}", "/sessions/{}/turns/1/file", "/sessions/{}/turns/1/sources"])
def test_nothing_runs_and_nothing_is_fetched(tmp_path: Path, place: str) -> None:
    with (
        ScriptedServer([ANSWER]) as model,
        serving(
            write(tmp_path / "kitchen", FILES), home=tmp_path / "home", model='t"><script>', base_url=model.base_url
        ) as server,
        client(server.url) as api,
    ):
        session = begin(api, title=SCRIPT)
        turn(api, session, f"how long does the dough rest? {SCRIPT}")
        answer = api.get(place.format(session))
    assert answer.status_code == 200
    assert "alert(2)" in answer.text, "what is hostile is there, as text"
    page = _Page()
    page.feed(answer.text)
    assert page.found == []
