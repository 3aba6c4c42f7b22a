"""Several corpora, opened by their paths and searched as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from quaestor.assemble.index_by_path import Index
from quaestor.core.config import Settings
from quaestor.corpus.several_corpora import SeveralCorpora, short_names
from quaestor.indexing.indexer import Progress


class Indexes(SeveralCorpora):
    """Several indexes, searched as one: a mapping of each corpus's short name to its ``Index``.

    A corpus is named after its folder, with as many parents as distinguish it from the others. Use it as a context, or
    call ``close``.
    """

    @classmethod
    def build(cls, *paths: str | Path, settings: Settings | None = None, progress: Progress | None = None) -> Self:
        """Build the index of each folder, file or site, or bring it up to date, and open them; as ``Index.build``.

        Raises:
            QuaestorError: one of them cannot be built; none is left open.
        """
        return cls._open_each(paths, lambda path: Index.build(path, settings=settings, progress=progress))

    @classmethod
    def open(cls, *paths: str | Path, settings: Settings | None = None) -> Self:
        """Open indexes that exist; as ``Index.open``.

        Raises:
            QuaestorError: one of them cannot be opened; none is left open.
        """
        return cls._open_each(paths, lambda path: Index.open(path, settings=settings))

    def close(self) -> None:
        """Release the files of all indexes."""
        for index in self.values():
            index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @classmethod
    def _open_each(cls, paths: Iterable[str | Path], make: Callable[[str | Path], Index]) -> Self:
        opened: dict[Path, Index] = {}
        with ExitStack() as unless_all_open:
            for path in paths:
                index = make(path)
                unless_all_open.callback(index.close)
                opened.setdefault(index.root, index)
            several = cls({name: opened[root] for name, root in short_names(list(opened)).items()})
            unless_all_open.pop_all()
        return several
