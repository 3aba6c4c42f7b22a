"""Answering as a stream of events: their order, and what is held back until it is clear that it may be shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from chat_parts import model_at

from quaestor import Index
from quaestor.chat.answer import answer_question
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.events import Citations, Composed, Done, Event, Passages, Searching, Text
from quaestor.core.config import Settings
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.tools import Registry, registry_of
from scripted_server import Reply, StartServer, in_pieces

QUESTION = "how often is a request sent?"
SOURCE = "MAX_ATTEMPTS = 3\n\n\ndef send_with_retry(request):\n    return request\n"


Says = Callable[..., OpenAICompatibleModel]


@pytest.fixture
def says(scripted_server: StartServer) -> Says:
    """Returns the model of a server that says what it is told to, piece by piece."""
    return lambda *pieces: model_at(scripted_server([Reply(pieces)]))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "retry.py").write_text(SOURCE, encoding="utf-8")
    with Index.build(folder, settings=Settings(home=str(tmp_path / "home"))) as index:
        yield index


def events(
    index: Index, model: OpenAICompatibleModel | None, question: str = QUESTION, subroutines: Registry | None = None
) -> list[Event]:
    settings = ConversationSettings(grounded=True)

    async def collect() -> list[Event]:
        answering = answer_question(index, model, question, settings, subroutines=subroutines)
        try:
            return [event async for event in answering]
        finally:
            if model is not None:
                await model.aclose()

    return asyncio.run(collect())


def kinds(found: Sequence[Event]) -> list[type]:
    return list(dict.fromkeys(map(type, found)))


def texts(found: Sequence[Event]) -> list[str]:
    return [event.text for event in found if isinstance(event, Text)]


def done(found: Sequence[Event]) -> Done:
    last = found[-1]
    assert isinstance(last, Done)
    return last


@pytest.mark.parametrize("by_model", [False, True])
def test_the_order_of_events(index: Index, says: Says, by_model: bool) -> None:
    found = events(index, says("It is sent three times.") if by_model else None)
    composed = [Composed] if by_model else []
    assert kinds(found) == [Searching, Passages, *composed, Text, Citations, Done]
    assert "".join(texts(found)) == done(found).answer


def test_text_is_passed_on_as_it_comes(index: Index, says: Says) -> None:
    pieces = ["It is ", "sent at most ", "three ", "times", "."]
    shown = texts(events(index, says(*pieces)))
    assert len(shown) > 2
    assert shown[-1] == "."


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize("mark", ["[no answer]", "[No answer]", "**[no answer]**"])
def test_the_mark_of_no_answer_is_never_shown(index: Index, says: Says, mark: str, size: int) -> None:
    found = events(index, says(*in_pieces(f"{mark} Nothing is said of it.", size)))
    assert "answer]" not in "".join(texts(found)).lower()
    assert not done(found).known
    assert "Nothing is said of it." in done(found).answer
    assert not any(event.citations for event in found if isinstance(event, Citations))


def test_a_short_answer_is_shown(index: Index, says: Says) -> None:
    found = events(index, says("3"))
    assert texts(found) == ["3"]


def test_known_is_what_at_least_one_citation_holds(index: Index, says: Says) -> None:
    for reply, known in [
        ('Three times [1: "MAX_ATTEMPTS = 3"].', True),
        ('Three times [1: "max_attempts  = 3"].', True),
        ('Nine times [1: "MAX_ATTEMPTS = 9"]. Three times [1: "MAX_ATTEMPTS = 3"].', True),
        ('Nine times [1: "MAX_ATTEMPTS = 9"].', False),
        ("Three times.", False),
        ("Three times [9].", False),
    ]:
        found = events(index, says(reply))
        assert (done(found).known, done(found).unchecked) == (known, not known), reply


def test_beside_an_unchecked_answer_stands_what_would_have_been_quoted(index: Index, says: Says) -> None:
    asked = "how often is a request sent with retry, what is MAX_ATTEMPTS?"
    [without] = [event for event in events(index, None, asked) if isinstance(event, Citations)]
    assert without.citations
    assert without.quotes == ()
    [beside] = [event for event in events(index, says("The moon."), asked) if isinstance(event, Citations)]
    assert beside.citations == ()
    assert beside.quotes == without.citations
    assert beside.unsupported == ("The moon.",)
    [refused] = [
        event for event in events(index, says("[no answer] Nothing is said."), asked) if isinstance(event, Citations)
    ]
    assert refused.quotes == (), "who says that there is no answer needs no correction"


def test_beside_an_unchecked_answer_stands_what_its_way_would_have_answered(index: Index, says: Says) -> None:
    caller = index.root / "pay.py"
    caller.write_text("from retry import send_with_retry\n\n\ndef pay(order):\n    return send_with_retry(order)\n")
    index.refresh()
    asked = "who calls send_with_retry?"
    [without] = [event for event in events(index, None, asked) if isinstance(event, Citations)]
    [beside] = [event for event in events(index, says("The moon."), asked) if isinstance(event, Citations)]
    assert ("pay.py", 5) in [(one.path, one.start_line) for one in without.citations]
    assert beside.quotes == without.citations


@pytest.mark.parametrize("reply", ["No, it doesn't.", "The answer is 42 [1].", "The moon. The moon."])
def test_short_sentences_are_checked_and_repeats_told_once(index: Index, says: Says, reply: str) -> None:
    [checked] = [event for event in events(index, says(reply)) if isinstance(event, Citations)]
    assert checked.unsupported == (reply.removesuffix(" The moon."),)


def test_what_only_leads_to_a_question_is_not_searched_for(index: Index) -> None:
    asked = "how often is a request sent with retry?"
    first = events(index, None, f"Hello, could you please tell me {asked}")
    assert [event.query for event in first if isinstance(event, Searching)] == [asked]
    assert texts(first) == texts(events(index, None, asked))


@pytest.mark.parametrize("pieces", [[], [""], ["  \n"]])
def test_silence_is_no_answer(index: Index, says: Says, pieces: list[str]) -> None:
    assert not done(events(index, says(*pieces))).known


def test_usage_is_the_server_s_or_counted(index: Index, scripted_server: StartServer) -> None:
    server = scripted_server([Reply(["Three."]), Reply(["Three."], usage=False)])
    reported, counted = (done(events(index, model_at(server))).usage for _ in range(2))
    assert (reported.reported, reported.prompt_tokens) == (True, server.requests[0].prompt_tokens)
    assert not counted.reported
    assert counted.prompt_tokens > 100
    assert counted.completion_tokens > 0


def test_a_question_for_which_nothing_is_found_asks_no_model(index: Index, scripted_server: StartServer) -> None:
    server = scripted_server(["I know it all."])
    assert not done(events(index, model_at(server), "?!")).known
    assert server.requests == []


def test_weak_evidence_asks_no_model(index: Index, scripted_server: StartServer) -> None:
    server = scripted_server(["Gorillas live in Rwanda."])
    found = events(index, model_at(server), "Where do mountain gorillas live, and what do they request?")
    assert not done(found).known
    assert server.requests == []
    assert any(isinstance(event, Passages) and event.hits for event in found), "the nearest passages are shown"


@pytest.mark.parametrize(("reply", "known"), [("In Rwanda.", False), ("At most `MAX_ATTEMPTS = 3` [1].", True)])
def test_of_weak_evidence_only_a_checked_citation_makes_an_answer(
    index: Index, scripted_server: StartServer, reply: str, known: bool
) -> None:
    server = scripted_server([reply])
    asked = "Where do mountain gorillas live, and what do they request?"
    found = events(index, model_at(server), asked, registry_of(index))
    assert server.requests
    assert done(found).known == known
