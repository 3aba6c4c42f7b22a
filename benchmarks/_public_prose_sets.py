"""Writes public collections of prose in BEIR's layout, which the product's own reader lays out as files.

It does not know systems. Collections are read from where they are and never stored.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from quaestor.evaluation.datasets.beir import CORPUS, QRELS, QUERIES

SEED = 0
CRANFIELD = ("cran.all.1400", "cran.qry", "cranqrel")

Document = tuple[str, str, str]
"""Identifier, title, text."""
Judgement = tuple[str, str, int]
"""Query, document, gain."""


def write_squad(files: Sequence[Path], folder: Path, sample: int) -> None:
    """Every paragraph of SQuAD's files (Rajpurkar et al. 2016) is a document, titled as its article is.

    Args:
        files: in SQuAD's layout, of either version.
        folder: to write to.
        sample: how many of the questions that have answers are asked, drawn by a fixed seed; at most all.
    """
    articles = [article for file in files for article in json.loads(file.read_text(encoding="utf-8"))["data"]]
    paragraphs = [(article["title"], paragraph) for article in articles for paragraph in article["paragraphs"]]
    documents = [
        (str(number), title.replace("_", " "), paragraph["context"])
        for number, (title, paragraph) in enumerate(paragraphs)
    ]
    asked = [
        (question["id"], question["question"], str(number))
        for number, (_, paragraph) in enumerate(paragraphs)
        for question in paragraph["qas"]
        if _has_an_answer(question)
    ]
    chosen = random.Random(SEED).sample(asked, min(sample, len(asked)))
    queries = {identifier: text for identifier, text, _ in chosen}
    _write(folder, documents, queries, [(identifier, document, 1) for identifier, _, document in chosen])


def _has_an_answer(question: Mapping[str, Any]) -> bool:
    return bool(question["answers"]) and not question.get("is_impossible", False)


def write_cranfield(source: Path, folder: Path) -> None:
    """The Cranfield collection (Cleverdon 1967): abstracts, and judgements in four grades.

    Its codes run from 1, a complete answer, to 4, of minimum interest; gains are 4 to 1. The code -1, which each query
    has once and which the collection's description does not explain, counts as no answer, as it usually does.

    Args:
        source: has ``cran.all.1400``, ``cran.qry`` and ``cranqrel``.
        folder: to write to.
    """
    abstracts, questions, judged = ((source / name).read_text(encoding="utf-8") for name in CRANFIELD)
    documents = [_abstract(record) for record in _records(abstracts)]
    # Judgements number the queries in order; the queries' own numbers have gaps.
    texts = [" ".join(_field(record, "W").split()) for record in _records(questions)]
    queries = {str(place): text for place, text in enumerate(texts, 1)}
    rows = [line.split() for line in judged.splitlines() if line.strip()]
    _write(folder, documents, queries, [(query, one, 5 - int(code)) for query, one, code in rows if int(code) > 0])


def _records(text: str) -> list[str]:
    return re.split(r"^\.I ", text, flags=re.MULTILINE)[1:]


def _abstract(record: str) -> Document:
    # The text begins with the title once more.
    title, text = _field(record, "T"), _field(record, "W")
    return record.partition("\n")[0].strip(), title, text.removeprefix(title).strip() or title


def _field(record: str, name: str) -> str:
    """What stands under a mark such as ``.W`` until the next one."""
    found = re.search(rf"^\.{name}\n(.*?)(?=^\.[A-Z]$|\Z)", record, flags=re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def _write(
    folder: Path, documents: Iterable[Document], queries: Mapping[str, str], judgements: Iterable[Judgement]
) -> None:
    (folder / QRELS).mkdir(parents=True)
    corpus = [{"_id": identifier, "title": title, "text": text} for identifier, title, text in documents]
    _write_lines(folder / CORPUS, map(json.dumps, corpus))
    _write_lines(folder / QUERIES, (json.dumps({"_id": one, "text": text}) for one, text in queries.items()))
    rows = ("\t".join(map(str, judgement)) for judgement in judgements)
    _write_lines(folder / QRELS / "test.tsv", ("query-id\tcorpus-id\tscore", *rows))


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
