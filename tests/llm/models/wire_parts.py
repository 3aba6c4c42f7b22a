"""Shared by the tests of our client: a model at the scripted server, and everything that one request yields."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message
from quaestor.llm.endpoints.client import RetryPolicy
from quaestor.llm.models import Finished, Request, TextDelta
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel

Start = Callable[..., Any]


KEY = "sk-very-secret-0123456789"


ASK = Request((Message("system", "Be brief."), Message("user", "Where is it?")))


def model_for(server: Any, name: str = "tiny", **settings: Any) -> OpenAICompatibleModel:
    async def no_sleep(seconds: float) -> None:
        slept.append(seconds)

    slept: list[float] = []
    model = OpenAICompatibleModel(
        name, base_url=server.base_url, api_key=KEY, retries=RetryPolicy(sleep=no_sleep), **settings
    )
    model.slept = slept  # type: ignore[attr-defined]
    return model


class Answer:
    """Everything that one request yields."""

    def __init__(self) -> None:
        self.text = ""
        self.finished: Finished | None = None
        self.error: UpstreamError | None = None

    @property
    def end(self) -> Finished:
        assert self.error is None
        assert self.finished is not None
        return self.finished


def ask(model: OpenAICompatibleModel, request: Request = ASK) -> Answer:
    answer = Answer()
    asyncio.run(follow(model, request, answer))
    return answer


async def follow(model: OpenAICompatibleModel, request: Request, answer: Answer) -> None:
    """Note in an answer what comes, as it comes."""
    try:
        async for delta in model.stream(request):
            assert answer.finished is None, "nothing follows the end"
            if isinstance(delta, TextDelta):
                assert delta.text
                answer.text += delta.text
            else:
                answer.finished = delta
    except UpstreamError as error:
        answer.error = error
    await model.aclose()


def sentence(answer: Answer) -> str:
    assert answer.error is not None
    message = str(answer.error)
    assert KEY not in message
    assert "\n" not in message
    return message
