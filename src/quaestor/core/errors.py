"""Every error that Quaestor raises on purpose, and how each one leaves the program.

    QuaestorError
    ├── UsageError            the caller can correct it                   exit 2   HTTP 400
    │   ├── NotFoundError     a path, document or session does not exist  exit 2   HTTP 404
    │   ├── ForbiddenError    outside the root, secret, not permitted     exit 2   HTTP 403
    │   ├── ConflictError     another request is changing the same thing  exit 2   HTTP 409
    │   ├── WindowError       must-keep messages exceed the limit         exit 2   HTTP 400
    │   └── LimitError        spending, size or rate limit reached        exit 5   HTTP 429
    │       └── BudgetError   a request that could exceed it was not sent exit 5   HTTP 429
    ├── UpstreamError         a model or a site failed; see .retryable    exit 3   HTTP 502
    └── IndexUnusableError    missing, corrupt, newer, other embedder     exit 4   HTTP 503
        ├── IndexBusyError        another process writes it           exit 4   HTTP 503
        ├── IndexReadOnlyError    it can be read, but not written     exit 4   HTTP 503
        └── EmbedderChangedError  since it was opened: open it again  exit 4   HTTP 503

Accounts that cannot be used (``accounts/database.py``) have the exit code and status of an index.

A message names the thing with ``!r``, says what happened, and ends with the next step.
"""

from __future__ import annotations


class QuaestorError(Exception):
    """Base of all errors that are meant for people to read.

    Attributes:
        retryable: whether the same may succeed soon.
    """

    retryable: bool = False
    exit_code: int = 2
    http_status: int = 500
    code: str = "error"


class UsageError(QuaestorError):
    """The caller asked for something impossible and can correct it."""

    exit_code = 2
    http_status = 400
    code = "usage"


class NotFoundError(UsageError):
    """A path, document, session or setting that does not exist."""

    http_status = 404
    code = "not_found"


class ForbiddenError(UsageError):
    """Something outside the root, secret, or not permitted to this caller."""

    http_status = 403
    code = "forbidden"


class ConflictError(UsageError):
    """Another request is changing the same thing; retry when it has ended."""

    http_status = 409
    code = "conflict"


class WindowError(UsageError):
    """The messages that must be kept do not fit the limit.

    Attributes:
        needed: tokens of the must-keep messages and the reserve.
        limit: tokens that the window allows.
    """

    code = "window"

    def __init__(self, message: str, *, needed: int, limit: int) -> None:
        super().__init__(message)
        self.needed = needed
        self.limit = limit


class LimitError(UsageError):
    """A spending, size or rate limit was reached.

    Attributes:
        retry_after: seconds after which the same request may be accepted, if known.
    """

    exit_code = 5
    http_status = 429
    code = "limit"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class BudgetError(LimitError):
    """A request to a model was not sent, because it could exceed a limit on money or tokens."""

    code = "budget"


class UpstreamError(QuaestorError):
    """A model server or a web site failed.

    Attributes:
        retryable: whether the same request may succeed later.
        status: the HTTP status of the response, if there was one.
        retry_after: seconds to wait before the next try, if the response said so.
    """

    exit_code = 3
    http_status = 502
    code = "upstream"

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.status = status
        self.retry_after = retry_after


class IndexUnusableError(QuaestorError):
    """The index is missing, corrupt, written by a newer version, or made with another embedder."""

    exit_code = 4
    http_status = 503
    code = "index"


class IndexBusyError(IndexUnusableError):
    """Another process was still writing the index when the time limit for waiting ended."""

    retryable = True


class IndexReadOnlyError(IndexUnusableError):
    """The index may be read but not written."""


class EmbedderChangedError(IndexUnusableError):
    """The index was given another embedder after it was opened; open it again."""
