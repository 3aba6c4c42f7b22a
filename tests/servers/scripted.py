"""An OpenAI-compatible server on a real socket that replies as a script says, and records the requests."""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from quaestor.core.messages import Message, ToolCall
from quaestor.llm.tokens import MessageCounter, counter_for, load_encoding
from servers.completions import Answer, as_event, chunks, whole
from servers.script import Recorded, Reply, Script, as_reply, in_pieces
from servers.styles import STYLES, Style, continues_message, overflow_body, recut
from servers.threads import Exchange, ThreadedServer
from servers.vectors import DIMENSIONS, embeddings_object

_LOOKS_EACH = 0.02
"""Seconds until a stream that waits looks again whether its client is still there."""


class ScriptedServer(ThreadedServer):
    """A model server in a thread; a context manager.

    Args:
        script: replies in order, of which the last repeats, or a function of the request.
        style: the habits of a real server, by name.
        window: tokens of prompt and reply that fit; None enforces nothing.
        models: names that are served; the first is the answer's.
        port: where it listens; 0: anywhere.

    Attributes:
        requests: every request, in order of arrival.
        failures: exceptions inside the server; a test that uses the fixture fails on any.
        described: what the list of models says of each beside its name.
        embeddings: what becomes of a request for embeddings: None: vectors of its words; an object: that; a reply: its
            status, reset or silence.
        dimensions: of those vectors.
        hung_up: set when a client goes away before its answer is whole.
        streams: how many streams have begun.
    """

    def __init__(
        self,
        script: Script = ("Hello.",),
        *,
        style: str = "openai",
        window: int | None = None,
        models: tuple[str, ...] = ("tiny",),
        port: int = 0,
    ) -> None:
        super().__init__(_Exchange, port)
        self.script = script
        self.style: Style = STYLES[style]
        self.window = window
        self.models = models
        self.requests: list[Recorded] = []
        self.described: dict[str, dict[str, Any]] = {}
        self.embeddings: Callable[[Recorded], Reply | dict[str, Any] | None] = lambda _request: None
        self.dimensions = DIMENSIONS
        self.failures: list[BaseException] = []
        self.hung_up = threading.Event()
        self.streams = 0
        self.counter: MessageCounter = counter_for("gpt-4o")
        self._answered = 0
        self._lock = threading.Lock()
        self._streaming: threading.Event | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def failed(self) -> None:
        error = sys.exc_info()[1]
        if isinstance(error, ConnectionError):
            self.hung_up.set()
        elif error is not None:
            self.failures.append(error)

    def next_reply(self, request: Recorded) -> Reply:
        """Return what the script says to a request."""
        if callable(self.script):
            return as_reply(self.script(request))
        with self._lock:
            place = min(self._answered, len(self.script) - 1)
            self._answered += 1
        return as_reply(self.script[place])

    def begin_stream(self) -> threading.Event:
        """Return the event that tells a stream to break off; a server of one stream sets the one before."""
        with self._lock:
            if self.style.one_stream and self._streaming is not None:
                self._streaming.set()
            self._streaming = threading.Event()
            self.streams += 1
            return self._streaming

    def tokens_of(self, body: Any) -> int:
        """Return the exact number of prompt tokens of a request's body."""
        if not isinstance(body, dict):
            return 0
        if "messages" in body:
            return self.counter.request(map(_message, body["messages"]), body.get("tools") or ())
        text = body.get("prompt", body.get("input", ""))
        return sum(map(self.counter.text, [text] if isinstance(text, str) else map(str, text)))


class _Exchange(Exchange):
    protocol_version = "HTTP/1.1"
    _poisoned = False

    @property
    def scripted(self) -> ScriptedServer:
        return self.server.owner  # type: ignore[attr-defined, no-any-return]

    @property
    def style(self) -> Style:
        return self.scripted.style

    def do_GET(self) -> None:
        self._record(b"")
        if self.path == "/v1/models":
            fixed = {"object": "model", "created": 0, "owned_by": "tests"}
            known = self.scripted.described
            data = [{"id": name, **fixed, **known.get(name, {})} for name in self.scripted.models]
            return self._send_json(200, {"object": "list", "data": data})
        return self._send_error(404, f"no such path {self.path}")

    def do_POST(self) -> None:
        if self._poisoned:
            return self._reset()
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = self._record(raw)
        if not isinstance(request.body, dict):
            return self._send_error(self.style.bad_json, "the body is not JSON")
        if self.path == "/v1/embeddings":
            return self._embed(request)
        if self.path not in ("/v1/chat/completions", "/v1/completions"):
            return self._send_error(404, f"no such path {self.path}")
        if request.body.get("model") not in self.scripted.models and self.style.unknown_model != 200:
            message = f"The model `{request.body.get('model')}` does not exist."
            return self._send_error(self.style.unknown_model, message)
        return self._complete(request)

    def _embed(self, request: Recorded) -> None:
        reply = self.scripted.embeddings(request)
        if isinstance(reply, dict):
            return self._send_json(200, reply)
        if reply is None or reply.status == 200:
            if reply is not None and reply.silent:
                self.connection.recv(1)
                raise ConnectionResetError
            tokens = request.prompt_tokens
            return self._send_json(200, embeddings_object(request.body, tokens, self.scripted.dimensions))
        if reply.reset:
            return self._reset()
        return self._send_error(reply.status, reply.error, reply.headers)

    def _record(self, raw: bytes) -> Recorded:
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        continues = continues_message(self.style, body)
        request = Recorded(self.path, headers, body, raw, self.scripted.tokens_of(body), continues)
        self.scripted.requests.append(request)
        return request

    def _complete(self, request: Recorded) -> None:
        reply_limit = request.body.get("max_completion_tokens") or request.body.get("max_tokens")
        if self._overflows(request.prompt_tokens, reply_limit):
            return self._send_overflow(request, reply_limit)
        reply = self.scripted.next_reply(request)
        if reply.silent:
            self.connection.recv(1)
            raise ConnectionResetError
        if reply.delay:
            time.sleep(reply.delay)
        if reply.status != 200:
            return self._send_error(reply.status, reply.error, reply.headers)
        if reply.raw is not None:
            return self._send_bytes(200, reply.raw, {"content-type": "text/event-stream", **reply.headers})
        answer = _answer(reply, request, self.scripted)
        if request.body.get("stream") and not reply.whole:
            return self._stream(reply, answer)
        return self._send_json(200, whole(answer))

    def _overflows(self, prompt: int, reply_limit: int | None) -> bool:
        window = self.scripted.window
        if window is None:
            return False
        beyond = self.style.reply_limit == "refuse" and prompt + (reply_limit or 0) > window
        return prompt >= window or beyond

    def _send_overflow(self, request: Recorded, reply_limit: int | None) -> None:
        assert self.scripted.window is not None
        if self.style.silent and request.body.get("stream"):
            return self._send_bytes(200, b"", {"content-type": "text/event-stream"})
        if self.style.overflow != "empty":
            body = overflow_body(self.style, self.scripted.window, request.prompt_tokens, reply_limit)
            return self._send_json(400, body)
        reply = Reply(finish_reason="length")
        answer = _answer(reply, request, self.scripted)
        return self._stream(reply, answer) if request.body.get("stream") else self._send_json(200, whole(answer))

    def _stream(self, reply: Reply, answer: Answer) -> None:
        broken_off = self.scripted.begin_stream()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        events = list(map(as_event, reply.events if reply.events is not None else chunks(answer)))
        last = None if reply.cut_after is None else reply.cut_after + 1
        for number, event in enumerate(events[:last]):
            if reply.may_end and number == len(answer.pieces) + answer.chat:
                self._wait(reply.may_end, broken_off)
            if reply.pause:
                broken_off.wait(reply.pause)
            if broken_off.is_set():
                return self._break_off(reset=False)
            self._send_chunk(event)
        if reply.cut_after is not None:
            return self._break_off(reset=reply.reset)
        if self.style.done and reply.events is None:
            self._send_chunk(as_event("[DONE]"))
        self._send_chunk(b"")
        return None

    def _wait(self, may_end: threading.Event, broken_off: threading.Event) -> None:
        while not (may_end.wait(_LOOKS_EACH) or broken_off.is_set()):
            if select.select([self.connection], [], [], 0)[0]:
                raise ConnectionResetError

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _break_off(self, *, reset: bool) -> None:
        self.close_connection = True
        if reset:
            self._reset()

    def _reset(self) -> None:
        # Lingering for no time turns the close into a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def _send_error(self, status: int, error: Any, headers: Any = None) -> None:
        body = error if isinstance(error, dict) else {"error": {"message": error, "type": "scripted", "code": None}}
        self._send_json(status, body, headers)
        self._poisoned = status == 500 and self.style.resets_after_500

    def _send_json(self, status: int, body: Any, headers: Any = None) -> None:
        self._send_bytes(status, json.dumps(body).encode(), {"content-type": "application/json", **(headers or {})})

    def _send_bytes(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _answer(reply: Reply, request: Recorded, scripted: ScriptedServer) -> Answer:
    """Apply stop sequences, the limit on the reply and the server's habits to a scripted reply."""
    body, style = request.body, scripted.style
    pieces, calls = list(reply.pieces), tuple(reply.calls)
    if calls and style.calls == "text":
        shown = [json.dumps({"name": call.name, "arguments": _parsed("".join(call.pieces))}) for call in calls]
        pieces, calls = [*pieces, *in_pieces("\n".join(shown))], ()
    elif style.calls != "scripted":
        calls = tuple(replace(call, pieces=recut("".join(call.pieces), style.calls)) for call in calls)
    stop = body.get("stop") or []
    pieces = _stopped(pieces, [stop] if isinstance(stop, str) else stop, keep=style.keeps_stop)
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    if style.reply_limit == "clamp" and scripted.window is not None:
        limit = min(limit or scripted.window, scripted.window - request.prompt_tokens)
    pieces, limited = _limited(pieces, limit)
    reason = reply.finish_reason or ("length" if limited else "tool_calls" if calls else "stop")
    generated = scripted.counter.text("".join(pieces)) + sum(scripted.counter.text("".join(c.pieces)) for c in calls)
    asked = not body.get("stream") or (
        style.stream_usage and (body.get("stream_options") or {}).get("include_usage", False)
    )
    usage = {"prompt_tokens": request.prompt_tokens, "completion_tokens": generated}
    usage["total_tokens"] = sum(usage.values())
    chat = request.path == "/v1/chat/completions"
    model = str(body.get("model") or scripted.models[0])
    return Answer(pieces, calls, reason, usage if asked and reply.usage else None, model, chat)


def _stopped(pieces: list[str], stops: list[str], *, keep: bool) -> list[str]:
    """Cut pieces at the first stop sequence, which is left in for servers that do."""
    text = "".join(pieces)
    met = [(text.index(stop), len(stop)) for stop in stops if stop in text]
    if not met:
        return pieces
    start, size = min(met)
    return _first_characters(pieces, start + size if keep else start)


def _limited(pieces: list[str], limit: int | None) -> tuple[list[str], bool]:
    """Cut pieces at a number of tokens; also say whether that cut anything off."""
    encoding = load_encoding("o200k_base")
    tokens = encoding.encode_ordinary("".join(pieces))
    if limit is None or len(tokens) <= limit:
        return pieces, False
    return _first_characters(pieces, len(encoding.decode(tokens[:limit], errors="ignore"))), True


def _first_characters(pieces: list[str], number: int) -> list[str]:
    found = []
    for piece in pieces:
        if number <= 0:
            break
        found.append(piece[:number])
        number -= len(piece)
    return found


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _message(wire: dict[str, Any]) -> Message:
    calls = tuple(
        ToolCall(call.get("id", ""), call["function"]["name"], call["function"]["arguments"])
        for call in wire.get("tool_calls") or ()
    )
    content = wire.get("content")
    text = content if isinstance(content, str) else json.dumps(content) if content else ""
    return Message(wire["role"], text, wire.get("name"), calls, wire.get("tool_call_id"))
