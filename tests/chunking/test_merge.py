"""Which pieces become one chunk, at every bound, and what a chunk is said to be about."""

from __future__ import annotations

from typing import Any

import pytest

from quaestor.chunking import ChunkSettings
from quaestor.chunking.merge import _parts, align, chunks, group, split
from quaestor.chunking.outline import Head, Piece

# From 40 bytes up a definition stands for itself; below 20 it is slight, below 10 tiny; lists go together up to 48.
SIZES = ChunkSettings(160, 320)
TOP = -1

Made = tuple[int, dict[str, Any]]


def sized(size: int, **more: Any) -> Made:
    return size, more


def laid(*made: Made) -> list[Piece]:
    """Return pieces that follow each other; they lie at the top, if nothing else is said."""
    pieces, start = [], 0
    for number, (size, more) in enumerate(made):
        pieces.append(Piece(start, number, **{"parent": TOP, "end": start + size, **more}))
        start += size
    return pieces


def grouped(*made: Made) -> list[list[int]]:
    return [[piece.number for piece in pieces] for pieces in group(laid(*made), SIZES)]


TOGETHER, APART = [[0, 1]], [[0], [1]]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (sized(39), sized(39), TOGETHER),
        (sized(40), sized(39), APART),
        (sized(39), sized(40), APART),
        (sized(40), sized(19), TOGETHER),
        (sized(19), sized(40), TOGETHER),
        (sized(40), sized(20), APART),
        (sized(20), sized(40), APART),
        (sized(141), sized(19), TOGETHER),
        (sized(142), sized(19), APART),
    ],
)
def test_neighbours_go_together_where_one_is_slight_or_both_are_small(
    one: Made, other: Made, expected: list[list[int]]
) -> None:
    assert grouped(one, other) == expected


def test_many_small_ones_go_together_up_to_the_target() -> None:
    assert grouped(*[sized(30)] * 5, sized(10)) == [[0, 1, 2, 3, 4, 5]]
    assert grouped(*[sized(30)] * 5, sized(11)) == [[0, 1, 2, 3, 4], [5]]
    assert grouped(sized(30), sized(30), sized(40)) == [[0, 1], [2]], "the largest counts, however small the others"


@pytest.mark.parametrize(("size", "expected"), [(9, TOGETHER), (10, APART)])
def test_of_strangers_only_what_is_tiny_goes_along(size: int, expected: list[list[int]]) -> None:
    assert grouped(sized(30), sized(size, parent=7)) == expected
    # What follows a body is not part of it.
    assert grouped(sized(30, part=True), sized(size)) == expected


def test_members_go_with_what_began_the_chunk() -> None:
    assert grouped(sized(30), sized(20, parent=0), sized(20, parent=1)) == [[0, 1, 2]]
    assert grouped(sized(30, parent=5), sized(20, parent=0), sized(20, parent=5)) == [[0, 1, 2]]


def test_statements_go_on_with_their_body() -> None:
    assert grouped(sized(60), sized(60, part=True, parent=0)) == TOGETHER
    assert grouped(sized(60, part=True), sized(60, part=True)) == TOGETHER
    assert grouped(sized(60, part=True), sized(60, part=True, parent=7)) == APART


@pytest.mark.parametrize(
    ("first", "member", "expected"),
    [
        (19, sized(100, parent=0), TOGETHER),
        (19, sized(301, parent=0), TOGETHER),
        (19, sized(302, parent=0), APART),
        (20, sized(100, parent=0), APART),
        (19, sized(100, parent=7), APART),
        (19, sized(141, parent=0, opens=True), TOGETHER),
        (19, sized(142, parent=0, opens=True), APART),
        (20, sized(20, parent=0, opens=True), APART),
    ],
)
def test_the_first_line_of_something_large_goes_with_its_first_member(
    first: int, member: Made, expected: list[list[int]]
) -> None:
    assert grouped(sized(first, opens=True), member) == expected


def test_what_has_members_of_its_own_begins_a_chunk() -> None:
    assert grouped(sized(15), sized(15, opens=True)) == APART
    assert grouped(sized(15), sized(15)) == TOGETHER


def test_a_page_begins_a_chunk() -> None:
    assert grouped(sized(15), sized(15, page=True)) == APART
    assert grouped(sized(100), sized(5, page=True)) == APART
    assert grouped(sized(15, page=True), sized(15)) == TOGETHER


def test_items_of_a_list_stay_together_up_to_a_bound() -> None:
    assert grouped(sized(24, item=True), sized(24, item=True)) == TOGETHER
    assert grouped(sized(24, item=True), sized(25, item=True)) == APART
    assert grouped(sized(24), sized(25, item=True)) == grouped(sized(24, item=True), sized(25)) == TOGETHER
    assert grouped(sized(45, item=True), sized(5, item=True)) == APART


@pytest.mark.parametrize(
    ("first", "following", "expected"),
    [
        (sized(9), sized(100, parent=7), TOGETHER),
        (sized(9), sized(151, parent=7), TOGETHER),
        (sized(9), sized(152, parent=7), APART),
        (sized(10), sized(100, parent=7), APART),
        (sized(9), sized(100, parent=7, opens=True), APART),
        (sized(9), sized(100, parent=7, page=True), APART),
        (sized(9, opens=True), sized(100, parent=7), APART),
    ],
)
def test_a_files_tiny_beginning_goes_with_what_follows(first: Made, following: Made, expected: list[list[int]]) -> None:
    assert grouped(first, following) == expected


def test_only_a_files_beginning_leads() -> None:
    assert grouped(sized(158), sized(9), sized(100, parent=7)) == [[0, 1], [2]]


@pytest.mark.parametrize(
    ("before", "last", "expected"),
    [
        (158, sized(9), TOGETHER),
        (158, sized(10), APART),
        (158, sized(9, opens=True), APART),
        (158, sized(9, page=True), APART),
        (315, sized(5), TOGETHER),
        (316, sized(5), APART),
        (150, sized(39, part=True, parent=0), TOGETHER),
        (150, sized(40, part=True, parent=0), APART),
        (150, sized(39, part=True, parent=TOP), TOGETHER),
        (150, sized(39, part=True, parent=7), APART),
        (158, sized(5, item=True), TOGETHER),
        (150, sized(39, parent=0), APART),
    ],
)
def test_what_says_too_little_alone_goes_back(before: int, last: Made, expected: list[list[int]]) -> None:
    assert grouped(sized(before), last) == expected


@pytest.mark.parametrize(("size", "expected"), [(34, [[0, 1, 2]]), (35, [[0, 1], [2]])])
def test_items_go_back_up_to_a_bound(size: int, expected: list[list[int]]) -> None:
    assert grouped(sized(158, item=True), sized(5)) == TOGETHER, "items and others together have no limit of their own"
    list_of_another = sized(9, parent=7, item=True), sized(size, parent=7, item=True, part=True)
    assert grouped(sized(5), *list_of_another) == expected


def test_what_says_too_little_goes_back_in_the_middle_too() -> None:
    assert grouped(sized(158), sized(5), sized(50, opens=True)) == [[0, 1], [2]]
    assert grouped(sized(100), sized(100), sized(158), sized(9)) == [[0], [1], [2, 3]]
    assert grouped(sized(100), sized(50, part=True, parent=0), sized(39, part=True, parent=0)) == [[0, 1, 2]]


def test_nothing_makes_nothing() -> None:
    assert (group([], SIZES), chunks([], b"", "utf-8"), align([], b"", 0), split([], b"", SIZES)) == ([], (), [], [])


# --- aligned to lines ---------------------------------------------------------------------------------------------


def test_pieces_begin_with_their_line_and_end_where_the_next_begins() -> None:
    data = b"\xef\xbb\xbfone\n  two\nthree\n"
    pieces = align([Piece(3, 0, TOP), Piece(9, 1, TOP), Piece(13, 2, TOP)], data, 3)
    assert [(piece.start, piece.end) for piece in pieces] == [(3, 7), (7, 13), (13, len(data))]
    pieces = align([Piece(9, 0, TOP)], data, 3)
    assert [(piece.start, piece.end) for piece in pieces] == [(3, len(data))], "what stands before goes with the first"


def test_what_shares_a_line_becomes_one_piece() -> None:
    data = b"a; b\nc\n"
    one, other = Piece(0, 0, TOP), Piece(3, 1, TOP, "b", "function", ("S",), defines=[(0, "b", 3)])
    member = Piece(5, 2, 1, "c", "function")
    pieces = align([one, other, member], data, 0)
    assert [(piece.number, piece.parent, piece.end) for piece in pieces] == [(0, TOP, 5), (2, 0, 7)]
    assert (pieces[0].name, pieces[0].kind, pieces[0].scope) == ("b", "function", ("S",))
    assert pieces[0].defines == [(0, "b", 3)]


def test_what_is_named_first_names_the_line() -> None:
    first, other = Piece(0, 0, TOP, "a", "function"), Piece(3, 1, TOP, "b", "class", opens=True, part=True)
    (piece,) = align([first, other], b"a; b\n", 0)
    assert (piece.name, piece.kind, piece.opens, piece.part) == ("a", "function", True, False)
    block, part = Piece(0, 0, TOP), Piece(3, 1, TOP, "b", "class", part=True)
    (piece,) = align([block, part], b"a; b\n", 0)
    assert (piece.name, piece.part, piece.opens) == ("b", True, False)


def test_a_line_that_begins_within_a_piece_belongs_to_it() -> None:
    pieces = align([Piece(0, 0, TOP), Piece(5, 1, TOP), Piece(7, 2, TOP)], b"a\nb; c\nd\n", 0)
    assert [(piece.number, piece.start, piece.end) for piece in pieces] == [(0, 0, 7), (2, 7, 9)]


def test_a_block_stays_what_it_is_beside_another() -> None:
    (piece,) = align([Piece(0, 0, TOP), Piece(3, 1, TOP, scope=("S",), part=True)], b"a; b\n", 0)
    assert (piece.scope, piece.part) == ((), False)


def test_a_head_is_not_parted() -> None:
    data = b"@one\n@two\ndef f():\n    pass\n"
    held = align([Piece(0, 0, TOP, head=Head(10, 19)), Piece(10, 1, TOP), Piece(23, 2, TOP)], data, 0)
    assert [piece.start for piece in held] == [0, 19]


# --- split where too large ----------------------------------------------------------------------------------------


def test_what_is_within_the_limit_is_not_split() -> None:
    data = b"x\n" * 160
    whole = Piece(0, 0, TOP, "f", "function", end=320)
    assert split([whole], data, SIZES) == [whole]
    last = Piece(20, 1, TOP, "g", "function", end=320)
    assert split([last], data, SIZES) == [last]
    parts = split([Piece(0, 4, TOP, "f", "function", ("S",), opens=True, end=322)], data + b"x\n", SIZES)
    assert [(part.start, part.end) for part in parts] == [(0, 160), (160, 320), (320, 322)]
    first, *rest = parts
    assert (first.part, first.opens, first.parent) == (False, True, TOP)
    assert {(one.number, one.parent, one.name, one.kind, one.scope, one.part, one.opens) for one in rest} == {
        (4, 4, "f", "function", ("S",), True, False)
    }


def test_members_follow_where_the_comments_have_ended() -> None:
    data = b"# c\n" * 100 + b"class A:\n"
    parts = split([Piece(0, 0, TOP, "A", "class", opens=True, end=len(data), head=Head(400, 409))], data, SIZES)
    assert [part.opens for part in parts] == [*[False] * (len(parts) - 1), True]
    assert parts[-1].start < 400 < parts[-1].end == 409


def test_each_part_defines_what_is_named_in_it() -> None:
    data = b"x\n" * 200
    names = [(0, "A", 0), (1, "b", 159), (1, "c", 160), (1, "d", 399)]
    parts = split([Piece(0, 0, TOP, "A", "class", end=400, defines=[*names])], data, SIZES)
    assert [[name for _, name, _ in part.defines] for part in parts] == [["A", "b"], ["c"], ["d"]]


# --- what a chunk is about ----------------------------------------------------------------------------------------


def about(*made: Made) -> tuple[str | None, str, tuple[str, ...]]:
    """Return symbol, kind and scope of the chunk that pieces become."""
    pieces = laid(*made)
    (chunk,) = chunks([pieces], b"x" * pieces[-1].end, "utf-8")
    return chunk.symbol, chunk.kind, chunk.scope


def named(name: str, kind: str, size: int = 10, **more: Any) -> Made:
    return sized(size, name=name, kind=kind, **more)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([sized(50), named("f", "function")], "f"),
        ([named("M", "macro"), named("f", "function")], "f"),
        ([named("X", "constant", 50), named("M", "macro")], "M"),
        ([named("X", "variable", 50), named("d", "declaration")], "d"),
        ([named("b", "block", 50), named("x", "field")], "x"),
        ([sized(50), named("b", "block")], "b"),
        ([named("f", "function", 50, part=True), named("g", "function")], "g"),
        ([named("m", "function", 50, scope=("A",)), named("g", "function")], "m"),
        ([named("m", "function", 20, scope=("A",)), named("g", "function", 21)], "g"),
        ([named("m", "method", 50, scope=("A", "B")), named("n", "method", scope=("A",)), named("T", "type")], "m"),
        ([named("f", "function", 20), named("g", "function", 21)], "g"),
        ([named("f", "function", 20), named("g", "function", 20)], "f"),
        # Only the first line of a class is here, and one member: that is what the chunk is about.
        ([named("A", "class", 10), named("m", "method", 31, scope=("A",))], "m"),
        ([named("A", "class", 10), named("m", "method", 30, scope=("A",))], "A"),
        ([named("A", "class", 10), named("m", "method", 20, scope=("A",)), sized(11)], "m"),
        ([named("A", "class", 10), named("m", "method", 31, scope=("A",), part=True)], "A"),
        ([named("A", "class", 10), named("m", "method", 31, scope=("A",)), named("n", "method", scope=("A",))], "A"),
        ([named("A", "class", 10), named("x", "field", 31, scope=("A",))], "A"),
        ([named("Part", "section", 10), named("Below", "section", 31, scope=("Part",))], "Below"),
        ([named("T", "type", 10), named("m", "method", 31, scope=("T",))], "T"),
        ([named("T", "type", 10, scope=("A",)), named("m", "method", 31, scope=("A", "T", "U"))], "T"),
    ],
)
def test_a_chunk_is_about_what_encloses_the_rest(made: list[Made], expected: str) -> None:
    assert about(*made)[0] == expected


def test_a_chunk_without_a_name_is_a_block() -> None:
    assert about(sized(5, kind="function"), sized(5)) == (None, "block", ())
    assert about(named("f", "function", scope=("A", "B"))) == ("f", "function", ("A", "B"))


def test_names_are_told_outermost_first_and_once() -> None:
    pieces = laid(
        sized(5, defines=[(1, "m", 1), (0, "A", 0)]), sized(5, defines=[(0, "B", 6), (1, "m", 7), (0, "A", 8)])
    )
    (chunk,) = chunks([pieces], b"x" * 10, "utf-8")
    assert chunk.defines == ("A", "B", "m")


def test_chunks_have_the_bytes_of_their_pieces_and_blanks_have_none() -> None:
    data = b"one\n   \ntwo\n"
    pieces = laid(sized(4), sized(4), sized(4, name="two", kind="function"))
    made = chunks([[piece] for piece in pieces], data, "utf-8")
    assert [(one.text, one.span.start_line, one.symbol) for one in made] == [("one\n", 1, None), ("two\n", 3, "two")]


def test_where_a_part_ends_at_the_head_the_next_one_is_the_definition() -> None:
    comment, head = b"# far above\n" + b"\n" * 400, b"def f():\n    return 1\n"
    begin = len(comment)
    piece = Piece(0, 0, TOP, "f", opens=True, end=len(comment + head), head=Head(begin, begin + 9))
    parts = _parts(piece, comment + head, SIZES)
    assert begin in [part.end for part in parts], "the case in point"
    assert [(part.start, part.end) for part in parts if part.opens] == [(begin, begin + len(head))]
