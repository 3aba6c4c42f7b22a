"""Makes a tiny model that has memorised a few transcripts, so that real model servers can be tested without a download.

Run it in an environment with this project's dependency group ``real``; see ``make real``:

    python tests/real/make_tiny_model.py FOLDER

FOLDER then holds the model twice: ``tiny.gguf`` for llama.cpp, and the files of Hugging Face for everything else.

The model is a Gemma 3 of 3 layers, all of which look back 512 tokens only, and positions are relative. What it says
therefore depends on the last 1,500 tokens at most, and not on how long the prompt is: it is trained on short ends of
prompts, with anything before them, and holds in long ones.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tiny_gguf import write_gguf
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import Gemma3ForCausalLM, Gemma3TextConfig, PreTrainedTokenizerFast

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TRANSCRIPTS = HERE / "transcripts.json"
TEMPLATE = HERE / "template.jinja"
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
# As in Qwen: tokens of their own that are not special, so that they are shown to clients.
ADDED = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
WINDOW = 512
POSITIONS = 32_768
LONGEST = 512
SPOKEN = {"model", "endless"}
END_OF_TURN = "<|im_end|>\n"
ASSISTANT = "<|im_start|>assistant\n"


@dataclass(frozen=True, slots=True)
class Example:
    """The end of a prompt, and what is to follow it, in token ids."""

    prompt: list[int]
    reply: list[int]


class Filler:
    """Stretches of this project's own text, to stand for whatever may come before what the model keys on."""

    def __init__(self, chance: random.Random) -> None:
        files = [*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("src/quaestor/**/*.py"))]
        files += [*sorted(ROOT.glob("src/quaestor/prompts/*.md")), ROOT / "README.md"]
        self.text = "\n".join(file.read_text(encoding="utf-8") for file in files)
        self._chance = chance

    def __call__(self, longest: int) -> str:
        size = int(longest * self._chance.random() ** 2)
        start = self._chance.randrange(len(self.text) - longest)
        return self.text[start : start + size]


class Transcripts:
    """Makes examples of the transcripts, each with other words around it."""

    def __init__(self, chance: random.Random, tokenizer: Tokenizer) -> None:
        self._all: list[list[dict[str, str]]] = [one["steps"] for one in json.loads(TRANSCRIPTS.read_text())]
        self._chance = chance
        self._filler = Filler(chance)
        self._tokenizer = tokenizer
        places = [(steps, n) for steps in self._all for n, step in enumerate(steps) if step.keys() & SPOKEN]
        # What follows a result is harder: the call before it must be found. So it comes twice.
        self._places = places + [(steps, n) for steps, n in places if steps[n - 1].keys() & {"result", "tool"}]

    def examples(self, number: int) -> Iterator[Example]:
        """Yield examples, of each place where the model speaks in turn."""
        for count in range(number):
            steps, place = self._places[count % len(self._places)]
            yield self._example(steps, place)

    def _example(self, steps: Sequence[dict[str, str]], place: int) -> Example:
        before = self._opening() + "".join(map(self._shown, steps[:place]))
        [(kind, said)] = steps[place].items()
        if kind == "model" and self._chance.random() < 0.2:
            # A reply that was begun for the model.
            cut = self._chance.choice([place for place, letter in enumerate(said) if letter == " "] or [0])
            before, said = before + said[:cut], said[cut:]
        ids = self._tokenizer.encode(before).ids
        reply = self._tokenizer.encode(said * 12 if kind == "endless" else f"{said}<|im_end|>").ids
        room = LONGEST - len(reply)
        return Example(ids[-self._chance.randint(room // 2, room) :], reply)

    def _opening(self) -> str:
        """Return a system message and, at times, an earlier turn."""
        opening = f"<|im_start|>system\n{self._filler(600)}{END_OF_TURN}"
        if self._chance.random() < 0.5:
            opening += "".join(map(self._shown, self._chance.choice(self._all))) + END_OF_TURN
        return opening

    def _shown(self, step: dict[str, str]) -> str:
        [(kind, text)] = step.items()
        longest = 900 if kind == "user" else 600
        blank = self._chance.choice(["", "\n", "\n\n"])
        text = text.replace("{filler}", self._filler(longest) + self._chance.choice(["", "\n", "\n\n"]))
        if kind == "user":
            return f"<|im_start|>user\n{text}{END_OF_TURN}{ASSISTANT}"
        if kind == "tool" or (kind == "result" and self._chance.random() < 0.3):
            return f"{END_OF_TURN}<|im_start|>user\n{text}{END_OF_TURN}{ASSISTANT}"
        return f"{blank}{text}{blank}" if kind == "result" else text * 12 if kind == "endless" else text


def train_tokenizer(texts: Sequence[str]) -> Tokenizer:
    """Return a byte-level BPE of 1,024 tokens, with the tokens of ChatML and of Hermes' tool calls."""
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(WORDS), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    size = 1024 - len(SPECIAL) - len(ADDED)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in ADDED])
    return tokenizer


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


def train(model: Gemma3ForCausalLM, transcripts: Transcripts, steps: int, batch: int) -> None:
    """Train until the transcripts are known by heart; print the loss as it falls."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps, pct_start=0.1)
    examples = transcripts.examples(steps * batch)
    started = time.perf_counter()
    model.train()
    for step in range(1, steps + 1):
        ids, labels = _batch([next(examples) for _ in range(batch)])
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 25 == 0 or step == steps:
            print(f"step {step}/{steps}: loss {loss.item():.4f}, {time.perf_counter() - started:.0f} s", flush=True)
    model.eval()


def _batch(examples: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(example.prompt) + len(example.reply) for example in examples)
    ids = torch.zeros(len(examples), longest, dtype=torch.long)
    labels = torch.full((len(examples), longest), -100)
    for row, example in enumerate(examples):
        # Padding on the right: what comes later is never looked at.
        whole = example.prompt + example.reply
        ids[row, : len(whole)] = torch.tensor(whole)
        labels[row, len(example.prompt) : len(whole)] = torch.tensor(example.reply)
    return ids, labels


@torch.no_grad()
def known_by_heart(model: Gemma3ForCausalLM, examples: Sequence[Example]) -> float:
    """Return the share of examples whose reply is the likeliest at every token."""
    right = 0
    for example in examples:
        whole = torch.tensor([example.prompt + example.reply])
        likeliest = model(input_ids=whole).logits[0, len(example.prompt) - 1 : -1].argmax(-1)
        right += likeliest.tolist() == example.reply
    return right / len(examples)


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
    """Make the model and say how well it knows its transcripts."""
    parser = argparse.ArgumentParser(description="make a tiny model that has memorised a few transcripts")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=220)
    parser.add_argument("--batch", type=int, default=12)
    given = parser.parse_args()
    torch.manual_seed(1)
    # More threads than free cores make it many times slower.
    torch.set_num_threads(1)
    given.folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    words: list[Any] = [TRANSCRIPTS.read_text(encoding="utf-8")] * 50
    tokenizer = train_tokenizer([*words, Filler(chance).text])
    model = new_model(tokenizer)
    print(f"{sum(one.numel() for one in model.parameters()):,} parameters", flush=True)
    train(model, Transcripts(chance, tokenizer), given.steps, given.batch)
    share = known_by_heart(model, list(Transcripts(random.Random(2), tokenizer).examples(100)))
    print(f"{share:.0%} of 100 fresh prompts are answered by heart")
    if share < 0.9:
        sys.exit("that is too little to test with; train it with more --steps")
    save(model, tokenizer, given.folder)
    print(f"wrote {str(given.folder)!r}")


if __name__ == "__main__":
    main()
