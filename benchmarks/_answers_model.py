"""A scripted model on a real socket that always quotes the right lines, if they were sent to it.

It is told which question comes next. Of the passages in the request it cites those that overlap the evidence, with the
lines that hold the required words. If none was sent, it says that it does not know. So its answers measure what search
and prompt bring to a model, not a model.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from _answers_judge import SHORT_HASH
from _answers_set import Question

from quaestor.answers.citations.citation_marks import NO_ANSWER

_PASSAGE = re.compile(
    r'<passage n="(?P<n>\d+)" from="(?P<path>[^"]*?):(?P<start>\d+)(?:-\d+)?"[^>]*>\n(?P<text>.*?)\n</passage>',
    re.DOTALL,
)
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class SentLine:
    """A line of a passage in a request: the passage's number, its path, and the line's number and text."""

    n: int
    path: str
    line: int
    text: str


def reply_to(question: Question, prompt: str) -> str:
    """Return the answer to a question that the passages in a prompt allow, each claim with its mark."""
    usable = [line for line in sent_lines(prompt) if line.text.strip() and _answers(question, line)]
    chosen = list(dict.fromkeys(_worded(question, usable) or usable[:1]))
    if not chosen:
        return f"{NO_ANSWER} None of the passages says it."
    return "\n".join(
        f'In `{line.path}` stands `{line.text.strip()[:_LONGEST]}` [{line.n}: "{line.text.strip()[:_LONGEST]}"].'
        for line in chosen
    )


def sent_lines(prompt: str) -> Iterator[SentLine]:
    """Yield the lines of all passages in a prompt."""
    for found in _PASSAGE.finditer(prompt):
        for line, text in enumerate(found["text"].split("\n"), int(found["start"])):
            yield SentLine(int(found["n"]), found["path"], line, text)


def _answers(question: Question, line: SentLine) -> bool:
    if not question.answerable:
        return False
    if any(commit[:SHORT_HASH] in line.text for commit in question.commits):
        return True
    if not question.evidence:
        return not question.commits
    return any(target.holds(line.path, line.line, line.line) for target in question.evidence)


def _worded(question: Question, lines: Sequence[SentLine]) -> Iterator[SentLine]:
    """Yield for each group of required words or parts the first line that holds one, or whose path does."""
    for group in (*question.requires, *question.parts):
        words = [word.casefold() for word in group]
        holding = (line for line in lines if any(word in f"{line.text}\n{line.path}".casefold() for word in words))
        yield from list(holding)[:1]


class QuotingServer:
    """An OpenAI-compatible server on a free port of this machine that answers as ``reply_to`` does."""

    def __init__(self) -> None:
        self._question: Question | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """The API's root."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def take(self, question: Question) -> None:
        """Take the question that comes next."""
        self._question = question

    def reply(self, body: dict[str, Any]) -> str:
        """Return the reply to a request."""
        assert self._question is not None
        return reply_to(self._question, "\n".join(str(message.get("content")) for message in body["messages"]))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler_for(server: QuotingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text = server.reply(body)
            sent = _stream(text) if body.get("stream") else json.dumps(_completion(text, "message")).encode()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if body.get("stream") else "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *values: object) -> None:
            """Say nothing."""

    return Handler


def _stream(text: str) -> bytes:
    chunk = _completion(text, "delta")
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()


def _completion(text: str, field: str) -> dict[str, Any]:
    choice = {"index": 0, field: {"role": "assistant", "content": text}, "finish_reason": "stop"}
    kind = "chat.completion" if field == "message" else "chat.completion.chunk"
    return {"id": "q", "object": kind, "created": 1, "model": "scripted", "choices": [choice]}
