"""Arrays in files, as NumPy writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quaestor.embedding.static import map_array


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (12345, 2), (2, 3, 4)])
def test_what_numpy_saves_is_mapped(kind: type[np.generic], shape: tuple[int, ...], tmp_path: Path) -> None:
    saved = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    np.save(tmp_path / "a.npy", saved)
    mapped = map_array(tmp_path / "a.npy")
    assert mapped.dtype == saved.dtype
    assert type(mapped) is np.ndarray
    assert not mapped.flags.writeable
    np.testing.assert_array_equal(mapped, saved)


@pytest.mark.parametrize("array", [np.array(["text"]), np.asfortranarray(np.ones((2, 3))), np.array([1j]), np.array(3)])
def test_anything_else_is_refused(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError):
        map_array(tmp_path / "a.npy")


@pytest.mark.parametrize("kept", [0, 40, 128, 150])
def test_what_is_cut_short_is_refused(kept: int, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(100))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:kept])
    with pytest.raises(ValueError):
        map_array(tmp_path / "a.npy")
