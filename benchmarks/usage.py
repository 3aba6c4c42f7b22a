"""Compares the tokens that a real server reports for a request with our count before sending it.

    python benchmarks/usage.py --base-url http://127.0.0.1:8080/v1 --model NAME --tokenizer tokenizer.json

Our count may be above the server's and must never be below it: a count that is too low overflows the window. With the
model's own ``tokenizer.json``, plain completions are counted exactly, except for a token that some servers prepend.
``--tokenizer`` may also be a model's name. The exit status is 1 if any count was too low.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import _machine
import openai
from _usage_cases import CHAT, COMPLETION

from quaestor.assemble import make_endpoint
from quaestor.core.config import Settings
from quaestor.llm.models import Request
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.plain_completion import CompletionModel

# What only a stream or our own loop needs; and one token of reply is enough.
_LEFT_OUT = ("stream", "stream_options", "stop", "temperature")


@dataclass(frozen=True, slots=True)
class Row:
    """One request.

    Attributes:
        server: its label.
        protocol: chat or completion.
        case: what was sent.
        theirs: prompt tokens that the server reports; None if it refused the request.
        ours: what was counted.
        refused: the server's words, if it refused.
    """

    server: str
    protocol: str
    case: str
    theirs: int | None
    ours: int
    refused: str = ""

    @property
    def difference(self) -> int | None:
        return None if self.theirs is None else self.ours - self.theirs


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    rows = [row for protocol in options.protocols for row in measured(options, protocol)]
    print(table(rows))
    if options.out:
        save(options.out, rows)
    return 1 if any((row.difference or 0) < 0 for row in rows) else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare a server's usage with our count.")
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True, help="the model's name at the server")
    parser.add_argument("--tokenizer", default="", help="tokenizer.json of the model; by its name if left out")
    parser.add_argument("--server", default="server", help="what the table calls it")
    parser.add_argument("--protocols", nargs="+", choices=("chat", "completion"), default=("chat", "completion"))
    parser.add_argument("--out", type=Path, help="also write the rows into this JSON file")
    return parser.parse_args(arguments)


def measured(options: argparse.Namespace, protocol: str) -> Iterator[Row]:
    """Send every case once, and yield its row."""
    settings = Settings(
        model=options.model, base_url=options.base_url, tokenizer=options.tokenizer, protocol=protocol, prefill="yes"
    )
    model = make_endpoint(settings)
    assert model is not None
    cases: Mapping[str, Request] = CHAT if protocol == "chat" else COMPLETION
    with openai.OpenAI(base_url=options.base_url, api_key="none", max_retries=0, timeout=120) as client:
        for case, request in cases.items():
            ours = model.counter.request(request.messages, request.tools)
            theirs, refused = asked(client, model, request)
            if theirs is None and isinstance(model, CompletionModel):
                # Some servers take no token ids; our own client then sends text as well.
                text = CompletionModel(options.model, base_url=options.base_url, counter=model.counter)
                theirs, refused = asked(client, text, request)
            yield Row(options.server, protocol, case, theirs, ours, refused)


def asked(client: openai.OpenAI, model: OpenAICompatibleModel, request: Request) -> tuple[int | None, str]:
    """Return the prompt's tokens as the server reports them, or None and what it says against the request."""
    try:
        return prompt_tokens(client, model, request), ""
    except openai.APIStatusError as error:
        return None, " ".join(f"{error.status_code} {error.message}".split())[:120]


def prompt_tokens(client: openai.OpenAI, model: OpenAICompatibleModel, request: Request) -> int:
    """Return the prompt's tokens as the server reports them for a reply of one token."""
    body = {name: value for name, value in model.body(request).items() if name not in _LEFT_OUT}
    headers = {"Connection": "close"}
    reply = client.post(model.path, body={**body, "max_tokens": 1}, cast_to=object, options={"headers": headers})
    usage = reply["usage"]  # type: ignore[index]
    return int(usage["prompt_tokens"])


def save(path: Path, rows: Sequence[Row]) -> None:
    """Write the rows, beside those of other servers that the file holds already."""
    before = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []
    servers = {row.server for row in rows}
    kept = [row for row in before if row["server"] not in servers]
    found = [*kept, *({**asdict(row), "difference": row.difference} for row in rows)]
    document = {"benchmark": "usage", "machine": _machine.describe(), "rows": found}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
    lines = ["| server | protocol | case | theirs | ours | difference |", "|---|---|---|---:|---:|---:|"]
    for row in rows:
        theirs = row.refused or row.theirs
        difference = "" if row.difference is None else f"{row.difference:+}"
        lines.append(f"| {row.server} | {row.protocol} | {row.case} | {theirs} | {row.ours} | {difference} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
