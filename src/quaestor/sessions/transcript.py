"""The append-only record of one session: questions, requests, answers, and the end of each turn.

Each step is one transaction. A turn's messages join the conversation in the same transaction that records it as done:
a turn that failed, was cancelled or whose process died adds nothing to it. See ``session_tables`` for a session's file,
and ``shared_sessions`` for sessions on a server.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from quaestor.core.messages import Message, Usage, without_surrogates
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.sessions import session_rows as packing
from quaestor.sessions import session_tables as tables
from quaestor.sessions.records import CallResult, Ending, Feedback, Plan
from quaestor.sessions.session_reader import RecordedSession
from quaestor.sessions.session_rows import add_message, add_numbered, as_stored, checked_title, now
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.state.rows import Connection
from quaestor.window import Window

_PLACE = tuple(field.name for field in fields(Passage))


class Transcript(RecordedSession):
    """One session's record; ``create``, ``open`` or ``in_memory`` makes one in a file or in the process.

    Attributes:
        id: the session's name.
        owner: its user; empty on a machine with one user.
        root: its source.
    """

    @classmethod
    def create(cls, path: Path | None, *, name: str, owner: str = "", root: str = "") -> Self:
        """Return a new record.

        Raises:
            FileExistsError: ``path`` exists.
        """
        return cls(tables.SessionFile.create(path, (name, now(), owner, without_surrogates(root))))

    @classmethod
    def in_memory(cls) -> Self:
        """Return a record that ends with the process."""
        return cls.create(None, name="unsaved")

    @classmethod
    def open(cls, path: Path) -> Self:
        """Return the record in a file.

        Raises:
            NotFoundError: there is no such file.
            SessionUnusableError: it cannot be used.
        """
        return cls(tables.SessionFile.open(path))

    def close(self) -> None:
        """Release its resources."""
        self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- adding -----------------------------------------------------------------------------------------------

    def begin(self, question: Message, *, owner: str | None = None, resumes: int | None = None) -> tuple[int, int]:
        """Record that a turn begins; return its number and its question's number among the messages."""
        with self._place.writing() as connection:
            turn = int(connection.execute("select coalesce(max(number), 0) + 1 from turns").fetchone()[0])
            who = self.owner if owner is None else owner
            connection.execute("insert into turns values (?, ?, ?, ?)", (turn, who, now(), resumes))
            return turn, add_message(connection, turn, question)

    def record_passages(self, turn: int, passages: Sequence[Passage], hashes: Sequence[str]) -> None:
        """Record the hits of a turn; their texts are kept only as far as they are sent."""
        rows = [
            (
                turn,
                passage.n,
                rank,
                json.dumps({name: getattr(passage, name) for name in _PLACE} | {"text": ""}),
                sha256,
            )
            for rank, (passage, sha256) in enumerate(zip(passages, hashes, strict=True))
        ]
        with self._place.writing() as connection:
            known = connection.execute("select count(*) from passages where turn = ?", (turn,)).fetchone()[0]
            after = [(number, n, known + rank, place, sha256) for number, n, rank, place, sha256 in rows]
            connection.executemany("insert into passages values (?, ?, ?, ?, ?) on conflict do nothing", after)

    def record_request(
        self,
        turn: int,
        window: Window,
        model: str,
        *,
        conversation: tuple[Sequence[Message], Sequence[int | None]],
        prompts: Mapping[str, str],
        parameters: Mapping[str, object],
    ) -> int:
        """Record a request before it is sent, and return its number.

        Args:
            turn: number of the turn.
            window: the window that is sent.
            model: the model's name.
            conversation: the messages that the window was composed from, and their numbers in this record.
            prompts: hash of each prompt by its name.
            parameters: temperature and so on.
        """
        references, texts = packing.refer(window, *conversation)
        hashes = json.dumps(dict(prompts))
        texts[packing.digest(hashes)] = hashes
        decisions = [list(astuple(run)) for run in packing.runs((*window.decisions, *window.added))]
        row = (
            turn,
            now(),
            model,
            window.limit,
            window.reserve,
            window.tokens,
            json.dumps(parameters),
            json.dumps(references),
            json.dumps(dict(window.sections)),
            zlib.compress(json.dumps(decisions).encode()),
            packing.digest(hashes),
        )
        with self._place.writing() as connection:
            connection.executemany("insert into texts values (?, ?) on conflict do nothing", list(texts.items()))
            return add_numbered(connection, "requests", row)

    def record_reply(self, request: int, finish: str, usage: Usage | None) -> None:
        """Record how a request ended: the reason that the model gave, or the error."""
        numbers = astuple(usage) if usage else (None, None, None)
        row = (request, now(), without_surrogates(finish), *numbers)
        with self._place.writing() as connection:
            connection.execute("insert into replies values (?, ?, ?, ?, ?, ?)", row)

    def end(self, turn: int, ending: Ending) -> list[int]:
        """Record the end of a turn, and return the numbers of the messages that it adds.

        Raises:
            SessionUnusableError: another process has ended this turn.
        """
        row = (
            turn,
            now(),
            ending.state,
            ending.known,
            ending.model,
            without_surrogates(ending.error),
            without_surrogates(ending.partial),
            json.dumps([asdict(citation) for citation in ending.citations]),
            json.dumps(ending.unsupported),
            *astuple(ending.usage),
        )
        with self._place.writing() as connection:
            ended = f"insert into endings values (?{', ?' * (len(row) - 1)}) on conflict do nothing"
            if not connection.execute(ended, row).rowcount:
                raise SessionUnusableError(f"turn {turn} was ended by another process; open the session again")
            if ending.unchecked:
                quotes = json.dumps([asdict(quote) for quote in ending.quotes])
                connection.execute("insert into unchecked values (?, ?)", (turn, quotes))
            return [add_message(connection, turn, message) for message in ending.messages]

    def record_window(self, model: str, limit: int) -> None:
        """Record the window that a server turned out to have, in tokens."""
        with self._place.writing() as connection:
            add_numbered(connection, "learned", (now(), model, limit))

    def record_summary(self, first: int, last: int, text: str, model: str) -> None:
        """Keep a summary of the messages with the numbers ``first`` to ``last``; they stay as they are."""
        with self._place.writing() as connection:
            add_numbered(connection, "summaries", (now(), first, last, without_surrogates(text), model))

    def record_call(self, turn: int, answered: CallResult) -> None:
        """Record a tool call, its result, and its proposed change."""
        call, outcome = answered.call, answered.outcome
        numbers = json.dumps([passage.n for passage in outcome.passages])
        arguments = without_surrogates(
            call.raw if call.problem else json.dumps(dict(call.arguments), ensure_ascii=False)
        )
        row = (
            turn,
            now(),
            without_surrogates(call.name),
            arguments,
            without_surrogates(outcome.text),
            outcome.failed,
            numbers,
        )
        with self._place.writing() as connection:
            number = add_numbered(connection, "calls", row)
            if outcome.difference:
                proposed = (number, without_surrogates(outcome.difference))
                connection.execute("insert into differences values (?, ?)", proposed)

    def record_limits(self, turn: int, understood: Sequence[str], missed: Sequence[str]) -> None:
        """Record which words of the question limited the documents, by date or author, and which would have."""
        row = (turn, now(), *(without_surrogates(json.dumps(list(phrases))) for phrases in (understood, missed)))
        with self._place.writing() as connection:
            add_numbered(connection, "filters", row)

    def record_plan(self, turn: int, plan: Plan) -> None:
        """Record what the model said, unseen, before its answer."""
        with self._place.writing() as connection:
            connection.execute(
                "insert into plans values (?, ?, ?)", (turn, now(), without_surrogates(json.dumps(asdict(plan))))
            )

    def name(self, title: str) -> None:
        """Record the title that a person gave the session; the newest one counts.

        Raises:
            UsageError: it is empty or too long.
        """
        row = (now(), checked_title(title))
        with self._place.writing() as connection:
            add_numbered(connection, "titles", row)

    def record_feedback(self, turn: int, feedback: Feedback) -> None:
        """Record a person's feedback on a turn's answer; the latest counts."""
        with self._place.writing() as connection:
            add_numbered(connection, "feedback", (turn, now(), feedback.useful, without_surrogates(feedback.words)))

    def record_change(self, call: int) -> None:
        """Record that the change was made that a call proposed."""
        with self._place.writing() as connection:
            connection.execute("insert into applied values (?, ?) on conflict do nothing", (call, now()))

    def load(self, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
        """Add the rows of a ``dump``, all or none; the session itself keeps its own.

        Raises:
            RowsRefusedError, TypeError: they are not rows of a session.
        """
        with self._place.writing() as connection:
            for table in tables.TABLES[1:]:
                columns = _columns(connection, table)
                marks = ", ".join("?" * len(columns))
                values = [[as_stored(column, row.get(column)) for column in columns] for row in rows.get(table, ())]
                connection.executemany(f"insert into {table} values ({marks})", values)


def _columns(connection: Connection, table: str) -> list[str]:
    return [str(one[0]) for one in connection.execute(f"select * from {table} limit 0").description]
