"""What a corpus is tuned on: questions made of it, and a copy of it in which nothing gives their answers away."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quaestor.assemble import open_trial_index
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.embedding.static import StaticEmbedder
from quaestor.evaluation.made import SourceText, make_questions, texts_of
from quaestor.evaluation.metrics import Question
from quaestor.files.walk import folder_of

PARTS = 2
"""Documents are dealt into so many parts: one is learned from, the other is asked about, and the other way round."""
FEWEST_QUESTIONS = 80
"""With fewer, no gain that tuning can bring is told from chance."""
_MOST_CHARACTERS = 10_000_000  # of the sample that a large corpus is tuned on: some 15,000 chunks


@dataclass(frozen=True, slots=True)
class Ground:
    """A copy of a corpus, or of a sample of it, with questions about it.

    Attributes:
        copy: the copy's index, of the bundled embedder.
        texts: its documents, by path: no question stands in them.
        questions: that are asked, each about documents of one part only.
        taught: further ones, which are only learned from.
        sampled: documents of the corpus that are not in the copy.
        prose: whether most documents of the corpus are prose.
        root: the corpus itself.
        project: what people call it; the copy lies in a folder of another name.
    """

    copy: Corpus
    texts: Mapping[str, SourceText]
    questions: tuple[Question, ...]
    taught: tuple[Question, ...]
    sampled: int
    prose: bool
    root: Path
    project: str

    def questions_of(self, part: int) -> list[Question]:
        """Return the questions about the documents of a part."""
        return [question for question in self.questions if part_of(question.targets[0].path) == part]


def part_of(path: str) -> int:
    """Return the part that a document is dealt to: always the same one, whatever else is in the corpus."""
    return zlib.crc32(path.encode("utf-8", "surrogatepass")) % PARTS


@contextmanager
def ground_of(corpus: Corpus, settings: Settings, place: Path, *, most: int, seed: int) -> Iterator[Ground]:
    """Make questions of a corpus and lay out its copy, for the length of the block.

    Args:
        corpus: up to date.
        settings: how it was indexed.
        place: an empty folder for the copy and its index.
        most: at most so many questions are asked.
        seed: of what is chosen.

    Raises:
        UsageError: too few questions can be made of it.
    """
    root = folder_of(corpus.root)
    whole = texts_of(corpus)
    texts = _sample(whole, seed)
    made = make_questions(texts, root, each=2 * most, seed=seed)
    asked, taught = _dealt([question for question in made.questions if _of_one_part(question)], most)
    if len(asked) < FEWEST_QUESTIONS:
        raise UsageError(
            f"{str(root)!r} is too small to tune: of {amount(len(texts), 'document')} come "
            f"{amount(len(asked), 'question')} to check with, and {FEWEST_QUESTIONS} are needed. Nothing was changed."
        )
    made.lay_out(place / "copy")
    with open_trial_index(place / "copy", place / "index", StaticEmbedder.bundled(), settings) as copy:
        copy.refresh()
        sampled, project = len(whole) - len(texts), corpus.retriever.project
        yield Ground(copy, texts_of(copy), asked, taught, sampled, corpus.is_prose(), root, project)


def _dealt(questions: Sequence[Question], most: int) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Return the questions that are asked, as many of every kind as there can be, and the others."""
    earlier: Counter[str] = Counter()
    places: dict[str, int] = {}
    for question in questions:
        places[question.id] = earlier[question.category]
        earlier[question.category] += 1
    in_turn = sorted(questions, key=lambda question: places[question.id])
    return tuple(in_turn[:most]), tuple(in_turn[most:])


def _of_one_part(question: Question) -> bool:
    return len({part_of(target.path) for target in question.targets}) == 1


def _sample(texts: Mapping[str, SourceText], seed: int) -> dict[str, SourceText]:
    """Return all documents, or of a large corpus so many at random."""
    left, chosen = _MOST_CHARACTERS, set()
    for path in _shuffled(sorted(texts), seed):
        left -= sum(map(len, texts[path].lines)) + len(texts[path].lines)
        if left < 0:
            break
        chosen.add(path)
    return {path: text for path, text in texts.items() if path in chosen}


def _shuffled(paths: Sequence[str], seed: int) -> list[str]:
    return random.Random(seed).sample(paths, len(paths))
