"""Searching for turns in a small corpus: follow-ups that stay, that leave, and changes of topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from index_of_files import write_files
from quaestor import Index
from quaestor.core.documents import Hit
from quaestor.core.messages import Message
from quaestor.search.query import read_query
from quaestor.search.retriever import Mode
from quaestor.search.turns import Policy, query_of_turn, search_turn
from quaestor.stores import Where

FILES = {
    "shop/parcel.py": '''
"""Parcels."""

HEAVIEST_GRAMS = 31_500


def weigh_parcel(items):
    """Sum up what is in a parcel."""
    return sum(item.grams for item in items)


def refuse_parcel(grams):
    """Raise when the sum is over the heaviest that is carried."""
    if grams > HEAVIEST_GRAMS:
        raise ValueError("too heavy")
''',
    "shop/counter.py": '''
"""The counter, where customers queue."""

from shop.parcel import weigh_parcel


def take_in(customer):
    """Take what a customer hands over."""
    return weigh_parcel(customer.items) * 2
''',
    "shop/passwords.py": '''
"""Passwords of customers on the website."""


def check_password(name, password):
    """Compare the hash of a password with the one that is stored."""
    return stored_hash(name) == slow_hash(password)
''',
    "tests/test_parcel.py": """
from shop.parcel import weigh_parcel


def test_the_sum_of_all_items():
    assert weigh_parcel([Item(1), Item(2)]) == 3
""",
    "tests/test_passwords.py": """
def test_a_wrong_password():
    assert not check_password("ann", "wrong")
""",
    "LICENSE": "Permission is hereby granted, free of charge, to any person. It is what it is.\n",
}
ASKED = "How is a parcel weighed?"
REPLY = "weigh_parcel in shop/parcel.py sums up the items."


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    with Index.build(write_files(tmp_path / "shop", FILES)) as built:
        yield built


def ask(index: Index, question: str, policy: Policy = "adaptive", mode: Mode = "ranked") -> list[Hit]:
    messages = [Message("user", ASKED), Message("assistant", REPLY), Message("user", question)]
    return search_turn(index.retriever, query_of_turn(messages, policy), 10, mode=mode)


def test_a_follow_up_stays_in_the_file_of_the_reply(index: Index) -> None:
    assert ask(index, "what if it is too heavy?")[0].path == "shop/parcel.py"


def test_a_follow_up_about_tests_finds_the_tests_of_what_was_named(index: Index) -> None:
    assert ask(index, "which test covers that?")[0].path == "tests/test_parcel.py"


def test_a_follow_up_finds_who_uses_what_was_named(index: Index) -> None:
    assert "shop/counter.py" in [hit.path for hit in ask(index, "and who calls it?")][:3]


def test_a_change_of_topic_is_searched_as_if_it_were_the_first_question(index: Index) -> None:
    question = "Different question: where is the hash of a customer's website password compared?"
    assert ask(index, question) == index.retriever.search(question, 10)
    assert ask(index, question)[0].path == "shop/passwords.py"


def test_hits_come_best_first_and_once(index: Index) -> None:
    hits = ask(index, "and what about passwords?")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.chunk_id for hit in hits}) == len(hits) > 0


@pytest.mark.parametrize("policy", get_args(Policy))
@pytest.mark.parametrize("mode", get_args(Mode))
def test_every_policy_over_every_search(index: Index, policy: Policy, mode: Mode) -> None:
    assert ask(index, "what about a customer?", policy, mode)


def test_a_filter_holds_for_both_searches(index: Index) -> None:
    messages = [Message("user", ASKED), Message("assistant", REPLY), Message("user", "and who calls it?")]
    hits = search_turn(index.retriever, query_of_turn(messages), 10, where=Where(paths=("tests/**",)))
    assert {hit.path for hit in hits} <= {"tests/test_parcel.py", "tests/test_passwords.py"}


def test_nothing_asked_finds_nothing(index: Index) -> None:
    assert search_turn(index.retriever, query_of_turn([]), 10) == []
    assert search_turn(index.retriever, query_of_turn([Message("user", "?!")]), 10, mode="lexical") == []


def test_an_empty_index_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    (tmp_path / "empty").mkdir()
    with Index.build(tmp_path / "empty") as index:
        assert ask(index, "who calls it?") == []


def test_scored_candidates_are_those_of_the_search(index: Index) -> None:
    query = read_query(ASKED)
    best = max(index.retriever.score_candidates(query), key=lambda pair: pair[1])
    assert best[0].id == index.retriever.search(ASKED, 1)[0].chunk_id
    assert index.retriever.score_candidates(read_query("")) == []
