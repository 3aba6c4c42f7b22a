"""Answers about errors at their limits: where a frame stands now, and which line prints a message."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from ferry_files import quoted, said

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.drafts import (
    CorpusLines,
)
from quaestor.answers.errors.explain_error import _ErrorAnswer, _FrameHere, _is_fault, _line_now, _path_fits
from quaestor.answers.errors.message_templates import (
    Message,
    MessagePlaces,
    Template,
    _match,
    _tells_of_fault,
    _weight_of_word,
    _worth,
)
from quaestor.answers.errors.template_agreement import Agreement, words_of
from quaestor.answers.errors.traces import Frame, read_trace
from quaestor.core.documents import Chunk, Document, Span
from quaestor.related.stored_files import IndexedFile
from quaestor.stores import StoredChunk


def test_a_frame_is_where_its_code_stands_now(ferry: Index) -> None:
    trace = 'Traceback (most recent call last):\n  File "/srv/ferry/boat.py", line 3, in carry\n    {}\nOSError: no'
    assert quoted(ferry, trace.format("step_45(letter)")) == [("ferry/boat.py", 42, 55)]
    assert quoted(ferry, trace.format("gone(letter)")) == [("ferry/boat.py", 4, 10)]


def test_a_frame_without_a_place_is_where_its_function_is_defined(ferry: Index) -> None:
    assert quoted(ferry, "    at ferry.boat.carry") == [("ferry/boat.py", 4, 10)]


def test_a_script_is_found_by_what_it_was_made_of(ferry: Index) -> None:
    assert quoted(ferry, "TypeError: x\n    at land (js/app.ts:2:5)") == [("js/app.js", 1, 3)]


def test_a_tab_that_was_written_out_is_one() -> None:
    line = "at com.shop.Client.send(Client.java:12)"
    assert read_trace(f"\\\\t{line}") == read_trace(f"\t{line}")
    assert read_trace(f"\t{line}").frames


def test_a_frame_at_the_end_shows_no_line_of_source() -> None:
    assert read_trace('  File "a.py", line 1, in f').frames[0].code == ""


def test_what_tells_of_a_fault() -> None:
    assert _tells_of_fault(["connection", "refused"])
    assert not _tells_of_fault(["all", "went", "well"])


def template(path: str, text: str) -> StoredChunk:
    document = Document(path, "", len(text), 0, "python")
    return StoredChunk(1, document, Chunk(Span(0, len(text), 1, text.count("\n") + 1), text, None, "block"), 0)


def test_a_line_that_raises_and_that_a_frame_points_at_is_worth_more() -> None:
    agreed = Agreement(weight=1.0, words=4, of_template=1.0, of_message=1.0, of_span=1.0)
    plain, raising = template("a.py", "x = 'no boat'"), template("a.py", "raise E('no boat')")
    assert _worth(raising, agreed, 1, 1, {}) == 1.0
    assert _worth(plain, agreed, 1, 1, {}) == 0.85
    assert _worth(raising, agreed, 1, 1, {"a.py": [1]}) == pytest.approx(1.7)
    assert _worth(raising, agreed, 1, 1, {"a.py": [16]}) == pytest.approx(1.45)
    assert _worth(raising, agreed, 1, 1, {"a.py": [90]}) == pytest.approx(1.2)


def test_a_message_comes_from_where_it_stands_word_for_word() -> None:
    """Another that says one word differently may stand beside an assertion."""
    wanted, other = (words_of(f"Cannot read the {word} before the morning tide") for word in ("option", "group"))
    weights = dict.fromkeys(wanted, 3.0) | {"option": 0.4}
    message = Message(wanted, (wanted,), weights, {}, sentence=True, marked=True)
    silent = _match(message, template("a.py", "x = 'Cannot read'"), 1, 1, wanted)
    raising = _match(message, template("b.py", "raise E('Cannot read')"), 1, 1, other)
    assert silent is not None
    assert raising is not None
    assert silent.worth > raising.worth


def test_a_class_is_an_error_by_its_name_or_where_the_message_begins_with_it() -> None:
    assert _is_fault(Template("a.py", 1, 2, "RiverError", 1), "the river is closed")
    assert _is_fault(Template("a.py", 1, 2, "Flooding", 1), "Flooding: the river is closed")
    assert not _is_fault(Template("a.py", 1, 2, "send_request", 1), "the river is closed")


@pytest.mark.parametrize(
    ("pointed", "path", "fits"),
    [
        ("/home/me/ferry/river.py", "ferry/river.py", True),
        ("ferry/river.py", "ferry/river.py", True),
        ("river.py", "river.py", True),
        ("/home/me/river.py", "river.py", False),
        ("/home/me/river.py", "ferry/river.py", False),
    ],
)
def test_a_frame_of_two_names_or_of_the_whole_path_fits(pointed: str, path: str, fits: bool) -> None:
    assert _path_fits(Frame(pointed, 1, ()), path) == fits


def test_of_equal_lines_the_one_nearest_to_the_frames_line_ran(ferry: Index) -> None:
    lines = ["def go():", "    stop()", "    wait()", "    stop()", "    stop()"]
    file = IndexedFile(Document("a.py", "", 1, 0, "python"), (), "\n".join(lines), lines)
    assert [_line_now(file, Frame("a.py", at, (), "stop()"), None, "") for at in (1, 3, 5, 90)] == [2, 2, 5, 5]
    assert [_line_now(file, Frame("a.py", at, ()), None, "") for at in (None, 0, 3, 90)] == [1, 1, 3, 5]


def test_the_frame_comes_first_where_it_names_the_error_or_runs_elsewhere(ferry: Index) -> None:
    said = "RiverError: closed"
    found = MessagePlaces(Template("ferry/river.py", 5, 5, "RiverError", 5))
    here = _FrameHere("ferry/river.py", 9, 8, 9, "cross")
    elsewhere = _FrameHere("ferry/desk.py", 6, 5, 7, "send")
    one = _ErrorAnswer(ferry, CorpusLines(ferry), found, (here,), said)
    assert (one._frame_defines_message(), one._frames_come_first()) == (True, False)
    other = _ErrorAnswer(ferry, CorpusLines(ferry), found, (elsewhere,), "closed")
    assert other._frames_come_first()


def test_a_word_of_a_message_tells_more_the_fewer_places_hold_it() -> None:
    assert [_weight_of_word(word, 1, 10) for word in ("the", "7", "x")] == [_weight_of_word("the", 5, 10)] * 3
    rare, common, value = (_weight_of_word("ferry", holding, 10) for holding in (1, 5, 0))
    assert rare == pytest.approx(0.3 + math.log(11)) and common == pytest.approx(0.3 + math.log(3)) and value == 0.0


def test_of_several_calls_in_a_frame_the_one_nearest_to_the_stated_line_is_shown(tmp_path: Path) -> None:
    code = (
        "from shop import till\n\n\ndef close(day):\n    till.count(day)\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n"
        "    till.count(a + b + c + d)\n    return day\n"
    )
    till = "def count(coins):\n    raise ValueError(f'no coins on {coins}')\n"
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/srv/app/shop/day.py", line 9, in close\n    till.count(all_coins)\n'
        '  File "/srv/app/shop/till.py", line 2, in count\n    raise ValueError(text)\nValueError: no coins on monday\n'
    )
    with index_of(tmp_path / "shop", {"shop/day.py": code, "shop/till.py": till}) as index:
        shown = [(first, last) for path, first, last in quoted(index, trace) if path == "shop/day.py"]
        assert "`close` (`shop/day.py:10`)" in said(index, trace) or any(first <= 10 <= last for first, last in shown)
