"""The transformer as an embedder: its name, when it is loaded, how it fails."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from quaestor.core.errors import LimitError, UpstreamError, UsageError
from quaestor.embedding.remote import Allowance
from quaestor.embedding.transformer.embedder import OnnxEmbedder
from tiny_transformer import DIMENSIONS, write_json, write_transformer


def test_its_name_is_that_of_what_decides_its_vectors(tmp_path: Path) -> None:
    register = tmp_path / "register"
    folder = write_transformer(tmp_path / "one")
    name = OnnxEmbedder.of_folder(str(folder), register).name
    moved = folder.rename(tmp_path / "two")
    assert OnnxEmbedder.of_folder(str(moved), register).name == name
    assert OnnxEmbedder.of_folder(str(moved), tmp_path / "other").name == name, "nothing remembered"
    write_json(moved / "config_sentence_transformers.json", {"prompts": {"query": "query : "}})
    prompted = OnnxEmbedder.of_folder(str(moved), register).name
    other = write_transformer(tmp_path / "three", seed=1)
    assert len({name, prompted, OnnxEmbedder.of_folder(str(other), register).name}) == 3


def test_it_is_found_again_by_its_name_where_it_was_seen_last(tmp_path: Path) -> None:
    register = tmp_path / "register"
    folder = write_transformer(tmp_path / "one")
    first = OnnxEmbedder.of_folder(str(folder), register)
    again = OnnxEmbedder.by_name(first.name, first.dimensions, register)
    assert again.dimensions == DIMENSIONS and np.array_equal(again.encode(["fish"]), first.encode(["fish"]))
    moved = folder.rename(tmp_path / "two")
    gone = OnnxEmbedder.by_name(first.name, DIMENSIONS, register)
    with pytest.raises(UpstreamError, match="There is no folder"):
        gone.encode(["fish"])
    OnnxEmbedder.of_folder(str(moved), register)
    assert OnnxEmbedder.by_name(first.name, DIMENSIONS, register).encode(["fish"]).any()


def test_another_model_in_its_place_is_noticed(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path / "one")
    first = OnnxEmbedder.of_folder(str(folder), tmp_path / "register")
    write_transformer(folder, seed=1)
    with pytest.raises(UpstreamError, match=r"another transformer now .* `quaestor index --rebuild --embedder onnx:"):
        first.encode(["fish"])
    assert isinstance(first.encode_within(["fish"], Allowance()).failure, UsageError)
    with pytest.raises(UpstreamError, match="never seen here"):
        OnnxEmbedder.by_name("onnx-0", 3, tmp_path / "register").encode(["fish"])


def test_queries_and_documents_have_their_own_prompts(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path / "one")
    plain = OnnxEmbedder.of_folder(str(folder), tmp_path / "register")
    before = plain.encode(["query fish", "document fish"])
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "query ", "document": "document "}})
    prompted = OnnxEmbedder.of_folder(str(folder), tmp_path / "register")
    assert np.allclose(prompted.encode(["fish"]), before[:1], atol=1e-6)
    assert np.allclose(prompted.encode_within(["fish"], Allowance()).vectors, before[1:], atol=1e-6)


def test_what_there_is_no_time_for_is_left_undone(tmp_path: Path) -> None:
    embedder = OnnxEmbedder.of_folder(str(write_transformer(tmp_path / "one")), tmp_path / "register")
    late = Allowance()
    late.until = time.monotonic()
    made = embedder.encode_within(["fish"] * 200, late)
    assert 0 < made.done.sum() < 200 and isinstance(made.failure, LimitError)
    whole = embedder.encode_within(["fish"] * 200, Allowance(None))
    assert whole.done.all() and whole.failure is None
    assert embedder.encode([]).shape == (0, DIMENSIONS)


def test_texts_are_done_in_their_order(tmp_path: Path) -> None:
    embedder = OnnxEmbedder.of_folder(str(write_transformer(tmp_path / "one")), tmp_path / "register")
    late = Allowance()
    late.until = time.monotonic()
    made = embedder.encode_within([*["fish"] * 64, *["the heron waits for fish"] * 64], late)
    assert made.done[:64].any() and not made.done[64:].any()
