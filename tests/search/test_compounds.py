"""Compounds are found however they are spelt: in one word, in two, with a hyphen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor import Index, Indexes
from quaestor.core.messages import Message
from quaestor.search.corpus_words import other_spellings, with_other_spellings
from quaestor.search.query import read_query
from quaestor.search.turns import query_of_turn, search_turn


def spelt(text: str, **counts: int) -> tuple[str, ...]:
    def frequencies(terms: Iterable[str]) -> Mapping[str, int]:
        return {term: counts.get(term, 0) for term in terms}

    return other_spellings(text, frequencies)


@pytest.mark.parametrize(
    ("text", "counts", "terms"),
    [
        ("How do I rollback a deployment?", {"roll": 9, "back": 30}, ("roll", "back")),
        ("how is an app rolled back", {"rollback": 4}, ("rollback",)),
        ("rolling back the app", {"rollback": 4}, ("rollback",)),
        ("the anti-pattern of globals", {"antipattern": 2}, ("antipattern",)),
        ("is it an antipattern", {"pattern": 12}, ("pattern",)),
        ("where do I log in", {"login": 5}, ("login",)),
    ],
)
def test_a_compound_has_its_other_spelling(text: str, counts: dict[str, int], terms: tuple[str, ...]) -> None:
    assert spelt(text, **counts) == terms


@pytest.mark.parametrize(
    ("text", "counts", "added"),
    [
        ("turn off the redirect", {"disabl": 3}, ("disabl",)),
        ("How do I switch statement caching off?", {"disabl": 3, "enabl": 3}, ("disabl",)),
        ("what turns on tracing", {"enabl": 1}, ("enabl",)),
        ("turn off the redirect", {}, ()),
        ("turn the page, and then switch to another one", {"disabl": 3, "enabl": 3}, ()),
    ],
)
def test_turned_off_is_asked_for_as_disabled_too(text: str, counts: dict[str, int], added: tuple[str, ...]) -> None:
    query = read_query(text)
    found = with_other_spellings(query, text, lambda terms: {term: counts.get(term, 0) for term in terms})
    assert found.terms == (*query.terms, *added)


@pytest.mark.parametrize(
    ("text", "counts", "added"),
    [
        ("when does it connect again", {"reconnect": 2, "retri": 4}, ("reconnect",)),
        ("where is a failed request sent again?", {"resend": 1, "retri": 4}, ("resend", "retri")),
        ("what is tried again when the server is down", {"retri": 1}, ("retri",)),
        ("How is a page, once it was opened, drawn again?", {"redraw": 1, "reopen": 2}, ("reopen", "redraw")),
        ("when does it connect again", {}, ()),
        ("where are files moved again", {"remov": 9}, ()),
        ("again and again", {"re": 3, "reand": 3}, ()),
        ("the same once more against all", {"remor": 3, "resam": 1}, ()),
    ],
)
def test_what_is_done_again_is_asked_for_in_one_word_too(
    text: str, counts: dict[str, int], added: tuple[str, ...]
) -> None:
    query = read_query(text)
    found = with_other_spellings(query, text, lambda terms: {term: counts.get(term, 0) for term in terms})
    assert found.terms == (*query.terms, *added)


def test_what_stands_nowhere_is_not_asked_for() -> None:
    assert spelt("How do I rollback what was rolled out?") == ()


def test_a_compound_that_the_corpus_uses_is_not_parted() -> None:
    assert spelt("where is the timeout set", timeout=40, time=200, out=90) == ()


@pytest.mark.parametrize("text", ["about the version", "begin without output", "a group over there", ""])
def test_other_words_are_no_compounds(text: str) -> None:
    stand = dict.fromkeys(("vers", "version", "begin", "with", "out", "put", "output", "up", "gro", "group"), 9)
    assert spelt(text, **stand) == ()


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert spelt(text) == ()


@pytest.fixture
def deployments(tmp_path: Path) -> Path:
    """Documents of which one speaks of rolling back, in two words, and one has a word that differs by a letter."""
    for number in range(12):
        (tmp_path / f"deploying-{number}.md").write_text(f"# Deploying service {number}\n\nA deployment starts here.\n")
    (tmp_path / "undo.md").write_text("# Undo a release\n\nTo roll back, choose the last release and confirm it.\n")
    (tmp_path / "packing.md").write_text("# Packing\n\nA rollpack holds cloth.\n")
    return tmp_path


def test_a_page_is_found_by_the_spelling_that_it_does_not_use(deployments: Path) -> None:
    with Index.build(deployments) as index:
        assert index.search("How do I rollback a deployment?")[0].path == "undo.md"


def test_so_it_is_among_several_corpora(deployments: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "cats.md").write_text("# Cats\n\nThey sleep through a deployment.\n")
    with Indexes.build(deployments, other) as indexes:
        assert indexes.search("How do I rollback a deployment?")[0].path == "undo.md"


def test_so_it_is_in_a_conversation(deployments: Path) -> None:
    messages = [
        Message("user", "How does a deployment start?"),
        Message("assistant", "It starts when a service is chosen."),
        Message("user", "and how do I rollback it?"),
    ]
    with Index.build(deployments) as index:
        assert search_turn(index.retriever, query_of_turn(messages), 3)[0].path == "undo.md"
