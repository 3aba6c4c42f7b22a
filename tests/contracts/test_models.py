"""The contract of models, held by each of them against the scripted server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from quaestor.accounts import Purpose
from quaestor.accounts.ledger import Ledger
from quaestor.accounts.limits import Limits
from quaestor.accounts.metered_model import MeteredModel
from quaestor.accounts.prices import Prices
from quaestor.core.config import Settings
from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message
from quaestor.llm.endpoints.client import RetryPolicy
from quaestor.llm.endpoints.failures import StreamCutError, UnreachableError
from quaestor.llm.models import Delta, Finished, Model, Request, TextDelta
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.plain_completion import CompletionModel
from scripted_server import Reply, StartServer, endless, in_pieces

ASK = Request((Message("user", "Where is it?"),), stop=("<end>",), max_tokens=50)
Make = Callable[[str, Path], Model]


def chat(base_url: str, _: Path) -> Model:
    return OpenAICompatibleModel("tiny", base_url=base_url, retries=RetryPolicy(retries=0))


def completion(base_url: str, _: Path) -> Model:
    return CompletionModel("tiny", base_url=base_url, retries=RetryPolicy(retries=0))


def metered(base_url: str, folder: Path) -> Model:
    ledger = Ledger.open(folder / "accounts.sqlite")
    inner = chat(base_url, folder)
    allowed = Limits.of(Settings(limit_day_tokens=10**6))
    return MeteredModel(inner, ledger, Prices(folder / "prices.toml"), allowed, Purpose(), window=8192)


@pytest.fixture(params=[chat, completion, metered])
def make(request: pytest.FixtureRequest) -> Make:
    made: Make = request.param
    return made


async def _heard(model: Model) -> list[Delta]:
    return [delta async for delta in model.stream(ASK)]


def test_pieces_and_last_one_end(make: Make, scripted_server: StartServer, tmp_path: Path) -> None:
    server = scripted_server([Reply(pieces=in_pieces("It is there.<end> And on", 3))])
    *pieces, end = asyncio.run(_heard(make(server.base_url, tmp_path)))
    assert all(isinstance(piece, TextDelta) and piece.text for piece in pieces)
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)) == "It is there."
    assert isinstance(end, Finished)
    assert end.reason == "stop"
    assert end.usage is not None
    assert end.usage.total_tokens > 0


def test_a_model_is_asked_again_in_another_loop(
    make: Make,
    scripted_server: StartServer,
    tmp_path: Path,
) -> None:
    model = make(scripted_server(["One."]).base_url, tmp_path)
    assert asyncio.run(_heard(model))[-1] == asyncio.run(_heard(model))[-1]


def test_pieces_are_not_waited_for(make: Make, scripted_server: StartServer, tmp_path: Path) -> None:
    """The first piece is here while the server still writes, and closing the stream hangs up on it."""
    server = scripted_server([endless("word word ")])

    async def leave() -> Delta:
        stream = make(server.base_url, tmp_path).stream(ASK)
        first = await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
        return first

    first = asyncio.run(leave())
    assert isinstance(first, TextDelta)
    assert server.hung_up.wait(600)


@pytest.mark.parametrize("reply", [Reply(status=400, error="no"), Reply(status=500, error="ouch")])
def test_a_refusal(make: Make, scripted_server: StartServer, tmp_path: Path, reply: Reply) -> None:
    with pytest.raises(UpstreamError) as refused:
        asyncio.run(_heard(make(scripted_server([reply]).base_url, tmp_path)))
    assert refused.value.status == reply.status
    assert refused.value.retryable is (reply.status == 500)


def test_a_cut(make: Make, scripted_server: StartServer, tmp_path: Path) -> None:
    server = scripted_server([Reply(pieces=["It ", "is ", "there."], cut_after=2)])
    heard: list[str] = []

    async def listen() -> None:
        async for delta in make(server.base_url, tmp_path).stream(ASK):
            assert isinstance(delta, TextDelta)
            heard.append(delta.text)

    with pytest.raises(StreamCutError) as cut:
        asyncio.run(listen())
    assert cut.value.received == "".join(heard)
    assert heard


def test_nobody_listens(make: Make, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="cannot connect"):
        asyncio.run(_heard(make("http://127.0.0.1:9/v1", tmp_path)))
