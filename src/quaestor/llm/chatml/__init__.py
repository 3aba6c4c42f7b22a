"""The ChatML codec: a conversation as dicts, as a list in which special tokens are objects, or as token ids.

A document is a row of blocks, ``<|im_start|>header newline content<|im_end|>newline``. The header is the
role, then attributes whose values are percent-encoded: ``name=`` for a speaker (``system name=example_user``
for few-shot examples), ``call=`` and ``to=`` for tool calls and their results::

    <|im_start|>assistant\\nLet me look.<|im_end|>
    <|im_start|>assistant call=call_1 to=search\\n{"query": "retry"}<|im_end|>
    <|im_start|>tool call=call_1\\nsrc/http.py:10<|im_end|>

In these forms a special token is an object or an id, and text is text, so text that looks like a special token stays
text. A raw string cannot guarantee that: ``unsafe_string`` says so in its name, and ``neutral_string`` breaks up
whatever looks like a special token of a known family of models (``special_tokens``). ``Restorer`` joins such tokens
again in replies.

It follows OpenAI's ChatML document of 2023 (openai-python, chatml.md); blocks for tool calls are our addition.
It does not know how tokens are counted or sent. Begin with ``tokenlist``.
"""

from quaestor.llm.chatml.raw import Restorer, neutral_string, neutralise, restore, unsafe_string
from quaestor.llm.chatml.tokenlist import (
    CL100K_CHATML,
    END,
    START,
    Encoding,
    HuggingFaceEncoding,
    MalformedError,
    PartialMessageError,
    Rendered,
    SpecialToken,
    TiktokenEncoding,
    decode,
    encode,
    encode_rendered,
    is_partial,
    parse,
    parse_ids,
    render,
)

__all__ = [
    "CL100K_CHATML",
    "END",
    "START",
    "Encoding",
    "HuggingFaceEncoding",
    "MalformedError",
    "PartialMessageError",
    "Rendered",
    "Restorer",
    "SpecialToken",
    "TiktokenEncoding",
    "decode",
    "encode",
    "encode_rendered",
    "is_partial",
    "neutral_string",
    "neutralise",
    "parse",
    "parse_ids",
    "render",
    "restore",
    "unsafe_string",
]
