"""Makes a tiny model that has memorised a few transcripts, so that real model servers can be tested without a download.

Run it in an environment with this project's dependency group ``real``; see ``make real``:

    python tests/real/make_tiny_model.py FOLDER

FOLDER then holds the model twice: ``tiny.gguf`` for llama.cpp, and the files of Hugging Face for everything else.

The model is a Gemma 3 of 3 layers, all of which look back 512 tokens only, and positions are relative. What it says
therefore depends on the last 1,500 tokens at most, and not on how long the prompt is: it is trained on short stretches
(``tiny_texts``), and holds in long ones. At the end it must get every word of its transcripts right in stretches that
it was not trained on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tiny_gguf import write_gguf
from tiny_texts import TRANSCRIPTS, UNSAID, Filler, Lesson, Lessons, train_tokenizer
from tokenizers import Tokenizer
from transformers import Gemma3ForCausalLM, Gemma3TextConfig, PreTrainedTokenizerFast

TEMPLATE = Path(__file__).parent / "template.jinja"
WINDOW = 512
POSITIONS = 32_768
LENGTH = 512
RATE = 4e-3
# Steps until the words around the questions are as many as in use.
GROWING = 100
SHOWN_EVERY = 50
UNSEEN = 80
# Words that are strewn about can by chance make a place in which nobody could tell.
FEW = 5


def new_model(tokenizer: Tokenizer) -> Gemma3ForCausalLM:
    """Return an untrained model of about 500,000 parameters."""
    layers = 3
    config = Gemma3TextConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        query_pre_attn_scalar=32,
        max_position_embeddings=POSITIONS,
        sliding_window=WINDOW,
        layer_types=["sliding_attention"] * layers,
        pad_token_id=tokenizer.token_to_id("<|endoftext|>"),
        bos_token_id=None,
        eos_token_id=tokenizer.token_to_id("<|im_end|>"),
    )
    return Gemma3ForCausalLM(config)


def train(model: Gemma3ForCausalLM, lessons: Lessons, steps: int, batch: int) -> None:
    """Train the model; all steps are needed, because only small last ones settle what it learned.

    Args:
        model: is changed.
        lessons: to learn from.
        steps: how many.
        batch: lessons for each step.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.99), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.1)
    started = time.perf_counter()
    for step in range(1, steps + 1):
        # Few words around the questions at first: where to look is then soon found.
        ids, labels = _stacked([lessons.lesson(min(1.0, step / GROWING)) for _ in range(batch)])
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % SHOWN_EVERY == 0 or step == steps:
            seconds = time.perf_counter() - started
            print(f"step {step}/{steps}: loss {loss.item():.4f}, {seconds:.0f} s", flush=True)


@torch.no_grad()
def wrong_tokens(model: Gemma3ForCausalLM, lessons: Sequence[Lesson]) -> int:
    """Return how many tokens of all replies are not the likeliest after what stands before them."""
    wrong = 0
    for lesson in lessons:
        ids, labels = _stacked([lesson])
        likeliest = model(input_ids=ids).logits[:, :-1].argmax(-1)
        wrong += int(((likeliest != labels[:, 1:]) & (labels[:, 1:] != UNSAID)).sum())
    return wrong


def _stacked(lessons: Sequence[Lesson]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor([one.ids for one in lessons]), torch.tensor([one.labels for one in lessons])


def save(model: Gemma3ForCausalLM, tokenizer: Tokenizer, folder: Path) -> None:
    """Write the model in both forms."""
    template = TEMPLATE.read_text(encoding="utf-8")
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        model_max_length=POSITIONS,
        chat_template=template,
        clean_up_tokenization_spaces=False,
    )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    write_gguf(folder / "tiny.gguf", model, json.loads(tokenizer.to_str()), template)


def main() -> None:
    """Make the model, or say that it did not learn its transcripts."""
    parser = argparse.ArgumentParser(description="make a tiny model that has memorised a few transcripts")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    # More threads than free cores make it many times slower.
    torch.set_num_threads(1)
    given.folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(given.seed)
    words: list[Any] = [TRANSCRIPTS.read_text(encoding="utf-8")] * 50
    tokenizer = train_tokenizer([*words, Filler(chance).text])
    model = new_model(tokenizer)
    print(f"{sum(one.numel() for one in model.parameters()):,} parameters", flush=True)
    train(model, Lessons(chance, tokenizer, LENGTH), given.steps, given.batch)
    unseen = Lessons(random.Random(f"unseen {given.seed}"), tokenizer, LENGTH)
    wrong = wrong_tokens(model, [unseen.lesson() for _ in range(UNSEEN)])
    save(model, tokenizer, given.folder)
    print(f"wrote {str(given.folder)!r}: of {UNSEEN} lessons that it had not seen, {wrong} tokens are wrong")
    if wrong > FEW:
        sys.exit(f"it still gets {wrong} tokens of its transcripts wrong; train it with more --steps or another --seed")


if __name__ == "__main__":
    main()
