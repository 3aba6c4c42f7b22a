"""Holds a conversation in a terminal or a script: shows its turns, and runs the commands that begin with ``/``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from quaestor.accounts import Purpose
from quaestor.assemble import Index, conversation_settings, make_model, make_sessions, make_subroutines
from quaestor.chat.engine import Conversation
from quaestor.chat.events import (
    Called,
    Done,
    Event,
    Passages,
    Retried,
    Returned,
    Searching,
    Stopped,
    Summarising,
    Text,
    TurnOutcome,
)
from quaestor.chat.session_json import by_name, window_object, wire_messages
from quaestor.chat.turn import Preview
from quaestor.cli.answer_drawing import Answer, new_answer
from quaestor.cli.output import echo, one_line, print_json, remark, safe, style
from quaestor.cli.proposed_edits import ConversationEditor
from quaestor.cli.scope import Filters, remark_on, remark_on_unknown
from quaestor.cli.turn_details import (
    as_object,
    call_line,
    print_citations,
    print_decisions,
    print_event,
    print_messages,
    print_nearest,
    print_place,
    print_sections,
    print_support,
    print_unchecked,
    print_why,
    remark_on_sent,
    remark_on_unsupported,
)
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError, UsageError
from quaestor.core.wording import amount, command
from quaestor.edits import Proposal, parse
from quaestor.llm.prompts.numbered_passages import where
from quaestor.sessions.export import write_export
from quaestor.sessions.records import support_of
from quaestor.sessions.session_rows import runs
from quaestor.sessions.transcript import Transcript

UNKNOWN = 1

HELP = """\
  /help          show this list
  /window        show what the last turn sent to the model, and why
  /why           show the model's plan before its last answer, and its calls
  /sources       list the passages of the last turn, and which are cited
  /citations     show how well the answers of this session are supported
  /add PATH      send a file with every later question (@PATH: with one)
  /drop PATH     remove an added file; without PATH, all of them
  /retry         ask the last question again if its turn did not finish
  /edit WORDS    let the model propose a change; no file is changed yet
  /apply         show the last proposed change, ask, and make it
  /undo          revert the last edit
  /export FILE   save the conversation: Markdown, or all of it as .json
  /new           start another session
  /quit          leave (also /exit and Ctrl-D)

To write several lines, end each with a backslash, or put them between
triple quotes. Ctrl-C stops an answer."""


class ConversationLoop:
    """Asks questions in one session, and shows its turns.

    Args:
        index: the corpus.
        settings: the command's settings.
        transcript: a session to continue; None to begin one with the first question.
        filters: limit the documents, and say whether questions may limit them further.
        summaries: whether the model summarises messages that no longer fit.
        as_json: whether to print events instead of text.

    Attributes:
        settings: the command's settings.
        code: the exit code of the last error.
    """

    def __init__(
        self,
        index: Index,
        settings: Settings,
        transcript: Transcript | None,
        filters: Filters,
        *,
        summaries: bool,
        as_json: bool,
    ) -> None:
        self._index = index
        self.settings = settings
        self._filters = filters
        self._summaries = summaries
        self._json = as_json
        self._model = make_model(settings, Purpose(kind="chat", source=str(index.root)))
        self._conversation = self._about(transcript) if transcript else None
        self._last_call: dict[str, object] = {}
        self._changing = ConversationEditor(index.root, settings)
        self._proposed = Proposal()
        self.code = 0

    def close(self) -> None:
        """Release the session's file."""
        if self._conversation is not None:
            self._conversation.transcript.close()

    def greet(self) -> None:
        """Print the model and the end of the conversation so far."""
        remark(f"{self.settings.model or 'no model: answers are quotes'}; /help lists commands, Ctrl-D ends")
        turns = self._conversation.transcript.turns() if self._conversation else []
        if turns:
            remark(f"{amount(len(turns), 'turn')}; the last question was: {one_line(turns[-1].question[:100])}")
            if turns[-1].ending.state != "done":
                remark(f"its turn is {turns[-1].ending.state}; /retry asks it again")

    def say(self, text: str) -> bool:
        """Ask a question or run a command; return whether to continue."""
        name, _, rest = text.partition(" ")
        if not text.startswith("/") or name not in self._commands():
            if text.startswith("/") and name.removeprefix("/").isalpha():
                self._print_failure(UsageError(f"there is no command {name!r}; /help lists them"))
            else:
                self._ask(text)
            return True
        try:
            return self._commands()[name](rest.strip()) is not False
        except QuaestorError as error:
            self._print_failure(error)
        except OSError as error:
            self._print_failure(UsageError(f"{rest.strip()!r} cannot be written: {error.strerror or error}"))
        return True

    def print_what_was_recorded(self) -> None:
        """After Ctrl-C, print what was recorded and how to continue."""
        turns = self._conversation.transcript.turns() if self._conversation else []
        if not turns or turns[-1].ending.state == "done":
            remark("\nstopped")
            return
        partial = turns[-1].ending.partial.strip()
        words = amount(len(partial.split()), "word")
        recorded = f"the question and {words} of its answer" if partial else "the question"
        assert self._conversation is not None
        session = self._conversation.transcript.id
        again = command("chat", "--session", session)
        remark(f"\nstopped; the session keeps {recorded}. /retry asks again, now or later, in {again}")

    def preview(self, question: str) -> None:
        """Print the exact next request; send nothing."""
        conversation = self._conversation or self._about(Transcript.in_memory())
        preview = asyncio.run(conversation.preview(question))
        if self._json:
            print_json(self._preview_object(conversation, preview))
            return
        window = preview.window
        name = "no model, so nothing would be sent" if self._model is None else f"for {self._model.name}"
        echo(style(f"{window.tokens:,} of {window.limit:,} tokens, {name}", bold=True))
        print_sections(by_name(window.sections), tokens=window.tokens, limit=window.limit, reserve=window.reserve)
        print_messages(window.messages)

    # --- turns ------------------------------------------------------------------------------------------------

    def _ask(self, question: str) -> None:
        self._proposed = Proposal()
        self._show(self._conversation_ready().send(question))

    def _show(self, events: AsyncGenerator[Event]) -> None:
        """Show a turn; an error is printed and does not end the conversation."""
        try:
            asyncio.run(self._follow(events))
        except QuaestorError as error:
            self._print_failure(error)

    async def _follow(self, events: AsyncGenerator[Event]) -> None:
        try:
            async with aclosing(events):
                done = await (self._print_events(events) if self._json else self._draw_turn(events))
            if done is not None:
                self.code = 0 if done.known else UNKNOWN
                self._keep_proposals(done)
        finally:
            if self._model is not None:
                await self._model.aclose()

    async def _print_events(self, events: AsyncGenerator[Event]) -> Done | None:
        """Print events as JSON; return the last."""
        done: Done | None = None
        async for event in events:
            print_event(as_object(event))
            done = event if isinstance(event, Done) else done
        return done

    async def _draw_turn(self, events: AsyncGenerator[Event]) -> Done | None:
        """Show a turn to a person: the answer as it arrives and, when it is complete, where its citations lead."""
        outcome = TurnOutcome()
        with new_answer() as answer:
            async for event in events:
                outcome.take(event)
                self._show_event(answer, event)
        if outcome.reserve is not None:
            remark_on_sent(len(outcome.sent), len(outcome.hits))
        print_citations(outcome.citations)
        remark_on_unsupported(outcome.unsupported)
        if outcome.unchecked:
            print_unchecked(outcome.quotes)
        elif outcome.done is not None and not outcome.done.known:
            outcome_words = "no clear answer" if outcome.nearest else "not found"
            echo(style(f"({outcome_words} in this corpus)", dim=True))
            print_nearest(outcome.nearest)
        return outcome.done

    def _keep_proposals(self, done: Done) -> None:
        """Keep the turn's proposals for /apply."""
        proposals = [one for one in done.proposals if isinstance(one, Proposal)]
        self._proposed = Proposal(tuple(change for one in proposals for change in one.changes))
        # A model without tools writes a change into its answer.
        if (proposals or parse(done.answer)) and not self._json:
            remark("a change is proposed; /apply shows it and asks")

    def _show_event(self, answer: Answer, event: Event) -> None:
        name = "" if self._model is None else self._model.name
        match event:
            case Text(text=text):
                answer.write(text)
            case Called(name=called, arguments=arguments):
                self._last_call = {"name": called, "arguments": arguments}
                answer.wait_for(called)
            case Searching(understood=understood, missed=missed, unknown=unknown, translated=translated):
                answer.wait_for("searching")
                remark_on(understood, missed, translated)
                remark_on_unknown([one for one in unknown if one.nearest])
            case Passages(hits=hits):
                answer.wait_for(f"{name} reads {amount(len(hits), 'passage')}" if name else "quoting")
            case Returned():
                remark(call_line(self._last_call, event), dim=True)
                answer.wait_for(f"{name} continues")
            case Stopped(reason=reason):
                answer.say_below(reason)
            case Summarising(messages=number):
                remark(f"summarising {amount(number, 'message')} that no longer fit")
            case Retried(tools=True):
                remark("the server does not support tools; from now on they are described to the model as text")
            case Retried(limit=limit):
                remark(f"the request was too long for the server; composing it again for {limit} tokens")

    def _print_failure(self, error: QuaestorError) -> None:
        self.code = error.exit_code
        if self._json:
            print_event({"event": "error", "code": error.code, "message": str(error)})
        echo(f"{style('error:', fg='red', bold=True)} {safe(str(error))}", err=True)

    def _conversation_ready(self) -> Conversation:
        if self._conversation is None:
            transcript = make_sessions(self.settings).begin(root=str(self._index.root))
            self._conversation = self._about(transcript)
            if self._json:
                print_event({"event": "session", "id": transcript.id})
        return self._conversation

    def _about(self, transcript: Transcript) -> Conversation:
        filters, where = self._filters, self._filters.where
        return Conversation(
            self._index,
            self._model,
            limit=self.settings.window,
            settings=replace(
                conversation_settings(self.settings, summaries=self._summaries), where=where, filters=filters.understand
            ),
            transcript=transcript,
            subroutines=make_subroutines(self._index, self._model, self.settings, edits=True, where=where),
        )

    def _preview_object(self, conversation: Conversation, preview: Preview) -> dict[str, Any]:
        window = preview.window
        body = None if self._model is None else self._model.body(conversation.request(window))
        return {
            "query": preview.query,
            "request": body,
            "messages": wire_messages(window.messages),
            "window": window_object(
                sections=by_name(window.sections),
                tokens=window.tokens,
                limit=window.limit,
                reserve=window.reserve,
                decisions=runs((*window.decisions, *window.added)),
            ),
        }

    # --- commands ---------------------------------------------------------------------------------------------

    def _commands(self) -> dict[str, Callable[[str], object]]:
        return {
            "/help": lambda _: echo(HELP),
            "/window": lambda _: self._window(),
            "/why": lambda _: self._why(),
            "/sources": lambda _: self._sources(),
            "/citations": lambda _: self._citations(),
            "/add": self._add,
            "/drop": self._drop,
            "/retry": lambda _: self._retry(),
            "/edit": self._edit,
            "/apply": lambda _: self._apply(),
            "/undo": lambda _: self._changing.undo(),
            "/export": self._export,
            "/new": lambda _: self._new(),
            "/quit": lambda _: False,
            "/exit": lambda _: False,
        }

    def _record(self) -> Transcript:
        if self._conversation is None:
            raise UsageError("nothing was asked yet; ask something first")
        return self._conversation.transcript

    def _window(self) -> None:
        turns = self._record().turns()
        sent = self._record().requests(turns[-1].number) if turns else []
        if not sent:
            raise UsageError("the last turn sent nothing to a model")
        last = sent[-1]
        if self._json:
            return print_event({"event": "window", **asdict(last)})
        echo(style(f"{last.tokens:,} of {last.limit:,} tokens, to {one_line(last.model)}", bold=True))
        print_sections(last.sections, tokens=last.tokens, limit=last.limit, reserve=last.reserve)
        assert self._conversation is not None
        passages = [
            f"[{source.passage.n}] {where(source.passage)}" for source in self._record().sources(turns[-1].number)
        ]
        return print_decisions(last.decisions, self._conversation.messages, passages)

    def _why(self) -> None:
        turns = self._record().turns()
        number = turns[-1].number if turns else 0
        plan, calls = self._record().plan(number), self._record().calls(number)
        if self._json:
            fields = None if plan is None else asdict(plan)
            return print_event({"event": "why", "plan": fields, "calls": [asdict(call) for call in calls]})
        return print_why(plan, calls)

    def _sources(self) -> None:
        turns = self._record().turns()
        sources = self._record().sources(turns[-1].number) if turns else []
        if self._json:
            return print_event({"event": "sources", "sources": [asdict(source) for source in sources]})
        statuses = {citation.n: citation.status for citation in turns[-1].ending.citations} if turns else {}
        for source in sources:
            print_place(source.passage.n, where(source.passage), statuses.get(source.passage.n))
        if not sources:
            echo("  none")
        return None

    def _citations(self) -> None:
        support = support_of(self._record().turns())
        return print_event({"event": "support", **asdict(support)}) if self._json else print_support(support)

    def _add(self, path: str) -> None:
        conversation = self._conversation_ready()
        if path:
            remark(f"added: {one_line(conversation.add(path.removeprefix('@')))}")
        else:
            remark(f"added: {', '.join(map(one_line, conversation.added)) or 'nothing'}")

    def _drop(self, path: str) -> None:
        conversation = self._conversation_ready()
        for one in [path.removeprefix("@")] if path else conversation.added:
            remark(f"dropped: {one_line(conversation.drop(one))}")

    def _retry(self) -> None:
        self._record()
        assert self._conversation is not None
        self._show(self._conversation.resume())

    def _edit(self, instruction: str) -> None:
        if not instruction:
            raise UsageError("say what to change: /edit WORDS")
        if self._model is None:
            raise UsageError("edits need a model; begin with --model and --base-url")
        self._proposed = asyncio.run(
            self._changing.propose(self._index, self._model.with_purpose(kind="edit"), instruction, quiet=self._json)
        )
        if self._json:
            return print_event({"event": "edit", **self._changing.proposal_object(self._proposed)})
        return remark("/apply shows it as a diff and asks" if self._proposed else "no change was proposed")

    def _apply(self) -> None:
        proposal = self._proposed or parse(self._last_answer())
        if not proposal:
            raise UsageError("the last answer proposes no change; /edit WORDS asks for one")
        if self._json:
            # A program that reads events applies the diff itself, or runs `quaestor edit --reply`.
            return print_event({"event": "edit", **self._changing.proposal_object(proposal)})
        self._changing.apply(proposal)
        self._proposed = Proposal()
        return None

    def _last_answer(self) -> str:
        turns = self._record().turns()
        return "\n".join(message.content for message in turns[-1].ending.messages) if turns else ""

    def _export(self, name: str) -> None:
        if not name:
            raise UsageError("give a file: /export FILE")
        write_export(self._record(), Path(name).expanduser(), "json" if name.endswith(".json") else "markdown")
        remark(f"written to {name}")

    def _new(self) -> None:
        self.close()
        self._conversation = None
        remark("a new session begins with your next question")
