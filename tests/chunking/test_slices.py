"""Parsing through slices leaves no file behind."""

from __future__ import annotations

import tracemalloc

from tree_sitter import Parser

from moments import calls_of
from quaestor.chunking import grammars
from quaestor.chunking.grammars import parse

SCALA = b"".join(b"object O%d {\n  def one(a: Int) =\n    a + %d\n}\n" % (number, number) for number in range(600))


def test_no_slice_is_kept_after_parsing() -> None:
    parse(SCALA, "scala")  # loads the grammar
    read = grammars._Slices.read
    lines = {line for *_, line in read.__code__.co_lines()}
    tracemalloc.start()
    try:
        with calls_of(read) as slices:
            tree = parse(SCALA, "scala")
        made_here = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, grammars.__file__)])
    finally:
        tracemalloc.stop()
    assert tree is not None
    assert not tree.root_node.has_error
    assert len(slices) > 100, "the scanner of Scala asks for columns, and so for many slices"
    kept = [one for one in made_here.traces if one.traceback[0].lineno in lines]
    assert sum(one.size for one in kept) < grammars._SLICE, kept


def test_slices_give_the_same_tree_as_all_at_once() -> None:
    scala = grammars.grammar("scala")
    assert scala is not None
    by_slices, at_once = parse(SCALA, "scala"), Parser(scala).parse(SCALA)
    assert by_slices is not None
    assert str(by_slices.root_node) == str(at_once.root_node)


def test_what_a_grammar_cannot_recover_from_is_given_up_in_a_small_file_too() -> None:
    # The verdict counts reports of the parser: it is the same on every machine.
    assert parse(b"->" * 1_000, "typescript") is None
    assert parse(b"->" * 4_000, "typescript") is None
