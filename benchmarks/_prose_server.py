"""Serves one peer over prose, in the peers' environment, by the protocol of ``_peer_server.py``.

``bm25`` and ``minilm`` cut every file into pieces of 1,500 characters; ``semble:PATH`` indexes documents with the
model2vec model in a folder.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import _chunks
from _peer_server import answer
from _peer_systems import Peer, Semble, make

PROSE = frozenset({".md", ".rst", ".adoc"})


class SembleDocuments(Semble):
    """semble over documents instead of code."""

    def index(self, root: Path) -> int:
        from semble import SembleIndex  # noqa: PLC0415 - after the cache's place is set
        from semble.types import ContentType  # noqa: PLC0415

        self._index = SembleIndex.from_path(root, content=(ContentType.DOCS,), model_path=self._model)
        return len(self._index.chunks)


def main() -> None:
    # Libraries print to stdout; the answers keep the real one for themselves.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _chunks.SUFFIXES = PROSE
    kind, _, model = sys.argv[1].partition(":")
    peer: Peer = SembleDocuments(model) if kind == "semble" else make(sys.argv[1], json.loads(sys.argv[2]))
    for line in sys.stdin:
        answers.write(json.dumps(answer(peer, json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
