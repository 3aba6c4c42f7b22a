"""What endpoints can do: by their address, by settings, and what is sent for it."""

from __future__ import annotations

import pytest

from quaestor.assemble import make_model
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.messages import Message
from quaestor.llm.models import Request
from quaestor.llm.models.capabilities import COMPLETION, Capabilities, capabilities_at, overridden
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.models.plain_completion import CompletionModel

PARTIAL = Request((Message("user", "Count."), Message("assistant", "One, ")))
LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("url", "native"),
    [
        ("https://api.openai.com/v1", True),
        ("https://me.openai.azure.com/openai/v1", True),
        ("https://notopenai.com/v1", False),
        ("https://openai.com.evil.example/v1", False),
        (LOCAL, False),
        ("", False),
    ],
)
def test_by_address(url: str, native: bool) -> None:
    assert capabilities_at(url) == Capabilities(native_tools=native)


@pytest.mark.parametrize(("tools", "native"), [("auto", False), ("native", True), ("text", False)])
@pytest.mark.parametrize(("prefill", "continues"), [("auto", True), ("yes", True), ("no", False)])
def test_by_settings(tools: str, native: bool, prefill: str, continues: bool) -> None:
    assert overridden(COMPLETION, tools=tools, prefill=prefill) == Capabilities(native, continues)


@pytest.mark.parametrize("wrong", [{"tools": "yes"}, {"prefill": ""}])
def test_unknown_words_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="use one of"):
        make_model(Settings(model="tiny", base_url=LOCAL, **wrong))


def test_of_assembled_models() -> None:
    def made(**settings: str) -> Capabilities:
        model = make_model(Settings(model="tiny", **settings))
        assert model is not None
        return model.capabilities

    assert made(api_key="sk-test") == Capabilities(native_tools=True)
    assert made(base_url=LOCAL) == Capabilities()
    assert made(base_url=LOCAL, tools="native", prefill="yes") == Capabilities(True, True)
    assert made(base_url=LOCAL, protocol="completion") == COMPLETION
    assert CompletionModel("tiny", base_url=LOCAL).capabilities == COMPLETION


def test_servers_are_told_to_go_on_only_where_they_can() -> None:
    told = {"continue_final_message": True, "add_generation_prompt": False}
    able = OpenAICompatibleModel("tiny", base_url=LOCAL, capabilities=Capabilities(continues_assistant=True))
    assert told.items() <= able.body(PARTIAL).items()
    assert not told.keys() & able.body(Request(PARTIAL.messages[:1])).keys()
    assert not told.keys() & OpenAICompatibleModel("tiny", base_url=LOCAL).body(PARTIAL).keys()
    assert not told.keys() & CompletionModel("tiny", base_url=LOCAL).body(PARTIAL).keys()
