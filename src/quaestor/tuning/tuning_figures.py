"""The figures of a tuning: means with their intervals before and after, by kind of question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from quaestor.evaluation.metrics import CUTOFF
from quaestor.evaluation.statistics import Difference, Estimate, difference, estimate
from quaestor.tuning.tune_embedder import Asked, Tuned, Values

METRIC = f"ndcg@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of some questions.

    Attributes:
        documents: ``learned`` or ``new``; see ``tuning``.
        what: ``whole`` search or ``dense`` vectors alone.
        kind: of question; ``all``.
        questions: how many.
        before: with the bundled embedder.
        after: with the tuned one.
        gain: question by question.
    """

    documents: str
    what: str
    kind: str
    questions: int
    before: Estimate
    after: Estimate
    gain: Difference


def rows_of(tuned: Tuned) -> list[Row]:
    """Return the figures of learned documents and of new ones: the whole search, all and by kind, and vectors alone."""
    kinds = sorted({one.question.category for one in tuned.asked})
    return [
        row
        for documents in ("learned", "new")
        for row in (
            _row(documents, "whole", "all", tuned.asked),
            *(
                _row(documents, "whole", kind, [a for a in tuned.asked if a.question.category == kind])
                for kind in kinds
            ),
            _row(documents, "dense", "all", tuned.asked),
        )
    ]


def figures_object(tuned: Tuned) -> dict[str, object]:
    """Return the figures as JSON has them."""
    return {
        "metric": METRIC,
        "questions": len(tuned.asked),
        "documents": tuned.documents,
        "sampled_out": tuned.sampled,
        "prose": tuned.prose,
        "pairs": tuned.pairs,
        "trust": tuned.trust,
        "trusts": list(tuned.trusts),
        "seconds": round(tuned.seconds, 1),
        "better": tuned.better,
        "rows": [_rounded(asdict(row)) for row in rows_of(tuned)],
    }


def _row(documents: str, what: str, kind: str, asked: Sequence[Asked]) -> Row:
    values: list[Values] = [getattr(one, what) for one in asked]
    before, after = [one.before for one in values], [getattr(one, documents) for one in values]
    return Row(documents, what, kind, len(asked), estimate(before), estimate(after), difference(before, after))


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    return round(value, 4) if isinstance(value, float) else value
