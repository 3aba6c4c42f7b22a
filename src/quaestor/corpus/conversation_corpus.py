"""The protocol of a corpus that a conversation uses: one corpus, or several as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from quaestor.core.documents import Document, Hit
from quaestor.core.errors import NotFoundError
from quaestor.corpus.understood_filters import UnderstoodQuestion
from quaestor.embedding import Embedder
from quaestor.search.spelling import Spelling
from quaestor.stores import Bylines, StoredChunk, Where

if TYPE_CHECKING:
    from quaestor.corpus.answerability import Doubt
    from quaestor.llm.models import Model
    from quaestor.search.turns import TurnQuery


class DocumentsByPath(Protocol):
    """Documents that are looked up by their paths."""

    def document(self, path: str) -> Document | None:
        """Return the document of this path; None if there is none."""
        ...

    def paths_ending(self, name: str, limit: int) -> Sequence[str]:
        """Return up to ``limit`` paths that end with ``name``, which begins at a folder's or a file's name."""
        ...

    def chunks_of(self, path: str) -> Sequence[StoredChunk]:
        """Return the chunks of a document in their order."""
        ...


class ConversationCorpus(Protocol):
    """A corpus as a conversation uses it; each method is documented at ``Corpus``."""

    @property
    def source(self) -> str:
        """The paths of its sources, as sessions and the ledger record them."""
        ...

    @property
    def project(self) -> str:
        """The name of the whole corpus, as people use it; empty if it has none."""
        ...

    @property
    def local_embedder(self) -> Embedder:
        """A local embedder for small comparisons; it sends no request and costs nothing."""
        ...

    @property
    def store(self) -> DocumentsByPath:
        """Its documents, by path."""
        ...

    def model_named(self, name: str) -> Model: ...  # noqa: D102 - see the class

    def document(self, path: str) -> Document: ...  # noqa: D102

    def read(self, path: str) -> bytes | None: ...  # noqa: D102

    def understand(self, question: str, where: Where | None = None) -> UnderstoodQuestion: ...  # noqa: D102

    def spelling(self, query: str) -> Spelling: ...  # noqa: D102

    def in_english(self, question: str) -> str: ...  # noqa: D102

    def translation(self, question: str) -> tuple[str, ...]: ...  # noqa: D102

    def bylines(self, where: Where | None = None) -> Bylines: ...  # noqa: D102

    def search_turn(self, turn: TurnQuery, k: int = 10, *, where: Where | None = None) -> list[Hit]: ...  # noqa: D102

    def doubt(self, question: str, hits: Sequence[Hit], original: str = "") -> Doubt: ...  # noqa: D102

    def is_prose(self) -> bool: ...  # noqa: D102


def current_text(corpus: ConversationCorpus, path: str) -> bytes | None:
    """Return a document's present text; None if it no longer exists."""
    try:
        return corpus.read(path)
    except NotFoundError:
        return None
