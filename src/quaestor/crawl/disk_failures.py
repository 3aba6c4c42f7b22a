"""Turning what a disk or a damaged file does to a crawl into errors for people."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quaestor.core.errors import IndexBusyError, IndexReadOnlyError, IndexUnusableError, LimitError
from quaestor.stores.embedded.sqlite_failures import READ_ONLY, is_full


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Raise what goes wrong with the files of a crawl as an error for people.

    Args:
        folder: of the site.

    Raises:
        LimitError: there is no room, or the disk fails.
        IndexBusyError: another process uses the list of addresses.
        IndexReadOnlyError: the folder may not be written.
        IndexUnusableError: the list of addresses is damaged.
    """
    place = repr(str(folder))
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        if is_full(error):
            raise LimitError(
                f"The crawl into {place} could not go on, for lack of space or because the disk fails ({error}); each "
                "page there is whole, and the crawl goes on from there: free some space and run again."
            ) from error
        if "locked" in str(error) or "busy" in str(error):
            raise IndexBusyError(f"The crawl into {place} is busy in another process: try again later.") from error
        if "readonly" in str(error) or (isinstance(error, OSError) and error.errno in READ_ONLY):
            raise IndexReadOnlyError(
                f"The crawl into {place} cannot be written: let that folder be written."
            ) from error
        raise IndexUnusableError(f"The crawl into {place} cannot go on ({error}): run again with --rebuild.") from error
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        raise IndexUnusableError(
            f"The list of addresses in {place} is damaged ({error}): run again with --rebuild, which begins anew."
        ) from error
