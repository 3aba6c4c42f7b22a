"""Measures whether `ask` without a model refuses what a corpus does not answer, and nothing else.

    python benchmarks/refusals.py QUESTIONS --repositories DIR [--split learn|choose|report] [--home DIR] [--rows FILE]

Every question is asked twice: of the whole corpus, and of the corpus without the files of its evidence. So the wording
does not tell which is which, and a classifier that sees only the questions, printed beside, can know nothing. A false
refusal counts only if evidence was among the passages; the pairs are those questions. They are grouped by which quote
of an answer would hold evidence: the first, a further one, or none, where a refusal costs nothing. *Told apart* is the
area under the curve of the rule's measure. The last lines show for all questions of the whole corpus how often the
first quote holds evidence: if the question is refused, if it is answered with the remark that the quotes may not
answer, and if it is answered without it. Repositories are divided by a hash of their names, so that nothing that was
learned from one is measured on it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import numpy as np
from _hidden import Without
from numpy.typing import NDArray

from quaestor import Index
from quaestor.answers.quotes.passage_order import without_restated
from quaestor.answers.quotes.pick_quotes import answer
from quaestor.answers.quotes.quotes_in_markdown import Quote
from quaestor.core.config import Settings
from quaestor.core.documents import Hit
from quaestor.core.questions import without_frame
from quaestor.core.terms import find_words
from quaestor.corpus.answerability import doubt_about
from quaestor.corpus.unmentioned import terms_of_words, unmentioned_names
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.retriever import Retriever
from quaestor.search.spelling import replace_unknown
from quaestor.stores import Store
from training.judged_searches import documents_of

SPLITS = ("learn", "choose", "report")
_PASSAGES = 10
_FOLDS = 5
_STEPS = 300
_RATES = (0.02, 0.05, 0.1)
_PLACES = ("first quote", "further quote", "no quote")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the places that answer it: path, first and last line."""

    text: str
    kind: str
    evidence: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question.

    Attributes:
        refused: whether it is refused.
        unsure: whether it is answered with the remark that the quotes may not answer.
        read: whether any hit holds evidence.
        first: whether the first quote would hold evidence if it were not refused.
        quoted: whether any quote would.
        names: whether it names what the corpus does not.
        worth: what the rule goes by.
    """

    refused: bool
    unsure: bool
    read: bool
    first: bool
    quoted: bool
    names: bool
    worth: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One question of a repository, asked of the whole and of what is left without its evidence."""

    repository: str
    corpus: str
    kind: str
    text: str
    whole: Asked
    without: Asked


def split_of(repository: str) -> str:
    """Return what a repository is used for."""
    share = int(hashlib.sha256(repository.encode()).hexdigest(), 16) % 5
    return {0: "report", 1: "choose"}.get(share, "learn")


def rows(folder: Path, checkouts: Path, home: Path, split: str) -> Iterator[Row]:
    """Yield every question of a split, asked twice."""
    for file in sorted(folder.rglob("*.json")):
        about = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(about, dict) or "questions" not in about or split_of(about["repository"]) != split:
            continue
        checkout = checkouts / about["repository"].replace("/", "__")
        if not checkout.is_dir():
            print(f"no checkout of {about['repository']}", file=sys.stderr)
            continue
        files = about.get("files")
        root = documents_of(checkout, files, home / "documents" / checkout.name) if files else checkout
        with Index.build(root, settings=Settings(home=str(home))) as index:
            for question in _questions(about):
                whole, without = asked_twice(index, question)
                yield Row(about["repository"], about["corpus"], question.kind, question.text, whole, without)


def _questions(about: dict[str, object]) -> Iterator[Question]:
    for raw in cast("list[dict[str, object] | list[str | int]]", about["questions"]):
        if isinstance(raw, list):  # a question from a single chunk: its text, and where that is
            text, path, first, last = raw
            yield Question(str(text), "chunk", ((str(path), int(first), int(last)),))
            continue
        places = cast("list[dict[str, object]]", raw["evidence"])
        evidence = tuple(
            (str(one["path"]), cast("int", one["start_line"]), cast("int", one["end_line"])) for one in places
        )
        if evidence:
            yield Question(str(raw["question"]), str(raw["kind"]), evidence)


def asked_twice(index: Index, question: Question) -> tuple[Asked, Asked]:
    """Ask a question of the whole corpus, and of what is left without the files of its evidence."""
    left = Without(index.store, {path for path, _, _ in question.evidence})
    used = index.retriever
    other = Retriever(cast("Store", left), used.embedder, used.ranker, used.project)
    return _asked(index, index.store, used, question), _asked(index, cast("Store", left), other, question)


def _asked(index: Index, store: Store, retriever: Retriever, question: Question) -> Asked:
    asked = without_frame(question.text)
    text = replace_unknown(asked, retriever.spelling(asked).unknown)
    hits = without_restated(question.text, retriever.search(text, _PASSAGES))
    sought = retriever.in_english(text)
    passages, encode = number(hits), index.meaning.local_embedder.encode
    names, unknown = unmentioned_names(store, sought), retriever.spelling(sought).unknown
    counts = [store.counts(terms_of_words(sought))]
    doubt = doubt_about(sought, hits, names, unknown, counts, text if sought != text else "")
    said = answer(sought, passages, encode, missing=doubt.names, refused=doubt.refuses, hits=hits)
    quotes = answer(sought, passages, encode, refused=False, hits=hits).quotes
    return Asked(
        not said.known,
        said.known and doubt.is_unsure,
        _holds(hits, question),
        _holds(quotes[:1], question),
        _holds(quotes, question),
        bool(doubt.names),
        doubt.worth,
    )


def _holds(places: Sequence[Hit] | Sequence[Quote], question: Question) -> bool:
    return any(
        place.path == path and place.start_line <= last and first <= place.end_line
        for place in places
        for path, first, last in question.evidence
    )


def control(pairs: Sequence[Row]) -> float:
    """Return how well the wording alone tells the two of each pair apart: the area under the curve, 0.5 for not at all.

    A logistic regression over words and the length, by cross-validation over repositories.
    """
    texts = [row.text for row in pairs for _ in range(2)]
    labels = np.array([label for _ in pairs for label in (0.0, 1.0)])
    names = sorted({row.repository for row in pairs})
    folds = np.array([names.index(row.repository) % _FOLDS for row in pairs for _ in range(2)])
    features = _bags(texts)
    scores = np.zeros(len(labels))
    for fold in range(_FOLDS):
        scores[folds == fold] = features[folds == fold] @ _fitted(features[folds != fold], labels[folds != fold])
    return area(scores[labels == 0], scores[labels == 1])


def _bags(texts: Sequence[str]) -> NDArray[np.float64]:
    counts = Counter(word for text in texts for word in {word.lower() for word in find_words(text)})
    words = {word: place for place, (word, count) in enumerate(counts.most_common(2000)) if count > 2}
    features = np.zeros((len(texts), len(words) + 2))
    for row, text in enumerate(texts):
        found = [words[word.lower()] for word in find_words(text) if word.lower() in words]
        features[row, found] = 1
        features[row, -2:] = 1, np.log1p(len(text))
    return features


def _fitted(features: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.zeros(features.shape[1])
    for _ in range(_STEPS):
        told = 1 / (1 + np.exp(-features @ weights))
        weights -= 0.5 * (features.T @ (told - labels) / len(labels) + 1e-3 * weights)
    return weights


def area(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Return the chance that one of ``high`` is above one of ``low``."""
    ordered = np.sort(low)
    below, above = np.searchsorted(ordered, high, "left"), np.searchsorted(ordered, high, "right")
    return float((below + above).mean() / 2 / len(low))


def report(found: Sequence[Row]) -> Iterator[str]:
    """Yield the figures as lines."""
    pairs = [row for row in found if row.whole.read]
    groups: list[tuple[str, list[Row]]] = [("all", pairs)]
    groups += [(corpus, [row for row in pairs if row.corpus == corpus]) for corpus in ("code", "prose")]
    groups += [(f"  {place}", [row for row in pairs if _place(row.whole) == place]) for place in _PLACES]
    groups = [(name, part) for name, part in groups if part]
    kinds = sorted({one.kind for one in pairs})
    yield f"{len(found)} questions, evidence read of {len(pairs)}"
    yield f"{'':16} pairs  unanswerable refused  answerable refused  told apart  by the wording alone"
    for name, part in [*groups, *((f"  {kind}", [row for row in pairs if row.kind == kind]) for kind in kinds)]:
        refused, falsely = (_share(getattr(row, arm).refused for row in part) for arm in ("without", "whole"))
        told = area(_worths(part, "without"), _worths(part, "whole"))
        yield f"{name:16} {len(part):5}  {refused:20.3f}  {falsely:18.3f}  {told:10.3f}  {control(part):20.3f}"
    for name, part in groups:
        for rate in _RATES:
            least, refused, falsely = at_rate(part, rate)
            yield f"{name:16} if worth {least:+.2f} is the least: {refused:.3f} refused, falsely {falsely:.3f}"


def standing(found: Sequence[Row]) -> Iterator[str]:
    """Yield how often the first quote holds evidence where a question is refused, answered unsurely and surely."""
    for corpus in sorted({row.corpus for row in found}):
        every = [row.whole for row in found if row.corpus == corpus]
        for name, part in (
            ("refused", [one for one in every if one.refused]),
            ("unsurely", [one for one in every if one.unsure]),
            ("surely", [one for one in every if not one.refused and not one.unsure]),
        ):
            right = _share(one.first for one in part) if part else 0.0
            yield f"{corpus:16} {name:8} {len(part):4} of {len(every)}, the first quote holds evidence of {right:.3f}"


def _place(asked: Asked) -> str:
    return _PLACES[0] if asked.first else _PLACES[1] if asked.quoted else _PLACES[2]


def at_rate(pairs: Sequence[Row], rate: float) -> tuple[float, float, float]:
    """Return the least worth that refuses such a share of the answerable, and what it refuses of either."""
    whole, without = _worths(pairs, "whole"), _worths(pairs, "without")
    least = float(np.quantile(whole, rate))
    return least, _share(without < least), _share(whole < least)


def _worths(pairs: Sequence[Row], arm: str) -> NDArray[np.float64]:
    return np.array([_worth(getattr(row, arm)) for row in pairs])


def _worth(asked: Asked) -> float:
    return (0.0 if asked.refused else np.inf) if asked.worth is None else asked.worth


def _share(truths: Iterable[bool]) -> float:
    return float(np.mean(list(truths)))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--split", choices=SPLITS, default="choose")
    parser.add_argument("--home", type=Path, help="keeps the indexes; a temporary folder by default")
    parser.add_argument("--rows", type=Path, help="what came of each question, as lines of JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        found = list(rows(given.questions, given.repositories, given.home or Path(place), given.split))
    if given.rows:
        given.rows.write_text("".join(json.dumps(asdict(row)) + "\n" for row in found), encoding="utf-8")
    print("\n".join([*report(found), *standing(found)]))


if __name__ == "__main__":
    main()
