"""``quaestor store``: a database's contents, and copying an index from one store to another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quaestor.assemble.stores_by_name import EMBEDDED, corpora_of, is_shared, made_with, open_as_made, open_store
from quaestor.cli.options import json_option, path_argument, store_option
from quaestor.cli.output import echo, one_line, print_json, print_table, remark
from quaestor.cli.progress import progress_of
from quaestor.cli.scope import configure, find_root
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.files.walk import folder_of

if TYPE_CHECKING:
    from quaestor.stores.postgres.postgres_store import PostgresStore

_WRONG = 1


@click.group("store")
def command() -> None:
    """List, check, clean up or copy the contents of a store.

    A store is the address of a database, as in --store and QUAESTOR_STORE, or for `copy` a folder, which means its
    index on this machine.
    """


@command.command("corpora")
@store_option
@json_option
def corpora(store: str | None, as_json: bool) -> None:
    """List the corpora of a database."""
    found = corpora_of(_database_settings(configure(None, store=store).settings))
    if as_json:
        return print_json({"corpora": [one._asdict() for one in found]})
    if not found:
        return remark("There is no corpus in it yet. `quaestor index --store STORE` makes one.")
    rows = [(one.name, f"{one.documents:,}", f"{one.chunks:,}", one.changed, one.embedder) for one in found]
    return print_table(("corpus", "documents", "chunks", "changed", "embedder"), rows, right=(1, 2))


@command.command("check")
@path_argument
@store_option
@json_option
def check(path: str | None, store: str | None, as_json: bool) -> int:
    """Check all that a database holds of a corpus.

    Exit code 1 means that something is wrong."""
    with _corpus(path, store) as opened:
        wrong = opened.check()
    if as_json:
        print_json({"wrong": wrong})
    elif wrong:
        for one in wrong:
            echo(one_line(one))
        remark(
            "`quaestor store vacuum` makes words anew and drops what nothing refers to; `quaestor index --rebuild`, "
            "where the files are, makes everything anew."
        )
    else:
        echo("nothing is wrong")
    return _WRONG if wrong else 0


@command.command("vacuum")
@path_argument
@store_option
def vacuum(path: str | None, store: str | None) -> None:
    """Drop unused rows, rebuild a corpus's indexes, and free space.

    Rebuilt are its lexical index and its index of vectors."""
    with _corpus(path, store) as opened:
        opened.vacuum()
    remark("done")


@command.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--corpus", help="Its name in the database; that of the folder's repository if not set.")
@json_option
def copy(source: str, target: str, corpus: str | None, as_json: bool) -> None:
    """Copy the contents of one store to another.

    Nothing is embedded again, and an interrupted copy can be continued.

    FROM and TO are addresses of databases; one of them may be a folder, which means its index on this machine.
    """
    from quaestor.indexing.commit import keep_missing  # noqa: PLC0415 - only here
    from quaestor.stores.copying import copy_store  # noqa: PLC0415 - only here

    folders = [one for one in (source, target) if not _is_address(one)]
    if len(folders) > 1 or (not folders and corpus is None):
        raise UsageError("Give a folder and the address of a database, or two addresses and --corpus NAME.")
    root = find_root(folders[0] if folders else None)
    settings = [_settings(root, one, corpus) for one in (source, target)]
    made = made_with(root, settings[0])
    with open_as_made(root, settings[0]) as first:
        assert made is not None
        second = open_store(root, settings[1], *made, create=True)
        try:
            draw = progress_of("documents")
            copied = copy_store(first, second, lambda done, total: draw(done, total, "copying"))
            unkept = 0 if _is_address(source) else keep_missing(second, str(folder_of(root)))
        finally:
            second.close()
    if unkept:
        remark(
            f"{amount(unkept, 'file')} changed since it was indexed, so that the store lacks the bytes: "
            "run `quaestor index --store STORE`."
        )
    if as_json:
        return print_json(copied._asdict())
    held = f"{amount(copied.documents, 'document')}, {amount(copied.chunks, 'chunk')}"
    echo(f"{held}: {copied.written:,} written, {copied.removed:,} removed; both hold {copied.digest[:16]}")
    return None


def _settings(root: Path, place: str, corpus: str | None) -> Settings:
    return configure(root, store=place if _is_address(place) else EMBEDDED, corpus=corpus).settings


def _is_address(text: str) -> bool:
    return "://" in text


def _database_settings(settings: Settings) -> Settings:
    """Return settings that name a database.

    Raises:
        UsageError: they do not.
    """
    if not is_shared(settings):
        raise UsageError("No database is named: give --store postgresql://USER@HOST/DATABASE, or set QUAESTOR_STORE.")
    return settings


@contextmanager
def _corpus(path: str | None, store: str | None) -> Iterator[PostgresStore]:
    """Hold the corpus of a source in the database that is named."""
    from quaestor.stores.postgres.postgres_store import PostgresStore  # noqa: PLC0415 - once it is known to be one

    root = find_root(path)
    with open_as_made(root, _database_settings(configure(root, store=store).settings)) as opened:
        assert isinstance(opened, PostgresStore)
        yield opened
