"""What several corpora give, in its contracted JSON form: that of one corpus, and what each of them tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quaestor.core.passages import Hit
from quaestor.corpus.corpus_json import found_object, index_object

if TYPE_CHECKING:
    from quaestor.corpus.corpus import Corpus
    from quaestor.corpus.several_corpora import SeveralCorpora
    from quaestor.corpus.understood_filters import Understood


def several_object(
    query: str,
    hits: Sequence[Hit],
    corpora: SeveralCorpora,
    seconds: float,
    *,
    explain: bool = False,
    asked: Understood | None = None,
    failures: Mapping[str, Exception] | None = None,
) -> dict[str, Any]:
    """Return the result of a search of several corpora; ``index`` is then of all of them together.

    Args:
        query: what was searched for.
        hits: what was found, best first.
        corpora: where; their freshness is that of this search.
        seconds: that it took.
        explain: whether each feature's share in a score is told.
        asked: how the query was understood.
        failures: why others were not searched, by their names.
    """
    held = {name: index_object(corpus) for name, corpus in corpora.answering.items()}
    each = [_answered(name, corpora[name], index) for name, index in held.items()]
    each += [_failed(name, error) for name, error in {**corpora.failures, **(failures or {})}.items()]
    found = found_object(query, hits, _together(corpora, held), seconds, explain=explain, asked=asked)
    return {**found, "corpora": each}


def _together(corpora: SeveralCorpora, held: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what all indexes that were searched are together."""
    each = list(held.values())
    return {
        "fresh": corpora.freshness.fresh,
        "checked_at": corpora.freshness.checked_at,
        "stored": corpora.freshness.stored,
        "commit": corpora.freshness.commit,
        "by_meaning": corpora.reach,
        "embedder": ", ".join(dict.fromkeys(index["embedder"] for index in each)),
        "coming": next((index["coming"] for index in each if index["coming"]), None),
        "documents": sum(index["documents"] for index in each),
        "chunks": sum(index["chunks"] for index in each),
    }


def _answered(name: str, corpus: Corpus, index: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "root": str(corpus.root), "error": None, **index}


def _failed(name: str, error: Exception) -> dict[str, Any]:
    current = {"fresh": False, "checked_at": "", "stored": False, "commit": ""}
    nothing = {**current, "by_meaning": "none", "embedder": "", "coming": None}
    return {"name": name, "root": "", "error": str(error), **nothing, "documents": 0, "chunks": 0}
