"""Prints the hits of a search for people: each with its place and the lines that match best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.cli.output import echo, one_line, remark, safe, style
from quaestor.cli.scope import Filters
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import find_words, terms, terms_of_word
from quaestor.core.wording import amount
from quaestor.corpus import Freshness
from quaestor.corpus.understood_filters import HasBylines, UnderstoodQuestion, why_none
from quaestor.search.query import read_query
from quaestor.search.retriever import Mode
from quaestor.search.spelling import replace_unknown

NOTHING_FOUND = 1
_EXCERPT_LINES = 6


class SearchArguments(NamedTuple):
    """The arguments of a search; the defaults are those of the options.

    Attributes:
        query: any text.
        sources: folders or addresses of sites; empty for the current repository.
        results: the number of hits; None to use the setting.
        mode: how hits are scored.
        explain: whether to show each feature's share in a score.
        as_json: whether to print one JSON object instead of text.
        filters: limit the documents.
    """

    query: str
    sources: tuple[str, ...] = ()
    results: int | None = None
    mode: Mode = "ranked"
    explain: bool = False
    as_json: bool = False
    filters: Filters = Filters()
    store: str | None = None


def print_hits(
    arguments: SearchArguments,
    hits: Sequence[Hit],
    searched: HasBylines,
    documents: int,
    understood: UnderstoodQuestion,
) -> None:
    """Print hits, or that none were found, with the number of documents searched and the reason."""
    if not hits:
        remark(f"Nothing found for {arguments.query[:80]!r} in {amount(documents, 'document')}.")
        if arguments.filters.where and (why := why_none(searched, arguments.filters.where)):
            remark(why)
        return
    wanted = frozenset(
        (
            *read_query(replace_unknown(arguments.query, understood.unknown)).terms,
            *terms(" ".join(understood.translated)),
        )
    )
    for hit in hits:
        corpus = style(f"{one_line(hit.corpus)}  ", fg="magenta") if hit.corpus else ""
        where = corpus + style(f"{one_line(hit.path)}:{hit.start_line}", fg="cyan", bold=True)
        symbol = style(f"  {one_line(hit.symbol)}", fg="yellow") if hit.symbol else ""
        stale = "" if hit.fresh else style("  changed since it was indexed", fg="red")
        echo(f"{where}{symbol}{stale}")
        if line_about := byline(hit):
            echo(style(f"        {line_about}", dim=True))
        for line in excerpt(hit, wanted):
            echo(line)
        if arguments.explain:
            echo(_explain_score(hit))
        echo()


def remark_if_stale(freshness: Freshness) -> None:
    """Print a remark if some changes could not be indexed in time."""
    if not freshness.fresh and not freshness.hindrance:
        remark("The index could not be brought fully up to date in the time allowed; run `quaestor index`.")


def byline(hit: Hit) -> str:
    """Return the origin of a hit's document on one line: address, author, date."""
    document = hit.document
    return " · ".join(one_line(part) for part in (document.url, document.author, document.date) if part)


def excerpt(hit: Hit, wanted: frozenset[str], count: int = _EXCERPT_LINES) -> Iterator[str]:
    """Yield the ``count`` consecutive lines of a hit with most of the wanted terms, numbered and highlighted."""
    lines = hit.text.removesuffix("\n").split("\n")
    weights = [len(wanted & _line_terms(line)) for line in lines]
    # The first line usually names the definition, so it is preferred among equals.
    best = max(range(max(1, len(lines) - count + 1)), key=lambda start: (sum(weights[start : start + count]), -start))
    for number, line in enumerate(lines[best : best + count], start=hit.start_line + best):
        shown = safe(line.removesuffix("\r"))[:200]
        yield f"{style(f'{number:6d}', dim=True)}  {_highlight(shown, wanted)}"


def _line_terms(line: str) -> frozenset[str]:
    return frozenset(term for word in find_words(line) for term in terms_of_word(word))


def _highlight(line: str, wanted: frozenset[str]) -> str:
    def mark(match: re.Match[str]) -> str:
        word = match.group()
        return style(word, bold=True) if wanted.intersection(terms_of_word(word)) else word

    return re.sub(r"[^\W\d]\w*", mark, line)


def _explain_score(hit: Hit) -> str:
    if not hit.features:
        return style(f"        score {hit.score:.3f}, which is not made of features in this --mode", dim=True)
    shares = sorted(hit.features.items(), key=lambda item: -abs(item[1]))
    text = ", ".join(f"{name} {value:+.3f}" for name, value in shares if abs(value) >= 0.0005)
    return style(f"        score {hit.score:.3f} = {text}", dim=True)
