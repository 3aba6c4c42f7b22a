"""Crawling one site into a folder: politely, within limits, continuing where an earlier run stopped.

Failures of the disk and damaged files are translated into Quaestor's errors.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

from quaestor.core.config import make_private
from quaestor.core.errors import (
    ForbiddenError,
    IndexBusyError,
    IndexReadOnlyError,
    IndexUnusableError,
    LimitError,
    UpstreamError,
)
from quaestor.core.wording import amount
from quaestor.crawl.connections import PRIVATE, FetchError
from quaestor.crawl.crawl_settings import CrawlProgress, CrawlReport, CrawlSettings, CrawlState
from quaestor.crawl.fetch import Fetcher, FetchResponse
from quaestor.crawl.frontier import DONE, Entry, Frontier
from quaestor.crawl.politeness import NOTHING, Clock, Pace
from quaestor.crawl.responses import ELSEWHERE, ResponseHandler
from quaestor.crawl.scope import Scope, SiteRules
from quaestor.crawl.site_folder import Mirror, RemovedPages, checked_start, pages_folder
from quaestor.crawl.urls import host_of
from quaestor.stores.embedded.lock import WriteLock
from quaestor.stores.embedded.sqlite_failures import READ_ONLY, is_full

_GIVE_UP_AFTER = 12
_REQUESTS_PER_PAGE = 5
_SPARE_REQUESTS = 1000
_EXAMPLES = 200
_SHOWN_EVERY = 0.1
_MOST_LOST = 5
"""A crawl that would remove more than one in this many pages removes none."""


class Crawl:
    """One run over a site.

    Args:
        start: the address, with http or https.
        folder: the site's folder; its pages are in the subfolder named after the host.
        settings: scope and pace.
        fetcher: made from the settings by default.
        clock: the system's by default.

    Raises:
        UsageError: ``start`` is not a web address.
    """

    def __init__(
        self,
        start: str,
        folder: Path,
        settings: CrawlSettings,
        *,
        fetcher: Fetcher | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._start = checked_start(start)
        self._folder = folder
        self._settings = settings
        own = frozenset({host_of(self._start)}) if settings.allow_private else frozenset()
        self._fetcher = fetcher or Fetcher(settings.seconds, settings.page_bytes, own, hosts=settings.hosts)
        self._clock = clock or Clock()

    def run(self, progress: CrawlProgress | None = None) -> CrawlReport:
        """Crawl the site.

        Raises:
            ForbiddenError: the site is in a private network and that was not allowed, or its robots.txt forbids all.
            UpstreamError: the start page cannot be fetched, and there are no pages of an earlier run.
            IndexUnusableError: another process crawls this site, or its files are damaged.
            LimitError: the disk is full or fails; pages fetched by then are kept.
        """
        with _translate_failures(self._folder):
            return self._run(progress)

    def _run(self, progress: CrawlProgress | None) -> CrawlReport:
        make_private(self._folder)
        with WriteLock(self._folder).hold(1.0):
            frontier = Frontier(self._folder)
            try:
                return _Run(self._start, self._folder, self._settings, self._fetcher, frontier, self._clock).run(
                    progress
                )
            finally:
                frontier.close()
                self._fetcher.close()


class _Run:
    def __init__(
        self,
        start: str,
        folder: Path,
        settings: CrawlSettings,
        fetcher: Fetcher,
        frontier: Frontier,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._fetcher = fetcher
        self._frontier = frontier
        self._start = start
        hosts = frozenset(json.loads(frontier.fact("hosts") or "[]")) | {host_of(start)}
        self._first = frontier.fact("start") or start
        self._scope_before = {"hosts": json.dumps(sorted(hosts)), "start": self._first}
        self._mirror = Mirror(pages_folder(folder, start))
        self._removed_pages = RemovedPages(folder, self._mirror)
        self._rules = SiteRules(
            Scope(self._first, hosts, settings.include, settings.exclude), settings, frontier, fetcher
        )
        self._pace = Pace(settings.delay, clock)
        self._responses = ResponseHandler(start, self._rules, frontier, self._mirror, self._pace, settings)
        self._later: list[tuple[float, str]] = []
        self._failures = 0
        self._fetched = 0
        self._stopped = ""
        self._judged = True
        self._objection_before = ""
        self._removed = self._kept_missing = 0

    def run(self, progress: CrawlProgress | None) -> CrawlReport:
        started = time.monotonic()
        self._prepare()
        with ThreadPoolExecutor(self._settings.concurrency, thread_name_prefix="crawl") as threads:
            try:
                self._work(threads, progress)
            except (ForbiddenError, UpstreamError):
                self._keep_all()
                self._fetcher.stop.set()
                raise
            except BaseException:
                self._fetcher.stop.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise
        self._check_start()
        if not self._stopped:
            self._responses.drop_unwanted()
            self._remove_missing()
            self._frontier.end()
        return self._report(time.monotonic() - started)

    def _prepare(self) -> None:
        """Start a first crawl, start another one, or continue an interrupted one."""
        nothing = not self._frontier.on_disk() and not self._frontier.count("waiting")
        if nothing or self._frontier.fact("state") == DONE:
            self._frontier.begin_again()
        self._fetch_start_first()
        self._frontier.remember(state="running")
        self._frontier.add([self._start], "page", 0, 0, {})
        for url in self._rules.sitemaps():
            self._frontier.add([url], "sitemap", 0, 0, {})

    def _fetch_start_first(self) -> None:
        """Fetch the start page before anything else if there are pages that the crawl could remove."""
        if not self._frontier.count_before() or (entry := self._frontier.entry(self._first)) is None:
            return
        self._judged = False
        self._objection_before, _ = self._frontier.why_left_out(entry.url)
        if entry.state != "waiting":
            self._frontier.set(entry.url, "waiting")

    def _stop_if_start_fails(self, entry: Entry, reason: str, detail: str) -> None:
        """Stop if the start page is left out for the first time, so that a site closed for a day loses no pages."""
        if self._judged or entry.url != self._first:
            return
        self._judged = True
        drop_anyway = self._settings.drop and reason != PRIVATE
        if reason and reason not in ELSEWHERE and reason != self._objection_before and not drop_anyway:
            raise self._start_error(reason, detail)

    def _keep_all(self) -> None:
        """Leave the pages of the previous crawl as they are."""
        if self._frontier.count_before():
            self._frontier.put_back(self._frontier.unwanted_pages())
            self._frontier.end()

    def _remove_missing(self) -> None:
        """Remove missing pages, unless they are so many that the site itself may be failing."""
        leaving = self._frontier.unwanted_pages()
        scope = self._rules.scope
        lost = [page for page in leaving if page.is_lost and not scope.is_left_out_by_choice(page.url)]
        if not self._settings.drop and len(lost) * _MOST_LOST > self._frontier.count_before():
            self._frontier.put_back(lost)
            self._frontier.remember(**self._scope_before)
            self._kept_missing = len(lost)
            leaving = [page for page in leaving if page not in set(lost)]
        self._removed_pages.take([page for page in leaving if page.is_lost])
        for page in leaving:
            self._mirror.remove(page.path)
        self._removed = len(leaving)

    def _work(self, threads: ThreadPoolExecutor, progress: CrawlProgress | None) -> None:
        under_way: dict[Future[FetchResponse], Entry] = {}
        shown = 0.0
        while not self._stopped:
            self._submit(threads, under_way)
            if not under_way:
                if not self._later or self._stopped:
                    return
                self._pace.until(self._later[0][0])
                continue
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda one: under_way[one].url):
                with self._frontier.together():
                    self._finish(under_way.pop(future), future)
            if progress is not None and (self._pace.now() - shown > _SHOWN_EVERY or not under_way):
                shown = self._pace.now()
                progress(self._state(under_way))

    def _submit(self, threads: ThreadPoolExecutor, under_way: dict[Future[FetchResponse], Entry]) -> None:
        """Submit requests, up to the number that may run at once."""
        now = self._pace.now()
        while self._later and self._later[0][0] <= now:
            heapq.heappop(self._later)
        busy = {entry.url for entry in under_way.values()} | {url for _, url in self._later}
        free = self._settings.concurrency - len(under_way)
        while free > 0:
            entries = self._frontier.next_waiting(free, busy) if self._judged else self._unasked_start(busy)
            if not entries:
                return
            for entry in entries:
                busy.add(entry.url)
                if self._rules.is_full(entry):
                    self._frontier.set(entry.url, "skipped", reason="beyond the limit of pages")
                elif reason := self._rules.objection(entry):
                    self._stop_if_start_fails(entry, *reason)
                    self._responses.skip(entry, *reason)
                else:
                    if self._fetched + len(under_way) >= self._most_requests():
                        self._stopped = "too many addresses returned no page of their own"
                        return
                    self._pace.wait(host_of(entry.url), self._rules.delay(entry.url))
                    under_way[threads.submit(self._fetch, entry)] = entry
                    free -= 1

    def _unasked_start(self, busy: set[str]) -> list[Entry]:
        entry = self._frontier.entry(self._first)
        return [entry] if entry is not None and entry.url not in busy else []

    def _most_requests(self) -> int:
        return _REQUESTS_PER_PAGE * self._settings.max_pages + _SPARE_REQUESTS

    def _fetch(self, entry: Entry) -> FetchResponse:
        headers = {}
        if entry.path is not None and entry.etag:
            headers["If-None-Match"] = entry.etag
        if entry.path is not None and entry.modified:
            headers["If-Modified-Since"] = entry.modified
        return self._fetcher.fetch(entry.url, headers, self._rules.largest(entry))

    def _finish(self, entry: Entry, future: Future[FetchResponse]) -> None:
        """Handle a response, try again later, or give up on it."""
        try:
            fetched = future.result()
        except FetchError as error:
            self._record_failure(entry, error.reason, error.detail, retryable=error.retryable)
            return
        self._fetched += 1
        after = self._responses.seconds_to_wait(fetched)
        if after is not None:
            self._pace.pause(host_of(entry.url), after)
            self._record_failure(entry, f"answer {fetched.status}", "", retryable=True, after=after)
            return
        self._failures = 0
        self._responses.handle(entry, fetched)
        self._stop_if_start_fails(entry, *self._frontier.why_left_out(entry.url))

    def _record_failure(self, entry: Entry, reason: str, detail: str, *, retryable: bool, after: float = 0.0) -> None:
        tries = entry.tries + 1
        if retryable and tries < self._settings.tries:
            self._frontier.set(entry.url, "waiting", tries=tries)
            pause = max(after, self._pace.backoff(tries))
            heapq.heappush(self._later, (self._pace.now() + pause, entry.url))
            return
        if retryable:
            self._failures += 1
            if self._failures >= _GIVE_UP_AFTER:
                self._frontier.set(entry.url, "waiting", tries=0)
                self._judged = True
                self._stopped = f"the site stopped answering ({reason}{': ' if detail else ''}{detail})"
                return
        self._stop_if_start_fails(entry, "" if retryable else reason, detail)
        # That a host may not be asked says nothing about its pages.
        self._responses.skip(entry, reason, detail, keep=retryable or reason == PRIVATE)

    def _check_start(self) -> None:
        """Raise an error if nothing could be fetched."""
        if self._frontier.on_disk() or self._frontier.count_before():
            return
        if entry := self._frontier.why(self._start):
            raise self._start_error(*entry)

    def _start_error(self, reason: str, detail: str) -> ForbiddenError | UpstreamError:
        """Return the error for a start page that could not be fetched."""
        earlier_pages = self._frontier.count_before()
        safe = f" The earlier pages are kept ({amount(earlier_pages, 'page')})" if earlier_pages else ""
        dropping = f"{safe}; --drop removes them." if earlier_pages else ""
        text = f"{reason}{': ' if detail else ''}{detail}"
        if reason == PRIVATE:
            return ForbiddenError(
                f"{self._start!r} is in a private network ({detail}). Give --allow-private to allow that."
                f"{safe}{'.' if earlier_pages else ''}"
            )
        if reason == "robots.txt" and self._rules.robots(self._start) is not NOTHING:
            return ForbiddenError(f"{self._start!r} may not be fetched: its site's robots.txt says so.{dropping}")
        return UpstreamError(
            f"{self._start!r} returned no page ({text}). Check the address or try again later.{dropping}",
            retryable=True,
        )

    def _state(self, under_way: dict[Future[FetchResponse], Entry]) -> CrawlState:
        url = next((entry.url for entry in under_way.values()), "")
        frontier = self._frontier
        return CrawlState(frontier.on_disk(), self._fetched, frontier.count("waiting"), frontier.count("skipped"), url)

    def _report(self, seconds: float) -> CrawlReport:
        responses = self._responses
        return CrawlReport(
            start=self._start,
            pages=self._frontier.on_disk() + len(self._frontier.unwanted_pages()),
            new=responses.new,
            changed=responses.changed,
            unchanged=responses.unchanged,
            gone=self._removed,
            unanswered=responses.unanswered,
            requests=self._fetched,
            bytes=responses.bytes,
            skipped=self._frontier.count_skipped(),
            examples=tuple(self._frontier.examples(_EXAMPLES)),
            unfinished=self._stopped,
            seconds=seconds,
            held=self._kept_missing,
        )


@contextmanager
def _translate_failures(folder: Path) -> Iterator[None]:
    """Translate failures with a crawl's files into Quaestor's errors.

    Args:
        folder: the site's folder.

    Raises:
        LimitError: the disk is full or fails.
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
                f"The crawl into {place} stopped, because the disk is full or fails ({error}); each page "
                "there is complete: free some space and run again to continue."
            ) from error
        if "locked" in str(error) or "busy" in str(error):
            raise IndexBusyError(f"The crawl into {place} is busy in another process: try again later.") from error
        if "readonly" in str(error) or (isinstance(error, OSError) and error.errno in READ_ONLY):
            raise IndexReadOnlyError(f"The crawl into {place} cannot be written: make that folder writable.") from error
        raise IndexUnusableError(
            f"The crawl into {place} cannot continue ({error}): run again with --rebuild."
        ) from error
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        raise IndexUnusableError(
            f"The list of addresses in {place} is damaged ({error}): run again with --rebuild, which starts over."
        ) from error
