"""Texts that say the same in several documents are folded into one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.documents import Chunk, Document, Span
from quaestor.search.chunk_traits import Traits
from quaestor.search.retriever import group_duplicates, places_of
from quaestor.stores import StoredChunk

NOTE = (
    "The pool of connections is now closed when its owner leaves, so that no socket outlives the client that opened it."
)
OTHER = (
    "Headers are sent in the order in which they were given, and a header that is given twice is sent twice as well."
)


def traits(path: str, text: str, number: int) -> Traits:
    language = "markdown" if path.endswith(".md") else "python"
    document = Document(path, "0" * 64, 100, 0, language)
    return Traits(StoredChunk(number, document, Chunk(Span(0, 10, 3, 4), text), number))


def test_one_edition_leads_and_names_the_other() -> None:
    ranked = [traits("second/pools.md", NOTE, 0), traits("headers.md", OTHER, 1), traits("pools.md", NOTE + " Yes.", 2)]
    groups = group_duplicates(ranked, [0.0] * 3)
    assert [(group.rank, group.leader, group.duplicates) for group in groups] == [(0, 2, (0,)), (1, 1, ())]
    assert places_of(groups[0].duplicates, ranked) == ("second/pools.md:3",)


def test_background_does_not_lead() -> None:
    ranked = [traits("CHANGES.md", NOTE, 0), traits("docs/guide/pools.md", NOTE, 1)]
    assert group_duplicates(ranked, [-100.0, 0.0])[0].leader == 1


def test_functions_that_differ_by_a_name_stay_apart() -> None:
    body = "\n".join(f"    total += amounts[{number}] * rate_{number}" for number in range(9))
    one, other = f"def add_net():\n{body}\n    return net(total)", f"def add_gross():\n{body}\n    return gross(total)"
    assert len(group_duplicates([traits("a.py", one, 0), traits("b.py", other, 1)], [0.0] * 2)) == 2


def test_a_document_is_never_folded_into_itself() -> None:
    assert len(group_duplicates([traits("a.md", NOTE, 0), traits("a.md", NOTE, 1)], [0.0] * 2)) == 2


@given(
    st.lists(st.tuples(st.sampled_from(["a.md", "b.md", "c/d.md", "e.py"]), st.sampled_from([NOTE, OTHER, "short"])))
)
def test_every_candidate_is_in_one_group(found: list[tuple[str, str]]) -> None:
    ranked = [traits(path, text, number) for number, (path, text) in enumerate(found)]
    groups = group_duplicates(ranked, [0.0] * len(ranked))
    members = [place for group in groups for place in (group.leader, *group.duplicates)]
    assert sorted(members) == list(range(len(ranked)))
    assert [group.rank for group in groups] == sorted(group.rank for group in groups)
    assert all(group.rank == min(group.leader, *group.duplicates, group.leader) for group in groups)
