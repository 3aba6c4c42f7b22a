"""A transformer as an embedder, loaded at its first use, and the session that runs its ONNX graph.

Texts of like length go together, so that little of a batch is padding. Only the runtime's own operators are known: a
graph that asks for a library of others is refused by it.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quaestor.core.errors import LimitError, UpstreamError, UsageError
from quaestor.embedding import Vectors
from quaestor.embedding.remote import Allowance, EmbeddedTexts, SlowEmbedder
from quaestor.embedding.transformer import EXTRA, PREFIX
from quaestor.embedding.transformer.minilm import MINILM_NAME, minilm_folder
from quaestor.embedding.transformer.model_folder import (
    KnownTransformer,
    Pooling,
    Transformer,
    keep,
    read_folder,
    transformer_of_name,
    with_name,
)

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
        name: the name of the output.
        pooled: whether it holds one vector for each text, and not one for each token.
    """

    name: str
    pooled: bool


class Session:
    """A transformer that is loaded; threads may share it.

    Args:
        transformer: the transformer to load.
        threads: the number of threads for one batch; None: one for each core that may be used, eight at most.

    Raises:
        UsageError: the extra is missing, or a file of the folder cannot be used; the message names it.
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
            texts: the texts to embed.
            prompt: the prefix of each text.
            until: called before each batch but the first; if it returns True, the work stops.

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
        inputs = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(width), ids.shape),
        }
        try:
            [states] = self._session.run([self._output.name], {name: inputs[name] for name in self._inputs})
        except Exception as error:
            raise _broken_error(self._transformer, error) from None
        wanted = (len(tokens),) if self._output.pooled else (len(tokens), width)
        if not isinstance(states, np.ndarray) or states.shape[:-1] != wanted or not np.isfinite(states).all():
            raise UsageError(
                f"{str(self._transformer.model)!r} gave no vectors of numbers for {len(tokens)} texts: it is no"
                " embedding model, or damaged. Export it again."
            )
        states = states.astype(np.float32)
        return _unit(states if self._output.pooled else pool(states, mask, self._transformer.pooling))


def pool(states: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
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
    weights = mask[:, :, None].astype(np.float32)
    if pooling == "max":
        highest = np.where(weights > 0, states, -np.inf).max(axis=1)
        return np.where(np.isfinite(highest), highest, 0).astype(np.float32)
    means: Vectors = (states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    return means


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of the texts of each batch, longest first, so that a lack of memory shows at once."""
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
        input_names = ", ".join(map(repr, strange[:4])) or "no 'input_ids'"
        raise UsageError(
            f"{str(transformer.model)!r} needs {input_names}, and a text provides only {', '.join(sorted(known))}. "
            "Export it as a model of embeddings: `optimum-cli export onnx --task feature-extraction`."
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
    return UsageError(f"{transformer.spec!r} needs the package {package!r}. Install it with: {EXTRA}")


def _broken_error(transformer: Transformer, error: Exception) -> UsageError:
    text = " ".join(str(error).split())[:200]
    return UsageError(f"{str(transformer.model)!r} cannot be run ({text}). Copy or export it again.")


_REMEMBERED = 256
_TEXTS_AT_ONCE = 64
"""The number of texts that are sorted by length at a time; the longest come first."""


class OnnxEmbedder(SlowEmbedder):
    """A transformer of a folder, run here; threads may share it. Use ``of_folder`` or ``by_name``.

    Attributes:
        name: a hash of everything that decides its vectors; its location does not.
        query, document: the prefixes of queries and of indexed texts; empty until it is loaded.
    """

    def __init__(self, transformer: KnownTransformer, register: Path) -> None:
        self.name = transformer.name
        self._transformer = transformer
        self._register = register
        self._lock = threading.Lock()
        self._loaded: tuple[Session, str, str] | None = None
        self._recent: OrderedDict[str, Vectors] = OrderedDict()

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name!r}, {self._transformer.place!r})"

    @classmethod
    def of_folder(cls, place: str, register: Path) -> OnnxEmbedder:
        """Return the transformer of a folder; its model is read, and not loaded yet.

        Args:
            place: the path of the folder, or of a model in it.
            register: the folder that records known transformers.

        Raises:
            UsageError: a file that is needed is missing or cannot be read.
        """
        transformer = read_folder(place)
        try:
            return cls(with_name(transformer, register), register)
        except OSError as error:
            raise UsageError(f"{str(transformer.folder)!r} cannot be read ({error.strerror or error}).") from None

    @classmethod
    def by_name(cls, name: str, dimensions: int, register: Path) -> OnnxEmbedder:
        """Return the transformer of a name at its last known path; whether it is still there is checked at its use."""
        transformer = transformer_of_name(name, register) or KnownTransformer(name, "", [])
        return cls(transformer._replace(dimensions=dimensions), register)

    @property
    def place(self) -> str:
        """The path of its model; empty if it is not known on this machine."""
        return self._transformer.place

    @property
    def dimensions(self) -> int:
        """The length of each vector; if it is unknown, the model is loaded.

        Raises:
            UsageError: it cannot be loaded.
        """
        if not self._transformer.dimensions:
            session, query, _ = self._session()
            length = session.encode(["dimensions"], query)[0].shape[1]
            self._transformer = self._transformer._replace(dimensions=length)
            keep(self._transformer, self._register)
        return self._transformer.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; used for queries. The last few hundred texts are cached.

        Raises:
            UpstreamError: it cannot be loaded, or fails.
        """
        wanted = list(dict.fromkeys(texts))
        with self._lock:
            vectors = {text: self._recent[text] for text in wanted if text in self._recent}
        missing = [text for text in wanted if text not in vectors]
        if missing:
            try:
                session, query, _ = self._session()
                new_vectors = dict(zip(missing, session.encode(missing, query)[0], strict=True))
            except UsageError as error:
                raise UpstreamError(str(error).removesuffix(".")) from error
            vectors |= new_vectors
            with self._lock:
                self._recent.update(new_vectors)
                while len(self._recent) > _REMEMBERED:
                    self._recent.popitem(last=False)
        return np.stack([vectors[text] for text in texts]) if texts else np.zeros((0, self.dimensions), np.float32)

    def encode_within(self, texts: Sequence[str], allowance: Allowance) -> EmbeddedTexts:
        """Return the vectors of as many texts as can be embedded in the allowed time.

        Texts are embedded in order, so that the first documents are complete if the time is short.
        """
        vectors = np.zeros((len(texts), self._transformer.dimensions), np.float32)
        done = np.zeros(len(texts), np.bool_)
        cut = 0
        late = _lateness(allowance.until)
        try:
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                if start and late():
                    break
                session, _, document = self._session()
                some = slice(start, start + _TEXTS_AT_ONCE)
                rows, done[some], longer = session.encode(texts[some], document, late)
                if not vectors.shape[1]:
                    vectors = np.zeros((len(texts), rows.shape[1]), np.float32)
                vectors[some] = rows
                cut += longer
        except (UsageError, KeyboardInterrupt) as failure:
            return EmbeddedTexts(vectors, done, cut, failure)
        if done.all():
            return EmbeddedTexts(vectors, done, cut)
        return EmbeddedTexts(
            vectors, done, cut, LimitError("The time limit of embedding is reached; the rest follows later.")
        )

    def _session(self) -> tuple[Session, str, str]:
        """Return the loaded model with its prompts, after checking that the folder's model has this name."""
        with self._lock:
            if self._loaded is None:
                transformer = read_folder(self._transformer.place or self._packaged_folder())
                try:
                    now = with_name(transformer, self._register).name
                except OSError as error:
                    raise UsageError(f"{transformer.spec!r} cannot be read ({error.strerror or error}).") from None
                if now != self.name:
                    raise UsageError(
                        f"{transformer.spec!r} holds another transformer now ({now!r}) than the one that was asked for"
                        f" ({self.name!r}). Give the folder of that one, or rebuild the index with"
                        f" `quaestor index --rebuild --embedder {transformer.spec}`."
                    )
                self._loaded = Session(transformer), transformer.query, transformer.document
            return self._loaded

    def _packaged_folder(self) -> str:
        """Return the folder of a transformer that was never seen here: others made the index, in a database."""
        if self.name != MINILM_NAME:
            raise UsageError(
                f"The folder of the transformer {self.name!r} was never seen here. Give it with"
                f" `quaestor index --embedder {PREFIX}FOLDER`."
            )
        return str(minilm_folder(self._register))


def _lateness(until: float | None) -> Callable[[], bool]:
    """Return a function that returns whether a deadline has passed."""
    return lambda: until is not None and time.monotonic() >= until
