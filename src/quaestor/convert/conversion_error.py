"""Why a document could not be turned into Markdown."""

from __future__ import annotations

from quaestor.files.deny import Reason


class ConversionError(Exception):
    """A document that is left out.

    Attributes:
        reason: one of the reasons of every report.
        detail: what is the matter, and what to do where something can be done.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)  # both, so that it survives being pickled
        self.reason: Reason = reason
        self.detail = detail
