"""Sessions that were taken along, and files of sessions that are damaged: whole, or refused by one error."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from fuzz.parser_properties import fuzzed
from quaestor.core.errors import UsageError
from quaestor.core.messages import Message
from quaestor.sessions.export import as_json, as_markdown, export_file, read_json
from quaestor.sessions.records import Ending
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.sessions.transcript import Transcript

MESSAGES = [
    *(
        '{"messages":[',
        '{"role":"user","content":"a"}',
        '{"role":"assistant","content":[{"type":"text","text":"b"}]}',
        "]}",
    ),
    *(
        '"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]',
        ",",
        '{"role":"tool","tool_call_id":"1"}',
        "null",
    ),
    *(
        '{"role":',
        '"system"',
        "[",
        "{",
        '"\\ud800"',
        '"\\u0000"',
        "1e999",
        "NaN",
        "[" * 50,
        '{"role":"user","content":null}',
    ),
]
WHOLE = json.dumps({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]})
TABLES = [
    *(
        '{"turns":[',
        '{"number":1,"owner":"","began":"x","resumes":null}',
        "]",
        '"messages":[',
        '"endings":[',
        "{}",
        "null",
        ",",
    ),
    *(
        '{"id":1,"turn":1,"role":"user","content":"a","name":null,"calls":"[]","call":null}',
        '"calls":',
        '"[[1]]"',
        "1e999",
    ),
    *(
        '{"turn":1,"at":"x","state":"done","known":1,"model":"m","error":"","partial":"","citations":"[]"}',
        "-1",
        "true",
        "[" * 9,
    ),
    *(
        '"requests":[{"id":1,"turn":1,"decisions":[[]]}]',
        '"passages":[{"turn":1,"n":1,"rank":1,"place":"{}","sha256":""}]',
        "}",
    ),
]


@fuzzed(MESSAGES, [WHOLE, '{"messages":[{"role":"user","content":"\\ud800"}]}'])
def test_a_conversation_of_another_program_is_taken_or_refused(text: str) -> None:
    with Transcript.in_memory() as transcript:
        try:
            read_json(text, transcript)
        except UsageError as error:
            assert "\n" not in str(error)
            return
        messages, _ = transcript.conversation()
        assert messages
        again = export_file(transcript, "json")
    with Transcript.in_memory() as copy:
        read_json(again, copy)
        assert copy.conversation()[0] == messages


@fuzzed(TABLES, ["{}", '{"turns":[],"messages":[]}'])
def test_the_rows_of_a_session_are_taken_or_refused(text: str) -> None:
    document = f'{{"format":"quaestor-session","version":1,"tables":{text}}}'
    with Transcript.in_memory() as transcript:
        try:
            read_json(document, transcript)
        except UsageError as error:
            assert "\n" not in str(error)
            return
        assert as_markdown(transcript.turns(), transcript.calls()).endswith("\n")
        json.dumps(as_json(transcript))


DAMAGE = ["SQLite format 3\x00", "\x00" * 16, "\xff", "create table", "session", "\x10\x00"]


@fuzzed(DAMAGE, ["\x00\x00\x00no database", "\x00\x00\x64\xff\xff\xff"], raw=True)
def test_a_damaged_session_is_read_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "one.session")
        path.write_bytes(_overwritten(_sound(), data))
        try:
            with Transcript.open(path) as transcript:
                transcript.info()
                transcript.turns()
                transcript.conversation()
                transcript.requests()
        except SessionUnusableError as error:
            assert str(path) in str(error)


@cache
def _sound() -> bytes:
    """Return the file of a session of one turn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "one.session")
        with Transcript.create(path, name="one") as transcript:
            number, _ = transcript.begin(Message("user", "a"))
            transcript.end(number, Ending("done", (Message("assistant", "b"),), known=True, model="m"))
        return path.read_bytes()


def _overwritten(whole: bytes, data: bytes) -> bytes:
    """Return a file with bytes over some of its own, at a place that their first ones tell."""
    at = int.from_bytes(data[:3], "big") % len(whole)
    return whole[:at] + data[3:] + whole[at + len(data[3:]) :]
