"""Cutting passages of prose into what can be quoted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.stretches import units
from quaestor.prompts.passages import Passage

SHARING = """# Sharing a vault

You have shared a vault with a colleague who has left. Can it be taken back? It cannot: what was copied stays copied.
Change every secret that was in it.

## Costs

Sharing is free of charge.
"""


def texts(text: str) -> list[str]:
    return [unit.text for unit in units(Passage(1, "guide.md", 1, 1 + text.count("\n"), text, language="markdown"))]


def test_what_repeats_a_question_is_quoted_with_what_answers_it() -> None:
    first = texts(SHARING)[0]
    assert first.startswith("You have shared a vault")
    assert first.endswith("Change every secret that was in it.")


def test_a_stretch_ends_with_its_section() -> None:
    assert "Sharing is free of charge." in texts(SHARING)
    assert not any("Costs" in text for text in texts(SHARING))


def test_a_stretch_begins_at_each_sentence() -> None:
    assert [text.split(" ")[0] for text in texts(SHARING)] == ["You", "Can", "It", "Change", "Sharing"]


def test_code_between_sentences_belongs_to_their_stretch() -> None:
    text = "Open the vault once:\n\n```python\nopen_vault()\n```\n\nIt stays open until the process ends.\n"
    assert any("open_vault()" in one and "stays open" in one for one in texts(text))


@given(
    st.lists(
        st.sampled_from(["A word here.", "Why so?", "\n\n", "\n# Head\n\n", "- item one\n", "`x` is set. "]),
        max_size=30,
    )
)
def test_no_stretch_of_several_sentences_is_longer_than_a_person_reads(parts: list[str]) -> None:
    text = "".join(parts) + " And so it goes on." * 40
    for one in texts(text):
        assert one in text
        assert len(one) <= 600
        assert "# Head" not in one
