"""Giving prepared documents their vectors in the caller's process, asking the store before the embedder.

What a slow embedder could not be asked, for want of money or time or because it is down, is left to wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quaestor.embedding import Embedder, Vectors
from quaestor.embedding.remote import Allowance, SlowEmbedder
from quaestor.indexing.index_notes import KEY, as_pending
from quaestor.indexing.prepare import Outcome, Prepared, Ready, encode, ready, with_vectors
from quaestor.stores import Pack, Store


class Vectoriser:
    """Embeds what the store does not know yet.

    Args:
        embedder: turns texts into vectors.
        store: holds those of earlier texts.
        look_up: whether it is asked first.
        allowance: what asking a slow embedder may cost.

    Attributes:
        reused: vectors that were found in the store so far.
        embedded: texts that a slow embedder was asked for so far.
        cut: how many of them were longer than the model reads.
        failure: why it is not asked for any more; None while it is.
    """

    def __init__(self, embedder: Embedder, store: Store, *, look_up: bool, allowance: Allowance | None = None) -> None:
        self._embedder = embedder
        self._store = store
        self._look_up = look_up
        self.allowance = allowance or Allowance()
        self.reused = self.embedded = self.cut = 0
        self.failure: BaseException | None = None

    @property
    def spent(self) -> int:
        """What the remote embedder cost so far, in millionths of the currency's unit."""
        return self.allowance.spent

    def complete(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return the outcomes with every document ready, its vectors made in one call to the embedder."""
        if isinstance(self._embedder, SlowEmbedder):
            return self._complete_slowly(outcomes, self._embedder)
        return ready(outcomes, self._store.pack, self._vectors)

    def _vectors(self, keys: Sequence[bytes], texts: Sequence[str]) -> Vectors:
        known = self._store.known_vectors(keys) if self._look_up and keys else {}
        self.reused += len(known)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = dict(zip(missing, encode(self._embedder, list(missing.values())), strict=True))
        rows = [known[key] if key in known else made[key] for key in keys]
        return np.stack(rows).astype(np.float32, copy=False) if rows else encode(self._embedder, ())

    def _complete_slowly(self, outcomes: Sequence[Outcome], embedder: SlowEmbedder) -> list[Outcome]:
        """Return the outcomes with the vectors that there are; documents that lack some say that they wait."""
        waiting = [done for done in outcomes if isinstance(done, Prepared)]
        texts = {key: text for done in waiting for key, text in zip(done.keys, done.texts, strict=True)}
        known = dict(self._store.known_vectors(list(texts))) if self._look_up and texts else {}
        self.reused += len(known)
        missing = [key for key in texts if key not in known]
        if missing and self.failure is None:
            encoded = embedder.encode_within([texts[key] for key in missing], self.allowance)
            self.failure = encoded.failure
            self.embedded += int(encoded.done.sum())
            self.cut += encoded.cut
            rows = zip(missing, encoded.vectors, encoded.done, strict=True)
            known.update((key, row) for key, row, done in rows if done)
        nothing = np.zeros(embedder.dimensions, np.float32)
        return [
            _with_known(done, self._store.pack, known, nothing) if isinstance(done, Prepared) else done
            for done in outcomes
        ]


def _with_known(done: Prepared, pack: Pack, known: Mapping[bytes, Vectors], nothing: Vectors) -> Ready:
    """Return a document with those of its vectors that are known."""
    rows = [known.get(key, nothing) for key in done.keys]
    vectors = np.stack(rows) if rows else np.zeros((0, len(nothing)), np.float32)
    if not all(key in known for key in done.keys):
        keys = [key if key in known else KEY for key in done.keys]
        done = done._replace(document=as_pending(done.document), keys=keys)
    return with_vectors(done, pack, vectors)
