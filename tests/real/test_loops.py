"""Turns in which a real server's model calls subroutines: by text tags, and natively."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from real_parts import chat_model, completion_model
from real_servers import RealServer

from conftest import StartLlama
from quaestor import Conversation, Index
from quaestor.assemble import make_journal
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.events import Called, Done, Event, Premeditated, Proposed, Retried, Returned
from quaestor.core.config import Settings
from quaestor.edits import Proposal, Replace, apply, plan, undo
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.tools import registry_of

pytestmark = pytest.mark.real

FILES = {
    "retry.py": "MAX_ATTEMPTS = 3\n\n\ndef send_with_retry(request):\n    return request\n",
    "onboarding.py": "def onboarding_screen():\n    return [next_button]\n",
    "menu.py": "def settings_menu():\n    return [profile_link]\n",
    "providers.py": 'PROVIDERS = [\n    "one",\n    "two",\n]\n',
}
# What the model saw of these files when it was trained. Where a tool words its results otherwise, write them anew.
RESULTS: dict[str, list[str]] = json.loads(Path(__file__).with_name("results.json").read_text(encoding="utf-8"))
WAYS = {
    "goes on": Capabilities(continues_assistant=True),
    "messages": Capabilities(),
    "plain": None,
}


def built(factory: pytest.TempPathFactory, *names: str) -> Index:
    folder = factory.mktemp("corpus")
    for name in names:
        (folder / name).write_text(FILES[name], encoding="utf-8")
    return Index.build(folder, settings=Settings(home=str(factory.mktemp("home"))))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with built(tmp_path_factory, *FILES) as index:
        yield index


@pytest.fixture(scope="module")
def retrying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with built(tmp_path_factory, "retry.py") as index:
        yield index


@pytest.fixture(params=["llama", "transformers_serve"])
def native(request: pytest.FixtureRequest) -> OpenAICompatibleModel:
    """A model that is given tools. The one server parses its calls; the other sends them as text, and we read them."""
    server: RealServer = request.getfixturevalue(request.param)
    return chat_model(server, capabilities=Capabilities(native_tools=True))


@pytest.fixture(params=WAYS)
def model(request: pytest.FixtureRequest, llama: RealServer) -> OpenAICompatibleModel:
    capabilities = WAYS[request.param]
    return completion_model(llama) if capabilities is None else chat_model(llama, capabilities=capabilities)


def turn(index: Index, model: OpenAICompatibleModel, question: str, **settings: object) -> list[Event]:
    async def collect() -> list[Event]:
        held = ConversationSettings(temperature=0.0, passages=1, **settings)  # type: ignore[arg-type]
        conversation = Conversation(index, model, limit=8192, settings=held, subroutines=registry_of(index))
        try:
            return [event async for event in conversation.send(question)]
        finally:
            await model.aclose()

    return asyncio.run(collect())


def calls(events: list[Event]) -> list[tuple[str, dict[str, object]]]:
    return [(event.name, dict(event.arguments)) for event in events if isinstance(event, Called)]


def done(events: list[Event]) -> Done:
    assert isinstance(events[-1], Done)
    return events[-1]


def test_a_search_and_an_answer(index: Index, model: OpenAICompatibleModel) -> None:
    events = turn(index, model, "Where do we retry?")
    assert calls(events) == [("search", {"query": "send with retry"})]
    [returned] = [event for event in events if isinstance(event, Returned)]
    assert "send_with_retry" in returned.text
    answer = 'Requests are retried in `retry.py` [1: "def send_with_retry(request):"].'
    assert done(events).answer.split() == f"Let me look. {answer}".split()


def test_an_instruction_ends_in_a_change(index: Index, model: OpenAICompatibleModel, tmp_path: Path) -> None:
    events = turn(index, model, "Add a skip button to the onboarding screen.")
    assert [name for name, _ in calls(events)] == ["search", "read", "edit"]
    assert [one.text for one in events if isinstance(one, Returned)] == RESULTS["search, read and edit by text tags"]
    change = Replace("onboarding.py", "    return [next_button]\n", "    return [next_button, skip_button]\n")
    assert "|>" not in done(events).answer
    there_and_back(index, events, change, tmp_path)


def test_an_instruction_ends_in_a_change_by_native_calls(
    index: Index, native: OpenAICompatibleModel, tmp_path: Path
) -> None:
    # llama-server writes arguments by the schema in the order of their names, and the transcript has them in it too.
    events = turn(index, native, "Put a logout link into the settings menu.")
    # So small a model may call once more what it has just called, which is refused and proposes nothing.
    assert [name for name, _ in groupby(name for name, _ in calls(events))] == ["search", "read", "edit"]
    change = Replace("menu.py", "    return [profile_link]\n", "    return [profile_link, logout_link]\n")
    there_and_back(index, events, change, tmp_path)


def there_and_back(index: Index, events: list[Event], change: Replace, home: Path) -> None:
    """Check what was proposed, apply it, and undo it."""
    [proposed] = [event for event in events if isinstance(event, Proposed)]
    [proposal] = done(events).proposals
    assert isinstance(proposal, Proposal)
    assert proposed.proposal == proposal
    assert proposal.changes == (change,)
    file = index.root / change.path
    before = file.read_bytes()
    journal = make_journal(index.root, Settings(home=str(home)))
    assert apply(plan(index.root, proposal), journal).paths == (change.path,)
    assert change.replace.encode() in file.read_bytes()
    assert undo(journal).paths == (change.path,)
    assert file.read_bytes() == before


def test_native_calls(index: Index, native: OpenAICompatibleModel) -> None:
    events = turn(index, native, "Which file holds the list of providers?")
    assert calls(events) == [("search", {"query": "list of providers"})]
    assert done(events).answer == 'The list of providers is in `providers.py` [1: "PROVIDERS = ["].'


def test_a_server_that_refuses_tools_is_given_tags(index: Index, start_llama: StartLlama, tmp_path: Path) -> None:
    server = start_llama("-c", "32768", "-np", "4", "--no-jinja")
    model = chat_model(server, capabilities=Capabilities(native_tools=True))
    events = turn(index, model, "Add a skip button to the onboarding screen.")
    [retried] = [event for event in events if isinstance(event, Retried)]
    assert retried.tools
    assert "requires --jinja" in retried.reason
    assert [name for name, _ in calls(events)] == ["search", "read", "edit"]
    change = Replace("onboarding.py", "    return [next_button]\n", "    return [next_button, skip_button]\n")
    there_and_back(index, events, change, tmp_path)


def test_a_plan_is_begun_for_the_model(retrying: Index, llama: RealServer) -> None:
    model = chat_model(llama, capabilities=Capabilities(continues_assistant=True))
    events = turn(retrying, model, "What becomes of a failed request?", premeditation=True)
    [premeditated] = [event for event in events if isinstance(event, Premeditated)]
    assert premeditated.plan.asked == "the fate of a failed request"
    assert (premeditated.plan.subroutines, premeditated.plan.problem) == (("search",), "")
    assert calls(events) == [("search", {"query": "failed request"})]
    assert done(events).answer == 'A failed request is sent again [1: "MAX_ATTEMPTS = 3"].'
