"""Runs a search as a command: of one source, or of several in one ranking, where those that fail are reported."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from quaestor.assemble import Index
from quaestor.cli.hits import NOTHING_FOUND, SearchArguments, print_hits, remark_if_stale
from quaestor.cli.output import print_json, print_remarks, remark
from quaestor.cli.progress import indexing_progress, looking_for_files
from quaestor.cli.scope import configure, find_corpus, find_root, remark_on, remark_on_unknown
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError, QuaestorError
from quaestor.corpus.corpus_json import search_object, several_object

if TYPE_CHECKING:
    from quaestor.corpus.several_corpora import SeveralCorpora

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def search(arguments: SearchArguments) -> int:
    """Search one source or several, print the hits and return the exit code.

    Raises:
        QuaestorError: none of the sources can be searched; of several, the error is that of the first.
    """
    return _search_one(arguments) if len(arguments.sources) < 2 else _search_several(arguments)


def _search_one(arguments: SearchArguments) -> int:
    root = find_corpus(arguments.sources[0] if arguments.sources else None)
    settings = configure(root, results=arguments.results, store=arguments.store).settings
    started = time.perf_counter()
    with ExitStack() as open_one:
        where, understand = arguments.filters
        with looking_for_files():
            corpus = open_one.enter_context(Index.ready(root, settings=settings, progress=indexing_progress()))
            hits, understood = corpus.find(
                arguments.query, settings.results, mode=arguments.mode, where=where, filters=understand
            )
        seconds = time.perf_counter() - started
        if arguments.as_json:
            print_json(
                search_object(arguments.query, hits, corpus, seconds, explain=arguments.explain, understood=understood)
            )
        else:
            remark_on(understood.phrases, understood.missed, understood.translated)
            remark_on_unknown(understood.unknown)
            print_hits(arguments, hits, corpus, corpus.stats().documents, understood)
            remark_if_stale(corpus.freshness)
        print_remarks(corpus.remarks)
    return 0 if hits else NOTHING_FOUND


def _search_several(arguments: SearchArguments) -> int:
    from quaestor.corpus.several_corpora import SeveralCorpora, short_names  # noqa: PLC0415 - most searches have one

    failures: dict[str, Exception] = {}
    roots = _make_each(arguments.sources, find_root, failures)
    if not roots:
        raise _none_there(arguments, failures)
    names = {root: name for name, root in short_names(list(roots.values())).items()}
    settings = {root: configure(root, results=arguments.results, store=arguments.store).settings for root in names}
    with ExitStack() as open_ones:
        started = time.perf_counter()
        opened = _make_each(
            names, lambda root: open_ones.enter_context(_open_index(root, settings[root])), failures, names
        )
        if not opened:
            raise next(iter(failures.values()))
        corpora = SeveralCorpora({names[root]: index for root, index in opened.items()})
        most = max(settings[root].results for root in opened)
        return _answer(arguments, corpora, most, failures, started)


def _answer(
    arguments: SearchArguments, corpora: SeveralCorpora, most: int, failures: Mapping[str, Exception], started: float
) -> int:
    where, understand = arguments.filters
    hits, understood = corpora.find(arguments.query, most, mode=arguments.mode, where=where, filters=understand)
    seconds = time.perf_counter() - started
    result = several_object(
        arguments.query, hits, corpora, seconds, explain=arguments.explain, understood=understood, failures=failures
    )
    if arguments.as_json:
        print_json(result)
    else:
        remark_on(understood.phrases, understood.missed, understood.translated)
        remark_on_unknown(understood.unknown)
        print_hits(arguments, hits, corpora, result["index"]["documents"], understood)
        remark_if_stale(corpora.freshness)
    print_remarks(f"{name}: {error}" for name, error in failures.items())
    print_remarks(corpora.remarks)
    for name in (one["name"] for one in result["corpora"] if one["documents"] == 0 and not one["error"]):
        remark(f"{name} holds no documents.")
    return 0 if hits else NOTHING_FOUND


def _open_index(root: Path, settings: Settings) -> Index:
    return Index.ready(root, settings=settings, progress=indexing_progress())


def _make_each(
    items: Sequence[_Item] | Mapping[_Item, str],
    make: Callable[[_Item], _Made],
    failures: dict[str, Exception],
    names: Mapping[_Item, str] | None = None,
) -> dict[_Item, _Made]:
    """Return the results that could be made; record the errors of others in ``failures``, by name."""
    made: dict[_Item, _Made] = {}
    for item in items:
        try:
            made[item] = make(item)
        except QuaestorError as error:
            failures[str(item) if names is None else names[item]] = error
    return made


def _none_there(arguments: SearchArguments, failures: Mapping[str, Exception]) -> Exception:
    """Return the error if no source can be searched, with advice if a query without quotes was taken for sources."""
    first = next(iter(failures.values()))
    if not isinstance(first, NotFoundError):
        return first
    words = " ".join([arguments.query, *arguments.sources])
    return NotFoundError(f"{first} If {words[:80]!r} belongs together, put it in quotes.")
