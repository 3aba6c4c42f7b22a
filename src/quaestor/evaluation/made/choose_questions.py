"""Choosing questions, and taking out of a copy of the corpus what would give their answers away."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from quaestor.evaluation.made.document_texts import SourceText, Words, letters
from quaestor.evaluation.made.question_sources import Asked, of_code, of_history, of_prose
from quaestor.evaluation.metrics import Question, Target

KINDS = ("docstring", "heading", "sentence", "link", "commit")
"""What questions are made of: comments and docstrings, headings, sentences, words of links, subjects of commits."""

_OF_ONE_DOCUMENT = 3


@dataclass(frozen=True, slots=True)
class MadeSet:
    """Questions about a copy of a corpus.

    Attributes:
        questions: in a fixed order.
        texts: every document of the copy by path.
    """

    questions: tuple[Question, ...]
    texts: Mapping[str, str]

    def lay_out(self, place: Path) -> None:
        """Write the copy below the folder ``place``."""
        for path, text in self.texts.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text, "utf-8", errors="replace", newline="\n")


def make_questions(
    texts: Mapping[str, SourceText],
    root: Path,
    *,
    each: int = 150,
    seed: int = 0,
    kinds: Container[str] = KINDS,
    about: Callable[[str], bool] = lambda path: True,
) -> MadeSet:
    """Return questions, the same for the same corpus and seed.

    Args:
        texts: the corpus.
        root: where it lies, for its history.
        each: at most so many of every category.
        seed: of what is chosen.
        kinds: categories to ask of.
        about: whether a document may be asked about.
    """
    chance = random.Random(seed)
    asked: dict[str, list[Asked]] = defaultdict(list)
    for path in chance.sample(sorted(texts), len(texts)):
        if about(path):
            for one in _of_document(texts[path], texts, chance):
                asked[one.category].append(one)
    of_commits = of_history(root, texts) if "commit" in kinds else ()
    history = [one for one in of_commits if all(about(path) for path, _, _ in one.targets)]
    asked["commit"] = chance.sample(history, len(history))
    words = Words({path: "\n".join(text.lines) for path, text in texts.items()})
    chosen = [
        one
        for category in sorted(asked)
        if category in kinds
        for one in islice((one for one in asked[category] if _is_fair(one, texts, words)), each)
    ]
    questions = (
        Question(f"made-{number}", one.query, tuple(Target(*target) for target in one.targets), one.category)
        for number, one in enumerate(chosen)
    )
    changes: dict[str, dict[int, str]] = defaultdict(dict)
    for one in chosen:
        changes[one.place].update(one.instead)
    return MadeSet(tuple(questions), {path: _changed(text, changes.get(path, {})) for path, text in texts.items()})


def _is_fair(one: Asked, texts: Mapping[str, SourceText], words: Words) -> bool:
    """Return whether only what answers a question can hold its words, once they are taken out where they stood."""
    own = texts.get(one.place)
    answers = {path for path, first, _ in one.targets if first is None}
    if words.stand_in(one.query, answers | {one.place}):
        return False
    return own is None or own.path in answers or letters(one.query) not in letters(_changed(own, one.instead))


def _of_document(text: SourceText, paths: Mapping[str, SourceText], chance: random.Random) -> Iterator[Asked]:
    found = list(of_code(text))
    yield from chance.sample(found, min(_OF_ONE_DOCUMENT, len(found)))
    taken: set[int] = set()
    for one in of_prose(text, paths, chance):
        # Two questions of one paragraph would undo each other's change.
        if taken.isdisjoint(one.instead):
            taken.update(one.instead)
            yield one


def _changed(text: SourceText, instead: Mapping[int, str]) -> str:
    return "\n".join(instead.get(number, line) for number, line in enumerate(text.lines))
