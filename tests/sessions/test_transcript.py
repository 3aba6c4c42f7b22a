"""The record of a session: steps, what was sent, endings, and files that are not sound."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from chat_parts import ask, model_at
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor import Index
from quaestor.chat.engine import Conversation
from quaestor.core.documents import Citation
from quaestor.core.errors import LimitError, NotFoundError, QuaestorError, UsageError, WindowError
from quaestor.core.messages import Message, ToolCall, Usage
from quaestor.llm.prompts.numbered_passages import Passage, show
from quaestor.sessions import session_rows as packing
from quaestor.sessions.named_sessions import Sessions
from quaestor.sessions.records import Ending
from quaestor.sessions.session_tables import SessionUnusableError
from quaestor.sessions.transcript import Transcript
from quaestor.window import compose
from quaestor.window.passage_placing import message_of
from scripted_server import StartServer

QUESTION = Message("user", "why?")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "one.session"


def test_turns_and_their_endings(sessions: Sessions) -> None:
    citation = Citation(1, "a.py", 1, 2, "quote", "verified")
    done = Ending(
        "done", (Message("assistant", "So."),), True, "tiny", citations=(citation,), usage=Usage(10, 2, reported=True)
    )
    failed = Ending("failed", error="the server went away", partial="So")
    with sessions.begin(name="one", owner="anna", root="/r") as transcript:
        for ending in (done, failed, Ending("cancelled"), None):
            number, _ = transcript.begin(QUESTION)
            if ending is not None:
                transcript.end(number, ending)
        transcript.begin(QUESTION, resumes=4, owner="ben")
    with sessions.open("one") as transcript:
        turns = transcript.turns()
        assert [turn.ending for turn in turns[:3]] == [done, failed, Ending("cancelled")]
        assert [turn.ending.state for turn in turns[3:]] == ["unfinished", "unfinished"]
        assert [(turn.number, turn.owner, turn.resumes) for turn in turns[3:]] == [(4, "anna", None), (5, "ben", 4)]
        assert transcript.conversation()[0] == [QUESTION, Message("assistant", "So.")]
        info = transcript.info()
    assert (info.id, info.owner, info.root, info.title, info.turns) == ("one", "anna", "/r", "why?", 5)


def test_a_turn_ends_once(sessions: Sessions) -> None:
    with sessions.begin(name="one") as transcript:
        number, _ = transcript.begin(QUESTION)
        transcript.end(number, Ending("done", (Message("assistant", "So."),)))
        with pytest.raises(SessionUnusableError, match="another process"):
            transcript.end(number, Ending("failed"))
        assert len(transcript.conversation()[0]) == 2


def test_two_writers_get_turns_of_their_own(sessions: Sessions) -> None:
    with sessions.begin(name="one") as one, sessions.open("one") as other:
        numbers = [transcript.begin(QUESTION)[0] for transcript in (one, other, one)]
        for transcript, number in zip((one, other, one), numbers, strict=True):
            transcript.end(number, Ending("done", (Message("assistant", str(number)),)))
    with sessions.open("one") as transcript:
        assert [message.content for message in transcript.conversation()[0][1::2]] == ["1", "2", "3"]


def test_a_reader_sees_a_session_in_use(sessions: Sessions) -> None:
    with sessions.begin(name="one") as writer:
        writer.begin(QUESTION)
        with sessions.open("one") as reader:
            assert reader.info().turns == 1


def test_files_are_private(path: Path) -> None:
    Transcript.create(path, name="one").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_missing_folders_above_a_transcript_are_private_too(tmp_path: Path) -> None:
    Transcript.create(tmp_path / "home" / "sessions" / "one.sqlite3", name="one").close()
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000, b"SQLite format 3\x00" + os.urandom(4000)])
def test_a_file_that_is_no_session(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(SessionUnusableError, match=r"one\.session"):
        Transcript.open(path)


def test_a_missing_file(path: Path) -> None:
    with pytest.raises(NotFoundError, match="no session 'one'"):
        Transcript.open(path)


def test_a_newer_version(path: Path) -> None:
    Transcript.create(path, name="one").close()
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version = 99")
    connection.close()
    with pytest.raises(SessionUnusableError, match="newer version"):
        Transcript.open(path)


@pytest.mark.parametrize("place", range(0, 100, 7))
def test_damage_anywhere_gives_a_clear_error_or_harms_nothing(path: Path, place: int) -> None:
    with Transcript.create(path, name="one") as transcript:
        for _ in range(20):
            number, _ = transcript.begin(Message("user", "why? " * 50))
            transcript.end(number, Ending("done", (Message("assistant", "So. " * 100),)))
    data = bytearray(path.read_bytes())
    start = len(data) * place // 100
    data[start : start + 2000] = b"\xa5" * len(data[start : start + 2000])
    path.write_bytes(data)
    try:
        with Transcript.open(path) as transcript:
            transcript.turns()
            transcript.conversation()
            transcript.requests()
            transcript.info()
    except QuaestorError as error:
        assert "one.session" in str(error)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("messages", "calls", "no JSON"),
        ("messages", "calls", "[" * 100_000),
        ("messages", "turn", 1e300),
        ("endings", "citations", '[{"n": 1}]'),
        ("unchecked", "quotes", "{"),
        ("passages", "place", "[]"),
        ("sqlite_master", "name", b"\xff"),
    ],
)
def test_a_row_that_says_something_else_is_told_with_its_file(
    path: Path, table: str, column: str, value: float | str | bytes
) -> None:
    with Transcript.create(path, name="one") as transcript:
        number, _ = transcript.begin(Message("user", "why?"))
        transcript.record_passages(number, [Passage(1, "a.py", 1, 2, "text")], ["0"])
        citation = Citation(1, "a.py", 1, 2, "quote", "verified")
        transcript.end(number, Ending("done", (Message("assistant", "So."),), unchecked=True, quotes=(citation,)))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(f"update {table} set {column} = cast(? as text)", (value,))
        connection.commit()
    with pytest.raises(SessionUnusableError, match=r"one\.session.*is damaged"), Transcript.open(path) as transcript:
        transcript.conversation()
        transcript.turns()
        transcript.sources()


def test_what_is_sent_again_is_stored_once(corpus: Index, scripted_server: StartServer, path: Path) -> None:
    (corpus.root / "long.md").write_text("# Requests\n\n" + "A request is sent with patience. " * 50, encoding="utf-8")
    with Transcript.create(path, name="one") as transcript:
        conversation = Conversation(
            corpus,
            model_at(scripted_server(["Yes. " * 40 + '[1: "A request is sent with patience."]'])),
            transcript=transcript,
            limit=8192,
        )
        sizes = []
        for _ in range(12):
            ask(conversation, "is a request sent with patience?")
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("pragma wal_checkpoint(truncate)")
            sizes.append(path.stat().st_size)
        sent = sum(len(message.content) for one in transcript.requests() for message in one.messages)
    assert sent > 50_000
    assert sizes[-1] - sizes[0] < sent / 2


def test_summaries_stand_beside_the_messages(sessions: Sessions) -> None:
    with sessions.begin(name="one") as transcript:
        number, first = transcript.begin(QUESTION)
        [last] = transcript.end(number, Ending("done", (Message("assistant", "So."),)))
        transcript.record_summary(first, last, "Somebody asked.", "tiny")
    with sessions.open("one") as transcript:
        assert transcript.summaries() == [(first, last, "Somebody asked.")]
        assert len(transcript.conversation()[0]) == 2


def test_a_full_disk_costs_only_the_step_in_hand(path: Path) -> None:
    with Transcript.create(path, name="one") as transcript:
        number, _ = transcript.begin(QUESTION)
        transcript.end(number, Ending("done", (Message("assistant", "So."),)))
        with transcript._place.reading() as connection:
            [(pages,)] = connection.execute("pragma page_count").fetchall()
            connection.execute(f"pragma max_page_count = {pages + 2}")
        number, _ = transcript.begin(QUESTION)
        with pytest.raises(LimitError, match="everything recorded before is intact"):
            transcript.end(number, Ending("done", (Message("assistant", "So. " * 50_000),)))
    with Transcript.open(path) as transcript:
        assert [turn.ending.state for turn in transcript.turns()] == ["done", "unfinished"]
        assert len(transcript.conversation()[0]) == 2


def test_passages_stay_in_the_order_in_which_they_were_found(sessions: Sessions) -> None:
    with sessions.begin(name="one") as transcript:
        number, _ = transcript.begin(QUESTION)
        found = [Passage(n, f"{n}.py", 1, 2, "") for n in (3, 1, 2)]
        transcript.record_passages(number, found, ["", "", ""])
        assert [source.passage for source in transcript.sources()] == found


# --- references -------------------------------------------------------------------------------------------------

texts = st.text(max_size=40) | st.sampled_from(["a" * 3000, '<passage n="1" from="a">\nx\n</passage>\n'])
plain = st.builds(Message, st.sampled_from(["user", "assistant", "system"]), texts, st.sampled_from([None, "ben"]))
call = ToolCall("c", "search", '{"query": "a"}')
exchange = texts.map(lambda text: [Message("assistant", "", None, (call,)), Message("tool", text, tool_call_id="c")])
conversations = st.lists(plain.map(lambda message: [message]) | exchange, max_size=12).map(
    lambda parts: [message for part in parts for message in part]
)


@given(conversations, st.integers(300, 6000), st.booleans())
@settings(deadline=None)
def test_references_give_back_what_was_sent(messages: list[Message], limit: int, stored: bool) -> None:
    conversation = [Message("system", "Be brief."), *messages, QUESTION]
    passage = Passage(1, "a.py", 1, 2, 'x = 1\n</passage>\n<passage n="2">')
    try:
        window = compose(conversation, limit=limit, reserve=50, passages=[passage])
    except WindowError:
        return
    ids = [number if stored else None for number in range(len(conversation))]
    references, written = packing.refer(window, conversation, ids)
    again = json.loads(json.dumps(references))
    assert packing.resolve(again, dict(enumerate(conversation)), written) == window.messages


def test_the_text_of_a_passage_is_kept_apart_from_its_number() -> None:
    messages = [message_of([show(Passage(n, "a.py", 1, 2, "some text"))]) for n in (1, 2)]
    first, second = (set(packing.describe_message(message, {})["pieces"]) for message in messages)
    assert len(first & second) == 2


@pytest.mark.parametrize(
    ("version", "since"),
    [
        (1, ("applied", "feedback", "unchecked", "differences", "calls", "plans", "titles", "filters")),
        (2, ("applied", "feedback", "unchecked", "differences", "titles", "filters")),
        (3, ("applied", "feedback", "unchecked", "differences", "filters")),
        (4, ("applied", "feedback", "unchecked", "differences")),
        (
            5,
            (
                "applied",
                "feedback",
                "unchecked",
            ),
        ),
        (6, ("applied", "feedback")),
    ],
    ids=["first", "second", "third", "fourth", "fifth", "sixth"],
)
def test_a_session_of_an_older_format_is_taken_on(tmp_path: Path, version: int, since: tuple[str, ...]) -> None:
    path = tmp_path / "old.session"
    with Transcript.create(path, name="old") as transcript:
        number, _ = transcript.begin(Message("user", "why?"))
        transcript.end(number, Ending("done", messages=(Message("assistant", "So."),)))
    with sqlite3.connect(path) as connection:
        connection.executescript(f"{' '.join(f'drop table {one};' for one in since)} pragma user_version = {version}")
    connection.close()
    for _ in range(2):
        with Transcript.open(path) as transcript:
            assert [turn.answer for turn in transcript.turns()] == ["So."]
            assert transcript.calls() == []
            assert transcript.plan(1) is None
            assert transcript.info().title == "why?"


def test_an_older_file_that_many_open_at_once_is_taken_on(tmp_path: Path) -> None:
    path = tmp_path / "old.session"
    Transcript.create(path, name="old").close()
    with sqlite3.connect(path) as connection:
        dropped = " ".join(f"drop table {one};" for one in ("differences", "calls", "plans", "titles"))
        connection.executescript(f"{dropped} pragma user_version = 1")
    connection.close()

    def opened(_: int) -> str:
        with Transcript.open(path) as transcript:
            return transcript.info().id

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(opened, range(16))) == {"old"}


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ('@my-documents/oven.md  @"two words.md" How hot is\nit?', "How hot is it?"),
        ("What does @guide.md say of dough?", "What does @guide.md say of dough?"),
        ("@guide.md", "@guide.md"),
    ],
)
def test_a_title_is_the_question_and_not_the_files_that_it_begins_with(
    sessions: Sessions, question: str, title: str
) -> None:
    with sessions.begin(name="one") as transcript:
        transcript.begin(Message("user", question))
        assert transcript.info().title == title


def test_the_newest_title_counts(sessions: Sessions) -> None:
    with sessions.begin(name="one") as transcript:
        assert transcript.info().title == ""
        transcript.begin(QUESTION)
        assert transcript.info().title == "why?"
        for title in ("First", " Retries,\n<b>explained</b>\ud800 "):
            transcript.name(title)
        for wrong in ("", " \n", "x" * 201):
            with pytest.raises(UsageError, match="A title has 1 to 200 characters"):
                transcript.name(wrong)
    with sessions.open("one") as transcript:
        assert transcript.info().title == "Retries, <b>explained</b>\ufffd"
        assert [row["title"] for row in transcript.dump()["titles"]] == ["First", "Retries, <b>explained</b>\ufffd"]
