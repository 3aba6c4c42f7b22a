"""Results of an evaluation made by hand, with hostile texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.grid import grid
from quaestor.evaluation.metrics import Question, Target
from quaestor.evaluation.results import Results, results_of
from quaestor.evaluation.run import Cell, Outcome
from quaestor.evaluation.stored_run import Answer, BuiltIndex, ShownHit

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></title></pre></textarea><svg onload=alert(1)>",
    "'; onmouseover=alert(1) x='",
    "&lt;b&gt; &amp; &#60;",
    "\x1b[31m\u202egnirts\u2066 \x00 \ud800",
    "=HYPERLINK(1)",
    "@SUM(1)",
    "]]><!--",
    "a" * 3000,
    "ordinary words",
)


def found(texts: Sequence[str] = HOSTILE, embedders: Sequence[str] = ("static", "other")) -> Results:
    """Return results in which every word that comes from outside is one of these; all values differ."""
    questions = tuple(
        Question(f"{number}{text}", text, (Target(text), Target("b.py", 1, 9)), texts[number % min(3, len(texts))])
        for number, text in enumerate(texts)
    )
    part = Part(texts[0], Path("corpus"), questions)
    cells = tuple(
        Cell(
            configuration,
            part,
            BuiltIndex("state", "e", 2.5 * (number + 1), 4_000_000 * (number + 1), 7, 90, 60_000, 0.5 * number),
            {one.id: _answer(one, (place + number) % 4, texts) for place, one in enumerate(questions)},
        )
        for number, configuration in enumerate(grid(list(embedders), ["auto", "lines:40"], ["hybrid"], [True, False]))
    )
    data_set = DataSet(texts[0], "jsonl", "chunks", (part,), tuple(texts), (texts[-1],))
    return results_of(data_set, Outcome(cells, ()), (5, 10))


def _answer(question: Question, rank: int, texts: Sequence[str]) -> Answer:
    """Return an answer with the right document at a rank, 0-based, and none where that is 3."""
    places = [("x.py", 1, 5), ("y.py", 1, 5), ("z.py", 1, 5), ("b.py", 8, 12)]
    if rank < 3:
        places.insert(rank, (question.text, 3, 4))
    shown = tuple(
        ShownHit(place, texts[number % len(texts)], texts[-1 - number % len(texts)])
        for number, place in enumerate(places)
    )
    return Answer(tuple(places), shown, 0.001 * (rank + 1))
