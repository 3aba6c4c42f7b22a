"""The page that describes the API: every operation of the OpenAPI document, without anything from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from served import Running, get

from quaestor.server.web.api_pages import Field, kind_of, operations_by_tag


class _Loaded(HTMLParser):
    """Notes what a page loads, and what it would run."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "link", "img", "iframe"):
            self.loads.append(str(given.get("src") or given.get("href")))
        self.inline += [name for name in given if name.startswith("on") or name == "style"]


def test_every_operation_is_described(shared: Running) -> None:
    document = get(f"{shared.url}/openapi.json").json()
    answer = get(f"{shared.url}/docs")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    shown = set(re.findall(r"<summary><code>(\w+ [^<]+)</code>", answer.text))
    told = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert shown == told
    assert {"POST /v1/responses", "POST /v1/completions", "POST /api/search"} <= shown


def test_nothing_comes_from_elsewhere_and_nothing_runs(shared: Running) -> None:
    page = _Loaded()
    page.feed(get(f"{shared.url}/docs").text)
    assert page.loads and all(one.startswith("/static/") for one in page.loads)
    assert page.inline == []


SCHEMAS: dict[str, Any] = {
    "Ask": {
        "required": ["question"],
        "properties": {
            "question": {"type": "string", "description": "what is asked"},
            "order": {"$ref": "#/components/schemas/Order"},
            "paths": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
    },
    "Order": {"enum": ["new", "old"], "description": "which comes first"},
    "Tree": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
}


def test_fields_are_told_with_their_types() -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ask"}}}}
    number = {"name": "n", "in": "query", "schema": {"type": "integer"}}
    operation = {"requestBody": body, "parameters": [number], "responses": {"200": {"description": "It."}}}
    document = {"paths": {"/ask": {"post": operation}}, "components": {"schemas": SCHEMAS}}
    [[found]] = operations_by_tag(document).values()
    assert found.fields == (
        Field("n", "query", "integer", False, ""),
        Field("question", "body", "string", True, "what is asked"),
        Field("order", "body", "'new' or 'old'", False, "which comes first"),
        Field("paths", "body", "list of string", False, ""),
    )
    assert found.answers == (("200", "", "It."),)


def test_a_schema_that_holds_itself_ends() -> None:
    assert kind_of(SCHEMAS["Tree"], SCHEMAS) == "list of list of list of array"
