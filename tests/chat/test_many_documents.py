"""A question that many documents answer, each a part: passages, quotes and citations of several of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from chat_parts import ask, model_at

from blog import AUTHORS, PLACES, write_blog
from quaestor import Index
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Citations, Done, Passages, Searching
from quaestor.core.config import Settings
from scripted_server import Recorded, StartServer

QUESTION = "where should I eat in Oaxaca?"
GUIDE = "Where to eat in Oaxaca: eat at a stall where people wait, for good places to eat in Oaxaca close early. "


@pytest.fixture(scope="module", params=["posts alone", "with a long guide"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    place = tmp_path_factory.mktemp("blog")
    root = write_blog(place / "corpus")
    if request.param == "with a long guide":
        # It alone could fill all places, and says it better than any post.
        parts = (f"## Where to eat in Oaxaca, part {number}\n\n{GUIDE * 8}\n" for number in range(12))
        (root / "guide.md").write_text("# Eating in Oaxaca\n\n" + "\n".join(parts), encoding="utf-8")
    with Index.build(root, settings=Settings(home=str(place / "home"))) as index:
        yield index


def test_passages_are_of_many_documents(index: Index) -> None:
    hits = index.search(QUESTION, 8)
    assert len(hits) == 8
    assert len({hit.path for hit in hits}) >= 5


def test_quotes_are_of_several_documents_with_a_citation_each(index: Index) -> None:
    found = ask(Conversation(index, None), QUESTION)
    [citations] = [event.citations for event in found if isinstance(event, Citations)]
    assert len({citation.path for citation in citations}) >= 4
    assert {citation.status for citation in citations} == {"verified"}
    done = found[-1]
    assert isinstance(done, Done)
    assert set(re.findall(r"\[(\d+)\]", done.answer)) == {str(citation.n) for citation in citations}


def test_a_model_is_shown_them_and_each_of_its_citations_is_checked(index: Index, scripted_server: StartServer) -> None:
    def brought_together(request: Recorded) -> str:
        """Cite the dish of every post that is shown."""
        shown = request.messages[-2]["content"]
        marks = []
        for number, text in re.findall(r'<passage n="(\d+)"[^>]*>\n(.*?)</passage>', shown, re.DOTALL):
            marks += [f'{dish} [{number}: "{words}"]' for dish, _, words in PLACES if words in text]
        return f"Try {', '.join(marks)}."

    server = scripted_server(brought_together)
    found = ask(Conversation(index, model_at(server), limit=8192), QUESTION)
    [citations] = [event.citations for event in found if isinstance(event, Citations)]
    assert len({citation.path for citation in citations}) >= 4
    assert {citation.status for citation in citations} == {"verified"}
    system, shown = (server.requests[0].messages[number]["content"] for number in (0, -2))
    assert "bring together what each of them adds" in system
    assert re.search(rf'by="(?:{"|".join(AUTHORS)})" date="20\d\d-\d\d-\d\d"', shown)


def test_a_conversation_obeys_dates_and_authors_and_says_so(index: Index) -> None:
    conversation = Conversation(index, None)
    found = ask(conversation, f"posts by Ben Okri since 2018: {QUESTION}")
    [searching] = [event for event in found if isinstance(event, Searching)]
    assert set(searching.understood) == {"by Ben Okri", "since 2018"}
    [passages] = [event for event in found if isinstance(event, Passages)]
    assert {hit.document.author for hit in passages.hits} == {"Ben Okri"}
    assert set(conversation.transcript.limits(1)[0]) == {"by Ben Okri", "since 2018"}
    as_words = Conversation(index, None, settings=ConversationSettings(filters=False))
    [searching] = [event for event in ask(as_words, f"posts since 2018: {QUESTION}") if isinstance(event, Searching)]
    assert (searching.understood, searching.query) == ((), f"posts since 2018: {QUESTION}")


def test_a_filter_that_finds_nothing_is_searched_without(index: Index) -> None:
    conversation = Conversation(index, None)
    found = ask(conversation, f"{QUESTION} since 2031")
    assert conversation.transcript.limits(1) == ((), ("since 2031",))
    [searching] = [event for event in found if isinstance(event, Searching)]
    assert (searching.understood, searching.missed) == ((), ("since 2031",))
    assert any(isinstance(event, Passages) and event.hits for event in found)
