"""What a folder that may be added holds, and what indexing it would take: shown before it is added."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quaestor.accounts.money import MILLION
from quaestor.assemble.estimate import Estimate, survey_and_estimate
from quaestor.files.ingest_report import Survey
from quaestor.server.web.page_frame import Look
from quaestor.server.web.safe_text import written_size
from quaestor.server.web.usage_in_words import money

_MOST_NAMED = 6


def facts_of_source(at: Look, root: Path) -> dict[str, Any]:
    """Return what the template of a look says of a folder; nothing is written, and nobody is asked."""
    survey, estimate = survey_and_estimate(root, at.served.corpora.settings_of(root))
    return {
        "facts": dict(_facts(survey, estimate, str(at.served.overview(at.user)["currency"]))),
        "left_out": [f"{reason}: {count:,}" for reason, count in survey.skipped_by_reason.items()],
        "nothing": not survey.documents,
        "unpaid": estimate.cost != 0 and estimate.remote,
    }


def _facts(survey: Survey, estimate: Estimate, currency: str) -> Mapping[str, Any]:
    languages = sorted(survey.languages.items(), key=lambda one: -one[1])
    named = ", ".join(f"{name} {count:,}" for name, count in languages[:_MOST_NAMED])
    more = f" and {len(languages) - _MOST_NAMED} more kinds" if len(languages) > _MOST_NAMED else ""
    cost = None if estimate.cost is None else estimate.cost / MILLION
    return {
        "Documents": f"{survey.documents:,}",
        "Size": written_size(survey.bytes),
        "Kinds": f"{named}{more}" or "none",
        "Time": time_taken(estimate.seconds),
        "Cost": money(cost, currency) if estimate.remote else "nothing: it is done on this machine",
    }


def time_taken(seconds: float) -> str:
    """Return about how long something takes, for people."""
    if seconds < 1:
        return "less than a second"
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"
