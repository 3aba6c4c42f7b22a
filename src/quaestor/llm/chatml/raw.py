"""Raw strings, for servers that accept nothing better: neutralises special tokens in text, and restores them.

Text in a raw string must not hold a special token of any known family of models. Servers that put messages into a chat
template look for special tokens in the whole result, so that text of a message can close it and forge another
(llama.cpp's server tokenizes it with ``parse_special``, vLLM and transformers as text:
github.com/ggml-org/llama.cpp/issues/26273, github.com/vllm-project/vllm/pull/31735,
github.com/huggingface/transformers/issues/29279). Neutralised text that arrives in pieces is restored piece by piece.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.messages import Message
from quaestor.llm.chatml.tokenlist import SpecialToken, render


class Form(NamedTuple):
    """The syntax of some special tokens.

    Attributes:
        opening: their first character.
        rest: a regular expression for the characters after it, without blanks, at most ``LONGEST``.
        families: the models that have them.
        source: where they are documented.
    """

    opening: str
    rest: str
    families: str
    source: str


LONGEST = 64
"""Characters of the longest token after its opening one; while a text arrives, no more than these are held back."""

FORMS: Sequence[Form] = (
    # For these two the beginning is enough, so that a reply that is cut within one is restored, too.
    Form(
        "<",
        r"\|",
        "ChatML, Qwen, Llama 3 and 4, Phi, GLM, Command, Granite, OLMo, Kimi, Yi, InternLM, gpt-oss, Gemma 4",
        "openai-python's chatml.md; special_tokens_map.json and tokenizer_config.json of the models' repositories",
    ),
    Form("<", r"｜", "DeepSeek, Hunyuan", "tokenizer_config.json of deepseek-ai/DeepSeek-V3"),
    Form("<", r'[\w"]{1,32}\|>', "Gemma 4", "github.com/ggml-org/llama.cpp/issues/26309"),
    Form("<", r"/?s>", "Llama 1 and 2, Mistral, Phi 3, Zephyr, T5", "github.com/meta-llama/llama, tokenizer.py"),
    Form("<", r"</?SYS>>", "Llama 2", "github.com/meta-llama/llama, generation.py: SPECIAL_TAGS"),
    Form(
        "[",
        r"/?(?:INST|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|TOOL_CONTENT|SYSTEM_PROMPT|MODEL_SETTINGS|CALL_ID|ARGS|THINK"
        r"|IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO|TRANSCRIBE|PREFIX|MIDDLE|SUFFIX|REFERENCE_DOC_\d{1,3})\]",
        "Llama 2, Mistral",
        "github.com/mistralai/mistral-common, tokens/tokenizers/base.py: SpecialTokens",
    ),
    Form("<", r"(?:start|end)_(?:of_)?[a-z_]{1,32}>", "Gemma 1 to 3, FunctionGemma, Granite vision", "ai.google.dev"),
    Form(
        "<",
        r"/?(?:unk|pad|bos|eos|mask|sep|cls|eod|sop|eop|image|video|audio|start|end)>",
        "Gemma, GLM, Yuan, LLaVA, RoBERTa and others",
        "special_tokens_map.json of the models' repositories",
    ),
    Form(
        "<",
        r"/?(?:tool_calls?|tool_response|tools|think|arg_key|arg_value|function_call)>",
        "Qwen 2.5 and 3, GLM 4.5, Hermes, DeepSeek R1",
        "tokenizer_config.json of Qwen/Qwen3-8B; github.com/ollama/ollama/pull/17262",
    ),
    Form("<", r"/?seed:[a-z_]{1,32}>", "Seed-OSS", "tokenizer_config.json of ByteDance-Seed/Seed-OSS-36B-Instruct"),
    Form(
        "<",
        r"(?:unused|reserved_|SPECIAL_|extra_id_|special_token_|mask:)\d{1,5}>|0x[0-9A-F]{2}>",
        "Gemma, Baichuan, Mistral, Nemotron, T5, ERNIE; bytes of SentencePiece",
        "tokenizer.json of the models' repositories; github.com/google/sentencepiece, byte_fallback",
    ),
    Form(
        "<",
        r"(?:fim_(?:prefix|middle|suffix|pad)|file_sep|filename|repo_?name|gh_stars|empty_output|endoftext|startoftext"
        r"|(?:issue|jupyter|commit)_[a-z_]{1,16}|PRE|SUF|MID|EOT)>",
        "StarCoder, Code Llama",
        "special_tokens_map.json of bigcode/starcoder; github.com/meta-llama/codellama, tokenizer.py",
    ),
    Form("<", r"(?:(?:BOS|EOS|MASK|EOP)_TOKEN|PAD|UNK|CLS|SEP|用户|AI)>", "Command R, MiniCPM", "their tokenizer.json"),
    Form("[", r"(?:[gs]?MASK|CLS|SEP|PAD|UNK|BOS|EOS|EOT|unused\d{1,4})\]", "GLM, Kimi, BERT", "their tokenizer.json"),
    Form("[", r"\|[^\s|]{1,32}\|\]", "EXAONE", "tokenizer_config.json of LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct"),
    Form("]", r"~!?b[\[\]]", "MiniMax", "chat_template.jinja of MiniMaxAI/MiniMax-M2"),
    Form("[", r"e~\[", "MiniMax", "chat_template.jinja of MiniMaxAI/MiniMax-M2"),
)


def _openings(blanks: str) -> str:
    """Return a regular expression for the opening character of any form, followed by some blanks and its rest.

    Args:
        blanks: the number of blanks, as a quantifier between braces: ``0,`` or ``1,``.
    """
    ordered = sorted(FORMS, key=lambda form: form.opening)
    by_opening = groupby(ordered, key=lambda form: form.opening)
    return "|".join(
        f"{re.escape(opening)}(?= {{{blanks}}}(?:{'|'.join(form.rest for form in forms)}))"
        for opening, forms in by_opening
    )


_LOOKS_SPECIAL = lazy_regex(_openings("0,"))
_LOOKS_NEUTRAL = lazy_regex(f"(?:{_openings('1,')}) ")


def unsafe_string(messages: Sequence[Message], *, partial: bool = False, reply: bool = False) -> str:
    """Return the conversation as one raw string. **Unsafe**: text in it can become special tokens.

    Use it only for display, and for conversations in which every word is trusted.
    """
    return _join(render(messages, partial=partial, reply=reply))


def neutral_string(
    messages: Sequence[Message], *, partial: bool = False, reply: bool = False, keep: Collection[str] = ()
) -> str:
    """Return the conversation as one raw string in which only our own special tokens are intact.

    Use it for servers that accept only a string and look for special tokens in it; prefer ``encode`` if a server
    accepts token ids. ``neutralise`` says what is guaranteed. ``keep`` applies only to messages of the system and the
    assistant; everything in other messages is broken up.
    """
    rendered = render(messages, partial=partial, reply=reply)
    return _join(
        [item if not isinstance(item, str) else neutralise(item, _tokens_to_keep(item, keep)) for item in rendered]
    )


def neutralise(text: str, keep: Collection[str] = ()) -> str:
    """Return ``text`` with one more blank after every character that might open a special token.

    It covers the forms of ``special_tokens``; a tokenizer with special tokens of another form is **not** covered. The
    blank is visible, because tokenizers normalise zero-width ones away. ``restore`` with the same ``keep`` returns the
    exact text; text that begins with one of ``keep`` is not changed.
    """
    kept = tuple(keep)
    return _LOOKS_SPECIAL.sub(lambda at: at[0] if kept and text.startswith(kept, at.start()) else f"{at[0]} ", text)


def restore(text: str, keep: Collection[str] = (), *, end: int | None = None) -> str:
    """Undo ``neutralise`` and return the original text.

    Args:
        text: what ``neutralise`` returned.
        keep: the same as for ``neutralise``. Text that would begin with one of these without its blank was not broken
            up, and keeps the blank.
        end: the offset from which the text is only looked at, not changed; None to change all of it.
    """
    until = len(text) if end is None else end

    def join(match: re.Match[str]) -> str:
        own = any(match[0][0] == one[0] and text.startswith(one[1:], match.end()) for one in keep)
        return match[0] if own or match.start() >= until else match[0][0]

    return _LOOKS_NEUTRAL.sub(join, text)


def _tokens_to_keep(block: str, keep: Collection[str]) -> Collection[str]:
    return keep if block.startswith(("system", "assistant")) else ()


def _join(rendered: Iterable[str | SpecialToken]) -> str:
    return "".join(item if isinstance(item, str) else item["token"] for item in rendered)


_OPENINGS = "".join(sorted({re.escape(form.opening) for form in FORMS}))
# An opening character, then perhaps blanks and the beginning of a form, which itself holds no blanks.
_UNDECIDED = lazy_regex(rf"[{_OPENINGS}](?: +[^\s]{{0,{LONGEST}}})?\Z")


class Restorer:
    """Restores special tokens in streamed text, holding back only a possible beginning of one.

    Args:
        keep: beginnings of tags that stay whole, as for ``restore``.
    """

    def __init__(self, keep: Collection[str] = ()) -> None:
        self._keep = tuple(keep)
        self._held_back: list[str] = []

    @property
    def holds_text_back(self) -> bool:
        """Whether text is held back."""
        return bool(self._held_back)

    def feed(self, piece: str) -> str:
        """Return the restored text that is certain after this piece."""
        if self._held_back and not piece.strip(" ") and self._held_back[-1].endswith(" "):
            # More blanks decide nothing, so the text held back is not matched again for each of them.
            self._held_back += [piece] if piece else []
            return ""
        text = "".join(self._held_back) + piece
        match = _UNDECIDED.search(text)
        end = match.start() if match else len(text)
        rest = text[end:]
        self._held_back = [rest] if rest else []
        # A form may end with a character that opens another one, and so reach into the text that is held back.
        return restore(text, self._keep, end=end).removesuffix(rest)

    def flush(self) -> str:
        """Return the rest of the text, at its end."""
        rest, self._held_back = "".join(self._held_back), []
        return restore(rest, self._keep)
