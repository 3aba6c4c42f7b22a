"""The special tokens of the known families of models, by form: what text must not hold where a server looks for them.

Servers that put messages into a chat template find special tokens in the whole of the result, so that text of a message
can close it and forge another (llama.cpp's server tokenizes it with ``parse_special``, vLLM and transformers as text:
github.com/ggml-org/llama.cpp/issues/26273, github.com/vllm-project/vllm/pull/31735,
github.com/huggingface/transformers/issues/29279).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Form:
    """How some special tokens are written.

    Attributes:
        opening: their first letter.
        rest: what follows it, as a regular expression without blanks, for at most ``LONGEST`` letters.
        families: who has them.
        source: where they are listed.
    """

    opening: str
    rest: str
    families: str
    source: str


LONGEST = 64
"""Letters of the longest token behind its opening letter; no more than these are awaited while a text arrives."""

FORMS: Sequence[Form] = (
    # Of these two the beginning tells enough: a reply that is cut inside of one is restored as well.
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


def openings(blanks: str) -> str:
    """Return a regular expression for the first letter of every form, with so many blanks behind it.

    Args:
        blanks: how many, as between the braces of a regular expression.
    """
    ordered = sorted(FORMS, key=lambda form: form.opening)
    by_opening = groupby(ordered, key=lambda form: form.opening)
    return "|".join(
        f"{re.escape(opening)}(?= {{{blanks}}}(?:{'|'.join(form.rest for form in forms)}))"
        for opening, forms in by_opening
    )
