"""Reading the record of a session: its turns, requests, calls and passages."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from quaestor.core.messages import Message, Usage
from quaestor.llm.endpoints.failures import ToolsRefusedError
from quaestor.llm.models.capabilities import KEPT_SECONDS, LEAST
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.sessions import session_rows as packing
from quaestor.sessions import session_tables as tables
from quaestor.sessions.records import (
    CallRecord,
    DecisionRun,
    Feedback,
    Plan,
    SentRequest,
    SessionInfo,
    Source,
    TurnRecord,
)
from quaestor.sessions.session_rows import ago, as_shown, ending_of, message_of
from quaestor.sessions.session_tables import SessionPlace

_TITLE = 80
# What the first question names to be read says little of what it is about.
_FILES_NAMED = re.compile(r'^(?:@(?:"[^"\n]*"|[^\s"]+)\s+)+(?=\S)')
_DECIDED = "select decisions from requests where turn = ?"


class RecordedSession:
    """A recorded session; ``Transcript`` adds to it.

    Args:
        place: holds the tables.

    Attributes:
        saved: whether the record outlives the process.
        id: the session's name.
        owner: its user; empty on a machine with one user.
        root: its source.
    """

    def __init__(self, place: SessionPlace) -> None:
        self._place = place
        self.saved = place.saved
        rows = self._rows("select id, created, owner, root from session")
        if not rows:
            raise place.damage_error("it does not say which session it is")
        self.id, self.created, self.owner, self.root = map(str, rows[0])

    def conversation(self) -> tuple[list[Message], list[int]]:
        """Return the messages of all turns that are done, in order, and their numbers."""
        query = (
            "select m.id, m.role, m.content, m.name, m.calls, m.call from messages m"
            " join endings e on e.turn = m.turn and e.state = 'done' order by m.turn, m.id"
        )
        with self._as_damage():
            messages = [(int(row[0]), message_of(row[1:])) for row in self._rows(query)]
        return [message for _, message in messages], [number for number, _ in messages]

    def turns(self) -> list[TurnRecord]:
        """Return every turn, in order."""
        with self._as_damage():
            messages: dict[int, list[Message]] = {}
            for row in self._rows("select turn, role, content, name, calls, call from messages order by id"):
                messages.setdefault(int(row[0]), []).append(message_of(row[1:]))
            endings = {int(row[0]): row for row in self._rows("select * from endings")}
            unchecked = {int(turn): quotes for turn, quotes in self._rows("select turn, quotes from unchecked")}
            said_of = {
                int(turn): Feedback(bool(useful), words)
                for turn, useful, words in self._rows("select turn, useful, words from feedback order by id")
            }
            turns = self._rows("select number, owner, began, resumes from turns order by number")
            return [
                TurnRecord(
                    number,
                    owner,
                    began,
                    messages[number][0].content,
                    resumes,
                    ending_of(endings.get(number), messages[number][1:], unchecked.get(number)),
                    said_of.get(number),
                )
                for number, owner, began, resumes in turns
            ]

    def requests(self, turn: int | None = None) -> list[SentRequest]:
        """Return the requests of one turn, or of all, in order."""
        where = "" if turn is None else "where r.turn = ?"
        query = (
            "select r.turn, r.at, r.model, r.window, r.reserve, r.tokens, r.sent, r.sections, r.decisions, r.prompts,"
            " r.parameters, p.finish, p.prompt_tokens, p.completion_tokens, p.reported from requests r"
            f" left join replies p on p.request = r.id {where} order by r.id"
        )
        rows = self._rows(query, () if turn is None else (turn,))
        return [self._read_sent(row) for row in rows]

    def sent_count(self, turn: int) -> int:
        """Return the number of requests that a turn sent."""
        return int(self._rows("select count(*) from requests where turn = ?", (turn,))[0][0])

    def count_shown_passages(self, turn: int) -> tuple[int, int]:
        """Return how many passages a turn's requests showed to a model, and of how many that were found for it."""
        with self._as_damage():
            decided = [json.loads(zlib.decompress(row[0])) for row in self._rows(_DECIDED, (turn,))]
            requests = [[DecisionRun(*one) for one in decisions] for decisions in decided]
            sent = frozenset[int]().union(*map(packing.passages_shown, requests))
            last = (run.last + 1 for decisions in requests for run in decisions if run.kind == "passage")
            return len(sent), max(last, default=0)

    def sources(self, turn: int | None = None) -> list[Source]:
        """Return the passages that were found, best first: in one turn, or in all."""
        where = "" if turn is None else "where p.turn = ?"
        query = (
            "select p.turn, p.place, p.sha256, e.citations from passages p left join endings e on e.turn = p.turn"
            f" {where} order by p.turn, p.rank"
        )
        with self._as_damage():
            found = []
            for number, place, sha256, citations in self._rows(query, () if turn is None else (turn,)):
                passage = Passage(**json.loads(place))
                cited = {one["n"] for one in json.loads(citations or "[]")}
                found.append(Source(number, passage, sha256, passage.n in cited))
            return found

    def calls(self, turn: int | None = None) -> list[CallRecord]:
        """Return the calls of tools, in order: of one turn, or of all."""
        where = "" if turn is None else "where turn = ?"
        query = (
            "select turn, name, arguments, result, failed, passages, coalesce(difference, ''), id,"
            " coalesce(applied.at, '') from calls left join differences on differences.call = id"
            f" left join applied on applied.call = id {where} order by id"
        )
        rows = self._rows(query, () if turn is None else (turn,))
        with self._as_damage():
            return [
                CallRecord(number, name, arguments, result, bool(failed), tuple(json.loads(numbers)), *rest)
                for number, name, arguments, result, failed, numbers, *rest in rows
            ]

    def limits(self, turn: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words of a turn's question that limited the documents, and those that would have."""
        rows = self._rows("select understood, missed from filters where turn = ? order by id desc limit 1", (turn,))
        with self._as_damage():
            understood, missed = (tuple(map(str, json.loads(one))) for one in (rows[0] if rows else ("[]", "[]")))
            return understood, missed

    def plan(self, turn: int) -> Plan | None:
        """Return the model's plan in a turn, or None."""
        rows = self._rows("select plan from plans where turn = ?", (turn,))
        with self._as_damage():
            value = json.loads(rows[0][0]) if rows else None
            return None if value is None else Plan(**{**value, "subroutines": tuple(value["subroutines"])})

    def summaries(self) -> list[tuple[int, int, str]]:
        """Return (first message, last message, text) of each summary, oldest first."""
        rows = self._rows("select first, last, text from summaries order by id")
        return [(int(first), int(last), str(text)) for first, last, text in rows]

    def limit_of(self, model: str) -> int | None:
        """Return the window that a model turned out to have in this session, in tokens; None if it never objected.

        It is forgotten after a while. One that holds no conversation is not believed: earlier versions kept such.
        """
        latest = 'select "window" from learned where model = ? and at > ? order by id desc limit 1'
        rows = self._rows(latest, (model, ago(KEPT_SECONDS)))
        return int(rows[0][0]) if rows and rows[0][0] >= LEAST else None

    def refused_tools(self, model: str) -> bool:
        """Return whether a model's server refused a request of this session for its tools."""
        prefix = f"{ToolsRefusedError.code}: "
        refusals = (
            "select 1 from replies join requests on id = request where model = ? and substr(finish, 1, ?) = ? limit 1"
        )
        return bool(self._rows(refusals, (model, len(prefix), prefix)))

    def info(self) -> SessionInfo:
        """Return the session as a list shows it."""
        [(turns, changed, named, question)] = self._rows(
            "select count(*), max(began), (select title from titles order by id desc limit 1),"
            " (select content from messages order by id limit 1) from turns"
        )
        title, changed = shown_title(named, question), str(changed or self.created)
        return SessionInfo(self.id, self.created, self.owner, self.root, title, int(turns), changed)

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """Return every row of every table, for export."""
        return {table: self._dump_table(table) for table in tables.TABLES}

    @contextmanager
    def _as_damage(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, LookupError, TypeError, OverflowError, RecursionError, zlib.error) as error:
            raise self._place.damage_error(error) from error

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        with self._place.reading() as connection:
            return connection.execute(query, values).fetchall()

    def _read_sent(self, row: Sequence[Any]) -> SentRequest:
        with self._as_damage():
            references = json.loads(row[6])
            sent = packing.resolve(references, *self._resolve_references(references))
            decisions = tuple(DecisionRun(*one) for one in json.loads(zlib.decompress(row[8])))
            usage = None if row[12] is None else Usage(row[12], row[13], bool(row[14]))
            turn, at, model, limit, reserve, tokens = row[:6]
            return SentRequest(
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

    def _resolve_references(self, references: Iterable[packing.Reference]) -> tuple[dict[int, Message], dict[str, str]]:
        """Return the messages and texts of references."""
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

    def _dump_table(self, table: str) -> list[dict[str, Any]]:
        with self._place.reading() as connection:
            cursor = connection.execute(f"select * from {table} order by 1, 2")
            columns = [one[0] for one in cursor.description]
            return [{column: as_shown(value) for column, value in zip(columns, row, strict=True)} for row in cursor]


def shown_title(title: str | None, question: str | None) -> str:
    """Return a session's title: the given one, else the beginning of its first question, without files named first."""
    return title or _FILES_NAMED.sub("", " ".join((question or "").split()), count=1)[:_TITLE]
