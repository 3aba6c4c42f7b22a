"""Finding the rows of words, few or many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quaestor.embedding.static import Vocabulary

WORDS = st.text(st.characters(exclude_characters="\n", codec="utf-8"), min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=1, unique=True), st.lists(WORDS))
def test_every_word_has_its_row_however_many_are_asked_for(words: list[str], others: list[str]) -> None:
    vocabulary = Vocabulary.of(words)
    rows = {word: row for row, word in enumerate(words)}
    asked = [*words, *others] * (200 // len(words) + 1)  # looked for in the text at first, then in a dictionary
    assert [vocabulary.get(word) for word in asked] == [rows.get(word) for word in asked]
    assert len(vocabulary) == len(words)
    assert vocabulary.longest == max(map(len, words))


def test_a_part_of_a_word_is_no_word() -> None:
    vocabulary = Vocabulary.of(["forest", "rest", "for"])
    assert [vocabulary.get(word) for word in ("forest", "rest", "for", "fore", "est", "")] == [
        0,
        1,
        2,
        None,
        None,
        None,
    ]
