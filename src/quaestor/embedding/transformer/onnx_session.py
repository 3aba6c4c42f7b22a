"""Running a transformer: texts in, one unit vector each out.

Texts of like length go together, so that little of a batch is padding. Only the runtime's own operators are known: a
graph that asks for a library of others is refused by it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quaestor.core.errors import UsageError
from quaestor.embedding import Vectors
from quaestor.embedding.transformer import EXTRA
from quaestor.embedding.transformer.model_folder import Pooling, Transformer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_THREADS = 8
_BATCH_TOKENS = 2048
_BATCH_TEXTS = 32
_SENTENCE = "sentence_embedding"
"""The output of a graph that includes its pooling, as optimum names it."""
_SILENT = 4


class Output(NamedTuple):
    """The output of a graph that is used.

    Attributes:
        name: of the output.
        pooled: whether it has one vector for each text, not one for each token.
    """

    name: str
    pooled: bool


class Session:
    """A transformer that is loaded; threads may share it.

    Args:
        transformer: what to load.
        threads: for one batch; None: one for each core that may be used, eight at most.

    Raises:
        UsageError: the extra is missing, or a file of the folder cannot be used; says which and what to do.
    """

    def __init__(self, transformer: Transformer, threads: int | None = None) -> None:
        self._transformer = transformer
        self._tokenizer = _tokenizer(transformer)
        self._session = _session(transformer, threads or _threads())
        self._inputs = _inputs(transformer, [one.name for one in self._session.get_inputs()])
        self._output = _output(transformer, self._session.get_outputs())

    def encode(
        self, texts: Sequence[str], prompt: str, until: Callable[[], bool] = lambda: False
    ) -> tuple[Vectors, NDArray[np.bool_], int]:
        """Return a unit row for each text, whether each is done, and how many were truncated.

        Args:
            texts: what to embed.
            prompt: prefix of each.
            until: called before each batch but the first; True stops.

        Raises:
            UsageError: the model fails, or its output is not a vector.
        """
        # The Rust side cannot take lone surrogates.
        clean = [(prompt + text).encode("utf-8", "replace").decode("utf-8") for text in texts]
        tokens = self._tokenizer.encode_batch(clean)
        rows: dict[int, Vectors] = {}
        for batch in _batches([len(one.ids) for one in tokens]):
            if rows and until():
                break
            rows.update(zip(batch, self._run([tokens[place] for place in batch]), strict=True))
        done = np.zeros(len(texts), np.bool_)
        done[list(rows)] = True
        cut = sum(bool(tokens[place].overflowing) for place in rows)
        length = len(next(iter(rows.values()))) if rows else 0
        vectors = np.zeros((len(texts), length), np.float32)
        for place, row in rows.items():
            vectors[place] = row
        return vectors, done, cut

    def _run(self, tokens: Sequence[Any]) -> Vectors:
        """Return the unit vectors of one batch."""
        width = max(1, *(len(one.ids) for one in tokens))
        ids = np.full((len(tokens), width), self._transformer.pad, np.int64)
        mask = np.zeros((len(tokens), width), np.int64)
        for row, one in enumerate(tokens):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
        given = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(width), ids.shape),
        }
        try:
            [states] = self._session.run([self._output.name], {name: given[name] for name in self._inputs})
        except Exception as error:
            raise _broken_error(self._transformer, error) from None
        wanted = (len(tokens),) if self._output.pooled else (len(tokens), width)
        if not isinstance(states, np.ndarray) or states.shape[:-1] != wanted or not np.isfinite(states).all():
            raise UsageError(
                f"{str(self._transformer.model)!r} gave no vectors of numbers for {len(tokens)} texts: it is no"
                " embedding model, or damaged. Export it again."
            )
        states = states.astype(np.float32)
        return _unit(states if self._output.pooled else pooled(states, mask, self._transformer.pooling))


def pooled(states: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
    """Return one vector for each text, pooled from its tokens' vectors.

    Args:
        states: shape ``(texts, tokens, dimensions)``.
        mask: 1 for a token, 0 for padding on the right; shape ``(texts, tokens)``.
        pooling: the method.
    """
    if pooling == "cls":
        return states[:, 0]
    if pooling == "lasttoken":
        return np.asarray(states[np.arange(len(states)), np.maximum(mask.sum(axis=1) - 1, 0)])
    held = mask[:, :, None].astype(np.float32)
    if pooling == "max":
        highest = np.where(held > 0, states, -np.inf).max(axis=1)
        return np.where(np.isfinite(highest), highest, 0).astype(np.float32)
    means: Vectors = (states * held).sum(axis=1) / np.maximum(held.sum(axis=1), 1)
    return means


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of texts that go together, longest first: what takes most memory is tried at once."""
    batch: list[int] = []
    widest = 1
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and (len(batch) == _BATCH_TEXTS or (len(batch) + 1) * widest > _BATCH_TOKENS):
            yield batch
            batch = []
        if not batch:
            widest = max(1, lengths[place])
        batch.append(place)
    if batch:
        yield batch


def _threads() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, _MOST_THREADS))


def _tokenizer(transformer: Transformer) -> Any:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - optional
    except ImportError:
        raise _missing_error(transformer, "tokenizers") from None
    try:
        tokenizer = Tokenizer.from_file(str(transformer.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(transformer.longest)
    except Exception as error:
        raise UsageError(
            f"{str(transformer.tokenizer)!r} is not a tokenizer ({str(error)[:120]}). Copy it from where the model came"
            " from."
        ) from None
    return tokenizer


def _session(transformer: Transformer, threads: int) -> Any:
    try:
        import onnxruntime  # noqa: PLC0415 - optional, and takes a quarter of a second
    except ImportError:
        raise _missing_error(transformer, "onnxruntime") from None
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = _SILENT
    # Spinning threads would take a core each from searches.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(transformer.model), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise _broken_error(transformer, error) from None


def _inputs(transformer: Transformer, names: Sequence[str]) -> list[str]:
    known = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
    strange = [name for name in names if name not in known]
    if strange or "input_ids" not in names:
        asked = ", ".join(map(repr, strange[:4])) or "no 'input_ids'"
        raise UsageError(
            f"{str(transformer.model)!r} asks for {asked}, and a text gives only {', '.join(sorted(known))}. Export it"
            " as a model of embeddings: `optimum-cli export onnx --task feature-extraction`."
        )
    return list(names)


def _output(transformer: Transformer, outputs: Sequence[Any]) -> Output:
    """Return the output to use: vectors of texts if the graph has them, else those of tokens."""
    pooled_too = next((one for one in outputs if one.name == _SENTENCE and len(one.shape) == 2), None)
    if pooled_too is not None:
        return Output(pooled_too.name, True)
    if transformer.further:
        raise UsageError(
            f"{str(transformer.folder)!r} says in 'modules.json' that {', '.join(map(repr, transformer.further[:4]))}"
            f" follows the model, and {transformer.model.name!r} does not include it. Export it whole:"
            " `optimum-cli export onnx --library sentence_transformers`."
        )
    tokens = next((one for one in outputs if len(one.shape) == 3), None)
    if tokens is not None:
        return Output(tokens.name, False)
    if outputs and len(outputs[0].shape) == 2:
        return Output(outputs[0].name, True)
    raise UsageError(f"{str(transformer.model)!r} gives vectors neither of texts nor of tokens. Use another model.")


def _missing_error(transformer: Transformer, package: str) -> UsageError:
    return UsageError(f"{transformer.shown!r} needs the package {package!r}. Install it with: {EXTRA}")


def _broken_error(transformer: Transformer, error: Exception) -> UsageError:
    told = " ".join(str(error).split())[:200]
    return UsageError(f"{str(transformer.model)!r} cannot be run ({told}). Copy or export it again.")
