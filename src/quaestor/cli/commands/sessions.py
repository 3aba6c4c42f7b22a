"""``quaestor sessions``: lists, shows and manages recorded conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import click

from quaestor.assemble import make_sessions
from quaestor.cli.options import json_option, state_option, state_store
from quaestor.cli.output import echo, one_line, print_json, print_table, remark, safe, style
from quaestor.cli.scope import configure, find_root
from quaestor.cli.turn_details import (
    print_citations,
    print_decisions,
    print_messages,
    print_sections,
    print_support,
    print_why,
)
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.corpus.joint_corpus import roots_of
from quaestor.sessions.export import as_json as session_object
from quaestor.sessions.export import export_file, read_json, write_export
from quaestor.sessions.named_sessions import Sessions
from quaestor.sessions.records import SentRequest, TurnRecord, support_of
from quaestor.sessions.transcript import Transcript


@click.group("sessions")
def command() -> None:
    """List, show, resume, export, import or delete conversations."""


@command.command("list")
@state_option
@click.argument("path", required=False)
@json_option
def list_sessions(path: str | None, as_json: bool) -> None:
    """List conversations, latest first; with PATH, only those about it."""
    root = None if path is None else str(find_root(path))
    infos = _sessions().list(root=root)
    if as_json:
        return print_json({"sessions": [asdict(info) for info in infos]})
    if not infos:
        return remark("There are no sessions yet. `quaestor chat` begins one.")
    sound = [info for info in infos if info.error is None]
    rows = [
        (info.id, info.changed[:16].replace("T", " "), str(info.turns), ", ".join(roots_of(info.root)), info.title)
        for info in sound
    ]
    print_table(("session", "last used", "turns", "about", "first question"), rows)
    for info in infos:
        if info.error is not None:
            remark(f"warning: {info.error}")
    return None


@command.command("show")
@state_option
@click.argument("session")
@click.option("--turn", type=click.IntRange(1), help="Show this turn with everything that was sent to the model.")
@json_option
def show(session: str, turn: int | None, as_json: bool) -> None:
    """Show a conversation's questions, answers and outcomes."""
    with _sessions().open(session) as transcript:
        turns = [one for one in transcript.turns() if turn in (None, one.number)]
        if turn is not None and not turns:
            raise UsageError(f"session {transcript.id!r} has no turn {turn}; it has {len(transcript.turns())}")
        sent = transcript.requests(turn) if turn is not None else []
        if as_json:
            support = {"support": asdict(support_of(turns))}
            value = {**asdict(transcript.info()), "turns": [asdict(one) for one in turns], **support}
            return print_json({**value, **_steps(transcript, turn, sent)} if turn is not None else value)
        for one in turns:
            _print_turn(one)
        print_support(support_of(turns))
        if turn is not None:
            print_why(transcript.plan(turn), transcript.calls(turn))
        messages = transcript.conversation()[0]
        for request in sent:
            echo(style(f"sent {request.at}: {request.tokens:,} tokens to {request.model}", bold=True))
            print_sections(request.sections, tokens=request.tokens, limit=request.limit, reserve=request.reserve)
            print_decisions(request.decisions, [*request.messages[:1], *messages], [])
            print_messages(request.messages)
    return None


@command.command("resume")
@state_option
@click.argument("session")
@click.pass_context
def resume(context: click.Context, session: str) -> object:
    """Continue a conversation; the same as `quaestor chat --session`."""
    from quaestor.cli.commands.chat import command as chat  # noqa: PLC0415 - only this command holds a conversation

    return context.invoke(chat, session=session, store=state_store())


@command.command("export")
@state_option
@click.argument("session")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="A new file; stdout by default.")
@click.option("--markdown", is_flag=True, help="Markdown for people instead of complete JSON.")
@click.option("--json", "_json", is_flag=True, help="Complete JSON (the default).")
def export(session: str, output: Path | None, markdown: bool, _json: bool) -> None:
    """Write a conversation to a file, with all that a model was sent."""
    if markdown and _json:
        raise UsageError("--markdown and --json cannot be combined; give one")
    with _sessions().open(session) as transcript:
        if output is not None:
            return write_export(transcript, output, "markdown" if markdown else "json")
        if markdown:
            return echo(safe(export_file(transcript, "markdown")), nl=False)
        return print_json(session_object(transcript))


@command.command("import")
@state_option
@click.argument("file", type=click.File("r", encoding="utf-8"))
@json_option
def import_session(file: TextIO, as_json: bool) -> None:
    """Import an exported conversation, or one in OpenAI's format.

    In OpenAI's format, FILE is JSON with `messages`."""
    try:
        text = file.read()
    except UnicodeDecodeError:
        raise UsageError(
            f"{file.name!r} is not text in UTF-8; give a file that `quaestor sessions export` wrote"
        ) from None
    sessions = _sessions()
    with sessions.begin() as transcript:
        name = transcript.id
        try:
            read_json(text, transcript)
        except BaseException:
            sessions.delete(name)
            raise
        turns = len(transcript.turns())
    if as_json:
        return print_json({"id": name, "turns": turns})
    return echo(f"{name}: {amount(turns, 'turn')}")


@command.command("delete")
@state_option
@click.argument("sessions", nargs=-1, required=True)
@json_option
def delete(sessions: tuple[str, ...], as_json: bool) -> None:
    """Delete conversations permanently, with everything recorded.

    Damaged ones can be deleted, too."""
    known = _sessions()
    names = list(dict.fromkeys(map(known.find, sessions)))
    for name in names:
        known.delete(name)
    if as_json:
        return print_json({"deleted": names})
    return remark(f"deleted {', '.join(names)}")


def _sessions() -> Sessions:
    return make_sessions(configure(None, store=state_store()).settings)


def _steps(transcript: Transcript, turn: int, sent: Sequence[SentRequest]) -> dict[str, Any]:
    """Return a turn's requests, plan and calls."""
    plan = transcript.plan(turn)
    return {
        "requests": [asdict(one) for one in sent],
        "plan": None if plan is None else asdict(plan),
        "calls": [asdict(one) for one in transcript.calls(turn)],
    }


def _print_turn(turn: TurnRecord) -> None:
    ending = turn.ending
    echo(style(f"{turn.number}. {one_line(turn.question[:500])}", bold=True))
    if ending.state == "done":
        echo(safe(turn.answer))
        print_citations(ending.citations)
    else:
        detail = f": {one_line(ending.error)}" if ending.error else ""
        echo(style(f"({ending.state}{detail})", fg="yellow"))
    echo()
