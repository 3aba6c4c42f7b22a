"""Small real tokenizers of several kinds, trained on the spot, with every family's special tokens added."""

from __future__ import annotations

from functools import cache

import tokenizers

from quaestor.llm.chatml import CL100K_CHATML, END, START, Encoding, HuggingFaceEncoding, TiktokenEncoding
from quaestor.llm.tokens import load_encoding

FAMILIES = (
    START, END, "<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<s>", "</s>", "<unk>", "<pad>", "[INST]",
    "[/INST]",
    "<<SYS>>", "<</SYS>>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|begin_of_text|>",
    "<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<|user|>", "<|assistant|>", "<|tool_call|>", "<tool_call>",
    "</tool_call>", "<|channel|>", "<|START_OF_TURN_TOKEN|>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "[TOOL_CALLS]",
    "[gMASK]", "<sop>", "[CLS]", "[SEP]", "<think>", "</think>", "<image>", "<0x0A>", "<turn|>", "<|tool>",
)  # fmt: skip
CORPUS = ["the client waits and tries again", "< | im _ start end > [ INST ] system user", "für 日本 🙂 \n\t x_1"] * 20


@cache
def byte_level() -> Encoding:
    """BPE over bytes, as in GPT-2, Llama 3 and Qwen; some added tokens are special, some are not."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([*CORPUS, *FAMILIES], trainer)
    tokenizer.add_special_tokens(list(FAMILIES[::2]))
    tokenizer.add_tokens([tokenizers.AddedToken(token, lstrip=True, rstrip=True) for token in FAMILIES[1::2]])
    return HuggingFaceEncoding(tokenizer)


@cache
def unigram() -> Encoding:
    """Unigram whose own vocabulary lists the special tokens with the best scores, as T5's and XLM-R's do."""
    letters = sorted({letter for text in (*CORPUS, *FAMILIES, "".join(map(chr, range(32, 127)))) for letter in text})
    vocabulary = [("<unk>", 0.0), *((token, 0.0) for token in FAMILIES if token != "<unk>")]
    vocabulary += [(letter, -5.0) for letter in [*letters, "▁"] if letter != "▁" or "▁" not in letters]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(vocabulary, 0))
    tokenizer.normalizer = tokenizers.normalizers.NFKC()
    tokenizer.add_special_tokens(list(FAMILIES))
    return HuggingFaceEncoding(tokenizer)


@cache
def cl100k() -> Encoding:
    """OpenAI's encoding, with ChatML's tokens."""
    return TiktokenEncoding(load_encoding("cl100k_base"), CL100K_CHATML)


ENCODINGS = {"byte level": byte_level, "unigram": unigram, "cl100k": cl100k}
EXACT = ("byte level", "cl100k")
