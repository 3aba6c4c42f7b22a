"""Answering as a stream of events: their order, and what is held back until it is clear that it may be shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.chat.answer import answer_question
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.events import Citations, Composed, Done, Event, Passages, Searching, Text
from quaestor.core.config import Settings
from quaestor.core.messages import Usage
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.tools import Registry, registry_of

QUESTION = "how often is a request sent?"
SOURCE = "MAX_ATTEMPTS = 3\n\n\ndef send_with_retry(request):\n    return request\n"


class Scripted:
    """A model that says what it is told to, piece by piece."""

    name = "scripted"
    capabilities = Capabilities()

    def __init__(self, pieces: Sequence[str], usage: Usage | None = None) -> None:
        self.pieces = pieces
        self.usage = usage
        self.requests: list[Request] = []

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        self.requests.append(request)
        for piece in self.pieces:
            yield TextDelta(piece)
        yield Finished(reason="stop", usage=self.usage)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "retry.py").write_text(SOURCE, encoding="utf-8")
    with Index.build(folder, settings=Settings(home=str(tmp_path / "home"))) as index:
        yield index


def events(
    index: Index, model: Scripted | None, question: str = QUESTION, subroutines: Registry | None = None
) -> list[Event]:
    settings = ConversationSettings(grounded=True)

    async def collect() -> list[Event]:
        answering = answer_question(index, model, question, settings, subroutines=subroutines)
        return [event async for event in answering]

    return asyncio.run(collect())


def kinds(found: Sequence[Event]) -> list[type]:
    return list(dict.fromkeys(map(type, found)))


def texts(found: Sequence[Event]) -> list[str]:
    return [event.text for event in found if isinstance(event, Text)]


def done(found: Sequence[Event]) -> Done:
    last = found[-1]
    assert isinstance(last, Done)
    return last


@pytest.mark.parametrize("model", [None, Scripted(["It is sent three times."])])
def test_the_order_of_events(index: Index, model: Scripted | None) -> None:
    found = events(index, model)
    composed = [] if model is None else [Composed]
    assert kinds(found) == [Searching, Passages, *composed, Text, Citations, Done]
    assert "".join(texts(found)) == done(found).answer


def test_text_is_passed_on_as_it_comes(index: Index) -> None:
    pieces = ["It is ", "sent at most ", "three ", "times", "."]
    shown = texts(events(index, Scripted(pieces)))
    assert len(shown) > 2
    assert shown[-1] == "."


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize("mark", ["[no answer]", "[No answer]", "**[no answer]**"])
def test_the_mark_of_no_answer_is_never_shown(index: Index, mark: str, size: int) -> None:
    text = f"{mark} Nothing is said of it."
    model = Scripted([text[start : start + size] for start in range(0, len(text), size)])
    found = events(index, model)
    assert "answer]" not in "".join(texts(found)).lower()
    assert not done(found).known
    assert "Nothing is said of it." in done(found).answer
    assert not any(event.citations for event in found if isinstance(event, Citations))


def test_a_short_answer_is_shown(index: Index) -> None:
    found = events(index, Scripted(["3"]))
    assert texts(found) == ["3"]


def test_known_is_what_at_least_one_citation_holds(index: Index) -> None:
    for reply, known in [
        ('Three times [1: "MAX_ATTEMPTS = 3"].', True),
        ('Three times [1: "max_attempts  = 3"].', True),
        ('Nine times [1: "MAX_ATTEMPTS = 9"]. Three times [1: "MAX_ATTEMPTS = 3"].', True),
        ('Nine times [1: "MAX_ATTEMPTS = 9"].', False),
        ("Three times.", False),
        ("Three times [9].", False),
    ]:
        found = events(index, Scripted([reply]))
        assert (done(found).known, done(found).unchecked) == (known, not known), reply


def test_beside_an_unchecked_answer_stands_what_would_have_been_quoted(index: Index) -> None:
    asked = "how often is a request sent with retry, what is MAX_ATTEMPTS?"
    [without] = [event for event in events(index, None, asked) if isinstance(event, Citations)]
    assert without.citations
    assert without.quotes == ()
    [beside] = [event for event in events(index, Scripted(["The moon."]), asked) if isinstance(event, Citations)]
    assert beside.citations == ()
    assert beside.quotes == without.citations
    assert beside.unsupported == ("The moon.",)
    [refused] = [
        event
        for event in events(index, Scripted(["[no answer] Nothing is said."]), asked)
        if isinstance(event, Citations)
    ]
    assert refused.quotes == (), "who says that there is no answer needs no correction"


def test_beside_an_unchecked_answer_stands_what_its_way_would_have_answered(index: Index) -> None:
    caller = index.root / "pay.py"
    caller.write_text("from retry import send_with_retry\n\n\ndef pay(order):\n    return send_with_retry(order)\n")
    index.refresh()
    asked = "who calls send_with_retry?"
    [without] = [event for event in events(index, None, asked) if isinstance(event, Citations)]
    [beside] = [event for event in events(index, Scripted(["The moon."]), asked) if isinstance(event, Citations)]
    assert ("pay.py", 5) in [(one.path, one.start_line) for one in without.citations]
    assert beside.quotes == without.citations


@pytest.mark.parametrize("reply", ["No, it doesn't.", "The answer is 42 [1].", "The moon. The moon."])
def test_short_sentences_are_checked_and_repeats_told_once(index: Index, reply: str) -> None:
    [checked] = [event for event in events(index, Scripted([reply])) if isinstance(event, Citations)]
    assert checked.unsupported == (reply.removesuffix(" The moon."),)


def test_what_only_leads_to_a_question_is_not_searched_for(index: Index) -> None:
    asked = "how often is a request sent with retry?"
    first = events(index, None, f"Hello, could you please tell me {asked}")
    assert [event.query for event in first if isinstance(event, Searching)] == [asked]
    assert texts(first) == texts(events(index, None, asked))


@pytest.mark.parametrize("pieces", [[], [""], ["  \n"]])
def test_silence_is_no_answer(index: Index, pieces: list[str]) -> None:
    assert not done(events(index, Scripted(pieces))).known


def test_usage_is_the_server_s_or_counted(index: Index) -> None:
    reported = Usage(12, 3, reported=True)
    assert done(events(index, Scripted(["Three."], reported))).usage == reported
    counted = done(events(index, Scripted(["Three."]))).usage
    assert not counted.reported
    assert counted.prompt_tokens > 100
    assert counted.completion_tokens > 0


def test_a_question_for_which_nothing_is_found_asks_no_model(index: Index) -> None:
    model = Scripted(["I know it all."])
    assert not done(events(index, model, "?!")).known
    assert model.requests == []


def test_weak_evidence_asks_no_model(index: Index) -> None:
    model = Scripted(["Gorillas live in Rwanda."])
    found = events(index, model, "Where do mountain gorillas live, and what do they request?")
    assert not done(found).known
    assert model.requests == []
    assert any(isinstance(event, Passages) and event.hits for event in found), "the nearest passages are shown"


@pytest.mark.parametrize(("reply", "known"), [("In Rwanda.", False), ("At most `MAX_ATTEMPTS = 3` [1].", True)])
def test_of_weak_evidence_only_a_checked_citation_makes_an_answer(index: Index, reply: str, known: bool) -> None:
    model = Scripted([reply])
    found = events(index, model, "Where do mountain gorillas live, and what do they request?", registry_of(index))
    assert model.requests
    assert done(found).known == known
