"""The servers of llama-cpp-python and transformers: the same requests as to llama-server, and where they differ."""

from __future__ import annotations

import asyncio

import pytest
from real_parts import ask, chat_model, completion_model, reply_of
from real_servers import RealServer

from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message
from quaestor.llm.endpoints.client import RetryPolicy
from quaestor.llm.endpoints.failures import HungUpError, StreamCutError, TooLongError
from quaestor.llm.models import Request
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.probe import probe

pytestmark = pytest.mark.real

ANSWER = 'A request is sent three times [1: "MAX_ATTEMPTS = 3"].'
QUESTION = Message("user", "How often is a request sent?")
BEGUN = Request((QUESTION, Message("assistant", "A request is sent")))
RETRY = Request((Message("user", "Where do we retry?"),), stop=("|>",))
CALLED = 'Let me look.\n<|search query={"send with retry"}'
LONG = Request((Message("user", "word " * 2000),), max_tokens=20)
GOES_ON = Capabilities(continues_assistant=True)


@pytest.fixture(params=["llama_cpp_python", "transformers_serve"])
def server(request: pytest.FixtureRequest) -> RealServer:
    found: RealServer = request.getfixturevalue(request.param)
    return found


def test_an_answer_and_its_usage(server: RealServer) -> None:
    replied = ask(chat_model(server), Request((Message("system", "Be brief."), QUESTION), max_tokens=100))
    assert (replied.text, replied.end.reason) == (ANSWER, "stop")
    assert replied.end.usage is not None
    assert replied.end.usage.reported is (server.name == "transformers serve")
    assert replied.end.usage.prompt_tokens > 20


def test_stop_sequences_are_never_shown(server: RealServer) -> None:
    replied = ask(chat_model(server), RETRY)
    assert (replied.text, replied.end.reason) == (CALLED, "stop")
    assert (replied.end.stop_sequence == "|>") is (server.name == "transformers serve"), "left in, and cut out by us"


def test_a_plain_completion(server: RealServer) -> None:
    assert ask(completion_model(server), Request((QUESTION,), max_tokens=100)).text == ANSWER
    assert ask(completion_model(server), RETRY).text == CALLED
    assert ask(completion_model(server), BEGUN).text == ANSWER.removeprefix("A request is sent")


def test_being_told_to_go_on_does_no_harm(server: RealServer) -> None:
    # Neither of them does; the one ignores the words, the other refuses them, and then they are left out.
    assert ask(chat_model(server, capabilities=GOES_ON), BEGUN).end.reason in ("stop", "length")


def test_too_long(llama_cpp_python: RealServer) -> None:
    with pytest.raises(TooLongError) as caught:
        ask(chat_model(llama_cpp_python), LONG)
    assert caught.value.limit == 1024


def test_a_server_without_a_window_runs_on(transformers_serve: RealServer) -> None:
    assert ask(chat_model(transformers_serve), LONG).end.usage.prompt_tokens > 2000  # type: ignore[union-attr]


def test_a_model_that_the_server_does_not_know(server: RealServer) -> None:
    model = OpenAICompatibleModel("gone", base_url=server.base_url)
    if server.name == "llama-cpp-python":
        assert ask(model, Request((QUESTION,), max_tokens=100)).text == ANSWER
        return
    with pytest.raises(UpstreamError, match="'gone'"):
        ask(model, Request((QUESTION,)))


def test_many_streams_at_once(server: RealServer) -> None:
    async def run() -> list[object]:
        model = chat_model(server, retries=RetryPolicy(retries=0))
        try:
            asked = (reply_of(model, Request((QUESTION,), max_tokens=100)) for _ in range(8))
            return list(await asyncio.gather(*asked, return_exceptions=True))
        finally:
            await model.aclose()

    found = asyncio.run(run())
    cut = [one for one in found if isinstance(one, StreamCutError | HungUpError)]
    whole = [one for one in found if getattr(one, "text", None) == ANSWER]
    # A reply that was cut off is never taken for a whole one.
    assert len(whole) + len(cut) == len(found)
    assert whole


def test_what_it_can_do(server: RealServer) -> None:
    async def run() -> tuple[bool | None, ...]:
        model = chat_model(server)
        try:
            found = await probe(model)
        finally:
            await model.aclose()
        return found.keeps_stop, found.continues_assistant, found.native_tools

    assert asyncio.run(run())[0] is (server.name == "transformers serve")
