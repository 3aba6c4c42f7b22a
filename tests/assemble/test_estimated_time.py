"""The files from which the time of indexing is estimated."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quaestor.assemble.estimate import _sample
from quaestor.files.indexing_values import FoundFile

SIZE = 400_000


def files(sizes: list[int]) -> list[FoundFile]:
    return [FoundFile(f"{number}.md", size) for number, size in enumerate(sizes)]


@given(st.lists(st.integers(0, 2_000_000), min_size=1, max_size=300))
def test_they_are_some_of_all_in_their_order(sizes: list[int]) -> None:
    found = files(sizes)
    sample = _sample(found, SIZE)
    assert sample
    assert len(sample) <= 201
    assert sample == [file for file in found if file in sample]


@given(st.lists(st.integers(0, 50), max_size=30), st.lists(st.integers(0, 50), max_size=30))
def test_one_file_that_is_nearly_all_is_among_them(before: list[int], after: list[int]) -> None:
    """From a file of eight bytes, an hour followed for each second that the rest took."""
    assert FoundFile(f"{len(before)}.md", 1_500_000) in _sample(files([*before, 1_500_000, *after]), SIZE)


def test_of_many_alike_no_more_than_tell_enough() -> None:
    sample = _sample(files([20_000] * 5_000), SIZE)
    assert len(sample) == 20
    assert sum(file.size for file in sample) == SIZE
