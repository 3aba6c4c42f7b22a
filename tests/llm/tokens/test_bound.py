"""Bounds are never below the encodings that we can count."""

from __future__ import annotations

import base64
import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quaestor
from quaestor.llm.tokens import ByteBound, CalibratedBound, ExactTokenizer, tokenizer_for
from quaestor.llm.tokens.bound import ANY, HEIRS, Calibration

RANDOM = random.Random(5)
TEXTS = {
    "code": Path(quaestor.__file__).parent.joinpath("core", "errors.py").read_text(encoding="utf-8"),
    "prose": (quaestor.__doc__ or "") * 20,
    "json": json.dumps([{"id": number, "x": RANDOM.random()} for number in range(100)], indent=2),
    "chinese": "人人生而自由,在尊严和权利上一律平等。" * 40,
    "japanese": "すべての人間は、生れながらにして自由であり、" * 40,
    "korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. " * 40,
    "russian": "Все люди рождаются свободными и равными в своем достоинстве. " * 40,
    "emoji": "😀🎉👨‍👩‍👧‍👦🇲🇽🏳️‍🌈❤️🔥" * 40,
    "base64": base64.b64encode(RANDOM.randbytes(6000)).decode(),
    "digits": "".join(RANDOM.choices("0123456789", k=3000)),
    "spaces": " " * 5000,
    "newlines": "\n" * 5000,
    "tabs": "\t" * 5000,
    "mixed blanks": "".join(RANDOM.choices(" \t\n\r\x0b\x0c", k=5000)),
    "signs": "=" * 4000 + "-" * 4000,
    "rare": "".join(chr(RANDOM.randint(0x3400, 0x9FFF)) for _ in range(1000)),
    "controls": "".join(map(chr, range(32))) * 20,
}
BOUNDS = (ByteBound(), CalibratedBound(), CalibratedBound(HEIRS))
EXACT = (ExactTokenizer("cl100k_base"), ExactTokenizer("o200k_base"))


@pytest.mark.parametrize("kind", TEXTS)
def test_never_too_few(kind: str) -> None:
    text = TEXTS[kind]
    for bound in BOUNDS:
        assert not bound.exact
        assert bound.count(text) >= max(
            exact.count(text) for exact in EXACT[:1] + EXACT[1:] * (bound.name != HEIRS.name)
        )


@given(st.text(max_size=200) | st.sampled_from(list(TEXTS.values())).map(lambda text: text[: RANDOM.randint(1, 300)]))
def test_never_too_few_on_any_text(text: str) -> None:
    for bound in BOUNDS:
        assert bound.count(text) >= EXACT[0].count(text)
    assert CalibratedBound().count(text) <= ByteBound().count(text) + 2


@pytest.mark.parametrize(("kind", "most"), [("code", 1.7), ("prose", 1.6), ("base64", 1.5)])
def test_useful(kind: str, most: float) -> None:
    assert CalibratedBound().count(TEXTS[kind]) < most * EXACT[0].count(TEXTS[kind])
    assert CalibratedBound(HEIRS).count(TEXTS[kind]) < 1.35 * EXACT[0].count(TEXTS[kind])


def test_names() -> None:
    assert tokenizer_for("tiny").name == "bound"
    assert tokenizer_for("meta-llama/Llama-3.1-8B-Instruct").name == HEIRS.name
    assert tokenizer_for("qwen2.5-coder:7b").name == HEIRS.name
    assert tokenizer_for("router/meta-llama/Llama-3.1-8B").name == HEIRS.name
    assert tokenizer_for("llama2").name == "bound"


@given(st.integers(0, 400))
def test_a_tokenizer_that_takes_digits_one_by_one_is_never_undercounted(length: int) -> None:
    """As Llama 2's and Gemma's do."""
    assert CalibratedBound().count("7" * length) >= length


PROSE = "the quick brown fox jumps over the lazy dog " * 4
WIDE = "естественно говорили "


@pytest.mark.parametrize(
    ("piece", "any_model", "heirs"),
    [
        ("", 0, 0),
        ("12345678", 8 - 3, 8 - 3),
        ("\n\n\n\nend", 3, 0),
        (" " * 48 + "end", 49 / 16, 0),
        ("=" * 12, 12 / 4, 12 / 4),
        ("=" * 7, 0, 0),
        ("a_b_c", 2 * 0.4, 0),
        ("\x01\x02", 2, 2),
    ],
)
def test_what_others_spend_more_on_is_added(piece: str, any_model: float, heirs: float) -> None:
    """Between ordinary words, so that the number of bytes does not bound the count."""
    text = f"{PROSE}{piece}"
    for calibration, surplus in ((ANY, any_model), (HEIRS, heirs)):
        counted = calibration.plain * EXACT[0].count(text) + surplus
        assert CalibratedBound(calibration).count(text) == math.ceil(counted) + 2


@pytest.mark.parametrize(("word", "surplus"), [("", 0), ("год2024", 4 - 2), ("ы" * 9, 9), ("а_б", 2)])
def test_words_beyond_ascii_are_counted_apart(word: str, surplus: float) -> None:
    calibration = Calibration("test", plain=1.0, wide=1.5, underscore=2.0, blanks=False)
    wide = " ".join(f"{WIDE * 2}{word}".split())
    counted = EXACT[0].count(PROSE) + 1.5 * EXACT[0].count(wide) + surplus
    spaces = " " * len(wide.split())
    text = PROSE + wide
    left = EXACT[0].count(PROSE + spaces[:-1]) - EXACT[0].count(PROSE)
    assert CalibratedBound(calibration).count(text) == math.ceil(counted + left) + 2


def test_nothing_costs_nothing() -> None:
    assert ByteBound().count("") == CalibratedBound().count("") == 0
