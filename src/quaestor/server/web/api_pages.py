"""The page that describes the HTTP API: each operation of the OpenAPI document with its fields and responses.

It needs no script and loads nothing from other sites.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response

from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_templates import page

router = APIRouter(route_class=PageRoute)
_HEADINGS = {"openai": "OpenAI's API", "operations": "For those who run the server"}

_METHODS = ("get", "post", "put", "patch", "delete")
_SCHEMAS = "#/components/schemas/"


@router.get("/docs")
async def show_api(request: Request) -> Response:
    """Describe every request that a program may send. This needs no token, like ``/openapi.json``."""
    operations = operations_by_tag(request.app.openapi())
    return page("api.html", parts=[(_HEADINGS.get(tag, "Our own API"), each) for tag, each in operations.items()])


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or field of a request.

    Attributes:
        name: its name.
        place: ``path``, ``query``, ``header`` or ``body``.
        kind: its type and allowed values.
        required: whether it is required.
        about: its description; may be empty.
    """

    name: str
    place: str
    kind: str
    required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API.

    Attributes:
        method: the HTTP method in capitals.
        path: its path, with the names of parameters in braces.
        about: its description.
        fields: its parameters and the fields of its body.
        answers: the status, media types and meaning of each response.
    """

    method: str
    path: str
    about: str
    fields: tuple[Field, ...]
    answers: tuple[tuple[str, str, str], ...]


def operations_by_tag(document: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """Return the operations of an OpenAPI document by their tag, in the document's order."""
    operations: dict[str, list[Operation]] = {}
    schemas = document.get("components", {}).get("schemas", {})
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                operation = methods[method]
                tag = (operation.get("tags") or [""])[0]
                operations.setdefault(tag, []).append(_operation(method, path, operation, schemas))
    return operations


def _operation(method: str, path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Operation:
    answers = tuple(
        (status, ", ".join(answer.get("content", {})), answer.get("description", ""))
        for status, answer in operation["responses"].items()
    )
    fields = (*_parameters(operation, schemas), *_body(operation, schemas))
    return Operation(method.upper(), path, operation.get("description", ""), fields, answers)


def _parameters(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[Field]:
    for one in operation.get("parameters", ()):
        schema = one.get("schema", {})
        description = one.get("description", schema.get("description", ""))
        yield Field(one["name"], one["in"], kind_of(schema, schemas), one.get("required", False), description)


def _body(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[Field]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = _resolve_reference(content.get("schema", {}), schemas)
        required = schema.get("required", ())
        for name, one in schema.get("properties", {}).items():
            description = one.get("description", _resolve_reference(one, schemas).get("description", ""))
            yield Field(name, "body", kind_of(one, schemas), name in required, description)


def kind_of(schema: Mapping[str, Any], schemas: Mapping[str, Any], depth: int = 3) -> str:
    """Return a schema's type in a few words: ``list of string or null``.

    Args:
        schema: a schema of the document.
        schemas: the schemas to which it may refer.
        depth: how deeply nested lists are described.
    """
    schema = _resolve_reference(schema, schemas)
    if "const" in schema or "enum" in schema:
        return " or ".join(map(repr, schema.get("enum", [schema.get("const")])))
    if options := schema.get("anyOf") or schema.get("oneOf"):
        kinds = (kind_of(one, schemas, depth) for one in options if one.get("type") != "null")
        return " or ".join(dict.fromkeys(kinds))
    if schema.get("type") == "array" and depth:
        return f"list of {kind_of(schema.get('items', {}), schemas, depth - 1)}"
    return str(schema.get("type", "anything"))


def _resolve_reference(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a reference names, or the schema itself."""
    name = str(schema.get("$ref", "")).removeprefix(_SCHEMAS)
    resolved: Mapping[str, Any] = schemas.get(name, schema)
    return resolved
