"""Exact counts, offline, from the packaged ranks."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from missing_packages import run_without
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.llm.tokens import ExactTokenizer, HuggingFaceTokenizer, encoding_name_for, load_encoding, tokenizer_for
from quaestor.llm.tokens.exact import CountCache, EncodingName, read_ranks

NAMES: tuple[EncodingName, ...] = ("cl100k_base", "o200k_base")
SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


DOWNLOADS = "https://openaipublic.blob.core.windows.net/encodings"


def ranks_file(name: EncodingName) -> bytes:
    """Return an encoding's ranks as OpenAI publishes them."""
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in read_ranks(name).items())


@pytest.mark.parametrize("name", NAMES)
def test_ranks_are_openais(name: EncodingName) -> None:
    assert hashlib.sha256(ranks_file(name)).hexdigest() == SHA256[name]


@pytest.mark.parametrize("name", NAMES)
def test_patterns_special_tokens_and_ranks_are_tiktokens(
    name: EncodingName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What tiktoken would download lies in its cache, made of our ranks; it takes that file only by its hash."""
    file = tmp_path / hashlib.sha1(f"{DOWNLOADS}/{name}.tiktoken".encode()).hexdigest()
    file.write_bytes(ranks_file(name))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    theirs = getattr(openai_public, name)()
    assert list(tmp_path.iterdir()) == [file], "nothing else was wanted"
    ours = load_encoding(name)
    assert ours._pat_str == theirs["pat_str"]
    assert ours._special_tokens == theirs["special_tokens"]
    assert ours._mergeable_ranks == theirs["mergeable_ranks"]


@pytest.mark.parametrize(
    ("text", "cl100k", "o200k"),
    [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("def f(x):\n    return x + 1\n", 11, 11),
        ("お誕生日おめでとう", 9, 8),
        ("<|endoftext|>", 7, 7),
        ("antidisestablishmentarianism", 6, 6),
        (" " * 500_000, 3907, 3907),
    ],
)
def test_known_counts(text: str, cl100k: int, o200k: int) -> None:
    assert (ExactTokenizer("cl100k_base").count(text), ExactTokenizer("o200k_base").count(text)) == (cl100k, o200k)


@pytest.mark.parametrize("blank", [" ", "\t", "\u3000"])
@pytest.mark.parametrize("name", NAMES)
def test_walls_of_blanks_do_not_panic(name: EncodingName, blank: str) -> None:
    assert ExactTokenizer(name).count(blank * 1_200_000 + "x") > 1000


@given(st.text())
def test_special_tokens_are_never_made_of_text(text: str) -> None:
    marked = f"{text}<|endoftext|>{text}<|im_start|>"
    for name in NAMES:
        special = set(load_encoding(name)._special_tokens.values())
        assert special.isdisjoint(load_encoding(name).encode_ordinary(marked))
        assert ExactTokenizer(name).count(marked) == len(load_encoding(name).encode_ordinary(marked))


def test_lone_surrogates_are_counted() -> None:
    assert tokenizer_for("gpt-4o").count("a\ud800b") > 1
    assert tokenizer_for("unknown").count("a\ud800b" * 200) > 1


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5.2-codex", "o200k_base"),
        ("gpt-oss-20b", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("openai/o4-mini", "o200k_base"),
        ("router/openai/o4-mini", "o200k_base"),
        ("ft:gpt-4o:acme::1", "o200k_base"),
        ("GPT-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("gpt-35-turbo", "cl100k_base"),
        ("text-embedding-3-small", "cl100k_base"),
        ("llama3", None),
        ("olmo-2", None),
        ("gpt4all", None),
        ("gpt-neox", None),
        ("tiny", None),
        ("", None),
    ],
)
def test_encodings_by_name(model: str, encoding: str | None) -> None:
    assert encoding_name_for(model) == encoding
    assert tokenizer_for(model).exact is (encoding is not None)
    assert tokenizer_for(model) is tokenizer_for(model)


def test_unknown_encoding() -> None:
    with pytest.raises(ValueError, match="p50k_base"):
        load_encoding("p50k_base")  # type: ignore[arg-type]


def test_tiktoken_is_imported_late() -> None:
    code = "import sys, quaestor.llm.tokens as t; t.tokenizer_for('gpt-4o'); sys.exit('tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_counts_are_remembered_and_long_texts_let_go() -> None:
    counted: list[str] = []
    cache = CountCache(lambda text: counted.append(text) or len(text), entries=2)  # type: ignore[func-returns-value]
    long = "x" * 100_000
    assert [cache("a"), cache("a"), cache(long), cache("x" * 100_000)] == [1, 1, 100_000, 100_000]
    assert counted == ["a", long]
    assert all(len(key) <= 256 for key in cache._known)
    cache("b")
    assert len(cache._known) == 2


def write_tokenizer(path: Path) -> None:
    letters = {letter: number for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz <|>_")}
    added = [
        {"id": 99, "content": "<|im_start|>", "special": True}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    ]
    model = {"type": "BPE", "vocab": {**letters, "<|im_start|>": 99}, "merges": []}
    path.write_text(json.dumps({"version": "1.0", "added_tokens": added, "model": model}), encoding="utf-8")


def test_hugging_face(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    write_tokenizer(path)
    tokenizer = tokenizer_for(str(path))
    assert isinstance(tokenizer, HuggingFaceTokenizer)
    assert (tokenizer.exact, tokenizer.name) == (True, str(path))
    assert tokenizer.count("hello") == 5
    assert tokenizer.count("<|im_start|>") == len("<|im_start|>")
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match="is not a tokenizer"):
        HuggingFaceTokenizer(path)
    with pytest.raises(NotFoundError, match="no tokenizer file"):
        HuggingFaceTokenizer(tmp_path / "missing.json")


def test_hugging_face_without_the_package(tmp_path: Path) -> None:
    code = """
from quaestor.core.errors import UsageError
from quaestor.llm.tokens import HuggingFaceTokenizer
try:
    HuggingFaceTokenizer("tokenizer.json")
except UsageError as error:
    print(error)
"""
    assert "`pip install 'quaestor[tokenizers]'`" in run_without("tokenizers", tmp_path / "packages", code)
