"""The list of sources after an answer: its contents, and its removal from earlier answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.documents import Citation
from quaestor.server.openai.chat_turn import trailing_sources, without_sources

CITATIONS = st.lists(
    st.builds(
        Citation,
        n=st.integers(1, 99),
        path=st.text(min_size=1),
        start_line=st.integers(1, 99),
        end_line=st.integers(1, 99),
        quote=st.just(""),
        status=st.sampled_from(("verified", "repaired", "unverified")),
        url=st.none() | st.just("https://example.org/a b"),
    ),
    max_size=4,
)


def cited(n: int, path: str, start: int, end: int, url: str | None = None) -> Citation:
    return Citation(n, path, start, end, "", "verified", url)


def test_each_place_stands_once() -> None:
    places = [cited(1, "a.py", 3, 3), cited(2, "b.md", 3, 9, "https://b.example"), cited(1, "a.py", 3, 3)]
    assert trailing_sources(places, unchecked=False) == (
        "\n\nSources:\n- [1] a.py:3, found there\n- [2] b.md:3-9 https://b.example, found there"
    )
    assert trailing_sources([], unchecked=False) == ""


@given(answer=st.text(), citations=CITATIONS, unchecked=st.booleans())
def test_what_was_put_behind_an_answer_is_taken_off(answer: str, citations: list[Citation], unchecked: bool) -> None:
    answer = without_sources(answer)
    assert without_sources(answer + trailing_sources(citations, unchecked=unchecked)) == answer


@given(st.text())
def test_nothing_else_is_taken_off(answer: str) -> None:
    assert answer.startswith(without_sources(answer))
    assert without_sources(f"{answer}\n\nSources:\n- a.py") == f"{answer}\n\nSources:\n- a.py"
