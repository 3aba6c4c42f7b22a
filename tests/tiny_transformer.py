"""A transformer that is small and real: token vectors, one layer of attention, run by onnxruntime as any other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

DIMENSIONS = 24
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = (
    "the heron waits for fish in water bread is baked from flour and yeast oven pond zeppelin loaf kitchen village"
    " harbour query document : of # def return import class"
).split()


def write_transformer(
    folder: Path,
    *,
    words: Sequence[str] = WORDS,
    alike: Mapping[str, str] | None = None,
    seed: int = 0,
    model: str = "model.onnx",
    external: str = "",
) -> Path:
    """Write a transformer, and return its folder.

    Args:
        folder: where to; made if it is missing.
        words: that it knows.
        alike: words that mean what another means.
        seed: of its weights.
        model: path of the graph in the folder.
        external: the file that its weights go to; empty: none but the graph.
    """
    (folder / model).parent.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *words))}
    table = np.random.default_rng(seed).normal(size=(len(vocabulary), DIMENSIONS)).astype(np.float32)
    table[: len(SPECIAL)] *= 0.05
    for word, other in (alike or {}).items():
        table[vocabulary[word]] = table[vocabulary[other]]
    save_graph(_graph(table), folder / model, external)
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    write_json(folder / "config.json", {"model_type": "bert", "pad_token_id": 0, "max_position_embeddings": 64})
    return folder


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def save_graph(graph: onnx.GraphProto, path: Path, external: str = "") -> None:
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    if external:
        onnx.save_model(model, path, save_as_external_data=True, location=external, size_threshold=100)
    else:
        onnx.save_model(model, path)


def _graph(table: np.ndarray) -> onnx.GraphProto:
    """Token vectors, and what attention adds to each of them from those that the mask lets through."""
    constants = {
        "table": table,
        "one": np.array(1, np.float32),
        "far": np.array(1e9, np.float32),
        "scale": np.array(DIMENSIONS**-0.5, np.float32),
        "axis": np.array([1], np.int64),
    }
    node = helper.make_node
    nodes = [
        node("Gather", ["table", "input_ids"], ["tokens"]),
        node("Transpose", ["tokens"], ["turned"], perm=[0, 2, 1]),
        node("MatMul", ["tokens", "turned"], ["products"]),
        node("Mul", ["products", "scale"], ["scaled"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Sub", ["mask", "one"], ["hidden"]),
        node("Mul", ["hidden", "far"], ["lowered"]),
        node("Unsqueeze", ["lowered", "axis"], ["spread"]),
        node("Add", ["scaled", "spread"], ["scores"]),
        node("Softmax", ["scores"], ["weights"], axis=-1),
        node("MatMul", ["weights", "tokens"], ["attended"]),
        node("Add", ["tokens", "attended"], ["last_hidden_state"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", DIMENSIONS])
    held = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    return helper.make_graph(nodes, "tiny", inputs, [output], held)


def _tokenizer(vocabulary: Mapping[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(WordLevel(dict(vocabulary), unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
    )
    return tokenizer
