"""Brings the derived files up to date with the database, in two steps around its commit.

``prepare`` does the work, from the writer's own uncommitted view; ``publish`` makes it visible and is quick.
A process killed in between leaves the files behind the database; the next writer, or a reader that finds them too far
behind, continues from there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from quaestor.stores.embedded import Thresholds, sqlite_rows
from quaestor.stores.embedded.checksums import DamagedError, DamageHandler, ignore, require
from quaestor.stores.embedded.derived_files import Lag, Mark, after, is_worn, lag
from quaestor.stores.embedded.lexical import FOLDER, LexicalBase, LexicalUpdate
from quaestor.stores.embedded.matrix import MatrixBase, MatrixUpdate

_WORN_SHARE = 0.3
_ROWS_AT_ONCE = 8192


class Derivation:
    """Changes to the derived files that readers do not see before ``publish``."""

    def __init__(self) -> None:
        self.lexical: tuple[LexicalUpdate, Mark] | None = None
        self.matrix: tuple[MatrixUpdate, Mark] | None = None

    def publish(self) -> bool:
        """Make the changes visible; return whether all of them could be written."""
        try:
            if self.matrix is not None:
                self.matrix[0].publish(self.matrix[1])
                self.matrix = None
            if self.lexical is not None:
                self.lexical[0].publish(self.lexical[1])
                self.lexical = None
        except OSError:
            self.abandon()
            return False
        return True

    def abandon(self) -> None:
        """Drop the changes that are not published."""
        for update in (self.matrix, self.lexical):
            if update is not None:
                update[0].abandon()
        self.matrix = self.lexical = None


def prepare(
    connection: sqlite3.Connection,
    folder: Path,
    dimensions: int,
    sizes: Thresholds,
    *,
    trim: bool,
    whole: bool = False,
    on_damage: DamageHandler = ignore,
) -> Derivation:
    """Bring derived files that are too far behind up to date, and rebuild damaged ones.

    Args:
        connection: a connection to the database.
        folder: the store's folder.
        dimensions: the length of the vectors.
        sizes: decide how far behind is too far.
        trim: whether to shorten the change log as far as the files on disk allow.
        whole: whether to check the files completely for damage, and not only the parts that are read.
        on_damage: called with the name of each damaged file.
    """
    lexical = LexicalBase.load(folder, whole=whole, on_damage=on_damage)
    matrix = MatrixBase.load(folder, dimensions, whole=whole, on_damage=on_damage)
    if trim:
        _trim(connection, [base.mark if base else None for base in (lexical, matrix)])
    derivation = Derivation()
    try:
        derivation.matrix = _prepare_matrix(connection, folder, dimensions, matrix, sizes)
        try:
            derivation.lexical = _prepare_lexical(connection, folder, lexical, sizes)
        except DamagedError:
            on_damage(FOLDER)
            derivation.lexical = _prepare_lexical(connection, folder, None, sizes)
    except BaseException:
        derivation.abandon()
        raise
    return derivation


def _trim(connection: sqlite3.Connection, marks: Sequence[Mark | None]) -> None:
    """Drop the part of the change log that all derived files include."""
    reached = [mark.content for mark in marks if mark is not None and sqlite_rows.has_been(connection, mark.content)]
    if len(reached) < len(marks):
        return
    oldest = min(content.generation for content in reached)
    connection.execute("DELETE FROM removed WHERE generation <= ?", (oldest,))
    connection.execute("DELETE FROM contents WHERE generation < ?", (oldest,))


def _plan_catch_up(connection: sqlite3.Connection, mark: Mark | None, sizes: Thresholds) -> tuple[Lag, bool] | None:
    """Return the changes to catch up on and whether to rebuild the file; None if there is nothing to do."""
    behind = lag(connection, mark)
    if behind is not None and behind.size <= sizes.overlaid:
        return None
    if behind is None or mark is None or is_worn(after(mark, behind), _WORN_SHARE, sizes.worn):
        whole = lag(connection, None)
        assert whole is not None
        return whole, True
    return behind, False


def _prepare_lexical(
    connection: sqlite3.Connection, folder: Path, base: LexicalBase | None, sizes: Thresholds
) -> tuple[LexicalUpdate, Mark] | None:
    course = _plan_catch_up(connection, base.mark if base else None, sizes)
    if course is None:
        return None
    behind, from_scratch = course
    base = None if from_scratch else base
    update = LexicalUpdate(folder, base)
    mark = base.mark if base else None
    try:
        for run in behind.removed:
            update.remove(run)
        added = 0
        for entry in sqlite_rows.terms_after(connection, mark.last_chunk if mark else 0):
            update.add(entry)
            added += len(entry.segment.chunks)
        require(added == behind.added, "the number of chunks with terms")
        update.finish()
    except BaseException:
        update.abandon()
        raise
    return update, after(mark, behind)


def _prepare_matrix(
    connection: sqlite3.Connection, folder: Path, dimensions: int, base: MatrixBase | None, sizes: Thresholds
) -> tuple[MatrixUpdate, Mark] | None:
    course = _plan_catch_up(connection, base.mark if base else None, sizes)
    if course is None:
        return None
    behind, from_scratch = course
    base = None if from_scratch else base
    update = MatrixUpdate(folder, dimensions, base)
    try:
        for run in behind.removed:
            update.remove(run)
        last = base.mark.last_chunk if base else 0
        for ids, rows in sqlite_rows.vectors_after(connection, last, dimensions, _ROWS_AT_ONCE):
            update.append(ids, rows)
        update.finish()
    except BaseException:
        update.abandon()
        raise
    return update, after(base.mark if base else None, behind)
