"""One question answered at once, for programs that take no stream."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from quaestor.assemble import answering, make_model
from quaestor.chat.events import Citations, Done, Passages
from quaestor.config import Settings
from quaestor.corpus import Corpus
from quaestor.passages import Citation, Hit

_NEAREST = 3


@dataclass
class Answered:
    """What came of a question.

    Attributes:
        text: the answer.
        known: whether the corpus holds an answer.
        citations: each as it was checked.
        hits: what was found, best first.
    """

    text: str = ""
    known: bool = False
    citations: tuple[Citation, ...] = ()
    hits: tuple[Hit, ...] = field(default=(), repr=False)

    def as_object(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        nearest = () if self.known else self.hits[:_NEAREST]
        return {
            "answer": self.text,
            "known": self.known,
            "citations": [
                {
                    "n": one.n,
                    "path": one.path,
                    "start_line": one.start_line,
                    "end_line": one.end_line,
                    "quote": one.quote,
                    "status": one.status,
                }
                for one in self.citations
            ],
            "nearest": [{"path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line} for hit in nearest],
        }


def answered(corpus: Corpus, question: str, settings: Settings) -> Answered:
    """Answer a question; blocks until the answer is there.

    Raises:
        UpstreamError: the model failed.
        WindowError: the question alone does not fit the model's window.
    """
    return asyncio.run(_answered(corpus, question, settings))


async def _answered(corpus: Corpus, question: str, settings: Settings) -> Answered:
    model = make_model(settings)
    done = Answered()
    try:
        async with aclosing(answering(corpus, model, question, settings)) as events:
            async for event in events:
                match event:
                    case Passages(hits=hits):
                        done.hits = hits
                    case Citations(citations=citations):
                        done.citations = citations
                    case Done(answer=answer, known=known):
                        done.text, done.known = answer, known
    finally:
        if model is not None:
            await model.aclose()
    return done
