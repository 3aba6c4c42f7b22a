"""The authorisation matrix: for every route of the application, requests for another user's objects.

A route that is new fails ``test_authorisation.py`` until it has a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, str]
"""A method, and the path of a route with its parameters in braces."""


@dataclass(frozen=True)
class Ids:
    """Names of what is somebody's: real ones, or such as nobody has."""

    session: str
    document: str
    corpus: str = "my-documents"
    path: str = "diary.md"


NOBODYS = Ids("20260101-000000-abcdef", "0123456789abcdef", "no-such-corpus", "not-there.md")


@dataclass(frozen=True)
class Try:
    """One request.

    Attributes:
        path: where, with the ids of whatever is tried.
        send: what is sent with it, as httpx takes it.
        status: what somebody gets who tries with the ids of another, and with ids that nobody has.
        without: what somebody gets who is nobody.
    """

    path: Callable[[Ids], str]
    send: Callable[[Ids], Mapping[str, Any]] = field(default=lambda _: {})
    status: int = 404
    without: int = 401


def _session(rest: str = "", **send: Any) -> Try:
    return Try(lambda ids: f"/api/sessions/{ids.session}{rest}", lambda _: send)


def _open(path: str, without: int = 401, status: int = 200, **send: Any) -> Try:
    """Return a request that names nothing of anybody's: what it returns must hold nothing of another's."""
    return Try(lambda _: path, lambda _: send, status, without)


def _page(path: str, **send: Any) -> Try:
    """Return a look at a page: somebody who is nobody is led to where a token is asked for, and a script is told so."""
    return _open(path, 401 if path.startswith("/parts/") else 303, 200, **send)


def _of_session(rest: str = "") -> Try:
    return Try(lambda ids: f"/sessions/{ids.session}{rest}", without=303)


NATIVE: dict[Key, list[Try]] = {
    ("GET", "/api/corpora"): [_open("/api/corpora")],
    ("GET", "/api/overview"): [
        _open("/api/overview"),
        Try(lambda _: "/api/overview", lambda ids: {"params": {"corpus": ids.corpus}}),
    ],
    ("GET", "/api/stats"): [
        _open("/api/stats"),
        Try(lambda _: "/api/stats", lambda ids: {"params": {"corpus": ids.corpus}}),
    ],
    ("POST", "/api/search"): [
        _open("/api/search", json={"query": "heron"}),
        Try(lambda _: "/api/search", lambda ids: {"json": {"query": "heron", "corpus": ids.corpus}}),
        _open("/api/search", json={"query": "heron", "corpora": ["*"]}),
        Try(lambda _: "/api/search", lambda ids: {"json": {"query": "heron", "corpora": [ids.corpus]}}),
        Try(lambda _: "/api/search", lambda ids: {"json": {"query": "heron", "corpora": ["kitchen", ids.corpus]}}),
    ],
    ("GET", "/api/history"): [
        _open("/api/history"),
        Try(lambda _: "/api/history", lambda ids: {"params": {"corpus": ids.corpus}}),
    ],
    ("GET", "/api/passage"): [
        Try(lambda _: "/api/passage", lambda ids: {"params": {"path": ids.path}}),
        Try(lambda _: "/api/passage", lambda ids: {"params": {"path": ids.path, "corpus": ids.corpus}}),
    ],
    ("POST", "/api/ask"): [
        _open("/api/ask", json={"question": "what does the heron do?"}),
        Try(lambda _: "/api/ask", lambda ids: {"json": {"question": "the heron?", "corpus": ids.corpus}}),
    ],
    ("GET", "/api/sessions"): [
        _open("/api/sessions"),
        Try(lambda _: "/api/sessions", lambda ids: {"params": {"corpus": ids.corpus}}),
    ],
    ("POST", "/api/sessions"): [Try(lambda _: "/api/sessions", lambda ids: {"json": {"corpus": ids.corpus}})],
    ("GET", "/api/sessions/{id}"): [_session()],
    ("PATCH", "/api/sessions/{id}"): [_session(json={"title": "mine now"})],
    ("DELETE", "/api/sessions/{id}"): [_session()],
    ("GET", "/api/sessions/{id}/export"): [
        _session(f"/export?format={form}") for form in ("markdown", "json", "chatml")
    ],
    ("GET", "/api/sessions/{id}/window"): [_session("/window"), _session("/window?turn=1")],
    ("POST", "/api/sessions/{id}/turns"): [
        _session("/turns", json={"question": "the heron?"}),
        _session("/turns", json={"resume": True}),
    ],
    ("GET", "/api/sessions/{id}/turns/running"): [_session("/turns/running")],
    ("DELETE", "/api/sessions/{id}/turns/running"): [_session("/turns/running")],
    ("PUT", "/api/sessions/{id}/turns/{turn}/feedback"): [_session("/turns/1/feedback", json={"useful": True})],
    ("GET", "/api/usage"): [_open("/api/usage")],
    ("GET", "/api/documents"): [_open("/api/documents")],
    ("DELETE", "/api/documents/{id}"): [Try(lambda ids: f"/api/documents/{ids.document}")],
}

OPERATIONS: dict[Key, list[Try]] = {
    ("GET", "/healthz"): [_open("/healthz", without=200)],
    ("GET", "/metrics"): [_open("/metrics")],
    # What the API is like is not a secret; the source is public.
    ("GET", "/openapi.json"): [_open("/openapi.json", without=200)],
    ("GET", "/docs"): [_open("/docs", without=200)],
}

_ASKED = [{"role": "user", "content": "what does the bird do?"}]


def _input_to(corpus: str, stream: bool) -> dict[str, Any]:
    return {"model": corpus, "input": "what does the bird do?", "stream": stream}


def _prompt_to(corpus: str, stream: bool) -> dict[str, Any]:
    return {"model": corpus, "prompt": "what does the bird do?", "stream": stream}


OPENAI: dict[Key, list[Try]] = {
    ("GET", "/v1/models"): [_open("/v1/models")],
    ("GET", "/v1/models/{name:path}"): [_open("/v1/models/quaestor"), Try(lambda ids: f"/v1/models/{ids.corpus}")],
    ("POST", "/v1/chat/completions"): [
        _open("/v1/chat/completions", json={"model": "quaestor", "messages": _ASKED}),
        Try(lambda _: "/v1/chat/completions", lambda ids: {"json": {"model": ids.corpus, "messages": _ASKED}}),
        Try(
            lambda _: "/v1/chat/completions",
            lambda ids: {"json": {"model": ids.corpus, "messages": _ASKED, "stream": True}},
        ),
    ],
    ("POST", "/v1/responses"): [
        _open("/v1/responses", json={"model": "quaestor", "input": "what does the bird do?"}),
        *(
            Try(lambda _: "/v1/responses", lambda ids, stream=stream: {"json": _input_to(ids.corpus, stream)})
            for stream in (False, True)
        ),
    ],
    ("GET", "/v1/responses/{response}"): [_open("/v1/responses/resp_1", status=404)],
    ("POST", "/v1/completions"): [
        _open("/v1/completions", json={"model": "quaestor", "prompt": "what does the bird do?"}),
        *(
            Try(lambda _: "/v1/completions", lambda ids, stream=stream: {"json": _prompt_to(ids.corpus, stream)})
            for stream in (False, True)
        ),
    ],
    ("POST", "/v1/embeddings"): [
        _open("/v1/embeddings", json={"model": "quaestor", "input": "bird"}),
        Try(lambda _: "/v1/embeddings", lambda ids: {"json": {"model": ids.corpus, "input": "bird"}}),
    ],
}

PAGE: dict[Key, list[Try]] = {
    ("GET", "/"): [_page("/")],
    ("GET", "/sessions"): [_page("/sessions")],
    ("GET", "/parts/side"): [
        _page("/parts/side"),
        Try(lambda ids: f"/parts/side?session={ids.session}", status=200),
    ],
    ("GET", "/parts/indexing"): [_page("/parts/indexing")],
    ("GET", "/sessions/{session}"): [_of_session()],
    ("GET", "/parts/starters"): [
        _page("/parts/starters"),
        Try(lambda ids: f"/parts/starters?corpus={ids.corpus}", status=200),
    ],
    ("GET", "/sessions/{session}/turns/{number}/markdown"): [_of_session("/turns/1/markdown")],
    ("GET", "/sessions/{session}/turns/{number}/file"): [_of_session("/turns/1/file")],
    ("GET", "/pdf"): [Try(lambda ids: f"/pdf?corpus={ids.corpus}&path=a.pdf", without=303)],
    ("GET", "/sessions/{session}/turns"): [_of_session("/turns")],
    ("GET", "/sessions/{session}/turns/{number}/sources"): [_of_session("/turns/1/sources")],
    ("GET", "/sessions/{session}/turns/{number}/sources/{index}"): [_of_session("/turns/1/sources/0")],
    ("GET", "/sessions/{session}/turns/{number}/citations/{index}"): [_of_session("/turns/1/citations/0")],
    ("GET", "/sessions/{session}/turns/{number}/window"): [_of_session("/turns/1/window")],
    ("POST", "/sessions/{session}/turns/{number}/feedback"): [
        Try(lambda ids: f"/sessions/{ids.session}/turns/1/feedback", lambda _: {"data": {"useful": "yes"}}, without=303)
    ],
    ("POST", "/sessions/{session}/turns/{number}/changes/{index}"): [
        Try(lambda ids: f"/sessions/{ids.session}/turns/1/changes/0", lambda _: {"data": {"sure": "yes"}}, 403, 303)
    ],
    ("POST", "/parts/markdown"): [_page("/parts/markdown", json={"text": "*so*"})],
    ("POST", "/ask"): [
        _open("/ask", without=303, status=303, data={"question": "Which bird?"}),
        Try(lambda _: "/ask", lambda ids: {"data": {"question": "Which bird?", "session": ids.session}}, without=303),
        Try(lambda _: "/ask", lambda ids: {"data": {"question": "Which bird?", "corpus": ids.corpus}}, without=303),
    ],
    ("GET", "/documents"): [_page("/documents")],
    ("POST", "/documents/{id}/delete"): [
        Try(lambda ids: f"/documents/{ids.document}/delete", lambda _: {"data": {"sure": "yes"}}, without=303)
    ],
    ("GET", "/folders"): [_page("/folders")],
    **{
        ("POST", path): [_open(path, without=303, status=403, data={"folder": "/"})]
        for path in ("/folders", "/folders/look", "/folders/remove")
    },
    **{
        ("POST", path): [_open(path, without=303, status=403, data={"address": "https://docs.example.org/"})]
        for path in ("/sites", "/sites/look", "/sites/fetch", "/sites/held", "/sites/remove")
    },
    ("GET", "/usage"): [_page("/usage")],
    ("GET", "/parts/documents"): [_page("/parts/documents")],
    ("GET", "/passage"): [
        Try(
            lambda ids: f"/passage?path={ids.path}&start=1&end=1",
            status=200,
            without=303,
        ),
        Try(lambda ids: f"/passage?path={ids.path}&start=1&end=1&corpus={ids.corpus}", without=303),
    ],
    ("GET", "/picture"): [
        Try(lambda ids: f"/picture?path=x.png&corpus={ids.corpus}", without=303),
        Try(lambda ids: f"/picture?path={ids.path}&corpus={ids.corpus}", without=303),
    ],
    ("GET", "/search"): [
        _page("/search?q=bird"),
        Try(lambda ids: f"/search?q=bird&corpus={ids.corpus}", without=303),
        Try(lambda ids: f"/search?q=bird&corpus=kitchen&corpus={ids.corpus}", without=303),
        _page("/search?q=bird&corpus=*"),
    ],
    ("GET", "/log-in"): [_open("/log-in", without=200, status=303)],
    ("POST", "/log-in"): [_open("/log-in", without=401, status=401, data={"token": "nobodys"})],
    ("POST", "/log-out"): [_open("/log-out", without=303, status=303)],
    ("GET", "/static/{name}"): [_open("/static/base.css", without=200)],
    ("GET", "/static/{requested_version}/{name}"): [_open("/static/0/base.css", without=200)],
}

# Last, for from then on whoever tries has a document too.
LAST: dict[Key, list[Try]] = {
    ("POST", "/documents"): [
        _open("/documents", without=303, status=303, files={"files": ("diary.md", b"another diary")}),
    ],
    ("POST", "/api/documents"): [
        _open("/api/documents", status=201, json={"name": "diary.md", "text": "another diary"}),
    ],
}

ROWS: dict[Key, list[Try]] = {**NATIVE, **OPERATIONS, **OPENAI, **PAGE, **LAST}
