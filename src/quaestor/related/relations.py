"""Finding what belongs to a name or a document in one store.

Nothing is prepared for it: definitions come from the store's table of names, candidates for uses from its lexical
index, neighbours in meaning from its vectors. What the syntax tree has to tell is read from the few files that matter.
"""

from __future__ import annotations

from collections.abc import Iterable

from quaestor.embedding import Embedder
from quaestor.related.occurrences import enclosing
from quaestor.related.of_document import OfDocument
from quaestor.related.of_name import OfName
from quaestor.related.relation_inputs import Sources
from quaestor.related.relatives import KINDS, Related, RelatedKind, Target
from quaestor.related.stored_files import load_file
from quaestor.stores import Store


class Relations:
    """Finds relatives in one store."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._sources = Sources(store, embedder)

    def target_at(self, path: str, line: int) -> Target:
        """Return what stands at a line of a document: the innermost definition, or the whole document."""
        file = load_file(self._sources.store, path)
        symbols = enclosing(file.text, file.document.language, line) if file else ()
        return Target(symbols[-1], symbols[:-1], path, line) if symbols else Target(path=path, line=line)

    def related(self, target: Target, kinds: Iterable[RelatedKind] = KINDS, limit: int = 10) -> Related:
        """Return up to ``limit`` relatives of each kind; none of a name that stands nowhere.

        Uses are found by name: types are not resolved.
        """
        wanted = tuple(kinds)
        finder = OfName(self._sources, target, limit) if target.name else OfDocument(self._sources, target, limit)
        found = {kind: finder.find(kind) for kind in KINDS if kind in wanted}
        return Related(
            target,
            tuple(relative for one in found.values() for relative in one.relatives[:limit]),
            {kind: one.total for kind, one in found.items()},
            all(one.complete for one in found.values()),
        )
