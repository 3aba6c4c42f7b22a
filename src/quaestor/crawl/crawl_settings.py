"""What a caller can choose about a crawl, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The scope and the pace of a crawl.

    Attributes:
        include: globs on paths (``*`` matches any text); empty for everything below the start.
        exclude: globs on paths that are left out in any case.
        depth: links from the start; pages listed in sitemaps and feeds count as one away.
        max_pages: pages that are kept.
        delay: least seconds between two requests to a host; the site's own wish counts if it is longer.
        concurrency: requests under way at once.
        seconds: that one page may take.
        page_bytes: that one page may have.
        allow_private: whether the start's own host may lie in a private network.
        tries: how often a page is asked for that fails for a reason that may pass.
        drop: whether pages that are gone are dropped however many they are.
        hosts: globs on the names of the hosts that may be asked, wherever a redirect leads.
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
        fetched: answers received by this run.
        waiting: addresses still to be asked for.
        skipped: addresses that were left out.
        url: the one that was answered last.
    """

    kept: int
    fetched: int
    waiting: int
    skipped: int
    url: str = ""


CrawlProgress = Callable[[CrawlState], None]


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What a crawl did.

    Attributes:
        start: the address that was crawled.
        pages: pages on disk now.
        new: pages that were not there before.
        changed: pages whose text changed.
        unchanged: pages that are as they were.
        gone: pages that are no longer there, or no longer wanted.
        held: pages that are no longer there and are kept all the same, because they are more than a fifth of all.
        unanswered: pages that stay as they were because the site did not answer when they were asked for.
        requests: how often the site was asked.
        bytes: received, as unpacked.
        skipped: addresses left out, per reason.
        examples: some of them with the reason and detail, for people.
        unfinished: whether something stopped it before all was asked for; the next run goes on.
        seconds: that it took.
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
