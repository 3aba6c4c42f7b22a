"""Neighbouring chunks of prose are shown as one passage, and short sections whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.documents import Chunk, Document, Span
from quaestor.search.joined_passages import DEFINITION, JOINED, LED, join_passages
from quaestor.stores import StoredChunk

Names = tuple[str, ...]


def document_of(path: str, sections: Sequence[tuple[Names, int]], language: str = "markdown") -> list[StoredChunk]:
    """Return a document of one chunk for each heading path and size in bytes, one line each, without gaps."""
    document = Document(path, "0" * 64, 0, 0, language)
    stored, start = [], 0
    for position, (names, size) in enumerate(sections):
        span = Span(start, start + size, position + 1, position + 1)
        text = f"{position % 10}" * (size - 1) + "\n"
        chunk = Chunk(span, text, names[-1] if names else None, "section" if names else "block", names[:-1])
        stored.append(StoredChunk(hash((path, position)), document, chunk, position))
        start += size
    return stored


def lines(ranked: list[StoredChunk], k: int, *documents: list[StoredChunk]) -> list[tuple[int, int]]:
    """Return the lines of what is shown."""
    held = {chunks[0].document.path: chunks for chunks in documents}
    return [(chunk.span.start_line, chunk.span.end_line) for _, chunk in join_passages(ranked, k, held.__getitem__)]


A = document_of(
    "a.md", [(("Guide",), 300), (("Guide", "Retry"), 900), (("Guide", "Wait"), 900), (("Guide", "End"), 900)]
)


def test_neighbours_become_one_passage_and_free_a_place() -> None:
    assert lines([A[1], A[3], A[2]], 2, A) == [(2, 3), (4, 4)]
    assert lines([A[1], A[2], A[3]], 2, A) == [(2, 3), (4, 4)]
    assert lines([A[0], A[1]], 1, A) == [(1, 2)]
    assert lines([A[1], A[3]], 2, A) == [(2, 3), (4, 4)]


def test_what_lies_between_two_passages_joins_both() -> None:
    small = document_of("a.md", [(("A",), 100), (("B",), 100), (("C",), 100)])
    assert lines([small[0], small[2], small[1]], 2, small) == [(1, 3)]


def test_a_passage_of_prose_begins_with_what_was_found_first_or_with_its_section() -> None:
    assert lines([A[2], A[1]], 2, A) == [(3, 4), (2, 2)]
    cut = document_of("a.md", [(("A",), 900), (("B",), 900), (("B",), 150), (("C",), 150)])
    assert lines([cut[2], cut[1], cut[0]], 2, cut) == [(2, 3), (1, 1)]
    assert lines([cut[3], cut[0]], 2, cut) == [(4, 4), (1, 2)]


def test_a_joined_passage_stands_where_its_best_chunk_does_under_the_headings_above_it() -> None:
    [(rank, chunk)] = join_passages([A[1], A[2]], 1, lambda _: A)
    assert rank == 0
    assert (chunk.scope, chunk.symbol, chunk.kind) == ((), "Guide", "section")
    assert chunk.text == A[1].chunk.text + A[2].chunk.text


def test_a_short_section_is_shown_whole() -> None:
    cut = document_of("a.md", [(("A",), 600), (("A",), 600), (("A",), 600), (("B",), 900)])
    assert lines([cut[1]], 1, cut) == [(1, 3)]
    assert lines([cut[3], cut[1]], 2, cut) == [(4, 4), (1, 3)]
    long = document_of("a.md", [(("A",), 1000), (("A",), 1000), (("A",), 1000)])
    assert lines([long[1]], 1, long) == [(2, 2)]


def test_a_short_passage_is_shown_with_what_follows_under_its_own_heading() -> None:
    short = document_of("a.md", [(("A",), 500), (("B",), 300), (("C",), 400), (("D",), 500), (("E",), 1000)])
    assert lines([short[1]], 1, short) == [(2, 4)]
    [(_, chunk)] = join_passages([short[1]], 1, lambda _: short)
    assert (chunk.symbol, chunk.scope) == ("B", ())
    assert lines([short[3], short[4]], 1, short) == [(4, 5)]
    assert lines([short[4]], 1, short) == [(5, 5)]


def test_what_comes_before_a_passage_is_shown_only_if_it_is_of_the_same_section() -> None:
    ended = document_of("a.md", [(("A",), 1500), (("B",), 900), (("B",), 150)])
    assert lines([ended[2]], 1, ended) == [(2, 3)]
    alone = document_of("a.md", [(("A",), 300), (("B",), 150)])
    assert lines([alone[1]], 1, alone) == [(2, 2)]


def test_what_surrounds_a_passage_is_left_to_the_passage_that_found_it() -> None:
    three = document_of("a.md", [(("A",), 900), (("B",), 900), (("C",), 900)])
    assert lines([three[0], three[2]], 2, three) == [(1, 2), (3, 3)]
    assert lines([three[0], three[2], three[1]], 3, three) == [(1, 2), (3, 3)]
    large = document_of("a.md", [(("A",), 900), (("B",), 1200), (("C",), 900)])
    assert lines([large[0], large[1]], 2, large) == [(1, 1), (2, 2)]


def ending(chunks: list[StoredChunk], at: int, end: str) -> list[StoredChunk]:
    """Return a document of which one chunk ends with other text."""
    chunk = chunks[at].chunk
    changed = chunk._replace(text=chunk.text[: -len(end) - 2] + "\n" + end + "\n")
    return [*chunks[:at], chunks[at]._replace(chunk=changed), *chunks[at + 1 :]]


@pytest.mark.parametrize(
    ("end", "leads"),
    [
        ("The following options are available:", True),
        ("**Options:**", True),
        ("### The second way", True),
        ("这些选项可用：", True),
        ("All of them are available.", False),
        (".. _options:", False),
        (":members:", False),
        ("[^2]:", False),
    ],
)
def test_what_a_last_line_leads_to_is_shown_with_it(end: str, leads: bool) -> None:
    long = ending(document_of("a.md", [(("A",), 1900), (("A",), 900), (("A",), 900)]), 0, end)
    assert lines([long[0]], 1, long) == [(1, 2 if leads else 1)]
    sizes: list[tuple[Names, int]] = [(("A",), 1900), (("A",), LED - 1899)]
    larger = ending(document_of("a.md", sizes), 0, end)
    assert lines([larger[0]], 1, larger) == [(1, 1)]
    code = ending(document_of("a.py", [(("A",), 1900), (("B",), 900), (("A",), 900)], "python"), 0, end)
    assert lines([code[0]], 1, code) == [(1, 1)]


def test_what_a_last_line_leads_to_is_not_shown_twice() -> None:
    sizes = [(("A",), 1900), (("B",), 900)]
    long = ending(document_of("a.md", sizes), 0, "These are there:")
    assert lines([long[0], long[1]], 2, long) == [(1, 1), (2, 2)]


def test_an_item_of_a_long_list_is_shown_alone() -> None:
    items = document_of("a.md", [(("Links",), 150)] * 20 + [(("End",), 150)])
    assert lines([items[4]], 1, items) == [(5, 5)]
    assert lines([items[19]], 1, items) == [(20, 20)]


def test_code_is_joined_to_what_was_found_beside_it_and_to_nothing_else() -> None:
    code = document_of("a.py", [(("f",), 100), (("f",), 100), (("g",), 100), (("h",), 1400)], "python")
    assert lines([code[2], code[0]], 2, code) == [(3, 3), (1, 1)]
    assert lines([code[2], code[0], code[1], code[3]], 2, code) == [(1, 3), (4, 4)]
    [(_, chunk)] = join_passages([code[2], code[1]], 1, lambda _: code)
    assert (chunk.symbol, chunk.span.start_line, chunk.span.end_line) == ("g", 2, 3)


def test_the_first_passage_of_code_is_shown_with_the_rest_of_its_definition() -> None:
    sizes = [(("A",), 300), (("A", "f"), 900), (("A", "f"), 900), (("A", "f"), 950), (("A", "g"), 400), (("B",), 100)]
    code = document_of("a.py", sizes, "python")
    assert lines([code[2]], 3, code) == [(2, 4)]
    assert lines([code[0]], 3, code) == [(1, 3)]  # as far as there is room
    assert lines([code[5], code[2]], 3, code) == [(6, 6), (3, 3)]
    assert lines([code[2], code[3], code[0]], 3, code) == [(2, 4), (1, 1)]


def test_code_that_stands_further_down_is_not_joined() -> None:
    one = document_of("one.py", [(("f",), 100), (("g",), 100)], "python")
    others = [document_of(f"{number}.py", [(("h",), 100)], "python") for number in range(JOINED)]
    firsts = [other[0] for other in others]
    assert lines([*firsts[1:], *one], JOINED + 1, one, *others)[-1] == (1, 2)
    assert lines([*firsts, *one], JOINED + 2, one, *others)[-2:] == [(1, 1), (2, 2)]


def test_chunks_with_a_gap_between_them_stay_apart() -> None:
    whole = document_of("a.md", [(("A",), 100), (("A",), 100), (("A",), 100)])
    gap = [whole[0], StoredChunk(7, whole[2].document, whole[2].chunk, 1)]
    assert lines([gap[0], gap[1]], 2, gap) == [(1, 1), (3, 3)]


SECTIONS = st.lists(
    st.tuples(st.sampled_from([(), ("A",), ("A", "B"), ("C",)]), st.integers(2, 1500)), min_size=1, max_size=9
)


@given(SECTIONS, SECTIONS, st.randoms(use_true_random=False), st.integers(1, 6))
def test_whatever_is_shown_is_text_of_the_document_once_and_of_a_size_to_read(
    one: list[tuple[Names, int]], other: list[tuple[Names, int]], random: object, k: int
) -> None:
    documents = {"a.md": document_of("a.md", one), "b.py": document_of("b.py", other, "python")}
    ranked = [chunk for chunks in documents.values() for chunk in chunks]
    random.shuffle(ranked)  # type: ignore[attr-defined]
    shown = join_passages(ranked, k, documents.__getitem__)
    assert len(shown) <= k
    assert [rank for rank, _ in shown] == sorted(rank for rank, _ in shown)
    assert shown[0][0] == 0
    for path, chunks in documents.items():
        text = "".join(stored.chunk.text for stored in chunks)
        spans = sorted(
            (chunk.span.start, chunk.span.end) for rank, chunk in shown if ranked[rank].document.path == path
        )
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))
        for rank, chunk in shown:
            if ranked[rank].document.path == path:
                assert chunk.text == text[chunk.span.start : chunk.span.end]
                assert chunk.span.start <= ranked[rank].chunk.span.start < chunk.span.end
                assert chunk.span.end - chunk.span.start <= max(DEFINITION, LED)
    # Nothing that is ranked higher than all that is left out is missing.
    if len(shown) < k:
        covered = {(ranked[rank].document.path, line) for rank, chunk in shown for line in _lines(chunk)}
        assert covered == {(stored.document.path, stored.position + 1) for stored in ranked}


def _lines(chunk: Chunk) -> range:
    return range(chunk.span.start_line, chunk.span.end_line + 1)
