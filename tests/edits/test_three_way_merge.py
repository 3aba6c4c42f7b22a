"""Where a change may lie as well: every place of the same lines that comes to the same text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quaestor.edits.three_way_merge import Hunk, slides

lines = st.lists(st.sampled_from("ab"), max_size=8)


def applied(change: Hunk, search: list[str], replace: list[str]) -> list[str]:
    return [*search[: change.s1], *replace[change.r1 : change.r2], *search[change.s2 :]]


@given(lines, st.lists(st.sampled_from("ab"), min_size=1, max_size=3), lines)
def test_lines_put_in_slide_to_every_such_place(before: list[str], new: list[str], after: list[str]) -> None:
    search, replace = before + after, before + new + after
    found = slides(Hunk(len(before), len(before), len(before), len(before) + len(new)), search, replace)
    at = sorted(change.s1 for change in found)
    same = [place for place in range(len(search) + 1) if replace[:place] + replace[place + len(new) :] == search]
    # Those that lie in one row with the change: another place further on would be another change.
    reached = {place for place in same if all(between in same for between in range(*sorted((place, len(before)))))}
    assert at == sorted(reached)
    assert all(applied(change, search, replace) == replace for change in found)


@given(lines, st.lists(st.sampled_from("ab"), min_size=1, max_size=3), lines)
def test_lines_taken_out_slide_as_well(before: list[str], old: list[str], after: list[str]) -> None:
    search, replace = before + old + after, before + after
    for change in slides(Hunk(len(before), len(before) + len(old), len(before), len(before)), search, replace):
        assert 0 <= change.s1 <= change.s2 <= len(search)
        assert applied(change, search, replace) == replace
