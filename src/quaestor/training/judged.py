"""Judged searches: queries with the places that answer them, and the candidates' features as the search sees them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import numpy as np
from numpy.typing import NDArray

from quaestor.assemble import Index
from quaestor.config import Settings
from quaestor.evaluation.made import make_questions, texts_of
from quaestor.passages import Hit
from quaestor.retrieval.features import Candidates, compute_features
from quaestor.retrieval.ranker import Group, group_of
from quaestor.training.corpora import prose_files, prose_questions
from quaestor.training.made import Made, make_searches
from quaestor.training.made_prose import heading_searches, lay_out, quote_searches, short_searches

_MADE = 6
"""Searches of each category that are made from each repository itself."""

_MADE_PROSE = 60
"""Searches of each category that are made from each folder of documents."""


_OWN = 30
"""Questions of each category that a repository asks of itself."""


@dataclass(frozen=True, slots=True)
class Target:
    """A place that answers a query: a whole file, or lines of one."""

    path: str
    start_line: int = 1
    end_line: int = 1 << 31

    def holds(self, path: str, start_line: int, end_line: int) -> bool:
        """Return whether a chunk lies in this place; paths compare by suffix, lines by overlap."""
        same = path == self.path or self.path.endswith("/" + path) or path.endswith("/" + self.path)
        return same and start_line <= self.end_line and self.start_line <= end_line


@dataclass(frozen=True, slots=True)
class Search:
    """One query with its candidates.

    Attributes:
        repository: where it was asked.
        category: what sort of question it is.
        group: which weights rank it.
        targets: the places that answer it.
        features: shape ``(candidates, len(FEATURES))``.
        paths: the candidates' documents.
        lines: the candidates' first and last lines.
        judged: which candidates lie in a target.
    """

    repository: str
    category: str
    group: Group
    targets: tuple[Target, ...]
    features: NDArray[np.float32]
    paths: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]
    judged: NDArray[np.bool_]


def load_searches(annotations: Path, repositories: Path, indexes: Path) -> list[Search]:
    """Index every repository and run every annotated query up to its features.

    Args:
        annotations: folder with ``repos.json`` and ``annotations/NAME.json``.
        repositories: folder with one checkout a name; names without one are left out.
        indexes: where indexes are kept; a second run only brings them up to date.
    """
    searches: list[Search] = []
    for entry in json.loads((annotations / "repos.json").read_text(encoding="utf-8")):
        root = repositories / entry["name"] / (entry.get("benchmark_root") or "")
        if root.is_dir():
            queries = json.loads((annotations / "annotations" / f"{entry['name']}.json").read_text(encoding="utf-8"))
            searches.extend(_searches(entry["name"], root, queries, indexes))
    return searches


def load_prose_searches(folders: Sequence[Path], indexes: Path) -> list[Search]:
    """Make searches of folders of documents, index what is left of them and run the searches up to their features."""
    searches: list[Search] = []
    for folder in folders:
        place = indexes / "documents" / folder.resolve().as_posix().strip("/").replace("/", "-")
        rmtree(place, ignore_errors=True)
        made = lay_out(folder, place, _MADE_PROSE, seed=0)
        with Index.build(place, settings=Settings(home=str(indexes))) as index:
            headings = heading_searches(_headings(index), _MADE_PROSE // 2, seed=0)
            quotes = quote_searches(_passages(index), _MADE_PROSE // 2, seed=0)
            for one in (*made, *short_searches(made, seed=0), *headings, *quotes):
                target = Target(one.path, one.start_line, one.end_line)
                searches.append(_run(index, f"prose {place.name}", f"made prose {one.category}", one.query, (target,)))
    return searches


def _headings(index: Index) -> list[Made]:
    return [
        Made("heading", stored.chunk.symbol, path, stored.chunk.span.start_line, stored.chunk.span.end_line)
        for path in sorted(index.store.documents())
        for stored in index.store.chunks_of(path)
        if stored.chunk.symbol and stored.chunk.kind == "section"
    ]


def _passages(index: Index) -> list[Made]:
    return [
        Made("quote", stored.chunk.text, path, stored.chunk.span.start_line, stored.chunk.span.end_line)
        for path in sorted(index.store.documents())
        for stored in index.store.chunks_of(path)
    ]


def load_asked_searches(questions: Path, corpora: Path, indexes: Path) -> list[Search]:
    """Index the corpora of questions about prose and run every answerable question up to its features.

    Args:
        questions: a JSON file of questions with their evidence, or a folder of such files.
        corpora: folder with one checkout ``OWNER__NAME`` for each corpus.
        indexes: where copies of the corpora and their indexes are kept; a second run only brings them up to date.
    """
    searches: list[Search] = []
    for corpus, asked in prose_questions(questions):
        checkout, place = corpora / corpus.replace("/", "__"), indexes / "asked" / corpus.replace("/", "__")
        for file in prose_files(corpus, checkout):
            copy = place / file.relative_to(checkout)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
        with Index.build(place, settings=Settings(home=str(indexes))) as index:
            for one in asked:
                targets = tuple(Target(target.path, target.start, target.end) for target in one.targets)
                searches.append(_run(index, f"prose {corpus}", f"asked {one.category}", one.text, targets))
    return searches


def load_own_searches(repositories: Sequence[Path], indexes: Path) -> list[Search]:
    """Let repositories ask of themselves, index what is left of them and run the questions up to their features."""
    searches: list[Search] = []
    for root in repositories:
        place = indexes / "own" / root.resolve().name
        rmtree(place, ignore_errors=True)
        with Index.build(root, settings=Settings(home=str(indexes))) as index:
            made = make_questions(texts_of(index), root, each=_OWN, seed=0)
        made.lay_out(place)
        with Index.build(place, settings=Settings(home=str(indexes))) as index:
            for question in made.questions:
                targets = tuple(
                    Target(target.path, target.start_line or 1, target.end_line or 1 << 31)
                    for target in question.targets
                )
                searches.append(_run(index, root.name, f"made own {question.category}", question.text, targets))
    return searches


def _searches(name: str, root: Path, queries: Sequence[dict[str, object]], indexes: Path) -> Iterator[Search]:
    with Index.build(root, settings=Settings(home=str(indexes))) as index:
        for entry in queries:
            yield _run(index, name, str(entry["category"]), str(entry["query"]), read_targets(entry))
        for made in make_searches(index, _MADE, seed=0):
            target = Target(made.path, made.start_line, made.end_line)
            yield _run(index, name, f"made {made.category}", made.query, (target,))


def _run(index: Index, name: str, category: str, text: str, targets: tuple[Target, ...]) -> Search:
    query = index.retriever.read(text)
    candidates = index.retriever.candidates(query)
    features = compute_features(query, candidates)
    return _search(name, category, group_of(query, features), targets, candidates, features)


def _search(
    name: str,
    category: str,
    group: Group,
    targets: tuple[Target, ...],
    candidates: Candidates,
    features: NDArray[np.float32],
) -> Search:
    hits = [Hit(stored.document, stored.chunk, 0.0) for stored in candidates.chunks]
    judged = [any(target.holds(hit.path, hit.start_line, hit.end_line) for target in targets) for hit in hits]
    return Search(
        name,
        category,
        group,
        targets,
        features,
        tuple(hit.path for hit in hits),
        tuple((hit.start_line, hit.end_line) for hit in hits),
        np.array(judged, dtype=np.bool_),
    )


def read_targets(entry: dict[str, object]) -> tuple[Target, ...]:
    """Return an annotation's primary and secondary targets."""
    found: list[Target] = []
    for key in ("relevant", "secondary"):
        places = entry.get(key) or []
        assert isinstance(places, list)
        for place in places:
            found.append(Target(place) if isinstance(place, str) else Target(**place))
    return tuple(found)


def ndcg_at_10(search: Search, order: Sequence[int]) -> float:
    """Return NDCG@10 with binary gain: a target's rank is that of the first chunk that lies in it."""
    gained = 0.0
    for target in search.targets:
        for rank, index in enumerate(order[:10]):
            if target.holds(search.paths[index], *search.lines[index]):
                gained += 1 / math.log2(rank + 2)
                break
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(search.targets))))
    return gained / ideal if ideal else 0.0
