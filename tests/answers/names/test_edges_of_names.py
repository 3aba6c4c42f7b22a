"""Answers about names at their limits: which place, which use and which definition is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from ferry_files import quoted, said

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.names.explain_term import read_term_question
from quaestor.answers.names.resolved_names import raises_of, resolve_module, resolve_name, resolve_path, uses_of
from quaestor.answers.names.term_definitions import definitions_of, end_of_list


def test_of_files_of_one_name_that_in_the_root_is_meant_or_none(ferry: Index) -> None:
    paths = ["main.py", "util.py", "b/util.py", "/home/x/ferry/boat.py", "nothing.py"]
    assert [resolve_path(ferry, path) for path in paths] == ["main.py", None, "b/util.py", "ferry/boat.py", None]


@pytest.mark.parametrize("symbol", ["RiverError.__str__", "RiverError"])
def test_an_error_is_used_where_it_is_made_and_not_where_it_is_defined(ferry: Index, symbol: str) -> None:
    assert [(one.path, one.start_line) for one in uses_of(ferry, symbol, 5)] == [("ferry/boat.py", 57)]


def test_callers_are_quoted_with_the_definition(ferry: Index) -> None:
    assert quoted(ferry, "who calls cross?") == [
        ("ferry/boat.py", 55, 55),
        ("ferry/desk.py", 7, 7),
        ("ferry/river.py", 8, 8),
    ]


def test_a_definition_that_announces_a_list_goes_on_to_its_end() -> None:
    lines = ["Waxing is a way to keep a letter dry:", "", "- warm the wax", "- dip the letter", "", "It takes an hour."]
    assert [(one.start_line, one.end_line) for one in definitions_of("waxing", lines)] == [(1, 4)]
    assert end_of_list(lines, 1) == 4
    lines[0] = "Waxing means:"
    assert [(one.start_line, one.end_line) for one in definitions_of("waxing", lines)] == [(1, 4)]


def test_what_a_function_calls_is_listed_with_its_place(ferry: Index) -> None:
    assert said(ferry, "what does `send` call?").startswith(
        "`send` calls 2 names that this corpus defines: `carry` (`ferry/boat.py:4`); `cross` (`ferry/river.py:8`). "
        "Told by name.\n\n`ferry/desk.py:5-7` (`send`):\n"
    )


def test_other_definitions_of_a_name_are_listed(ferry: Index) -> None:
    assert said(ferry, "who calls twin?").endswith(
        "6 definitions of this name: `twins/1.py:2` (`Box1.twin`), `twins/2.py:2` (`Box2.twin`), "
        "`twins/3.py:2` (`Box3.twin`), `twins/4.py:2` (`Box4.twin`), `twins/5.py:2` (`Box5.twin`) and 1 more."
    )
    assert "`ferry/river.py:8` (`cross`)" in said(ferry, "who calls cross?")


def test_a_file_is_said_to_be_what_it_is(ferry: Index) -> None:
    assert said(ferry, "what is js/app.js?").endswith(
        "`js/app.js` (javascript, 4 lines) defines `land` (1) (line numbers in brackets).\n\n"
        "No import statement here names it."
    )
    assert " more (line numbers in brackets)" in said(ferry, "what is many.py?")


def test_how_often_a_name_is_used_is_counted(ferry: Index) -> None:
    assert said(ferry, "what is RiverError?").endswith("Used at 2 places in 2 files.")
    assert said(ferry, "what is Crate?").startswith("`crates/1.py:1-4` (`Crate`):")
    assert said(ferry, "what is Crate?").endswith(
        "Used at 1 place in 1 file, and at 1 place in tests.\n\n"
        "Also defined at `crates/2.py:1`, `crates/3.py:1`, `crates/4.py:1`, `crates/5.py:1`, `crates/6.py:1`."
    )


def test_places_that_raise_an_error(ferry: Index) -> None:
    assert [(one.path, one.start_line) for one in raises_of(ferry, "RiverError", 5)] == [
        ("ferry/river.py", 9),
        ("ferry/boat.py", 57),
    ]
    assert raises_of(ferry, "OSError", 5) == ()


def test_of_modules_of_one_name_none_is_meant(ferry: Index) -> None:
    assert (resolve_module(ferry, "util"), resolve_module(ferry, "river")) == (None, "ferry/river.py")


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


@pytest.mark.parametrize("name", ["ferry.river", "river"])
def test_only_as_many_relatives_of_a_module_are_named_as_asked_for(ferry: Index, name: str) -> None:
    found = resolve_name(ferry, name, ("callers",), 1)
    assert (found.name, found.related is not None) == ("ferry/river.py", True)
    assert len(found.related.relatives) == 1


def test_callers_of_a_method_of_one_class_are_found(ferry: Index) -> None:
    assert ("twins/use.py", 2, 2) in quoted(ferry, "who calls Box1.twin?")


def test_what_of_many_callers_is_not_shown_can_be_listed(ferry: Index) -> None:
    answer = said(ferry, "who calls moor?")
    assert "And 36 more: `ferry/harbour.py` (21, 25, " in answer
    assert "149, 153, 157, 161)." in answer


def test_a_file_that_no_import_names_is_used_by_tests_as_well(tmp_path: Path) -> None:
    files = {
        "go.mod": "module shop\n",
        "desk.go": "package shop\n\nfunc CarryCrate() int {\n\treturn 1\n}\n",
        "desk_test.go": "package shop\n\nfunc TestCarry() {\n\tCarryCrate()\n}\n",
        "other.go": "package shop\n\nfunc other() {\n\tCarryCrate()\n}\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        assert "`desk_test.go`" in said(index, "Who uses desk.go?")
