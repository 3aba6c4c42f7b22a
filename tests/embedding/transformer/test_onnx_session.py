"""A real onnxruntime on a small model: vectors, pooling, batches, what it refuses."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from quaestor.core.errors import UsageError
from quaestor.embedding.transformer.embedder import Session, pool
from quaestor.embedding.transformer.model_folder import read_folder
from tiny_transformer import DIMENSIONS, WORDS, save_graph, write_json, write_transformer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_transformer(tmp_path_factory.mktemp("tiny"), alike={"zeppelin": "bread"})


@pytest.fixture(scope="module")
def session(folder: Path) -> Session:
    return Session(read_folder(folder), threads=1)


TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join), min_size=1, max_size=70)


@settings(deadline=None, max_examples=25)
@given(TEXTS)
def test_a_text_has_the_same_unit_vector_in_any_batch(session: Session, texts: list[str]) -> None:
    vectors, done, cut = session.encode(texts, "")
    assert done.all() and cut == 0 and vectors.shape == (len(texts), DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = np.concatenate([session.encode([text], "")[0] for text in texts[:3]])
    assert np.allclose(vectors[:3], alone, atol=1e-5)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
@settings(deadline=None, max_examples=25)
def test_any_text_is_legal(session: Session, texts: list[str]) -> None:
    vectors, done, _ = session.encode([*texts, "\ud800"], "")
    assert done.all() and np.isfinite(vectors).all()


def test_what_means_the_same_is_near(session: Session) -> None:
    zeppelin, bread, fish = session.encode(["zeppelin", "bread", "fish"], "")[0]
    assert zeppelin @ bread > 0.999 > zeppelin @ fish


def test_long_texts_are_cut_and_counted_and_a_prompt_counts(session: Session) -> None:
    vectors, _, cut = session.encode(["heron " * 500, "heron"], "")
    assert cut == 1 and np.isfinite(vectors).all()
    assert not np.allclose(*(session.encode(["fish"], prompt)[0] for prompt in ("", "query : ")))


def test_the_first_batch_is_done_whatever_the_time(session: Session) -> None:
    vectors, done, _ = session.encode(["fish"] * 100, "", lambda: True)
    assert done.sum() == 32 and vectors[done].any(axis=1).all() and not vectors[~done].any()


def test_poolings() -> None:
    states = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    mask = np.array([[1, 1, 0], [1, 1, 1]])
    assert pool(states, mask, "cls").tolist() == states[:, 0].tolist()
    assert pool(states, mask, "lasttoken").tolist() == [states[0, 1].tolist(), states[1, 2].tolist()]
    assert pool(states, mask, "mean").tolist() == [states[0, :2].mean(0).tolist(), states[1].mean(0).tolist()]
    assert pool(states, mask, "max").tolist() == [states[0, 1].tolist(), states[1, 2].tolist()]


def _saved(folder: Path, nodes: list[onnx.NodeProto], inputs: list[str], output: tuple[str, int]) -> None:
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "t"]) for name in inputs]
    made = helper.make_tensor_value_info(output[0], TensorProto.FLOAT, ["b", "t", "d", "e"][: output[1]])
    save_graph(helper.make_graph(nodes, "odd", given, [made]), folder / "model.onnx")


def test_a_graph_that_includes_its_pooling_is_taken_at_its_word(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path)
    write_json(folder / "modules.json", [{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])
    with pytest.raises(UsageError, match=r"'2_Dense' follows the model"):
        Session(read_folder(folder))
    cast = helper.make_node("Cast", ["input_ids"], ["sentence_embedding"], to=TensorProto.FLOAT)
    _saved(folder, [cast], ["input_ids"], ("sentence_embedding", 2))
    [vector] = Session(read_folder(folder)).encode(["bread"], "")[0]
    ids = np.array([2, 4 + WORDS.index("bread"), 3])
    assert np.allclose(vector, ids / np.linalg.norm(ids))


def test_operators_of_others_and_inputs_that_no_text_gives_are_refused(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path)
    foreign = helper.make_node("Gift", ["input_ids"], ["last_hidden_state"], domain="example.com")
    _saved(folder, [foreign], ["input_ids"], ("last_hidden_state", 3))
    with pytest.raises(UsageError, match=r"cannot be run"):
        Session(read_folder(folder))
    cast = helper.make_node("Cast", ["pixels"], ["last_hidden_state"], to=TensorProto.FLOAT)
    _saved(folder, [cast], ["input_ids", "pixels"], ("last_hidden_state", 2))
    with pytest.raises(UsageError, match=r"needs 'pixels'.*feature-extraction"):
        Session(read_folder(folder))
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(UsageError, match=r"tokenizer.json' is not a tokenizer"):
        Session(read_folder(folder))


def test_vectors_that_are_none_are_refused(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path)
    cast = helper.make_node("Cast", ["input_ids"], ["x"], to=TensorProto.FLOAT)
    log = helper.make_node("Log", ["x2"], ["sentence_embedding"])
    negative = helper.make_node("Neg", ["x"], ["x2"])
    _saved(folder, [cast, negative, log], ["input_ids"], ("sentence_embedding", 2))
    with pytest.raises(UsageError, match=r"gave no vectors"):
        Session(read_folder(folder)).encode(["bread"], "")


def test_weights_beside_the_graph_are_read(tmp_path: Path, session: Session) -> None:
    beside = write_transformer(tmp_path, alike={"zeppelin": "bread"}, external="weights.bin")
    ours = Session(replace(read_folder(beside)), threads=1)
    assert np.allclose(ours.encode(["the heron"], "")[0], session.encode(["the heron"], "")[0], atol=1e-6)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_extra_says_how_to_get_it(folder: Path, package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from quaestor.embedding.transformer.model_folder import read_folder\n"
        "from quaestor.embedding.transformer.embedder import Session\n"
        f"Session(read_folder({str(folder)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"needs the package {package!r}. Install it with: pip install 'quaestor[transformer]'" in done.stderr
