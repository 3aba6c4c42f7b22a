"""What whoever starts a server is told of the model's endpoint: it is silent, refuses the key, or lacks the model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from quaestor.assemble import make_endpoint
from quaestor.cli.output import one_line
from quaestor.core.config import Settings, without_credentials
from quaestor.core.errors import UpstreamError
from quaestor.llm.endpoints import OPENAI_URL
from quaestor.llm.endpoints.reaching import is_listening

# Whoever starts a server waits for this.
_SECONDS = 3.0
_MOST_NAMES = 5


def endpoint_warnings(settings: Settings) -> list[str]:
    """Ask the endpoint that the settings name for its models, and return what is wrong with it, each in one sentence.

    Raises:
        UsageError: a setting of the endpoint is wrong.
    """
    if not settings.model:
        return []
    address, name = without_credentials(settings.base_url or OPENAI_URL), one_line(settings.model)
    if not is_listening(settings.base_url or OPENAI_URL):
        return [f"nobody listens at {address}, the endpoint of {name!r}; answers are quotes until it is there"]
    return list(asyncio.run(_seen(settings, address, name)))


async def _seen(settings: Settings, address: str, name: str) -> Iterator[str]:
    from quaestor.llm.models.probe import list_models  # noqa: PLC0415 - takes a while, and only with a model

    model = make_endpoint(settings)
    assert model is not None
    try:
        found = await asyncio.wait_for(list_models(model), _SECONDS)
    except TimeoutError:
        return iter((f"{address} takes longer than {_SECONDS:g} seconds to list its models; so may questions",))
    except UpstreamError as error:
        # An endpoint need not list its models; but a key that is refused here is refused everywhere.
        return iter((str(error),) if error.status in (401, 403) else ())
    finally:
        await model.aclose()
    return _differences(settings, address, name, found.names, found.window)


def _differences(
    settings: Settings, address: str, name: str, names: tuple[str, ...], window: int | None
) -> Iterator[str]:
    """Yield in what the endpoint is not what the settings say."""
    if names and settings.model not in names:
        listed = ", ".join(repr(one_line(one)) for one in names[:_MOST_NAMES])
        more = ", ..." if len(names) > _MOST_NAMES else ""
        yield f"{address} does not list a model {name!r}, but {listed}{more}; correct --model if questions fail"
    if window is not None and window < settings.window:
        yield (
            f"{address} says that the window of {name!r} is {window:,} tokens, and `window` is {settings.window:,}; "
            f"set QUAESTOR_WINDOW={window}"
        )
