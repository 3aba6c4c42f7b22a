"""Server-sent events are the same however their bytes are cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from quaestor.llm.models.reply_stream import Events

_TEXT = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=12)
_ENDS = st.sampled_from([b"\n", b"\r\n"])


def _cut(stream: bytes, places: set[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[start:end] for start, end in pairwise(bounds)]


def _events(pieces: list[bytes]) -> list[bytes]:
    events = Events()
    return [data for piece in pieces for data in events.feed(piece)] + events.finish()


@given(st.lists(_TEXT, max_size=6), _ENDS, st.sets(st.integers(0, 500)))
def test_events_do_not_depend_on_how_they_arrive(texts: list[str], end: bytes, places: set[int]) -> None:
    stream = b"".join(b"data: " + text.encode() + end + end for text in texts)
    assert _events(_cut(stream, places)) == [text.encode() for text in texts]


@given(st.sets(st.integers(0, 200)))
def test_comments_names_and_several_lines(places: set[int]) -> None:
    stream = b": hello\n\nevent: message\ndata: one\ndata:two\n\nid: 7\n\n:\n\ndata: three\r\n\r\ndata: cut off"
    assert _events(_cut(stream, places)) == [b"one\ntwo", b"three"]


def test_events_that_are_whole_are_there_at_once() -> None:
    events = Events()
    assert events.feed(b"data: 1\n\ndata: 2\n\nda") == [b"1", b"2"]
    assert events.feed(b"ta: 3\n\n") == [b"3"]
