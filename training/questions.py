"""Learns the matrix that moves a question's vector towards its answers.

    python -m training.questions --asked benchmarks/asked --checkouts DIR --indexes DIR [--out questions.npy]

The table puts texts together that say the same. But a question says less than its answer, and in other words: how, why,
"is there a way to". So a question's vector is moved by a matrix, the same for all questions, before chunks are compared
with it; the chunks' vectors stay as they are, and so does every index. The matrix is fitted by a softmax over the
chunks that are nearest to each question of the part ``learn``, with a ridge, so that only directions that questions
need are moved. Corpora without a permissive licence are left out, as for everything that ships. The script prints what
the matrix gains on the part ``choose``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.embedding.static import StaticEmbedder
from quaestor.indexing.pending_vectors import texts_of
from quaestor.tuning.train_embedder import Adam, schedule
from training.asked_questions import Asked, Question, read_asked
from training.judged_searches import documents_of
from training.sources import licence_of_folder

Floats = NDArray[np.float32]
_NEAREST = 400
_RIDGE = 0.3
_SHARPNESS = 20.0  # what a cosine counts in the softmax
_STEPS = 40
_RATE = 2e-3
_PLACES = (1, 10, 30, 100)


@dataclass(frozen=True, slots=True)
class Sought:
    """A question with the chunks of its corpus.

    Attributes:
        group: which corpus and part it is of.
        vector: of the question as the table has it, shape ``(dimensions,)``.
        chunks: vectors of all chunks of the corpus, shape ``(chunks, dimensions)``, shared by its questions.
        right: rows of those that answer; some.
    """

    group: str
    vector: Floats
    chunks: NDArray[np.float16]
    right: NDArray[np.intp]

    def nearest(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the vectors of the nearest chunks and of those that answer, and which of them answer."""
        found = np.argsort(-(self.chunks @ self.vector), kind="stable")[:_NEAREST]
        rows = np.union1d(found, self.right)
        return self.chunks[rows].astype(np.float32), np.isin(rows, self.right)

    def rank(self, matrix: Floats) -> int:
        """Return the place of the best chunk that answers, from 0."""
        scores = self.chunks @ (self.vector + matrix @ self.vector)
        return int((scores > scores[self.right].max()).sum())


def sought_in(asked: Asked, checkouts: Path, indexes: Path) -> list[Sought]:
    """Index what questions are about, and return those that some chunk answers; none where there is no checkout."""
    root = checkouts / asked.folder
    if not root.is_dir():
        return []
    if asked.files:
        root = documents_of(root, asked.files, indexes / "documents" / asked.folder)
    with Index.build(root, settings=Settings(home=str(indexes))) as index:
        return list(_sought(index, asked.questions, f"{asked.corpus} {asked.part}"))


def _sought(index: Index, questions: Sequence[Question], group: str) -> Iterator[Sought]:
    embedder = StaticEmbedder.bundled()
    documents = index.store.documents()
    parts = [(document, [one.chunk for one in index.store.chunks_of(path)]) for path, document in documents.items()]
    texts = [text for document, chunks in parts for text in texts_of(document, chunks, index.indexer.settings)]
    spans = [(document.path, one.span.start_line, one.span.end_line) for document, chunks in parts for one in chunks]
    vectors = embedder.encode(texts).astype(np.float16)
    for question in questions:
        right = [row for row, span in enumerate(spans) if any(target.holds(*span) for target in question.targets)]
        vector = embedder.encode([index.retriever.read(question.text).text])[0]
        if right and vector.any():
            yield Sought(group, vector, vectors, np.array(right))


def _may_teach(asked: Asked, checkouts: Path) -> bool:
    """Tell whether weights that ship may be learned from a checkout, and say on stderr if they may not."""
    root = checkouts / asked.folder
    if root.is_dir() and licence_of_folder(root) is None:
        print(f"{asked.repository} has no permissive licence that is known here; it is left out.", file=sys.stderr)
        return False
    return True


def fit(questions: Sequence[Sought]) -> Floats:
    """Return the matrix whose product with a question's vector is added to it, shape ``(dimensions, dimensions)``."""
    asked = np.stack([question.vector for question in questions])
    near = [question.nearest() for question in questions]
    matrix = np.zeros((asked.shape[1],) * 2, np.float32)
    adam = Adam(matrix, _RATE, (0.9, 0.99))
    for step in range(_STEPS):
        moved = asked + asked @ matrix.T
        pulls = np.stack([_pull(one, *chunks) for one, chunks in zip(moved, near, strict=True)])
        gradient = pulls.T @ asked / np.float32(len(questions)) + np.float32(_RIDGE) * matrix
        adam.step(gradient, schedule(step, _STEPS, 1))
    return matrix


def _pull(vector: Floats, chunks: Floats, right: NDArray[np.bool_]) -> Floats:
    """Return the gradient by a question's vector of what it loses: -log of the softmax's share that answers have."""
    scores = _SHARPNESS * (chunks @ vector)
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    wanted = shares * right
    wanted /= max(float(wanted.sum()), 1e-9)
    pull: Floats = _SHARPNESS * ((shares - wanted) @ chunks)
    return pull


def table(questions: Sequence[Sought], matrix: Floats) -> str:
    """Return a line a group: the shares of questions with an answer among the first few chunks by vectors alone."""
    lines = []
    for group in sorted({question.group for question in questions}):
        ranks = np.array([question.rank(matrix) for question in questions if question.group == group])
        shares = "   ".join(f"{(ranks < place).mean():.3f}" for place in _PLACES)
        lines.append(f"{group:14}{len(ranks):5}   {shares}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn the matrix from the command line."""
    parser = argparse.ArgumentParser(description="Learn how a question's vector is moved towards its answers.")
    parser.add_argument("--asked", type=Path, required=True, help="has code/ and prose/, files of questions")
    parser.add_argument("--checkouts", type=Path, required=True, help="one checkout OWNER__NAME")
    parser.add_argument("--indexes", type=Path, required=True, help="where to keep the indexes between runs")
    parser.add_argument("--out", type=Path, help="where to write the matrix, as float16")
    options = parser.parse_args(arguments)
    parts = {"learn": list[Sought](), "choose": list[Sought]()}
    for asked in read_asked(options.asked):
        if asked.part == "choose" or (asked.part == "learn" and _may_teach(asked, options.checkouts)):
            parts[asked.part] += sought_in(asked, options.checkouts, options.indexes)
    if not parts["learn"]:
        raise UsageError(f"No question of the part learn has an answer in a checkout of {str(options.checkouts)!r}.")
    matrix = fit(parts["learn"])
    print(f"{len(parts['learn'])} questions taught\n{'':14}    n   {'   '.join(f'in {place}' for place in _PLACES)}")
    print(f"as they are\n{table(parts['choose'], 0 * matrix)}\nmoved\n{table(parts['choose'], matrix)}")
    if options.out:
        np.save(options.out, matrix.astype(np.float16))
    return 0


if __name__ == "__main__":
    sys.exit(main())
