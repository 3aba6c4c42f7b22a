"""A plain ``/v1/completions`` endpoint, driven through ChatML.

If the model's encoding is known, token ids are sent, and no text can become a special token. Otherwise, or if the
server takes no ids, the prompt is a string in which everything that looks like a special token is broken up; replies
are restored. See ``chatml.neutral_string`` for the guarantees. An assistant message at the end is continued.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

import httpx2

from quaestor.core.errors import UsageError
from quaestor.core.messages import Message
from quaestor.llm import chatml, tags
from quaestor.llm.endpoints.failures import RefusedError, read_overflow
from quaestor.llm.models import Delta, Finished, Request
from quaestor.llm.models.capabilities import COMPLETION
from quaestor.llm.models.dialect import Dialect
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.tokens import MessageCounter, Overheads, Tokenizer, encoding_name_for, load_encoding, tokenizer_for

_STOPS = (chatml.END, chatml.START)
# Most servers end a plain completion after 16 tokens unless they are told otherwise.
_REPLY = 1024
# Parameters beyond ours that plain completions know as well.
_KNOWN = ("top_p", "seed", "presence_penalty", "frequency_penalty", "logit_bias")
_NO_STRING = re.compile(r"should be a valid string|must be a string", re.IGNORECASE)
_TAKES_NO_IDS = re.compile(r"prompt|string|\bstr\b|\blist\b|array|type", re.IGNORECASE)


# Many servers put a token of their own at the beginning of a prompt.
_BEGINNING = 1


class ChatMLCounter(MessageCounter):
    """Counts what ``chatml.render`` returns: exactly with an exact tokenizer, except for a token at the beginning.

    Args:
        tokenizer: counts texts.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        reply = _BEGINNING + 1 + tokenizer.count("assistant\n")
        super().__init__(tokenizer, Overheads(0, 0, reply, 0, 0, 0, indented=False))

    def message(self, message: Message) -> int:
        """Return the tokens of one message's blocks."""
        return sum(1 if not isinstance(item, str) else self._piece(item) for item in chatml.render([message]))

    def _piece(self, text: str) -> int:
        # Which of the forms is sent may change with what the server takes.
        forms = {text, chatml.neutralise(text), chatml.neutralise(text, tags.OPENINGS)}
        return max(map(self.tokenizer.count, forms))


class CompletionModel(OpenAICompatibleModel):
    """A model behind a plain completion endpoint.

    Args:
        model: the model's name at the endpoint.
        encoding: the model's own; None sends a string.
        options: further options as for ``OpenAICompatibleModel``.
    """

    path = "/completions"

    def __init__(self, model: str, *, encoding: chatml.Encoding | None = None, **options: Any) -> None:
        super().__init__(model, **{"capabilities": COMPLETION, **options})
        self._dialect = Dialect()
        self._encoding = encoding

    @cached_property
    def counter(self) -> MessageCounter:
        """Counts messages as they are written here."""
        return self._counter or ChatMLCounter(tokenizer_for(self.name))

    @property
    def _sends_neutral(self) -> bool:
        return self._encoding is None

    def for_continuation(self) -> Self:
        """Return the model itself: a plain endpoint continues any text."""
        return self

    def body(self, request: Request) -> dict[str, Any]:
        """Return the JSON object that is sent for a request.

        Raises:
            UsageError: it declares tools, which a plain completion does not know.
            PartialMessageError: it ends in an assistant message that cannot be continued.
        """
        if request.tools:
            raise UsageError(f"model {self.name!r} is behind a plain completion endpoint, which takes no tools")
        ended = replace(request, stop=tuple(dict.fromkeys((*request.stop, *_STOPS))))
        parameters = {name: request.extra[name] for name in _KNOWN if name in request.extra}
        parameters |= self._dialect.parameters(ended)
        prompt = self._prompt(request)
        return {"model": self.name, "prompt": prompt, "max_tokens": _REPLY, "stream": True, **parameters}

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield pieces of the reply and, last, one ``Finished``; see ``OpenAICompatibleModel.stream``."""
        ended = replace(request, stop=tuple(dict.fromkeys((*request.stop, *_STOPS))))
        deltas = cast(AsyncGenerator[Delta], super().stream(ended))
        async with aclosing(deltas):
            async for delta in deltas:
                if isinstance(delta, Finished) and delta.stop_sequence in _STOPS:
                    # The end of the message is not a stop sequence that anybody asked for.
                    delta = replace(delta, stop_sequence=None)
                yield delta

    def _prompt(self, request: Request) -> str | list[int]:
        partial = bool(request.messages) and request.messages[-1].role == "assistant"
        if self._encoding is None:
            return chatml.neutral_string(request.messages, partial=partial, reply=not partial, keep=tags.OPENINGS)
        return chatml.encode(request.messages, self._encoding, partial=partial, reply=not partial)

    async def _create(self, request: Request) -> httpx2.Response:
        try:
            return await super()._create(request)
        except RefusedError as error:
            if self._encoding is None or not _takes_no_ids(error):
                raise
            self._encoding = None
            return await super()._create(request)


def encoding_for(model: str) -> chatml.Encoding | None:
    """Return the encoding of a model, or None if it is not known or has no tokens for ChatML.

    Args:
        model: a model's name, or the path of a Hugging Face ``tokenizer.json``.

    Raises:
        UsageError: the path is not a tokenizer, or the ``tokenizers`` package is missing.
    """
    if not model.endswith(".json"):
        known = encoding_name_for(model) == "cl100k_base"
        return chatml.TiktokenEncoding(load_encoding("cl100k_base"), chatml.CL100K_CHATML) if known else None
    tokenizer_for(model)  # says clearly what is wrong with the file
    from tokenizers import Tokenizer  # noqa: PLC0415 - optional

    encoding = chatml.HuggingFaceEncoding(Tokenizer.from_file(str(Path(model))))
    try:
        encoding.special(chatml.START)
    except UsageError:
        return None
    return encoding


def _takes_no_ids(error: RefusedError) -> bool:
    """Return whether a server refuses a prompt of token ids."""
    message, details = error.message, error.details
    if error.status == 500:
        # llama-cpp-python calls it its own failure.
        return _NO_STRING.search(message) is not None
    if error.status not in (400, 415, 422) or read_overflow(message, details) is not None:
        return False
    return details.get("param") == "prompt" or _TAKES_NO_IDS.search(message) is not None
