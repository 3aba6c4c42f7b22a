"""A corpus of its own, opened by path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from quaestor.core.config import Settings, data_home, load_configuration
from quaestor.core.errors import IndexBusyError, IndexUnusableError, UsageError
from quaestor.core.wording import command
from quaestor.corpus import Corpus
from quaestor.corpus.fresh_index import IndexParts
from quaestor.crawl.fetched_sources import crawl, is_address, names_repository
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance
from quaestor.embedding.tuning_names import forget
from quaestor.indexing.indexer import Indexer, Progress, ProgressState
from quaestor.search.ranker import Ranker, with_dense_factor
from quaestor.stores import Store
from quaestor.stores.embedded.sqlite_failures import REBUILD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quaestor.answers.history.history_answer import HistoryAnswer
    from quaestor.answers.overview.overview_text import Overview
    from quaestor.llm.models import Model

from quaestor.assemble.embedders_by_name import (
    OPENAI,
    STATIC,
    IndexEmbedder,
    allowance_of,
    index_embedder,
    make_embedder,
    refresh_cost,
    resolve_auto,
    spec_of,
)
from quaestor.assemble.first_index import erase_in_turn, follow_progress, make_in_turn
from quaestor.assemble.models_from_settings import make_model
from quaestor.assemble.source_paths import index_folder, ingest_settings, locate, note_source
from quaestor.assemble.stores_by_name import erase_store, is_shared, open_store
from quaestor.assemble.transformer_upgrade import missing_transformer, upgrade, upgrade_state
from quaestor.assemble.tuned_index import tuning_of

_TRIES = 3
"""The most attempts to begin an index if the database goes away."""


class Index(Corpus):
    """A corpus, opened by path: the public class for search.

    Use it as a context, or call ``close``.
    """

    _settings: Settings

    def model_named(self, name: str) -> Model:
        """Return a model by its name at the endpoint that the settings name; OpenAI's own if they give a key alone.

        Raises:
            UsageError: the name is empty, or the settings name neither an endpoint nor a key, or wrong ones.
        """
        model = make_model(self._settings._replace(model=name))
        if model is None:
            raise UsageError(f"{name!r} is not the name of a model; give one, or None for answers made of quotes")
        return model

    def overview(self, folder: str = "", *, tokens: int = 1500) -> Overview:
        """Return an overview of the corpus or a folder: its ``text``, its sections, and the hits that they cite.

        Args:
            folder: limits the overview; empty for everything.
            tokens: limit of the text, at least 100; counted for the settings' model, else for gpt-4o.

        Raises:
            NotFoundError: there is no such folder.
            UsageError: ``tokens`` is too small for an overview.
        """
        from quaestor.answers.overview.make_overview import LEAST, make_overview  # noqa: PLC0415 - no search needs it
        from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

        if tokens < LEAST:
            raise UsageError(f"{tokens} tokens are too few for an overview. Give at least {LEAST}.")
        return make_overview(self, folder, budget=tokens, count=tokenizer_for(self._settings.model or "gpt-4o").count)

    def history(self, question: str = "", *, since: str = "", until: str = "", limit: int = 10) -> HistoryAnswer:
        """Answer a question about history, a path, a name or words from git and the changelogs.

        Args:
            question: ``"when was send_with_retry added?"``, ``"src/a.py"``; empty for the newest commits.
            since: first date: ``2020``, ``2020-03``, ``2020-03-14``.
            until: last date.
            limit: most commits to list.

        Raises:
            UsageError: ``since`` or ``until`` is not a date.
        """
        from quaestor.answers.history.history_answer import history_of  # noqa: PLC0415 - no search needs it

        return history_of(self, question, since=since, until=until, limit=limit)

    @classmethod
    def build(
        cls,
        path: str | Path,
        *,
        settings: Settings | None = None,
        progress: Progress | None = None,
        rebuild: bool = False,
        site: Mapping[str, object] | None = None,
        max_cost: float | None = None,
    ) -> Self:
        """Build the index of a folder, a file, a site or a git repository, or bring it up to date, and open it.

        Args:
            path: the folder or file, or the address of a site, which is crawled with its last settings, or of a git
                repository, which is fetched.
            settings: the settings as loaded by ``load_configuration``; read from environment and files by default.
            progress: called during the work.
            rebuild: whether to delete the present index and start over.
            site: for a site, fields of ``CrawlSettings``; missing ones are as in the last crawl. For a repository, only
                ``allow_private``.
            max_cost: what a remote embedder may cost, in the prices' currency; ``math.inf`` is unlimited. None allows
                nothing for a new index, and the setting ``refresh_cost`` for changes in an existing one. Texts that it
                does not cover are found by words alone, ``last_changes`` says why, and the next build continues with
                them.

        Raises:
            NotFoundError: the path does not exist.
            UpstreamError: nothing could be fetched from the site or repository.
            IndexUnusableError: the index is corrupt, newer, or made with another embedder.
            UsageError: ``rebuild`` is set for a shared index, and the folder holds no files.
        """
        if names_repository(path):
            from quaestor.crawl.clone import fetch_repository  # noqa: PLC0415 - with HTTP and TLS, for a repository only

            settings = settings or load_configuration().settings
            fetch_repository(str(path), data_home(settings), allow_private=bool((site or {}).get("allow_private")))
        elif is_address(path):
            settings = settings or load_configuration().settings
            crawl(str(path), data_home(settings), site or {}, rebuild=rebuild)
        root, settings = _locate_source(path, settings)
        if rebuild:
            # What is thrown away can no longer say with which embedder it is made again.
            settings = settings._replace(embedder=resolve_auto(settings, index_embedder(root, settings)))
            _erase(root, settings, progress)
        index = cls._open(root, settings, create=True)
        note_source(root, settings)
        allowed = None if max_cost is None else allowance_of(max_cost)
        with index._closed_on_error():
            index._make_whole(progress, allowed)
        return index._with_pending_vectors(progress)

    @classmethod
    def open(cls, path: str | Path, *, settings: Settings | None = None) -> Self:
        """Open an index that exists.

        Raises:
            IndexUnusableError: the index does not exist, is corrupt, is newer, or was made with another embedder.
        """
        root, settings = _locate_source(path, settings)
        if not is_shared(settings) and not index_folder(root, settings).exists():
            raise IndexUnusableError(f"There is no index of {str(root)!r} yet. Run {command('index', root)}.")
        return cls._open(root, settings, create=False)

    @classmethod
    def ready(
        cls, path: str | Path, *, settings: Settings, progress: Progress | None = None, whole: bool = False
    ) -> Self:
        """Open an index for searching; build it first only if it is empty.

        Later changes are indexed by the search itself, within its time limit.

        Args:
            path: the folder or file, or the address of a site.
            settings: the settings as loaded by ``load_configuration``.
            progress: called during the work.
            whole: whether to complete an interrupted first index, which otherwise is used as it is.

        Raises:
            NotFoundError: the path does not exist.
            IndexUnusableError: the index is corrupt, newer, or made with another embedder.
        """
        root, settings = _locate_source(path, settings)
        index = cls._open(root, settings, create=True)
        note_source(root, settings)
        with index._closed_on_error():
            index._make_in_turn(
                progress, None, lambda: index.indexer.is_complete if whole else index.store.generation() > 0
            )
        return index

    def _make_whole(self, progress: Progress | None, allowance: Allowance | None) -> None:
        """Make the index, or bring it up to date; retry if its database goes away, because a standby may take over."""
        for tries_left in reversed(range(_TRIES)):
            try:
                if not self._make_in_turn(progress, allowance, lambda: self.indexer.is_complete):
                    self.refresh(progress=progress, allowance=allowance)
                self.store.settle()
            except IndexUnusableError as error:
                if isinstance(error, IndexBusyError) or not (error.retryable and tries_left):
                    raise
            else:
                return

    def _make_in_turn(
        self, progress: Progress | None, allowance: Allowance | None, is_made: Callable[[], bool]
    ) -> bool:
        """Make a first index, or wait while another process makes it; return whether this process made it.

        Nothing is paid for it unless that is allowed. Processes that fill a database share the work instead.
        """
        if is_made():
            return False
        if is_shared(self._settings):
            self.refresh(progress=progress, allowance=allowance or Allowance(0))
            self.store.settle()
            return True
        return make_in_turn(
            index_folder(self.root, self._settings),
            is_made,
            lambda: self.refresh(progress=progress, allowance=allowance or Allowance(0)),
            follow_progress(self.store, self.indexer, progress),
        )

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        """Close the index if the block raises."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _with_pending_vectors(self, progress: Progress | None) -> Self:
        """Make all pending vectors; return the index, which is another object if its embedder has changed."""
        with self._closed_on_error():
            upgraded = upgrade(self.root, self._settings, progress)
        if upgraded is None:
            return self
        self.close()
        index = self._open(self.root, self._settings, create=False)
        index.report_as(self, self.last_changes._replace(embedded=upgraded))
        return index

    @classmethod
    def _open(cls, root: Path, settings: Settings, *, create: bool) -> Self:
        parts = _make_parts(root, settings, create=create)
        index = cls(
            root,
            *parts[:4],
            refresh_seconds=settings.refresh_seconds,
            refresh_cost=refresh_cost(settings, parts.embedder),
            shared=is_shared(settings),
            vector_progress=parts.vector_progress,
            reopen=lambda: _make_parts(root, settings, create=False),
        )
        index._settings = settings
        return index


def _erase(root: Path, settings: Settings, progress: Progress | None) -> None:
    """Delete an index, after waiting for a process that is making a first one.

    Raises:
        UsageError: the index is shared, and this machine has no files from which to rebuild it.
    """
    if is_shared(settings) and root.is_dir() and not any(root.iterdir()):
        raise UsageError(f"{str(root)!r} holds no files to rebuild the shared index from: run this where they are.")

    def erase() -> None:
        erase_store(root, settings)
        forget(folder)

    def waiting() -> None:
        if progress is not None:
            progress(ProgressState(0, 0, 0, doing="waiting for another process"))

    folder = index_folder(root, settings)
    erase_in_turn(folder, erase, waiting)


def _make_parts(root: Path, settings: Settings, *, create: bool) -> IndexParts:
    recorded = index_embedder(root, settings)
    while True:
        # An index is made with the bundled embedder first: it answers while a transformer takes its minutes.
        used = settings._replace(embedder="auto") if missing_transformer(settings, recorded) else settings
        try:
            embedder = make_embedder(used, recorded, source=str(root), folder=index_folder(root, settings))
            if recorded is not None:
                _check_embedder(root, recorded, embedder, used)
            store = make_store(root, settings, embedder, create=create)
        except IndexUnusableError:
            # Another process may have given the index another embedder since it was asked.
            before, recorded = recorded, index_embedder(root, settings)
            if recorded == before:
                raise
            continue
        try:
            indexer = Indexer(root, store, embedder, ingest_settings(settings, root))
            return IndexParts(
                store,
                embedder,
                indexer,
                with_dense_factor(Ranker.bundled(), tuning_of(store).trust),
                lambda: upgrade_state(root, settings),
            )
        except BaseException:
            store.close()
            raise


def is_remote(root: Path, settings: Settings) -> bool:
    """Return whether the embedder that the settings name for a source is behind an endpoint."""
    return resolve_auto(settings, index_embedder(root, settings)).startswith(OPENAI)


def _check_embedder(root: Path, recorded: IndexEmbedder, embedder: Embedder, settings: Settings) -> None:
    """Refuse an index that was made with another embedder, or with other weights of the bundled one.

    Raises:
        IndexUnusableError: the embedder or its weights differ.
    """
    if recorded.name == embedder.name:
        return
    wanted = resolve_auto(settings, recorded)
    rebuild = f"{command('index', root, '--rebuild', '--embedder', wanted)} rebuilds it"
    if wanted == spec_of(recorded.name) == STATIC:
        advice = f"{rebuild} with the one that is bundled now"
    elif wanted == spec_of(recorded.name):
        advice = f"set 'embedder_base_url' to the endpoint that it was made with, or {rebuild} with this one"
    else:
        advice = f"search it with that one (setting 'embedder': 'auto'), or {rebuild}"
    raise IndexUnusableError(
        f"The index of {str(root)!r} was made with the embedder {recorded.name!r}, not {embedder.name!r}: {advice}."
    )


def make_store(root: Path, settings: Settings, embedder: Embedder, *, create: bool) -> Store:
    """Return the store of one source's index, as the settings name it.

    Raises:
        IndexUnusableError: it cannot be reached, opened or used with this embedder; the message names the source.
    """
    try:
        return open_store(root, settings, embedder.name, embedder.dimensions, create=create)
    except OSError as error:
        raise IndexUnusableError(
            f"The index in {str(index_folder(root, settings))!r} cannot be reached ({error.strerror or error}). "
            "Set QUAESTOR_HOME to a folder that can be written."
        ) from error
    except IndexUnusableError as error:
        # A store does not know its source: from another folder, the user would rebuild another index.
        advice = f"run {command('index', root, '--rebuild')}"
        raise type(error)(str(error).replace(REBUILD, advice)) from error


def _locate_source(path: str | Path, settings: Settings | None) -> tuple[Path, Settings]:
    root = locate(path, settings)
    if settings is None:
        settings = load_configuration(project=root if root.is_dir() else root.parent).settings
    return root, settings
