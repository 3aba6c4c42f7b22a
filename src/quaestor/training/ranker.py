"""Training the ranker: a linear model per kind of query, fitted to judged searches.

    python -m quaestor.training.ranker --annotations DIR --repositories DIR --documents DIR... \\
        --asked QUESTIONS CORPORA TIMES --own DIR... --indexes DIR --out ranker.json

Features are computed by the very code that searches, over real indexes. The loss is ListNet's. Figures are by
cross-validation over repositories, so that none is ranked by weights it was trained on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.retrieval.features import FEATURES
from quaestor.retrieval.ranker import TEXTS, Ranker, spread
from quaestor.training.judged import (
    Search,
    load_asked_searches,
    load_own_searches,
    load_prose_searches,
    load_searches,
    ndcg_at_10,
)
from quaestor.training.listnet import listnet
from quaestor.training.within import fit_within

Array = NDArray[np.float64]

_PROSE = FEATURES.index("prose")
_FOLDS = 8
_MATCH = {"lexical": 1.0, "dense_relative": 1.0, "defines_name": 1.0, "is_name": 1.0}
# The judged searches were asked of code and never of the prose beside it, so what they say against prose is partly that
# nobody asked. At this share of it documents still answer what they alone can, and do not crowd out the code that a
# question is about: with a quarter, first questions about whole repositories (benchmarks/conversations.py) lost .07.
_PROSE_SHARE = 0.6
# The same is true of tests and data: at these shares nothing is lost of what was judged.
_OTHER_SHARES = {"data": 0.5, "test": 0.75}
# Several sections of one page may all be wanted; several chunks of one source file hardly ever are.
_PROSE_DECAY = 0.25
# Of these kinds of made searches the answer has not the very words of the query, so they teach what questions need.
_PROSE_KINDS = tuple(f"made prose {kind}" for kind in ("sentence", "link", "short sentence", "short link"))
# Of these it has, in its heading or its text.
_QUOTED_KINDS = ("made prose heading", "made prose quote")
# Made searches take one place of a file, whatever its size and name; so of prose, features of the path and of what
# sort of file it is would learn how the searches were made.
_PROSE_FEATURES = frozenset(
    {
        *("lexical", "lexical_rank", "lexical_body", "dense", "dense_relative", "dense_rank"),
        *("symbol_coverage", "scope_coverage", "neighbour_lexical", "neighbour_dense", "likeness"),
        *("file_lexical_best", "file_dense_best", "file_dense_mean", "best_lexical_in_file", "best_dense_in_file"),
    }
)
_QUOTED_FEATURES = _PROSE_FEATURES - {"likeness"} | {
    *("phrase", "pairs", "pairs_relative", "lexical_symbol", "symbol_precision"),
}
_HOW_TO = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0)
_DECAYS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted ranker with how well it does on repositories it has not seen.

    Attributes:
        ranker: trained on everything.
        by_category: mean NDCG@10 of raw chunks per category, cross-validated.
        by_repository: the same per repository.
        mean: the same over all annotated searches.
        of_prose: share of the questions asked of prose with an answer among ten, each by weights fitted without its
            corpus.
    """

    ranker: Ranker
    by_category: dict[str, float]
    by_repository: dict[str, float]
    mean: float
    of_prose: float


def fit(searches: Sequence[Search], documents: Sequence[Search], own: Sequence[Search], name: str) -> Fitted:
    """Fit a ranker and cross-validate it.

    Args:
        searches: of code, annotated and made.
        documents: of prose, made and asked.
        own: what repositories ask of themselves, each with the lines that answer it.
        name: what the weights are called.
    """
    of_prose, of_quoted = _fit_prose(documents), _fit_quoted_prose(documents)
    of_places_within = _narrow(fit_within(own))
    repositories = sorted({search.repository for search in searches})
    rankers: dict[str, Ranker] = {}
    for fold in range(_FOLDS):
        held = set(repositories[fold::_FOLDS])
        fitted = _fit_weights([search for search in searches if search.repository not in held], name)
        fitted = _with_prose(fitted, of_prose, of_quoted, searches)._replace(of_places_within=of_places_within)
        rankers.update(dict.fromkeys(held, fitted))
    decay = max(_DECAYS, key=lambda value: _mean(searches, rankers, value))
    scores = [_score(search, rankers[search.repository], decay) for search in searches]
    whole = _with_prose(_fit_weights(searches, name), of_prose, of_quoted, searches)
    whole = whole._replace(of_places_within=of_places_within, decay=decay, prose_decay=min(decay, _PROSE_DECAY))
    return Fitted(
        whole._replace(how_to=best_how_to(whole, own)),
        _means([search.category for search in searches], scores),
        _means([search.repository if _is_annotated(search) else "(made)" for search in searches], scores),
        float(np.mean([score for search, score in zip(searches, scores, strict=True) if _is_annotated(search)])),
        _of_prose(documents),
    )


def best_how_to(ranker: Ranker, own: Sequence[Search]) -> float:
    """Return what prose should gain where somebody asks how to use a thing: what repositories' own such questions say.

    Annotated questions are answered by code alone, whatever they ask.
    """
    asked = [search for search in own if search.group == "how"]

    def worth(value: float) -> float:
        return sum(_score(search, ranker._replace(how_to=value), ranker.decay) for search in asked)

    return max(_HOW_TO, key=worth)


def _of_prose(documents: Sequence[Search]) -> float:
    """Return the share of asked questions with an answer among ten, each by weights fitted without its corpus."""
    asked = [search for search in documents if _is_asked(search)]
    found = []
    for corpus in {search.repository for search in asked}:
        weights = _fit_prose([search for search in documents if search.repository != corpus])
        for search in asked:
            if search.repository == corpus:
                decays = [_PROSE_DECAY] * len(search.paths)
                chosen = spread((search.features @ weights).tolist(), search.paths, decays, 10)
                found.append(any(search.judged[index] for index, _ in chosen))
    return float(np.mean(found)) if found else 0.0


def _fit_prose(documents: Sequence[Search]) -> Array:
    """Return weights for questions of prose."""
    made = [search for search in documents if search.category in _PROSE_KINDS]
    asked = [search for search in documents if _is_asked(search)]
    return _fit_kept([*made, *asked], _PROSE_FEATURES)


def _fit_quoted_prose(documents: Sequence[Search]) -> Array:
    """Return weights for words that stand in prose as they are: in a heading, or in the text."""
    chosen = [search for search in documents if search.category in _QUOTED_KINDS and search.group == "quote"]
    return _fit_kept(chosen, _QUOTED_FEATURES)


def _fit_kept(searches: Sequence[Search], features: AbstractSet[str]) -> Array:
    """Fit weights for some of the features, 0 for the others."""
    kept = np.array([name in features for name in FEATURES], dtype=np.float64)
    useful = [search for search in searches if search.judged.any()]
    return _fit([search.features * kept for search in useful], useful) * kept


def _with_prose(ranker: Ranker, of_prose: Array, of_quoted: Array, searches: Sequence[Search]) -> Ranker:
    """Add the weights for prose, at the level beside code that is left when most of what speaks against prose goes."""
    kept = np.ones(len(FEATURES), dtype=np.float32)
    kept[_PROSE] = _PROSE_SHARE
    softened = ranker._replace(of_symbols=ranker.of_symbols * kept, of_prose=ranker.of_texts * kept)
    bare = softened._replace(of_prose=_narrow(of_prose), of_quoted_prose=_narrow(of_quoted))
    asked = [search for search in searches if _is_annotated(search) and search.group in TEXTS]
    quoted = [search for search in searches if search.group == "quote"]
    of_prose, of_quoted = of_prose.copy(), of_quoted.copy()
    of_prose[_PROSE] += _gap(asked, softened, bare)
    of_quoted[_PROSE] += _gap(quoted, softened, bare)
    shares = np.array([_OTHER_SHARES.get(name, 1.0) for name in FEATURES], dtype=np.float32)
    of_texts = softened.of_texts * shares
    return softened._replace(of_texts=of_texts, of_prose=_narrow(of_prose), of_quoted_prose=_narrow(of_quoted))


def _narrow(weights: Array) -> NDArray[np.float32]:
    return weights.astype(np.float32)


def _gap(searches: Sequence[Search], wanted: Ranker, ranker: Ranker) -> float:
    """Return by how much less prose leads by one ranker than it should, in searches that find prose and code."""
    mixed = [search for search in searches if 0 < search.features[:, _PROSE].sum() < len(search.paths)]
    return float(np.mean([_lead(search, wanted) - _lead(search, ranker) for search in mixed]))


def _lead(search: Search, ranker: Ranker) -> float:
    """Return by how much the best prose is above the best code."""
    scores, prose = ranker.scores(search.features, search.group), search.features[:, _PROSE] > 0
    return float(scores[prose].max() - scores[~prose].max())


def _fit_weights(searches: Sequence[Search], name: str) -> Ranker:
    """Fit the weights for code: names and texts share what they teach each other, the others stand alone."""
    useful = [search for search in searches if search.judged.any()]
    asked = [
        search for search in useful if _is_annotated(search) and (search.group == "symbol" or search.group in TEXTS)
    ]
    shared, of_texts, of_symbols = np.split(_fit([_tripled(search) for search in asked], asked), 3)
    made = [search for search in useful if not _is_annotated(search)]
    of_alone = {}
    for group in ("place", "quote"):
        chosen = [search for search in made if search.group == group]
        of_alone[group] = _fit([search.features.astype(np.float64) for search in chosen], chosen)
    return Ranker(
        name,
        of_symbols=(shared + of_symbols).astype(np.float32),
        of_places=of_alone["place"].astype(np.float32),
        of_quotes=of_alone["quote"].astype(np.float32),
        of_texts=(shared + of_texts).astype(np.float32),
        of_prose=(shared + of_texts).astype(np.float32),
        of_quoted_prose=of_alone["quote"].astype(np.float32),
        of_places_within=np.zeros(len(FEATURES), dtype=np.float32),
        how_to=0.0,
        decay=0.0,
        prose_decay=0.0,
    )


def _fit(features: Sequence[Array], searches: Sequence[Search]) -> Array:
    return listnet(features, [_targets(search) for search in searches])


def _tripled(search: Search) -> Array:
    """Return features three times: for all queries, for texts, for names."""
    texts, symbols = (0.0, 1.0) if search.group == "symbol" else (1.0, 0.0)
    blocks = (search.features, search.features * texts, search.features * symbols)
    return np.concatenate(blocks, axis=1).astype(np.float64)


def _targets(search: Search) -> Array:
    """Return the share of each judged chunk: one a file, spread over its chunks by how well they match.

    Where a file is judged as a whole, a name should lead to its definition in it.
    """
    shares = np.zeros(len(search.judged))
    match = sum(
        (weight * search.features[:, FEATURES.index(name)] for name, weight in _MATCH.items()),
        start=np.zeros(len(search.judged)),
    )
    for path in {path for path, judged in zip(search.paths, search.judged, strict=True) if judged}:
        rows = [row for row, other in enumerate(search.paths) if other == path and search.judged[row]]
        weights = np.exp(5 * (match[rows] - match[rows].max()))
        shares[rows] += weights / weights.sum()
    total: Array = shares / shares.sum()
    return total


def _score(search: Search, ranker: Ranker, decay: float) -> float:
    own = ranker.scores(search.features, search.group)
    files = np.unique(search.paths, return_inverse=True)[1]
    scores = own[ranker.earners(search.features, own, search.group, files)].tolist()
    prose = search.features[:, _PROSE] > 0
    decays = np.where(prose, min(decay, _PROSE_DECAY), decay).tolist()
    chosen = spread(scores, search.paths, decays, 10)
    return ndcg_at_10(search, [index for index, _ in chosen])


def _is_annotated(search: Search) -> bool:
    return not search.category.startswith("made")


def _is_asked(search: Search) -> bool:
    return search.category.startswith("asked")


def _mean(searches: Sequence[Search], rankers: dict[str, Ranker], decay: float) -> float:
    annotated = [search for search in searches if _is_annotated(search)]
    return float(np.mean([_score(search, rankers[search.repository], decay) for search in annotated]))


def _means(groups: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    return {
        group: float(np.mean([score for other, score in zip(groups, scores, strict=True) if other == group]))
        for group in sorted(set(groups))
    }


def to_json(ranker: Ranker) -> str:
    """Return the weights as they are kept in the package."""
    return json.dumps(
        {
            "name": ranker.name,
            "features": FEATURES,
            "of_symbols": [round(float(weight), 5) for weight in ranker.of_symbols],
            "of_places": [round(float(weight), 5) for weight in ranker.of_places],
            "of_quotes": [round(float(weight), 5) for weight in ranker.of_quotes],
            "of_texts": [round(float(weight), 5) for weight in ranker.of_texts],
            "of_prose": [round(float(weight), 5) for weight in ranker.of_prose],
            "of_quoted_prose": [round(float(weight), 5) for weight in ranker.of_quoted_prose],
            "of_places_within": [round(float(weight), 5) for weight in ranker.of_places_within],
            "how_to": ranker.how_to,
            "decay": ranker.decay,
            "prose_decay": ranker.prose_decay,
        },
        indent=1,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description="Train the ranker on judged searches.")
    parser.add_argument("--annotations", type=Path, required=True, help="repos.json and annotations/NAME.json")
    parser.add_argument("--repositories", type=Path, required=True, help="one checkout a NAME")
    parser.add_argument("--documents", type=Path, nargs="+", required=True, help="folders of documentation")
    parser.add_argument(
        "--asked",
        nargs=3,
        action="append",
        default=[],
        metavar=("QUESTIONS", "CORPORA", "TIMES"),
        help="questions about prose, as benchmarks/prose.py reads them; a folder with one checkout OWNER__NAME for "
        "each corpus; how often each question is seen, for they are few, and the made ones are only much like them",
    )
    parser.add_argument("--own", type=Path, nargs="+", required=True, help="repositories that ask of themselves")
    parser.add_argument("--indexes", type=Path, required=True, help="where to keep the indexes between runs")
    parser.add_argument("--name", default="dev", help="what the weights are called")
    parser.add_argument("--out", type=Path, help="where to write the weights")
    options = parser.parse_args(arguments)
    searches = load_searches(options.annotations, options.repositories, options.indexes)
    documents = load_prose_searches(options.documents, options.indexes)
    for questions, corpora, times in options.asked:
        documents += load_asked_searches(Path(questions), Path(corpora), options.indexes) * int(times)
    own = load_own_searches(options.own, options.indexes)
    fitted = fit(searches, documents, own, options.name)
    for group, figures in (("category", fitted.by_category), ("repository", fitted.by_repository)):
        for key, value in sorted(figures.items(), key=lambda item: item[1]):
            print(f"{group:12} {key:24} {value:.3f}")
    print(
        f"all {len(searches)} searches, raw NDCG@10, cross-validated: {fitted.mean:.4f} (decay {fitted.ranker.decay})"
    )
    print(f"questions asked of prose, an answer among ten, each without its corpus: {fitted.of_prose:.4f}")
    if options.out:
        options.out.write_text(to_json(fitted.ranker) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
