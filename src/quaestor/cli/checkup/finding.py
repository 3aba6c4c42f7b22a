"""Something that ``quaestor doctor`` found to be wrong."""

from __future__ import annotations

from quaestor.core.errors import IndexUnusableError, QuaestorError, UpstreamError, UsageError

BROKEN = IndexUnusableError.exit_code
"""The installation, the index, or what is kept beside it is damaged."""
UNREACHABLE = UpstreamError.exit_code
"""Nobody answers at an endpoint."""
TO_SET_RIGHT = UsageError.exit_code
"""All works, and something is to be set right: who may read a file, a port, a setting."""


class FindingError(QuaestorError):
    """What is wrong, in a sentence that ends with the next step.

    Attributes:
        exit_code: how bad it is; the highest of all findings is that of the command.
    """

    def __init__(self, message: str, exit_code: int = BROKEN) -> None:
        super().__init__(message)
        self.exit_code = exit_code
