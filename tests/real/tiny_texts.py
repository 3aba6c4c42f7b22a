"""What the tiny model learns from: its transcripts in a row, each with other words around what it keys on."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TRANSCRIPTS = HERE / "transcripts.json"
RESULTS = HERE / "results.json"
"""What the calls of each transcript get in the tests, by its name; ``test_loops`` checks that they still do."""
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
# As in Qwen: tokens of their own that are not special, so that they are shown to clients.
ADDED = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
UNSAID = -100
_END = "<|im_end|>"
_USER = "<|im_start|>user\n"
_ASSISTANT = "<|im_start|>assistant\n"
_ENDLESS = 12
_LONGEST_QUESTION = 900
_LONGEST_RESULT = 600

Steps = Sequence[tuple[str, str, str]]
"""The kind of each step, its text, and, if it is a result, what it is in the tests."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a conversation.

    Attributes:
        text: as the chat template writes it.
        said: whether the model is to say it.
    """

    text: str
    said: bool = False


@dataclass(frozen=True, slots=True)
class Lesson:
    """Conversations in a row.

    Attributes:
        ids: tokens.
        labels: the same where the model is to say them, ``UNSAID`` elsewhere.
    """

    ids: list[int]
    labels: list[int]


def transcripts() -> list[Steps]:
    """Return the steps of each transcript."""
    recorded: dict[str, list[str]] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return [
        list(_steps(one["steps"], recorded.get(one["name"], [])))
        for one in json.loads(TRANSCRIPTS.read_text(encoding="utf-8"))
    ]


def _steps(stated: Sequence[dict[str, str]], results: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    coming = iter(results)
    for step in stated:
        [(kind, text)] = step.items()
        yield kind, text, next(coming) if kind in ("tool", "result") else ""


class Filler:
    """Stretches of this project's own text, to stand for whatever may come before what the model keys on.

    Words of the transcripts are strewn into half of them, as they are in what a search finds: the model is to go by
    what it was asked and by what it called, and not by what lies about.
    """

    def __init__(self, chance: random.Random) -> None:
        files = [*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("src/quaestor/**/*.py"))]
        files += [*sorted(ROOT.glob("src/quaestor/llm/prompts/*.md")), ROOT / "README.md"]
        self.text = "\n".join(file.read_text(encoding="utf-8") for file in files)
        said = (text for steps in transcripts() for kind, text, _ in steps if kind == "model")
        self._said = [re.sub(r"</?tool_call>|<\||\|>|[{}]", " ", text).split() for text in said]
        self._chance = chance

    def __call__(self, longest: int) -> str:
        size = int(longest * self._chance.random() ** 3)
        start = self._chance.randrange(len(self.text) - longest)
        text = self.text[start : start + size]
        for _ in range(self._chance.choice([0, 0, 0, 1, 2, 4])):
            place = self._chance.randrange(len(text) + 1)
            text = f"{text[:place]}{self._strewn()}{text[place:]}"
        return text

    def _strewn(self) -> str:
        """Return words of a transcript, at times as a passage shows them."""
        words = self._chance.choice(self._said)
        start = self._chance.randrange(len(words))
        some = " ".join(words[start : start + self._chance.randint(1, 6)])
        if self._chance.random() < 0.5:
            return f"\n{some}\n"
        n, line = self._chance.randint(1, 9), self._chance.randint(1, 40)
        return f'\n<passage n="{n}" from="{some}:{line}-{line + n}">\n{" ".join(words)}\n</passage>\n'


class Lessons:
    """Makes lessons without end.

    Args:
        chance: decides what stands between and around the transcripts.
        tokenizer: the model's.
        length: of each lesson, in tokens.
    """

    def __init__(self, chance: random.Random, tokenizer: Tokenizer, length: int) -> None:
        self._transcripts = transcripts()
        self._chance = chance
        self._filler = Filler(chance)
        self._tokenizer = tokenizer
        self._length = length
        self._order = self._shuffled()

    def lesson(self, scale: float = 1.0) -> Lesson:
        """Return one more.

        Args:
            scale: of the words around what the model keys on; 1: as many as in use, 0: none.
        """
        # What a model sees in use has no beginning within its sight; half of the lessons have none either.
        ids = self._tokenizer.encode(self._filler(1 + int(_LONGEST_QUESTION * scale))).ids
        ids = ids if self._chance.random() < 0.5 else []
        labels = [UNSAID] * len(ids)
        while len(ids) < self._length:
            for run in self._conversation(next(self._order), scale):
                told = self._encoded(run)
                ids += told.ids
                labels += told.labels
        return Lesson(ids[: self._length], labels[: self._length])

    def _shuffled(self) -> Iterator[Steps]:
        while True:
            yield from self._chance.sample(self._transcripts, len(self._transcripts))

    def _conversation(self, steps: Steps, scale: float) -> list[list[Piece]]:
        """Return a conversation as runs; a server reads each run as one text, and the model goes on from its end."""
        inserted = self._chance.random() < 0.6
        apart = self._chance.random() < 0.5
        runs = [[Piece(self._opening(scale))]]
        for number, step in enumerate(steps):
            kind, text, recorded = step
            after = steps[number + 1][0] if number + 1 < len(steps) else ""
            longest = _LONGEST_QUESTION if kind == "user" else _LONGEST_RESULT
            # Half of the results are those of the tests, so that the model knows what it will see.
            shown = recorded if recorded and self._chance.random() < 0.5 else self._words(longest, scale)
            filled = text.replace("{filler}", shown)
            if kind == "user":
                runs[-1].append(Piece(f"{_USER}{filled}{_END}\n{_ASSISTANT}"))
            elif kind == "begun":
                runs[-1].append(Piece(text))
            elif kind == "result" and inserted:
                runs[-1].append(Piece(f"\n{filled}\n"))
            elif kind in ("tool", "result"):
                runs[-1].append(Piece(f"\n{_USER}{filled}{_END}\n{_ASSISTANT}"))
            elif kind == "endless":
                runs[-1] += [Piece((text * _ENDLESS).rstrip(), said=True), Piece(_END)]
            else:
                goes_on = after == "model" or (after == "result" and inserted)
                runs[-1].append(Piece(text if goes_on else text + _END, said=True))
                if after == "model" and apart:
                    runs.append([])
        runs[-1].append(Piece("\n"))
        return runs

    def _opening(self, scale: float) -> str:
        """Return, at times, a system message and words that are no question."""
        opening = ""
        if self._chance.random() < 0.5:
            opening += f"<|im_start|>system\n{self._words(_LONGEST_RESULT, scale)}{_END}\n"
        if self._chance.random() < 0.25:
            opening += f"{_USER}{self._words(_LONGEST_RESULT, scale)}{_END}\n"
        return opening

    def _words(self, longest: int, scale: float) -> str:
        return self._filler(1 + int(longest * scale)) + self._chance.choice(["", "\n", "\n\n"])

    def _encoded(self, run: Sequence[Piece]) -> Lesson:
        """Return the tokens of a run, which may reach over the ends of its pieces; such tokens are not to be said."""
        encoded = self._tokenizer.encode("".join(piece.text for piece in run))
        labels = [UNSAID] * len(encoded.ids)
        starts = {start: place for place, (start, _) in reversed(list(enumerate(encoded.offsets)))}
        begin = 0
        for piece in run:
            if piece.said and begin in starts:
                place = starts[begin]
                for token in self._tokenizer.encode(piece.text).ids:
                    if encoded.ids[place] != token:
                        break
                    labels[place] = token
                    place += 1
            begin += len(piece.text)
        return Lesson(encoded.ids, labels)


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
