"""BEIR's layout (Thakur et al. 2021): ``corpus.jsonl``, ``queries.jsonl``, ``qrels/SPLIT.tsv``.

Each document becomes a file, named by a number: its identifier would otherwise be part of the path, which is searched,
too.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.evaluation.datasets.dataset import Copy, DataSet, Part, Problems, read_objects, read_rows, text_of
from quaestor.evaluation.metrics import Question, Target

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
_FIELDS = 3
_A_FOLDER = 1000


def is_beir(folder: Path) -> bool:
    """Return whether a folder has this layout."""
    return (folder / CORPUS).is_file() and (folder / QUERIES).is_file()


def read_beir(folder: Path, split: str, copies: Path) -> DataSet:
    """Read a data set.

    Args:
        folder: the folder with the three files.
        split: the name of the judgements to read.
        copies: the folder in which its documents are written as files.

    Raises:
        NotFoundError: there are no judgements of this name.
        UsageError: it holds no usable question, or a file cannot be read.
    """
    problems = Problems()
    qrels = folder / QRELS / f"{split}.tsv"
    if not qrels.is_file():
        present = ", ".join(sorted(repr(path.stem) for path in (folder / QRELS).glob("*.tsv"))) or "none"
        raise NotFoundError(f"{str(folder)!r} has no judgements {split!r}; it has {present}. Give --split NAME.")
    corpus = folder / CORPUS
    paths = _paths(corpus, problems)
    root = Copy.of(copies, folder).lay_out(_digest(corpus), _files(corpus, paths))
    texts = _texts(folder / QUERIES, problems)
    targets = _judgements(qrels, texts, paths, problems)
    questions = tuple(Question(one, texts[one], tuple(judged)) for one, judged in targets.items())
    if not questions:
        raise UsageError(
            f"No question of {str(folder)!r} has an answer in its corpus. {' '.join(problems.sentences())}"
        )
    names = {path: identifier for identifier, path in paths.items()}
    part = Part(folder.name, root, questions, project="", names=names, copied=True)
    return DataSet(folder.name, "beir", "documents", (part,), problems.sentences())


def _paths(corpus: Path, problems: Problems) -> Mapping[str, str]:
    """Return each document's path in the copy, by its identifier."""
    paths: dict[str, str] = {}
    for where, entry in read_objects(corpus, problems):
        identifier = text_of(entry.get("_id"))
        if not identifier or not _content(entry):
            problems.add("Documents without an id or without a text are left out", where)
        elif identifier in paths:
            problems.add("Documents with the id of an earlier one are left out", f"{identifier[:60]!r} ({where})")
        else:
            paths[identifier] = f"{len(paths) // _A_FOLDER:04d}/{len(paths):07d}.md"
    return paths


def _files(corpus: Path, paths: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of each document; of several with one identifier, only of the first."""
    written: set[str] = set()
    for _, entry in read_objects(corpus, Problems()):
        path, content = paths.get(text_of(entry.get("_id"))), _content(entry)
        if path is not None and content and path not in written:
            written.add(path)
            yield path, content.encode("utf-8", "replace")


def _content(entry: Mapping[str, object]) -> str:
    title, text = " ".join(text_of(entry.get("title")).split()), text_of(entry.get("text"))
    return f"# {title}\n\n{text}\n" if title else f"{text}\n" if text else ""


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _texts(queries: Path, problems: Problems) -> Mapping[str, str]:
    texts: dict[str, str] = {}
    for where, entry in read_objects(queries, problems):
        identifier, text = text_of(entry.get("_id")), text_of(entry.get("text"))
        if not identifier or not text:
            problems.add("Queries without an id or without a text are left out", where)
        elif identifier in texts:
            problems.add("Queries with the id of an earlier one are left out", f"{identifier[:60]!r} ({where})")
        else:
            texts[identifier] = text
    return texts


def _judgements(
    qrels: Path, texts: Mapping[str, str], paths: Mapping[str, str], problems: Problems
) -> Mapping[str, list[Target]]:
    """Return the relevant documents of each query, in the order of the file."""
    targets: dict[str, list[Target]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for number, (where, fields) in enumerate(read_rows(qrels)):
        gain = _gain(fields)
        if gain is None:
            if number:  # the first line is the header
                problems.add("Lines of judgements that are not query, document and number are left out", where)
            continue
        query, document = fields[0].strip(), fields[1].strip()
        if query not in texts:
            problems.add("Judgements of unknown queries are left out", f"{query[:60]!r} ({where})")
        elif document not in paths:
            problems.add("Judgements of unknown documents are left out", f"{document[:60]!r} ({where})")
        elif (query, document) in seen:
            problems.add("Repeated judgements are left out", where)
        elif gain > 0:
            seen.add((query, document))
            targets[query].append(Target(paths[document], gain=gain))
    return targets


def _gain(fields: list[str]) -> float | None:
    try:
        gain = float(fields[2]) if len(fields) == _FIELDS else None
    except ValueError:
        return None
    return gain if gain is not None and abs(gain) < float("inf") else None
