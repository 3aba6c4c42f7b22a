"""Windows that models' servers reported: kept by the model's name, and forgotten if they were wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from served import FILES, Running, post, write

from quaestor import Index
from quaestor.accounts.users import LOCAL
from quaestor.chat.engine import Conversation
from quaestor.core.config import Settings
from quaestor.llm.models.capabilities import KEPT_SECONDS
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.server.http.served_state import Windows
from scripted_server import Recorded, Reply, ScriptedServer

WRONG = "This model's maximum context length is {} tokens. However, you requested 9000 tokens."
FULL = 8192


class Clock:
    """Seconds that pass when somebody says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("windows")
    return Index.build(write(folder / "kitchen", FILES), settings=Settings(home=str(folder / "home")))


def after(corpus: Index, name: str = "tiny", *, limit: int = FULL, accepted: int = 0) -> Conversation:
    """Return a conversation whose model turned out to have some window, or to take a request of some size."""
    model = OpenAICompatibleModel(name, base_url="http://127.0.0.1:9/v1")
    conversation = Conversation(corpus, model, limit=FULL)
    conversation._history.limit = limit
    conversation._history.accepted = accepted
    return conversation


def test_each_model_has_its_own(corpus: Index) -> None:
    windows = Windows()
    windows.learn(after(corpus, "small", limit=1000), FULL)
    assert windows.limit(after(corpus, "small").model, FULL) == 1000
    assert windows.limit(after(corpus, "large").model, FULL) == FULL
    assert windows.limit(None, FULL) == FULL


def test_it_is_forgotten_after_a_while(corpus: Index) -> None:
    clock = Clock()
    windows = Windows(clock)
    windows.learn(after(corpus, limit=1000), FULL)
    clock.now = KEPT_SECONDS
    assert windows.limit(after(corpus).model, FULL) == 1000
    clock.now += 1
    assert windows.limit(after(corpus).model, FULL) == FULL


def test_it_is_forgotten_when_a_larger_request_goes_through(corpus: Index) -> None:
    windows = Windows()
    windows.learn(after(corpus, limit=1000), FULL)
    windows.learn(after(corpus, accepted=1000), FULL)
    assert windows.limit(after(corpus).model, FULL) == 1000
    windows.learn(after(corpus, accepted=1001), FULL)
    assert windows.limit(after(corpus).model, FULL) == FULL


def ask(server: Running, question: str) -> int:
    """Ask in a session of its own and return the status, or that of the turn's error."""
    session = post(f"{server.url}/api/sessions", json={}).json()["id"]
    answer = post(f"{server.url}/api/sessions/{session}/turns", json={"question": question})
    return 502 if "event: error" in answer.text else answer.status_code


@pytest.mark.parametrize("number", [1, 100, 300])
def test_one_wrong_reply_fails_no_other_session(
    answering: Callable[..., tuple[Running, ScriptedServer]], number: int
) -> None:
    lies = iter([True])

    def reply(_: Recorded) -> Reply | str:
        return Reply(status=400, error=WRONG.format(number)) if next(lies, False) else "It rests."

    server, upstream = answering(reply)
    question = f"How long does the dough rest? {'Please look it up. ' * 60}"
    ask(server, question)
    for _ in range(3):
        assert ask(server, question) == 200
    assert server.served.windows.limit(server.served.make_model(LOCAL, ""), FULL) > 2000
    assert len(upstream.requests) >= 4
