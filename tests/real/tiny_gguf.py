"""Writes the tiny model as GGUF, the format of llama.cpp."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import torch
from transformers import Gemma3ForCausalLM

_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def write_gguf(path: Path, model: Gemma3ForCausalLM, tokenizer: dict[str, Any], template: str) -> None:
    """Write a Gemma 3 whose layers are all local, and a byte-level BPE tokenizer, to one file.

    Args:
        path: the file.
        model: at most 5 layers: of six, llama.cpp takes the last for a global one.
        tokenizer: the content of its ``tokenizer.json``.
        template: the chat template.
    """
    writer = gguf.GGUFWriter(path, "gemma3")
    _write_sizes(writer, model.config)
    _write_tokenizer(writer, tokenizer)
    writer.add_chat_template(template)
    for name, weight in model.state_dict().items():
        if name == "lm_head.weight":
            continue  # tied to the embeddings
        values = weight.detach().to(torch.float32)
        # Gemma's norms multiply by one more than their weight; llama.cpp wants the sum.
        writer.add_tensor(_renamed(name), (values + 1.0 if name.endswith("norm.weight") else values).numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_sizes(writer: gguf.GGUFWriter, config: Any) -> None:
    writer.add_name("tiny")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["sliding_attention"]["rope_theta"])
    writer.add_sliding_window(config.sliding_window)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def _write_tokenizer(writer: gguf.GGUFWriter, tokenizer: dict[str, Any]) -> None:
    ids = dict(tokenizer["model"]["vocab"])
    types = dict.fromkeys(ids.values(), gguf.TokenType.NORMAL)
    for added in tokenizer["added_tokens"]:
        ids[added["content"]] = added["id"]
        types[added["id"]] = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
    tokens = sorted(ids, key=ids.__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([types[ids[token]] for token in tokens])
    writer.add_token_merges([" ".join(merge) for merge in tokenizer["model"]["merges"]])
    writer.add_eos_token_id(ids["<|im_end|>"])
    writer.add_pad_token_id(ids["<|endoftext|>"])
    writer.add_add_bos_token(False)


def _renamed(name: str) -> str:
    if name == "model.embed_tokens.weight":
        return "token_embd.weight"
    if name == "model.norm.weight":
        return "output_norm.weight"
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{_NAMES[rest.removesuffix('.weight')]}.weight"
