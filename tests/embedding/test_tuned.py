"""Tuned embedders: a name that tells the rows, a file that is checked, nothing else changed."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from quaestor.core.errors import IndexUnusableError
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuned_embedder import TunedRows, load, save
from quaestor.embedding.tuning_names import base_of, file_of, forget, is_tuned

BUNDLED = StaticEmbedder.bundled()


def replaced(word: str, seed: int = 0) -> TunedRows:
    rows = np.unique(BUNDLED.pieces.rows(word)).astype(np.int32)
    chance = np.random.default_rng(seed)
    table = chance.integers(-127, 128, (len(rows), BUNDLED.dimensions)).astype(np.int8)
    return TunedRows(rows, table, np.full(len(rows), 0.01, np.float32))


def test_only_what_has_the_words_changes() -> None:
    tuned = replaced("mutex").embedder()
    before, after = (one.encode(["lock a mutex", "bake a cake"]) for one in (BUNDLED, tuned))
    assert not np.allclose(before[0], after[0])
    assert np.array_equal(before[1], after[1])
    assert np.array_equal(BUNDLED.encode(["mutex"]), StaticEmbedder.bundled().encode(["mutex"]))


def test_the_name_tells_what_was_tuned_and_to_what() -> None:
    one, same, other = (replaced("mutex", seed).embedder().name for seed in (0, 0, 1))
    assert one == same != other
    assert is_tuned(one) and base_of(one) == BUNDLED.name
    assert not is_tuned(BUNDLED.name) and base_of(BUNDLED.name) == BUNDLED.name


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    saved = save(replaced("mutex"), tmp_path)
    loaded = load(tmp_path, saved.name)
    crossed = pickle.loads(pickle.dumps(loaded))
    for one in (loaded, crossed):
        assert one.name == saved.name
        assert np.array_equal(one.encode(["mutex"]), saved.encode(["mutex"]))
    assert len(pickle.dumps(loaded)) < 1000, "weights are not sent to other processes"


@pytest.mark.parametrize("harm", ["missing", "cut", "other rows", "empty", "no archive"])
def test_a_damaged_file_is_refused_with_the_way_back(tmp_path: Path, harm: str) -> None:
    name = save(replaced("mutex"), tmp_path).name
    file = tmp_path / file_of(name)
    content = {"cut": file.read_bytes()[:200], "empty": b"", "no archive": b"x" * 500}
    if harm == "missing":
        file.unlink()
    elif harm == "other rows":
        other = tmp_path / file_of(save(replaced("mutex", 1), tmp_path).name)
        other.replace(file)
    else:
        file.write_bytes(content[harm])
    with pytest.raises(IndexUnusableError, match="tune --undo"):
        load(tmp_path, name)


def test_one_tuned_from_other_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError, match="bundled now"):
        load(tmp_path, "quaestor-static-256-000000000000+tuned-0123456789ab")


def test_the_files_of_others_are_forgotten(tmp_path: Path) -> None:
    first, second = (save(replaced("mutex", seed), tmp_path).name for seed in (0, 1))
    (tmp_path / "index.sqlite3").touch()
    forget(tmp_path, but=second)
    assert {path.name for path in tmp_path.iterdir()} == {file_of(second), "index.sqlite3"}
    forget(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.sqlite3"]
    assert first != second
