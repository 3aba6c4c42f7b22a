"""Renders documentation to HTML with real generators, and keeps the author's content apart from the site around it.

MkDocs (Material theme) and Sphinx (Furo theme) hand over each page's content before they put it into the page.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

SITE = "https://docs.example/"

_MKDOCS = """site_name: Handbook
site_url: https://docs.example/
theme: {name: material, features: [navigation.tabs, navigation.footer, content.action.edit, toc.follow]}
repo_url: https://code.example/project
edit_uri: edit/main/docs/
hooks: [hook.py]
plugins: [search]
markdown_extensions: [admonition, attr_list, def_list, footnotes, tables, toc: {permalink: true}, pymdownx.highlight,
  pymdownx.superfences, pymdownx.tabbed: {alternate_style: true}]
"""
_MKDOCS_HOOK = """
import json, os
def on_page_content(html, page, config, files):
    with open(os.environ["CONTENTS"], "a") as file:
        file.write(json.dumps({"path": page.file.dest_uri, "url": page.canonical_url, "html": html}) + "\\n")
    return html
"""
_SPHINX = """
import json, os
project = "Handbook"
html_theme = "furo"
html_baseurl = "https://docs.example/"
exclude_patterns = ["_build", "**/conf.py"]
def keep(app, pagename, templatename, context, doctree):
    if doctree is not None:
        path = f"{pagename}.html"
        with open(os.environ["CONTENTS"], "a") as file:
            record = {"path": path, "url": f"https://docs.example/{path}", "html": context["body"]}
            file.write(json.dumps(record) + "\\n")
def setup(app):
    app.connect("html-page-context", keep)
"""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page.

    Attributes:
        name: of its documentation and its path.
        url: where it would be served.
        whole: the page as a reader's browser gets it.
        content: what its author wrote, as HTML.
    """

    name: str
    url: str
    whole: str
    content: str


def with_mkdocs(docs: Path) -> Iterator[Rendered]:
    """Render a folder of Markdown with MkDocs and Material."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(docs, place / "docs", ignore=shutil.ignore_patterns("*.py", "overrides"))
        (place / "mkdocs.yml").write_text(_MKDOCS)
        (place / "hook.py").write_text(_MKDOCS_HOOK)
        yield from _rendered(place, docs, [sys.executable, "-m", "mkdocs", "build", "-q", "-d", "site"])


def with_sphinx(docs: Path) -> Iterator[Rendered]:
    """Render a folder of reStructuredText with Sphinx and Furo; what needs an extension is left out."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(docs, place / "docs", ignore=shutil.ignore_patterns("conf.py", "_templates"))
        (place / "docs" / "conf.py").write_text(_SPHINX)
        yield from _rendered(place, docs, [sys.executable, "-m", "sphinx", "-Q", "-b", "html", "docs", "site"])


def _rendered(place: Path, docs: Path, command: list[str]) -> Iterator[Rendered]:
    contents = place / "contents.jsonl"
    subprocess.run(
        command, cwd=place, check=True, env={**os.environ, "CONTENTS": str(contents)}, stdout=subprocess.DEVNULL
    )
    for line in contents.read_text().splitlines():
        record = json.loads(line)
        whole = place / "site" / record["path"]
        if whole.is_file() and record["html"].strip():
            yield Rendered(f"{docs.parent.name}/{record['path']}", record["url"], whole.read_text(), record["html"])
