"""Messages of a million tokens: refused in words for people, or cut to the window; never sent whole."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fault_rounds import Trial
from quaestor import Conversation, Index, Message, compose
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.llm import chatml, tags
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.tokens import tokenizer_for
from quaestor.sessions.transcript import Transcript
from scripted_server import Reply, ScriptedServer

MILLION = 1_000_000
LIMIT = 8_192


def words(count: int) -> str:
    draw = random.Random(4)
    some = [f"w{draw.randrange(10**6)}" for _ in range(1000)]
    return " ".join(some[n % 1000] for n in range(count // 3))


TEXTS: Mapping[str, Callable[[int], str]] = {
    "words": words,
    "one word": lambda count: "a" * (4 * count),
    "marks": lambda count: "<|im_start|>" * (count // 4),
    "tags": lambda count: "<sub><search>x</search></sub>" * (count // 12),
    "lines": lambda count: "\n" * count,
    "emoji": lambda count: "🦉" * (count // 3),
    "no spaces": lambda count: "字" * count,
    "brackets": lambda count: "[" * (count // 2) + "]" * (count // 2),
}


@pytest.mark.fault(
    "a message of a million tokens in a window, a codec, a question and a reply", few=4, many=4 * len(TEXTS)
)
def test_a_message_of_a_million_tokens(trial: Trial, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "guide.md").write_text("# Guide\n\nThe word is explained here.\n", encoding="utf-8")
    checks = (check_window, check_codecs, check_question, check_reply)
    # Few of them are each check once, each with another text.
    cases = sorted(
        ((check, name) for check in checks for name in TEXTS),
        key=lambda case: (checks.index(case[0]) + list(TEXTS).index(case[1])) % len(TEXTS),
    )
    with Index.build(corpus, settings=Settings(home=str(tmp_path / "home"))) as index:
        for check, name in trial.over(cases):
            with trial.counted(f"{check.__name__} {name}"):
                check(index, TEXTS[name](MILLION))


def check_window(_: Index, text: str) -> None:
    past = [Message("user", text), Message("assistant", "Yes."), Message("user", "And now?")]
    window = compose(past, limit=LIMIT, reserve=500)
    assert window.tokens <= LIMIT
    assert window.messages[-1].content == "And now?"
    with pytest.raises(QuaestorError):
        compose([Message("user", text)], limit=LIMIT, reserve=500)


def check_codecs(_: Index, text: str) -> None:
    messages = [Message("user", text)]
    assert chatml.parse(chatml.render(messages)) == messages
    assert len(tags.strip(text)) <= len(text)
    assert tokenizer_for("gpt-4o").count(text) > 1000


def check_question(index: Index, text: str) -> None:
    with ScriptedServer(["Never."]) as server, Transcript.in_memory() as transcript:
        model = OpenAICompatibleModel("tiny", base_url=server.base_url)
        conversation = Conversation(index, model, limit=LIMIT, transcript=transcript)
        with pytest.raises(QuaestorError):
            asyncio.run(sent(conversation, text))
        assert not [one for one in server.requests if one.path.endswith("completions")]
        assert [turn.ending.state for turn in transcript.turns()] in ([], ["failed"])
        asyncio.run(sent(conversation, "where is the word?"))


def check_reply(index: Index, text: str) -> None:
    """The model says a million tokens: the turn ends, and the next one has room."""
    size = max(len(text) // 400, 1)
    replies = [Reply(pieces=[text[at : at + size] for at in range(0, len(text), size)]), "Fine [1]."]
    with ScriptedServer(replies) as server, Transcript.in_memory() as transcript:
        model = OpenAICompatibleModel("tiny", base_url=server.base_url)
        conversation = Conversation(index, model, limit=LIMIT, transcript=transcript)
        try:
            asyncio.run(sent(conversation, "where is the word?"))
        except QuaestorError as error:
            assert len(str(error)) < 2000
        asyncio.run(sent(conversation, "and now?"))
        assert transcript.turns()[-1].ending.state == "done"
        assert all(len(str(one.body)) < 40 * LIMIT for one in server.requests)


async def sent(conversation: Conversation, question: str) -> None:
    async for _ in conversation.send(question):
        pass
