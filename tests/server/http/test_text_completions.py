"""The old interface, a prompt and a text, by the official client of OpenAI."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from openai.types import Completion
from openai_parts import CITED, LISTED, QUESTION, Answering, Open
from served import Running

from scripted_server import Reply


def test_a_prompt_is_a_question(answering: Answering, open_client: Open) -> None:
    server, upstream = answering([CITED])
    answer = open_client(server).completions.create(
        model="quaestor", prompt=QUESTION, max_tokens=200, temperature=0.5, stop="STOP"
    )
    [choice] = answer.choices
    assert (choice.text, choice.finish_reason, answer.object) == (CITED + LISTED, "stop", "text_completion")
    assert answer.usage is not None and answer.usage.total_tokens > 0
    extra: Any = answer.model_extra
    assert extra["quaestor"]["citations"][0]["status"] == "verified"
    sent = upstream.requests[0]
    assert (sent.last, sent.body["temperature"], sent.body["max_tokens"]) == (QUESTION, 0.5, 200)


def test_streaming(answering: Answering, open_client: Open) -> None:
    server, _ = answering([CITED])
    chunks = list(
        open_client(server).completions.create(
            model="quaestor", prompt=[QUESTION], stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(chunk.choices[0].text for chunk in chunks[:-1]) == CITED + LISTED
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1]][-2:] == [None, "stop"]
    assert chunks[-1].choices == [] and chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1
    Completion.model_validate(chunks[-2].model_dump())


def test_an_answer_that_nothing_supports_says_so(answering: Answering, open_client: Open) -> None:
    server, _ = answering(["It is tried ninety times [1]."])
    text = open_client(server).completions.create(model="quaestor", prompt=QUESTION).choices[0].text
    assert text.startswith("It is tried ninety times [1].\n\nNot checked: ")


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"prompt": ["one", "two"]}, "prompt"),
        ({"prompt": " "}, "prompt"),
        ({"prompt": [1, 2]}, "prompt"),
        ({"suffix": "end"}, "suffix"),
        ({"n": 2}, "n"),
        ({"best_of": 2}, "best_of"),
        ({"echo": True}, "echo"),
        ({"logprobs": 5}, "logprobs"),
    ],
)
def test_what_no_corpus_does_is_refused(shared: Running, open_client: Open, given: Any, param: str) -> None:
    with pytest.raises(openai.BadRequestError) as failure:
        open_client(shared).completions.create(**{"model": "quaestor", "prompt": QUESTION, **given})
    assert failure.value.param == param


def test_a_failure_in_the_stream_is_raised(answering: Answering, open_client: Open) -> None:
    server, _ = answering([Reply(pieces=["It is tried ", "three"], cut_after=1)])
    with pytest.raises(openai.APIError, match="cut the reply"):
        list(open_client(server).completions.create(model="quaestor", prompt=QUESTION, stream=True))
