"""What an ONNX file says of other files, read without running anything.

Only the few fields that lead to tensors are followed (``onnx.proto``); all else is skipped by its length, so that
gigabytes of weights are passed over. Whoever sends a model chooses what is in it: nothing is believed.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path

_TENSOR, _ENTRY, _LOCATION = "tensor", "entry", "location"

# Message -> field number -> message that it holds. ModelProto.graph is 7, GraphProto.initializer is 5, and so on.
_FOLLOWED: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: _TENSOR, 15: "sparse"},
    "function": {7: "node"},
    "node": {5: "attribute"},
    "attribute": {5: _TENSOR, 6: "graph", 10: _TENSOR, 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: _TENSOR, 2: _TENSOR},
    _TENSOR: {13: _ENTRY},
}
_DEEPEST = 100
_LONGEST_ENTRY = 8192


class NoModelError(ValueError):
    """The bytes are not an ONNX model."""


def external_files(model: Path) -> list[str]:
    """Return the places, as the model names them, of the files that hold weights of its own; each once.

    Raises:
        NoModelError: it is not an ONNX model.
        OSError: it cannot be read.
    """
    with model.open("rb") as file:
        if not file.seek(0, 2):
            raise NoModelError("it is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return list(dict.fromkeys(_places(data, "model", 0, len(data), 0)))


def _places(data: mmap.mmap, message: str, start: int, end: int, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise NoModelError("graphs lie within graphs without end")
    followed = _FOLLOWED[message]
    for number, begin, stop in _fields(data, start, end):
        kind = followed.get(number)
        if kind == _ENTRY:
            if stop - begin > _LONGEST_ENTRY:
                raise NoModelError("the name of a file of weights is too long")
            entry = {key: data[a:b] for key, a, b in _fields(data, begin, stop)}
            if entry.get(1) == _LOCATION.encode():
                yield entry.get(2, b"").decode("utf-8", "replace")
        elif kind is not None:
            yield from _places(data, kind, begin, stop, depth + 1)


def _fields(data: mmap.mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the number, the begin and the end of each field that has a length; the others are skipped."""
    at = start
    while at < end:
        key, at = _varint(data, at, end)
        kind = key & 7
        if kind == 0:
            _, at = _varint(data, at, end)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 2:
            length, at = _varint(data, at, end)
            if length > end - at:
                raise NoModelError("it is cut short")
            yield key >> 3, at, at + length
            at += length
        else:
            raise NoModelError("it is not a protocol buffer")
    if at != end:
        raise NoModelError("it is cut short")


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            raise NoModelError("it is cut short")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise NoModelError("it is not a protocol buffer")
