"""A transformer as an embedder, loaded at its first use."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from quaestor.core.errors import LimitError, UpstreamError, UsageError
from quaestor.embedding import Vectors
from quaestor.embedding.remote import Allowance, Encoded, SlowEmbedder
from quaestor.embedding.transformer import PREFIX
from quaestor.embedding.transformer.model_folder import read_folder
from quaestor.embedding.transformer.model_identity import Known, identified, keep, known
from quaestor.embedding.transformer.onnx_session import Session

_REMEMBERED = 256
_TEXTS_AT_ONCE = 64
"""Texts sorted by length at a time; the longest of them come first."""


class OnnxEmbedder(SlowEmbedder):
    """A transformer of a folder, run here; threads may share it. Use ``of_folder`` or ``named``.

    Attributes:
        name: hash of all that decides its vectors, but not its location.
        query, document: prefixes of queries and of indexed texts; empty until it is loaded.
    """

    def __init__(self, seen: Known, register: Path) -> None:
        self.name = seen.name
        self._seen = seen
        self._register = register
        self._lock = threading.Lock()
        self._loaded: tuple[Session, str, str] | None = None
        self._recent: OrderedDict[str, Vectors] = OrderedDict()

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name!r}, {self._seen.place!r})"

    @classmethod
    def of_folder(cls, place: str, register: Path) -> OnnxEmbedder:
        """Return the transformer of a folder; its model is read, and not loaded yet.

        Args:
            place: path of the folder, or of a model in it.
            register: the folder that remembers which transformers were seen.

        Raises:
            UsageError: something that is needed is missing or cannot be read.
        """
        transformer = read_folder(place)
        try:
            return cls(identified(transformer, register), register)
        except OSError as error:
            raise UsageError(f"{str(transformer.folder)!r} cannot be read ({error.strerror or error}).") from None

    @classmethod
    def named(cls, name: str, dimensions: int, register: Path) -> OnnxEmbedder:
        """Return the transformer of a name wherever it was seen last; whether it is still there is seen at its use."""
        seen = known(name, register) or Known(name, "", [])
        return cls(seen._replace(dimensions=dimensions), register)

    @property
    def place(self) -> str:
        """The path of its model; empty if it was never seen here."""
        return self._seen.place

    @property
    def dimensions(self) -> int:
        """Length of each vector; loads it where that is not known.

        Raises:
            UsageError: it cannot be loaded.
        """
        if not self._seen.dimensions:
            session, query, _ = self._session()
            length = session.encode(["dimensions"], query)[0].shape[1]
            self._seen = self._seen._replace(dimensions=length)
            keep(self._seen, self._register)
        return self._seen.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, as for a search; the last few hundred texts are remembered.

        Raises:
            UpstreamError: it cannot be loaded, or fails.
        """
        wanted = list(dict.fromkeys(texts))
        with self._lock:
            found = {text: self._recent[text] for text in wanted if text in self._recent}
        missing = [text for text in wanted if text not in found]
        if missing:
            try:
                session, query, _ = self._session()
                made = dict(zip(missing, session.encode(missing, query)[0], strict=True))
            except UsageError as error:
                raise UpstreamError(str(error).removesuffix(".")) from error
            found |= made
            with self._lock:
                self._recent.update(made)
                while len(self._recent) > _REMEMBERED:
                    self._recent.popitem(last=False)
        return np.stack([found[text] for text in texts]) if texts else np.zeros((0, self.dimensions), np.float32)

    def encode_within(self, texts: Sequence[str], allowance: Allowance) -> Encoded:
        """Return the vectors of as many texts as the allowed time suffices for.

        They are made in order, so that the first documents are complete if the time is short.
        """
        vectors = np.zeros((len(texts), self._seen.dimensions), np.float32)
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
            return Encoded(vectors, done, cut, failure)
        if done.all():
            return Encoded(vectors, done, cut)
        return Encoded(vectors, done, cut, LimitError("The time that embedding may take here is up; the rest waits."))

    def _session(self) -> tuple[Session, str, str]:
        """Return the loaded model with its prompts, after making sure that it is the one of this name."""
        with self._lock:
            if self._loaded is None:
                if not self._seen.place:
                    raise UsageError(
                        f"The folder of the transformer {self.name!r} was never seen here. Give it with"
                        f" `quaestor index --embedder {PREFIX}FOLDER`."
                    )
                transformer = read_folder(self._seen.place)
                try:
                    now = identified(transformer, self._register).name
                except OSError as error:
                    raise UsageError(f"{transformer.shown!r} cannot be read ({error.strerror or error}).") from None
                if now != self.name:
                    raise UsageError(
                        f"{transformer.shown!r} holds another transformer now ({now!r}) than the one that was asked for"
                        f" ({self.name!r}). Give the folder of that one, or make the index anew with"
                        f" `quaestor index --rebuild --embedder {transformer.shown}`."
                    )
                self._loaded = Session(transformer), transformer.query, transformer.document
            return self._loaded


def _lateness(until: float | None) -> Callable[[], bool]:
    """Return a function that returns whether a deadline has passed."""
    return lambda: until is not None and time.monotonic() >= until
