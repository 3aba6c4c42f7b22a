"""Settings of a crawl, and its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The scope and the pace of a crawl.

    Attributes:
        include: globs on paths to crawl (``*`` matches any text); empty for everything below the start.
        exclude: globs on paths that are left out in any case.
        depth: links from the start; pages listed in sitemaps and feeds count as one away.
        max_pages: pages that are kept.
        delay: least seconds between two requests to a host; the site's own delay wins if it is longer.
        concurrency: requests under way at once.
        seconds: time limit of one page.
        page_bytes: size limit of one page.
        allow_private: whether the start's own host may lie in a private network.
        tries: how often a page is requested if it fails for a temporary reason.
        drop: whether missing pages are dropped even if they are many.
        hosts: globs on the names of allowed hosts, also for redirects.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int = 32
    max_pages: int = 10_000
    delay: float = 0.1
    concurrency: int = 4
    seconds: float = 30.0
    page_bytes: int = 5_000_000
    allow_private: bool = False
    tries: int = 3
    drop: bool = False
    hosts: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class CrawlState:
    """The progress of a crawl.

    Attributes:
        kept: pages on disk.
        fetched: responses received by this run.
        waiting: addresses that are still to be fetched.
        skipped: addresses that were left out.
        url: the address of the last response.
    """

    kept: int
    fetched: int
    waiting: int
    skipped: int
    url: str = ""


CrawlProgress = Callable[[CrawlState], None]


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """The result of a crawl.

    Attributes:
        start: the address that was crawled.
        pages: pages on disk now.
        new: pages that were not there before.
        changed: pages whose text changed.
        unchanged: pages whose text is the same.
        gone: pages that are missing or no longer wanted, and were removed.
        held: missing pages that are kept, because they are more than a fifth of all.
        unanswered: pages that were left unchanged because the site did not answer.
        requests: number of requests to the site.
        bytes: received, decompressed.
        skipped: addresses left out, per reason.
        examples: some of them with reason and detail.
        unfinished: whether it stopped before all addresses were fetched; the next run continues.
        seconds: time taken.
    """

    start: str
    pages: int
    new: int
    changed: int
    unchanged: int
    gone: int
    unanswered: int
    requests: int
    bytes: int
    skipped: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[tuple[str, str, str], ...] = ()
    unfinished: str = ""
    seconds: float = 0.0
    held: int = 0
