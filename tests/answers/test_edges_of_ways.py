"""Ways of answering without a model at their limits: which lines are quoted, which document and which use is meant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.drafts import (
    CorpusLines,
    end_of_head,
    end_of_statement,
    in_code,
    innermost_definition,
    line_of_name,
    place_of,
    stretch,
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
from quaestor.answers.names.explain_term import read_term_question
from quaestor.answers.names.resolved_names import raises_of, resolve_module, resolve_name, resolve_path, uses_of
from quaestor.answers.names.term_definitions import definitions_of, end_of_list
from quaestor.answers.project.answer_from_file import read_file_question
from quaestor.answers.project.facts import _brackets_opened
from quaestor.answers.quotes.blocks import before_legal_words, end_of_comment
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way, may_ask_history
from quaestor.chunking.definitions import Definition, definitions
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.related.stored_files import IndexedFile, load_file
from quaestor.search.names_in_question import read_name_question
from quaestor.stores import StoredChunk

STEPS = "".join(f"    step_{n}(letter)\n" for n in range(50))
FILES = {
    "ferry/river.py": (
        'class RiverError(Exception):\n    """The river is closed."""\n\n'
        '    def __str__(self):\n        return "closed"\n\n\n'
        "def cross(letter):\n    raise RiverError(letter)\n"
    ),
    "ferry/boat.py": (
        "from ferry.river import RiverError, cross\n\n\ndef carry(letter):\n"
        f'{STEPS}    cross(letter)\n\n    raise RiverError("no boat")\n'
    ),
    "ferry/desk.py": (
        "from ferry.boat import carry\nfrom ferry.river import cross\n\n\ndef send(letter):\n"
        "    carry(letter)\n    cross(letter)\n"
    ),
    **{f"twins/{n}.py": f"class Box{n}:\n    def twin(self):\n        return {n}\n" for n in range(1, 7)},
    "twins/use.py": "def both(box):\n    return box.twin()\n",
    **{f"crates/{n}.py": f'class Crate:\n    """Crate {n}."""\n\n    size = {n}\n' for n in range(1, 7)},
    "crates/load.py": "def load(crates):\n    return crates.Crate()\n",
    "tests/test_crates.py": "def test_crate(crates):\n    crates.Crate()\n",
    "many.py": "".join(f"def step_{n}():\n    pass\n\n\n" for n in range(60)),
    "a/util.py": "def one(): ...\n",
    "b/util.py": "def two(): ...\n",
    "main.py": "def main(): ...\n",
    "c/main.py": "def other(): ...\n",
    "ferry/harbour.py": "def moor(): ...\n" + "".join(f"\n\ndef tie_{n}():\n    moor()\n" for n in range(40)),
    "Boats.java": "class A {\n  void drain() {\n  }\n}\nclass B {\n  void drain()\n      throws E {\n  }\n}\n",
    "js/app.js": "export function land(ferry) {\n  return ferry.stop();\n}\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("edges") / "ferry", FILES) as index:
        yield index


def quoted(index: Index, text: str) -> list[tuple[str, int, int]]:
    answer = answer_by_way(Question(text), index)
    assert answer is not None
    return [(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]


@pytest.mark.parametrize(("last", "place"), [(7, "a.py:7"), (9, "a.py:7-9")])
def test_a_place_is_a_line_or_the_first_and_the_last(last: int, place: str) -> None:
    assert place_of(Hit(Document("a.py", "", 0, 0, "python"), Chunk(Span(0, 1, 7, last), "x"), 0.0)) == place


@pytest.mark.parametrize(
    ("lines", "line", "end"),
    [
        (["f(", "    1,", ")", "g()"], 1, 3),
        (["f(", "    1,", ")", "g()"], 4, 4),
        (["a = [", *["    1,"] * 4, "]"], 1, 6),
        (["a = [", *["    1,"] * 5, "]"], 1, 1),
        (["x", "f("], 2, 2),
    ],
)
def test_a_statement_ends_where_its_brackets_do_if_that_is_near(lines: Sequence[str], line: int, end: int) -> None:
    assert end_of_statement(lines, line) == end


HEADS = {
    "python": ("# drain\n@once\ndef drain(\n    queue,\n):\n    queue.clear()\n", 2, 5),
    "java": (
        "class A {\n    // drain\n    @Test\n    static void\n    drain()\n        throws E {\n    x();\n  }\n}\n",
        3,
        6,
    ),
    "c": ("/* drain */\nvoid\ndrain(int a)\n{\n    a++;\n}\n", 2, 3),
}


@pytest.mark.parametrize("language", HEADS)
def test_a_head_ends_before_the_body(language: str) -> None:
    text, start, end = HEADS[language]
    found = next(one for one in definitions(text.encode(), language) if one.name == "drain")
    assert end_of_head(text.split("\n"), found, start, "drain") == end


def test_a_head_without_a_known_definition_is_the_statement_that_names_it() -> None:
    lines = ["drain first", "", "@drain", "static", "int drain(", "  int a)", "{"]
    assert end_of_head(lines, None, 3, "drain") == 6


def test_a_name_in_a_comment_or_a_string_is_not_given_there() -> None:
    lines = ["# X", "@X", "f('X', \"X\")", "X()", "X()"]
    assert [line_of_name(lines, 1, last, "X") for last in (5, 4, 3)] == [4, 4, 1]


def test_the_innermost_definition_holds_a_line() -> None:
    text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    found = definitions(text.encode(), "python")
    assert [one.name if (one := innermost_definition(found, line)) else None for line in (1, 3, 6, 9)] == [
        "A",
        "f",
        "g",
        None,
    ]


def file_of(index: Index, path: str) -> tuple[IndexedFile, Sequence[Definition]]:
    file = load_file(index.store, path)
    assert file is not None
    return file, definitions(file.text.encode(), "python")


def test_of_a_long_definition_the_lines_around_one_are_quoted_from_a_blank_one_on(index: Index) -> None:
    file, known = file_of(index, "ferry/boat.py")
    carry = innermost_definition(known, 20)
    assert stretch(file, carry, 20) == (12, 26)
    assert stretch(file, carry, 20, 22) == (12, 28)
    assert stretch(file, carry, 5) == (4, 11)
    assert stretch(file, carry, 57) == (57, 57)
    assert stretch(file, None, 3) == (3, 9)
    file, known = file_of(index, "ferry/desk.py")
    assert stretch(file, innermost_definition(known, 6), 6) == (5, 7)


def test_of_files_of_one_name_that_in_the_root_is_meant_or_none(index: Index) -> None:
    paths = ["main.py", "util.py", "b/util.py", "/home/x/ferry/boat.py", "nothing.py"]
    assert [resolve_path(index, path) for path in paths] == ["main.py", None, "b/util.py", "ferry/boat.py", None]


@pytest.mark.parametrize("symbol", ["RiverError.__str__", "RiverError"])
def test_an_error_is_used_where_it_is_made_and_not_where_it_is_defined(index: Index, symbol: str) -> None:
    assert [(one.path, one.start_line) for one in uses_of(index, symbol, 5)] == [("ferry/boat.py", 57)]


def test_a_frame_is_where_its_code_stands_now(index: Index) -> None:
    trace = 'Traceback (most recent call last):\n  File "/srv/ferry/boat.py", line 3, in carry\n    {}\nOSError: no'
    assert quoted(index, trace.format("step_45(letter)")) == [("ferry/boat.py", 42, 55)]
    assert quoted(index, trace.format("gone(letter)")) == [("ferry/boat.py", 4, 10)]


def test_a_frame_without_a_place_is_where_its_function_is_defined(index: Index) -> None:
    assert quoted(index, "    at ferry.boat.carry") == [("ferry/boat.py", 4, 10)]


def test_a_script_is_found_by_what_it_was_made_of(index: Index) -> None:
    assert quoted(index, "TypeError: x\n    at land (js/app.ts:2:5)") == [("js/app.js", 1, 3)]


def test_callers_are_quoted_with_the_definition(index: Index) -> None:
    assert quoted(index, "who calls cross?") == [
        ("ferry/boat.py", 55, 55),
        ("ferry/desk.py", 7, 7),
        ("ferry/river.py", 8, 8),
    ]


def test_a_tab_that_was_written_out_is_one() -> None:
    line = "at com.shop.Client.send(Client.java:12)"
    assert read_trace(f"\\\\t{line}") == read_trace(f"\t{line}")
    assert read_trace(f"\t{line}").frames


def test_a_name_may_be_followed_by_a_blank_and_a_question_mark() -> None:
    assert read_name_question("parse_config ?") == read_name_question("parse_config")


def test_a_question_about_a_file_is_one_line() -> None:
    assert read_file_question("What does src/a.py say of keys?") is not None
    assert read_file_question("What does src/a.py say\nof keys?") is None


def test_a_definition_that_announces_a_list_goes_on_to_its_end() -> None:
    lines = ["Waxing is a way to keep a letter dry:", "", "- warm the wax", "- dip the letter", "", "It takes an hour."]
    assert [(one.start_line, one.end_line) for one in definitions_of("waxing", lines)] == [(1, 4)]
    assert end_of_list(lines, 1) == 4
    lines[0] = "Waxing means:"
    assert [(one.start_line, one.end_line) for one in definitions_of("waxing", lines)] == [(1, 4)]


def said(index: Index, text: str) -> str:
    answer = answer_by_way(Question(text), index)
    assert answer is not None
    return answer.text(range(1, len(answer.hits) + 1))


def test_what_a_function_calls_is_listed_with_its_place(index: Index) -> None:
    assert said(index, "what does `send` call?").startswith(
        "`send` calls 2 names that this corpus defines: `carry` (`ferry/boat.py:4`); `cross` (`ferry/river.py:8`). "
        "Told by name.\n\n`ferry/desk.py:5-7` (`send`):\n"
    )


def test_other_definitions_of_a_name_are_listed(index: Index) -> None:
    assert said(index, "who calls twin?").endswith(
        "6 definitions of this name: `twins/1.py:2` (`Box1.twin`), `twins/2.py:2` (`Box2.twin`), "
        "`twins/3.py:2` (`Box3.twin`), `twins/4.py:2` (`Box4.twin`), `twins/5.py:2` (`Box5.twin`) and 1 more."
    )
    assert "`ferry/river.py:8` (`cross`)" in said(index, "who calls cross?")


def test_a_file_is_said_to_be_what_it_is(index: Index) -> None:
    assert said(index, "what is js/app.js?").endswith(
        "`js/app.js` (javascript, 4 lines) defines `land` (1) (line numbers in brackets).\n\n"
        "No import statement here names it."
    )
    assert " more (line numbers in brackets)" in said(index, "what is many.py?")


def test_how_often_a_name_is_used_is_counted(index: Index) -> None:
    assert said(index, "what is RiverError?").endswith("Used at 2 places in 2 files.")
    assert said(index, "what is Crate?").startswith("`crates/1.py:1-4` (`Crate`):")
    assert said(index, "what is Crate?").endswith(
        "Used at 1 place in 1 file, and at 1 place in tests.\n\n"
        "Also defined at `crates/2.py:1`, `crates/3.py:1`, `crates/4.py:1`, `crates/5.py:1`, `crates/6.py:1`."
    )


def test_places_that_raise_an_error(index: Index) -> None:
    assert [(one.path, one.start_line) for one in raises_of(index, "RiverError", 5)] == [
        ("ferry/river.py", 9),
        ("ferry/boat.py", 57),
    ]
    assert raises_of(index, "OSError", 5) == ()


def test_of_modules_of_one_name_none_is_meant(index: Index) -> None:
    assert (resolve_module(index, "util"), resolve_module(index, "river")) == (None, "ferry/river.py")


def test_blank_lines_around_a_quote_are_left_out(index: Index) -> None:
    hit = CorpusLines(index).hit("ferry/boat.py", 2, 4)
    assert (hit.start_line, hit.end_line, hit.text) == (4, 4, "def carry(letter):")
    with pytest.raises(KeyError, match=r"ferry/none\.py"):
        CorpusLines(index).hit("ferry/none.py", 2, 4)
    with pytest.raises(KeyError, match=r"ferry/none\.py"):
        CorpusLines(index).statement("ferry/none.py", 2)


def test_the_head_is_that_of_the_definition_within_the_lines(index: Index) -> None:
    heads = [CorpusLines(index).head("Boats.java", start, end, "x.drain") for start, end in ((2, 3), (6, 8))]
    assert [(hit.start_line, hit.end_line) for hit in heads] == [(2, 3), (6, 7)]


def test_code_with_a_backtick_stands_between_two() -> None:
    assert in_code("a`b") == "`` a`b ``"


def test_a_frame_at_the_end_shows_no_line_of_source() -> None:
    assert read_trace('  File "a.py", line 1, in f').frames[0].code == ""


def test_of_a_long_entry_the_first_fourteen_lines_are_its_definition() -> None:
    lines = ["- **Ferry**: a boat that carries requests.", *[f"  Plank {number} is of oak." for number in range(30)]]
    found = next(iter(definitions_of("ferry", lines)))
    assert (found.start_line, found.end_line) == (1, 14)


def test_markup_between_two_words_of_a_term_is_a_blank() -> None:
    lines = ["- **leaf{#leaf}bundle**: A directory that holds other directories."]
    assert [one.start_line for one in definitions_of("leaf bundle", lines)] == [1]


@pytest.mark.parametrize(("more", "read"), [(0, True), (1, False)])
def test_a_question_for_a_term_has_at_most_120_letters(more: int, read: bool) -> None:
    question = "what is leaf?"
    text = " " * (120 - len(question) + more) + question
    assert bool(read_term_question(text)) == read


def test_an_address_and_the_end_of_a_line_are_no_words_of_a_comment() -> None:
    assert before_legal_words(["# one two three http://ferry.org/way"], 1, 1) is None
    assert before_legal_words(["# one two", "# three"], 1, 2) is None
    assert before_legal_words(["# one two", "# three four"], 1, 2) == (1, 2)


def test_a_comment_ends_before_it_begins_where_there_is_none() -> None:
    assert end_of_comment(["x = 1", "# no"], 1) == 0
    assert end_of_comment(["x = 1"], 2) == 1


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


def test_of_equal_lines_the_one_nearest_to_the_frames_line_ran(index: Index) -> None:
    lines = ["def go():", "    stop()", "    wait()", "    stop()", "    stop()"]
    file = IndexedFile(Document("a.py", "", 1, 0, "python"), (), "\n".join(lines), lines)
    assert [_line_now(file, Frame("a.py", at, (), "stop()"), None, "") for at in (1, 3, 5, 90)] == [2, 2, 5, 5]
    assert [_line_now(file, Frame("a.py", at, ()), None, "") for at in (None, 0, 3, 90)] == [1, 1, 3, 5]


def test_a_trace_is_no_question_about_its_file() -> None:
    assert read_file_question('File "ferry/boat.py", line 3, in carry') is None


@pytest.mark.parametrize("name", ["ferry.river", "river"])
def test_only_as_many_relatives_of_a_module_are_named_as_asked_for(index: Index, name: str) -> None:
    found = resolve_name(index, name, ("callers",), 1)
    assert (found.name, found.related is not None) == ("ferry/river.py", True)
    assert len(found.related.relatives) == 1


def test_the_frame_comes_first_where_it_names_the_error_or_runs_elsewhere(index: Index) -> None:
    said = "RiverError: closed"
    found = MessagePlaces(Template("ferry/river.py", 5, 5, "RiverError", 5))
    here = _FrameHere("ferry/river.py", 9, 8, 9, "cross")
    elsewhere = _FrameHere("ferry/desk.py", 6, 5, 7, "send")
    one = _ErrorAnswer(index, CorpusLines(index), found, (here,), said)
    assert (one._frame_defines_message(), one._frames_come_first()) == (True, False)
    other = _ErrorAnswer(index, CorpusLines(index), found, (elsewhere,), "closed")
    assert other._frames_come_first()


def test_callers_of_a_method_of_one_class_are_found(index: Index) -> None:
    assert ("twins/use.py", 2, 2) in quoted(index, "who calls Box1.twin?")


def test_code_in_running_text_stands_on_one_line_between_more_backticks_than_it_has() -> None:
    assert [in_code(one) for one in ("a\n  b", "`a`", "a``b")] == ["`a b`", "`` `a` ``", "``` a``b ```"]


def test_only_the_beginning_of_a_question_tells_whether_it_is_about_history() -> None:
    assert may_ask_history("x" * 396 + "gone")
    assert not may_ask_history("x" * 397 + "gone")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("what does src/a.py say of keys?", ("src/a.py", "what does say of keys")),
        ("src/a.py: which keys are there?", ("src/a.py", "which keys are there")),
        ("`boat.py` - which keys are there?", ("boat.py", "which keys are there")),
        ("how does boat.py change the keys?", None),
        ("what is src/a.py", None),
        ("what does v1.2/config say of keys?", None),
        ("src/a.py and src/b.py and keys", None),
    ],
)
def test_a_question_about_what_is_in_a_file(text: str, asked: tuple[str, str] | None) -> None:
    assert read_file_question(text) == asked


def test_a_word_of_a_message_tells_more_the_fewer_places_hold_it() -> None:
    assert [_weight_of_word(word, 1, 10) for word in ("the", "7", "x")] == [_weight_of_word("the", 5, 10)] * 3
    rare, common, value = (_weight_of_word("ferry", holding, 10) for holding in (1, 5, 0))
    assert rare == pytest.approx(0.3 + math.log(11)) and common == pytest.approx(0.3 + math.log(3)) and value == 0.0


def test_what_of_many_callers_is_not_shown_can_be_listed(index: Index) -> None:
    answer = said(index, "who calls moor?")
    assert "And 36 more: `ferry/harbour.py` (21, 25, " in answer
    assert "149, 153, 157, 161)." in answer


def test_what_a_line_opens_and_does_not_close() -> None:
    assert [_brackets_opened(one) for one in ("f(", "])}", "X(", "XX", "{[(}])")] == [1, -3, 1, 0, 0]


@pytest.mark.parametrize(
    ("lines", "start", "longest", "end"),
    [
        (["# a", "# b", "x = 1"], 1, 9, 2),
        (["x = 1"], 1, 9, 0),
        (["# a"], 2, 9, 1),
        (["# a", "# b", "# c", "# d"], 1, 2, 3),
        (["# a", "# b"], 1, 9, 2),
        (['"""a', "b", '"""', "x"], 1, 9, 3),
        (['"""a"""', '"""'], 1, 9, 1),
        (["{- a", "b -}", "x"], 1, 9, 2),
        (["(* a", "b *)", "x"], 1, 9, 2),
        (['"""a', "b", "c", "d", '"""'], 1, 3, 4),
    ],
)
def test_a_comment_ends_with_its_mark_or_its_last_line(lines: list[str], start: int, longest: int, end: int) -> None:
    assert end_of_comment(lines, start, longest) == end


def test_an_answer_says_by_which_way_it_was_found(index: Index) -> None:
    questions = {"who calls cross?": "callers", "what is RiverError?": "names"}
    for question, way in questions.items():
        answer = answer_by_way(Question(question), index)
        assert answer is not None and answer.way == way
