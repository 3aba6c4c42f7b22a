"""What a run would cost where embedders are paid for, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from quaestor.assemble.embedders_by_name import remote_model
from quaestor.assemble.estimate import Estimate, estimate_queries, survey_and_estimate
from quaestor.core.config import Settings
from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.grid import Configuration
from quaestor.evaluation.running.run import WARM_UP, Run


def estimate(
    run: Run, data_set: DataSet, configurations: Sequence[Configuration], settings_of: Callable[[Part], Settings]
) -> Estimate | None:
    """Return what building the missing indexes and asking the missing questions would take; None where nobody is asked.

    Of an index that was begun it is what a whole one takes: an upper bound.

    Args:
        run: knows what is there already.
        data_set: the questions.
        configurations: what is tried.
        settings_of: the settings of a part's corpus.
    """
    found: list[Estimate] = []
    for part in data_set.parts:
        begun: set[tuple[str, str]] = set()
        for one in configurations:
            settings = settings_of(part)._replace(embedder=one.embedder, chunker=one.chunker)
            remote = remote_model(settings)
            if remote is None:
                continue
            missing = run.missing(part, one)
            if missing is None and (one.embedder, one.chunker) not in begun:
                begun.add((one.embedder, one.chunker))
                found.append(survey_and_estimate(part.root, settings, rebuild=True)[1])
            if one.search != "lexical":
                asked = part.questions if missing is None else missing
                found.append(estimate_queries(remote, [question.text for question in (*asked[:WARM_UP], *asked)]))
    return _sum_of(found) if found else None


def _sum_of(found: Sequence[Estimate]) -> Estimate:
    """Return several estimates as one; its price is that of the first."""
    costs = [one.cost for one in found]
    return replace(
        found[0],
        embedder=", ".join(dict.fromkeys(one.embedder for one in found)),
        exact=all(one.exact for one in found),
        texts=sum(one.texts for one in found),
        tokens=sum(one.tokens for one in found),
        known=sum(one.known for one in found),
        new=True,
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=sum(one.seconds for one in found),
        basis="of all of them together",
    )
