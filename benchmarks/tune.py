"""Measures tuning of the embedder: NDCG@10 before and after, on questions made from held-out documents.

    python benchmarks/tune.py FOLDER... [--asked NAME=QUESTIONS.json] [--sets DIR...]

Every folder is indexed separately and tuned as ``quaestor tune`` does it. With ``--asked``, people's questions about a
corpus are asked of its index, before and with an embedder that was tuned on all of it, whether that would be kept or
not: JSON, a list of objects with ``question`` and ``targets`` (``path``, ``start_line``, ``end_line``). ``--sets``
gives data sets as ``quaestor eval`` reads them, which have their own questions.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import _machine

from quaestor import Index
from quaestor.assemble.tuned_index import keep_tuned
from quaestor.core.config import Settings
from quaestor.evaluation.datasets import read_data_set
from quaestor.evaluation.metrics import Question, Target, ndcg
from quaestor.evaluation.statistics import difference, estimate
from quaestor.tuning.tune_embedder import figures_object, tune

RESULTS = Path(__file__).with_name("results")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure tuning of the embedder.")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--asked", nargs="*", default=[], metavar="NAME=FILE", help="questions that people asked")
    parser.add_argument("--sets", nargs="*", type=Path, default=[], metavar="DIR", help="corpora with their questions")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "tune.json")
    options = parser.parse_args(arguments)
    asked = {name: read(Path(file)) for name, file in (one.split("=", 1) for one in options.asked)}
    corpora = [(folder, asked.get(folder.name, []), ()) for folder in options.folders]
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for one in [*corpora, *sets(options.sets, Path(place))]:
            rows.append(measured(*one, options))
            show(rows[-1])
            result = {"benchmark": "tune", "machine": _machine.describe(), "seed": options.seed, "corpora": rows}
            options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def sets(folders: Sequence[Path], place: Path) -> Iterator[tuple[Path, Sequence[Question], tuple[str, ...]]]:
    """Yield the corpus of each data set, its questions, and what is ignored in it."""
    for folder in folders:
        for part in read_data_set(folder, place, copies=place / "copies").parts:
            # No rule of a folder above a copy counts in it.
            yield part.root, part.questions, ("!*",) if part.copied else ()


def read(file: Path) -> list[Question]:
    """Return the questions of a file."""
    return [
        Question(f"asked-{number}", one["question"], tuple(Target(**target) for target in one["targets"]), "asked")
        for number, one in enumerate(json.loads(file.read_text("utf-8")))
    ]


def measured(
    folder: Path, asked: Sequence[Question], ignore: tuple[str, ...], options: argparse.Namespace
) -> dict[str, Any]:
    """Return what tuning one corpus came to."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=home, ignore=ignore)
        with Index.build(folder, settings=settings) as index:
            stats = index.stats()
            tuned = tune(index, settings, most=options.questions, seed=options.seed, seconds=options.seconds)
            before, dense_before = answers(index, asked), answers(index, asked, dense=True)
            row: dict[str, Any] = {"corpus": folder.name, "all_documents": stats.documents, "chunks": stats.chunks}
            row |= figures_object(tuned)
            if asked:
                # Whether or not it is better by the made questions: that is what these are to be held against.
                keep_tuned(folder.resolve(), settings, tuned.replaced, tuned.trust, {}, lambda done, total: None)
                row["asked"] = compared(before, answers(index, asked))
                row["asked_dense"] = compared(dense_before, answers(index, asked, dense=True))
    return row


def answers(index: Index, questions: Sequence[Question], *, dense: bool = False) -> list[float]:
    """Return NDCG@10 of each question."""
    found = (index.search(question.text, 10, mode="dense" if dense else "ranked") for question in questions)
    return [
        ndcg([(hit.path, hit.start_line, hit.end_line) for hit in hits], question.targets)
        for hits, question in zip(found, questions, strict=True)
    ]


def compared(before: Sequence[float], after: Sequence[float]) -> dict[str, Any]:
    gain = difference(before, after)
    return {
        "questions": len(before),
        "before": asdict(estimate(before)),
        "after": asdict(estimate(after)),
        "gain": asdict(gain),
    }


def show(row: dict[str, Any]) -> None:
    """Print one corpus."""
    print(
        f"\n{row['corpus']}: {row['chunks']:,} chunks, {row['seconds']} s, trust {row['trust']:g}, "
        f"{'better' if row['better'] else 'not better'}",
        flush=True,
    )
    rows = [{"name": f"{one['documents']}, {one['what']}, {one['kind']}", **one} for one in row["rows"]]
    for one in [*rows, *({"name": name, **row[name]} for name in ("asked", "asked_dense") if name in row)]:
        gain = one["gain"]["estimate"]
        print(
            f"  {one['name']:28}{one['questions']:>5}  {one['before']['mean']:.3f} -> {one['after']['mean']:.3f}"
            f"  {gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]",
            flush=True,
        )


if __name__ == "__main__":
    main()
