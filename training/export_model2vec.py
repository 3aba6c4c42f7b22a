"""Writes our weights as a model2vec folder, so that other tools can use our embedder.

``python -m training.export_model2vec [--embedder FOLDER] --out FOLDER``. There, regular expressions inside the
tokenizer split identifiers, as nearly as that allows: camelCase, snake_case and digits. A missing piece is ``[UNK]``,
which model2vec drops.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quaestor.embedding.static import StaticEmbedder
from training.card import WEIGHTS

_SPLITS = (
    r"[^\p{L}\p{N}]+",
    r"(?<=[a-z])(?=[A-Z])",
    r"(?<=[A-Z])(?=[A-Z][a-z])",
    r"(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="training.export_model2vec", description="Write a model2vec folder.")
    parser.add_argument("--embedder", type=Path, default=WEIGHTS)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    write(options.embedder, options.out)
    return 0


def write(embedder: Path, out: Path) -> None:
    """Convert the weights in ``embedder``."""
    name = StaticEmbedder.load(embedder).name
    table = np.load(embedder / "table.npy").astype(np.float32) * np.load(embedder / "scales.npy")[:, None]
    vocabulary = (embedder / "vocabulary.txt").read_text("utf-8").split("\n")
    out.mkdir(parents=True, exist_ok=True)
    unknown = np.zeros((1, table.shape[1]), np.float32)
    write_tensor(out / "model.safetensors", "embeddings", np.concatenate([table, unknown]))
    (out / "tokenizer.json").write_text(json.dumps(tokenizer([*vocabulary, "[UNK]"])), "utf-8")
    config = {"tokenizer_name": name, "normalize": True, "hidden_dim": table.shape[1], "seq_length": 1_000_000}
    (out / "config.json").write_text(json.dumps(config), "utf-8")


def tokenizer(vocabulary: Sequence[str]) -> dict[str, Any]:
    """Return a ``tokenizers`` description: split identifiers, lower the case, WordPiece.

    Case is what identifiers are split at, so it is lowered piece by piece: WordPiece comes after pre-tokenisation, and
    only a normaliser can lower case; the split therefore marks its places with spaces before the case is lowered.
    """
    marks = [{"type": "Replace", "pattern": {"Regex": pattern}, "content": " "} for pattern in _SPLITS]
    lower = [
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": True,
            "lowercase": True,
        }
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [*marks, *lower]},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 64,
            "vocab": {piece: row for row, piece in enumerate(vocabulary)},
        },
    }


def write_tensor(file: Path, name: str, tensor: np.ndarray[Any, np.dtype[np.float32]]) -> None:
    """Write one float32 tensor in the safetensors format: header length, JSON header, bytes."""
    data = np.ascontiguousarray(tensor).tobytes()
    header = json.dumps({name: {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [0, len(data)]}}).encode()
    header += b" " * (-len(header) % 8)
    file.write_bytes(len(header).to_bytes(8, "little") + header + data)


if __name__ == "__main__":
    sys.exit(main())
