"""Answers to questions as people ask them on the first day: right, partly right, wrong or refused.

    python benchmarks/answers.py --checkouts DIR [--part choose] [--indexes DIR] [--kind overview ...] [--show]
        [--model none|scripted|NAME --base-url URL] [--window TOKENS] [--out FILE]

The questions are in ``asked/answers``. ``--checkouts`` has a clone ``OWNER__NAME`` of each repository, with its
history, at the commit that the file names. See README.md here for how answers are judged.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
from _answers_judge import VERDICTS, Place, Said, Verdict, judge, share_rested_on, touches
from _answers_model import QuotingServer
from _answers_set import Asked, Question, of_kind, read_answers

from quaestor.assemble import Index, answer_steps, make_model
from quaestor.chat.events import TurnOutcome
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.corpus import Corpus
from training.judged_searches import documents_of

HERE = Path(__file__).parent
NO_MODEL, SCRIPTED = "none", "scripted"
_SHOWN = 1500


@dataclass(frozen=True, slots=True)
class Row:
    """One question, and what came of it.

    Attributes:
        first_quote: whether the first quote holds evidence; None where no lines answer.
        first_hit: whether the first hit of a search for the question does.
        share: of the evidence, the share that the answer quotes or points at; None where nothing is held.
        seconds: from the question to the whole answer.
    """

    repository: str
    part: str
    corpus: str
    kind: str
    id: str
    question: str
    verdict: Verdict
    first_quote: bool | None
    first_hit: bool | None
    share: float | None
    seconds: float
    answer: str
    places: tuple[Place, ...]


def main() -> None:
    """Ask every question of a part, and print what the answers are worth."""
    options = parse()
    with ExitStack() as stack:
        indexes = options.indexes or Path(stack.enter_context(TemporaryDirectory(prefix="quaestor-answers-")))
        settings, prepare = settings_of(options, indexes, stack)
        rows = []
        for row in asked_rows(options, settings, prepare):
            rows.append(row)
            if options.show:
                print(shown(row), flush=True)
    print(table(rows))
    if options.out:
        if options.part != "choose":
            sys.exit("only the figures of the part choose are kept: leave --out away, or give --part choose")
        options.out.write_text(json.dumps(document(rows, options), indent=1) + "\n", encoding="utf-8")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True, help="has a clone OWNER__NAME of each repository")
    parser.add_argument("--questions", type=Path, default=HERE / "asked", help="has answers/, code/ and prose/")
    parser.add_argument("--part", default="choose", choices=["learn", "choose", "report"])
    parser.add_argument("--indexes", type=Path, help="keeps the indexes; a temporary folder by default")
    parser.add_argument("--kind", nargs="+", default=[], help="only these kinds")
    parser.add_argument("--only", nargs="+", default=[], metavar="OWNER/NAME", help="only these repositories")
    parser.add_argument("--show", action="store_true", help="print each question with its answer")
    parser.add_argument("--model", default=NO_MODEL, help="none, scripted, or a model's name at --base-url")
    parser.add_argument("--base-url", default="", help="of an OpenAI-compatible server")
    parser.add_argument("--window", type=int, default=8192, help="the model's window, tokens")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    return parser.parse_args()


def settings_of(
    options: argparse.Namespace, indexes: Path, stack: ExitStack
) -> tuple[Settings, Callable[[Question], None]]:
    """Return the settings that questions are asked with, and what is done before each of them."""
    plain = {"home": str(indexes.absolute()), "window": options.window}
    if options.model == NO_MODEL:
        return Settings(**plain), lambda question: None
    if options.model == SCRIPTED:
        server = stack.enter_context(QuotingServer())
        return Settings(**plain, model="scripted", base_url=server.base_url, tokenizer="gpt-4o"), server.take
    return Settings(**plain, model=options.model, base_url=options.base_url), lambda question: None


def asked_rows(options: argparse.Namespace, settings: Settings, prepare: Callable[[Question], None]) -> Iterator[Row]:
    """Yield what comes of each question of a part, corpus by corpus."""
    for whole in read_answers(options.questions):
        asked = of_kind(whole, options.kind)
        if asked.part != options.part or (options.only and asked.repository not in options.only):
            continue
        if asked.questions:
            yield from corpus_rows(asked, options.checkouts, settings, prepare)


def corpus_rows(
    asked: Asked, checkouts: Path, settings: Settings, prepare: Callable[[Question], None]
) -> Iterator[Row]:
    """Yield what comes of each question about one corpus; nothing where it has no checkout."""
    root = checkouts / asked.folder
    if not root.is_dir():
        print(f"no checkout of {asked.repository}", file=sys.stderr)
        return
    if asked.files:
        root = documents_of(root, asked.files, Path(settings.home) / "documents" / asked.folder)
    with Index.build(root, settings=settings) as index:
        for question in asked.questions:
            prepare(question)
            said, seconds = answer_or_error(index, question.text, settings)
            yield row_of(asked, question, said, seconds, index)


def answer_or_error(corpus: Corpus, question: str, settings: Settings) -> tuple[Said, float]:
    """Return the answer to a question and the seconds that it took; an error counts as a refusal, which it names."""
    before = time.perf_counter()
    try:
        return asyncio.run(answered(corpus, question, settings))
    except QuaestorError as error:
        print(f"{question}: {error}", file=sys.stderr)
        return Said(str(error), (), known=False), time.perf_counter() - before


async def answered(corpus: Corpus, question: str, settings: Settings) -> tuple[Said, float]:
    """Return the answer to a question as `quaestor ask` gives it, and the seconds that it took."""
    model = make_model(settings)
    outcome = TurnOutcome()
    before = time.perf_counter()
    try:
        async with aclosing(answer_steps(corpus, model, question, settings)) as events:
            async for event in events:
                outcome.take(event)
    finally:
        if model is not None:
            await model.aclose()
    seconds = time.perf_counter() - before
    assert outcome.done is not None
    places = tuple(Place(one.path, one.start_line, one.end_line, one.quote) for one in outcome.citations)
    return Said(outcome.done.answer, places, outcome.done.known), seconds


def row_of(asked: Asked, question: Question, said: Said, seconds: float, corpus: Corpus) -> Row:
    """Return a question with its judged answer, and with what a search for it finds first."""
    hits = [Place(hit.path, hit.start_line, hit.end_line) for hit in corpus.search(question.text, 1)]
    lines = bool(question.evidence)
    return Row(
        asked.repository,
        asked.part,
        asked.corpus,
        question.kind,
        question.id,
        question.text,
        judge(question, said),
        touches(question.evidence, said.places[:1]) if lines else None,
        touches(question.evidence, hits) if lines else None,
        share_rested_on(question, said) if lines or question.commits else None,
        seconds,
        said.text if said.known else f"(refused) {said.text}",
        said.places,
    )


def shown(row: Row) -> str:
    """Return a question with its answer and what that is worth, for people."""
    head = f"=== {row.verdict.upper()} [{row.kind}] {row.repository} {row.id} ({row.seconds:.2f} s)"
    first = f"first quote {row.first_quote}, first hit {row.first_hit}"
    places = "\n".join(f"  {place.path}:{place.start_line}-{place.end_line}" for place in row.places)
    return f"{head}\n{row.question}\n--- {first}\n{row.answer[:_SHOWN]}\n{places}"


def table(rows: Sequence[Row]) -> str:
    """Return the figures as text: in all, by corpus, by kind."""
    lines = [
        f"{'':14}{'n':>4}{'right':>7}{'partly':>7}{'wrong':>7}{'refused':>9}{'refused':>9}{'good':>7}{'wrong':>7}"
        f"{'quote 1':>9}{'hit 1':>7}{'share':>7}{'s p50':>7}",
        f"{'':14}{'':4}{'':7}{'':7}{'':7}{'rightly':>9}{'wrongly':>9}{'share':>7}{'share':>7}",
    ]
    lines += [_line(name, own) for name, own in groups(rows)]
    return "\n".join(lines)


def groups(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows in all, by corpus and by kind, each group with its name."""
    yield "all", list(rows)
    for corpus in sorted({row.corpus for row in rows}):
        yield corpus, [row for row in rows if row.corpus == corpus]
    for kind in sorted({row.kind for row in rows}):
        yield f"  {kind}", [row for row in rows if row.kind == kind]


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the counts and shares of some rows; a share is None where it is of nothing."""
    counts = {str(verdict): sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}
    lined = [row for row in rows if row.first_hit is not None]
    return {
        "questions": len(rows),
        **counts,
        "good": _share([row.verdict in {"right", "rightly refused"} for row in rows]),
        "wrong share": _share([row.verdict == "wrong" for row in rows]),
        "first quote": _share([bool(row.first_quote) for row in lined]),
        "first hit": _share([bool(row.first_hit) for row in lined]),
        "share": _share([row.share for row in rows if row.share is not None]),
        "seconds": round(statistics.median(row.seconds for row in rows), 3) if rows else None,
    }


def _share(values: Sequence[float]) -> float | None:
    return round(statistics.mean(values), 4) if values else None


def _line(name: str, rows: Sequence[Row]) -> str:
    told = figures(rows)
    right, partly, wrong, rightly, wrongly = (told[verdict] for verdict in VERDICTS)
    counts = f"{name:14}{len(rows):4}{right:7}{partly:7}{wrong:7}{rightly:9}{wrongly:9}"
    shares = [told["good"], told["wrong share"], told["first quote"], told["first hit"], told["share"], told["seconds"]]
    return counts + "".join(
        f"{'' if value is None else f'{value:.2f}':>{width}}"
        for value, width in zip(shares, (7, 7, 9, 7, 7, 7), strict=True)
    )


def document(rows: Sequence[Row], options: argparse.Namespace) -> dict[str, Any]:
    """Return what is saved: the figures, and each question's verdict."""
    return {
        "benchmark": "answers",
        "machine": _machine.describe(),
        "part": options.part,
        "model": options.model,
        "window": options.window,
        "figures": {name.strip(): figures(own) for name, own in groups(rows)},
        "rows": [{name: asdict(row)[name] for name in ("repository", "kind", "id", "verdict")} for row in rows],
    }


if __name__ == "__main__":
    main()
