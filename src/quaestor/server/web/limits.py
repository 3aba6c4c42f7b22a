"""Which documents a form says that a question, or a search, is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LONGEST = 400
_LONGEST_DATE = 40


@dataclass(frozen=True, slots=True)
class Limits:
    """The fields of such a form, as they were filled in; empty ones limit nothing.

    Attributes:
        path: globs of paths, with commas or blanks between.
        language: languages, the same way.
        since: only documents of this date or later.
        before: only documents of an earlier date.
        by: an author.
    """

    path: str = ""
    language: str = ""
    since: str = ""
    before: str = ""
    by: str = ""

    @classmethod
    def of_form(cls, fields: Mapping[str, Any]) -> Limits:
        """Return what a form that was sent says."""
        path, language, by = (str(fields.get(name, ""))[:_LONGEST] for name in ("path", "language", "by"))
        since, before = (str(fields.get(name, ""))[:_LONGEST_DATE] for name in ("since", "before"))
        return cls(path, language, since, before, by)

    def asked(self) -> dict[str, Any]:
        """Return the fields as a request of the API has them."""
        return {
            "path": _listed(self.path),
            "language": _listed(self.language),
            "since": self.since,
            "before": self.before,
            "by": [self.by] if self.by.strip() else [],
        }


def _listed(field: str) -> list[str]:
    return field.replace(",", " ").split()
