"""Shows a turn's details (calls, citations, the window), and its events as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from quaestor.answers.citations.citation_marks import words_of_sentence
from quaestor.answers.quotes.readable_markup import as_shown
from quaestor.chat.events import Called, Composed, Event, Passages, Returned
from quaestor.chat.session_json import passage_place, place_of, subject_of
from quaestor.cli.output import echo, fill_lines, one_line, remark, safe, style, wrapped
from quaestor.core.documents import STANDING, UNCHECKED, Citation, CitationStatus, Hit
from quaestor.core.messages import Message
from quaestor.core.wording import amount
from quaestor.sessions.records import CallRecord, DecisionRun, Plan, Support
from quaestor.sessions.session_rows import passages_shown, runs

_LONGEST = 80
_MOST_LINES = 8
"""The most places that are printed on a line each although all of them hold."""


def call_line(call: Mapping[str, object], returned: Returned) -> str:
    """Return a call with its result on one line: ``→ search "login" (5 passages)``.

    Args:
        call: the call's ``name`` and ``arguments``.
        returned: the call's result.
    """
    arguments = call["arguments"]
    values = list(arguments.values()) if isinstance(arguments, Mapping) else []
    argument_text = " ".join(json.dumps(value, ensure_ascii=False) for value in values)
    argument_text = argument_text if len(argument_text) <= _LONGEST else f"{argument_text[: _LONGEST - 1]}…"
    return one_line(f"→ {call['name']} {argument_text} ({_outcome(returned)})")


def _outcome(returned: Returned) -> str:
    if returned.failed:
        return "failed: " + returned.text.partition("\n")[0][:_LONGEST]
    number = len(returned.passages)
    return f"{number} passage{'' if number == 1 else 's'}" if number else "done"


def print_why(plan: Plan | None, calls: Sequence[CallRecord]) -> None:
    """Print a model's plan and calls in a turn."""
    if plan is None:
        echo("  the model wrote no plan")
    else:
        wanted = ", ".join(plan.subroutines) or "nothing"
        rows = [("asked", plan.asked), ("depends on", plan.depends), ("would call", wanted)]
        rows += [("would edit", "yes")] * plan.edit + [("problem", plan.problem)] * bool(plan.problem)
        for name, text in rows:
            echo(f"  {name.ljust(10)}  {one_line(text)}")
    for call in calls:
        end = "failed" if call.failed else amount(len(call.numbers), "passage") if call.numbers else "done"
        echo(f"  called      {one_line(f'{call.name} {call.arguments}')} ({end})")


LEGEND = "✓: the source has these words; whether they are right is for you to judge"

_LINES_OF_NEAREST = 6
_LONGEST_OF_NEAREST = 300

_MARKS = {"verified": ("✓", None), "repaired": ("~", "yellow"), "unverified": ("✗", "red")}


def print_citations(citations: Sequence[Citation]) -> None:
    """Print the places that an answer cites, without duplicates, one per line; many that hold stand together."""
    lines = {(one.n, f"{one.path}:{one.start_line}", one.status, one.url): None for one in citations}
    holding = {one: f"[{one[0]}] {one_line(one[1])}" for one in lines if one[2] == "verified" and not one[3]}
    if together := len(holding) > _MOST_LINES:
        echo(f"  {standing_of('verified')}:")
        for line in fill_lines(holding.values(), "      "):
            echo(line)
    for n, place, status, url in (one for one in lines if not together or one not in holding):
        print_place(n, place, status)
        if url:
            echo(f"      {style(one_line(url), dim=True)}")


def print_unchecked(quotes: Sequence[Citation]) -> None:
    """Print that no citation of an answer is valid, followed by quotes from the corpus."""
    echo()
    for line in wrapped(UNCHECKED):
        echo(style(line, bold=True))
    if not quotes:
        return
    echo("From the corpus:")
    for quote in quotes:
        print_place(quote.n, f"{quote.path}:{quote.start_line}", quote.status)
        for line in quote.quote.splitlines():
            echo(f"      {safe(line)}")


def print_nearest(hits: Sequence[Hit]) -> None:
    """Print the nearest passages to a question that the corpus does not answer clearly, with how the first begins."""
    if hits:
        echo("Nearest passages:")
    for rank, hit in enumerate(hits):
        echo(f"  {one_line(place_of(hit))}" + (f"  {one_line(hit.symbol)}" if hit.symbol else ""))
        for line in () if rank else _first_lines(hit):
            echo(style(f"      {safe(line)}", dim=True))


def _first_lines(hit: Hit) -> Sequence[str]:
    """Return the first lines of a hit, from the one that names what it is: imports may stand before that."""
    text = as_shown(hit.text, hit.text, hit.document.language)
    lines, name = text.strip("\r\n").splitlines(), (hit.symbol or "").rpartition(".")[2]
    first = next((at for at, line in enumerate(lines) if name and name in line), 0)
    shown = lines[first : first + _LINES_OF_NEAREST]
    return [line if len(line) <= _LONGEST_OF_NEAREST else f"{line[:_LONGEST_OF_NEAREST]}…" for line in shown]


def remark_on_unsupported(sentences: Sequence[str]) -> None:
    """Print the unsupported sentences of an answer."""
    if sentences:
        counted = "sentence has" if len(sentences) == 1 else "sentences have"
        remark(f"{len(sentences)} {counted} no passage behind {'it' if len(sentences) == 1 else 'them'}:")
    for sentence in sentences:
        remark(f"  - {one_line(words_of_sentence(sentence))[:160]}")


def remark_on_sent(sent: int, retrieved: int) -> None:
    """Print the number of passages shown to the model, if it is smaller than the number of hits."""
    if sent < retrieved:
        remark(f"{sent} of {retrieved} passages sent: a larger window (--window) would hold more")


def print_place(n: int, place: str, status: CitationStatus | None) -> None:
    """Print a place with its number and its citation's status; None if it is not cited."""
    mark = standing_of(status) if status else "· not cited"
    echo(f"  [{n}] {style(one_line(place), fg='cyan')}  {mark}")


def standing_of(status: CitationStatus) -> str:
    """Return a citation's status mark with its label, in its colour."""
    mark, colour = _MARKS[status]
    return style(f"{mark} {STANDING[status]}", fg=colour)


def print_support(support: Support) -> None:
    """Print how well the answers of a session are supported."""
    parts = [
        f"{support.answers} answered, {support.refused} without an answer in the corpus, {support.uncited} uncited",
        f"{support.verified} citations verified, {support.repaired} found nearby, {support.unverified} not found",
        f"{support.unsupported} unsupported sentences",
    ]
    for line in parts:
        echo(f"  {line}")


_WIDTH = 40
_COLOURS = {"kept": "green", "recalled": "cyan", "trimmed": "yellow", "summarised": "magenta", "dropped": "red"}


def print_sections(sections: Mapping[str, int], *, tokens: int, limit: int, reserve: int) -> None:
    """Print a bar for each section of a window of ``limit`` tokens."""
    rows = [(name, count) for name, count in sections.items() if count]
    rows += [("reserve", reserve), ("free", limit - reserve - tokens)]
    wide = max(len(name) for name, _ in rows)
    for name, count in rows:
        bar = "█" * max(round(count / limit * _WIDTH), 1 if count else 0)
        echo(f"  {name.ljust(wide)}  {count:>7,}  {style(bar, dim=name in ('reserve', 'free'))}".rstrip())


def print_decisions(decisions: Iterable[DecisionRun], messages: Sequence[Message], passages: Sequence[str]) -> None:
    """Print the decision on each message and passage.

    Args:
        decisions: the recorded decisions.
        messages: the conversation's messages.
        passages: the place of each passage, as text.
    """
    for run in decisions:
        action = style(run.action.ljust(10), fg=_COLOURS.get(run.action))
        cost = f"{run.tokens:>6,}" if run.tokens == run.full_tokens else f"{run.tokens:>6,} of {run.full_tokens:,}"
        echo(f"  {action} {cost}  {one_line(subject_of(run, messages, passages))}: {one_line(run.reason)}")


def print_messages(messages: Iterable[Message]) -> None:
    """Print messages in full, as they are sent."""
    for message in messages:
        name = f" ({one_line(message.name)})" if message.name else ""
        echo(style(f"--- {message.role}{name} ", bold=True).ljust(60, "-"))
        echo(safe(message.content))
        for call in message.tool_calls:
            echo(safe(f"{call.name}({call.arguments})"))


def print_event(value: dict[str, Any]) -> None:
    """Print one JSON object on one line, and flush it."""
    echo(json.dumps(value))


def as_object(event: Event) -> dict[str, Any]:
    """Return an event as JSON values."""
    return {"event": type(event).__name__.lower(), **_content(event)}


def _content(event: Event) -> dict[str, Any]:
    match event:
        case Passages(hits=hits, known=known, numbers=numbers):
            return {"known": known, "hits": _hits(hits, numbers)}
        case Composed(window=window, model=model):
            sizes = {"tokens": window.tokens, "limit": window.limit, "reserve": window.reserve}
            sent = len(passages_shown(runs(window.decisions)))
            return {"model": model, **sizes, "sections": dict(window.sections), "sent": sent}
        case Returned(name=name, text=text, passages=passages, failed=failed):
            return {"name": name, "text": text, "failed": failed, "passages": list(map(passage_place, passages))}
        case Called(name=name, arguments=arguments):
            return {"name": name, "arguments": dict(arguments)}
        case _:
            return _plain(event)


def _plain(event: Event) -> dict[str, Any]:
    """Return an event's fields, with proposals as JSON values."""
    return {key: _jsonable(value) for key, value in asdict(event).items() if key != "proposals" or value}


def _jsonable(value: object) -> object:
    try:
        json.dumps(value)
    except TypeError:
        return json.loads(json.dumps(value, default=str))
    return value


def _hits(hits: Sequence[Hit], numbers: Sequence[int]) -> list[dict[str, Any]]:
    numbers = numbers or range(1, len(hits) + 1)
    return [
        {
            "n": n,
            "path": hit.path,
            "start_line": hit.start_line,
            "end_line": hit.end_line,
            "score": hit.score,
            "symbol": hit.symbol,
            "title": hit.document.title,
            "url": hit.document.url,
            "sha256": hit.document.sha256,
        }
        for n, hit in zip(numbers, hits, strict=True)
    ]
