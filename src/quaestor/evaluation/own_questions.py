"""A data set made from a corpus itself; see ``made_questions``."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.datasets.dataset import Copy
from quaestor.evaluation.made_questions import MadeSet, make_questions, texts_of
from quaestor.files.walk import folder_of

FEWEST = 20
"""The fewest questions; with fewer, hardly any difference is significant."""

_MADE_OF = {
    "docstring": "comments and docstrings (which ask for the code that they describe)",
    "heading": "headings (which ask for their sections)",
    "sentence": "sentences (which ask for the rest of their paragraphs)",
    "link": "words of links (which ask for the documents behind them)",
    "commit": "subjects of commits (which ask for the files that they changed)",
}
_USUAL = ("heading", "sentence", "link", "commit")
_WITHOUT_DOCSTRINGS = (
    "Comments and docstrings were not asked: a definition that lost its own words is judged unlike one that has them, "
    "and such questions order configurations unlike people's. --kind docstring asks them."
)
_CANNOT_TELL = (
    "They cannot tell how well questions are answered that people ask in other words than the corpus's authors do. "
    "Only the place that a question was made of counts as right: where code and prose say the same, a search that "
    "prefers the other one loses. So compare configurations, not values, and settle the ranker with questions that "
    "people asked."
)


def own_data_set(
    corpus: Corpus, copies: Path, *, each: int = 100, seed: int = 0, kinds: Collection[str] = ()
) -> DataSet:
    """Make questions from a corpus, and a copy of it without their text.

    The same corpus, history and arguments give the same questions.

    Args:
        corpus: the up-to-date corpus.
        copies: the folder for the copy.
        each: the most questions of each kind.
        seed: the seed of random choices.
        kinds: the kinds of questions to make. If empty, all kinds but docstrings are made, and those, too, if the
            history gives too few questions.

    Raises:
        UsageError: no question can be made from it.
    """
    root = folder_of(corpus.root)
    texts = texts_of(corpus)
    question_set = make_questions(texts, corpus.repository(), each=each, seed=seed, kinds=kinds or _USUAL)
    short = not kinds and sum(question.category == "commit" for question in question_set.questions) < FEWEST
    if short:
        question_set = make_questions(texts, corpus.repository(), each=each, seed=seed)
    if not question_set.questions:
        raise UsageError(
            f"No question can be made of {str(root)!r}: {amount(len(texts), 'document')} without comments, headings, "
            "links or commits that would do. Give a data set instead."
        )
    copy = Copy.of(copies, root, each, seed, sorted(kinds))
    files = ((path, text.encode("utf-8", "replace")) for path, text in question_set.texts.items())
    place = copy.lay_out(_state(question_set), files)
    part = Part(root.name, place, question_set.questions, project=corpus.retriever.project, copied=True)
    name = f"{root.name}, asked about itself"
    notes = (*_about(question_set, seed), *([] if kinds or short else [_WITHOUT_DOCSTRINGS]), _CANNOT_TELL)
    return DataSet(name, "self", "chunks", (part,), _small(question_set, root), notes)


def _state(question_set: MadeSet) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path, text in sorted(question_set.texts.items()):
        digest.update(f"{path}\0{text}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _small(question_set: MadeSet, root: Path) -> tuple[str, ...]:
    count = len(question_set.questions)
    if count >= FEWEST:
        return ()
    noun = "question" if count == 1 else "questions"
    return (
        f"Only {count} {noun} could be made of {str(root)!r}: with fewer than {FEWEST}, hardly any difference can be "
        "distinguished from chance.",
    )


def _about(question_set: MadeSet, seed: int) -> tuple[str, ...]:
    counts = Counter(question.category for question in question_set.questions)
    counted = ", ".join(f"{counts[kind]} of {what}" for kind, what in _MADE_OF.items() if counts[kind])
    return (
        f"{len(question_set.questions)} questions, made of the corpus's own words with seed {seed}: {counted}. What "
        "is searched is a copy of the corpus in which these words do not stand, so that nothing gives an answer away.",
    )
