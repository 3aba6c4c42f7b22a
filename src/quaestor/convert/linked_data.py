"""What a page says of itself as JSON-LD."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from quaestor.convert.html_tree import Element

_LONGEST = 200_000
_WRITTEN = ("author", "datePublished", "dateCreated")


def linked_data(page: Element) -> dict[str, Any]:
    """Return the thing in a page's JSON-LD that says most of who wrote it and when; empty if none does."""
    things = [thing for raw in _scripts(page) for thing in _things(_read(raw))]
    best = max(things, key=lambda thing: sum(name in thing for name in _WRITTEN), default={})
    if isinstance(author := best.get("author"), dict) and "name" not in author:
        named = (thing for thing in things if thing.get("@id") == author.get("@id") and "name" in thing)
        best = {**best, "author": next(named, author)}
    return best


def first_name(author: object) -> str:
    """Return the names of an author or several, with commas between them."""
    if isinstance(author, list):
        return ", ".join(filter(None, map(first_name, author)))
    if isinstance(author, dict):
        author = author.get("name")
    return author if isinstance(author, str) else ""


def _scripts(page: Element) -> Iterator[str]:
    for one in page.elements():
        if one.name == "script" and one.get("type").lower() == "application/ld+json":
            yield "".join(child for child in one.children if isinstance(child, str))


def _read(raw: str) -> object:
    try:
        return json.loads(raw) if len(raw) <= _LONGEST else None
    except (ValueError, RecursionError):
        return None


def _things(data: object) -> Iterator[dict[str, Any]]:
    for one in data if isinstance(data, list) else [data]:
        if isinstance(one, dict):
            yield one
            graph = one.get("@graph")
            yield from (thing for thing in graph if isinstance(thing, dict)) if isinstance(graph, list) else ()
