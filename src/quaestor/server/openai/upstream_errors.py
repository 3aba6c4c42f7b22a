"""Whose fault it is when the model's server refuses a request: what a client sent is passed on, and may be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel

from quaestor.llm.endpoints.failures import BadRequestError, TooLongError, ToolsRefusedError
from quaestor.server.http.error_responses import RequestRefusedError


@contextmanager
def blaming(request: BaseModel) -> Iterator[None]:
    """Let a refusal of the model's server reach the client as its own mistake, where it is one.

    A key, an address or the name of a model is the server's affair, and no client can mend it: such a failure is
    passed on as it is.

    Raises:
        RequestRefusedError: the model's server refused what the client asked for.
    """
    try:
        yield
    except BadRequestError as error:
        said = error.said or f"It answered {error.status} and does not say why."
        param = error.param if error.param in type(request).model_fields else None
        raise RequestRefusedError(f"The model's server refuses the request: {said}", param=param) from error
    except TooLongError as error:
        said = "The request does not fit the window of the model. Send less."
        raise RequestRefusedError(said, code="context_length_exceeded") from error
    except ToolsRefusedError as error:
        if not getattr(request, "tools", None):
            raise
        raise RequestRefusedError("The model takes no tools. Leave them out.", param="tools") from error
