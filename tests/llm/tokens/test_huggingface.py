"""Texts that hold added tokens, with small tokenizers of each kind: never fewer than a server may count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from quaestor.llm.chatml import HuggingFaceEncoding
from quaestor.llm.tokens import HuggingFaceTokenizer

SPECIAL = ("<|im_start|>", "<|im_end|>")
ORDINARY = ("<tool_call>", "</tool_call>", "<think>", "    ", "aba")
CORPUS = ["the client waits and calls a tool", "<tool_call> think </tool_call> im_end", "xabay    xabay"] * 20
pieces = st.sampled_from([*SPECIAL, *ORDINARY, "<TOOL_CALL>", "xabay", "tool", " ", "\n", "日本", "<", ">"]) | st.text(
    max_size=4
)
texts = st.lists(pieces, max_size=8).map("".join)


def byte_level() -> Any:
    """As of Qwen and Llama 3."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def sentences() -> Any:
    """As of Llama 2, Mistral and Gemma: pieces with bytes to fall back on."""
    letters = sorted({letter for text in (*CORPUS, *SPECIAL) for letter in text.replace(" ", "▁")})
    names = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters, "▁tool", "▁▁"]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram([(n, -2.0) for n in names], 0, byte_fallback=True))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    return tokenizer


def lower_case() -> Any:
    """As of BERT: added tokens are looked for in the normalized text."""
    letters = sorted({letter for text in CORPUS for letter in text})
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {"[UNK]": 0} | {letter: n for n, letter in enumerate(letters, 1)}, unk_token="[UNK]"
        )
    )
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return tokenizer


KINDS = {kind.__name__: kind for kind in (byte_level, sentences, lower_case)}


@pytest.fixture(scope="module", params=KINDS)
def counted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Return a tokenizer of the library, and ours from its file."""
    tokenizer = KINDS[request.param]()
    tokenizer.add_special_tokens([tokenizers.AddedToken(token, special=True) for token in SPECIAL])
    tokenizer.add_tokens([tokenizers.AddedToken(token, normalized=True) for token in ORDINARY])
    file = tmp_path_factory.mktemp(request.param) / "tokenizer.json"
    tokenizer.save(str(file))
    return tokenizer, HuggingFaceTokenizer(file)


@given(text=texts)
def test_never_fewer_than_any_server_counts(counted: tuple[Any, Any], text: str) -> None:
    theirs, ours = counted
    whole = len(theirs.encode(text, add_special_tokens=False).ids)
    plain = tokenizers.Tokenizer.from_str(json.dumps({**json.loads(theirs.to_str()), "added_tokens": []}))
    split = len(plain.encode(text, add_special_tokens=False).ids)
    assert ours.count(text) >= max(whole, split)


@given(text=st.text(alphabet="abcdefg xyz\n日"))
def test_exact_without_them(counted: tuple[Any, Any], text: str) -> None:
    theirs, ours = counted
    if not any(token in text.lower() for token in ORDINARY):
        assert ours.count(text) == len(theirs.encode(text, add_special_tokens=False).ids)


def test_a_tool_call_in_a_text_is_counted_by_its_letters(counted: tuple[Any, Any]) -> None:
    theirs, ours = counted
    assert len(theirs.encode("<tool_call>", add_special_tokens=False).ids) == 1
    assert ours.count("<tool_call>") > 1


def test_ids_that_are_sent_are_never_more_than_counted(tmp_path: Path) -> None:
    tokenizer = byte_level()
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.add_tokens(list(ORDINARY))
    file = tmp_path / "tokenizer.json"
    tokenizer.save(str(file))
    text = "call <tool_call>{}</tool_call> <|im_end|> <think>"
    assert HuggingFaceTokenizer(file).count(text) >= len(HuggingFaceEncoding(tokenizer).encode_ordinary(text))


def test_the_library_s_file_is_read_as_it_is(tmp_path: Path) -> None:
    """Truncation and padding that a file asks for do not change a count."""
    tokenizer = byte_level()
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=64)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert HuggingFaceTokenizer(tmp_path / "tokenizer.json").count("the client waits " * 9) > 9
    assert HuggingFaceTokenizer(tmp_path / "tokenizer.json").count("the") < 64
