"""Files of a small project, and helpers that read an overview of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from quaestor import Index
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_text import Entry, Overview
from quaestor.chunking.languages import recognise
from quaestor.core.documents import Chunk, Document, Span
from quaestor.stores import Store, StoredChunk

README = """<p align="center"><img src="logo.png"></p>

# Shop

[![build](https://example.org/badge.svg)](https://example.org)

> **Note**: read the guide first.

- [Install](#install)
- [Usage](#usage)

Shop is a small library that sends orders to a warehouse and tries again when that fails.

## Install

Run pip install shop and wait for it to be done with everything.
"""
FILES = {
    "README.md": README,
    "CONTRIBUTING.md": """# Contributing

- `src/shop/` - the library
  - `retry.py` - decides when an order is sent again
- `tools/`: scripts for releases

Run the tests:

    $ pytest -q tests
""",
    "pyproject.toml": """[project]
name = "shop"
description = "Orders, sent."

[project.scripts]
shop = "shop.cli:main"

[build-system]
build-backend = "hatchling.build"
""",
    "Makefile": "test:\n\tpytest\n\nbuild:\n\tpython -m build\n",
    ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: tox run\n",
    "src/shop/__init__.py": '"""Orders for a warehouse."""\n\nfrom shop.retry import send\n',
    "src/shop/cli.py": '"""The command line."""\n\nfrom shop.retry import send\n\n\ndef main():\n    send()\n',
    "src/shop/retry.py": "# Copyright 2020 Somebody. All rights reserved.\n\ndef send():\n    return 1\n",
    "src/shop/orders/__init__.py": '"""What is ordered, and by whom."""\n\nfrom shop.retry import send\n',
    "src/shop/orders/order.py": "class Order:\n    pass\n",
    "src/shop/__main__.py": "from shop.cli import main\n\nmain()\n",
    "tests/test_retry.py": "from shop.retry import send\n\n\ndef test_it():\n    assert send()\n",
    "tools/release.py": "def release():\n    pass\n",
}
Make = Callable[..., Index]
OverviewOf = Callable[[Mapping[str, str]], str]

ORDERS = {"shop/orders.py": "def send(order):\n    return order\n"}


def lines_of(found: Overview, title: str) -> dict[str, str]:
    """Return what a section says, by name."""
    [section] = [one for one in found.sections if one.title == title]
    return {one.name or ", ".join(one.further): one.says.text if one.says else "" for one in section.entries}


class Texts:
    """A store of files that are written nowhere: each is one chunk, found by any word that it holds."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def documents(self) -> dict[str, Document]:
        """Return all documents by path."""
        return {path: _document(path, text) for path, text in self._files.items()}

    def chunks_of(self, path: str) -> list[StoredChunk]:
        """Return the only chunk of a document that has any text."""
        text = self._files.get(path, "")
        span = Span(0, len(text.encode()), 1, text.count("\n") + (not text.endswith("\n")))
        chunk = Chunk(span, text, None, "block")
        return [StoredChunk([*self._files].index(path), _document(path, text), chunk, 0)] if text.strip() else []

    def lexical(self, words: Sequence[str], most: int, *_: object) -> list[tuple[int, float]]:
        """Return which chunks hold any of some words."""
        texts = enumerate(self._files.values())
        return [(at, 1.0) for at, text in texts if any(word in text.lower() for word in words)][:most]

    def get(self, identifiers: Iterable[int]) -> dict[int, StoredChunk]:
        """Return chunks by their identifiers."""
        paths = [*self._files]
        return {one: chunk for one in identifiers for chunk in self.chunks_of(paths[one])}


def _document(path: str, text: str) -> Document:
    data = text.encode()
    return Document(path, "", len(data), 0, recognise(data, path))


def material_of(files: Mapping[str, str], folder: str = "") -> Material:
    """Return the material of an overview of some files, quicker than by an index of them."""
    return Material(cast("Store", Texts(files)), folder)


def shown(entry: Entry) -> tuple[object, ...]:
    """Return an entry's name with the line that it is read from, its words, and what else the file has."""
    says = entry.says
    if says is None:
        return (entry.name,)
    line = says.source.start_line if says.source else None
    return (entry.name, line, says.text, *entry.also)


def stands_where_it_says(entry: Entry, files: Mapping[str, str]) -> bool:
    """Return whether an entry's words are those of its line, and whether it says so where they are so to the letter."""
    says = entry.says
    if says is None or says.source is None:
        return says is None
    source = says.source
    line = files[source.path].split("\n")[source.start_line - 1]
    alike = "".join(says.text.split()) in "".join(line.split())
    return alike and source.start_line == source.end_line and says.verbatim == (says.text in line)
