"""What a probe finds out about an endpoint, for each habit of servers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from click.testing import CliRunner

from quaestor.cli.commands.doctor import command
from quaestor.core.errors import UpstreamError
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.plain_completion import CompletionModel
from quaestor.llm.models.probe import Probe, probe
from scripted_server import STYLES, Call, Recorded, Reply, ScriptedServer, StartServer

WORDS = "one two three four five six"


def obedient(request: Recorded) -> Reply | str:
    """Do what is asked, as far as the server's style can."""
    if request.body.get("tools"):
        return Reply(calls=[Call("echo", ['{"word": "owl"}'])])
    begun = request.continues or str(request.body.get("prompt", "")).endswith("one two three")
    return " four five six" if begun else WORDS


def probed(model: OpenAICompatibleModel) -> Probe:
    async def run() -> Probe:
        try:
            return await probe(model)
        finally:
            await model.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize("style", STYLES)
def test_every_habit(scripted_server: StartServer, style: str) -> None:
    server = scripted_server(obedient, style=style)
    found = probed(OpenAICompatibleModel("tiny", base_url=server.base_url))
    assert found.keeps_stop is STYLES[style].keeps_stop
    assert found.continues_assistant is (STYLES[style].begins != "never")
    assert found.native_tools is (None if STYLES[style].calls == "text" else True)
    assert found.window is None
    assert len(server.requests) == 4


def test_a_plain_completion_endpoint(scripted_server: StartServer) -> None:
    found = probed(CompletionModel("tiny", base_url=scripted_server(obedient).base_url))
    assert (found.keeps_stop, found.continues_assistant, found.native_tools) == (False, True, False)


def test_a_model_that_does_something_else_shows_nothing(scripted_server: StartServer) -> None:
    found = probed(OpenAICompatibleModel("tiny", base_url=scripted_server(["I cannot help with that."]).base_url))
    assert (found.keeps_stop, found.continues_assistant, found.native_tools) == (None, None, None)


def test_refusals_are_told_from_failures(scripted_server: StartServer) -> None:
    def script(request: Recorded) -> Reply | str:
        if request.body.get("tools"):
            return Reply(status=400, error="tools are not supported")
        return Reply(status=503) if "continue_final_message" in request.body else WORDS

    found = probed(OpenAICompatibleModel("tiny", base_url=scripted_server(script).base_url))
    assert (found.continues_assistant, found.native_tools) == (None, False)


def test_an_endpoint_that_does_not_answer(scripted_server: StartServer) -> None:
    with pytest.raises(UpstreamError, match="OPENAI_API_KEY"):
        probed(OpenAICompatibleModel("tiny", base_url=scripted_server([Reply(status=401)]).base_url))


@pytest.mark.parametrize("answer", [[], {}, {"choices": []}, {"choices": [3]}, {"choices": [{"message": 3}]}, "text"])
def test_nonsense_shows_nothing(scripted_server: StartServer, answer: Any) -> None:
    reply = Reply(raw=json.dumps(answer).encode(), headers={"content-type": "application/json"})
    found = probed(OpenAICompatibleModel("tiny", base_url=scripted_server([reply]).base_url))
    assert (found.keeps_stop, found.continues_assistant, found.native_tools) == (None, None, None)


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"max_model_len": 4096}, 4096),
        ({"meta": {"n_ctx": 2048, "n_ctx_train": 32768}}, 2048),
        ({"context_length": 128_000}, 128_000),
        ({"context_length": "long"}, None),
        ({}, None),
    ],
)
def test_the_window_that_a_server_tells(
    scripted_server: StartServer, entry: dict[str, Any], window: int | None
) -> None:
    server = scripted_server(obedient)
    server.described = {"tiny": entry}
    assert probed(OpenAICompatibleModel("tiny", base_url=server.base_url)).window == window


def shown(server: ScriptedServer | None, *arguments: str) -> tuple[int, dict[str, dict[str, Any]]]:
    url = server.base_url if server else "http://127.0.0.1:9/v1"
    done = CliRunner().invoke(
        command, ["--probe", "--json", "--base-url", url, *arguments], standalone_mode=False, catch_exceptions=False
    )
    return done.return_value, {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_doctor_says_which_settings_follow(scripted_server: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_WINDOW", "8192")
    server = scripted_server(obedient, style="vllm")
    server.described = {"tiny": {"max_model_len": 4096}}
    code, checks = shown(server, "--model", "tiny")
    assert code != 0
    assert "set window = 4096" in checks["window"]["found"]
    assert 'prefill = "yes"' in checks["prefill"]["found"]
    assert 'tools = "native"' in checks["tools"]["found"]
    assert "left out" in checks["stop"]["found"]


def test_doctor_without_an_endpoint() -> None:
    _, checks = shown(None, "--model", "tiny")
    assert not checks["endpoint"]["ok"]
    assert "cannot connect" in checks["endpoint"]["found"]
