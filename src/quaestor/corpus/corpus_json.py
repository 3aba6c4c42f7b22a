"""A corpus's results in their contracted JSON forms: the same on the command line and over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quaestor.core.documents import Hit
from quaestor.search.spelling import UnknownWord

if TYPE_CHECKING:
    from quaestor.corpus import Corpus, CorpusStats, UnderstoodQuestion
    from quaestor.corpus.descriptions import VectorProgress
    from quaestor.corpus.several_corpora import SeveralCorpora
    from quaestor.files.indexing_values import Survey


def search_object(
    query: str,
    hits: Sequence[Hit],
    corpus: Corpus,
    seconds: float,
    *,
    explain: bool = False,
    understood: UnderstoodQuestion | None = None,
    name: str = "",
) -> dict[str, Any]:
    """Return the result of a search.

    Args:
        query: the text that was searched for.
        hits: the hits, best first.
        corpus: the corpus, with the freshness of this search.
        seconds: the time that the search took.
        explain: whether to include each feature's share in a score.
        understood: how the query was understood.
        name: the name of the corpus; empty for its folder's.
    """
    named_hits = [hit._replace(corpus=name or corpus.root.name) for hit in hits]
    return found_object(query, named_hits, index_object(corpus), seconds, explain=explain, understood=understood)


def found_object(
    query: str,
    hits: Sequence[Hit],
    index: Mapping[str, Any],
    seconds: float,
    *,
    explain: bool = False,
    understood: UnderstoodQuestion | None = None,
) -> dict[str, Any]:
    """Return the hits of one index, or of several that ``index`` describes as one."""
    return {
        "query": query,
        "understood": list(understood.phrases) if understood else [],
        "missed": list(understood.missed) if understood else [],
        "translated": list(understood.translated) if understood else [],
        "unknown": unknown_objects(understood.unknown if understood else ()),
        "hits": [{**hit_object(hit, explain=explain), "corpus": hit.corpus} for hit in hits],
        "index": index,
        "seconds": round(seconds, 4),
    }


def index_object(corpus: Corpus) -> dict[str, Any]:
    """Return an index's freshness and contents."""
    size = corpus.stats()
    return {
        "fresh": corpus.freshness.fresh,
        "checked_at": corpus.freshness.checked_at,
        "stored": corpus.freshness.stored,
        "commit": corpus.freshness.commit,
        "checked_against": corpus.freshness.checked_against,
        "by_meaning": corpus.meaning.reach,
        "embedder": size.embedder,
        "coming": coming_object(corpus.meaning.vector_progress),
        "documents": size.documents,
        "chunks": size.chunks,
    }


def unknown_objects(unknown: Sequence[UnknownWord]) -> list[dict[str, Any]]:
    """Return a query's words that occur nowhere, with the most similar ones that do."""
    return [{"word": one.word, "nearest": list(one.nearest)} for one in unknown]


def hit_object(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """Return one hit."""
    shown: dict[str, Any] = {
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": round(hit.score, 4),
        "symbol": hit.symbol,
        "language": hit.document.language,
        "text": hit.text,
        "title": hit.document.title,
        "url": hit.document.url,
        "author": hit.document.author,
        "date": hit.document.date,
        "sha256": hit.document.sha256,
        "fresh": hit.fresh,
        "also": list(hit.also),
    }
    if explain:
        shown["features"] = {name: round(value, 4) for name, value in hit.features.items()}
    return shown


def survey_object(root: str, survey: Survey) -> dict[str, Any]:
    """Return a survey of a source."""
    from dataclasses import asdict  # noqa: PLC0415 - imports much, of which no search needs any

    return {
        "root": root,
        **survey._asdict(),
        "words": asdict(survey.words),
        "skipped": [entry._asdict() for entry in survey.skipped],
        "skipped_by_reason": dict(survey.skipped_by_reason),
    }


def stats_object(root: str, survey: Survey, stats: CorpusStats, progress: VectorProgress | None) -> dict[str, Any]:
    """Return a source's survey, the size of its index, and the vectors that are still being made."""
    return {**survey_object(root, survey), "index": stats._asdict(), "coming": coming_object(progress)}


def coming_object(progress: VectorProgress | None) -> dict[str, Any] | None:
    """Return the progress of vectors that are being made for an index, or None if there are none."""
    return None if progress is None else progress._asdict()


def several_object(
    query: str,
    hits: Sequence[Hit],
    corpora: SeveralCorpora,
    seconds: float,
    *,
    explain: bool = False,
    understood: UnderstoodQuestion | None = None,
    failures: Mapping[str, Exception] | None = None,
) -> dict[str, Any]:
    """Return the result of a search of several corpora; ``index`` is then of all of them together.

    Args:
        query: the text that was searched for.
        hits: the hits, best first.
        corpora: the corpora, with the freshness of this search.
        seconds: the time that the search took.
        explain: whether to include each feature's share in a score.
        understood: how the query was understood.
        failures: the errors of corpora that were not searched, by name.
    """
    index_objects = {name: index_object(corpus) for name, corpus in corpora.last_searched.items()}
    corpus_objects = [_searched_object(name, corpora[name], index) for name, index in index_objects.items()]
    corpus_objects += [_failed_object(name, error) for name, error in {**corpora.failures, **(failures or {})}.items()]
    result = found_object(
        query, hits, _joint_index_object(corpora, index_objects), seconds, explain=explain, understood=understood
    )
    return {**result, "corpora": corpus_objects}


def _joint_index_object(corpora: SeveralCorpora, index_objects: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the description of the searched indexes as one."""
    indexes = list(index_objects.values())
    return {
        "fresh": corpora.freshness.fresh,
        "checked_at": corpora.freshness.checked_at,
        "stored": corpora.freshness.stored,
        "commit": corpora.freshness.commit,
        "checked_against": corpora.freshness.checked_against,
        "by_meaning": corpora.reach,
        "embedder": ", ".join(dict.fromkeys(index["embedder"] for index in indexes)),
        "coming": next((index["coming"] for index in indexes if index["coming"]), None),
        "documents": sum(index["documents"] for index in indexes),
        "chunks": sum(index["chunks"] for index in indexes),
    }


def _searched_object(name: str, corpus: Corpus, index: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "root": str(corpus.root), "error": None, **index}


def _failed_object(name: str, error: Exception) -> dict[str, Any]:
    current = {"fresh": False, "checked_at": "", "stored": False, "commit": "", "checked_against": "files"}
    nothing = {**current, "by_meaning": "none", "embedder": "", "coming": None}
    return {"name": name, "root": "", "error": str(error), **nothing, "documents": 0, "chunks": 0}
