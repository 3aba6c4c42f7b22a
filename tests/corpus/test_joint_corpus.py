"""Several corpora asked as one in a conversation: each path begins with its corpus."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from several_parts import KITCHEN, NET, SHOP, write

from quaestor import Index
from quaestor.chat.added_files import mention, mentions
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Citations, Done, Event, Passages
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError
from quaestor.corpus.joint_corpus import JointCorpus, joint_source, path_under, roots_of, split_path


@pytest.fixture
def indexes(tmp_path: Path) -> Iterator[dict[str, Index]]:
    settings = Settings(home=str(tmp_path / "home"))
    found = {
        name: Index.build(write(tmp_path / name, files), settings=settings)
        for name, files in (("net", NET), ("kitchen", KITCHEN), ("shop", SHOP))
    }
    yield found
    for index in found.values():
        index.close()


def asked(conversation: Conversation, question: str) -> list[Event]:
    async def collect() -> list[Event]:
        return [event async for event in conversation.send(question)]

    return asyncio.run(collect())


def one(events: list[Event], kind: type) -> Event:
    return next(event for event in events if isinstance(event, kind))


def test_an_answer_cites_the_corpus_that_holds_it(indexes: dict[str, Index]) -> None:
    conversation = Conversation(JointCorpus(indexes))
    for question, path in (
        ("How long does the dough rest in the refrigerator?", "kitchen/README.md"),
        ("How often is a request sent before we give up?", "net/README.md"),
    ):
        events = asked(conversation, question)
        [citation, *_] = one(events, Citations).citations  # type: ignore[attr-defined]
        assert (citation.path, citation.status) == (path, "verified")
        assert one(events, Done).known  # type: ignore[attr-defined]


def test_what_none_of_them_holds_is_not_answered(indexes: dict[str, Index]) -> None:
    events = asked(Conversation(JointCorpus(indexes)), "Which Kafka broker does the harbour use?")
    assert not one(events, Done).known  # type: ignore[attr-defined]


def test_a_document_that_lies_aside_is_read_where_it_is_named_and_never_found(indexes: dict[str, Index]) -> None:
    joint = JointCorpus({"": indexes["net"]}, {"mine": indexes["kitchen"]})
    assert {hit.path for hit in joint.search("How long does the dough rest?")} <= set(NET)
    events = asked(Conversation(joint), "How long does the dough rest? @mine/README.md")
    first = one(events, Passages).hits[0]  # type: ignore[attr-defined]
    assert first.path == "mine/README.md"
    assert one(events, Citations).citations[0].status == "verified"  # type: ignore[attr-defined]
    assert joint.read("src/config.py") == NET["src/config.py"].encode()
    assert joint.read_lines("mine/src/config.py", 1, 1).path == "mine/src/config.py"


def test_a_path_of_no_corpus_is_refused(indexes: dict[str, Index]) -> None:
    joint = JointCorpus(indexes)
    assert joint.store.document("elsewhere/README.md") is None
    with pytest.raises(NotFoundError, match="'net/'"):
        joint.read("README.md")


names = st.lists(st.text(st.characters(exclude_characters="\0\n"), min_size=1, max_size=5), min_size=1, unique=True)


@given(names, st.data())
def test_a_path_leads_back_to_its_corpus(known: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(known))
    found, inner = split_path(path_under(name, "src/a.py"), known)
    # A longer name may be meant where one begins with another.
    assert path_under(found, inner) == path_under(name, "src/a.py")
    assert len(found) >= len(name)


@given(names)
def test_roots_are_recorded_and_read_back(roots: list[str]) -> None:
    assert roots_of(joint_source(roots)) == tuple(roots)


@given(st.text(st.characters(categories=("L", "N"), include_characters=" ()-_.,"), min_size=1, max_size=30))
def test_whatever_a_document_is_called_a_question_can_name_it(name: str) -> None:
    assert mentions(f"What is in {mention(f'my-documents/{name}.md')} then?") == (f"my-documents/{name}.md",)
