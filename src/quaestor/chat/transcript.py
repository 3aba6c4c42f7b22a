"""The append-only record of one session: what was asked, sent, answered, and what became of each turn.

Each step is one transaction. A turn's messages join the conversation in the same transaction that records it as done:
a turn that failed, was cancelled or whose process died adds nothing to it. See ``tables`` for the file.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from quaestor.chat import packing, tables
from quaestor.chat.plan import Plan
from quaestor.chat.records import CallRecord, DecisionRun, Ending, Sent, SessionInfo, Source, TurnRecord
from quaestor.chat.rounds import Answered
from quaestor.chat.rows import add_message, as_shown, as_stored, checked_title, clean, ending_of, message_of, now
from quaestor.messages import Message, Usage
from quaestor.models.failures import ToolsRefusedError
from quaestor.prompts.passages import Passage
from quaestor.window import Window

_TITLE = 80


class Transcript:
    """One session's record; ``create``, ``open`` or ``in_memory`` makes one.

    Attributes:
        path: its file; None if it is kept in the process only.
        id: the session's name.
        owner: whose it is; empty on a machine of one person.
        root: what it is about.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self._connection = connection
        self.path = path
        with self._reading():
            row = connection.execute("select id, created, owner, root from session").fetchone()
            if row is None:
                raise tables.damaged(repr(str(path)), "it does not say which session it is")
        self.id, self.created, self.owner, self.root = map(str, row)

    @classmethod
    def create(cls, path: Path | None, *, name: str, owner: str = "", root: str = "") -> Self:
        """Return a new record.

        Raises:
            FileExistsError: there is one at ``path``.
        """
        connection = tables.create(path)
        with tables.failures_explained(path):
            connection.execute("insert into session values (?, ?, ?, ?)", (name, now(), owner, clean(root)))
        return cls(connection, path)

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
        return cls(tables.connect(path), path)

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- adding -----------------------------------------------------------------------------------------------

    def begin(self, question: Message, *, owner: str | None = None, resumes: int | None = None) -> tuple[int, int]:
        """Record that a turn begins; return its number and its question's number among the messages."""
        with self._step() as connection:
            turn = int(connection.execute("select coalesce(max(number), 0) + 1 from turns").fetchone()[0])
            who = self.owner if owner is None else owner
            connection.execute("insert into turns values (?, ?, ?, ?)", (turn, who, now(), resumes))
            return turn, add_message(connection, turn, question)

    def showing(self, turn: int, passages: Sequence[Passage], hashes: Sequence[str]) -> None:
        """Record what was found for a turn; texts are the documents' own and are kept only as far as they are sent."""
        rows = [
            (turn, passage.n, rank, json.dumps(asdict(replace(passage, text=""))), sha256)
            for rank, (passage, sha256) in enumerate(zip(passages, hashes, strict=True))
        ]
        with self._step() as connection:
            known = connection.execute("select count(*) from passages where turn = ?", (turn,)).fetchone()[0]
            after = [(number, n, known + rank, place, sha256) for number, n, rank, place, sha256 in rows]
            connection.executemany("insert or ignore into passages values (?, ?, ?, ?, ?)", after)

    def sending(
        self,
        turn: int,
        window: Window,
        model: str,
        *,
        conversation: tuple[Sequence[Message], Sequence[int | None]],
        prompts: Mapping[str, str],
        parameters: Mapping[str, object],
    ) -> int:
        """Record a request just before it is sent, and return its number.

        Args:
            turn: its turn.
            window: what is sent.
            model: to whom.
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
        with self._step() as connection:
            connection.executemany("insert or ignore into texts values (?, ?)", texts.items())
            cursor = connection.execute(f"insert into requests values (null{', ?' * len(row)})", row)
            return int(cursor.lastrowid or 0)

    def replied(self, request: int, finish: str, usage: Usage | None) -> None:
        """Record how a request ended: the reason that the model gave, or the error."""
        numbers = astuple(usage) if usage else (None, None, None)
        row = (request, now(), clean(finish), *numbers)
        with self._step() as connection:
            connection.execute("insert into replies values (?, ?, ?, ?, ?, ?)", row)

    def end(self, turn: int, ending: Ending) -> list[int]:
        """Record what became of a turn, and return the numbers of the messages that it adds.

        Raises:
            SessionUnusableError: another process has ended this turn.
        """
        row = (
            turn,
            now(),
            ending.state,
            ending.known,
            ending.model,
            clean(ending.error),
            clean(ending.partial),
            json.dumps([asdict(citation) for citation in ending.citations]),
            json.dumps(ending.unsupported),
            *astuple(ending.usage),
        )
        try:
            with self._step() as connection:
                connection.execute(f"insert into endings values (?{', ?' * (len(row) - 1)})", row)
                return [add_message(connection, turn, message) for message in ending.messages]
        except sqlite3.IntegrityError as error:
            raise tables.SessionUnusableError(
                f"turn {turn} was ended by another process; open the session anew"
            ) from error

    def learned(self, model: str, limit: int) -> None:
        """Record the window that a server turned out to have, in tokens."""
        with self._step() as connection:
            connection.execute("insert into learned values (null, ?, ?, ?)", (now(), model, limit))

    def summarised(self, first: int, last: int, text: str, model: str) -> None:
        """Keep a summary of the messages with the numbers ``first`` to ``last``; they stay as they are."""
        with self._step() as connection:
            row = (now(), first, last, clean(text), model)
            connection.execute("insert into summaries values (null, ?, ?, ?, ?, ?)", row)

    def called(self, turn: int, answered: Answered) -> None:
        """Record a call of a subroutine and its result."""
        asked, outcome = answered.asked, answered.outcome
        numbers = json.dumps([passage.n for passage in outcome.passages])
        arguments = clean(asked.raw if asked.problem else json.dumps(dict(asked.arguments), ensure_ascii=False))
        row = (turn, now(), clean(asked.name), arguments, clean(outcome.text), outcome.failed, numbers)
        with self._step() as connection:
            connection.execute("insert into calls values (null, ?, ?, ?, ?, ?, ?, ?)", row)

    def premeditated(self, turn: int, plan: Plan) -> None:
        """Record what the model said, unseen, before its answer."""
        with self._step() as connection:
            connection.execute("insert into plans values (?, ?, ?)", (turn, now(), clean(json.dumps(asdict(plan)))))

    def name(self, title: str) -> None:
        """Record the title that a person gave the session; the newest one counts.

        Raises:
            UsageError: it is empty or too long.
        """
        row = (now(), checked_title(title))
        with self._step() as connection:
            connection.execute("insert into titles values (null, ?, ?)", row)

    # --- reading ----------------------------------------------------------------------------------------------

    def conversation(self) -> tuple[list[Message], list[int]]:
        """Return the messages of all turns that are done, in order, and their numbers."""
        query = (
            "select m.id, m.role, m.content, m.name, m.calls, m.call from messages m"
            " join endings e on e.turn = m.turn and e.state = 'done' order by m.turn, m.id"
        )
        found = [(int(row[0]), message_of(row[1:])) for row in self._rows(query)]
        return [message for _, message in found], [number for number, _ in found]

    def turns(self) -> list[TurnRecord]:
        """Return every turn, in order."""
        said: dict[int, list[Message]] = {}
        for row in self._rows("select turn, role, content, name, calls, call from messages order by id"):
            said.setdefault(int(row[0]), []).append(message_of(row[1:]))
        endings = {int(row[0]): row for row in self._rows("select * from endings")}
        turns = self._rows("select number, owner, began, resumes from turns order by number")
        return [
            TurnRecord(
                number, owner, began, said[number][0].content, resumes, ending_of(endings.get(number), said[number][1:])
            )
            for number, owner, began, resumes in turns
        ]

    def requests(self, turn: int | None = None) -> list[Sent]:
        """Return what was sent, in order: of one turn, or of all."""
        where = "" if turn is None else "where r.turn = ?"
        query = (
            "select r.turn, r.at, r.model, r.window, r.reserve, r.tokens, r.sent, r.sections, r.decisions, r.prompts,"
            " r.parameters, p.finish, p.prompt_tokens, p.completion_tokens, p.reported from requests r"
            f" left join replies p on p.request = r.id {where} order by r.id"
        )
        rows = self._rows(query, () if turn is None else (turn,))
        return [self._sent(row) for row in rows]

    def sources(self, turn: int | None = None) -> list[Source]:
        """Return the passages that were found, best first: in one turn, or in all."""
        where = "" if turn is None else "where p.turn = ?"
        query = (
            "select p.turn, p.place, p.sha256, e.citations from passages p left join endings e on e.turn = p.turn"
            f" {where} order by p.turn, p.rank"
        )
        found = []
        for number, place, sha256, citations in self._rows(query, () if turn is None else (turn,)):
            passage = Passage(**json.loads(place))
            cited = {one["n"] for one in json.loads(citations or "[]")}
            found.append(Source(number, passage, sha256, passage.n in cited))
        return found

    def calls(self, turn: int | None = None) -> list[CallRecord]:
        """Return the calls of subroutines, in order: of one turn, or of all."""
        where = "" if turn is None else "where turn = ?"
        query = f"select turn, name, arguments, result, failed, passages from calls {where} order by id"
        rows = self._rows(query, () if turn is None else (turn,))
        with self._reading():
            return [CallRecord(row[0], row[1], row[2], row[3], bool(row[4]), tuple(json.loads(row[5]))) for row in rows]

    def plan(self, turn: int) -> Plan | None:
        """Return what the model premeditated in a turn; None if it did not."""
        rows = self._rows("select plan from plans where turn = ?", (turn,))
        with self._reading():
            found = json.loads(rows[0][0]) if rows else None
            return None if found is None else Plan(**{**found, "subroutines": tuple(found["subroutines"])})

    def summaries(self) -> list[tuple[int, int, str]]:
        """Return (first message, last message, text) of each summary, oldest first."""
        rows = self._rows("select first, last, text from summaries order by id")
        return [(int(first), int(last), str(text)) for first, last, text in rows]

    def limit_of(self, model: str) -> int | None:
        """Return the window that a model turned out to have in this session, in tokens; None if it never objected."""
        rows = self._rows("select window from learned where model = ? order by id desc limit 1", (model,))
        return int(rows[0][0]) if rows else None

    def refused_tools(self, model: str) -> bool:
        """Return whether a model's server refused a request of this session for its tools."""
        refusals = "select 1 from replies join requests on id = request where model = ? and finish glob ? limit 1"
        return bool(self._rows(refusals, (model, f"{ToolsRefusedError.code}: *")))

    def info(self) -> SessionInfo:
        """Return what a list of sessions shows."""
        [(turns, changed)] = self._rows("select count(*), max(began) from turns")
        named = self._rows("select title from titles order by id desc limit 1")
        asked = self._rows("select content from messages order by id limit 1")
        title = str(named[0][0]) if named else " ".join(str(asked[0][0]).split())[:_TITLE] if asked else ""
        changed = str(changed or self.created)
        return SessionInfo(self.id, self.created, self.owner, self.root, title, int(turns), changed)

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """Return every row of every table, for export."""
        return {table: self._dumped(table) for table in tables.TABLES}

    def load(self, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
        """Add the rows of a ``dump``, all or none; the session itself keeps its own.

        Raises:
            UsageError: they are not rows of a session.
        """
        with self._step() as connection:
            for table in tables.TABLES[1:]:
                columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
                marks = ", ".join("?" * len(columns))
                values = ([as_stored(column, row.get(column)) for column in columns] for row in rows.get(table, ()))
                connection.executemany(f"insert into {table} values ({marks})", values)

    # --- within -----------------------------------------------------------------------------------------------

    @contextmanager
    def _step(self) -> Iterator[sqlite3.Connection]:
        """Run what is inside as one transaction."""
        with tables.failures_explained(self.path):
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with tables.failures_explained(self.path):
            try:
                yield
            except (ValueError, KeyError, TypeError, IndexError, zlib.error) as error:
                raise tables.damaged(repr(str(self.path)), error) from error

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        with tables.failures_explained(self.path):
            return self._connection.execute(query, values).fetchall()

    def _sent(self, row: Sequence[Any]) -> Sent:
        with self._reading():
            references = json.loads(row[6])
            sent = packing.resolve(references, *self._needed(references))
            decisions = tuple(DecisionRun(*one) for one in json.loads(zlib.decompress(row[8])))
            usage = None if row[12] is None else Usage(row[12], row[13], bool(row[14]))
            turn, at, model, limit, reserve, tokens = row[:6]
            return Sent(
                turn=turn,
                at=at,
                model=model,
                limit=limit,
                reserve=reserve,
                tokens=tokens,
                messages=sent,
                sections=json.loads(row[7]),
                decisions=decisions,
                prompts=json.loads(self._text(row[9])),
                parameters=json.loads(row[10]),
                usage=usage,
                finish=row[11] or "",
            )

    def _needed(self, references: Iterable[packing.Reference]) -> tuple[dict[int, Message], dict[str, str]]:
        """Return the messages and texts that references stand for."""
        messages: dict[int, Message] = {}
        texts: dict[str, str] = {}
        for one in references:
            if isinstance(one, int):
                query = "select role, content, name, calls, call from messages where id = ?"
                messages[one] = message_of(self._rows(query, (one,))[0])
                continue
            for piece in one["pieces"]:
                texts[piece] = self._text(piece)
        return messages, texts

    def _text(self, digest: str) -> str:
        return str(self._rows("select text from texts where hash = ?", (digest,))[0][0])

    def _dumped(self, table: str) -> list[dict[str, Any]]:
        with tables.failures_explained(self.path):
            cursor = self._connection.execute(f"select * from {table}")
            columns = [one[0] for one in cursor.description]
            return [{column: as_shown(value) for column, value in zip(columns, row, strict=True)} for row in cursor]
