"""The state of every address of a crawl: fetched or not, kept, or left out and why.

It is kept on disk, so that memory stays small and a crash loses nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quaestor.core.config import make_private

FILE = "crawl.sqlite"
DONE = "done"
"""The value of the fact ``state`` after a complete crawl."""

_LONGEST_WAY = 12  # redirects of one address that are followed
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS addresses (
    number        INTEGER PRIMARY KEY,
    url           TEXT NOT NULL UNIQUE,
    kind          TEXT NOT NULL,
    is_page       INTEGER GENERATED ALWAYS AS (kind = 'page') STORED,
    state         TEXT NOT NULL,
    depth         INTEGER NOT NULL,
    hops          INTEGER NOT NULL DEFAULT 0,
    tries         INTEGER NOT NULL DEFAULT 0,
    shape         TEXT NOT NULL DEFAULT '',
    path          TEXT,
    hash          TEXT,
    likeness      TEXT,
    etag          TEXT,
    modified      TEXT,
    reason        TEXT,
    detail        TEXT,
    date          TEXT,
    author        TEXT
);
CREATE TABLE IF NOT EXISTS before (
    url   TEXT PRIMARY KEY,
    path  TEXT NOT NULL,
    hash  TEXT,
    depth INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_state ON addresses (state, is_page, depth, number);
CREATE INDEX IF NOT EXISTS by_hash ON addresses (hash) WHERE hash IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_path ON addresses (path) WHERE path IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_shape ON addresses (shape, likeness) WHERE likeness IS NOT NULL;
"""

Kind = Literal["page", "sitemap", "feed"]
State = Literal["waiting", "kept", "read", "skipped"]
"""``waiting``: to be fetched. ``kept``: a page on disk. ``read``: used for its links only. ``skipped``: left out."""

_MOST_COMPARED = 200
_FIELDS = "url, kind, state, depth, hops, tries, path, hash, etag, modified"


@dataclass(frozen=True, slots=True)
class Entry:
    """One address; the fields are the table's."""

    url: str
    kind: Kind
    state: State
    depth: int
    hops: int = 0
    tries: int = 0
    path: str | None = None
    hash: str | None = None
    etag: str | None = None
    modified: str | None = None


@dataclass(frozen=True, slots=True)
class UnwantedPage:
    """A page that was on disk when the crawl began and is no longer wanted.

    Attributes:
        url: its address.
        path: the path of its file, in the folder of pages.
        hash: the hash of its text, if that is known.
        depth: links from the start.
        is_lost: whether its text is kept under no other address.
    """

    url: str
    path: str
    hash: str | None
    depth: int
    is_lost: bool = True


@dataclass(frozen=True, slots=True)
class Repeats:
    """Pages whose addresses have one shape.

    Attributes:
        read: how many were read.
        distinct: how many of them differ in more than numbers from each other.
        duplicates: how many have the same text as another page.
        nearest: least number of links from the start to one of them.
    """

    read: int
    distinct: int
    duplicates: int
    nearest: int


class Frontier:
    """The addresses of one site. Used by one thread.

    Args:
        folder: the folder of the database file; created if it is missing.
    """

    def __init__(self, folder: Path) -> None:
        make_private(folder)
        self._db = sqlite3.connect(folder / FILE, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_SCHEMA)
        self._db.execute("PRAGMA busy_timeout=5000")
        self._on_disk: int | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write everything in the block in one transaction."""
        self._db.execute("BEGIN")
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # on a full disk SQLite has rolled back already
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    def fact(self, name: str) -> str | None:
        """Return a fact about the site, or None."""
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def remember(self, **facts: str) -> None:
        """Store facts about the site."""
        self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    def add(self, urls: Iterable[str], kind: Kind, depth: int, hops: int, shape: Mapping[str, str]) -> None:
        """Add new addresses; a known address gets the least depth of the pages that link to it."""
        self._db.executemany(
            "INSERT INTO addresses (url, kind, state, depth, hops, shape) VALUES (?, ?, 'waiting', ?, ?, ?) "
            "ON CONFLICT (url) DO UPDATE SET depth = excluded.depth, "
            "state = CASE WHEN reason = 'too deep' THEN 'waiting' ELSE state END WHERE excluded.depth < depth",
            ((url, kind, depth, hops, shape.get(url, "")) for url in urls),
        )

    def is_missing(self, url: str) -> bool:
        """Return whether there was no page at an address when it was last requested."""
        row = self._db.execute("SELECT reason FROM addresses WHERE url = ?", (url,)).fetchone()
        return row is not None and row[0] == "not found"

    def retry_left_out(self, reason: str, detail: str) -> None:
        """Mark the addresses that were left out for a reason to be fetched again."""
        self._db.execute(
            "UPDATE addresses SET state = 'waiting' WHERE state = 'skipped' AND reason = ? AND detail = ?",
            (reason, detail),
        )

    def note_feed_entry(self, url: str, date: str | None, author: str | None) -> None:
        """Record a page's date and author from a feed."""
        self._db.execute("UPDATE addresses SET date = ?, author = ? WHERE url = ?", (date, author, url))

    def feed_entry(self, url: str) -> tuple[str | None, str | None]:
        """Return a page's date and author from a feed."""
        row = self._db.execute("SELECT date, author FROM addresses WHERE url = ?", (url,)).fetchone()
        return (row[0], row[1]) if row else (None, None)

    def next_waiting(self, count: int, without: Iterable[str]) -> list[Entry]:
        """Return the next addresses to fetch: lists before pages, those near the start before others."""
        busy = set(without)
        rows = self._db.execute(
            f"SELECT {_FIELDS} FROM addresses WHERE state = 'waiting' ORDER BY is_page, depth, number LIMIT ?",
            (count + len(busy),),
        )
        return [Entry(*row) for row in rows if row[0] not in busy][:count]

    def entry(self, url: str) -> Entry | None:
        """Return an address's entry."""
        row = self._db.execute(f"SELECT {_FIELDS} FROM addresses WHERE url = ?", (url,)).fetchone()
        return Entry(*row) if row else None

    def set(self, url: str, state: State, **fields: str | int | None) -> None:
        """Update an address's entry; other fields keep their values, except reason and detail, which are cleared."""
        if "path" in fields and self._on_disk is not None:
            row = self._db.execute("SELECT path IS NOT NULL FROM addresses WHERE url = ?", (url,)).fetchone()
            self._on_disk += (fields["path"] is not None) - (row[0] if row else 0)
        columns = {"state": state, "reason": None, "detail": None, **fields}
        names = ", ".join(f"{name} = ?" for name in columns)
        self._db.execute(f"UPDATE addresses SET {names} WHERE url = ?", (*columns.values(), url))

    def kept_as(self, content_hash: str) -> Entry | None:
        """Return the kept page whose text has this hash, or None."""
        row = self._db.execute(
            f"SELECT {_FIELDS} FROM addresses WHERE hash = ? AND state = 'kept'", (content_hash,)
        ).fetchone()
        return Entry(*row) if row else None

    def repeats(self, shape: str) -> Repeats:
        """Return the entries of pages of one shape, or of some of them if they are many."""
        row = self._db.execute(
            "SELECT count(*), count(DISTINCT likeness), "
            "coalesce(sum(reason = 'duplicate'), 0), coalesce(min(depth), 0) "
            "FROM (SELECT likeness, reason, depth FROM addresses WHERE shape = ? AND likeness IS NOT NULL LIMIT ?)",
            (shape, _MOST_COMPARED),
        ).fetchone()
        return Repeats(*row)

    def shape(self, url: str) -> str:
        """Return an address's shape."""
        row = self._db.execute("SELECT shape FROM addresses WHERE url = ?", (url,)).fetchone()
        return row[0] if row else ""

    def count(self, state: State) -> int:
        """Return how many addresses are in a state."""
        return int(self._db.execute("SELECT count(*) FROM addresses WHERE state = ?", (state,)).fetchone()[0])

    def on_disk(self) -> int:
        """Return how many pages are on disk."""
        if self._on_disk is None:
            self._on_disk = int(self._db.execute("SELECT count(*) FROM addresses WHERE path IS NOT NULL").fetchone()[0])
        return self._on_disk

    def lists(self) -> int:
        """Return how many sitemaps are known."""
        return int(self._db.execute("SELECT count(*) FROM addresses WHERE kind = 'sitemap'").fetchone()[0])

    def why(self, url: str) -> tuple[str, str] | None:
        """Return why an address, or what it redirects to, was left out; None if it was not."""
        *_, last = self._follow_redirects(url)
        row = self._db.execute("SELECT reason, detail FROM addresses WHERE url = ?", (last,)).fetchone()
        return None if row is None or not row[0] else (row[0], row[1] or "")

    def why_left_out(self, url: str) -> tuple[str, str]:
        """Return why an address itself was left out when last requested; two "" if it was not, or redirects."""
        row = self._db.execute(
            "SELECT coalesce(reason, ''), coalesce(detail, '') FROM addresses WHERE url = ? AND state != 'read'", (url,)
        ).fetchone()
        return (row[0], row[1]) if row else ("", "")

    def leads_to(self, url: str, other: str) -> bool:
        """Return whether an address is the other one or redirects to it."""
        return other in self._follow_redirects(url)

    def _follow_redirects(self, url: str) -> Iterator[str]:
        """Yield an address and the addresses that it redirected to."""
        for _ in range(_LONGEST_WAY):
            yield url
            row = self._db.execute(
                "SELECT detail FROM addresses WHERE url = ? AND state = 'read' AND reason = 'redirect'", (url,)
            ).fetchone()
            if row is None:
                return
            url = row[0]

    def kept_pages(self) -> Iterator[Entry]:
        """Yield every page on disk."""
        rows = self._db.execute(f"SELECT {_FIELDS} FROM addresses WHERE state = 'kept' ORDER BY number").fetchall()
        yield from (Entry(*row) for row in rows)

    def on_disk_now(self) -> list[UnwantedPage]:
        """Return every page on disk, for removal."""
        rows = self._db.execute("SELECT url, path, hash, depth FROM addresses WHERE path IS NOT NULL ORDER BY url")
        return [UnwantedPage(*row) for row in rows]

    def begin_again(self) -> None:
        """Mark every address to be fetched again, and record which pages are on disk at the start of this crawl."""
        self._db.execute("DELETE FROM before")
        self._db.execute("INSERT INTO before SELECT url, path, hash, depth FROM addresses WHERE path IS NOT NULL")
        self._db.execute("UPDATE addresses SET state = 'waiting', tries = 0 WHERE state != 'waiting'")

    def count_before(self) -> int:
        """Return how many pages were on disk when the crawl began."""
        return int(self._db.execute("SELECT count(*) FROM before").fetchone()[0])

    def was_kept(self, url: str) -> bool:
        """Return whether an address's page was on disk when the crawl began."""
        return self._db.execute("SELECT 1 FROM before WHERE url = ?", (url,)).fetchone() is not None

    def unwanted_pages(self) -> list[UnwantedPage]:
        """Return the pages that were on disk when the crawl began and are no longer wanted."""
        rows = self._db.execute(
            "SELECT url, path, hash, depth, "
            "NOT EXISTS (SELECT 1 FROM addresses AS kept WHERE kept.hash = before.hash AND kept.state = 'kept') "
            "FROM before WHERE (SELECT path FROM addresses WHERE addresses.url = before.url) IS NULL ORDER BY url"
        )
        return [UnwantedPage(url, path, text, depth, bool(lost)) for url, path, text, depth, lost in rows]

    def put_back(self, pages: Iterable[UnwantedPage]) -> None:
        """Record restored pages, whose files are on disk, as kept."""
        self._db.executemany(
            "INSERT INTO addresses (url, kind, state, depth, path, hash) VALUES (?, 'page', 'kept', ?, ?, ?) "
            "ON CONFLICT (url) DO UPDATE SET kind = 'page', state = 'kept', path = excluded.path, "
            "hash = excluded.hash, reason = NULL, detail = NULL WHERE path IS NULL",
            ((page.url, page.depth, page.path, page.hash) for page in pages),
        )
        self._on_disk = None

    def end(self) -> None:
        """End the crawl, so that the next one starts over; pages that were not requested stay as they are."""
        self._db.execute("UPDATE addresses SET state = 'kept' WHERE state = 'waiting' AND path IS NOT NULL")
        self._db.execute("DELETE FROM before")
        self.remember(state=DONE)

    def count_skipped(self) -> dict[str, int]:
        """Return how many addresses were left out, per reason, most frequent first."""
        rows = self._db.execute(
            "SELECT reason, count(*) FROM addresses WHERE state = 'skipped' GROUP BY reason ORDER BY 2 DESC, 1"
        )
        return {reason or "": count for reason, count in rows}

    def examples(self, count: int) -> list[tuple[str, str, str]]:
        """Return some of the addresses that were left out, with reason and detail."""
        rows = self._db.execute(
            "SELECT url, reason, coalesce(detail, '') FROM addresses WHERE state = 'skipped' "
            "ORDER BY reason, number LIMIT ?",
            (count,),
        )
        return [(url, reason or "", detail) for url, reason, detail in rows]

    def forget(self, url: str) -> None:
        """Drop an address."""
        self._db.execute("DELETE FROM addresses WHERE url = ?", (url,))
