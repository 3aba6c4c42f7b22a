"""The corpus itself: searched, asked what belongs together, and summed up.

How it is put together is in ``parts``, how it is kept fresh in ``fresh``, how its documents are read in ``reading``.
This floor joins retrieval (which knows no files) with ingest (which knows no queries). It receives its parts ready
made; ``assemble`` chooses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.passages import Document, Hit
from quaestor.core.terms import terms_of_word
from quaestor.corpus.descriptions import CorpusStats
from quaestor.corpus.path_hints import meant, plain
from quaestor.corpus.read_documents import ReadIndex
from quaestor.corpus.understood_filters import Understood, search_understood, understood
from quaestor.search.retriever import Mode
from quaestor.search.spelling import Spelling
from quaestor.stores import Bylines, Where

if TYPE_CHECKING:
    from quaestor.corpus.doubt import Doubt
    from quaestor.llm.models import Model
    from quaestor.related import Related, RelatedKind, Relations, Target
    from quaestor.search.turns import TurnQuery


class Corpus(ReadIndex):
    """One source's index, searchable and kept fresh."""

    def model_named(self, name: str) -> Model:
        """Return a model by its name.

        Raises:
            UsageError: this corpus was put together without settings, which say where models are.
        """
        raise UsageError(
            f"a corpus without settings cannot find model {name!r}; give the model itself, or open an Index"
        )

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        mode: Mode = "ranked",
        where: Where | None = None,
        since: str = "",
        before: str = "",
        by: str | Sequence[str] = (),
    ) -> list[Hit]:
        """Return up to ``k`` hits, best first, after bringing the index up to date within the time allowed.

        Args:
            query: what to look for. It is taken as it stands; ``understand`` reads dates and authors out of a question.
            k: how many hits.
            mode: how they are scored.
            where: only documents that it lets through.
            since: only documents of this date or later: ``2020``, ``2020-03``, ``2020-03-14``.
            before: only documents of an earlier date.
            by: an author, or several, any of whom will do.

        Raises:
            UsageError: a date is none.
        """
        if since or before or by:
            from quaestor.search.filters import both, make_filter  # noqa: PLC0415 - few searches are filtered

            where = both(make_filter((), (), since, before, (by,) if isinstance(by, str) else by), where)
        return self.checked(
            self._found_fresh(lambda: self.retriever.search(query, k, mode=mode, where=where), _documents_of_hits)
        )

    def search_turn(self, turn: TurnQuery, k: int = 10, *, where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits for a turn of a conversation; otherwise as ``search``."""
        from quaestor.search.turns import search_turn  # noqa: PLC0415 - 20 ms that no single search needs

        return self.checked(
            self._found_fresh(lambda: search_turn(self.retriever, turn, k, where=where), _documents_of_hits)
        )

    def find(
        self, question: str, k: int = 10, *, mode: Mode = "ranked", where: Where | None = None, filters: bool = True
    ) -> tuple[Sequence[Hit], Understood]:
        """Return up to ``k`` hits for a question as it is understood, and how that is; otherwise as ``search``.

        Args:
            question: what to look for. What it says of dates and authors limits the documents, unless that leaves none.
            k: how many hits.
            mode: how they are scored.
            where: only documents that it lets through.
            filters: whether anything is to be read out of the question; without, its words are searched for.
        """
        asked = self.understand(question, where) if filters else Understood(question, where)
        hits, asked = search_understood(
            question, asked, lambda text, within: self.search(text, k, mode=mode, where=within), where
        )
        asked = asked._replace(translated=self.translated(asked.text))
        return hits, asked if mode != "ranked" else asked._replace(unknown=self.spelling(asked.text).unknown)

    def spelling(self, query: str) -> Spelling:
        """Return a query beside what this corpus holds: its words that stand nowhere, and the nearest that do."""
        return self.following(lambda: self.retriever.spelling(query))

    def translated(self, question: str) -> tuple[str, ...]:
        """Return what is searched for in English for the words of a question in another language."""
        return self.retriever.translated(question)

    def in_english(self, question: str) -> str:
        """Return a question in another language as it is searched for, any other as it is."""
        return self.retriever.in_english(question)

    def understand(self, question: str, where: Where | None = None) -> Understood:
        """Return a question with what it says of dates and authors as a filter, within ``where``."""
        return understood(self.store, question, where)

    def bylines(self, where: Where | None = None) -> Bylines:
        """Return who wrote the documents that a filter lets through, and when."""
        return self.store.bylines(where)

    def unmentioned(self, question: str) -> tuple[str, ...]:
        """Return the names in a question that nothing in this corpus mentions."""
        from quaestor.corpus.unmentioned import unmentioned  # noqa: PLC0415 - no search needs it

        return self.following(lambda: unmentioned(self.store, question))

    def doubt(self, question: str, hits: Sequence[Hit], *, translated: bool = False) -> Doubt:
        """Return what speaks against there being an answer to a question in the hits of a search for it alone.

        ``translated`` tells that it was asked in another language than it was searched for in.
        """
        from quaestor.corpus.doubt import doubt_of, likeness  # noqa: PLC0415 - no search needs it
        from quaestor.corpus.unmentioned import share_absent  # noqa: PLC0415

        absent = share_absent(question, self.spelling(question).unknown)
        alike = likeness(question, hits)
        return doubt_of(question, hits, self.unmentioned(question), absent, alike=alike, translated=translated)

    def related(self, target: str, kinds: Iterable[RelatedKind] | None = None, limit: int = 10) -> Related:
        """Return what belongs to a name or a document, after bringing the index up to date.

        Args:
            target: a name (``send``, ``Client.send``), a document's path, or ``path:line`` for what stands there.
            kinds: ``definitions``, ``callers``, ``tests``, ``neighbours``; all of them by default.
            limit: of each kind.

        Raises:
            NotFoundError: there is no such document, or the name stands nowhere.
        """
        from quaestor.related import KINDS, Relations  # noqa: PLC0415 - no search needs it

        wanted = KINDS if kinds is None else tuple(kinds)

        def find() -> Related:
            relations = self._relations = self._relations or Relations(self.store, self.meaning.asked)
            return relations.related(self._target(target, relations), wanted, limit)

        found = self._found_fresh(find, self._documents_of_relatives)
        name = found.target.name
        if name and not found.relatives and not any(found.total.values()) and not self._stands(name):
            near = dict.fromkeys(hit.symbol for hit in self.retriever.search(target, 3) if hit.symbol)
            raise NotFoundError(f"{target!r} is not a name in this index.{meant(list(near))}")
        if self.freshness.fresh:
            return found
        return found.marked({one.path: self._is_current(one.path, one.sha256) for one in found.relatives})

    def stats(self) -> CorpusStats:
        """Return sizes of everything."""
        stats = self.store.stats()
        return CorpusStats(
            root=str(self.root),
            documents=stats.documents,
            chunks=stats.chunks,
            bytes=stats.bytes,
            index_bytes=stats.store_bytes,
            languages=stats.languages,
            chunkers=stats.chunkers,
            notes=stats.notes,
            embedder=self.embedder.name,
            store=type(self.store).__name__,
            generation=self.store.generation(),
        )

    def checked(self, hits: list[Hit]) -> list[Hit]:
        """Return hits that say of themselves whether they are fresh."""
        if self.freshness.fresh:
            return hits
        return [hit._replace(fresh=self._is_current(hit.path, hit.document.sha256)) for hit in hits]

    def _documents_of_relatives(self, related: Related) -> list[Document]:
        paths = dict.fromkeys(one.path for one in related.relatives)
        return [document for path in paths if (document := self.store.document(path)) is not None]

    def _target(self, text: str, relations: Relations) -> Target:
        """Return what a text means: a document if there is one of this path, else a name."""
        from quaestor.corpus.targets import looks_like_a_path, read_name, split_place  # noqa: PLC0415
        from quaestor.related import Target  # noqa: PLC0415 - no search needs it

        path, line = split_place(text.strip())
        document = self.store.document(plain(path))
        if document is None and looks_like_a_path(path):
            document = self.document(path)
        if document is not None:
            return Target(path=document.path) if line is None else relations.target_at(document.path, line)
        target = read_name(text)
        if not target.name:
            raise UsageError(f"{text!r} names nothing. Give a name, a path, or a path with a line behind a colon.")
        return target

    def _stands(self, name: str) -> bool:
        """Return whether a name stands anywhere in the corpus, be it in prose or data."""
        return bool(self.store.lexical(terms_of_word(name)[:1], 1)) if name.isidentifier() else False


def _documents_of_hits(hits: list[Hit]) -> list[Document]:
    return [hit.document for hit in hits]
