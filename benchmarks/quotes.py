"""Measures what `ask` without a model quotes: whether the first quote or any holds evidence, and how long quotes are.

    python benchmarks/quotes.py DATA --checkouts DIR [--part choose] [--corpora prose] [--kinds] [--home DIR] [--read N]

``DATA`` and ``--checkouts`` are those of lines.py. *hit* is the first hit, *first* and *any* are the quotes, a quote of
two parts being one; *refused* is what is refused, and *by words* what would be refused by the words of the quotes alone
(``quotes._LEAST_COVERAGE``). Every question here has an answer, so each refusal is wrong. ``--read`` prints answers.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from _metrics import Location, covers
from lines import SHORT_CORPORA, Question, present

from quaestor import Index
from quaestor.answers.quotes.pick_quotes import ExtractiveAnswer, answer
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.core.config import Settings
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.spelling import replace_unknown
from training.asked_questions import FITTED

MEASURES = ("hit", "first", "any", "quotes", "characters", "refused", "by_words", "milliseconds")


@dataclass(frozen=True, slots=True)
class Score:
    """What one question was answered with.

    Attributes:
        hit, first, any: whether the first hit, the first quote, or any quote shares a line with evidence.
        quotes: how many there are.
        characters: of all of them together.
        refused: whether the question is refused as ``ask`` does.
        by_words: whether it would be if only the words of the quotes told.
        milliseconds: of processor time to choose the quotes, without the search.
    """

    question: Question
    hit: bool
    first: bool
    any: bool
    quotes: int
    characters: int
    refused: bool
    by_words: bool
    milliseconds: float
    text: str


def main() -> None:
    """Ask every question, and print the means."""
    options = parse()
    with TemporaryDirectory(prefix="quaestor-quotes-") as folder:
        home = options.home or Path(folder) / "home"
        corpora = present(options, Path(folder))
        scores = [score for root, questions in corpora for score in run(root, questions, home)]
    for score in scores[:: max(1, len(scores) // options.read)] if options.read else ():
        print(f"{'=' * 80}\n{score.question.kind}: {score.question.text}\n{score.first=}\n{score.text}")
    print("\n".join(table(scores, kinds=options.kinds)))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure what `ask` without a model quotes.")
    parser.add_argument("data", type=Path, help="a file of questions, or a folder with code/ and prose/")
    parser.add_argument("--checkouts", type=Path, required=True, help="has a checkout OWNER__NAME of each repository")
    parser.add_argument("--part", default="choose", choices=["learn", "choose", "report"], help="of a folder")
    parser.add_argument("--corpora", nargs="+", default=FITTED, choices=(*FITTED, *SHORT_CORPORA), help="of a folder")
    parser.add_argument("--home", type=Path, help="keeps the indexes; a temporary folder by default")
    parser.add_argument("--kinds", action="store_true", help="also print each kind of question")
    parser.add_argument("--read", type=int, default=0, metavar="N", help="also print about so many answers")
    return parser.parse_args()


def run(root: Path, questions: Sequence[Question], home: Path) -> Iterator[Score]:
    """Yield what came of each question about one corpus."""
    with Index.build(root, settings=Settings(home=str(home))) as index:
        for question in questions:
            yield asked(index, question)


def asked(index: Index, question: Question) -> Score:
    """Ask one question as ``ask`` does."""
    text = replace_unknown(question.text, index.spelling(question.text).unknown)
    sought = index.in_english(text)
    hits = index.search(text, ConversationSettings().passages)
    passages, encode = number(hits), index.meaning.local_embedder.encode
    begun = time.process_time()
    made = answer(sought, passages, encode, refused=False, hits=hits)
    spent = time.process_time() - begun
    held = [any(covers(one, place) for place in question.evidence) for one in places(made)]
    parts = next((at for at, quote in enumerate(made.quotes[1:], 1) if not quote.continues), len(held))
    doubt = index.doubt(sought, hits, text if sought != text else "")
    by_words = not answer(sought, passages, encode, hits=hits).known
    return Score(
        question,
        any(covers((hit.path, hit.start_line, hit.end_line), place) for hit in hits[:1] for place in question.evidence),
        any(held[:parts]),
        any(held),
        sum(not quote.continues for quote in made.quotes),
        sum(len(quote.text) for quote in made.quotes),
        by_words if doubt.refuses is None else doubt.refuses,
        by_words,
        1000 * spent,
        made.text,
    )


def places(made: ExtractiveAnswer) -> list[Location]:
    """Return where the quotes stand."""
    return [(quote.path, quote.start_line, quote.end_line) for quote in made.quotes]


def table(scores: Sequence[Score], *, kinds: bool) -> Iterator[str]:
    """Yield the means as lines: by corpus, and by kind where that is asked for."""
    yield f"{'':24}{'n':>5}" + "".join(f"{name:>13}" for name in MEASURES)
    for corpus in sorted({score.question.corpus for score in scores}):
        own = [score for score in scores if score.question.corpus == corpus]
        yield _line(corpus, own)
        for kind in sorted({score.question.kind for score in own}) if kinds else ():
            yield _line(f"  {kind}", [score for score in own if score.question.kind == kind])
    yield _line("all", scores)


def _line(label: str, scores: Sequence[Score]) -> str:
    means = [statistics.fmean(getattr(score, name) for score in scores) for name in MEASURES]
    return f"{label:24}{len(scores):5}" + "".join(f"{mean:13.3f}" if mean <= 2 else f"{mean:13.0f}" for mean in means)


if __name__ == "__main__":
    main()
