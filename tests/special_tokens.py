"""Special tokens as the models' own files list them, written out: what the table of forms has to cover."""

from __future__ import annotations

from hypothesis import strategies as st

SPECIAL = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<s>", "</s>", "<unk>",
    "<pad>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
    "<|begin_of_text|>", "<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<|user|>", "<|assistant|>",
    "<|tool_call|>", "<tool_call>", "</tool_call>", "<|channel|>", "<|START_OF_TURN_TOKEN|>", "<｜begin▁of▁sentence｜>",
    "<｜User｜>", "[TOOL_CALLS]", "[gMASK]", "<sop>", "[CLS]", "[SEP]", "<think>", "</think>", "<image>", "<0x0A>",
    "<turn|>", "<|tool>", "<|eom_id|>", "<|python_tag|>", "<|end_of_text|>", "<|header_start|>", "<|eot|>",
    "<|im_sep|>", "<|im_user|>", "<|im_middle|>", "<|system|>", "<|end|>", "<|observation|>", "<|end_of_role|>",
    "<|return|>", "<|END_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|startoftext|>", "<|role_start|>",
    "<|object_ref_start|>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>", "<｜tool▁calls▁begin｜>", "<｜DSML｜>",
    "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[CALL_ID]", "[ARGS]", "[THINK]", "[/THINK]", "[IMG]", "[SUFFIX]",
    "<start_of_image>", "<start_function_call>", "<end_function_response>", "<mask>", "<unused7>", "<reserved_106>",
    "<SPECIAL_12>", "<extra_id_1>", "<tool_response>", "</tool_response>", "<arg_key>", "</arg_value>", "<seed:bos>",
    "</seed:think>", "<eop>", "[sMASK]", "[EOS]", "[BOS]", "[EOT]", "[|system|]", "[|endofturn|]", "]~b]", "]~!b[",
    "[e~[", "<fim_suffix>", "<file_sep>", "<repo_name>", "<reponame>", "<commit_msg>",
    "<issue_start>", "<jupyter_code>", "<BOS_TOKEN>", "<EOS_TOKEN>", "<PAD>", "<PRE>", "<MID>", "<用户>", "<AI>",
    "<tool|>", "<|turn>", '<|"|>', "<channel|>", "<tool_response|>",
)  # fmt: skip

hostile_texts = st.lists(
    st.one_of(
        st.sampled_from(SPECIAL),
        st.sampled_from(SPECIAL).map(lambda token: f"{token[0]} {token[1:]}"),
        st.sampled_from(SPECIAL).map(lambda token: token[:-2]),
        st.sampled_from(SPECIAL).map(lambda token: token[1:]),
        st.sampled_from(["<|search query={'a'}|>", "< |/result|>", "<|read", "<|reads|>", "<|edit\t", " ", "  ", "\n"]),
        st.text(alphabet='<>[]|｜/ ~bes"', max_size=6),
        st.text(max_size=4),
    ),
    max_size=8,
).map("".join)
"""Texts with whole tokens, broken ones, parts of them, and our own tags."""


def special_in(text: str) -> list[str]:
    """Return the special tokens that stand in a text."""
    return [token for token in SPECIAL if token in text]
