"""``quaestor store``: lists, checks, cleans up, copies and deletes stored indexes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quaestor.assemble.local_indexes import LocalIndex, delete_local, find_local, list_local
from quaestor.assemble.stores_by_name import (
    EMBEDDED,
    corpora_of,
    corpus_name,
    erase_corpus,
    is_shared,
    open_existing,
    open_store,
    recorded_embedder,
)
from quaestor.cli.options import json_option, path_argument, store_option
from quaestor.cli.output import echo, one_line, print_json, print_table, remark, size
from quaestor.cli.progress import progress_of
from quaestor.cli.scope import configure, find_root
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.wording import amount
from quaestor.files.walk import folder_of
from quaestor.stores.copy_index import copy_store

if TYPE_CHECKING:
    from quaestor.stores.postgres.postgres_store import PostgresStore

_WRONG = 1
_PATHS = ("folder", "source", "fetched")


@click.group("store")
def command() -> None:
    """List, check, clean up, copy or delete stored indexes.

    A store is the address of a database, as in --store and QUAESTOR_STORE. Without one, `corpora` and `drop` are about
    the indexes on this machine; for `copy`, a folder means its index on this machine.
    """


@command.command("corpora")
@store_option
@json_option
def corpora(store: str | None, as_json: bool) -> None:
    """List the indexes on this machine, or the corpora of a database."""
    settings = configure(None, store=store).settings
    if not is_shared(settings):
        return _print_local(list_local(settings), as_json)
    lines = corpora_of(settings)
    if as_json:
        return print_json({"corpora": [one._asdict() for one in lines]})
    if not lines:
        return remark("The database holds no corpus yet. `quaestor index --store STORE` makes one.")
    rows = [(one.name, f"{one.documents:,}", f"{one.chunks:,}", one.changed, one.embedder) for one in lines]
    return print_table(("corpus", "documents", "chunks", "changed", "embedder"), rows, right=(1, 2))


def _print_local(indexes: Sequence[LocalIndex], as_json: bool) -> None:
    if as_json:
        return print_json({"corpora": [_local_object(one) for one in indexes]})
    if not indexes:
        return remark("There is no index on this machine yet. `quaestor index` makes one.")
    rows = [
        (_name_of(one), f"{one.documents:,}", f"{one.chunks:,}", size(one.size), one.changed, _state_of(one))
        for one in indexes
    ]
    return print_table(("corpus", "documents", "chunks", "size", "changed", "embedder"), rows, right=(1, 2, 3))


def _local_object(one: LocalIndex) -> dict[str, object]:
    paths = {name: None if path is None else str(path) for name, path in one._asdict().items() if name in _PATHS}
    return {**one._asdict(), **paths}


def _name_of(one: LocalIndex) -> str:
    return str(one.source or one.folder.name)


def _state_of(one: LocalIndex) -> str:
    embedder = one.embedder or "cannot be read"
    return f"{embedder}; its folder is gone" if one.gone else embedder


@command.command("drop")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@store_option
@click.option("--gone", is_flag=True, help="Delete the index of every folder that no longer exists.")
@click.option("--fetched", is_flag=True, help="For a site or git repository: also delete its fetched files.")
@click.option("-y", "--yes", is_flag=True, help="Delete without asking.")
def drop(sources: Sequence[str], store: str | None, gone: bool, fetched: bool, yes: bool) -> None:
    """Delete indexes from this machine, or corpora from a database.

    SOURCE is a folder, which may no longer exist, the address of a site or repository, or a name from `quaestor store
    corpora`. Your own files are not touched; conversations and records of edits stay.
    """
    settings = configure(None, store=store).settings
    if is_shared(settings):
        if gone or fetched:
            raise UsageError("--gone and --fetched are for indexes on this machine, not for corpora of a database.")
        return _drop_shared(sources, settings, yes=yes)
    indexes = [find_local(one, settings) for one in sources]
    indexes += [one for one in list_local(settings) if gone and one.gone]
    if not indexes and not gone:
        raise UsageError("Name the indexes to delete; `quaestor store corpora` lists them.")
    for one in dict.fromkeys(indexes):
        pages = " and its fetched files" if fetched and one.fetched else ""
        _agree(f"the index of {one_line(_name_of(one))} ({size(one.size)}){pages}", yes=yes)
        delete_local(one, lambda: None, fetched=fetched)
        echo(f"deleted: {one_line(_name_of(one))}, {size(one.size)}")
        if one.fetched and not fetched:
            remark(f"Its fetched files stay in {one.fetched}; --fetched deletes them, too.")
    if not indexes:
        remark("Every folder that has an index exists; nothing was deleted.")
    return None


def _drop_shared(sources: Sequence[str], settings: Settings, *, yes: bool) -> None:
    """Delete corpora from a database."""
    stored_names = {one.name for one in corpora_of(settings)}
    names = [one if one in stored_names else corpus_name(find_root(one), settings) for one in sources]
    if not names:
        raise UsageError("Name the corpora to delete; `quaestor store corpora --store STORE` lists them.")
    if missing := [name for name in names if name not in stored_names]:
        raise NotFoundError(f"There is no corpus {missing[0]!r} in the database; `quaestor store corpora` lists all.")
    for name in names:
        _agree(f"the corpus {one_line(name)} for everybody who uses the database", yes=yes)
        erase_corpus(name, settings)
        echo(f"deleted: {one_line(name)}")


def _agree(what: str, *, yes: bool) -> None:
    """Ask whether to delete something.

    Raises:
        UsageError: the user declined, or cannot be asked.
    """
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"Nothing was deleted. To delete {what}, give --yes.")
    if not click.confirm(f"Delete {what}?", default=False, err=True):
        raise UsageError("Nothing more was deleted.")


@command.command("check")
@path_argument
@store_option
@json_option
def check(path: str | None, store: str | None, as_json: bool) -> int:
    """Check all data of a corpus in a database.

    Exit code 1 means that something is wrong."""
    with _corpus(path, store) as opened:
        wrong = opened.check()
    if as_json:
        print_json({"wrong": wrong})
    elif wrong:
        for one in wrong:
            echo(one_line(one))
        remark(
            "`quaestor store vacuum` rebuilds the lexical index and drops unused rows; `quaestor index --rebuild`, "
            "run where the files are, rebuilds everything."
        )
    else:
        echo("nothing is wrong")
    return _WRONG if wrong else 0


@command.command("vacuum")
@path_argument
@store_option
def vacuum(path: str | None, store: str | None) -> None:
    """Drop unused rows, rebuild a corpus's indexes, and free space.

    This rebuilds the lexical index, and the index of vectors if an earlier version built it."""
    with _corpus(path, store) as opened:
        opened.vacuum()
    remark("done")


@command.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--corpus", help="The corpus's name in the database; by default, that of the repository.")
@json_option
def copy(source: str, target: str, corpus: str | None, as_json: bool) -> None:
    """Copy the contents of one store to another.

    Nothing is embedded again, and an interrupted copy can be continued.

    FROM and TO are addresses of databases; one of them may be a folder, which means its index on this machine.
    """
    from quaestor.indexing.commit import keep_missing  # noqa: PLC0415 - only here

    folders = [one for one in (source, target) if not _is_address(one)]
    if len(folders) > 1 or (not folders and corpus is None):
        raise UsageError("Give a folder and the address of a database, or two addresses and --corpus NAME.")
    root = find_root(folders[0] if folders else None)
    settings = [_settings(root, one, corpus) for one in (source, target)]
    recorded = recorded_embedder(root, settings[0])
    with open_existing(root, settings[0]) as first:
        assert recorded is not None
        second = open_store(root, settings[1], *recorded, create=True)
        try:
            draw = progress_of("documents")
            copied = copy_store(first, second, lambda done, total: draw(done, total, "copying"))
            unkept = 0 if _is_address(source) else keep_missing(second, str(folder_of(root)))
        finally:
            second.close()
    if unkept:
        remark(
            f"{amount(unkept, 'file')} changed since being indexed, so the store lacks their bytes: "
            "run `quaestor index --store STORE`."
        )
    if as_json:
        return print_json(copied._asdict())
    counts = f"{amount(copied.documents, 'document')}, {amount(copied.chunks, 'chunk')}"
    echo(f"{counts}: {copied.written:,} written, {copied.removed:,} removed; both hold {copied.digest[:16]}")
    return None


def _settings(root: Path, place: str, corpus: str | None) -> Settings:
    return configure(root, store=place if _is_address(place) else EMBEDDED, corpus=corpus).settings


def _is_address(text: str) -> bool:
    return "://" in text


def _database_settings(settings: Settings) -> Settings:
    """Return the settings, if they name a database.

    Raises:
        UsageError: they do not.
    """
    if not is_shared(settings):
        raise UsageError(
            "No database is named: give --store postgresql://USER@HOST/DATABASE, or set QUAESTOR_STORE. "
            "`quaestor doctor` checks the indexes on this machine."
        )
    return settings


@contextmanager
def _corpus(path: str | None, store: str | None) -> Iterator[PostgresStore]:
    """Yield the store of a source's corpus in the database that the settings name."""
    root = find_root(path)
    settings = _database_settings(configure(root, store=store).settings)
    from quaestor.stores.postgres.postgres_store import PostgresStore  # noqa: PLC0415 - only if a database is named

    with open_existing(root, settings) as opened:
        assert isinstance(opened, PostgresStore)
        yield opened
