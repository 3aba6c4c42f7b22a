"""Several corpora that a conversation asks as one: the path of each document begins with the name of its corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from quaestor.core.documents import Document, Hit
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.corpus.corpus import Corpus
from quaestor.corpus.documents_on_disk import Excerpt
from quaestor.corpus.several_corpora import SeveralCorpora
from quaestor.corpus.understood_filters import UnderstoodQuestion
from quaestor.embedding import Embedder
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.spelling import Spelling
from quaestor.stores import Bylines, StoredChunk, Where

if TYPE_CHECKING:
    from quaestor.corpus.answerability import Doubt
    from quaestor.llm.models import Model
    from quaestor.search.turns import TurnQuery


def joint_source(roots: Sequence[str]) -> str:
    """Return the recorded source of a session about several corpora: one root in each line."""
    return "\n".join(dict.fromkeys(roots))


def roots_of(source: str) -> tuple[str, ...]:
    """Return the roots of the corpora that a session is about; ``source`` is as recorded."""
    return tuple(source.split("\n"))


def split_path(path: str, names: Sequence[str]) -> tuple[str, str]:
    """Split a path into the name of its corpus and the path in it.

    Raises:
        NotFoundError: it begins with no corpus's name.
    """
    # One name may begin with another: the longest is meant.
    for name in sorted(names, key=len, reverse=True):
        prefix = f"{name}/" if name else ""
        if path.startswith(prefix):
            return name, path.removeprefix(prefix)
    known = ", ".join(repr(f"{name}/") for name in names)
    raise NotFoundError(f"{path!r} is in none of the searched corpora. Begin the path with one of {known}.")


def path_under(name: str, path: str) -> str:
    """Return a document's path within several corpora: it begins with the corpus's name."""
    return f"{name}/{path}" if name else path


class JointCorpus:
    """Several corpora, by name, that a conversation uses as one; see ``ConversationCorpus``.

    Args:
        corpora: the corpora, at least one; paths in one without a name, ``""``, have no prefix.
        aside: further corpora by name, which are read but not searched, for files that a question names by path.

    Attributes:
        source: the roots, as sessions record them.
        project: empty, because several corpora have no common name.
        store: the documents of all, by path.

    Raises:
        UsageError: there is no corpus.
    """

    def __init__(self, corpora: Mapping[str, Corpus], aside: Mapping[str, Corpus] = MappingProxyType({})) -> None:
        self._several = SeveralCorpora(corpora)
        self._read = {**aside, **self._several}
        self.source = joint_source([str(corpus.root) for corpus in corpora.values()])
        self.project = ""
        self.store = _JointDocuments(self._read)

    @property
    def local_embedder(self) -> Embedder:
        """The bundled embedder, because those of the corpora may differ."""
        return StaticEmbedder.bundled()

    def model_named(self, name: str) -> Model:
        """Raise ``UsageError``: the settings of several corpora may differ."""
        raise UsageError(f"several corpora cannot find model {name!r}; give the model itself")

    def document(self, path: str) -> Document:
        """Return a document by its path; raises as ``Corpus.document``."""
        name, inner = split_path(path, list(self._read))
        return _under(name, self._read[name].document(inner))

    def read(self, path: str) -> bytes | None:
        """Return a document's present text; as ``Corpus.read``."""
        name, inner = split_path(path, list(self._read))
        return self._read[name].read(inner)

    def read_lines(self, path: str, start_line: int = 1, end_line: int | None = None) -> Excerpt:
        """Return lines of a document as they are now; as ``Corpus.read_lines``."""
        name, inner = split_path(path, list(self._read))
        lines = self._read[name].read_lines(inner, start_line, end_line)
        return lines._replace(path=path_under(name, lines.path))

    def search(self, query: str, k: int = 10, *, where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits of all corpora, best first; path filters apply within each."""
        return [_with_corpus_in_path(hit) for hit in self._several.search(query, k, where=where)]

    def search_turn(self, turn: TurnQuery, k: int = 10, *, where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits for a turn of a conversation."""
        return self.search(turn.single, k, where=where)

    def understand(self, question: str, where: Where | None = None) -> UnderstoodQuestion:
        """Return a question with its dates and authors as a filter."""
        return self._several.understand(question, where)

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return the authors and dates of the documents of all corpora."""
        return self._several.bylines(where)

    def spelling(self, query: str) -> Spelling:
        """Return a query with its words that the corpora lack."""
        return self._several.spelling(query)

    def in_english(self, question: str) -> str:
        """Return the first corpus's translation of a question in another language; any other question unchanged."""
        read = (corpus.in_english(question) for corpus in self._several.values())
        return next((text for text in read if text != question), question)

    def translation(self, question: str) -> tuple[str, ...]:
        """Return the English translation by which a question in another language is searched."""
        return self._several.translation(question)

    def doubt(self, question: str, hits: Sequence[Hit], original: str = "") -> Doubt:
        """Return the reasons to doubt an answer; a name counts if no corpus mentions it."""
        from quaestor.corpus.answerability import doubt_about  # noqa: PLC0415 - no search needs it
        from quaestor.corpus.unmentioned import terms_of_words  # noqa: PLC0415

        lacking = [corpus.unmentioned_names(question) for corpus in self._several.values()]
        names = [name for name in lacking[0] if all(name in others for others in lacking)]
        terms, unknown = terms_of_words(question), self.spelling(question).unknown
        counts = [corpus.store.counts(terms) for corpus in self._several.values()]
        return doubt_about(question, hits, names, unknown, counts, original)

    def is_prose(self) -> bool:
        """Return whether most documents of every corpus are prose."""
        return all(corpus.is_prose() for corpus in self._several.values())


class _JointDocuments:
    """The documents of several corpora, by path."""

    def __init__(self, corpora: Mapping[str, Corpus]) -> None:
        self._corpora = corpora

    def document(self, path: str) -> Document | None:
        try:
            name, inner = split_path(path, list(self._corpora))
        except NotFoundError:
            return None
        stored = self._corpora[name].store.document(inner)
        return None if stored is None else _under(name, stored)

    def paths_ending(self, name: str, limit: int) -> list[str]:
        paths = (
            path_under(corpus, path)
            for corpus, index in self._corpora.items()
            for path in index.store.paths_ending(name, limit)
        )
        return list(paths)[:limit]

    def chunks_of(self, path: str) -> list[StoredChunk]:
        name, inner = split_path(path, list(self._corpora))
        return [
            stored._replace(document=_under(name, stored.document))
            for stored in self._corpora[name].store.chunks_of(inner)
        ]


def _with_corpus_in_path(hit: Hit) -> Hit:
    """Return a hit whose path begins with the name of its corpus."""
    return hit._replace(document=_under(hit.corpus, hit.document), corpus="")


def _under(corpus: str, document: Document) -> Document:
    return document._replace(path=path_under(corpus, document.path))
