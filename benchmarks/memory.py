"""Measures how much of what a question needs is in the window: one run, one table.

The history is a whole conversation, and the question its newest message. It counts for *all* if all of its evidence
messages are in the window, word for word, and for *any* if one is.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from _machine import describe
from _memory_locomo import Conversation, load
from _memory_systems import MODEL, RESERVE, Bm25, LangChain, LlamaIndex, Quaestor, System

from quaestor.core.messages import Message
from quaestor.embedding import Embedder
from quaestor.embedding.static import StaticEmbedder
from quaestor.llm.tokens import counter_for

LIMITS = (1024, 2048, 4096, 8192)


@dataclass(frozen=True, slots=True)
class Score:
    """One question on one system.

    Attributes:
        tokens: what the window takes, counted the same for all systems.
        seconds: time to compose it.
    """

    category: int
    all: bool
    any: bool
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """One system at one limit; shares are of questions, times in milliseconds."""

    system: str
    limit: int
    questions: int
    all: float
    any: float
    all_by_category: dict[str, float]
    tokens: float
    over_limit: int
    p50_ms: float
    max_ms: float


def systems(embedder: Embedder | None) -> dict[str, System]:
    """Return every system by its name in the table."""
    return {
        "LangChain trim_messages": LangChain(),
        "LlamaIndex ChatMemoryBuffer": LlamaIndex(),
        "BM25 recall alone": Bm25(),
        "sliding": Quaestor("sliding", embedder),
        "summary": Quaestor("summary", embedder),
        "recall, words only": Quaestor("recall", None),
        "recall": Quaestor("recall", embedder),
        "blend": Quaestor("blend", embedder),
    }


def ask(system: System, conversations: Sequence[Conversation], limit: int) -> list[Score]:
    """Return the scores of every question of every conversation."""
    scores = []
    for conversation in conversations:
        system.begin(conversation.messages)
        for question in conversation.questions:
            asked = Message("user", question.text)
            begun = time.perf_counter()
            window = system.window(asked, limit)
            seconds = time.perf_counter() - begun
            # By role and words: peers may lose the name.
            inside = {(message.role, message.content) for message in window}
            met = [(m.role, m.content) in inside for m in (conversation.messages[n] for n in question.evidence)]
            tokens = counter_for(MODEL).messages(window)
            scores.append(Score(question.category, all(met), any(met), tokens, seconds))
    return scores


def row(name: str, limit: int, scores: Sequence[Score]) -> Row:
    """Return the means of a system's scores."""
    times = [1000 * score.seconds for score in scores]
    categories = sorted({score.category for score in scores})
    return Row(
        system=name,
        limit=limit,
        questions=len(scores),
        all=statistics.fmean(score.all for score in scores),
        any=statistics.fmean(score.any for score in scores),
        all_by_category={
            str(number): statistics.fmean(score.all for score in scores if score.category == number)
            for number in categories
        },
        tokens=statistics.fmean(score.tokens for score in scores),
        over_limit=sum(score.tokens + RESERVE > limit for score in scores),
        p50_ms=statistics.median(times),
        max_ms=max(times),
    )


def show(rows: Sequence[Row]) -> None:
    """Print the table."""
    names = list(dict.fromkeys(row.system for row in rows))
    print(f"{rows[0].questions} questions; share with all / any evidence in the window; {RESERVE} tokens reserved\n")
    print(f"{'':30}" + "".join(f"{limit:>16,}" for limit in LIMITS))
    for label, cell in (
        ("all / any", lambda one: f"{one.all:.3f} / {one.any:.3f}"),
        ("tokens used", lambda one: f"{one.tokens:.0f}" + (f" ({one.over_limit} over)" if one.over_limit else "")),
        ("ms to compose, p50 / max", lambda one: f"{one.p50_ms:.1f} / {one.max_ms:.0f}"),
    ):
        print(label)
        for name in names:
            cells = {one.limit: cell(one) for one in rows if one.system == name}
            print(f"  {name:28}" + "".join(f"{cells[limit]:>16}" for limit in LIMITS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="a JSON file in LoCoMo's form, or a folder of them")
    parser.add_argument("--embedder", type=Path, help="a folder with weights in place of the bundled ones")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "memory.json")
    options = parser.parse_args()
    embedder = StaticEmbedder.load(options.embedder) if options.embedder else StaticEmbedder.bundled()
    conversations = load(options.data)
    rows = [
        row(name, limit, ask(system, conversations, limit))
        for name, system in systems(embedder).items()
        for limit in LIMITS
    ]
    show(rows)
    result = {
        **describe(),
        "data": options.data.name,
        "embedder": embedder.name,
        "tokenizer": MODEL,
        "reserve": RESERVE,
        "rows": [asdict(one) for one in rows],
    }
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
