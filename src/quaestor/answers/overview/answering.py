"""The way to answer a question for an overview."""

from __future__ import annotations

from quaestor.answers.overview.asking import asks_for_overview
from quaestor.answers.way import Question, WayAnswer
from quaestor.corpus import Corpus


def answer_with_overview(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return an overview of the corpus where that is asked for, else None."""
    own = {name.lower() for name in (corpus.root.name, corpus.retriever.project) if name}
    if not asks_for_overview(question.text, first=not question.earlier, own=own):
        return None
    # Other questions need none of this.
    from quaestor.answers.overview.making import make_overview  # noqa: PLC0415
    from quaestor.answers.overview.showing import pieces_of  # noqa: PLC0415
    from quaestor.tokens import tokenizer_for  # noqa: PLC0415

    found = make_overview(corpus, count=tokenizer_for("gpt-4o").count)
    return WayAnswer("overview", tuple(pieces_of(found)), found.hits, known=found.documents > 0)
