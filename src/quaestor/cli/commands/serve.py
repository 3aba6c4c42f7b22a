"""``quaestor serve``: serves corpora over HTTP, for people and for programs.

At its start it warns if the model's endpoint does not respond, refuses the key, or lacks the model.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from quaestor.accounts.prices import load_prices
from quaestor.assemble import make_endpoint, make_model, make_users
from quaestor.cli.options import model_options, store_option
from quaestor.cli.output import one_line, remark
from quaestor.cli.scope import configure, find_corpus, find_root
from quaestor.core.config import Settings, without_credentials
from quaestor.core.errors import ForbiddenError, UpstreamError, UsageError
from quaestor.llm.endpoints import OPENAI_URL
from quaestor.llm.endpoints.failures import is_listening
from quaestor.server.free_port import listen_at
from quaestor.server.http.json_log import log_as_json
from quaestor.server.http.server_process import Job, serve

if TYPE_CHECKING:
    from quaestor.server.http.server_process import Job


_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_MOST_BY_DEFAULT = 4
PORT = 8756
"""The default port."""
_NEEDED = ("fastapi", "uvicorn", "jinja2", "markdown_it", "nh3", "prometheus_client", "pygments", "python_multipart")

# How long the server's start waits for the endpoint's list of models.
_SECONDS = 3.0
_MOST_NAMES = 5


@click.command("serve")
@click.argument("paths", nargs=-1, type=str)
@model_options()
@click.option(
    "--further-model", "further", multiple=True, help="Another model at the endpoint that users may choose on the page."
)
@store_option
@click.option(
    "--add-within", "within", multiple=True, metavar="FOLDER", help="Allow the page to add folders within this one."
)
@click.option(
    "--add-sites",
    "sites",
    multiple=True,
    metavar="HOST",
    help="Allow the page to add sites and repositories of this host; also '*.HOST', or '*' for all public ones.",
)
@click.option("--allow-edits", "edits", is_flag=True, help="Allow the page to apply changes that a model proposes.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="Port to listen on.")
@click.option("--allow-host", "names", multiple=True, help="A further host name under which the server is reached.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help="Number of server processes; by default 1, or, if there are users, one per core, up to 4.",
)
@click.option("--log-requests", is_flag=True, help="Log each request as a line of JSON; failures are always logged.")
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
def command(  # noqa: PLR0913, PLR0917 - one for each option
    paths: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    further: tuple[str, ...],
    within: tuple[str, ...],
    sites: tuple[str, ...],
    edits: bool,
    store: str | None,
    host: str,
    port: int,
    names: tuple[str, ...],
    workers: int | None,
    log_requests: bool,
    opens: bool,
) -> None:
    """Serve folders over HTTP; without PATHS, the current repository.

    Serving begins at once; missing indexes are made in the background. Other machines need a token: see `quaestor
    users`. Several processes (--workers) answer many simultaneous questions sooner.
    """
    _check_installed()
    flags = {
        "model": model,
        "base_url": base_url,
        "further_models": ",".join(further) or None,
        "store": store,
        "add_within": within or None,
        "add_sites": sites or None,
        "page_edits": "on" if edits else None,
    }
    settings = configure(None, **flags).settings
    # Errors in these are reported before anything begins.
    make_model(settings)
    load_prices(settings)
    # Closed again: workers are forked copies of this process and must not inherit a database connection.
    with closing(make_users(settings)) as users:
        many = users.has_users()
    reachable = host not in _LOOPBACK
    if reachable and not many:
        raise ForbiddenError(
            f"{host!r} can be reached from other machines, and there are no users. Add one with"
            " `quaestor users add NAME`."
        )
    roots = [find_root(path) for path in paths] or [find_corpus(None)]
    known = {root: configure(root, **flags).settings for root in roots}
    job = Job(known, settings, flags, reachable, (host, *names), log_requests)
    # Before anything is indexed, so that an occupied port is reported at once.
    with listen_at(host, port) as at:
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        for warning in endpoint_warnings(settings):
            remark(f"warning: {warning}")
        # Printed last, so that it is easy to find.
        remark(address)
        if opens:
            webbrowser.open(address)
        _serve(job, at, workers or _default_workers(many=many))


def _serve(job: Job, at: socket.socket, workers: int) -> None:
    """Serve until interrupted."""
    log_as_json(requests=job.log_requests)
    if workers == 1:
        serve(job, at)
        return
    from quaestor.server.http.server_pool import serve_with  # noqa: PLC0415 - only for several

    # The exit code by which shells report a command that a signal ended.
    signal.raise_signal(serve_with(workers, job, at))


def _default_workers(*, many: bool) -> int:
    """Return the default number of processes: one for a single user; for many, one per core, up to 4."""
    return min(_MOST_BY_DEFAULT, os.cpu_count() or 1) if many and sys.platform != "win32" else 1


def _check_installed() -> None:
    """Check that the packages of the server are installed.

    Raises:
        UsageError: a package is missing.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"The server needs the package {missing[0]!r}, which is not installed. Run "
            "`uv tool install 'quaestor[serve]'`, or `pip install '.[serve]'` in a checkout."
        )


def endpoint_warnings(settings: Settings) -> list[str]:
    """Ask the settings' endpoint for its models, and return its problems, each in one sentence.

    Raises:
        UsageError: a setting of the endpoint is wrong.
    """
    if not settings.model:
        return []
    address, name = without_credentials(settings.base_url or OPENAI_URL), one_line(settings.model)
    if not is_listening(settings.base_url or OPENAI_URL):
        return [f"no server listens at {address}, the endpoint of {name!r}; answers are quotes until one does"]
    return list(asyncio.run(_model_problems(settings, address, name)))


async def _model_problems(settings: Settings, address: str, name: str) -> Iterator[str]:
    from quaestor.llm.models.probe import list_models  # noqa: PLC0415 - takes a while, and only with a model

    model = make_endpoint(settings)
    assert model is not None
    try:
        listing = await asyncio.wait_for(list_models(model), _SECONDS)
    except TimeoutError:
        return iter((f"{address} takes longer than {_SECONDS:g} seconds to list its models; so may questions",))
    except UpstreamError as error:
        # An endpoint need not list its models; but a key that is refused here is refused everywhere.
        return iter((str(error),) if error.status in (401, 403) else ())
    finally:
        await model.aclose()
    return _differences(settings, address, name, listing.names, listing.window)


def _differences(
    settings: Settings, address: str, name: str, names: tuple[str, ...], window: int | None
) -> Iterator[str]:
    """Yield sentences on how the endpoint differs from the settings."""
    if names and settings.model not in names:
        text = ", ".join(repr(one_line(one)) for one in names[:_MOST_NAMES])
        more = ", ..." if len(names) > _MOST_NAMES else ""
        yield f"{address} does not list a model {name!r}, but {text}{more}; correct --model if questions fail"
    if window is not None and window < settings.window:
        yield (
            f"{address} says that the window of {name!r} is {window:,} tokens, and `window` is {settings.window:,}; "
            f"set QUAESTOR_WINDOW={window}"
        )
